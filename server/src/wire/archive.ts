// The lines of an archive file: JSON, one payment a line, between a head that anyone can read and a
// foot with the counts.
import type { ListedEntry } from '../domain/ledger/ledger.ts'
import type { ListedPayment } from '../domain/payments/payment.ts'
import type { Refund } from '../domain/refunds/refund.ts'
import type { Delivery, DeliveryAttempt, FeedEvent } from '../domain/webhooks/webhook-event.ts'
import { entryFields } from './books.ts'
import { shownDeliveryFields } from './command-output.ts'
import { isoTime, optionalTime } from './json.ts'
import { addedFields, refundFields, storyFields } from './payment.ts'

const VERSION = 1

export interface ArchiveHead {
  archiveId: string
  month: string
  begunAt: number
}

export const archiveHead = ({ archiveId, month, begunAt }: ArchiveHead): string =>
  JSON.stringify({ karba_archive: VERSION, archive: archiveId, month, begun_at: isoTime(begunAt) })

/** The id of the archive; undefined when this is no archive, or of a later version. */
export function readArchiveHead(line: string): string | undefined {
  try {
    const { karba_archive: version, archive } = JSON.parse(line) as Record<string, unknown>
    return version === VERSION && typeof archive === 'string' ? archive : undefined
  } catch {
    return undefined
  }
}

export interface ArchivedPayment {
  payment: ListedPayment
  story: Parameters<typeof storyFields>[0]
  refunds: readonly Refund[]
  entries: readonly ListedEntry[]
  events: readonly FeedEvent[]
  deliveries: readonly { delivery: Delivery; attempts: readonly DeliveryAttempt[] }[]
}

/** Receivers' answers are left out: they may repeat what their receiver knows of the payer. */
export const archivedPayment = ({
  payment,
  story,
  refunds,
  entries,
  events,
  deliveries,
}: ArchivedPayment): string =>
  JSON.stringify({
    reference: payment.reference,
    public_reference: payment.publicReference,
    external_reference: payment.externalReference,
    account: payment.accountId,
    environment: payment.environment,
    status: payment.status,
    failure_reason: payment.failureReason ?? undefined,
    amount: payment.amountXof,
    refunded_amount: payment.refundedXof,
    msisdn: payment.msisdnWritten ?? undefined,
    customer_name: payment.customerName ?? undefined,
    operator: payment.operator ?? undefined,
    connection: payment.connection ?? undefined,
    operator_reference: payment.operatorReference ?? undefined,
    link_reference: payment.linkReference ?? undefined,
    ...addedFields(payment),
    created_at: isoTime(payment.createdAt),
    validated_at: optionalTime(payment.validatedAt),
    story: storyFields(story),
    refunds: refunds.map(refundFields),
    entries: entries.map(entryFields),
    events: events.map(({ sequence, payload }) => ({
      sequence,
      ...(JSON.parse(payload) as object),
    })),
    deliveries: deliveries.map(({ delivery, attempts }) =>
      shownDeliveryFields({
        delivery,
        attempts: attempts.map((attempt) => ({ ...attempt, answer: '' })),
        paymentReference: undefined,
      }),
    ),
  })

/** Whether a line of a payment has one of its names: ours, the short one, or the merchant's. */
export function isArchivedAs(line: string, name: string): boolean {
  // Most lines do not contain the name at all: they need not be parsed.
  if (!line.includes(JSON.stringify(name))) return false
  const { reference, public_reference, external_reference, link_reference } = JSON.parse(
    line,
  ) as Record<string, unknown>
  return [reference, public_reference, external_reference, link_reference].includes(name)
}

export const archiveFoot = (payments: number, sha256: string): string =>
  JSON.stringify({ end: true, payments, sha256 })

export const isArchiveFoot = (line: string): boolean => line.startsWith('{"end":true,')

export const archiveFields = ({
  archiveId,
  month,
  payments,
  bytes,
  sha256,
  begunAt,
}: ArchiveHead & { payments: number; bytes: number; sha256: string | null }): object => ({
  archive: archiveId,
  month,
  payments,
  bytes,
  sha256,
  begun_at: isoTime(begunAt),
})
