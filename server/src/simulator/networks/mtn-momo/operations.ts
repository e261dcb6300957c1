// What the simulated MTN MoMo has been asked to do: payments, refunds, transfers and deposits. An operation's state follows from the time
// of its request and what was decided then; nothing changes it but a person's decision.
import type { FaultBoard } from '../faults.ts'

export type Product = 'collection' | 'disbursement'
export type OperationKind = 'requesttopay' | 'refund' | 'transfer' | 'deposit'

export interface Operation {
  kind: OperationKind
  /** V1 operations call back by POST, V2 operations by PUT. */
  version: 1 | 2
  /** The X-Reference-Id. */
  id: string
  /** The API user that asked: nobody else sees it. */
  user: string
  environment: string
  amount: number
  currency: string
  externalId: string | undefined
  party: { partyIdType: string; partyId: string }
  payerMessage: string | undefined
  payeeNote: string | undefined
  callbackUrl: string | undefined
  /** The payment that a refund is about. */
  refundOf: string | undefined
  requestedAt: number
  /** When it is decided; infinite for what waits for ever. */
  decidedAt: number
  /** The reason of its failure; undefined for a success. */
  reason: string | undefined
  /** From then on it is a success, though it had failed. */
  paidAt: number
  /** Until then its status is 404. */
  hiddenUntil: number
  financialTransactionId: string
}

export type Status = 'PENDING' | 'SUCCESSFUL' | 'FAILED'

export function statusOf({ decidedAt, reason, paidAt }: Operation, now: number): Status {
  if (now >= paidAt) return 'SUCCESSFUL'
  if (now < decidedAt) return 'PENDING'
  return reason === undefined ? 'SUCCESSFUL' : 'FAILED'
}

export const isFinal = (status: Status): boolean => status === 'SUCCESSFUL' || status === 'FAILED'

export interface ShownAs {
  now: number
  faults: FaultBoard
  /** How a failure's reason is written: as text, or as an object with code and message. */
  reasonForm: 'text' | 'object'
}

/** The status object, which is also the body of callbacks. The X-Reference-Id is in neither. */
export function shownOperation(operation: Operation, { now, faults, reasonForm }: ShownAs): Record<string, unknown> {
  const status = statusOf(operation, now)
  const { kind, party, externalId, payerMessage, payeeNote, financialTransactionId } = operation
  return {
    ...(status === 'SUCCESSFUL' && { financialTransactionId }),
    ...(externalId !== undefined && { externalId }),
    amount: shownAmount(operation.amount, faults),
    currency: faults.strikes('other_currency') ? 'USD' : operation.currency,
    [kind === 'requesttopay' ? 'payer' : 'payee']: party,
    ...(payerMessage !== undefined && { payerMessage }),
    ...(payeeNote !== undefined && { payeeNote }),
    status: faults.strikes('status_not_understood') ? 'ON_HOLD' : status,
    ...(status === 'FAILED' && shownReason(operation.reason as string, faults, reasonForm)),
  }
}

function shownAmount(asked: number, faults: FaultBoard): string | number {
  const amount = faults.strikes('other_amount') ? asked - 1 : asked
  if (faults.strikes('amount_as_number')) return amount
  if (faults.strikes('amount_with_decimals')) return amount.toFixed(4)
  if (faults.strikes('amount_with_commas')) return amount.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',')
  // "12.50" is echoed as "12.5".
  return String(amount)
}

function shownReason(code: string, faults: FaultBoard, form: ShownAs['reasonForm']): Record<string, unknown> {
  if (faults.strikes('reason_left_out')) return {}
  const isObject = form === 'object' && !faults.strikes('reason_as_text')
  return { reason: isObject ? { code, message: code.toLowerCase().replaceAll('_', ' ') } : code }
}
