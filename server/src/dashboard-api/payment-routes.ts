// A merchant's home page and its payments: list, search, CSV export, one payment, refund; and the
// sandbox phone.
import { z } from 'zod'
import { readHome } from '../actions/figures/read-home.ts'
import { labelConnections } from '../actions/operators/merchant-connections.ts'
import {
  type FilteredSum,
  type FoundPayment,
  type SearchPaymentsInput,
  searchAndSum,
  searchPayments,
} from '../actions/payments/list-payments.ts'
import { listRefundsOfAccount } from '../actions/payments/list-refunds.ts'
import type { PricedPayment } from '../actions/payments/payment-money.ts'
import {
  type PaymentPage,
  type ShownRefund,
  showPaymentPage,
} from '../actions/payments/read-payment.ts'
import { refundPayment } from '../actions/payments/refund-payment.ts'
import { answerPrompt, createTestPayment, listPrompts } from '../actions/payments/sandbox-phone.ts'
import { operatorName } from '../domain/countries/country.ts'
import type { Page } from '../domain/lists/page.ts'
import { isPaid, STATUSES } from '../domain/payments/payment-status.ts'
import type { MerchantPerson } from '../domain/people/caller.ts'
import { mayInAccount } from '../domain/people/role.ts'
import { type ListedRefund, REFUND_FILTERS } from '../domain/refunds/refund.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import { LANGUAGES } from '../domain/texts/language.ts'
import { type Delivery, deliveryName } from '../domain/webhooks/webhook-event.ts'
import { sendDownload } from '../http/send-paced.ts'
import { NO_EXPORT_SLOT, sendRouteError } from './answer.ts'
import { csvFileName, paymentCsv } from './payment-csv.ts'
import { shownPayment } from './payment-view.ts'
import {
  accountRoute,
  type DashboardDeps,
  NOTHING,
  optional,
  PAGE_FIELDS,
  pageOf,
  time,
  wholeNumber,
} from './route.ts'
import type {
  DeliveryRow,
  PageOf,
  PaymentBody,
  PaymentRow,
  PaymentSumBody,
  PaymentsBody,
  PhoneBody,
  RefundBody,
  RefundedBody,
  RefundRow,
} from './shapes.ts'

const MOST_DAYS = 366
const LARGEST_AMOUNT = Number.MAX_SAFE_INTEGER

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
const FileInput = z.object({ ...FILTERS, language: z.enum(LANGUAGES).default('fr') })
const PaymentName = z.object({ reference: z.string() })
const RefundInput = PaymentName.extend({
  amount: z.unknown().optional(),
  refundId: z.unknown().optional(),
})

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
    readHome,
  ),
  accountRoute(
    'GET /payments',
    'read',
    ListInput,
    async (deps, caller, { after, limit, ...filters }): Promise<PaymentsBody | Refused> => {
      const wanted = { limit, ...filterOf(filters) }
      const isFiltered = Object.values(filters).some((each) => each !== undefined)
      const isSummed = after === undefined && isFiltered && mayInAccount(caller.role, 'seeTurnover')
      const page: (Page<FoundPayment> & { sum?: FilteredSum }) | Refused = isSummed
        ? await searchAndSum(deps, caller, wanted)
        : await searchPayments(deps, caller, { after, ...wanted })
      if (isRefused(page)) return page
      return {
        rows: page.rows.map(paymentRow),
        next: page.next ?? null,
        sum: page.sum ? sumBody(page.sum) : null,
      }
    },
  ),
  accountRoute(
    'GET /payments.csv',
    'seeTurnover',
    FileInput,
    async (deps, caller, { language, ...filters }, { reply }) => {
      const release = await deps.takeExport(caller)
      if (typeof release === 'string') return sendRouteError(reply, NO_EXPORT_SLOT[release])
      const filter = filterOf(filters)
      const file = {
        contentType: 'text/csv; charset=utf-8',
        fileName: csvFileName(caller, filter, language, deps.clock.now()),
        content: paymentCsv(deps, caller, filter, language),
      }
      return sendDownload(reply, deps.clock, file, release)
    },
  ),
  accountRoute(
    'GET /payments/:reference',
    'read',
    PaymentName,
    (deps, caller, { reference }): Promise<PaymentBody | Refused> =>
      readPage(deps, caller, reference),
  ),
  accountRoute(
    'POST /payments/:reference/refund',
    'refund',
    RefundInput,
    async (deps, caller, { reference: name, ...asked }): Promise<RefundedBody | Refused> => {
      const requested = await refundPayment(deps, caller, { name, ...asked })
      if (isRefused(requested)) return requested
      const payment = await readPage(deps, caller, name)
      return isRefused(payment) ? payment : { ...refundBody(requested), payment }
    },
  ),
]

const RefundFilters = z.object({
  status: optional(z.enum(REFUND_FILTERS)),
  from: optional(time(0)),
  to: optional(time(1)),
  ...PAGE_FIELDS,
})

export const refundRoutes = [
  accountRoute(
    'GET /refunds',
    'read',
    RefundFilters,
    async (deps, caller, wanted): Promise<PageOf<RefundRow> | Refused> =>
      pageOf(await listRefundsOfAccount(deps, caller, wanted), refundRow),
  ),
]

const refundRow = (refund: ListedRefund): RefundRow => ({
  reference: refund.refundReference,
  amount: refund.amountXof,
  status: refund.status,
  failureReason: refund.failureReason,
  createdAt: refund.createdAt,
  paymentReference: refund.reference,
  publicReference: refund.publicReference,
  transactionId: refund.externalReference,
})

const sumBody = ({ count, amountXof, collectedXof, isMore }: FilteredSum): PaymentSumBody => ({
  count,
  amount: amountXof,
  collected: collectedXof,
  isMore,
})

type ViewedPayment = PricedPayment & Partial<FoundPayment>

export const paymentRow = (payment: ViewedPayment): PaymentRow => ({
  ...shownPayment('row', payment),
  operatorName: payment.operator === null ? null : operatorName(payment.operator),
  // The event of a refund may be removed: then its time is not known here, and is not that of the
  // success.
  finalAt: payment.endedAt ?? (payment.status === 'refunded' ? null : payment.validatedAt),
  refundedAmount: payment.refundedXof,
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
  nextAttemptAt: delivery.endpointStatus === 'on' ? delivery.dueAt : null,
})

const refundBody = (refund: ShownRefund): RefundBody => ({
  reference: refund.refundReference,
  refundId: refund.refundId,
  amount: refund.amountXof,
  status: refund.status,
  failureReason: refund.failureReason,
  createdAt: refund.createdAt,
  approval: refund.approval,
})

async function readPage(
  deps: DashboardDeps,
  caller: MerchantPerson,
  name: string,
): Promise<PaymentBody | Refused> {
  const page = await showPaymentPage(deps, caller, { name })
  if (isRefused(page)) return page
  const { row, story, deliveries, remainingXof } = page
  const isOpen = row.status === 'pending' || row.status === 'initiated'
  const ended = story.findLast(({ kind, detail }) => kind === 'moved' && detail.to === row.status)
  return {
    ...paymentRow({ ...row, endedAt: isOpen ? null : (ended?.at ?? null) }),
    ...shownPayment('page', row),
    connectionLabel: (await labelConnections(deps, caller, [page]))(page).connectionLabel,
    receiptUrl: isPaid(row) ? deps.receiptUrl(deps.receiptCodes.of(row)) : null,
    timeline: [
      { at: row.createdAt, kind: 'recorded', facts: {} },
      ...timelineOf(story, { hasPhone: row.msisdnWritten !== null }),
    ],
    deliveries: mayInAccount(caller.role, 'seeDevelopers') ? deliveries.map(deliveryRow) : [],
    refunds: page.refunds.map(refundBody),
    remainingAmount: remainingXof,
    refundsInPart: deps.refundsInPart({
      environment: caller.environment,
      connection: page.connection,
    }),
    mayRefund: remainingXof > 0 && mayInAccount(caller.role, 'refund'),
  }
}

type Entry = PaymentBody['timeline'][number]

/**
 * An operator that has accepted a mobile money request prompts the payer, and does not report that.
 */
export function timelineOf(
  story: PaymentPage['story'],
  { hasPhone }: { hasPhone: boolean },
): Entry[] {
  let isAsked = false
  return story.flatMap(({ at, kind, detail }): Entry[] => {
    const entry = { at, kind, facts: factsOf(detail) }
    if (kind.startsWith('attempt')) isAsked = false
    // An accepted refund asks the payer nothing.
    const isRefund = kind === 'refund'
    if (!hasPhone || isAsked || isRefund || detail.is !== 'accepted') return [entry]
    isAsked = true
    return [entry, { at, kind: 'payer_asked', facts: {} }]
  })
}

const factsOf = (detail: Record<string, unknown>): Entry['facts'] =>
  Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'number' || value === null
        ? value
        : JSON.stringify(value),
    ]),
  )

// The sandbox phone: prompts to answer, a payment to try it with, and the table of test numbers.

export const phoneRoutes = [
  accountRoute('GET /phone', 'read', NOTHING, (deps, caller) => phoneBody(deps, caller)),
  accountRoute(
    'POST /phone',
    'useSandboxPhone',
    NOTHING,
    async (deps, caller): Promise<PhoneBody | Refused> => {
      const made = await createTestPayment(deps, caller)
      return isRefused(made) ? made : phoneBody(deps, caller)
    },
  ),
  accountRoute(
    'POST /phone/:reference',
    'useSandboxPhone',
    z.object({
      reference: z.string(),
      answer: z.enum(['approve', 'decline', 'no_credit', 'ignore']),
    }),
    async (deps, caller, { reference, answer }): Promise<PhoneBody | Refused> => {
      const answered = await answerPrompt(deps, caller, { reference, answer })
      return isRefused(answered) ? answered : phoneBody(deps, caller)
    },
  ),
]

async function phoneBody(
  deps: DashboardDeps,
  caller: MerchantPerson,
): Promise<PhoneBody | Refused> {
  const listed = await listPrompts(deps, caller)
  if ('refused' in listed) return listed
  const { merchantName, prompts } = listed
  return {
    prompts: prompts.map(
      ({ reference, operator, msisdn, msisdnWritten, amountXof, requestedAt }) => ({
        reference,
        operatorName: operatorName(operator),
        msisdn: msisdnWritten ?? msisdn,
        amount: amountXof,
        merchantName,
        createdAt: requestedAt,
      }),
    ),
    testNumbers: caller.environment === 'sandbox' ? [...deps.testNumbers] : [],
  }
}
