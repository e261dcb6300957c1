// Secrets of the sandbox that no one has acknowledged yet.
import type { Queries } from '../engine/database.ts'
import { columnsOf, deleteRows, insertRow } from '../rows.ts'

export interface KeptSecret {
  accountId: string
  /** An API key or a webhook endpoint. */
  subject: string
  /** Sealed; null for an endpoint, which has its secret itself. */
  secret: string | null
  madeAt: number
}

export interface FoundSecret extends KeptSecret {
  keyName: string | null
  /** Of a webhook endpoint; null for a key. */
  url: string | null
  signingSecret: string | null
}

export const insertKeptSecret = (tx: Queries, secret: KeptSecret): Promise<void> =>
  insertRow(tx, 'kept_secrets', { ...secret })

const FOUND = columnsOf<FoundSecret>({
  accountId: 'k.account_id',
  subject: 'k.subject',
  secret: 'k.secret',
  madeAt: 'k.made_at',
  keyName: 'a.name',
  url: 'e.url',
  signingSecret: 'e.signing_secret',
})

/** Of keys that are valid and endpoints that are there, oldest first. */
export const listKeptSecrets = (db: Queries, { accountId }: { accountId: string }, now: number) =>
  db.read<FoundSecret>(
    `select ${FOUND} from kept_secrets k
     left join api_keys a on a.account_id = k.account_id and a.key_id = k.subject
     left join webhook_endpoints e on e.account_id = k.account_id and e.endpoint_id = k.subject
     where k.account_id = :accountId
       and (e.endpoint_id is not null
         or (a.key_id is not null and (a.expires_at is null or a.expires_at > :now)))
     order by k.made_at, k.subject`,
    { accountId, now },
  )

/** False when there was none. */
export const removeKeptSecret = async (
  tx: Queries,
  accountId: string,
  subject: string,
): Promise<boolean> => (await deleteRows(tx, 'kept_secrets', { accountId, subject })) === 1

/** Of keys that are valid no longer. */
export const removeSecretsOfEndedKeys = (tx: Queries, accountId: string, now: number) =>
  tx.change(
    `delete from kept_secrets where account_id = :accountId and subject in (
       select key_id from api_keys where account_id = :accountId and expires_at <= :now)`,
    { accountId, now },
  )
