// Every field of a payment that merchants see, once: what it holds, its names, who sees it. The
// bodies of the API and of events, their schemas, the SDK's types, the columns of the store, the
// CSV export, the dashboard and the erasure of personal data come from these rows. A new row goes
// to the end of its table: the order is that of the bodies.
import type { Fields } from '../fields.ts'
import { HOSTED_METHODS } from '../methods/methods.ts'
import { LONGEST_EXTERNAL_REFERENCE } from '../texts/free-text.ts'
import { type ListedPayment, orderReferenceOf, type Payment, type PaymentNames } from './payment.ts'
import type { PaymentMoney } from './payment-money.ts'
import { FAILURE_REASONS, type FailureReason, isPaid, STATUSES } from './payment-status.ts'

/** In Markdown: `a`, `b` or `c`. */
const OTHER_WAYS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  HOSTED_METHODS.map((name) => `\`${name}\``),
)

type SeenPayment = Omit<Payment, 'accountId' | 'number'> & {
  linkReference?: string | null | undefined
}

type Maker = Pick<Payment, 'createdBy' | 'clientReference'>

/**
 * What the merchant may add to an order and gets back unchanged: `column` has it in the payment,
 * `about` and `example` are those of the order. Its check is in `checkOrder`.
 */
interface Given {
  given?: {
    column: keyof PaymentNames
    about: string
    example: string | Readonly<Record<string, string>>
  }
}

/** Of every form of a payment: reads, lists, events. */
export const PAYMENT_FIELDS = {
  publicReference: {
    is: 'text',
    wire: 'public_reference',
    about: 'A short reference to show to the customer.',
    dashboard: 'row',
    words: { fr: 'Référence du client', en: 'Customer’s reference' },
    isInCsv: true,
    value: ({ publicReference }) => publicReference,
  },
  transactionId: {
    is: 'text',
    wire: 'external_reference',
    about: 'Your transaction_id, or the reference of a link without one.',
    dashboard: 'row',
    words: { fr: 'Votre référence', en: 'Your reference' },
    isInCsv: true,
    value: ({ externalReference }) => externalReference,
  },
  reference: {
    is: 'text',
    wire: 'reference',
    about: 'The service’s reference of the payment.',
    dashboard: 'row',
    words: { fr: 'Référence Karba', en: 'Karba reference' },
    isInCsv: true,
    value: ({ reference }) => reference,
  },
  status: {
    is: 'choice',
    of: STATUSES,
    wire: 'status',
    about:
      '`initiated`: a link that no one is paying. `pending`: the payer has not decided. `succeeded` and `failed`: the outcome. `refunded`: given back to the payer.',
    dashboard: 'row',
    value: ({ status }) => status,
  },
  msisdn: {
    is: 'text',
    wire: 'msisdn',
    about: 'The payer’s number as you sent it. Absent if a link was paid by another method.',
    isOptional: true,
    dashboard: 'row',
    words: { fr: 'Numéro', en: 'Number' },
    isInCsv: true,
    personal: 'masked',
    value: ({ msisdnWritten }) => msisdnWritten,
  },
  amount: {
    is: 'francs',
    wire: 'amount',
    about: 'The amount in whole francs.',
    dashboard: 'row',
    value: ({ amountXof }) => amountXof,
  },
  validatedAt: {
    is: 'time',
    wire: 'validated_at',
    about: 'When the payment succeeded. Absent before that.',
    isOptional: true,
    value: ({ validatedAt }) => validatedAt,
  },
  failureReason: {
    is: 'choice',
    of: Object.keys(FAILURE_REASONS) as FailureReason[],
    wire: 'failure_reason',
    about: 'Why the payment failed. Present on failed payments.',
    isAddition: true,
    isOptional: true,
    dashboard: 'row',
    value: ({ failureReason }) => failureReason,
  },
  /** Not in a read of one payment, which has no link. */
  linkReference: {
    is: 'text',
    wire: 'external_payment_reference',
    about: 'The reference of the link that was paid.',
    isOptional: true,
    dashboard: 'page',
    words: { fr: 'Référence du lien', en: 'Link’s reference' },
    isInCsv: true,
    value: ({ linkReference }) => linkReference,
  },
  createdBy: {
    is: 'choice',
    of: ['page'],
    wire: 'created_by',
    about: 'Present on a link that a page created without a signed order.',
    isAddition: true,
    isOptional: true,
    value: ({ createdBy }: Maker) => (createdBy === 'page' ? createdBy : null),
  },
  /** An unsigned page's name for its order is not the merchant's own reference (D-57). */
  clientReference: {
    is: 'text',
    wire: 'client_reference',
    about: 'The page’s own reference: neither verified nor unique.',
    isAddition: true,
    isOptional: true,
    value: ({ createdBy, clientReference }: Maker) =>
      createdBy === 'page' ? clientReference : null,
  },
  orderReference: {
    is: 'text',
    wire: 'order_reference',
    about: 'The order, as you sent it or as your server signed it.',
    isAddition: true,
    isOptional: true,
    given: {
      column: 'clientReference',
      about: 'The order: of all payments with it, at most one is pending and at most one succeeds.',
      example: 'basket-12',
    },
    most: LONGEST_EXTERNAL_REFERENCE,
    dashboard: 'page',
    words: { fr: 'Commande', en: 'Order' },
    isInCsv: true,
    value: orderReferenceOf,
  },
  /** By which a merchant finds the money at the operator, once a payment succeeded (D-82). */
  paidThrough: {
    is: 'group',
    wire: 'meta_data',
    about: 'On succeeded and refunded payments: identifies the debit at the operator.',
    isAddition: true,
    isOptional: true,
    value: (payment) => (payment.operator !== null && isPaid(payment) ? payment : null),
    fields: {
      operator: {
        is: 'text',
        wire: 'operator',
        about: `Such as \`mtn_bj\`; on a link paid in another way, the method: ${OTHER_WAYS}.`,
        value: ({ operator }) => operator,
      },
      operatorReference: {
        is: 'text',
        wire: 'operator_reference',
        about: 'The operator’s reference of the debit, if it gave one.',
        isOptional: true,
        value: ({ operatorReference }) => operatorReference || null,
      },
    } satisfies Fields<SeenPayment>,
  },
  metadata: {
    is: 'texts',
    wire: 'metadata',
    about: 'Your own data, returned in reads, lists and events.',
    isAddition: true,
    isOptional: true,
    given: {
      column: 'metadata',
      about: 'Your own data, returned in reads, lists and events.',
      example: { shop: 'Niamey' },
    },
    dashboard: 'page',
    words: { fr: 'Métadonnées', en: 'Metadata' },
    isInCsv: true,
    personal: 'removed',
    value: ({ metadata }: Pick<Payment, 'metadata'>) => metadata,
  },
} as const satisfies Readonly<Record<string, Fields<SeenPayment>[string] & Given>>

/** What a list adds to each payment. */
export const LISTED_PAYMENT_FIELDS = {
  createdAt: {
    is: 'time',
    wire: 'created_at',
    about: 'When the payment was recorded.',
    dashboard: 'row',
    value: ({ createdAt }) => createdAt,
  },
  refundedAmount: {
    is: 'francs',
    wire: 'refunded_amount',
    about: 'What was refunded, whole or in part; absent when nothing was.',
    isOptional: true,
    value: ({ refundedXof }) => refundedXof || null,
  },
  /** Left out without a tariff: an unknown fee is not 0 (D-158). */
  fee: {
    is: 'group',
    wire: 'fee',
    about:
      'What the network takes. Absent on failed and unpaid payments, and where the connection has no tariff.',
    isOptional: true,
    dashboard: 'row',
    value: ({ fee }) => fee,
    fields: {
      basis: {
        is: 'choice',
        of: ['tariff', 'statement'],
        wire: 'basis',
        about:
          '`tariff`: expected by the connection’s tariff. `statement`: taken, by the network’s own statement.',
        value: ({ basis }) => basis,
      },
      amount: {
        is: 'francs',
        wire: 'amount',
        about: 'The fee in francs.',
        value: ({ feeXof }) => feeXof,
      },
      tax: {
        is: 'francs',
        wire: 'tax',
        about: 'The tax on the fee; 0 before the statement.',
        value: ({ taxXof }) => taxXof,
      },
      net: {
        is: 'francs',
        wire: 'net',
        about: 'The payment’s amount without fee and tax. Refunds are not taken off.',
        value: ({ netXof }) => netXof,
      },
    } satisfies Fields<NonNullable<PaymentMoney['fee']>>,
  },
} as const satisfies Fields<ListedPayment & Pick<PaymentMoney, 'fee'>>

/** What only people see, on the dashboard and in the CSV export, and commands and archives. */
export const KEPT_PAYMENT_FIELDS = {
  operator: {
    is: 'text',
    wire: 'operator',
    about: 'Whose customer the payer is; of a link paid in another way, the method.',
    isOptional: true,
    dashboard: 'row',
    value: ({ operator }) => operator,
  },
  payerName: {
    is: 'text',
    wire: 'customer_name',
    about: 'The name of the customer.',
    isOptional: true,
    dashboard: 'row',
    words: { fr: 'Nom', en: 'Name' },
    isInCsv: true,
    value: ({ customerName }) => customerName,
  },
  operatorReference: {
    is: 'text',
    wire: 'operator_reference',
    about: 'The operator’s reference of the debit.',
    isOptional: true,
    dashboard: 'page',
    words: { fr: 'Référence de l’opérateur', en: 'Operator’s reference' },
    isInCsv: true,
    value: ({ operatorReference }) => operatorReference,
  },
  linkTitle: {
    is: 'text',
    wire: 'link_title',
    about: 'The title of the link that was paid.',
    isOptional: true,
    dashboard: 'page',
    words: { fr: 'Lien', en: 'Link' },
    isInCsv: true,
    value: ({ linkTitle }) => linkTitle,
  },
} as const satisfies Fields<ListedPayment>

// What a merchant may add to an order, by the names of its rows.

type PaymentFields = typeof PAYMENT_FIELDS

export type Addition = {
  [Name in keyof PaymentFields]: PaymentFields[Name] extends { given: object } ? Name : never
}[keyof PaymentFields]

export const ADDITIONS = (Object.keys(PAYMENT_FIELDS) as (keyof PaymentFields)[]).filter(
  (name): name is Addition => 'given' in PAYMENT_FIELDS[name],
)

/** These rows alone, for views of a payment that have fields of their own. */
export const ADDED_FIELDS = Object.fromEntries(
  ADDITIONS.map((name) => [name, PAYMENT_FIELDS[name]]),
) as Pick<PaymentFields, Addition>

/** The columns of a payment that hold them. */
export const ADDED_COLUMNS = ADDITIONS.map((name) => PAYMENT_FIELDS[name].given.column)

/** Of a payment to which the merchant added nothing. */
export const NOTHING_ADDED = Object.fromEntries(
  ADDED_COLUMNS.map((column) => [column, null]),
) as Record<(typeof ADDED_COLUMNS)[number], null>
