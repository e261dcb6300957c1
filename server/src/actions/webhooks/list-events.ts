// The latest events of an account, newest first: the feed as people look at it.
import type { MerchantCaller } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { type ListedEvent, listLatestEvents } from '../../store/webhooks/events.ts'

export async function listNewestEvents(
  { db }: { db: Database },
  { accountId }: MerchantCaller,
  input: PageInput,
): Promise<Page<ListedEvent> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(input, ['number'], [Number.MAX_SAFE_INTEGER])
  if (isRefused(wanted)) return wanted
  const found = await listLatestEvents(db, accountId, wanted.cursor[0], wanted.limit + 1)
  return pageOf(found, wanted.limit, ({ sequence }) => [sequence])
}
