// Secrets of the sandbox stay readable to the owners and developers of its merchant until one of
// them says that they have it: a new merchant leaves the page for the mailbox before anything is
// copied. A live secret is shown once (D-192).

import type { Environment } from '../../domain/environment.ts'
import type { AccountCaller, MerchantPerson } from '../../domain/people/caller.ts'
import { mayInAccount } from '../../domain/people/role.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import type { MasterBox } from '../../domain/sealed-box.ts'
import type { Queries } from '../../store/engine/database.ts'
import {
  insertKeptSecret,
  listKeptSecrets as listSealedSecrets,
  removeKeptSecret,
} from '../../store/keys/kept-secrets.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import type { Deps } from '../deps.ts'
import { openSigningSecret } from '../webhooks/endpoints.ts'

export type KeepSecretDeps = Pick<Deps, 'clock' | 'keptSecrets'>

const placeOf = (subject: string): string => `${subject} secret`

type NewSecret = {
  accountId: string
  environment: Environment
  keyId: string
  key: string
}

/** A secret key that a person of the merchant made. */
export async function keepSandboxKey(
  { clock, keptSecrets }: KeepSecretDeps,
  tx: Queries,
  { accountId, environment, keyId, key }: NewSecret,
): Promise<void> {
  if (environment !== 'sandbox') return
  const secret = await sealForStore(tx, keptSecrets, key, placeOf(keyId))
  await insertKeptSecret(tx, { accountId, subject: keyId, secret, madeAt: clock.now() })
}

export interface ShownSecret {
  subject: string
  of: 'key' | 'endpoint'
  /** The name of the key, or the address of the endpoint. */
  name: string | null
  secret: string
  madeAt: number
}

type ListDeps = Pick<Deps, 'db' | 'clock' | 'keptSecrets'> & { box: MasterBox }

export async function listKeptSecrets(
  { db, clock, keptSecrets, box }: ListDeps,
  caller: AccountCaller,
): Promise<{ rows: ShownSecret[] } | RefusedAs<'caller_not_allowed'>> {
  if (!mayReadSecrets(caller)) return { refused: 'caller_not_allowed' }
  if (caller.environment === 'live') return { rows: [] }
  const found = await listSealedSecrets(db, caller, clock.now())
  return {
    rows: found.flatMap(
      ({ subject, secret, signingSecret, keyName, url, madeAt }): ShownSecret[] => {
        if (signingSecret !== null) {
          const opened = openSigningSecret(box, subject, signingSecret)
          return [{ subject, of: 'endpoint', name: url, secret: opened, madeAt }]
        }
        if (secret === null) return []
        return [
          {
            subject,
            of: 'key',
            name: keyName,
            secret: keptSecrets.open(secret, placeOf(subject)),
            madeAt,
          },
        ]
      },
    ),
  }
}

/** From now on nobody can read it. */
export async function acknowledgeSecret(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { subject }: { subject: string },
): Promise<{ acknowledged: true } | RefusedAs<'caller_not_allowed' | 'secret_not_found'>> {
  if (!mayReadSecrets(caller)) return { refused: 'caller_not_allowed' }
  const isRemoved = await removeKeptSecret(db, caller.accountId, subject)
  return isRemoved ? { acknowledged: true } : { refused: 'secret_not_found' }
}

const mayReadSecrets = (caller: AccountCaller): caller is MerchantPerson =>
  caller.is === 'merchant_person' && mayInAccount(caller.role, 'manageKeys')
