// A merchant's first page and its payments: list, search, file, one payment, refund.
import { z } from 'zod'
import { readHome } from '../actions/figures/read-home.ts'
import { type SearchPaymentsInput, searchPayments } from '../actions/payments/list-payments.ts'
import { refundPayment } from '../actions/payments/refund-payment.ts'
import { showPaymentPage } from '../actions/payments/show-payment.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import { CSV_START } from '../domain/csv.ts'
import { STATUSES } from '../domain/payment-status.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { MERCHANT_RIGHTS } from '../domain/role.ts'
import { sendDoorError } from './answer.ts'
import type { DashboardDeps } from './deps.ts'
import { sendPaced } from './paced-csv.ts'
import { csvHeadings, paymentCsvLine, paymentPageBody, paymentRow, refundBody } from './payment-views.ts'
import { optional, PAGE_FIELDS, time, wholeNumber } from './query-fields.ts'
import { defineRoute } from './route.ts'
import type { HomeBody, LanguageName, PageOf, PaymentBody, PaymentRow, RefundBody } from './shapes.ts'

const MOST_DAYS = 366
const LARGEST_AMOUNT = Number.MAX_SAFE_INTEGER
/** Few enough for some 2 ms of the event loop. */
const CSV_ROWS_AT_ONCE = 100

const FILTERS = {
  search: optional(z.string().max(200)),
  status: optional(z.enum(STATUSES)),
  operator: optional(z.string().max(40)),
  from: optional(time(0)),
  to: optional(time(1)),
  minimum: optional(wholeNumber(0, LARGEST_AMOUNT)),
  maximum: optional(wholeNumber(0, LARGEST_AMOUNT)),
}
const ListInput = z.object({ ...FILTERS, ...PAGE_FIELDS })
const FileInput = z.object({ ...FILTERS, language: z.enum(['fr', 'en']).default('fr') })
const PaymentName = z.object({ reference: z.string() })

type Filters = Omit<z.output<typeof FileInput>, 'language'>

const filterOf = ({ minimum, maximum, ...filter }: Filters): SearchPaymentsInput => ({
  ...filter,
  minimumXof: minimum,
  maximumXof: maximum,
})

export const paymentRoutes = [
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/home',
    roles: MERCHANT_RIGHTS.read,
    input: z.object({ days: wholeNumber(1, MOST_DAYS).default(30) }),
    handle: (deps, caller, { days }): Promise<HomeBody | Refused> => readHome(deps, caller, { days }),
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/payments',
    roles: MERCHANT_RIGHTS.read,
    input: ListInput,
    handle: async (deps, caller, { after, limit, ...filters }): Promise<PageOf<PaymentRow> | Refused> => {
      const page = await searchPayments(deps, caller, { after, limit, ...filterOf(filters) })
      return isRefused(page) ? page : { rows: page.rows.map(paymentRow), next: page.next ?? null }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/payments.csv',
    roles: MERCHANT_RIGHTS.read,
    input: FileInput,
    handle: async (deps, caller, { language, ...filters }, { reply }) => {
      const release = await deps.takeExport(caller)
      if (release === 'own') return sendDoorError(reply, 'export_under_way')
      if (release === 'shared') return sendDoorError(reply, 'too_many_exports')
      reply.headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="payments-${caller.environment}.csv"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      return sendPaced(reply, deps.clock, csvOf(deps, caller, filterOf(filters), language), release)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/payments/:reference',
    roles: MERCHANT_RIGHTS.read,
    input: PaymentName,
    handle: (deps, caller, { reference }): Promise<PaymentBody | Refused> => readPage(deps, caller, reference),
  }),
  defineRoute({
    method: 'POST',
    path: '/accounts/:accountId/payments/:reference/refund',
    roles: MERCHANT_RIGHTS.refund,
    input: PaymentName,
    handle: async (deps, caller, { reference: name }): Promise<RefundBody | Refused> => {
      const asked = await refundPayment(deps, caller, { name })
      if (isRefused(asked)) return asked
      const page = await showPaymentPage(deps, caller, { name })
      return isRefused(page) ? page : (refundBody(page) as RefundBody)
    },
  }),
]

async function readPage(deps: DashboardDeps, caller: MerchantPerson, name: string): Promise<PaymentBody | Refused> {
  const page = await showPaymentPage(deps, caller, { name })
  return isRefused(page) ? page : paymentPageBody(page, caller, deps.pageUrl)
}

/** A page at a time: memory holds one. */
async function* csvOf(
  deps: DashboardDeps,
  caller: MerchantPerson,
  filter: SearchPaymentsInput,
  language: LanguageName,
): AsyncGenerator<string> {
  let start = CSV_START + csvHeadings(language)
  let after: string | undefined
  do {
    const page = await searchPayments(deps, caller, { ...filter, after, limit: CSV_ROWS_AT_ONCE })
    // Without this, half a file would look like a whole one.
    if (isRefused(page)) throw new Error(`an export was refused in the middle: ${page.refused}`)
    yield start + page.rows.map((row) => paymentCsvLine(row, language)).join('')
    start = ''
    after = page.next
  } while (after !== undefined)
}
