// Recent API requests of merchants' servers: for their developers, kept for some days only.
import type { Database, Queries } from '../engine/database.ts'
import { columnsOf, insertTexts } from '../rows.ts'

export interface LoggedRequest {
  accountId: string
  at: number
  requestId: string
  method: string
  path: string
  status: number
  errorCode: string | null
  keyId: string
  milliseconds: number
}

const INSERT = insertTexts(
  'request_log',
  {
    account_id: 'text',
    at: 'bigint',
    request_id: 'text',
    method: 'text',
    path: 'text',
    status: 'bigint',
    error_code: 'text',
    key_id: 'text',
    milliseconds: 'bigint',
  },
  'on conflict do nothing',
)

export async function insertRequests(
  db: Database,
  requests: readonly LoggedRequest[],
): Promise<void> {
  const rows = requests.map(
    ({ accountId, at, requestId, method, path, status, errorCode, keyId, milliseconds }) => ({
      accountId,
      at,
      requestId,
      method,
      path,
      status,
      errorCode,
      keyId,
      milliseconds,
    }),
  )
  await db.transaction((tx) => tx.many(INSERT, rows))
}

export interface RequestFilter {
  method?: string | undefined
  /** 4 for all from 400 to 499. */
  hundred?: number | undefined
}

const REQUEST = columnsOf<LoggedRequest>({
  accountId: 'account_id',
  at: 'at',
  requestId: 'request_id',
  method: 'method',
  path: 'path',
  status: 'status',
  errorCode: 'error_code',
  keyId: 'key_id',
  milliseconds: 'milliseconds',
})

/** Newest first among the `lookedAt` before a cursor, so that a rare filter has an end. */
export const listRequests = (
  db: Queries,
  accountId: string,
  before: { at: number; requestId: string },
  { method = '', hundred = 0 }: RequestFilter,
  { most, lookedAt }: { most: number; lookedAt: number },
) =>
  db.read<LoggedRequest>(
    `select * from (select ${REQUEST} from request_log
       where account_id = :accountId and (at, request_id) < (:at, :requestId)
       order by at desc, request_id desc limit :lookedAt) as latest
     where (:method = '' or method = :method) and (:hundred = 0 or status / 100 = :hundred)
     order by at desc, "requestId" desc limit :most`,
    { accountId, at: before.at, requestId: before.requestId, method, hundred, most, lookedAt },
  )
