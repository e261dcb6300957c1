// Values sealed under the master key: only while the store uses that key, and read in slices for a
// rotation.
import type { MasterBox, SealPurpose } from '../../domain/sealed-box.ts'
import { type Queries, StoreUnavailable } from '../engine/database.ts'
import { columnsOf, isAnyRow, putRow } from '../rows.ts'
import { replaceFact } from '../service/service-facts.ts'

/** The fact by which a store recognises its master key. */
export const MASTER_KEY_CHECK = 'master_key_check'

export const isUnderMasterKey = (db: Queries, check: string) =>
  isAnyRow(db, 'select name from service_facts where name = :name and value = :check', {
    name: MASTER_KEY_CHECK,
    check,
  })

/**
 * Seals a value that this transaction writes. A process that opened the store before a rotation
 * still has the old key: what it seals could never be opened again, so it is refused. The row of
 * the check stays locked, so that a rotation waits for this transaction and reseals its value.
 */
export async function sealForStore(
  tx: Queries,
  box: MasterBox,
  text: string,
  place: string,
): Promise<string> {
  if (!(await replaceFact(tx, MASTER_KEY_CHECK, box.masterKeyCheck, box.masterKeyCheck))) {
    throw new StoreUnavailable(
      'The store is under another master key: this process must be started again with it.',
    )
  }
  return box.seal(text, place)
}

export interface SealedColumn {
  table: string
  /** The first column of the table's primary key. */
  owner: string
  /** Its last column: after the account, or the only one. */
  id: string
  column: string
  /** For which the key that seals it is derived. */
  purpose: SealPurpose
}

/** Every column that holds a sealed value. A new one is a line here. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...['secret_hash', 'old_secret_hash', 'signing_secret', 'old_signing_secret'].map(
    (column): SealedColumn => ({
      table: 'webhook_endpoints',
      owner: 'account_id',
      id: 'endpoint_id',
      column,
      purpose: 'webhook secrets',
    }),
  ),
  {
    table: 'api_keys',
    owner: 'account_id',
    id: 'key_id',
    column: 'order_key',
    purpose: 'order keys',
  },
  {
    table: 'kept_secrets',
    owner: 'account_id',
    id: 'subject',
    column: 'secret',
    purpose: 'sandbox secrets',
  },
  {
    table: 'people',
    owner: 'person_id',
    id: 'person_id',
    column: 'totp_secret',
    purpose: 'totp secrets',
  },
  {
    table: 'merchant_documents',
    owner: 'merchant_id',
    id: 'document_id',
    column: 'content_key',
    purpose: 'documents',
  },
  {
    table: 'merchant_connections',
    owner: 'account_id',
    id: 'connection_id',
    column: 'credentials',
    purpose: 'network credentials',
  },
  {
    table: 'money_changes',
    owner: 'account_id',
    id: 'change_id',
    column: 'credentials',
    purpose: 'network credentials',
  },
  {
    table: 'kept_files',
    owner: 'kept_id',
    id: 'kept_id',
    column: 'content_key',
    purpose: 'statement files',
  },
  {
    table: 'receipt_keys',
    owner: 'key_id',
    id: 'key_id',
    column: 'receipt_key',
    purpose: 'receipt codes',
  },
  {
    table: 'archives',
    owner: 'archive_id',
    id: 'archive_id',
    column: 'content_key',
    purpose: 'archives',
  },
]

export type SealedValue = { ownerId: string; id: string; sealed: string }

/** The values after a key, in the order of the primary key. */
export const listSealed = (
  tx: Queries,
  { table, owner, id, column }: SealedColumn,
  after: Pick<SealedValue, 'ownerId' | 'id'>,
  most: number,
): Promise<SealedValue[]> =>
  tx.read(
    `select ${owner} as "ownerId", ${id} as id, ${column} as sealed from ${table}
     where (${owner}, ${id}) > (:ownerId, :id) and ${column} is not null
     order by ${owner}, ${id} limit :most`,
    { ownerId: after.ownerId, id: after.id, most },
  )

export const writeSealed = (
  tx: Queries,
  { table, owner, id: name, column }: SealedColumn,
  { ownerId, id, sealed }: SealedValue,
) =>
  tx.change(`update ${table} set ${column} = :sealed where ${owner} = :ownerId and ${name} = :id`, {
    ownerId,
    id,
    sealed,
  })

// The keys that older API keys were hashed with, sealed. The newest is derived from the master key
// and not kept.

export type RetiredHashingKey = { generation: number; hashingKey: string; retiredAt: number }

const RETIRED = columnsOf<RetiredHashingKey>({
  generation: 'generation',
  hashingKey: 'hashing_key',
  retiredAt: 'retired_at',
})

/** Newest first. */
export const listRetiredHashingKeys = (db: Queries) =>
  db.read<RetiredHashingKey>(`select ${RETIRED} from retired_hashing_keys order by generation desc`)

/** Adds one, or reseals it. */
export const putRetiredHashingKey = (
  tx: Queries,
  { generation, hashingKey, retiredAt }: RetiredHashingKey,
) => putRow(tx, 'retired_hashing_keys', { generation }, { hashingKey }, { retiredAt })
