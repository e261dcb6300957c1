// The interface that every connection to a network implements: request, status, refund, and reading
// a callback. A connector translates between this and its network's own API. An answer that it does
// not understand becomes `unknown`; it never throws for what the network does.
import type { PayerStep } from '../domain/methods/payer-step.ts'
import type { OperatorAnswer, RefundAnswer } from '../domain/payments/operator-report.ts'

/** No answer, or one that is not understood: the payment does not change. */
export type Unknown = Extract<OperatorAnswer, { is: 'unknown' }>

export interface Collection {
  /** Our reference: the idempotency key. Two requests with it never debit twice. */
  reference: string
  /** Whose customer the payer is: mtn_bj, airtel_ne … One connection may reach several. */
  operator: string
  /** With the country code and without `+`. */
  msisdn: string
  amountXof: number
  /** Shown to the payer. */
  publicReference: string
  /** The network's own id, kept by an earlier try; null where there is none. */
  networkId: string | null
  keepNetworkId: KeepNetworkId
}

/**
 * Records the network's own id of a request, where it has one. The connector awaits this before the
 * call that can move money, and does not make that call after false. So a request without a kept id
 * was never sent (ADR-0007).
 */
type KeepNetworkId = (networkId: string) => Promise<boolean>

/** `reference` and `networkId` are those of the payment. */
export interface Reversal
  extends Pick<Collection, 'reference' | 'networkId' | 'operator' | 'amountXof'> {
  /** Our reference of the refund: the idempotency key, where the network has one. */
  refundReference: string
  /** The network's own reference of the payment, from its report of the success. */
  operatorReference: string
}

export interface CallbackRequest {
  method: 'POST' | 'PUT'
  /**
   * After our callback address and a slash: a reference, where the network was given one; else
   * empty.
   */
  path: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

export interface ReadCallback {
  /**
   * Of the payment, or of the attempt on a link; null in one about nothing of ours, which is
   * answered and ignored.
   */
  reference: string | null
  /**
   * Whether only the network can have sent it. An unauthenticated callback only triggers a status
   * call.
   */
  isGenuine: boolean
  /** The body of the answer that the network requires, as JSON; by default ours. */
  answer?: string
}

export interface Operator {
  /** The connection's name. Permanent: it is recorded on each payment before the call. */
  name: string
  request(collection: Collection): Promise<OperatorAnswer>
  /** `networkId`: the network's own id, where one was kept. */
  status(reference: string, networkId?: string | null): Promise<OperatorAnswer>
  refund(reversal: Reversal): Promise<RefundAnswer>
  /** What became of a refund; `not_known` when the network never received it. */
  refundStatus(reversal: Reversal): Promise<RefundAnswer>
  /**
   * What a callback is about, else undefined. The outcome that it claims is ignored: we poll the
   * status (D-15).
   */
  parseCallback(callback: CallbackRequest): ReadCallback | undefined
}

// A method whose payer pays on the provider's own page, such as a card or a wallet, or by its
// instructions. In addition to the calls above it can open a session there and cancel it. Card
// numbers are typed on the provider's page, never on ours.

/** `reference` is that of the attempt: the idempotency key. */
export interface Session
  extends Pick<Collection, 'reference' | 'amountXof' | 'publicReference' | 'keepNetworkId'> {
  merchantName: string
  title: string
  /** Where the provider sends the payer back to. */
  returnUrl: string
}

export interface HostedMethod extends Operator {
  /**
   * The provider's page for this payer, or its instructions; undefined when it gave none, and the
   * payer cannot pay there.
   */
  open(session: Session): Promise<PayerStep | undefined>
  /**
   * For a payer who has given up. The provider's answer decides: the payer may already have paid.
   */
  cancel(reference: string, networkId?: string | null): Promise<OperatorAnswer>
}
