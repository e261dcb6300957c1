// Turns TOTP on and off. It counts once a code has shown that the app has the secret; turning it off wants the password and a code.
import type { Person } from '../../domain/caller.ts'
import { shownEmail } from '../../domain/person.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import { type Credentials, findCredentials, replaceRecoveryCodes, setTotp } from '../../store/people/credentials.ts'
import { findPerson, lockPerson } from '../../store/people/people.ts'
import { accountTries, forgive, networkTries, takeTry } from './limited-tries.ts'
import { type PeopleDeps, totpPlace } from './people-deps.ts'
import { spendCode } from './sign-in.ts'
import { hashOfRecoveryCode, makeRecoveryCodes, makeTotpSecret, stepOfCode, totpUri } from './totp-code.ts'

export async function beginTotp(
  { db, random, totpSecrets }: PeopleDeps,
  { personId }: Person,
): Promise<{ secret: string; uri: string } | Refused> {
  return db.transaction(async (tx) => {
    const person = await findPerson(tx, personId)
    if (person === undefined) return { refused: 'signed_out' }
    if (person.totpSince !== null) return { refused: 'totp_is_on' }
    const secret = makeTotpSecret(random)
    const sealed = await sealForStore(tx, totpSecrets, secret, totpPlace(personId))
    await setTotp(tx, personId, { secret: sealed, since: null, step: 0 })
    return { secret, uri: totpUri(secret, shownEmail(person)) }
  })
}

/** Returns the recovery codes, which are shown this once. */
export async function confirmTotp(
  deps: PeopleDeps,
  caller: Person,
  { code }: { code: string },
): Promise<{ recoveryCodes: string[] } | Refused> {
  const { db, clock, totpSecrets } = deps
  const { personId } = caller
  const tried = await tryOf(deps, caller)
  if (isRefused(tried)) return tried
  return db.transaction(async (tx): Promise<{ recoveryCodes: string[] } | Refused> => {
    await lockPerson(tx, personId)
    const { totpSecret, totpSince } = (await findCredentials(tx, personId)) as Credentials
    if (totpSince !== null) return { refused: 'totp_is_on' }
    if (totpSecret === null) return { refused: 'totp_is_off' }
    const at = clock.now()
    const step = stepOfCode(totpSecrets.open(totpSecret, totpPlace(personId)), code.replace(/\s/g, ''), at)
    if (step === undefined) return { refused: 'totp_not_valid' }
    await tried.wasRight(tx)
    await setTotp(tx, personId, { secret: totpSecret, since: at, step })
    const recoveryCodes = await newRecoveryCodes(deps, tx, personId)
    const record = { at, action: 'person.totp_on', subject: personId, accountId: null, detail: {} }
    await insertAudit(tx, caller, record)
    return { recoveryCodes }
  })
}

/** New recovery codes; those before work no longer. */
export async function renewRecoveryCodes(
  deps: PeopleDeps,
  caller: Person,
  { code }: { code: string },
): Promise<{ recoveryCodes: string[] } | Refused> {
  return withCode(deps, caller, code, async (tx, at) => {
    const recoveryCodes = await newRecoveryCodes(deps, tx, caller.personId)
    const record = { at, action: 'person.recovery_codes', subject: caller.personId, accountId: null, detail: {} }
    await insertAudit(tx, caller, record)
    return { recoveryCodes }
  })
}

export async function removeTotp(
  deps: PeopleDeps,
  caller: Person,
  { password, code }: { password: string; code: string },
): Promise<{ removed: true } | Refused> {
  const { personId } = caller
  const credentials = await findCredentials(deps.db, personId)
  return withCode(
    deps,
    caller,
    code,
    async (tx, at) => {
      await setTotp(tx, personId, { secret: null, since: null, step: 0 })
      await replaceRecoveryCodes(tx, personId, [])
      const record = { at, action: 'person.totp_off', subject: personId, accountId: null, detail: {} }
      await insertAudit(tx, caller, record)
      return { removed: true }
    },
    () => deps.passwords.verify(password, credentials?.passwordHash, caller.network),
  )
}

/** Work for somebody who has just shown a code, which counts as a try until it was right. */
async function withCode<T extends object>(
  deps: PeopleDeps,
  caller: Person,
  code: string,
  work: (tx: Queries, at: number) => Promise<T>,
  isPasswordRight: () => Promise<boolean> = async () => true,
): Promise<T | Refused> {
  const tried = await tryOf(deps, caller)
  if (isRefused(tried)) return tried
  if (!(await isPasswordRight())) return { refused: 'sign_in_not_valid' }
  return deps.db.transaction(async (tx): Promise<T | Refused> => {
    await lockPerson(tx, caller.personId)
    const credentials = (await findCredentials(tx, caller.personId)) as Credentials
    if (credentials.totpSince === null) return { refused: 'totp_is_off' }
    if ((await spendCode(deps, tx, credentials, code)) === undefined) return { refused: 'totp_not_valid' }
    await tried.wasRight(tx)
    return work(tx, deps.clock.now())
  })
}

async function tryOf(
  deps: PeopleDeps,
  { personId, network }: Person,
): Promise<{ wasRight(tx: Queries): Promise<void> } | Refused> {
  const person = await findPerson(deps.db, personId)
  if (person === undefined) return { refused: 'signed_out' }
  const [account, from] = [accountTries(person.email), networkTries(network)]
  const mayTry = await takeTry(deps, [account, from])
  return isRefused(mayTry) ? mayTry : { wasRight: (tx) => forgive(tx, account, from) }
}

async function newRecoveryCodes({ random }: PeopleDeps, tx: Queries, personId: string): Promise<string[]> {
  const codes = makeRecoveryCodes(random)
  await replaceRecoveryCodes(
    tx,
    personId,
    codes.map((code) => hashOfRecoveryCode(code) as string),
  )
  return codes
}
