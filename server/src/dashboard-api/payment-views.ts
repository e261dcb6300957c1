// Payments as the dashboard's page gets them.
import { localTimeText } from '../domain/business-day.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import { csvLine } from '../domain/csv.ts'
import { operatorName } from '../domain/operator-names.ts'
import type { LinkMaker } from '../domain/payment.ts'
import { orderReferenceOf } from '../domain/payment.ts'
import type { PaymentStatus } from '../domain/payment-status.ts'
import { MERCHANT_RIGHTS } from '../domain/role.ts'
import { type DeliveryKey, deliveryName } from '../domain/webhook-event.ts'
import type { DeliveryRow, LanguageName, PaymentBody, PaymentRow, RefundBody } from './shapes.ts'
import { timelineOf } from './timeline.ts'

export interface ViewedPayment {
  reference: string
  publicReference: string
  externalReference: string
  amountXof: number
  status: PaymentStatus
  operator: string | null
  operatorReference: string | null
  msisdnWritten: string | null
  customerName: string | null
  failureReason: string | null
  linkReference: string | null
  createdBy: LinkMaker
  clientReference: string | null
  metadata: string | null
  createdAt: number
  validatedAt: number | null
  /** When a payment that failed or was refunded did; known in lists. */
  endedAt?: number | null
}

export const paymentRow = (payment: ViewedPayment): PaymentRow => ({
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

export interface ViewedDelivery extends DeliveryKey {
  url: string | null
  event: string
  paymentReference: string | null
  status: 'waiting' | 'delivered' | 'failed'
  attempts: number
  lastStatusCode: number | null
  lastError: string | null
  createdAt: number
  dueAt: number | null
}

export const deliveryRow = (delivery: ViewedDelivery): DeliveryRow => ({
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

interface ViewedRefund {
  refundReference: string
  status: 'pending' | 'succeeded' | 'failed'
  byHandSince: number | null
  createdAt: number
}

interface ViewedApproval {
  askedBy: string
  askedAt: number
  state: 'waiting' | 'approved' | 'rejected'
}

/** Before it is approved there is a request and no refund. */
export function refundBody({ refund, approval, row }: ViewedPage): RefundBody | null {
  const asked = approval === undefined ? null : { askedBy: approval.askedBy, state: approval.state }
  if (refund === undefined) {
    if (approval === undefined) return null
    const { askedAt: createdAt, state: status } = approval
    return { reference: '', amount: row.amountXof, status, createdAt, approval: asked }
  }
  return {
    reference: refund.refundReference,
    amount: row.amountXof,
    status: refund.status === 'pending' && refund.byHandSince !== null ? 'by_hand' : refund.status,
    createdAt: refund.createdAt,
    approval: asked,
  }
}

interface ViewedPage {
  row: ViewedPayment
  story: readonly { at: number; kind: string; detail: Record<string, unknown> }[]
  deliveries: readonly ViewedDelivery[]
  refund: ViewedRefund | undefined
  approval: ViewedApproval | undefined
}

export function paymentPageBody(
  page: ViewedPage,
  { role }: MerchantPerson,
  pageUrl: (linkReference: string) => string,
): PaymentBody {
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
    receiptUrl: isPaid && row.linkReference !== null ? pageUrl(row.linkReference) : null,
    timeline: [
      { at: row.createdAt, kind: 'recorded', facts: {} },
      ...timelineOf(story, { hasPhone: row.msisdnWritten !== null }),
    ],
    deliveries: deliveries.map(deliveryRow),
    refund: refundBody(page),
    mayRefund: isRefundable && (MERCHANT_RIGHTS.refund as readonly string[]).includes(role),
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

export const csvHeadings = (language: LanguageName): string => csvLine(CSV_HEADINGS[language])

export const paymentCsvLine = (payment: ViewedPayment, language: LanguageName): string =>
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
