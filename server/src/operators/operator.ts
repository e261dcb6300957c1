// The interface that every connector implements: request, status, refund, and reading a callback. A connector translates between this and
// its network's own API. An answer that it does not understand becomes `unknown`; it never throws for what the network does.
import type { OperatorAnswer } from '../domain/outcome.ts'

interface Collection {
  /** Our reference: the idempotency key. Two requests with it never debit twice. */
  reference: string
  msisdn: string
  amountXof: number
  /** Shown to the payer. */
  publicReference: string
}

interface Reversal {
  /** Our reference of the refund: the idempotency key. */
  refundReference: string
  /** Our reference of the payment. */
  reference: string
  amountXof: number
}

interface CallbackRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

export interface Operator {
  /** As in `meta_data` of the merchant API: airtel_ne, mtn_bj … */
  name: string
  request(collection: Collection): Promise<OperatorAnswer>
  status(reference: string): Promise<OperatorAnswer>
  refund(reversal: Reversal): Promise<OperatorAnswer>
  /** What became of a refund; `not_known` when the network never received it. */
  refundStatus(refundReference: string): Promise<OperatorAnswer>
  /** The reference in a genuine callback, else undefined. The outcome that it claims is ignored: we poll the status (D-15). */
  parseCallback(callback: CallbackRequest): string | undefined
}
