// Rate limits for secrets. A try is taken before the secret is checked, and given back when it was
// right, so concurrent tries in all processes count. Stored in the database, so that a restart does
// not reset them (ADR-0014).
import { WIDER_SHARES, widerNetworks } from '../../domain/limits/fair-shares.ts'
import {
  ACCOUNT_TRIES,
  afterTry,
  CONFIRMATION_TRIES,
  CONNECTION_TRIES,
  EMAIL_TRIES,
  INVITED_TRIES,
  INVITING_TRIES,
  NETWORK_TRIES,
  type TryLimit,
  WEBHOOK_TEST_TRIES,
} from '../../domain/limits/try-limit.ts'
import { hashOfToken } from '../../domain/people/person.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import type { Queries } from '../../store/engine/database.ts'
import {
  clearTries,
  findBlockedUntil,
  giveBackTry,
  lockTries,
  setTries,
} from '../../store/people/credentials.ts'
import type { Deps } from '../deps.ts'

interface Counted {
  name: string
  limit: TryLimit
  /** The same try in the larger networks around the caller's own. */
  wider?: readonly Counted[]
}

type TryDeps = Pick<Deps, 'db' | 'clock'>

/** Hashed: people type their passwords where their address belongs. */
export const accountTries = (email: string): Counted => ({
  name: hashOfToken(`account ${email}`),
  limit: ACCOUNT_TRIES,
})
export const networkTries = (network: string): Counted =>
  ofNetwork('network', network, NETWORK_TRIES)
/** Emails and new merchants: `purpose` tells the budgets apart. */
export const emailTries = (purpose: string, network: string): Counted =>
  ofNetwork(purpose, network, EMAIL_TRIES)

function ofNetwork(purpose: string, network: string, limit: TryLimit): Counted {
  const wider = widerNetworks(network).map((around, at) => ({
    name: hashOfToken(`${purpose} ${around}`),
    limit: { ...limit, free: limit.free * (WIDER_SHARES[at] as number) },
  }))
  return { name: hashOfToken(`${purpose} ${network}`), limit, wider }
}

const withWider = (counted: readonly Counted[]): Counted[] =>
  counted.flatMap((each) => [each, ...(each.wider ?? [])])

export const confirmationTries = (email: string): Counted => ({
  name: hashOfToken(`confirmation of ${email}`),
  limit: CONFIRMATION_TRIES,
})

export const connectionTries = (accountId: string): Counted => ({
  name: hashOfToken(`connection tests of ${accountId}`),
  limit: CONNECTION_TRIES,
})

export const webhookTestTries = (accountId: string): Counted => ({
  name: hashOfToken(`webhook tests of ${accountId}`),
  limit: WEBHOOK_TEST_TRIES,
})

/** Each new alias sends emails. */
export const aliasTries = (merchantId: string): Counted => ({
  name: hashOfToken(`aliases of ${merchantId}`),
  limit: CONNECTION_TRIES,
})

/**
 * Of an invitation that a merchant's person sends: none of these is given back when it is withdrawn
 * or repeated.
 */
export const invitationTries = (email: string, merchantId: string, network: string): Counted[] => [
  { name: hashOfToken(`invitation of ${email}`), limit: INVITED_TRIES },
  { name: hashOfToken(`invitation by ${merchantId}`), limit: INVITING_TRIES },
  ofNetwork('invitation', network, NETWORK_TRIES),
]

/**
 * Locks an address until the commit, so that of two people who confirm it at the same time one is
 * first.
 */
export async function lockAddress(tx: Queries, email: string): Promise<void> {
  await lockTries(tx, hashOfToken(`address ${email}`))
}

export async function takeTry(
  { db, clock }: TryDeps,
  counted: readonly Counted[],
): Promise<{ taken: true } | RefusedAs<'too_many_tries'>> {
  // In one order, or two callers at the same time could deadlock.
  const inOrder = withWider(counted).toSorted((one, other) => (one.name < other.name ? -1 : 1))
  // A blocked caller writes nothing: a flood of tries would fill the table.
  const names = inOrder.map(({ name }) => name)
  const blockedUntil = await findBlockedUntil(db, names)
  if (blockedUntil > clock.now()) return { refused: 'too_many_tries', until: blockedUntil }
  return db.transaction(async (tx) => {
    const now = clock.now()
    const found = []
    for (const each of inOrder) found.push({ ...each, tries: await lockTries(tx, each.name) })
    const until = Math.max(...found.map(({ tries }) => tries.blockedUntil))
    if (until > now) return { refused: 'too_many_tries', until }
    for (const { name, limit, tries } of found)
      await setTries(tx, name, afterTry(tries, now, limit))
    return { taken: true }
  })
}

/** The secret was right, but a second factor is missing: the try does not count. */
export async function giveBack(tx: Queries, counted: readonly Counted[]): Promise<void> {
  for (const { name } of withWider(counted)) await giveBackTry(tx, name)
}

/**
 * After a proven identity: the tries on the account are forgotten, those of the network are not.
 */
export async function forgive(tx: Queries, account: Counted, network: Counted): Promise<void> {
  await clearTries(tx, account.name)
  await giveBack(tx, [network])
}
