// Statements of FedaPay: it makes none, so its search of transactions and payouts is read page by
// page, and written in the columns of its own export. Nothing is kept between two calls: a day that
// was read half is read again.

import {
  type FetchPeriod,
  fetchFailure,
  READ_WITHIN_MS,
  StatementBrokeOff,
} from '../../../domain/books/statement-fetch.ts'
import type { Clock } from '../../../domain/clock-and-random.ts'
import { csvLine } from '../../../domain/texts/csv.ts'
import { LONGEST_EXTERNAL_REFERENCE, LONGEST_NOTE } from '../../../domain/texts/free-text.ts'
import { failureOf, type NetworkStatements } from '../../connector.ts'
import {
  type Answered,
  asObject,
  asText,
  type CallResult,
  type JsonObject,
} from '../../http-call.ts'
import { readList } from './translate.ts'

interface StatementDeps {
  /** Gets a page within its deadline; never throws. */
  get(path: string): Promise<CallResult>
  clock: Pick<Clock, 'now'>
  xofCurrencyId: number
}

const PER_PAGE = 100
const DAY_MS = 86_400_000

/** FedaPay may list a payment late: each day repeats the two before it. */
const REPEATED_DAYS = 2
const SEEN_LATE_MS = REPEATED_DAYS * DAY_MS
/** A transaction can be paid for a day, and refunded for longer. */
const LOOKS_BACK_MS = 31 * DAY_MS
/** At a hundred a page. A merchant with more in a month has refunds of the last days only. */
const MOST_PAGES = 500

/** There is nothing to ask for. */
const NO_REQUEST = 'search'

export const SEARCH_COLUMNS = [
  'type',
  'id',
  'reference',
  'merchant_reference',
  'description',
  'mode',
  'status',
  'amount',
  'approved_at',
  'refunded_at',
] as const

export function fedapayStatements(deps: StatementDeps): NetworkStatements {
  return {
    repeatedDays: REPEATED_DAYS,
    request: async () => ({ is: 'requested', requestId: NO_REQUEST }),
    open: async (_requestId, period) => ({ is: 'ready', content: written(deps, period) }),
  }
}

async function* written(deps: StatementDeps, period: FetchPeriod): AsyncGenerator<Uint8Array> {
  const { xofCurrencyId } = deps
  const readPage = pageReader(deps)
  const shown = { from: period.from - SEEN_LATE_MS, to: period.to }
  const isShown = (time: unknown): boolean => {
    const at = Date.parse(asText(time) ?? '')
    return at >= shown.from && at < shown.to
  }
  const isFrancs = ({ currency_id: id }: JsonObject): boolean =>
    id === undefined || id === xofCurrencyId
  yield Buffer.from(csvLine(SEARCH_COLUMNS))
  for await (const each of listed(readPage, 'transactions', shown.from))
    if (isFrancs(each) && (isShown(each.approved_at) || isShown(each.refunded_at)))
      yield Buffer.from(rowOf({ ...each, type: '' }))
  for await (const each of listed(readPage, 'payouts', shown.from))
    if (isFrancs(each) && isShown(each.sent_at))
      yield Buffer.from(
        rowOf({ ...each, type: 'payout', approved_at: each.sent_at, refunded_at: null }),
      )
}

/** A text that the reader of files would refuse must not keep a whole day out. */
const rowOf = (fields: JsonObject): string =>
  csvLine(
    SEARCH_COLUMNS.map((name) => {
      const text = (asText(fields[name]) ?? '').replace(/\p{Cc}/gu, ' ').toWellFormed()
      return text.slice(0, name === 'description' ? LONGEST_NOTE : LONGEST_EXTERNAL_REFERENCE)
    }),
  )

/**
 * Newest first, each once: rows shift to the next page while new ones are made. Ends at the last
 * page, or at rows that are too old if the list is in the order of time. A list that repeats a page
 * or stops before its last one has other rows that it does not show: nothing of it is used.
 */
async function* listed(
  readPage: PageReader,
  name: string,
  from: number,
): AsyncGenerator<JsonObject> {
  const seen = new Set<string>()
  let oldest = Number.POSITIVE_INFINITY
  let isInOrder = true
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { rows, isLast } = await readPage(name, page)
    const known = seen.size
    for (const row of rows) {
      const [id, createdAt] = [asText(row.id) ?? '', Date.parse(asText(row.created_at) ?? '')]
      if (seen.has(id)) continue
      seen.add(id)
      if (!(createdAt <= oldest)) isInOrder = false
      oldest = Math.min(oldest, createdAt)
      yield row
    }
    if (isLast || (isInOrder && oldest < from - LOOKS_BACK_MS)) return
    if (seen.size === known)
      throw new StatementBrokeOff(
        fetchFailure('answer_not_valid', `page ${page} of the ${name} has nothing new`),
      )
  }
  if (!isInOrder || !(oldest < from - DAY_MS))
    throw new StatementBrokeOff(
      fetchFailure('answer_not_valid', `more than ${MOST_PAGES * PER_PAGE} ${name}`),
    )
}

type PageReader = (name: string, page: number) => Promise<{ rows: JsonObject[]; isLast: boolean }>

/** All pages together have one deadline. */
function pageReader({ get, clock }: StatementDeps): PageReader {
  const until = clock.now() + READ_WITHIN_MS
  return async (name, page) => {
    if (clock.now() >= until)
      throw new StatementBrokeOff(fetchFailure('download_failed', 'it took too long'))
    const result = await get(`/v1/${name}/search?page=${page}&per_page=${PER_PAGE}`)
    const rows = 'code' in result && result.code === 200 ? readList(result.body, name) : undefined
    if (rows === undefined) throw new StatementBrokeOff(failureOf(result))
    const { total_pages: pages } = asObject(asObject((result as Answered).body)?.meta) ?? {}
    const isLast = Number.isSafeInteger(pages) ? page >= (pages as number) : rows.length === 0
    return { rows, isLast }
  }
}
