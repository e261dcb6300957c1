// Webhook endpoints, oldest first, without their secrets.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { ListedEndpoint } from '../../domain/webhook-endpoint.ts'
import type { Database } from '../../store/engine/database.ts'
import { listEndpointsAfter } from '../../store/webhooks/endpoints.ts'
import { findActingAccount } from '../merchants/acting-account.ts'

export interface ListEndpointsInput extends PageInput {
  /** For callers of the service: the account to list; without it, the endpoints of all accounts. */
  accountId?: string | undefined
}

export async function listOldestEndpoints(
  { db }: { db: Database },
  caller: AccountCaller,
  { accountId, ...page }: ListEndpointsInput,
): Promise<Page<ListedEndpoint> | RefusedAs<'account_not_found' | 'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(page, ['number', 'text'], [0, ''])
  if (isRefused(wanted)) return wanted
  const scope = accountId === undefined ? scopeOf(caller) : await findActingAccount(db, caller, accountId)
  if ('refused' in scope) return scope
  const [createdAt, endpointId] = wanted.cursor
  const found = await listEndpointsAfter(db, scope, { createdAt, endpointId }, wanted.limit + 1)
  return pageOf(found, wanted.limit, (endpoint) => [endpoint.createdAt, endpoint.endpointId])
}
