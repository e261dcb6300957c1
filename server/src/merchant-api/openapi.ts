// The OpenAPI description (spec §9, version 1.0.0), from contract.ts, wire/bodies.ts and
// wire/refusals.ts.
import { z } from 'zod'
import { STATEMENT_FORMATS } from '../domain/books/account-statement.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { WEBHOOK_TEST_TRIES } from '../domain/limits/try-limit.ts'
import { LINK_REFERENCE_FORM } from '../domain/links/payment-link.ts'
import { LONGEST_EXTERNAL_REFERENCE } from '../domain/texts/free-text.ts'
import { LANGUAGES } from '../domain/texts/language.ts'
import {
  EVENTS,
  FEED_LIMIT,
  LONGEST_AFTER,
  MOST_ENDPOINTS,
} from '../domain/webhooks/webhook-event.ts'
import { BODIES } from '../wire/bodies.ts'
import {
  ERRORS_PATH,
  GENERAL_ERRORS,
  type GeneralError,
  LONGEST_HINT,
  type WireError,
} from '../wire/error.ts'
import { LONGEST_WAIT_SECONDS } from '../wire/payment.ts'
import {
  ENTRY_QUERY,
  PAYMENT_QUERY,
  type Query,
  REFUND_QUERY,
  SETTLEMENT_LINES_QUERY,
  SETTLEMENT_QUERY,
} from '../wire/queries.ts'
import { WIRE_ERRORS } from '../wire/refusals.ts'
import { codeSamples, receiverSamples } from './code-samples.ts'
import {
  BASE_PATH,
  type BodyName,
  generalErrorsOf,
  isAddition,
  OPERATIONS,
  type Operation,
  type OperationId,
} from './contract.ts'
import { EXPOSED_HEADERS, PREFLIGHT_HEADERS } from './page-links.ts'

type Json = Record<string, unknown>

/** The groups of the reference, in the order of a merchant's day: the contract first. */
const TAGS: readonly Tag[] = [
  {
    name: 'Payments',
    group: 'Contract',
    about:
      'Send a mobile money payment request to the payer’s phone, then read its real status. Deliver only when a read or a webhook says `succeeded`.',
    operations: ['createPayment', 'readPayment'],
  },
  {
    name: 'Payment links',
    group: 'Contract',
    about: 'A page on which anyone with its address pays by mobile money, card or wallet.',
    operations: ['createLink', 'readLink'],
  },
  {
    name: 'Webhooks',
    group: 'Contract',
    about: 'The service posts an event to your endpoint when a payment succeeds or fails.',
    operations: [],
  },
  {
    name: 'Lists',
    group: 'API extensions',
    about: 'Payments by state, time and operator.',
    operations: ['listPayments'],
  },
  {
    name: 'Refunds',
    group: 'API extensions',
    about: 'Give money back to the payer, whole or in part.',
    operations: ['refundPayment', 'readRefund', 'listRefunds'],
  },
  {
    name: 'Links and the button',
    group: 'API extensions',
    about: 'Close a link, or create one from a page of your site with the public key.',
    operations: ['cancelLink', 'createLinkFromPage'],
  },
  {
    name: 'Webhook endpoints',
    group: 'API extensions',
    about:
      'The addresses that get your events: a plugin registers its own. In live they need a key with the permission `webhooks`, which has no other.',
    operations: [
      'createWebhookEndpoint',
      'listWebhookEndpoints',
      'changeWebhookEndpoint',
      'rollWebhookSecret',
      'testWebhookEndpoint',
      'deleteWebhookEndpoint',
    ],
  },
  {
    name: 'Event feed',
    group: 'API extensions',
    about: 'Every event in order, to catch up after an outage of your endpoint.',
    operations: ['listEvents'],
  },
  {
    name: 'Money',
    group: 'API extensions',
    about: 'Where your money is, statements for your accounting, and what reached your bank.',
    operations: [
      'readBalance',
      'listEntries',
      'readStatement',
      'downloadMonth',
      'listSettlements',
      'readSettlement',
      'confirmSettlement',
    ],
  },
  {
    name: 'Account',
    group: 'API extensions',
    about: 'Check a key, and what works now.',
    operations: ['showAccount'],
  },
]

interface Tag {
  name: string
  group: 'Contract' | 'API extensions'
  about: string
  operations: readonly OperationId[]
}

const tagOf = (id: OperationId): string | undefined =>
  TAGS.find(({ operations }) => operations.includes(id))?.name

interface About {
  summary: string
  /** When to call it and what it does, in the words of the guides. */
  about: string
  /** The description of the 200. */
  success: string
  request?: BodyName
  isRequestOptional?: true
  /** What the 200 is besides JSON, or instead of it. */
  otherContent?: Json
  parameters?: readonly object[]
}

const text = { type: 'string' } as const
const day = { ...text, format: 'date' } as const
const integer = { type: 'integer' } as const
const limitOf = ({ usual, most }: { usual: number; most: number }): Json => ({
  ...integer,
  minimum: 1,
  maximum: most,
  default: usual,
})

const bytes = { schema: { ...text, format: 'binary' } } as const

const STATEMENT_FILES = {
  'text/csv': bytes,
  'application/xml': bytes,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': bytes,
  'application/pdf': bytes,
}

const ABOUT: Readonly<Record<OperationId, About>> = {
  createPayment: {
    summary: 'Create a mobile money payment request',
    about:
      'Asks the payer to approve on the phone. When an answer is lost, send the same request again: a taken `transaction_id` gets 422 and records nothing.',
    success: 'Recorded. The status is not final: read the payment or wait for the webhook.',
    request: 'PaymentOrder',
  },
  readPayment: {
    summary: 'Read a payment by its reference or by your transaction_id',
    about: 'Returns the real status. With `wait`, the answer comes at the outcome.',
    success: 'The payment.',
    parameters: [
      query(
        'wait',
        'API extension. A long poll of at most so many seconds, answered at the outcome.',
        {
          ...integer,
          minimum: 0,
          maximum: LONGEST_WAIT_SECONDS,
          default: 0,
        },
      ),
    ],
  },
  createLink: {
    summary: 'Create a payment link',
    about:
      'Creates a page on which anyone with its address can pay. Send `page_url` by message, or print it as a QR code.',
    success: 'The link.',
    request: 'LinkOrder',
  },
  readLink: {
    summary: 'Read a payment link without a key',
    about: 'Anyone with the reference may read it. The payer is not shown.',
    success: 'The link.',
  },
  listEvents: {
    summary: 'Read every event of the account',
    about:
      'The events that webhooks deliver, in order and without gaps. Resume after the last event that you processed. A service may remove old events: a cursor before them gets 410.',
    success: 'A page of events.',
    parameters: [
      query(
        'after',
        'The id or sequence of the last event you have, or `latest`. Without it, from the oldest kept event.',
        {
          ...text,
          maxLength: LONGEST_AFTER,
        },
      ),
      query('limit', 'The most events of a page.', limitOf(FEED_LIMIT)),
      query('replays_after', 'Also return the replays after this number, or `latest`.', text),
    ],
  },
  showAccount: {
    summary: 'Check a key',
    about:
      'Shows whose key it is, and the state of the account, its webhook endpoints and its mobile operators.',
    success: 'The account.',
  },
  listPayments: {
    summary: 'List payments',
    about: 'Newest first, with refunds and the network’s fee. Filters can be combined.',
    success:
      'A page. It may have fewer payments than the limit, or none, and still have a next page.',
    parameters: queryParameters(PAYMENT_QUERY),
  },
  readBalance: {
    summary: 'Read where your money is',
    about:
      'In francs, together and by connection: to receive, in the wallet, in transit, in the bank, withheld.',
    success: 'The balance.',
  },
  listEntries: {
    summary: 'Read the ledger entries of the account',
    about: 'Every entry in order and without gaps. An entry never changes.',
    success: 'A page of entries, the oldest first.',
    parameters: queryParameters(ENTRY_QUERY),
  },
  readStatement: {
    summary: 'Read your statement of a period',
    about:
      'What happened at a connection, with a running balance, as JSON or as a file for your accounting.',
    success:
      'The statement, as a file in the format that you name. One at a time for each account.',
    otherContent: STATEMENT_FILES,
    parameters: [
      query(
        'connection',
        'The connection, as `GET /balance` names it. Without it, one file of all; not in JSON.',
        text,
      ),
      query('from', 'The first day, such as 2026-11-01.', text),
      query('to', 'The last day.', text),
      query(
        'format',
        'CAMT.053 is for accounting software that reads bank statements, SYSCOHADA is a journal.',
        {
          ...text,
          enum: STATEMENT_FORMATS,
          default: 'json',
        },
      ),
      query('language', 'The language of headings and labels.', {
        ...text,
        enum: LANGUAGES,
        default: 'fr',
      }),
    ],
  },
  downloadMonth: {
    summary: 'Download a month for your accountant',
    about:
      'One ZIP of all connections: the statement as PDF, CSV, XLSX, CAMT.053 and SYSCOHADA journal, and the differences with the networks’ statements. From the first day of the next month on.',
    success: 'The ZIP. One statement or month at a time for each account.',
    otherContent: { 'application/zip': bytes },
    parameters: [
      query('month', 'The month, such as 2026-10.', {
        ...text,
        pattern: '^20\\d{2}-(0[1-9]|1[0-2])$',
      }),
      query('language', 'The language of the files.', { ...text, enum: LANGUAGES, default: 'fr' }),
    ],
  },
  listSettlements: {
    summary: 'List the money that left your wallets for your bank',
    about: 'One settlement for each transfer that the networks’ statements show, the newest first.',
    success: 'A page of settlements.',
    parameters: queryParameters(SETTLEMENT_QUERY),
  },
  readSettlement: {
    summary: 'Read a settlement',
    about: 'With the payments, refunds and fees since the settlement before.',
    success: 'The settlement, and a page of its lines in the order of the network’s statement.',
    parameters: queryParameters(SETTLEMENT_LINES_QUERY),
  },
  confirmSettlement: {
    summary: 'Confirm that your bank has a settlement',
    about:
      'A repeated call with the same amount gets the same answer. An amount that differs from the settlement is listed as a difference.',
    success: 'The settlement.',
    request: 'SettlementReceipt',
  },
  refundPayment: {
    summary: 'Refund a payment, whole or in part',
    about:
      'A repeated call for the rest, or with the same `refund_id`, returns the same refund. Above the service’s limit a refund first waits for approval.',
    success: 'The refund. Once its refunds reach its amount, the payment is `refunded`.',
    request: 'RefundOrder',
    isRequestOptional: true,
  },
  readRefund: {
    summary: 'Read the refunds of a payment',
    about: 'By the payment’s reference or your transaction_id.',
    success: 'The latest refund, and all refunds of the payment.',
  },
  listRefunds: {
    summary: 'List refunds',
    about:
      'The refunds that you requested, newest first. Filters can be combined; `open` means every refund that has not ended. What a network gives back on its own is in the statements.',
    success: 'A page of refunds.',
    parameters: queryParameters(REFUND_QUERY),
  },
  cancelLink: {
    summary: 'Close an unpaid payment link',
    about: 'Its page then takes no payment. A repeated call gets the same answer.',
    success: 'The closed link.',
  },
  createWebhookEndpoint: {
    summary: 'Create a webhook endpoint',
    about: `At most ${MOST_ENDPOINTS} for each account and environment. Only this answer and that to a roll have the signing secret. When the answer is lost, repeat the request: 422 \`endpoint_url_taken\` has the id of the endpoint, and a roll gives a new secret.`,
    success: 'The endpoint, with its signing secret.',
    request: 'WebhookEndpointOrder',
  },
  listWebhookEndpoints: {
    summary: 'List the webhook endpoints',
    about: 'All of them in one answer, without their secrets.',
    success: 'The endpoints, oldest first.',
  },
  changeWebhookEndpoint: {
    summary: 'Change a webhook endpoint',
    about:
      'Address, events, Secret-Hash and state. What is left out stays, and nothing changes if one of them is refused. Waiting deliveries go to the new address.',
    success: 'The endpoint as it is now.',
    request: 'WebhookEndpointChange',
  },
  rollWebhookSecret: {
    summary: 'Roll the signing secret of a webhook endpoint',
    about:
      'With `keep_old_minutes` events have two signatures, until your server knows the new secret. When the answer is lost, roll again: the last answer counts.',
    success: 'The endpoint, with its new signing secret.',
    request: 'SecretRoll',
    isRequestOptional: true,
  },
  deleteWebhookEndpoint: {
    summary: 'Delete a webhook endpoint',
    about:
      'Its waiting deliveries are dropped; the events stay in the feed. A repeated call gets 404.',
    success: 'The endpoint is deleted.',
  },
  testWebhookEndpoint: {
    summary: 'Send a test event to a webhook endpoint',
    about: `A \`webhook.test\` event, signed and retried like any other. After ${WEBHOOK_TEST_TRIES.free} of an account there is one a minute, until a day passes without any.`,
    success: 'The event is on its way: the endpoint gets it in a moment.',
  },
  createLinkFromPage: {
    summary: 'Create a payment link from a page of your site',
    about:
      'For the button, with the public key. The account must list the site of the page. Without a signed order, the page can set any amount: compare it before you deliver.',
    success: 'The link.',
    request: 'PageLinkOrder',
    parameters: [
      header('Origin', 'The site of the page. The browser sets it.', { ...text, format: 'uri' }),
    ],
  },
}

/**
 * OpenAPI ignores a header parameter of this name, so a description cannot make a generator send
 * it. In lines that fit a phone.
 */
const CONTENT_TYPE_INTERCEPTOR = `client.interceptors.request.use(
  (request) => {
    request.headers.set(
      'Content-Type',
      'application/json',
    )
    return request
  },
)`

export function openApi(): object {
  const inOrder = TAGS.flatMap(({ operations }) => operations.map((id) => OPERATIONS[id]))
  const paths = Map.groupBy(inOrder, ({ path }) => path)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Karba merchant payments API',
      version: '1.0.0',
      description:
        'Create mobile money payment requests and read their real outcome. The answer to a creation is not final: do not deliver on it.\n\n' +
        'Every call has the same four headers, on GET too: `Content-Type` (exactly `application/json`), `Authorization`, `Svc-Target-Environment` and `Svc-Payment-Type`. ' +
        'Many generated clients drop `Content-Type` from a request without a body, and get 400 `header_missing`. Set it in an interceptor, such as this one of a client by @hey-api/openapi-ts:\n\n' +
        `\`\`\`js\n${CONTENT_TYPE_INTERCEPTOR}\n\`\`\`\n\n` +
        `An error has its code in \`Svc-Error-Code\`, the field or header at fault in \`Svc-Error-Param\`, and in \`Svc-Error-Hint\` what to do: [all errors](${ERRORS_PATH}). ` +
        'An unknown path gets the response `not_found`, an unknown method of these paths `method_not_allowed`.\n\n' +
        'API extensions (`x-addition`) are not part of the original contract; clients may ignore them.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: BASE_PATH }],
    security: [{ secretKey: [] }],
    tags: TAGS.map(({ name, about }) => ({ name, description: about })),
    'x-tagGroups': [...Map.groupBy(TAGS, ({ group }) => group)].map(([name, tags]) => ({
      name,
      tags: tags.map((tag) => tag.name),
    })),
    paths: Object.fromEntries([...paths].map(([path, operations]) => [path, pathItem(operations)])),
    webhooks: { paymentEvent: { post: receivedEvent() } },
    components: {
      securitySchemes: {
        secretKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The secret key of the environment, `sk_…`.',
        },
        publicKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The public key of the account, `pk_…`.',
        },
      },
      schemas: componentSchemas(),
      headers: HEADERS,
      responses: sharedResponses(),
    },
  }
}

/** The bodies as JSON Schema, in the form that generators of clients read best. */
function componentSchemas(): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => simplify(jsonSchema),
  })
  return Object.fromEntries(
    Object.entries(schemas).map(
      ([id, { $id: _id, $schema: _dialect, examples: _examples, ...schema }]) => [id, schema],
    ),
  )
}

function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  // zod writes the range of safe integers, and the pattern of a format.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  for (const part of [schema, ...(schema.anyOf ?? [])])
    if (part.format !== undefined) delete part.pattern
  // A choice of simple types is a list of types: `integer` or `string`, `string` or `null`.
  const choices = schema.anyOf?.filter((choice) => choice.type !== undefined) ?? []
  if (choices.length === 0) return
  delete schema.anyOf
  Object.assign(schema, ...choices, { type: choices.map(({ type }) => type) })
}

function content(name: BodyName): Json {
  return { 'application/json': { schema: schemaRef(name), example: exampleOf(name) } }
}

const exampleOf = (name: BodyName): unknown =>
  (BODIES[name].meta()?.examples as unknown[] | undefined)?.[0]

const schemaRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

function pathItem(operations: readonly (typeof OPERATIONS)[OperationId][]): object {
  const entries = operations.map((operation) => [
    operation.method.toLowerCase(),
    describe(operation),
  ])
  const isOutside = operations.some(({ base }) => base === '')
  return {
    // An operation outside the versioned API has its own server entry.
    ...(isOutside && { servers: [{ url: '/' }], options: preflight() }),
    ...Object.fromEntries(entries),
  }
}

function describe(operation: (typeof OPERATIONS)[OperationId]): object {
  const { id } = operation
  const {
    summary,
    about,
    success,
    request,
    isRequestOptional,
    otherContent,
    parameters = [],
  } = ABOUT[id]
  return {
    operationId: id,
    tags: [tagOf(id)],
    summary,
    description: about,
    ...(isAddition(operation) && { 'x-addition': true, 'x-badges': [{ name: 'API extension' }] }),
    ...securityOf(operation),
    parameters: [...pathParameters(operation), ...parameters, ...commonHeaders(operation)],
    ...(request !== undefined && {
      requestBody: { required: isRequestOptional !== true, content: content(request) },
    }),
    responses: responsesOf(id, success, otherContent),
    'x-codeSamples': codeSamples(id, request && (exampleOf(request) as object)),
  }
}

/** Empty for operations with the secret key, the default of the description. */
function securityOf({ refusals }: Operation): object {
  if (refusals.includes('key_not_valid')) return {}
  return { security: refusals.includes('public_key_not_valid') ? [{ publicKey: [] }] : [] }
}

/** The CORS preflight that browsers send before the POST of another site's page (D-52). */
function preflight(): object {
  const sent = Object.entries(PREFLIGHT_HEADERS).map(([name, value]) => [
    name,
    {
      description: 'The answer of a CORS preflight.',
      required: true,
      schema: { ...text, const: value },
    },
  ])
  return {
    operationId: 'askBeforeLinkFromPage',
    tags: [tagOf('createLinkFromPage')],
    summary: 'CORS preflight',
    description:
      'Browsers send it before the POST of a page. The answer is the same for every site.',
    'x-addition': true,
    // Not for people: Scalar leaves it out.
    'x-scalar-ignore': true,
    security: [],
    responses: {
      204: {
        description: 'A POST may follow.',
        headers: { ...sharedHeaders(204), ...Object.fromEntries(sent) },
      },
    },
  }
}

/**
 * Payments are also found by the merchant's transaction_id, links and settlements only by their own
 * names.
 */
function pathParameters({ path }: Operation): object[] {
  if (!path.includes('{reference}')) return []
  const ofNamed = NAMED_IN_PATHS.find(([prefix]) => path.startsWith(prefix))
  const [, description, pattern] = ofNamed ?? [
    '',
    'The service’s reference of the payment, or your transaction_id.',
  ]
  const form =
    pattern === undefined ? { maxLength: LONGEST_EXTERNAL_REFERENCE } : { pattern: pattern.source }
  return [
    { name: 'reference', in: 'path', required: true, description, schema: { ...text, ...form } },
  ]
}

const NAMED_IN_PATHS: readonly [prefix: string, about: string, form?: RegExp][] = [
  ['/external_payments', 'The reference of the link.', LINK_REFERENCE_FORM],
  ['/settlements', 'The name of the settlement.'],
  ['/webhook_endpoints', 'The id of the endpoint.'],
]

function queryParameters(table: Query): object[] {
  return Object.entries(table).map(([name, parameter]) => {
    const { is, about } = parameter
    const form = is === 'time' ? ' A day in UTC, or a time with its zone.' : ''
    return query(name, about + form, parameterSchema(parameter))
  })
}

function parameterSchema(parameter: Query[string]): Json {
  switch (parameter.is) {
    case 'choice':
      return { ...text, enum: parameter.of }
    case 'day':
      return day
    case 'position':
      return { ...integer, minimum: 0 }
    case 'limit':
      return limitOf(parameter.limits)
    default:
      return text
  }
}

function query(name: string, description: string, schema: object): object {
  return { name, in: 'query', required: false, schema, description }
}

function header(name: string, description: string, schema: object): object {
  return { name, in: 'header', required: true, schema, description }
}

/** Content-Type on GET too: spec §4.2. */
function commonHeaders({ refusals, paymentTypes }: Operation): object[] {
  if (!refusals.includes('header_missing')) return []
  return [
    header(
      'Content-Type',
      'Exactly this, without a charset, on GET too. Many generated clients drop it there: see the introduction.',
      { ...text, enum: ['application/json'] },
    ),
    header('Svc-Target-Environment', 'The environment of the key.', {
      ...text,
      enum: ENVIRONMENTS,
    }),
    header('Svc-Payment-Type', 'The payment type.', { ...text, enum: paymentTypes }),
  ]
}

const WEBHOOK_HEADERS: readonly [
  name: string,
  isRequired: boolean,
  schema: Json,
  description: string,
][] = [
  [
    'Secret-Hash',
    true,
    text,
    'The secret that you chose for the endpoint. Compare it in constant time.',
  ],
  ['webhook-id', true, text, 'The id of the event, the same in every attempt.'],
  ['webhook-timestamp', true, integer, 'When this attempt was signed, in seconds since 1970.'],
  [
    'webhook-signature',
    true,
    text,
    'Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. The key is the base64-decoded text after `whsec_`. While a secret is rolled there are two signatures, separated by a space.',
  ],
  ['Svc-Webhook-Replay', false, integer, 'The count of manual replays.'],
]

/** The request that the service sends to merchants' endpoints (D-26, D-27, D-48). */
const receivedEvent = (): Json => ({
  operationId: 'receiveEvent',
  tags: ['Webhooks'],
  summary: 'Receive an event of a payment, a refund or a statement',
  description: [
    `The service posts each event to every endpoint that subscribes to it. Events: ${[...EVENTS, 'webhook.test'].map((name) => `\`${name}\``).join(', ')}.`,
    'Verify either proof, or both, over the raw body. Answer within ten seconds and process afterwards. An event may arrive more than once.',
    // The reference shows no samples next to a webhook.
    ...receiverSamples().map(
      ({ lang, label, source }) => `\n\n${label}:\n\n\`\`\`${lang}\n${source}\n\`\`\`\n\n`,
    ),
    'They need the signing secret in `SIGNING_SECRET` and a port in `PORT`; PHP runs with `php -S 127.0.0.1:3000 receiver.php`.',
  ].join(' '),
  security: [],
  parameters: WEBHOOK_HEADERS.map(([name, required, schema, description]) => ({
    name,
    in: 'header',
    required,
    description,
    schema,
  })),
  requestBody: { required: true, content: content('Event') },
  responses: {
    '2XX': {
      description:
        'Accepted. Any other answer, or none, is retried: ten attempts in about three days.',
    },
  },
})

/**
 * A response header of one operation, with the statuses on which it is always or sometimes sent.
 */
type SentHeader = [
  name: string,
  about: string,
  schema: Json,
  always: readonly number[],
  sometimes: readonly number[],
]

/** Only for the secret key: a page must not learn the references of payments (D-52). */
const existingReference: SentHeader = [
  'Svc-Existing-Reference',
  'When the transaction_id or order_reference is taken: the reference of its payment.',
  text,
  [],
  [422],
]
const existingEndpoint: SentHeader = [
  'Svc-Existing-Reference',
  'When the address has an endpoint already: its id.',
  text,
  [],
  [422],
]
const noStore = ['Cache-Control', 'Not to be cached.', { ...text, const: 'no-store' }] as const
const allowOrigin = 'Access-Control-Allow-Origin'
/**
 * Statuses of answers to a page: once its site is known to be listed, and of any request that was
 * routed.
 */
const ONCE_LISTED = [
  [200, 422],
  [400, 401, 403, 500, 503],
] as const
const ONCE_ROUTED = [
  [200, 401, 403, 406, 413, 422, 429],
  [400, 500, 503],
] as const

const FILE_HEADERS: readonly SentHeader[] = [
  ['Content-Disposition', 'The name of the file.', text, [200], []],
  [
    'X-Content-Type-Options',
    'Not to be read as another type.',
    { ...text, const: 'nosniff' },
    [200],
    [],
  ],
  [...noStore, [200], []],
]

/** Besides X-Request-Id and Retry-After. A request refused before routing gets none of these. */
const SENT_HEADERS: Readonly<Partial<Record<OperationId, readonly SentHeader[]>>> = {
  createPayment: [existingReference],
  createLink: [existingReference],
  createWebhookEndpoint: [existingEndpoint],
  changeWebhookEndpoint: [existingEndpoint],
  readPayment: [
    [
      'Svc-Receipt-Url',
      'An addition: once it has succeeded, the address of a receipt that anyone can check.',
      { ...text, format: 'uri' },
      [],
      [200],
    ],
  ],
  listEvents: [
    ['Svc-Kept-After', 'The last removed event: use it as `after`.', integer, [410], []],
    [
      'Svc-Removed-Until',
      'When that event was written.',
      { ...text, format: 'date-time' },
      [410],
      [],
    ],
  ],
  readStatement: FILE_HEADERS,
  downloadMonth: FILE_HEADERS,
  readLink: [
    [
      allowOrigin,
      'Pages of any site may read it.',
      { ...text, const: '*' },
      [200, 404, 429],
      [500, 503],
    ],
    [...noStore, [200, 404], []],
    [
      'Svc-Page-Url',
      'API extension. The address of the payer’s page.',
      { ...text, format: 'uri' },
      [200],
      [],
    ],
  ],
  createLinkFromPage: [
    [
      allowOrigin,
      'The site of the page, if the account lists it.',
      { ...text, format: 'uri' },
      ...ONCE_LISTED,
    ],
    [
      'Access-Control-Expose-Headers',
      'What a page may read.',
      { ...text, const: EXPOSED_HEADERS },
      ...ONCE_LISTED,
    ],
    ['Vary', 'The answer is for one site.', { ...text, const: 'Origin' }, ...ONCE_ROUTED],
    [...noStore, ...ONCE_ROUTED],
  ],
}

/** Headers of every answer, or of every answer with a certain status. */
const HEADERS = {
  RequestId: always('Identifies this answer: quote it to the operator of the service.', {
    ...text,
    pattern: '^req_[0-9A-Za-z_-]+$',
  }),
  RetryAfter: always('Seconds to wait before a retry.', { ...integer, minimum: 1 }),
  ErrorParam: {
    ...always('The header, field or parameter at fault, if it is a single one.', text),
    required: false,
  },
  ErrorHint: always('What to do, in one English sentence.', { ...text, maxLength: LONGEST_HINT }),
  Help: always('The section about this error on this service, with `rel="help"`.', text),
  Allow: always('The allowed methods, separated by commas.', {
    ...text,
    pattern: '^[A-Z]+(, [A-Z]+)*$',
  }),
}

function always(description: string, schema: Json): Json {
  return { description, required: true, schema }
}

/**
 * Errors for requests that match no operation: an unknown address, or another method of a known
 * one.
 */
const OF_NO_OPERATION = [
  'not_found',
  'method_not_allowed',
] as const satisfies readonly GeneralError[]

/** Responses that operations refer to instead of repeating them. */
function sharedResponses(): Json {
  const pointedTo = Object.values(OPERATIONS).flatMap(({ id }) => sharedErrorsOf(id))
  const names = new Set<GeneralError>([...OF_NO_OPERATION, ...pointedTo])
  return Object.fromEntries(
    [...names].map((name) => {
      const error = GENERAL_ERRORS[name]
      return [
        name,
        { ...errors([error]), headers: { ...sharedHeaders(error.http), ...errorHeaders([error]) } },
      ]
    }),
  )
}

/**
 * Errors of every request (D-05) whose status no refusal of the operation has, without headers of
 * its own.
 */
function sharedErrorsOf(id: OperationId): GeneralError[] {
  const operation = OPERATIONS[id]
  const refused = new Set<number>(operation.refusals.map((name) => WIRE_ERRORS[name].http))
  return generalErrorsOf(operation).filter((name) => {
    const { http } = GENERAL_ERRORS[name]
    return !refused.has(http) && Object.keys(ownHeaders(id, http)).length === 0
  })
}

function responsesOf(id: OperationId, success: string, otherContent?: Json): Json {
  const operation: Operation = OPERATIONS[id]
  const shared = sharedErrorsOf(id)
  const refusals = operation.refusals.map((name) => ({ ...WIRE_ERRORS[name], isRefusal: true }))
  const generalErrors = generalErrorsOf(operation)
    .filter((name) => !shared.includes(name))
    .map((name) => GENERAL_ERRORS[name])
  const headersOf = (status: number): Json => ({
    ...sharedHeaders(status),
    ...ownHeaders(id, status),
  })
  const byStatus = Map.groupBy([...refusals, ...generalErrors], ({ http }) => http)
  return Object.fromEntries([
    [
      200,
      {
        description: success,
        headers: headersOf(200),
        content: { ...(operation.success && content(operation.success)), ...otherContent },
      },
    ],
    ...[...byStatus].map(([status, cases]) => [
      status,
      { ...errors(cases), headers: { ...headersOf(status), ...errorHeaders(cases) } },
    ]),
    ...shared.map((name) => [
      GENERAL_ERRORS[name].http,
      { $ref: `#/components/responses/${name}` },
    ]),
  ])
}

interface ErrorCase extends WireError {
  /** Only a refusal can be about one header, field or parameter. */
  isRefusal?: boolean
}

/** D-62, D-164 */
function errorHeaders(cases: readonly ErrorCase[]): Json {
  const codes = [...new Set(cases.map(({ code }) => code))]
  const code = always('The name of the error.', { ...text, enum: codes })
  const param = { $ref: '#/components/headers/ErrorParam' }
  return {
    'Svc-Error-Code': code,
    ...(cases.some(({ isRefusal }) => isRefusal) && { 'Svc-Error-Param': param }),
    'Svc-Error-Hint': headerRef('ErrorHint'),
    Link: headerRef('Help'),
  }
}

/** One response with every message that it can carry. */
function errors(cases: readonly ErrorCase[]): Json {
  const messages = [...new Set(cases.map(({ message }) => message))]
  const shape = cases.every(({ status }) => status === undefined) ? 'Error' : 'Failure'
  const schema = { ...schemaRef(shape), properties: { message: { ...text, enum: messages } } }
  const examples = cases.map(({ code, status, message, hint }) => [
    code,
    { summary: hint, value: { ...(status && { status }), message } },
  ])
  return {
    description: cases
      .map(({ code, message, hint }) => `${message} (\`${code}\`): ${hint}`)
      .join('\n\n'),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  }
}

const headerRef = (name: keyof typeof HEADERS): Json => ({ $ref: `#/components/headers/${name}` })

const sharedHeaders = (status: number): Json => ({
  'X-Request-Id': headerRef('RequestId'),
  ...((status === 429 || status === 503) && { 'Retry-After': headerRef('RetryAfter') }),
  ...(status === 405 && { Allow: headerRef('Allow') }),
})

function ownHeaders(id: OperationId, status: number): Json {
  return Object.fromEntries(
    (SENT_HEADERS[id] ?? [])
      .filter(([, , , onAll, onSome]) => [...onAll, ...onSome].includes(status))
      .map(([name, description, schema, onAll]) => [
        name,
        { description, required: onAll.includes(status), schema },
      ]),
  )
}
