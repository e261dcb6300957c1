// Every body of the merchant API, described once with zod: OpenAPI's components, the SDK's types
// and the types of the readers and writers in wire/ come from here. Other modules import types
// only. The checks of domain/ decide what is refused and in which order, so no request is parsed
// with these schemas; a test compares both.
import { z } from 'zod'
import { STATEMENT_PERIODS } from '../domain/books/account-statement.ts'
import { SETTLED_LINE_FIELDS, SETTLEMENT_FIELDS } from '../domain/books/settlement-fields.ts'
import { COUNTRIES, eachCountry } from '../domain/countries/country.ts'
import { LONGEST_MSISDN } from '../domain/countries/msisdn.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { ENTRY_FIELDS } from '../domain/ledger/entry-fields.ts'
import { ENTRY_KINDS, LEDGER_ACCOUNTS } from '../domain/ledger/ledger.ts'
import {
  CHOSEN_LINK_REFERENCE_FORM,
  LIFE_MINUTES,
  LINK_LIFE_MS,
  LINK_REFERENCE_FORM,
  LONGEST_DESCRIPTION,
  LONGEST_TITLE,
  MOST_SUGGESTED,
} from '../domain/links/payment-link.ts'
import { AMOUNT_DIGITS, CURRENCY, MAXIMUM_XOF, MINIMUM_XOF } from '../domain/payments/money.ts'
import { LISTED_PAYMENT_FIELDS, PAYMENT_FIELDS } from '../domain/payments/payment-fields.ts'
import { STATUSES } from '../domain/payments/payment-status.ts'
import { LONGEST_OVERLAP_MS } from '../domain/people/api-key.ts'
import { MOST_REFUNDS } from '../domain/refunds/refund.ts'
import { LISTED_REFUND_FIELDS, REFUND_FIELDS } from '../domain/refunds/refund-fields.ts'
import { LONGEST_CUSTOMER_NAME, LONGEST_EXTERNAL_REFERENCE } from '../domain/texts/free-text.ts'
import { LONGEST_REDIRECTION_URL } from '../domain/texts/web-address.ts'
import {
  EVENTS,
  MOST_ENDPOINTS,
  PAYMENT_EVENTS,
  REFUND_EVENTS,
  SECRET_HASH_LENGTH,
  USUAL_EVENTS,
} from '../domain/webhooks/webhook-event.ts'
import { additionSchemas, filled, schemaOf, text } from './field-schemas.ts'

const time = z.iso.datetime()
const day = z.iso.date()
const said = (description: string) => z.string().describe(description)
const francsOf = (description: string) => z.int().describe(description)
const status = z.enum(STATUSES).describe(PAYMENT_FIELDS.status.about)
const environment = z.enum(ENVIRONMENTS).describe('`sandbox` moves no money; `live` does.')
const country = z
  .enum(COUNTRIES)
  .describe(
    `The country: ${eachCountry(({ code, names }) => `\`${code}\` for ${names.en}`).join(', ')}.`,
  )
const currency = z.enum([CURRENCY]).describe('Always XOF, the CFA franc of West Africa.')

/** The texts of fields that several bodies have. */
const TEXTS = {
  reference: PAYMENT_FIELDS.reference.about,
  publicReference: PAYMENT_FIELDS.publicReference.about,
  connection: SETTLEMENT_FIELDS.connection.about,
  bookedAt: ENTRY_FIELDS.bookedAt.about,
  valueDate: ENTRY_FIELDS.day.about,
  next: 'The `after` of the next page; null on the last page.',
}

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

const PAYMENT_ORDER_EXAMPLE = {
  amount: 1500,
  country: 'NE',
  currency: 'XOF',
  msisdn: '+227 96 12 34 56',
  transaction_id: 'order-2026-0001',
  customer_name: 'Awa Diallo',
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

const { reference, public_reference, external_reference } = PAYMENT_EXAMPLE
const CREATED_EXAMPLE = {
  status: 'pending',
  reference,
  public_reference,
  meta_data: { operator: 'airtel_ne' },
}

const transactionId = filled(LONGEST_EXTERNAL_REFERENCE).describe(
  'Your reference of this attempt to pay, unique in your account.',
)
const customerName = filled(LONGEST_CUSTOMER_NAME).describe('The name of your customer.')

const PaymentOrder = z
  .object({
    amount: amountToPay,
    country,
    currency,
    msisdn: text(LONGEST_MSISDN).describe(
      'The payer’s mobile money number, with or without country code; it must belong to the country.',
    ),
    transaction_id: transactionId,
    customer_name: customerName,
    ...additionSchemas,
  })
  .meta({
    id: 'PaymentOrder',
    description: 'A mobile money payment request.',
    examples: [PAYMENT_ORDER_EXAMPLE],
  })

const CreatedPayment = z
  .object({
    status,
    reference: said(`${TEXTS.reference} Reads accept it.`),
    public_reference: said(TEXTS.publicReference),
    meta_data: z
      .looseObject({})
      .describe('The mobile operator that gets the request, such as `mtn_bj`.')
      .optional(),
  })
  .meta({
    id: 'CreatedPayment',
    description: 'A recorded payment; its status is not final.',
    examples: [CREATED_EXAMPLE],
  })

const eventPayment = schemaOf(PAYMENT_FIELDS)

const Payment = eventPayment.omit({ external_payment_reference: true }).meta({
  id: 'Payment',
  description: 'A payment with its real status.',
  examples: [PAYMENT_EXAMPLE],
})

const EventPayment = eventPayment.meta({
  id: 'EventPayment',
  description: 'A payment, with the link that it paid.',
})

const ListedPayment = eventPayment
  .extend(schemaOf(LISTED_PAYMENT_FIELDS).shape)
  .meta({ id: 'ListedPayment', description: 'A payment of the list, with refunds and fee.' })

const PaymentList = z
  .object({
    data: z.array(ListedPayment).describe('The payments, newest first.'),
    next: said(TEXTS.next).nullable(),
  })
  .meta({
    id: 'PaymentList',
    description: 'A page of payments.',
    examples: [
      { data: [{ ...PAYMENT_EXAMPLE, created_at: '2026-11-15T09:29:41.000Z' }], next: null },
    ],
  })

const REFUND_EXAMPLE = {
  reference: '60e1a7p4c2k9w8xmz3dv5tnq',
  refund_id: 'retour-7',
  payment_reference: reference,
  amount: 500,
  status: 'pending',
  created_at: '2026-11-16T08:00:00.000Z',
  updated_at: '2026-11-16T08:00:00.000Z',
}

const RefundOrder = z
  .object({
    amount: z
      .int()
      .min(1)
      .max(MAXIMUM_XOF)
      .describe('The francs to refund. Without it, what is left of the payment is refunded.')
      .optional(),
    refund_id: z
      .string()
      .min(1)
      .max(LONGEST_EXTERNAL_REFERENCE)
      .describe(
        'Your own name of this refund, for this payment. A repeated request with it returns the first refund; with another amount it is refused.',
      )
      .optional(),
  })
  .meta({
    id: 'RefundOrder',
    description: 'A refund, whole or in part.',
    examples: [{ amount: 500, refund_id: 'retour-7' }],
  })

/** D-87, D-154 */
const OneRefund = schemaOf(REFUND_FIELDS).meta({
  id: 'OneRefund',
  description: 'One refund of a payment.',
})

const refundedAmount = z.int().describe('What the payment’s refunds have given back so far.')

const Refund = OneRefund.extend({
  refunded_amount: refundedAmount,
  remaining_amount: z
    .int()
    .describe('What can still be refunded: neither given back nor requested.'),
  refunds: z
    .array(OneRefund)
    .max(MOST_REFUNDS + 1)
    .describe('Every refund of the payment; those that failed come last.'),
}).meta({
  id: 'Refund',
  description: 'The latest refund of a payment, with all of them and what is left.',
  examples: [
    { ...REFUND_EXAMPLE, refunded_amount: 0, remaining_amount: 1000, refunds: [REFUND_EXAMPLE] },
  ],
})

/** D-180 */
const ListedRefund = OneRefund.extend(schemaOf(LISTED_REFUND_FIELDS).shape).meta({
  id: 'ListedRefund',
  description: 'A refund of the list, with the references of its payment.',
})

const RefundList = z
  .object({
    data: z.array(ListedRefund).describe('The refunds, newest first.'),
    next: said(TEXTS.next).nullable(),
  })
  .meta({
    id: 'RefundList',
    description: 'A page of refunds.',
    examples: [{ data: [{ ...REFUND_EXAMPLE, public_reference, external_reference }], next: null }],
  })

const LINK_ORDER_EXAMPLE = {
  amount: 15000,
  title: 'Commande 12',
  description: 'Deux pagnes',
  transaction_id: 'cmd-12',
}

/** Of a link without an amount, and of a reusable one (D-92). */
const linkTerms = {
  minimum_amount: francs.describe('The payer chooses the amount, at least this.').optional(),
  suggested_amounts: z
    .array(francs)
    .max(MOST_SUGGESTED)
    .describe('Amounts that the page offers as buttons when the payer chooses.')
    .optional(),
  reusable: z
    .boolean()
    .describe('A poster: any number of payers, each with their own payment.')
    .optional(),
}

const TITLE_TEXT = 'What is paid for: the heading of the payer’s page.'
const returnAddress = (when: string) =>
  text(LONGEST_REDIRECTION_URL).meta({
    format: 'uri',
    description: `Where the payer’s page returns to ${when}, with \`reference\` and \`status\` in the address. Anyone can type those: read the payment.`,
  })

/** The fields of a link that a page may set (D-52). */
const pageLinkOrder = z.object({
  amount: amountToPay.optional(),
  title: filled(LONGEST_TITLE).describe(TITLE_TEXT).optional(),
  description: text(LONGEST_DESCRIPTION).describe('More about it, below the title.').optional(),
  transaction_id: transactionId.optional(),
  customer_name: customerName.optional(),
  on_success_redirection_url: returnAddress('after a payment that succeeded').optional(),
  on_failed_redirection_url: returnAddress('after a payment that failed').optional(),
})

const LinkOrder = pageLinkOrder
  .extend({
    title: filled(LONGEST_TITLE).describe(TITLE_TEXT),
    ...linkTerms,
    expires_in_minutes: z
      .int()
      .min(LIFE_MINUTES.least)
      .max(LIFE_MINUTES.most)
      .describe('How long the link can be paid. Without it, a reusable link does not expire.')
      .optional(),
    reference: z
      .string()
      .regex(CHOSEN_LINK_REFERENCE_FORM)
      .describe('Your own random reference; without it, the service creates one.')
      .optional(),
    order_reference: additionSchemas.order_reference,
    metadata: additionSchemas.metadata,
    shouldExpire: z
      .boolean()
      .default(true)
      .describe(`Whether the link expires after ${LINK_LIFE_MS / 60_000} minutes.`),
  })
  .refine(({ amount, minimum_amount: minimum }) => amount !== undefined || minimum !== undefined)
  .meta({
    id: 'LinkOrder',
    description: 'A payment link to create, with an amount or a minimum_amount.',
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
  .refine(
    ({ amount, title, order }) =>
      order !== undefined || (amount !== undefined && title !== undefined),
  )
  .meta({
    id: 'PageLinkOrder',
    description: 'A payment link that a page creates: amount and title, or a signed order.',
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
  reference: z
    .string()
    .regex(LINK_REFERENCE_FORM)
    .describe('The link’s reference: its page and reads have it.'),
  status,
  amount: francsOf('The amount in whole francs. Absent until the payer chooses it.').optional(),
  ...linkTerms,
  currency,
  title: said(TITLE_TEXT),
  description: said('More about it, below the title.').optional(),
  expires_at: time
    .describe('Until when it can be paid. Absent on a link that does not expire.')
    .optional(),
  public_reference: said(TEXTS.publicReference),
})

const CreatedLink = link
  .extend({
    page_url: z
      .url()
      .describe('The address of the payer’s page: send it, or show it as a QR code.'),
  })
  .meta({
    id: 'CreatedLink',
    description: 'A payment link with the address of its page.',
    examples: [
      { ...LINK_EXAMPLE, page_url: `https://karba.example/pay/${LINK_EXAMPLE.reference}` },
    ],
  })

const Link = link
  .extend({
    payments_count: z
      .int()
      .describe('On a reusable link: the number of payments, without refunded ones.')
      .optional(),
    collected_amount: z.int().describe('On a reusable link: the sum of those payments.').optional(),
    validated_at: time.describe('When it was paid. Absent before that.').optional(),
    transaction_id: z
      .string()
      .describe('The service’s payment reference, once it is paid.')
      .optional(),
  })
  .meta({
    id: 'Link',
    description: 'A payment link as anyone with its reference sees it.',
    examples: [LINK_EXAMPLE],
  })

/** The fields of every event, as webhooks carry them and the feed repeats them (D-26, D-47). */
const event = z.object({
  sequence: z
    .int()
    .describe('The position in the feed, without gaps. Absent in a webhook.')
    .optional(),
  replay: z.int().describe('The count of replays. Only in `replays`.').optional(),
  id: said('The id of the event, the same in every delivery: store it to handle each event once.'),
  version: z
    .int()
    .describe('The version of this shape: a stored event keeps the one that it was written in.'),
  created_at: time.describe('When the event happened.'),
  environment,
})

const EVENT_TEXT = 'The kind of the event. Answer 2xx to kinds that you do not know.'

const PaymentEvent = event
  .extend({ event: z.enum(PAYMENT_EVENTS).describe(EVENT_TEXT), data: EventPayment })
  .meta({ id: 'PaymentEvent', description: 'A payment has its outcome, or was refunded whole.' })

const RefundedPayment = EventPayment.extend({
  refunded_amount: refundedAmount,
  refund: z
    .object({
      reference: said('The service’s reference of the refund.'),
      refund_id: said('Your own name of the refund, if you gave one.').optional(),
      amount: francsOf('The refunded francs.'),
      status: z.enum(['succeeded', 'failed']).describe('How the refund ended.'),
      reason: OneRefund.shape.reason,
    })
    .describe('The refund that has ended.'),
}).meta({ id: 'RefundedPayment', description: 'The payment, and the refund that has ended.' })

const RefundEvent = event
  .extend({ event: z.enum(REFUND_EVENTS).describe(EVENT_TEXT), data: RefundedPayment })
  .meta({ id: 'RefundEvent', description: 'A refund has ended.' })

const WebhookTest = z
  .object({
    endpoint: said('The id of the endpoint.'),
    message: said('A sentence that says that it is a test.'),
  })
  .meta({ id: 'WebhookTest', description: 'The data of `webhook.test`: no payment has changed.' })

const TestEvent = event
  .extend({ event: z.literal('webhook.test').describe(EVENT_TEXT), data: WebhookTest })
  .meta({ id: 'TestEvent', description: 'A test that you sent from the dashboard or the API.' })

const endpointUrl = 'The address that gets the events: https, and reachable from the internet.'
const subscribed = z
  .array(z.enum(EVENTS))
  .describe(`Which events. Without it, ${USUAL_EVENTS.map((each) => `\`${each}\``).join(' and ')}.`)
const secretHash = z
  .string()
  .min(SECRET_HASH_LENGTH.shortest)
  .max(SECRET_HASH_LENGTH.longest)
  .describe(
    'A value of your choice that every event carries in `Secret-Hash`. Without it, a random one: the signature alone proves the sender.',
  )

/** D-217 */
const WebhookEndpointOrder = z
  .object({
    url: z.url().describe(endpointUrl),
    events: subscribed.optional(),
    secret_hash: secretHash.optional(),
  })
  .meta({
    id: 'WebhookEndpointOrder',
    description: 'A webhook endpoint to create.',
    examples: [{ url: 'https://shop.example.com/karba/events' }],
  })

const WebhookEndpointChange = z
  .object({
    url: z.url().describe(endpointUrl).optional(),
    events: z.array(z.enum(EVENTS)).describe('Which events, in place of those before.').optional(),
    secret_hash: secretHash.describe('A new value for `Secret-Hash`, at once.').optional(),
    status: z
      .enum(['on', 'off'])
      .describe('`off`: deliveries wait until it is `on` again.')
      .optional(),
  })
  .meta({
    id: 'WebhookEndpointChange',
    description: 'What changes of an endpoint. What is left out stays.',
    examples: [{ events: ['payment.succeeded', 'payment.failed', 'refund.succeeded'] }],
  })

const SecretRoll = z
  .object({
    keep_old_minutes: z
      .int()
      .min(0)
      .max(LONGEST_OVERLAP_MS / 60_000)
      .describe(
        'How long events are signed with the old secret too; 0 without it: the old one ends at once.',
      )
      .optional(),
  })
  .meta({
    id: 'SecretRoll',
    description: 'A new signing secret.',
    examples: [{ keep_old_minutes: 60 }],
  })

const ENDPOINT_EXAMPLE = {
  id: 'whe_0123456789abcdef',
  url: 'https://shop.example.com/karba/events',
  events: [...USUAL_EVENTS],
  status: 'on',
  failing_since: null,
  created_at: '2026-11-15T09:00:00.000Z',
}

const endpointStatus = z
  .enum(['on', 'off', 'gone'])
  .describe('`gone`: the endpoint answered 410, and gets nothing until you turn it on.')
const endpointFailing = time
  .nullable()
  .describe('The first of its failures in a row; null while it works.')

const WebhookEndpoint = z
  .object({
    id: said('The id of the endpoint.'),
    url: z.url().describe(endpointUrl),
    events: z.array(z.enum(EVENTS)).describe('The events that it gets.'),
    status: endpointStatus,
    failing_since: endpointFailing,
    created_at: time.describe('When it was created.'),
  })
  .meta({
    id: 'WebhookEndpoint',
    description: 'An address that gets your events.',
    examples: [ENDPOINT_EXAMPLE],
  })

const WebhookEndpointWithSecret = WebhookEndpoint.extend({
  signing_secret: said(
    'The secret that signs its events, `whsec_…`. Store it: no later answer has it.',
  ),
}).meta({
  id: 'WebhookEndpointWithSecret',
  description: 'An endpoint with its new signing secret.',
  examples: [{ ...ENDPOINT_EXAMPLE, signing_secret: 'whsec_…' }],
})

const WebhookEndpointList = z
  .object({
    data: z
      .array(WebhookEndpoint)
      .max(MOST_ENDPOINTS)
      .describe('All endpoints of the account and environment, oldest first.'),
  })
  .meta({
    id: 'WebhookEndpointList',
    description: 'The webhook endpoints of an account.',
    examples: [{ data: [ENDPOINT_EXAMPLE] }],
  })

const DeletedWebhookEndpoint = z
  .object({
    id: said('The id of the endpoint.'),
    deleted: z.literal(true).describe('It gets no event any more; those that waited are dropped.'),
  })
  .meta({
    id: 'DeletedWebhookEndpoint',
    description: 'An endpoint that was deleted.',
    examples: [{ id: ENDPOINT_EXAMPLE.id, deleted: true }],
  })

const SentWebhookTest = z
  .object({
    delivery: said('The delivery, as the dashboard names it.'),
    sequence: z.int().describe('The position of the event in the feed.'),
  })
  .meta({
    id: 'SentWebhookTest',
    description: 'A `webhook.test` event that is on its way.',
    examples: [{ delivery: `${ENDPOINT_EXAMPLE.id}-17`, sequence: 17 }],
  })

/** A statement without its movements. */
const statementSums = {
  connection: said(TEXTS.connection),
  from: day.describe('The first day.'),
  to: day.describe('The last day, included.'),
  is_shared: z
    .boolean()
    .describe(
      'Whether merchants share the wallet: the balances are then what was collected for you, without what the service has paid out to you.',
    ),
  opening: francsOf('What you had at the network before the first day.'),
  collected: francsOf('What payers paid.'),
  refunded: francsOf(
    'What was refunded: zero or negative, like fees, taxes and what was withheld or settled.',
  ),
  fees: francsOf('The network’s fees.'),
  taxes: francsOf('The taxes on the fees.'),
  withheld: francsOf('What the network blocked.'),
  settled: francsOf('What left the wallet for your bank.'),
  unexplained: z.int().describe('Lines of the network’s statement that no payment explains.'),
  other: z
    .int()
    .describe(
      'Lines that people have explained without a payment: top-ups, other income, corrections.',
    ),
  closing: z.int().describe('The opening plus all of the above.'),
  confirmed: z
    .int()
    .describe('The part of the collected amount that the network’s own statement confirms.'),
}

/** D-156 */
const StatementReady = z
  .object({
    period: z.enum(STATEMENT_PERIODS).describe('Whether it is about a day or a month.'),
    from: day.describe('The first day.'),
    to: day.describe('The last day, included.'),
    statements: z
      .array(z.object(statementSums))
      .describe('One for each connection with movements.'),
  })
  .meta({
    id: 'StatementReady',
    description:
      'The data of `statement.ready`. A line that the network reports later may still change the day.',
  })

const StatementEvent = event
  .extend({ event: z.literal('statement.ready').describe(EVENT_TEXT), data: StatementReady })
  .meta({ id: 'StatementEvent', description: 'The statement of a day or month is ready.' })

const EVENT_EXAMPLE = {
  id: 'evt_60dvtq2x9m4c81hz5k3nbw7e',
  event: 'payment.succeeded',
  version: 1,
  created_at: '2026-11-15T09:30:00.000Z',
  environment: 'sandbox',
  data: PAYMENT_EXAMPLE,
}

const Event = z
  .discriminatedUnion('event', [PaymentEvent, RefundEvent, StatementEvent, TestEvent])
  .meta({
    id: 'Event',
    description: 'An event, as a webhook delivers it.',
    examples: [EVENT_EXAMPLE],
  })

const FEED_EXAMPLE = {
  events: [{ sequence: 1, ...EVENT_EXAMPLE }],
  replays: [],
  has_more: false,
  next: { after: 1, replays_after: 0 },
}

const Feed = z
  .object({
    events: z.array(Event).describe('The events, oldest first, without gaps.'),
    replays: z.array(Event).describe('Events that were sent again by hand, if you asked for them.'),
    has_more: z.boolean().describe('Whether there are more now.'),
    next: z
      .object({
        after: z.int().describe('The `after` of the next request.'),
        replays_after: z.int().describe('The `replays_after` of the next request.'),
      })
      .describe('The parameters of the next request.'),
  })
  .meta({ id: 'Feed', description: 'A page of events.', examples: [FEED_EXAMPLE] })

const ACCOUNT_EXAMPLE = {
  account_id: 'acc_0123456789ab',
  merchant: 'Boutique Awa',
  environment: 'sandbox',
  status: 'validated',
  endpoints: [{ url: 'https://shop.example/hook', status: 'on', failing_since: null }],
  operators: [{ country: 'NE', operator: 'airtel_ne', name: 'Airtel Money', state: 'up' }],
}

/** D-85 */
const Account = z
  .object({
    account_id: said('The account of the key.'),
    merchant: said('The name that payers see.'),
    environment,
    status: z
      .enum(['unvalidated', 'validated', 'suspended'])
      .describe('Only a validated account creates payments and links.'),
    endpoints: z
      .array(
        z.object({
          url: z.url().describe('The address of the endpoint.'),
          status: endpointStatus,
          failing_since: endpointFailing,
        }),
      )
      .describe('Your webhook endpoints.'),
    operators: z
      .array(
        z.object({
          country,
          operator: said('The name of the mobile operator in this API, such as `mtn_bj`.'),
          name: said('The name that payers know.'),
          state: z
            .enum(['up', 'down', 'paused'])
            .describe('`down`: payments wait. `paused`: creates are refused.'),
        }),
      )
      .describe('The connected mobile operators.'),
  })
  .meta({
    id: 'Account',
    description: 'The account of a key, and what works now.',
    examples: [ACCOUNT_EXAMPLE],
  })

const whereMoneyIs = {
  to_receive: z.int().describe('Paid by payers, and not yet confirmed by the network’s statement.'),
  in_wallet: z.int().describe('In your wallet at the network, as its statement shows it.'),
  opening: z
    .int()
    .describe(
      'What was in the wallet before its first statement, as the network says: part of in_wallet.',
    ),
  at_service: z
    .int()
    .describe(
      'Yours in wallets that the service shares among merchants, as the networks’ statements show it. What the service has paid out to you is not taken off.',
    ),
  in_transit: z.int().describe('On its way from the wallet to your bank.'),
  in_bank: z.int().describe('Confirmed at your bank.'),
  withheld: z.int().describe('Blocked by the network.'),
  unexplained: z
    .int()
    .describe(
      'Lines of the networks’ statements that no payment explains: already counted in the amounts above. Negative when more left than came.',
    ),
}
const WHERE_EXAMPLE = {
  to_receive: 12_500,
  in_wallet: 0,
  opening: 0,
  at_service: 0,
  in_transit: 0,
  in_bank: 0,
  withheld: 0,
  unexplained: 0,
}

/** D-153 */
const Balance = z
  .object({
    ...whereMoneyIs,
    connections: z
      .array(z.object({ connection: said(TEXTS.connection), ...whereMoneyIs }))
      .describe('The same for each connection.'),
  })
  .meta({
    id: 'Balance',
    description: 'Where your money is, in francs.',
    examples: [{ ...WHERE_EXAMPLE, connections: [{ connection: 'mtn-benin', ...WHERE_EXAMPLE }] }],
  })

const ledgerAccount = z.enum(LEDGER_ACCOUNTS)
const entryKind = z.enum(ENTRY_KINDS).describe(ENTRY_FIELDS.kind.about)

const settledLine = schemaOf(SETTLED_LINE_FIELDS)

/** What a line of money may be about. */
const lineReferences = settledLine.pick({
  payment_reference: true,
  public_reference: true,
  external_reference: true,
  refund_reference: true,
  operator_reference: true,
}).shape

const Entry = schemaOf(ENTRY_FIELDS).meta({
  id: 'Entry',
  description: 'One entry of the ledger, which never changes.',
})

const EntryList = z
  .object({
    data: z.array(Entry).describe('The entries, oldest first.'),
    next: z
      .int()
      .nullable()
      .describe('The `after` of the next page; null when there is no later entry yet.'),
  })
  .meta({
    id: 'EntryList',
    description: 'A page of ledger entries.',
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
    reconciliation: z
      .object({
        not_confirmed: z
          .int()
          .describe('Collected in the period, and not on the network’s statement yet.'),
        on_other_days: z
          .int()
          .describe(
            'Collected in the period; the network has it on days outside it, such as after midnight.',
          ),
        of_other_days: z
          .int()
          .describe('On the network’s statement of the period; collected on days outside it.'),
      })
      .describe(
        'Why `collected` and `confirmed` differ: collected, less not_confirmed and on_other_days, plus of_other_days, is confirmed.',
      ),
    movements: z
      .array(
        z.object({
          entry: z.int().min(1).describe('The ledger entry.'),
          kind: entryKind,
          amount: francsOf('In francs; negative for money that left.'),
          balance: francsOf('The balance after it.'),
          booked_at: time.describe(TEXTS.bookedAt),
          value_date: day.describe(TEXTS.valueDate),
          is_confirmed: z.boolean().describe('Whether the network’s own statement has it.'),
          explained_as: ledgerAccount
            .describe(
              'What a person said that an unexplained line was: the ledger account that it went to.',
            )
            .optional(),
          ...lineReferences,
        }),
      )
      .describe('Every movement of the period, in order.'),
  })
  .meta({
    id: 'Statement',
    description: 'What happened at a connection in a period.',
    examples: [
      {
        connection: 'mtn-benin',
        from: '2026-11-01',
        to: '2026-11-30',
        is_shared: false,
        opening: 0,
        collected: 12_500,
        refunded: 0,
        fees: -188,
        taxes: 0,
        withheld: 0,
        settled: 0,
        unexplained: 0,
        other: 0,
        closing: 12_312,
        confirmed: 12_500,
        movements: [],
        reconciliation: { not_confirmed: 0, on_other_days: 0, of_other_days: 0 },
      },
    ],
  })

const Settlement = schemaOf(SETTLEMENT_FIELDS).meta({
  id: 'Settlement',
  description: 'Money that left a wallet for your bank.',
  examples: [
    {
      settlement: 'mtn-benin-412',
      connection: 'mtn-benin',
      amount: 250_000,
      status: 'in_transit',
      left_at: '2026-11-15T17:00:00.000Z',
      left_on: '2026-11-15',
    },
  ],
})

const SettlementList = z
  .object({
    data: z.array(Settlement).describe('The settlements, newest first.'),
    next: said(TEXTS.next).nullable(),
  })
  .meta({
    id: 'SettlementList',
    description: 'A page of settlements.',
    examples: [{ data: [], next: null }],
  })

const SettlementLines = Settlement.extend({
  collected: francsOf('What payers paid since the settlement before.'),
  refunded: francsOf('What was refunded since then: zero or negative, like fees and taxes.'),
  fees: francsOf('The network’s fees since then.'),
  taxes: francsOf('The taxes on those fees.'),
  other: francsOf('Top-ups, money withheld or released, and corrections by the network.'),
  lines: z
    .array(settledLine)
    .describe('Lines of the network’s statement since the settlement before.'),
  next: said(TEXTS.next).nullable(),
}).meta({
  id: 'SettlementLines',
  description: 'A settlement with the lines behind it.',
  examples: [
    {
      settlement: 'mtn-benin-412',
      connection: 'mtn-benin',
      amount: 250_000,
      status: 'in_transit',
      left_at: '2026-11-15T17:00:00.000Z',
      left_on: '2026-11-15',
      collected: 253_807,
      refunded: 0,
      fees: -3_807,
      taxes: 0,
      other: 0,
      lines: [],
      next: null,
    },
  ],
})

/** No body is checked with it: the action refuses what is not valid. */
const SettlementReceipt = z
  .object({
    amount: z.int().min(1).describe('What your bank has credited.'),
    received_on: day.describe('The day on which your bank had it; today by default.').optional(),
    bank_reference: z
      .string()
      .max(60)
      .optional()
      .describe('The reference of the credit on your bank’s statement.'),
  })
  .meta({
    id: 'SettlementReceipt',
    description: 'What your bank has received.',
    examples: [{ amount: 250_000, received_on: '2026-11-16', bank_reference: 'VIR-88213' }],
  })

const message = said(
  'What is wrong. `Svc-Error-Code` names it, and `Svc-Error-Hint` says what to do.',
)

const ErrorBody = z.object({ message }).meta({ id: 'Error', description: 'The body of an error.' })

const FailureBody = z
  .object({ status: z.enum(['failed']).describe('Always `failed`.'), message })
  .meta({ id: 'Failure', description: 'The body of a 422.' })

/** By the names of their components in the OpenAPI description. */
export const BODIES = {
  PaymentOrder,
  CreatedPayment,
  Payment,
  EventPayment,
  ListedPayment,
  PaymentList,
  RefundOrder,
  OneRefund,
  Refund,
  ListedRefund,
  RefundList,
  LinkOrder,
  PageLinkOrder,
  CreatedLink,
  Link,
  PaymentEvent,
  RefundedPayment,
  RefundEvent,
  StatementReady,
  StatementEvent,
  WebhookTest,
  TestEvent,
  Event,
  Feed,
  WebhookEndpointOrder,
  WebhookEndpointChange,
  SecretRoll,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookEndpointList,
  DeletedWebhookEndpoint,
  SentWebhookTest,
  Account,
  Balance,
  Entry,
  EntryList,
  Statement,
  Settlement,
  SettlementList,
  SettlementLines,
  SettlementReceipt,
  Error: ErrorBody,
  Failure: FailureBody,
}

/** A checked request body, or a body that the service sends. */
export type Body<Name extends keyof typeof BODIES> = z.input<(typeof BODIES)[Name]>

export type UncheckedBody<Name extends keyof typeof BODIES> = Partial<
  Record<keyof Body<Name>, unknown>
>
