// What Karba asks of a mobile network: four verbs. Each connector translates them to its network's own words and back, and
// turns whatever it does not understand into `unknown`. A connector never throws for what the network does.
import type { OperatorAnswer } from '../domain/outcome.ts'

interface Collection {
  /** Our reference: the idempotency key. Asking twice with it never debits twice. */
  reference: string
  msisdn: string
  amountXof: number
  /** Shown to the payer. */
  publicReference: string
}

interface Reversal {
  /** Our reference of the refund: the idempotency key. */
  refundReference: string
  /** The payment's. */
  reference: string
  amountXof: number
}

interface CallbackRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

export interface Operator {
  /** As in meta_data: airtel_ne, mtn_bj … */
  name: string
  request(collection: Collection): Promise<OperatorAnswer>
  status(reference: string): Promise<OperatorAnswer>
  refund(reversal: Reversal): Promise<OperatorAnswer>
  /** The reference a genuine callback speaks of. What it claims is not looked at: we ask for the status (D-15). */
  parseCallback(callback: CallbackRequest): string | undefined
}
