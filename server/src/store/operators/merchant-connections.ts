// Connections of merchants. Each change takes the next number of one counter, whose row stays
// locked until the commit: a process that reads the rows after the last number that it has seen
// misses none.

import type { Environment } from '../../domain/environment.ts'
import type {
  MerchantConnection,
  MerchantConnectionState,
  SealedConnection,
} from '../../domain/merchants/merchant-connection.ts'
import type { Scope } from '../../domain/people/caller.ts'
import type { Queries } from '../engine/database.ts'
import {
  columnsOf,
  firstRow,
  firstValue,
  inScope,
  insertRow,
  listOf,
  ofTable,
  padded,
  scopeValues,
  updateOne,
} from '../rows.ts'
import { takeNumbers } from '../service/service-facts.ts'

const FIELDS = {
  accountId: 'account_id',
  connectionId: 'connection_id',
  environment: 'environment',
  connector: 'connector',
  label: 'label',
  serves: 'serves',
  credentialsAt: 'credentials_at',
  state: 'state',
  createdAt: 'created_at',
  createdBy: 'created_by',
}
const CONNECTION = columnsOf<MerchantConnection>(FIELDS)
const SEALED = columnsOf<SealedConnection>({
  ...FIELDS,
  credentials: 'credentials',
  version: 'version',
})

const COUNTER = 'merchant_connections'

/** Also locks the counter until the commit. Numbers begin at 1: processes have seen 0. */
const nextVersion = async (tx: Queries): Promise<number> => (await takeNumbers(tx, COUNTER, 1)) + 1

export async function insertMerchantConnection(
  tx: Queries,
  row: Omit<SealedConnection, 'version'>,
): Promise<void> {
  await insertRow(tx, 'merchant_connections', { ...row, version: await nextVersion(tx) })
}

/** False when it has another state by now. */
export const setConnectionState = async (
  tx: Queries,
  {
    accountId,
    connectionId,
    state,
  }: Pick<MerchantConnection, 'accountId' | 'connectionId' | 'state'>,
  to: MerchantConnectionState,
): Promise<boolean> =>
  updateOne(
    tx,
    'merchant_connections',
    { accountId, connectionId, state },
    { state: to, version: await nextVersion(tx) },
  )

/** False when it was removed meanwhile. */
export const setConnectionCredentials = async (
  tx: Queries,
  { accountId, connectionId }: Pick<MerchantConnection, 'accountId' | 'connectionId'>,
  credentials: string,
  credentialsAt: number,
): Promise<boolean> => {
  const values = { credentials, credentialsAt, version: await nextVersion(tx) }
  return updateOne(
    tx,
    'merchant_connections',
    { accountId, connectionId },
    values,
    "state <> 'removed'",
  )
}

/** Oldest first, removed ones too. */
export const listMerchantConnections = (db: Queries, scope: Scope) =>
  db.read<MerchantConnection>(
    `select ${CONNECTION} from merchant_connections where 1 = 1${inScope(scope)}
      order by created_at, connection_id`,
    scopeValues(scope),
  )

/** By their ids; also of removed ones, whose payments stay in the books. */
export async function labelsOfConnections(
  db: Queries,
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const wanted = listOf('connectionId', padded(ids))
  const rows = await db.read<Pick<MerchantConnection, 'connectionId' | 'label'>>(
    `select connection_id as "connectionId", label from merchant_connections
     where connection_id in (${wanted.places})${inScope(scope)}`,
    { ...wanted.values, ...scopeValues(scope) },
  )
  return new Map(rows.map(({ connectionId, label }) => [connectionId, label]))
}

export interface NamedConnection extends MerchantConnection {
  merchantName: string
}

const NAMED = columnsOf<NamedConnection>({ ...ofTable('c', FIELDS), merchantName: 'm.name' })

/** Of every account, with the names of their merchants; oldest first, removed ones too. */
export const listNamedConnections = (db: Queries) =>
  db.read<NamedConnection>(
    `select ${NAMED} from merchant_connections c join accounts a on a.account_id = c.account_id
     join merchants m on m.merchant_id = a.merchant_id order by c.created_at, c.connection_id`,
  )

export const findMerchantConnection = (db: Queries, scope: Scope, connectionId: string) =>
  firstRow<SealedConnection>(
    db,
    `select ${SEALED} from merchant_connections
     where connection_id = :connectionId${inScope(scope)}`,
    { connectionId, ...scopeValues(scope) },
  )

/** Of every account: those that were changed after the one with this number. */
export const listChangedConnections = (db: Queries, after: number) =>
  db.read<SealedConnection>(
    `select ${SEALED} from merchant_connections where version > :after order by version`,
    { after },
  )

/** How many merchants may take payments in an environment. */
export const countValidatedAccounts = async (
  db: Queries,
  environment: Environment,
): Promise<number> => {
  const sql = `select count(*) from accounts
    where environment = :environment and status = 'validated'`
  return (await firstValue<number>(db, sql, { environment })) ?? 0
}

export type ServedAccount = Pick<MerchantConnection, 'accountId' | 'serves'>

/** The validated accounts with connections of their own that are not removed. */
export const listServedAccounts = (db: Queries, environment: Environment) =>
  db.read<ServedAccount>(
    `select c.account_id as "accountId", c.serves as "serves" from merchant_connections c
     join accounts a on a.account_id = c.account_id
     where c.environment = :environment and c.state <> 'removed' and a.status = 'validated'`,
    { environment },
  )
