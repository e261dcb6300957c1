// Begins a session. What the browser held before is ended, so that nobody can have planted a session that somebody else signs in to.
import { maskCardNumbers } from '../../domain/card-number.ts'
import type { Random } from '../../domain/clock-and-random.ts'
import { hashOfToken, makeToken, sessionLife, TOKEN_BYTES } from '../../domain/person.ts'
import { base32 } from '../../domain/reference.ts'
import type { ServiceRole } from '../../domain/role.ts'
import type { Queries } from '../../store/engine/database.ts'
import { notePersonSeen } from '../../store/people/people.ts'
import { insertSession, removeSessionOfToken } from '../../store/people/sessions.ts'

/** Where a session is begun. */
export interface Browser {
  /** What the browser calls itself. */
  browser: string
  /** What it held before. */
  heldToken: string | undefined
}

/** For the browser; the store has its hash alone. */
export interface StartedSession {
  token: string
  endsAt: number
}

const LONGEST_BROWSER = 200

export async function startSession(
  { random }: { random: Random },
  tx: Queries,
  person: { personId: string; serviceRole: ServiceRole | null },
  where: Browser & { network: string },
  now: number,
): Promise<StartedSession> {
  const { browser, heldToken, network } = where
  if (heldToken !== undefined) await removeSessionOfToken(tx, hashOfToken(heldToken))
  const token = makeToken(random.bytes(TOKEN_BYTES))
  const endsAt = now + sessionLife(person.serviceRole).mostMs
  await insertSession(tx, {
    tokenHash: hashOfToken(token),
    sessionId: `ses_${base32(random.bytes(10), 16)}`,
    personId: person.personId,
    startedAt: now,
    endsAt,
    network,
    browser: maskCardNumbers(browser.slice(0, LONGEST_BROWSER)),
  })
  await notePersonSeen(tx, person.personId, now)
  return { token, endsAt }
}
