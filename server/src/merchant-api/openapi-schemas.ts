// The schemas of the OpenAPI description: request and response bodies, field by field, with the limits of limits.ts.
import { COUNTRIES } from '../domain/country.ts'
import { AMOUNT_DIGITS, CURRENCY } from '../domain/money.ts'
import { FAILURE_REASONS } from '../domain/outcome.ts'
import { CHOSEN_LINK_REFERENCE_FORM, LINK_REFERENCE_FORM } from '../domain/payment-link.ts'
import { STATUSES } from '../domain/payment-status.ts'
import { LIMITS } from './limits.ts'
import { ADDITION_SCHEMAS, LINK_COUNTS, STANDING_LINK, STANDING_LINK_ORDER } from './openapi-addition-schemas.ts'
import { EVENT_SCHEMAS } from './openapi-event-schemas.ts'

const text = { type: 'string' } as const
const time = { type: 'string', format: 'date-time' } as const
const status = { type: 'string', enum: STATUSES } as const
/** D-23 */
export const LINK_REFERENCE = { ...text, pattern: LINK_REFERENCE_FORM.source } as const
const amountToPay = {
  type: ['integer', 'string'],
  pattern: AMOUNT_DIGITS.source,
  minimum: LIMITS.amountLive.least,
  maximum: LIMITS.amountLive.most,
  description: `Whole francs, as an integer or as its digits in a string, such as "5000" or "5000.00". At least ${LIMITS.amountLive.least} in live and ${LIMITS.amountSandbox.least} in sandbox.`,
} as const

const sized = ({ least = 0, most }: { least?: number; most: number }) => ({
  ...text,
  ...(least > 0 && { minLength: least }),
  maxLength: most,
})
const transactionId = { ...sized(LIMITS.externalReference), description: 'Your order, once in your account.' }
const customerName = sized(LIMITS.customerName)
const redirectionUrl = { ...sized(LIMITS.redirectionUrl), format: 'uri' }

/** A field that the original contract does not have. */
const addition = <Field extends { description: string }>(field: Field) => ({
  ...field,
  description: `An addition to the contract. ${field.description}`,
  'x-addition': true,
})

/** The fields of a link that anybody may read, paid or not (D-24). */
const LINK = {
  reference: LINK_REFERENCE,
  status,
  amount: { type: 'integer', description: 'Absent while the payer has not typed it (D-92).' },
  ...STANDING_LINK,
  currency: { type: 'string', enum: [CURRENCY] },
  title: text,
  description: text,
  expires_at: { ...time, description: 'Absent on a link that never expires.' },
  public_reference: text,
} as const
const LINK_REQUIRED = ['reference', 'status', 'currency', 'title', 'public_reference']

/** On payments that were read or told of; the answer to a creation knows no reference yet (D-82). */
const paidThrough = addition({
  type: 'object',
  description: 'On succeeded and refunded payments, by what you find the money at the operator.',
  required: ['operator'],
  properties: {
    operator: { ...text, description: 'Such as `mtn_bj`; of a link paid by card or wallet `bank_card` or `wallet`.' },
    operator_reference: { ...text, description: 'The operator’s own reference of the debit, where it told one.' },
  },
} as const)

/** An addition: the merchant's own (D-89). */
const metadata = addition({
  type: 'object',
  description: 'What you add for yourself, given back when the payment is read, listed and told of.',
  maxProperties: LIMITS.metadataKeys.most,
  propertyNames: sized(LIMITS.metadataKey),
  additionalProperties: sized(LIMITS.metadataValue),
} as const)

/** An addition (D-90). */
const orderReference = addition({
  ...sized(LIMITS.orderReference),
  description: 'What is paid: of all payments with it at most one is pending and at most one succeeds.',
} as const)

const PAYMENT = {
  public_reference: text,
  external_reference: { ...text, description: 'Your transaction_id; of a link without one, its reference.' },
  reference: text,
  status,
  msisdn: { ...text, description: 'As it was sent. Absent on a link that was paid by another method.' },
  amount: { type: 'integer' },
  validated_at: { ...time, description: 'Present once the payment succeeded.' },
  failure_reason: addition({ ...text, enum: Object.keys(FAILURE_REASONS), description: 'Present on failed payments.' }),
  created_by: addition({
    ...text,
    enum: ['page'],
    description: 'Of a link that a page made without a signed order (D-57).',
  }),
  client_reference: addition({ ...text, description: 'What that page calls it: anybody’s word, and not unique.' }),
  order_reference: addition({ ...text, description: 'As you gave it, or as your server signed it for its page.' }),
  meta_data: paidThrough,
  metadata,
} as const
const PAYMENT_REQUIRED = ['public_reference', 'external_reference', 'reference', 'status', 'amount']

const externalPaymentReference = { ...text, description: 'Of the link that it was paid through.' } as const

/** The fields of a link that a page may set (D-52). */
const PAGE_LINK_ORDER = {
  amount: amountToPay,
  title: sized(LIMITS.title),
  description: sized(LIMITS.description),
  transaction_id: transactionId,
  customer_name: customerName,
  on_success_redirection_url: redirectionUrl,
  on_failed_redirection_url: redirectionUrl,
}

/** Beside them, the order that the merchant's server signed (D-57). */
const signedOrder = {
  ...text,
  description:
    'Signed by your server: base64url of JSON with amount, title, transaction_id, order_reference and expires_at, a dot, and its HMAC. Then the page’s own amount, title, description and transaction_id are ignored; without it, transaction_id is kept as client_reference and claims nothing.',
} as const

export const SCHEMAS = {
  PaymentOrder: {
    type: 'object',
    required: ['amount', 'country', 'currency', 'msisdn', 'transaction_id', 'customer_name'],
    properties: {
      amount: amountToPay,
      country: { type: 'string', enum: COUNTRIES },
      currency: { type: 'string', enum: [CURRENCY] },
      msisdn: {
        ...sized(LIMITS.msisdn),
        description: 'The payer’s number as people write it; it must belong to the country.',
      },
      transaction_id: transactionId,
      customer_name: customerName,
      order_reference: orderReference,
      metadata,
    },
  },
  CreatedPayment: {
    type: 'object',
    required: ['status', 'reference', 'public_reference'],
    properties: {
      status,
      reference: text,
      public_reference: { ...text, description: 'For the customer to read out.' },
      meta_data: { type: 'object', additionalProperties: true },
    },
  },
  Payment: { type: 'object', required: PAYMENT_REQUIRED, properties: PAYMENT },
  LinkOrder: {
    type: 'object',
    required: ['title'],
    anyOf: [{ required: ['amount'] }, { required: ['minimum_amount'] }],
    properties: {
      ...STANDING_LINK_ORDER,
      ...PAGE_LINK_ORDER,
      reference: {
        ...text,
        pattern: CHOSEN_LINK_REFERENCE_FORM.source,
        description: 'Your own, random; without it, one is made.',
      },
      order_reference: orderReference,
      metadata,
      shouldExpire: { type: 'boolean', default: true, description: `After ${LIMITS.linkLife.most} minutes.` },
    },
  },
  PageLinkOrder: {
    type: 'object',
    anyOf: [{ required: ['amount', 'title'] }, { required: ['order'] }],
    properties: { ...PAGE_LINK_ORDER, order: signedOrder },
  },
  CreatedLink: {
    type: 'object',
    required: [...LINK_REQUIRED, 'page_url'],
    properties: { ...LINK, page_url: { ...text, format: 'uri', description: 'For the payer to open.' } },
  },
  Link: {
    type: 'object',
    required: LINK_REQUIRED,
    properties: {
      ...LINK,
      ...LINK_COUNTS,
      validated_at: { ...time, description: 'Present once it is paid.' },
      transaction_id: { ...text, description: 'The service’s payment reference, once it is paid.' },
    },
  },
  ...EVENT_SCHEMAS,
  EventPayment: {
    type: 'object',
    required: PAYMENT_REQUIRED,
    properties: {
      ...PAYMENT,
      external_payment_reference: externalPaymentReference,
    },
  },
  ...ADDITION_SCHEMAS,
  ListedPayment: {
    type: 'object',
    required: [...PAYMENT_REQUIRED, 'created_at'],
    properties: { ...PAYMENT, external_payment_reference: externalPaymentReference, created_at: time },
  },
  Error: { type: 'object', required: ['message'], properties: { message: text } },
  Failure: {
    type: 'object',
    required: ['status', 'message'],
    properties: { status: { type: 'string', enum: ['failed'] }, message: text },
  },
}

export type SchemaName = keyof typeof SCHEMAS
