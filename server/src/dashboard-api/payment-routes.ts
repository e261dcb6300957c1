// A merchant's home page and its payments: list, search, CSV export, one payment, refund.
import { z } from 'zod'
import { readHome } from '../actions/figures/read-home.ts'
import { type FoundPayment, type SearchPaymentsInput, searchPayments } from '../actions/payments/list-payments.ts'
import { type PaymentPage, type RefundState, showPaymentPage } from '../actions/payments/read-payment.ts'
import { refundPayment } from '../actions/payments/refund-payment.ts'
import { localTimeText } from '../domain/business-day.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import { operatorName } from '../domain/country.ts'
import { CSV_START, csvLine } from '../domain/csv.ts'
import { type ListedPayment, orderReferenceOf } from '../domain/payment.ts'
import { type PaymentStatus, STATUSES } from '../domain/payment-status.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { MERCHANT_RIGHTS } from '../domain/role.ts'
import { type Delivery, deliveryName } from '../domain/webhook-event.ts'
import { sendDownload } from '../http/send-paced.ts'
import { sendDoorError } from './answer.ts'
import { accountRoute, type DashboardDeps, optional, PAGE_FIELDS, pageOf, time, wholeNumber } from './route.ts'
import type { DeliveryRow, HomeBody, LanguageName, PageOf, PaymentBody, PaymentRow, RefundBody } from './shapes.ts'

const MOST_DAYS = 366
const LARGEST_AMOUNT = Number.MAX_SAFE_INTEGER
/** About 2 ms of the event loop. */
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
  accountRoute(
    'GET /home',
    'read',
    z.object({ days: wholeNumber(1, MOST_DAYS).default(30) }),
    (deps, caller, { days }): Promise<HomeBody | Refused> => readHome(deps, caller, { days }),
  ),
  accountRoute(
    'GET /payments',
    'read',
    ListInput,
    async (deps, caller, { after, limit, ...filters }): Promise<PageOf<PaymentRow> | Refused> => {
      return pageOf(await searchPayments(deps, caller, { after, limit, ...filterOf(filters) }), paymentRow)
    },
  ),
  accountRoute('GET /payments.csv', 'read', FileInput, async (deps, caller, { language, ...filters }, { reply }) => {
    const release = await deps.takeExport(caller)
    if (release === 'own') return sendDoorError(reply, 'export_under_way')
    if (release === 'shared') return sendDoorError(reply, 'too_many_exports')
    const file = {
      contentType: 'text/csv; charset=utf-8',
      fileName: `payments-${caller.environment}.csv`,
      content: csvOf(deps, caller, filterOf(filters), language),
    }
    return sendDownload(reply, deps.clock, file, release)
  }),
  accountRoute(
    'GET /payments/:reference',
    'read',
    PaymentName,
    (deps, caller, { reference }): Promise<PaymentBody | Refused> => readPage(deps, caller, reference),
  ),
  accountRoute(
    'POST /payments/:reference/refund',
    'refund',
    PaymentName,
    async (deps, caller, { reference: name }): Promise<RefundBody | Refused> => {
      const requested = await refundPayment(deps, caller, { name })
      return isRefused(requested) ? requested : (refundBody(requested, requested.amountXof) as RefundBody)
    },
  ),
]

/** Page by page: memory holds one page. */
async function* csvOf(
  deps: DashboardDeps,
  caller: MerchantPerson,
  filter: SearchPaymentsInput,
  language: LanguageName,
): AsyncGenerator<string> {
  let start = CSV_START + csvLine(CSV_HEADINGS[language])
  let after: string | undefined
  do {
    const page = await searchPayments(deps, caller, { ...filter, after, limit: CSV_ROWS_AT_ONCE })
    // Without this, a cut file would look complete.
    if (isRefused(page)) throw new Error(`an export was refused in the middle: ${page.refused}`)
    yield start + page.rows.map((row) => paymentCsvLine(row, language)).join('')
    start = ''
    after = page.next
  } while (after !== undefined)
}

type ViewedPayment = ListedPayment & Partial<FoundPayment>

const paymentRow = (payment: ViewedPayment): PaymentRow => ({
  reference: payment.reference,
  publicReference: payment.publicReference,
  transactionId: payment.externalReference,
  amount: payment.amountXof,
  status: payment.status,
  operator: payment.operator,
  operatorName: payment.operator === null ? null : operatorName(payment.operator),
  msisdn: payment.msisdnWritten,
  payerName: payment.customerName,
  createdAt: payment.createdAt,
  finalAt: payment.endedAt ?? payment.validatedAt,
})

export const deliveryRow = (delivery: Delivery): DeliveryRow => ({
  deliveryId: deliveryName(delivery),
  endpointId: delivery.endpointId,
  url: delivery.url ?? '',
  event: delivery.event,
  paymentReference: delivery.paymentReference,
  state: delivery.status,
  attempts: delivery.attempts,
  lastStatus: delivery.lastStatusCode,
  lastError: delivery.lastError,
  createdAt: delivery.createdAt,
  nextAttemptAt: delivery.dueAt,
})

/** Before the approval there is a request and no refund. */
function refundBody({ refund, approval }: RefundState, amount: number): RefundBody | null {
  const asked = approval === undefined ? null : { askedBy: approval.askedBy, state: approval.state }
  if (refund === undefined) {
    if (approval === undefined) return null
    const { askedAt: createdAt, state: status } = approval
    return { reference: '', amount, status, createdAt, approval: asked }
  }
  return {
    reference: refund.refundReference,
    amount,
    status: refund.status === 'pending' && refund.byHandSince !== null ? 'by_hand' : refund.status,
    createdAt: refund.createdAt,
    approval: asked,
  }
}

async function readPage(deps: DashboardDeps, caller: MerchantPerson, name: string): Promise<PaymentBody | Refused> {
  const page = await showPaymentPage(deps, caller, { name })
  if (isRefused(page)) return page
  const { row, story, deliveries, refund, approval } = page
  const isAsked = (refund !== undefined && refund.status !== 'failed') || approval?.state === 'waiting'
  const isRefundable = row.status === 'succeeded' && !isAsked
  const isPaid = row.status === 'succeeded' || row.status === 'refunded'
  const ended = story.findLast(({ kind, detail }) => kind === 'moved' && detail.to === row.status)
  return {
    ...paymentRow(row),
    finalAt: row.status === 'pending' || row.status === 'initiated' ? null : (ended?.at ?? row.validatedAt),
    failureReason: row.failureReason,
    operatorReference: row.operatorReference,
    linkReference: row.linkReference,
    orderReference: orderReferenceOf(row),
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    receiptUrl: isPaid && row.linkReference !== null ? deps.pageUrl(row.linkReference) : null,
    timeline: [
      { at: row.createdAt, kind: 'recorded', facts: {} },
      ...timelineOf(story, { hasPhone: row.msisdnWritten !== null }),
    ],
    deliveries: deliveries.map(deliveryRow),
    refund: refundBody(page, row.amountXof),
    mayRefund: isRefundable && (MERCHANT_RIGHTS.refund as readonly string[]).includes(caller.role),
  }
}

const CSV_HEADINGS: Readonly<Record<LanguageName, readonly string[]>> = {
  fr: [
    ...['Date', 'Référence client', 'Référence Karba', 'Votre référence', 'État', 'Montant (F CFA)', 'Opérateur'],
    ...['Numéro', 'Nom', 'Validé le', 'Raison', 'Référence opérateur'],
  ],
  en: [
    ...['Date', 'Customer’s reference', 'Karba reference', 'Your reference', 'State', 'Amount (F CFA)', 'Operator'],
    ...['Number', 'Name', 'Validated', 'Reason', 'Operator’s reference'],
  ],
}

const CSV_STATES: Readonly<Record<LanguageName, Record<PaymentStatus, string>>> = {
  fr: {
    ...{ initiated: 'Lien ouvert', pending: 'En attente', succeeded: 'Réussi' },
    ...{ failed: 'Échoué', refunded: 'Remboursé' },
  },
  en: {
    ...{ initiated: 'Link open', pending: 'Pending', succeeded: 'Succeeded' },
    ...{ failed: 'Failed', refunded: 'Refunded' },
  },
}

const paymentCsvLine = (payment: ViewedPayment, language: LanguageName): string =>
  csvLine([
    localTimeText(payment.createdAt),
    payment.publicReference,
    payment.reference,
    payment.externalReference,
    CSV_STATES[language][payment.status],
    payment.amountXof,
    payment.operator === null ? null : operatorName(payment.operator),
    payment.msisdnWritten,
    payment.customerName,
    payment.validatedAt === null ? null : localTimeText(payment.validatedAt),
    payment.failureReason,
    payment.operatorReference,
  ])

type Entry = PaymentBody['timeline'][number]

/** An operator that has accepted a mobile money request prompts the payer, and does not report that. */
export function timelineOf(story: PaymentPage['story'], { hasPhone }: { hasPhone: boolean }): Entry[] {
  let isAsked = false
  return story.flatMap(({ at, kind, detail }): Entry[] => {
    const entry = { at, kind, facts: factsOf(detail) }
    if (kind.startsWith('attempt')) isAsked = false
    if (!hasPhone || isAsked || detail.is !== 'accepted') return [entry]
    isAsked = true
    return [entry, { at, kind: 'payer_asked', facts: {} }]
  })
}

const factsOf = (detail: Record<string, unknown>): Entry['facts'] =>
  Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'number' || value === null ? value : JSON.stringify(value),
    ]),
  )
