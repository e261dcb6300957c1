// Signs a person in: with their password, and with a code if they have TOTP. Whether a person has
// the address shows neither in the answer nor in the time it takes (ADR-0014).
import type { Visitor } from '../../domain/people/caller.ts'
import { readEmail } from '../../domain/people/person.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { findCredentialsByEmail } from '../../store/people/credentials.ts'
import { findPerson } from '../../store/people/people.ts'
import { accountTries, forgive, giveBack, networkTries, takeTry } from '../limits/limited-tries.ts'
import { notifyOfNewPlace } from '../notices/notices.ts'
import { type Browser, type PeopleDeps, type StartedSession, startSession } from './sessions.ts'
import { spendCode } from './totp.ts'

export interface SignInRequest extends Browser {
  email: string
  password: string
  code?: string | undefined
}

export type SignInRefusal = RefusedAs<
  'too_many_tries' | 'sign_in_not_valid' | 'totp_needed' | 'totp_not_valid'
>

export async function signIn(
  deps: PeopleDeps,
  visitor: Visitor,
  { email: typed, password, code, ...where }: SignInRequest,
): Promise<StartedSession | SignInRefusal> {
  const { db, clock, passwords } = deps
  const email = readEmail(typed) ?? typed
  const [account, network] = [accountTries(email), networkTries(visitor.network)]
  const mayTry = await takeTry(deps, [account, network])
  if (isRefused(mayTry)) return mayTry
  const credentials = await findCredentialsByEmail(db, email)
  if (
    !(await passwords.verify(password, credentials?.passwordHash, visitor.network)) ||
    credentials === undefined
  )
    return { refused: 'sign_in_not_valid' }
  const { personId } = credentials
  const hasCode = code !== undefined && code !== ''
  if (credentials.totpSince !== null && !hasCode) {
    await giveBack(db, [account, network])
    return { refused: 'totp_needed' }
  }
  return db.transaction(async (tx) => {
    const now = clock.now()
    const person = await findPerson(tx, personId)
    if (person === undefined) return { refused: 'sign_in_not_valid' }
    const by =
      credentials.totpSince === null
        ? 'password'
        : await spendCode(deps, tx, credentials, code ?? '')
    if (by === undefined) return { refused: 'totp_not_valid' }
    await forgive(tx, account, network)
    await notifyOfNewPlace(tx, now, personId, visitor.network)
    const session = await startSession(
      deps,
      tx,
      person,
      { ...where, network: visitor.network },
      now,
    )
    const caller = { is: 'person', personId, sessionId: '', network: visitor.network } as const
    await insertAudit(tx, caller, {
      at: now,
      action: 'person.sign_in',
      subject: personId,
      detail: { by },
    })
    return session
  })
}
