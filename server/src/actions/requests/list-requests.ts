// Recent API requests of an account's servers, newest first.

import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import type { MerchantCaller } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import {
  type LoggedRequest,
  listRequests,
  type RequestFilter,
} from '../../store/requests/request-log.ts'
import type { Deps } from '../deps.ts'

export interface ListRequestsInput extends PageInput, RequestFilter {}

const MOST_LOOKED_AT = 5_000

export async function listLatestRequests(
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantCaller,
  { method, hundred, ...page }: ListRequestsInput,
): Promise<Page<LoggedRequest> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(page, ['number', 'text'], [Number.MAX_SAFE_INTEGER, ''])
  if (isRefused(wanted)) return wanted
  const [at, requestId] = wanted.cursor
  const bounds = { most: wanted.limit + 1, lookedAt: MOST_LOOKED_AT }
  const found = await listRequests(db, accountId, { at, requestId }, { method, hundred }, bounds)
  return pageOf(found, wanted.limit, (request) => [request.at, request.requestId])
}
