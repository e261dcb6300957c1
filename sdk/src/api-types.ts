// Generated from the OpenAPI description by `npm run docs`: do not edit. What the API takes and answers.

export interface PaymentOrder {
  /** Whole francs, as an integer or as its digits in a string, such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
  amount: number | string
  country: 'NE' | 'BJ'
  currency: 'XOF'
  /** The payer’s number as people write it; it must belong to the country. */
  msisdn: string
  /** Your order, once in your account. */
  transaction_id: string
  customer_name: string
  /** An addition to the contract. What is paid: of all payments with it at most one is pending and at most one succeeds. */
  order_reference?: string
  /** An addition to the contract. What you add for yourself, given back when the payment is read, listed and told of. */
  metadata?: Record<string, string>
}

export interface CreatedPayment {
  status: 'initiated' | 'pending' | 'succeeded' | 'failed' | 'refunded'
  reference: string
  /** For the customer to read out. */
  public_reference: string
  meta_data?: Record<string, unknown>
}

export interface Payment {
  public_reference: string
  /** Your transaction_id; of a link without one, its reference. */
  external_reference: string
  reference: string
  status: 'initiated' | 'pending' | 'succeeded' | 'failed' | 'refunded'
  /** As it was sent. Absent on a link that was paid by another method. */
  msisdn?: string
  amount: number
  /** Present once the payment succeeded. */
  validated_at?: string
  /** An addition to the contract. Present on failed payments. */
  failure_reason?: 'declined' | 'insufficient_funds' | 'expired' | 'cancelled' | 'payer_not_found' | 'payer_not_allowed' | 'limit_reached' | 'amount_not_allowed' | 'operator_error' | 'never_received'
  /** An addition to the contract. Of a link that a page made without a signed order (D-57). */
  created_by?: 'page'
  /** An addition to the contract. What that page calls it: anybody’s word, and not unique. */
  client_reference?: string
  /** An addition to the contract. As you gave it, or as your server signed it for its page. */
  order_reference?: string
  /** An addition to the contract. On succeeded and refunded payments, by what you find the money at the operator. */
  meta_data?: {
    /** Such as `mtn_bj`; of a link paid by card or wallet `bank_card` or `wallet`. */
    operator: string
    /** The operator’s own reference of the debit, where it told one. */
    operator_reference?: string
  }
  /** An addition to the contract. What you add for yourself, given back when the payment is read, listed and told of. */
  metadata?: Record<string, string>
}

export interface LinkOrder {
  /** The payer types the amount, at least this. */
  minimum_amount?: number
  suggested_amounts?: number[]
  /** Each payer gets a payment of their own. */
  reusable?: boolean
  /** Without it, a reusable link never expires. */
  expires_in_minutes?: number
  /** Whole francs, as an integer or as its digits in a string, such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
  amount?: number | string
  title: string
  description?: string
  /** Your order, once in your account. */
  transaction_id?: string
  customer_name?: string
  on_success_redirection_url?: string
  on_failed_redirection_url?: string
  /** Your own, random; without it, one is made. */
  reference?: string
  /** An addition to the contract. What is paid: of all payments with it at most one is pending and at most one succeeds. */
  order_reference?: string
  /** An addition to the contract. What you add for yourself, given back when the payment is read, listed and told of. */
  metadata?: Record<string, string>
  /** After 30 minutes. */
  shouldExpire?: boolean
}

export interface PageLinkOrder {
  /** Whole francs, as an integer or as its digits in a string, such as "5000" or "5000.00". At least 25 in live and 50 in sandbox. */
  amount?: number | string
  title?: string
  description?: string
  /** Your order, once in your account. */
  transaction_id?: string
  customer_name?: string
  on_success_redirection_url?: string
  on_failed_redirection_url?: string
  /** Signed by your server: base64url of JSON with amount, title, transaction_id, order_reference and expires_at, a dot, and its HMAC. Then the page’s own amount, title, description and transaction_id are ignored; without it, transaction_id is kept as client_reference and claims nothing. */
  order?: string
}

export interface CreatedLink {
  reference: string
  status: 'initiated' | 'pending' | 'succeeded' | 'failed' | 'refunded'
  /** Absent while the payer has not typed it (D-92). */
  amount?: number
  /** The payer types the amount, at least this. */
  minimum_amount?: number
  suggested_amounts?: number[]
  /** Each payer gets a payment of their own. */
  reusable?: boolean
  currency: 'XOF'
  title: string
  description?: string
  /** Absent on a link that never expires. */
  expires_at?: string
  public_reference: string
  /** For the payer to open. */
  page_url: string
}

export interface Link {
  reference: string
  status: 'initiated' | 'pending' | 'succeeded' | 'failed' | 'refunded'
  /** Absent while the payer has not typed it (D-92). */
  amount?: number
  /** The payer types the amount, at least this. */
  minimum_amount?: number
  suggested_amounts?: number[]
  /** Each payer gets a payment of their own. */
  reusable?: boolean
  currency: 'XOF'
  title: string
  description?: string
  /** Absent on a link that never expires. */
  expires_at?: string
  public_reference: string
  /** Of a reusable link: how many have paid, without refunds. */
  payments_count?: number
  /** Of a reusable link: what they have paid, without refunds. */
  collected_amount?: number
  /** Present once it is paid. */
  validated_at?: string
  /** The service’s payment reference, once it is paid. */
  transaction_id?: string
}

export type KarbaEvent = PaymentEvent | TestEvent

export interface PaymentEvent {
  /** Its place in the feed, counting up by one. Not in a webhook. */
  sequence?: number
  /** Counts what was sent again by hand. Only in `replays`. */
  replay?: number
  /** The same each time that this event is sent. */
  id: string
  created_at: string
  environment: 'sandbox' | 'live'
  event: 'payment.succeeded' | 'payment.failed' | 'payment.refunded'
  data: EventPayment
}

export interface TestEvent {
  /** Its place in the feed, counting up by one. Not in a webhook. */
  sequence?: number
  /** Counts what was sent again by hand. Only in `replays`. */
  replay?: number
  /** The same each time that this event is sent. */
  id: string
  created_at: string
  environment: 'sandbox' | 'live'
  event: 'webhook.test'
  data: WebhookTest
}

/** Of `webhook.test`: no payment has changed. */
export interface WebhookTest {
  endpoint: string
  message: string
}

export interface Feed {
  events: KarbaEvent[]
  replays: KarbaEvent[]
  has_more: boolean
  /** What to ask with next. */
  next: {
    after: number
    replays_after: number
  }
}

export interface EventPayment {
  public_reference: string
  /** Your transaction_id; of a link without one, its reference. */
  external_reference: string
  reference: string
  status: 'initiated' | 'pending' | 'succeeded' | 'failed' | 'refunded'
  /** As it was sent. Absent on a link that was paid by another method. */
  msisdn?: string
  amount: number
  /** Present once the payment succeeded. */
  validated_at?: string
  /** An addition to the contract. Present on failed payments. */
  failure_reason?: 'declined' | 'insufficient_funds' | 'expired' | 'cancelled' | 'payer_not_found' | 'payer_not_allowed' | 'limit_reached' | 'amount_not_allowed' | 'operator_error' | 'never_received'
  /** An addition to the contract. Of a link that a page made without a signed order (D-57). */
  created_by?: 'page'
  /** An addition to the contract. What that page calls it: anybody’s word, and not unique. */
  client_reference?: string
  /** An addition to the contract. As you gave it, or as your server signed it for its page. */
  order_reference?: string
  /** An addition to the contract. On succeeded and refunded payments, by what you find the money at the operator. */
  meta_data?: {
    /** Such as `mtn_bj`; of a link paid by card or wallet `bank_card` or `wallet`. */
    operator: string
    /** The operator’s own reference of the debit, where it told one. */
    operator_reference?: string
  }
  /** An addition to the contract. What you add for yourself, given back when the payment is read, listed and told of. */
  metadata?: Record<string, string>
  /** Of the link that it was paid through. */
  external_payment_reference?: string
}

export interface Account {
  account_id: string
  /** The name that payers see. */
  merchant: string
  environment: 'sandbox' | 'live'
  status: 'unvalidated' | 'validated' | 'suspended'
  endpoints: {
    url: string
    status: 'on' | 'off' | 'gone'
    failing_since: string | null
  }[]
  operators: {
    country: 'NE' | 'BJ'
    operator: string
    /** As payers know it. */
    name: string
    /** While it is down, payments wait for it; while it is paused, creates are refused. */
    state: 'up' | 'down' | 'paused'
  }[]
}

export interface PaymentList {
  data: ListedPayment[]
  /** Ask for the next page with it as `after`; null on the last page. */
  next: string | null
}

export interface Refund {
  reference: string
  payment_reference: string
  amount: number
  /** waiting_for_approval: the amount is above the service’s limit, and a second person must approve it first. by_hand: the network has no call for it, and a person makes it. */
  status: 'waiting_for_approval' | 'pending' | 'succeeded' | 'failed' | 'by_hand'
  /** Present on failed refunds. */
  reason?: 'declined' | 'insufficient_funds' | 'expired' | 'cancelled' | 'payer_not_found' | 'payer_not_allowed' | 'limit_reached' | 'amount_not_allowed' | 'operator_error' | 'never_received' | 'approval_rejected'
  created_at: string
  updated_at: string
}

export interface ListedPayment {
  public_reference: string
  /** Your transaction_id; of a link without one, its reference. */
  external_reference: string
  reference: string
  status: 'initiated' | 'pending' | 'succeeded' | 'failed' | 'refunded'
  /** As it was sent. Absent on a link that was paid by another method. */
  msisdn?: string
  amount: number
  /** Present once the payment succeeded. */
  validated_at?: string
  /** An addition to the contract. Present on failed payments. */
  failure_reason?: 'declined' | 'insufficient_funds' | 'expired' | 'cancelled' | 'payer_not_found' | 'payer_not_allowed' | 'limit_reached' | 'amount_not_allowed' | 'operator_error' | 'never_received'
  /** An addition to the contract. Of a link that a page made without a signed order (D-57). */
  created_by?: 'page'
  /** An addition to the contract. What that page calls it: anybody’s word, and not unique. */
  client_reference?: string
  /** An addition to the contract. As you gave it, or as your server signed it for its page. */
  order_reference?: string
  /** An addition to the contract. On succeeded and refunded payments, by what you find the money at the operator. */
  meta_data?: {
    /** Such as `mtn_bj`; of a link paid by card or wallet `bank_card` or `wallet`. */
    operator: string
    /** The operator’s own reference of the debit, where it told one. */
    operator_reference?: string
  }
  /** An addition to the contract. What you add for yourself, given back when the payment is read, listed and told of. */
  metadata?: Record<string, string>
  /** Of the link that it was paid through. */
  external_payment_reference?: string
  created_at: string
}

export interface ErrorBody {
  message: string
}

export interface FailureBody {
  status: 'failed'
  message: string
}
