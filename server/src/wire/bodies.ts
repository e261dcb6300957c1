// Every body of the merchant API, described once with zod: OpenAPI's components, the SDK's types and the types of the
// readers and writers in wire/ come from here. Other modules import types only. The checks of domain/ decide what is
// refused and in which order, so no request is parsed with these schemas; a test compares both.
import { z } from 'zod'
import { COUNTRIES } from '../domain/country.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { LONGEST_CUSTOMER_NAME, LONGEST_EXTERNAL_REFERENCE } from '../domain/free-text.ts'
import { ENTRY_KINDS, LEDGER_ACCOUNTS } from '../domain/ledger.ts'
import { AMOUNT_DIGITS, CURRENCY, MAXIMUM_XOF, MINIMUM_XOF } from '../domain/money.ts'
import { LONGEST_MSISDN } from '../domain/msisdn.ts'
import { METADATA_LIMITS } from '../domain/payment.ts'
import {
  CHOSEN_LINK_REFERENCE_FORM,
  LIFE_MINUTES,
  LINK_LIFE_MS,
  LINK_REFERENCE_FORM,
  LONGEST_DESCRIPTION,
  LONGEST_TITLE,
  MOST_SUGGESTED,
} from '../domain/payment-link.ts'
import { FAILURE_REASONS, type FailureReason, STATUSES } from '../domain/payment-status.ts'
import { STATEMENT_PERIODS } from '../domain/ready-statement.ts'
import { MOST_REFUNDS } from '../domain/refund.ts'
import { SETTLEMENT_STATES } from '../domain/settlement.ts'
import { LINE_TYPES } from '../domain/statement.ts'
import { LONGEST_REDIRECTION_URL } from '../domain/web-address.ts'
import { PAYMENT_EVENTS, REFUND_EVENTS } from '../domain/webhook-event.ts'

/** A length in characters, as JSON Schema and the checks count them: zod's own `max` counts an emoji twice. */
const text = (most: number) =>
  z
    .string()
    .refine((value) => [...value].length <= most)
    .meta({ maxLength: most })
const filled = (most: number) => text(most).min(1)
const time = z.iso.datetime()
const status = z.enum(STATUSES)
const environment = z.enum(ENVIRONMENTS)
const failureReasons = Object.keys(FAILURE_REASONS) as [FailureReason, ...FailureReason[]]

/** A field that the original contract does not have. */
const added = <Field extends z.ZodType>(field: Field, description: string): Field =>
  field.meta({ ...field.meta(), description: `An addition to the contract. ${description}`, 'x-addition': true })

const francs = z.int().min(MINIMUM_XOF.live).max(MAXIMUM_XOF)
const amountToPay = z
  .union([
    francs,
    z
      .string()
      .regex(AMOUNT_DIGITS)
      .refine((digits) => Number(digits) >= MINIMUM_XOF.live),
  ])
  .describe(
    `Whole francs, as an integer or a string such as "5000" or "5000.00". At least ${MINIMUM_XOF.live} in live and ${MINIMUM_XOF.sandbox} in sandbox.`,
  )

/** D-89 */
const metadata = added(
  z
    .record(filled(METADATA_LIMITS.key), text(METADATA_LIMITS.value))
    .refine((fields) => Object.keys(fields).length <= METADATA_LIMITS.keys)
    .meta({ maxProperties: METADATA_LIMITS.keys }),
  'Your own data, returned in reads, lists and events.',
)

/** D-90 */
const orderReference = added(
  filled(LONGEST_EXTERNAL_REFERENCE),
  'The order: of all payments with it, at most one is pending and at most one succeeds.',
)

const PAYMENT_ORDER_EXAMPLE = {
  ...{ amount: 1500, country: 'NE', currency: 'XOF', msisdn: '+227 96 12 34 56' },
  ...{ transaction_id: 'order-2026-0001', customer_name: 'Awa Diallo' },
}

const PAYMENT_EXAMPLE = {
  public_reference: 'XF5X-ZEBB-9',
  external_reference: 'order-2026-0001',
  reference: '60dvs8n73hy897smacktapcy',
  status: 'succeeded',
  msisdn: '+227 96 12 34 56',
  amount: 1500,
  validated_at: '2026-11-15T09:30:00.000Z',
  meta_data: { operator: 'airtel_ne', operator_reference: 'MP261115.0930.A00001' },
}

const { reference, public_reference } = PAYMENT_EXAMPLE
const CREATED_EXAMPLE = { status: 'pending', reference, public_reference, meta_data: { operator: 'airtel_ne' } }

const transactionId = filled(LONGEST_EXTERNAL_REFERENCE).describe('Your reference, unique in your account.')

const PaymentOrder = z
  .object({
    amount: amountToPay,
    country: z.enum(COUNTRIES),
    currency: z.enum([CURRENCY]),
    msisdn: text(LONGEST_MSISDN).describe('The payer’s number; it must belong to the country.'),
    transaction_id: transactionId,
    customer_name: filled(LONGEST_CUSTOMER_NAME),
    order_reference: orderReference.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'PaymentOrder', examples: [PAYMENT_ORDER_EXAMPLE] })

const CreatedPayment = z
  .object({
    status,
    reference: z.string(),
    public_reference: z.string().describe('For the customer.'),
    meta_data: z.looseObject({}).optional(),
  })
  .meta({ id: 'CreatedPayment', examples: [CREATED_EXAMPLE] })

const payment = z.object({
  public_reference: z.string(),
  external_reference: z.string().describe('Your transaction_id, or the reference of a link without one.'),
  reference: z.string(),
  status,
  msisdn: z.string().describe('As you sent it. Absent if a link was paid by another method.').optional(),
  amount: z.int(),
  validated_at: time.describe('Present once the payment succeeded.').optional(),
  failure_reason: added(z.enum(failureReasons), 'Present on failed payments.').optional(),
  created_by: added(z.enum(['page']), 'On a link created by a page without a signed order (D-57).').optional(),
  client_reference: added(z.string(), 'The page’s own reference: neither verified nor unique.').optional(),
  order_reference: added(z.string(), 'As you sent it, or as your server signed it.').optional(),
  // The answer to a creation knows no reference of the debit yet (D-82).
  meta_data: added(
    z.object({
      operator: z.string().describe('Such as `mtn_bj`; on a link paid on a provider’s page, `bank_card` or `wallet`.'),
      operator_reference: z.string().describe('The operator’s reference of the debit, if it gave one.').optional(),
    }),
    'On succeeded and refunded payments: identifies the debit at the operator.',
  ).optional(),
  metadata: metadata.optional(),
})

const Payment = payment.meta({ id: 'Payment', examples: [PAYMENT_EXAMPLE] })

const EventPayment = payment
  .extend({ external_payment_reference: z.string().describe('The reference of the link that was paid.').optional() })
  .meta({ id: 'EventPayment' })

/** D-158 */
const fee = z.object({
  basis: z
    .enum(['tariff', 'statement'])
    .describe('`tariff`: expected by the connection’s tariff. `statement`: taken, by the network’s own statement.'),
  amount: z.int(),
  tax: z.int().describe('0 before the statement.'),
  net: z.int().describe('The payment’s amount without fee and tax. Refunds are not taken off.'),
})

const ListedPayment = EventPayment.extend({
  created_at: time,
  refunded_amount: z.int().describe('What was refunded, whole or in part; absent when nothing was.').optional(),
  fee: fee
    .describe('What the network takes. Absent on failed and unpaid payments, and where the connection has no tariff.')
    .optional(),
}).meta({ id: 'ListedPayment' })

const PaymentList = z
  .object({
    data: z.array(ListedPayment),
    next: z.string().nullable().describe('The `after` of the next page; null on the last page.'),
  })
  .meta({
    id: 'PaymentList',
    examples: [{ data: [{ ...PAYMENT_EXAMPLE, created_at: '2026-11-15T09:29:41.000Z' }], next: null }],
  })

const REFUND_EXAMPLE = {
  ...{ reference: '60e1a7p4c2k9w8xmz3dv5tnq', refund_id: 'retour-7', payment_reference: reference, amount: 500 },
  ...{ status: 'pending', created_at: '2026-11-16T08:00:00.000Z', updated_at: '2026-11-16T08:00:00.000Z' },
}

const RefundOrder = z
  .object({
    amount: z.int().min(1).max(MAXIMUM_XOF).describe('Without it, what is left of the payment is refunded.').optional(),
    refund_id: z
      .string()
      .min(1)
      .max(LONGEST_EXTERNAL_REFERENCE)
      .describe(
        'Your own name of this refund, for this payment. A repeated request with it returns the first refund; with another amount it is refused.',
      )
      .optional(),
  })
  .meta({ id: 'RefundOrder', examples: [{ amount: 500, refund_id: 'retour-7' }] })

const refundReason = z
  .enum([...failureReasons, 'approval_rejected'])
  .describe('Present on failed refunds.')
  .optional()

/** D-87, D-154 */
const OneRefund = z
  .object({
    reference: z.string(),
    refund_id: z.string().optional(),
    payment_reference: z.string(),
    amount: z.int(),
    status: z
      .enum(['waiting_for_approval', 'pending', 'succeeded', 'failed', 'by_hand'])
      .describe(
        'waiting_for_approval: the payment’s refunds are above the service’s limit, and a second person must approve it. by_hand: the network has no refund call, and a person makes the refund.',
      ),
    reason: refundReason,
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'OneRefund' })

const refundedAmount = z.int().describe('What the payment’s refunds have given back so far.')

const Refund = OneRefund.extend({
  refunded_amount: refundedAmount,
  remaining_amount: z.int().describe('What can still be refunded: neither given back nor requested.'),
  refunds: z
    .array(OneRefund)
    .max(MOST_REFUNDS + 1)
    .describe('Every refund of the payment; those that failed come last.'),
}).meta({
  id: 'Refund',
  examples: [{ ...REFUND_EXAMPLE, refunded_amount: 0, remaining_amount: 1000, refunds: [REFUND_EXAMPLE] }],
})

const LINK_ORDER_EXAMPLE = { amount: 15000, title: 'Commande 12', description: 'Deux pagnes', transaction_id: 'cmd-12' }

/** Of a link without an amount, and of a reusable one (D-92). */
const linkTerms = {
  minimum_amount: francs.describe('The payer chooses the amount, at least this.').optional(),
  suggested_amounts: z.array(francs).max(MOST_SUGGESTED).optional(),
  reusable: z.boolean().describe('Each payer gets their own payment.').optional(),
}

/** The fields of a link that a page may set (D-52). */
const pageLinkOrder = z.object({
  amount: amountToPay.optional(),
  title: filled(LONGEST_TITLE).optional(),
  description: text(LONGEST_DESCRIPTION).optional(),
  transaction_id: transactionId.optional(),
  customer_name: filled(LONGEST_CUSTOMER_NAME).optional(),
  on_success_redirection_url: text(LONGEST_REDIRECTION_URL).meta({ format: 'uri' }).optional(),
  on_failed_redirection_url: text(LONGEST_REDIRECTION_URL).meta({ format: 'uri' }).optional(),
})

const LinkOrder = pageLinkOrder
  .extend({
    title: filled(LONGEST_TITLE),
    ...linkTerms,
    expires_in_minutes: z
      .int()
      .min(LIFE_MINUTES.least)
      .max(LIFE_MINUTES.most)
      .describe('Without it, a reusable link does not expire.')
      .optional(),
    reference: z
      .string()
      .regex(CHOSEN_LINK_REFERENCE_FORM)
      .describe('Your own random reference; without it, the service creates one.')
      .optional(),
    order_reference: orderReference.optional(),
    metadata: metadata.optional(),
    shouldExpire: z
      .boolean()
      .default(true)
      .describe(`After ${LINK_LIFE_MS / 60_000} minutes.`),
  })
  .refine(({ amount, minimum_amount: minimum }) => amount !== undefined || minimum !== undefined)
  .meta({
    id: 'LinkOrder',
    anyOf: [{ required: ['amount'] }, { required: ['minimum_amount'] }],
    examples: [LINK_ORDER_EXAMPLE],
  })

const PageLinkOrder = pageLinkOrder
  .extend({
    order: z
      .string()
      .describe(
        'Signed by your server: base64url of JSON with amount, title, transaction_id, order_reference and expires_at, a dot, and its HMAC. The page’s own amount, title, description and transaction_id are then ignored. Without it, transaction_id is kept as client_reference and reserves nothing.',
      )
      .optional(),
  })
  .refine(({ amount, title, order }) => order !== undefined || (amount !== undefined && title !== undefined))
  .meta({
    id: 'PageLinkOrder',
    anyOf: [{ required: ['amount', 'title'] }, { required: ['order'] }],
    examples: [LINK_ORDER_EXAMPLE],
  })

const LINK_EXAMPLE = {
  reference: '5f0c2a7d9be14c3e8a61f2b07d4c95e3',
  status: 'initiated',
  amount: 15000,
  currency: 'XOF',
  title: 'Commande 12',
  description: 'Deux pagnes',
  expires_at: '2026-11-15T10:00:00.000Z',
  public_reference: 'K7QF-3MZP-2',
}

/** The fields of a link that anyone with its address may read, paid or not (D-24). */
const link = z.object({
  reference: z.string().regex(LINK_REFERENCE_FORM),
  status,
  amount: z.int().describe('Absent until the payer chooses it (D-92).').optional(),
  ...linkTerms,
  currency: z.enum([CURRENCY]),
  title: z.string(),
  description: z.string().optional(),
  expires_at: time.describe('Absent on a link that does not expire.').optional(),
  public_reference: z.string(),
})

const CreatedLink = link.extend({ page_url: z.url().describe('The payer’s page.') }).meta({
  id: 'CreatedLink',
  examples: [{ ...LINK_EXAMPLE, page_url: `https://karba.example/pay/${LINK_EXAMPLE.reference}` }],
})

const Link = link
  .extend({
    payments_count: z.int().describe('On a reusable link: the number of payments, without refunded ones.').optional(),
    collected_amount: z.int().describe('On a reusable link: the sum of those payments.').optional(),
    validated_at: time.describe('Present once it is paid.').optional(),
    transaction_id: z.string().describe('The service’s payment reference, once it is paid.').optional(),
  })
  .meta({ id: 'Link', examples: [LINK_EXAMPLE] })

/** The fields of every event, as webhooks carry them and the feed repeats them (D-26, D-47). */
const event = z.object({
  sequence: z.int().describe('The position in the feed, without gaps. Absent in a webhook.').optional(),
  replay: z.int().describe('The count of replays. Only in `replays`.').optional(),
  id: z.string().describe('The same in every delivery of this event.'),
  created_at: time,
  environment,
})

const PaymentEvent = event.extend({ event: z.enum(PAYMENT_EVENTS), data: EventPayment }).meta({ id: 'PaymentEvent' })

const RefundedPayment = EventPayment.extend({
  refunded_amount: refundedAmount,
  refund: z.object({
    reference: z.string(),
    refund_id: z.string().optional(),
    amount: z.int(),
    status: z.enum(['succeeded', 'failed']),
    reason: refundReason,
  }),
}).meta({ id: 'RefundedPayment', description: 'The payment, and the refund that has ended.' })

const RefundEvent = event.extend({ event: z.enum(REFUND_EVENTS), data: RefundedPayment }).meta({ id: 'RefundEvent' })

const WebhookTest = z
  .object({ endpoint: z.string(), message: z.string() })
  .meta({ id: 'WebhookTest', description: 'The data of `webhook.test`: no payment has changed.' })

const TestEvent = event.extend({ event: z.literal('webhook.test'), data: WebhookTest }).meta({ id: 'TestEvent' })

/** A statement without its movements. */
const statementSums = {
  connection: z.string(),
  from: z.iso.date(),
  to: z.iso.date(),
  opening: z.int().describe('What you had at the network before the first day.'),
  collected: z.int(),
  refunded: z.int().describe('Zero or negative, like fees, taxes and what was withheld or settled.'),
  fees: z.int(),
  taxes: z.int(),
  withheld: z.int(),
  settled: z.int(),
  unexplained: z.int().describe('Lines of the network’s statement that no payment explains.'),
  closing: z.int().describe('The opening plus all of the above.'),
  confirmed: z.int().describe('The part of the collected amount that the network’s own statement confirms.'),
}

/** D-156 */
const StatementReady = z
  .object({
    period: z.enum(STATEMENT_PERIODS),
    from: z.iso.date(),
    to: z.iso.date(),
    statements: z.array(z.object(statementSums)).describe('One for each connection with movements.'),
  })
  .meta({
    id: 'StatementReady',
    description: 'The data of `statement.ready`. A line that the network reports later may still change the day.',
  })

const StatementEvent = event
  .extend({ event: z.literal('statement.ready'), data: StatementReady })
  .meta({ id: 'StatementEvent' })

const EVENT_EXAMPLE = {
  id: 'evt_60dvtq2x9m4c81hz5k3nbw7e',
  event: 'payment.succeeded',
  created_at: '2026-11-15T09:30:00.000Z',
  environment: 'sandbox',
  data: PAYMENT_EXAMPLE,
}

const Event = z
  .discriminatedUnion('event', [PaymentEvent, RefundEvent, StatementEvent, TestEvent])
  .meta({ id: 'Event', examples: [EVENT_EXAMPLE] })

const FEED_EXAMPLE = {
  ...{
    events: [{ sequence: 1, ...EVENT_EXAMPLE }],
    replays: [],
    has_more: false,
    next: { after: 1, replays_after: 0 },
  },
}

const Feed = z
  .object({
    events: z.array(Event),
    replays: z.array(Event),
    has_more: z.boolean(),
    next: z.object({ after: z.int(), replays_after: z.int() }).describe('The parameters of the next request.'),
  })
  .meta({ id: 'Feed', examples: [FEED_EXAMPLE] })

const ACCOUNT_EXAMPLE = {
  ...{ account_id: 'acc_0123456789ab', merchant: 'Boutique Awa', environment: 'sandbox', status: 'validated' },
  endpoints: [{ url: 'https://shop.example/hook', status: 'on', failing_since: null }],
  operators: [{ country: 'NE', operator: 'airtel_ne', name: 'Airtel Money', state: 'up' }],
}

/** D-85 */
const Account = z
  .object({
    account_id: z.string(),
    merchant: z.string().describe('The name that payers see.'),
    environment,
    status: z.enum(['unvalidated', 'validated', 'suspended']),
    endpoints: z.array(
      z.object({ url: z.url(), status: z.enum(['on', 'off', 'gone']), failing_since: time.nullable() }),
    ),
    operators: z.array(
      z.object({
        country: z.enum(COUNTRIES),
        operator: z.string(),
        name: z.string().describe('The name that payers know.'),
        state: z.enum(['up', 'down', 'paused']).describe('down: payments wait. paused: creates are refused.'),
      }),
    ),
  })
  .meta({ id: 'Account', examples: [ACCOUNT_EXAMPLE] })

const whereMoneyIs = {
  to_receive: z.int().describe('Paid by payers, and not yet confirmed by the network’s statement.'),
  in_wallet: z.int().describe('In your wallet at the network, as its statement shows it.'),
  in_transit: z.int().describe('On its way from the wallet to your bank.'),
  in_bank: z.int().describe('Confirmed at your bank.'),
  withheld: z.int().describe('Blocked by the network.'),
}
const WHERE_EXAMPLE = { to_receive: 12_500, in_wallet: 0, in_transit: 0, in_bank: 0, withheld: 0 }

/** D-153 */
const Balance = z
  .object({ ...whereMoneyIs, connections: z.array(z.object({ connection: z.string(), ...whereMoneyIs })) })
  .meta({
    id: 'Balance',
    examples: [{ ...WHERE_EXAMPLE, connections: [{ connection: 'mtn-benin', ...WHERE_EXAMPLE }] }],
  })

const ledgerAccount = z.enum(LEDGER_ACCOUNTS)

const Entry = z
  .object({
    entry: z.int().min(1).describe('Counts up by one within the account, without a gap.'),
    kind: z.enum(ENTRY_KINDS).describe('reversal: the network gave the money back on its own.'),
    debit: ledgerAccount,
    credit: ledgerAccount,
    amount: z.int().min(1),
    connection: z.string(),
    booked_at: time,
    value_date: z.iso.date().describe('The day in Niamey and Porto-Novo.'),
    payment_reference: z.string().optional(),
    refund_reference: z.string().optional(),
  })
  .meta({ id: 'Entry' })

const EntryList = z
  .object({
    data: z.array(Entry),
    next: z.int().nullable().describe('The `after` of the next page; null when there is no later entry yet.'),
  })
  .meta({
    id: 'EntryList',
    examples: [
      {
        data: [
          {
            entry: 1,
            kind: 'payment',
            debit: 'receivable',
            credit: 'sales',
            amount: 12_500,
            connection: 'mtn-benin',
            booked_at: '2026-11-15T09:30:12.000Z',
            value_date: '2026-11-15',
            payment_reference: PAYMENT_EXAMPLE.reference,
          },
        ],
        next: null,
      },
    ],
  })

const Statement = z
  .object({
    ...statementSums,
    movements: z.array(
      z.object({
        entry: z.int().min(1),
        kind: z.enum(ENTRY_KINDS),
        amount: z.int(),
        balance: z.int(),
        booked_at: time,
        value_date: z.iso.date(),
        is_confirmed: z.boolean(),
        payment_reference: z.string().optional(),
        public_reference: z.string().optional(),
        external_reference: z.string().optional(),
        refund_reference: z.string().optional(),
        operator_reference: z.string().optional(),
      }),
    ),
  })
  .meta({
    id: 'Statement',
    examples: [
      {
        ...{ connection: 'mtn-benin', from: '2026-11-01', to: '2026-11-30', opening: 0, collected: 12_500 },
        ...{ refunded: 0, fees: -188, taxes: 0, withheld: 0, settled: 0, unexplained: 0, closing: 12_312 },
        ...{ confirmed: 12_500, movements: [] },
      },
    ],
  })

const Settlement = z
  .object({
    settlement: z.string().describe('Its name.'),
    connection: z.string(),
    amount: z.int().describe('What left the wallet; negative for money that came back.'),
    status: z
      .enum(SETTLEMENT_STATES)
      .describe('in_transit: on its way to your bank. received: you confirmed it. returned: it came back.'),
    left_at: time,
    left_on: z.iso.date(),
    operator_reference: z.string().optional(),
    received_amount: z.int().optional().describe('What your bank has, as you confirmed it.'),
    received_on: z.iso.date().optional(),
    bank_reference: z.string().optional().describe('Your bank’s own reference, as you gave it.'),
  })
  .meta({
    id: 'Settlement',
    examples: [
      {
        ...{ settlement: 'mtn-benin-412', connection: 'mtn-benin', amount: 250_000, status: 'in_transit' },
        ...{ left_at: '2026-11-15T17:00:00.000Z', left_on: '2026-11-15' },
      },
    ],
  })

const SettlementList = z
  .object({ data: z.array(Settlement), next: z.string().nullable().describe('The `after` of the next page.') })
  .meta({ id: 'SettlementList', examples: [{ data: [], next: null }] })

const SettlementLines = Settlement.extend({
  collected: z.int().describe('Of the lines since the settlement before.'),
  refunded: z.int().describe('Zero or negative, like fees and taxes.'),
  fees: z.int(),
  taxes: z.int(),
  other: z.int().describe('Top-ups, money withheld or released, and corrections by the network.'),
  lines: z.array(
    z.object({
      type: z.enum(LINE_TYPES),
      amount: z.int().describe('Negative for what left the wallet.'),
      fee: z.int().min(0),
      tax: z.int().min(0),
      booked_at: time,
      value_date: z.iso.date(),
      payment_reference: z.string().optional(),
      public_reference: z.string().optional(),
      external_reference: z.string().optional(),
      refund_reference: z.string().optional(),
      operator_reference: z.string().optional(),
    }),
  ),
  next: z.string().nullable(),
}).meta({
  id: 'SettlementLines',
  examples: [
    {
      ...{ settlement: 'mtn-benin-412', connection: 'mtn-benin', amount: 250_000, status: 'in_transit' },
      ...{ left_at: '2026-11-15T17:00:00.000Z', left_on: '2026-11-15', collected: 253_807, refunded: 0 },
      ...{ fees: -3_807, taxes: 0, other: 0, lines: [], next: null },
    },
  ],
})

/** No body is checked with it: the action refuses what is not valid. */
const SettlementReceipt = z
  .object({
    amount: z.int().min(1).describe('What your bank has credited.'),
    received_on: z.iso.date().optional().describe('Today by default.'),
    bank_reference: z.string().max(60).optional().describe('Of the credit on your bank’s statement.'),
  })
  .meta({
    id: 'SettlementReceipt',
    examples: [{ amount: 250_000, received_on: '2026-11-16', bank_reference: 'VIR-88213' }],
  })

const ErrorBody = z.object({ message: z.string() }).meta({ id: 'Error' })

const FailureBody = z.object({ status: z.enum(['failed']), message: z.string() }).meta({ id: 'Failure' })

/** By the names of their components in the OpenAPI description. */
export const BODIES = {
  ...{ PaymentOrder, CreatedPayment, Payment, EventPayment, ListedPayment, PaymentList },
  ...{ RefundOrder, OneRefund, Refund, LinkOrder, PageLinkOrder, CreatedLink, Link },
  ...{ PaymentEvent, RefundedPayment, RefundEvent, StatementReady, StatementEvent },
  ...{ WebhookTest, TestEvent, Event, Feed, Account },
  ...{ Balance, Entry, EntryList, Statement, Settlement, SettlementList, SettlementLines, SettlementReceipt },
  ...{ Error: ErrorBody, Failure: FailureBody },
}

/** A checked request body, or a body that the service sends. */
export type Body<Name extends keyof typeof BODIES> = z.input<(typeof BODIES)[Name]>

export type UncheckedBody<Name extends keyof typeof BODIES> = Partial<Record<keyof Body<Name>, unknown>>
