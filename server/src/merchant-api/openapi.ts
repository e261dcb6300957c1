// The OpenAPI description (spec §9, version 1.0.0): the paths from the tables of contract.ts, the bodies from the schemas of wire/bodies.ts.
import { z } from 'zod'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { PAGE_LIMIT } from '../domain/page.ts'
import { LINK_REFERENCE_FORM } from '../domain/payment-link.ts'
import { STATUSES } from '../domain/payment-status.ts'
import { EVENTS, FEED_LIMIT, LONGEST_AFTER } from '../domain/webhook-event.ts'
import { BODIES } from '../wire/bodies.ts'
import { ERROR_CODE_HEADER, ERROR_PARAM_HEADER, HOUSE_ERRORS, type HouseError } from '../wire/error.ts'
import { plainSentence, WIRE_ERRORS } from '../wire/refusals.ts'
import { BASE_PATH, type BodyName, houseErrorsOf, OPERATIONS, type Operation, type OperationId } from './contract.ts'
import { HOUSE_ADVICE, LIMITS } from './limits.ts'
import { PREFLIGHT_HEADERS } from './page-links.ts'

type Json = Record<string, unknown>

interface About {
  summary: string
  /** What a 200 means. */
  success: string
  request?: BodyName
  parameters?: readonly object[]
}

const text = { type: 'string' } as const
const LINK_REFERENCE = { ...text, pattern: LINK_REFERENCE_FORM.source }
const PAYMENT_NAME = { ...text, maxLength: LIMITS.externalReference.most }

const ABOUT: Readonly<Record<OperationId, About>> = {
  createPayment: {
    summary: 'Record a mobile money payment request',
    success: 'Recorded. The status is not final: read the payment or wait for the webhook.',
    request: 'PaymentOrder',
  },
  readPayment: {
    summary: 'Read a payment by its reference or by your transaction_id',
    success: 'The payment as it is now.',
    parameters: [
      reference(PAYMENT_NAME),
      query('wait', 'An addition: answer when the payment has an outcome, or after so many seconds (D-91).', {
        type: 'integer',
        minimum: LIMITS.wait.least,
        maximum: LIMITS.wait.most,
        default: 0,
      }),
    ],
  },
  createLink: {
    summary: 'Make a payment link: a page on which anybody who has its address can pay',
    success: 'The link.',
    request: 'LinkOrder',
  },
  readLink: {
    summary: 'Read a payment link, without a key: never who pays',
    success: 'The link as it is now.',
    parameters: [reference(LINK_REFERENCE)],
  },
  listEvents: {
    summary: 'Read every event of the account in order, without gaps',
    success: 'Events in their order.',
    parameters: [
      query(
        'after',
        'The id or the sequence of the last event you have, or `latest`. Without it, from the beginning.',
        {
          ...text,
          maxLength: LONGEST_AFTER,
        },
      ),
      query('limit', 'At most so many events.', {
        type: 'integer',
        minimum: LIMITS.feedPage.least,
        maximum: LIMITS.feedPage.most,
        default: FEED_LIMIT.usual,
      }),
      query('replays_after', 'Also give what was sent again by hand after this number, or `latest`.', text),
    ],
  },
  showAccount: {
    summary: 'Check a key: its account, where webhooks go, and which operators can be asked',
    success: 'The account as it is now.',
  },
  listPayments: {
    summary: 'List payments, newest first',
    success: 'A page. It may have fewer payments than the limit, or none, and still a next one.',
    parameters: [
      query('after', 'The `next` of the page before.', text),
      query('status', 'Only payments in this state.', { ...text, enum: STATUSES }),
      query('from', 'Recorded at or after this time, or from this day on (UTC).', text),
      query('to', 'Recorded before this time, or before this day (UTC).', text),
      query('operator', 'Only payments of this operator, such as `mtn_bj`.', text),
      query('limit', 'At most so many payments.', {
        type: 'integer',
        minimum: LIMITS.listPage.least,
        maximum: LIMITS.listPage.most,
        default: PAGE_LIMIT.usual,
      }),
    ],
  },
  refundPayment: {
    summary: 'Give the whole amount of a payment back; asking again gives the same refund',
    success:
      'The refund. The payment is refunded once it has succeeded. Above the service’s limit it waits for an approval first.',
    parameters: [reference(PAYMENT_NAME)],
  },
  readRefund: {
    summary: 'Read the refund of a payment',
    success: 'The refund as it is now.',
    parameters: [reference(PAYMENT_NAME)],
  },
  cancelLink: {
    summary: 'Close a payment link that was not paid; asking again gets the same answer',
    success: 'The link, closed.',
    parameters: [reference(LINK_REFERENCE)],
  },
  createLinkFromPage: {
    summary: 'Make a payment link from a page of a site that the account lists',
    success: 'The link.',
    request: 'PageLinkOrder',
    parameters: [header('Origin', { ...text, format: 'uri', description: 'Browsers send it.' })],
  },
}

export function openApi(): object {
  const paths = Map.groupBy(Object.values(OPERATIONS), ({ path }) => path)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Karba merchant payments API',
      version: '1.0.0',
      description:
        'Record mobile money payment requests and read their real outcome. Never deliver on the create answer. ' +
        'Any other address answers with the response `not_found`, any other method of these with `method_not_allowed`. ' +
        'What has `x-addition` is not part of the original contract: a client that does not use it misses nothing.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: BASE_PATH }],
    security: [{ secretKey: [] }],
    paths: Object.fromEntries([...paths].map(([path, operations]) => [path, pathItem(operations)])),
    webhooks: { paymentEvent: { post: receivedEvent() } },
    components: {
      securitySchemes: {
        secretKey: { type: 'http', scheme: 'bearer', description: 'The secret key of the environment, `sk_…`.' },
        publicKey: { type: 'http', scheme: 'bearer', description: 'The public key of the account, `pk_…`.' },
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
    Object.entries(schemas).map(([id, { $id: _id, $schema: _dialect, examples: _examples, ...schema }]) => [
      id,
      schema,
    ]),
  )
}

function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  // zod writes the range of safe integers, and the pattern of a format.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  for (const part of [schema, ...(schema.anyOf ?? [])]) if (part.format !== undefined) delete part.pattern
  // A choice of simple types is a list of types: `integer` or `string`, `string` or `null`.
  const choices = schema.anyOf?.filter((choice) => choice.type !== undefined) ?? []
  if (choices.length === 0) return
  delete schema.anyOf
  Object.assign(schema, ...choices, { type: choices.map(({ type }) => type) })
}

/** A body by name, with its example. */
function content(name: BodyName): Json {
  const [example] = (BODIES[name].meta()?.examples ?? []) as unknown[]
  return { 'application/json': { schema: schemaRef(name), example } }
}

const schemaRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

function pathItem(operations: readonly (typeof OPERATIONS)[OperationId][]): object {
  const entries = operations.map((operation) => [operation.method.toLowerCase(), describe(operation)])
  const isOutside = operations.some(({ base }) => base === '')
  return {
    // An operation outside the versioned API has its own server entry.
    ...(isOutside && { servers: [{ url: '/' }], options: preflight() }),
    ...Object.fromEntries(entries),
  }
}

function describe(operation: (typeof OPERATIONS)[OperationId]): object {
  const { id, isAddition, source } = operation
  const { summary, success, request, parameters = [] } = ABOUT[id]
  return {
    operationId: id,
    summary,
    description: `${isAddition ? 'An addition to the contract' : 'Of the contract'}: ${source}.`,
    ...(isAddition && { 'x-addition': true }),
    ...securityOf(operation),
    parameters: [...parameters, ...commonHeaders(operation)],
    ...(request !== undefined && { requestBody: { required: true, content: content(request) } }),
    responses: responsesOf(id, success),
  }
}

/** Empty for operations with the secret key, which is the description's default. */
function securityOf({ refusals }: Operation): object {
  if (refusals.includes('key_not_valid')) return {}
  return { security: refusals.includes('public_key_not_valid') ? [{ publicKey: [] }] : [] }
}

/** The CORS preflight that browsers send before the POST of another site's page (D-52). */
function preflight(): object {
  const sent = Object.entries(PREFLIGHT_HEADERS).map(([name, value]) => [
    name,
    { required: true, schema: { ...text, const: value } },
  ])
  return {
    operationId: 'askBeforeLinkFromPage',
    summary: 'What browsers ask before: the same answer for every site',
    security: [],
    responses: {
      204: { description: 'A POST may follow.', headers: { ...sharedHeaders(204), ...Object.fromEntries(sent) } },
    },
  }
}

function reference(schema: object): object {
  return { name: 'reference', in: 'path', required: true, schema }
}

function query(name: string, description: string, schema: object): object {
  return { name, in: 'query', required: false, schema, description }
}

function header(name: string, schema: object): object {
  return { name, in: 'header', required: true, schema }
}

/** Content-Type on GET too: spec §4.2. */
function commonHeaders({ refusals, paymentTypes }: Operation): object[] {
  if (!refusals.includes('header_missing')) return []
  return [
    header('Content-Type', { ...text, enum: ['application/json'] }),
    header('Svc-Target-Environment', { ...text, enum: ENVIRONMENTS }),
    header('Svc-Payment-Type', { ...text, enum: paymentTypes }),
  ]
}

const WEBHOOK_HEADERS: readonly [name: string, isRequired: boolean, description: string, schema?: object][] = [
  ['Secret-Hash', true, 'The secret that you chose for the endpoint, as it is. Compare it in constant time.'],
  ['webhook-id', true, 'The id of the event: the same each time that it is sent.'],
  ['webhook-timestamp', true, 'Seconds since 1970 when this attempt was signed.', { type: 'integer' }],
  [
    'webhook-signature',
    true,
    'Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the bytes that `whsec_` is the base64 of. While a secret is rolled there are two, separated by a space.',
  ],
  ['Svc-Webhook-Replay', false, 'Counts what is sent again by hand.', { type: 'integer' }],
]

/** The request that the service sends to merchants' endpoints: one body and its headers (D-26, D-27, D-48). */
const receivedEvent = (): Json => ({
  operationId: 'receiveEvent',
  summary: 'An event of a payment, sent to each of your endpoints that asked for it',
  description: [
    `Events: ${[...EVENTS, 'webhook.test'].map((name) => `\`${name}\``).join(', ')}.`,
    'Check either proof, or both, over the body as it came. Answer within ten seconds and work afterwards; the same event may come more than once.',
  ].join(' '),
  security: [],
  parameters: WEBHOOK_HEADERS.map(([name, required, description, schema = text]) => ({
    name,
    in: 'header',
    required,
    description,
    schema,
  })),
  requestBody: { required: true, content: content('Event') },
  responses: {
    '2XX': { description: 'Taken. Any other answer, or none, is tried again ten times in about three days.' },
  },
})

/** A response header, with the statuses on which it is always or sometimes sent. */
interface SentHeader {
  name: string
  description: string
  schema: Json
  always: readonly number[]
  sometimes: readonly number[]
}

const noStore = { name: 'Cache-Control', description: 'Never kept.', schema: { type: 'string', const: 'no-store' } }
const existingReference: SentHeader = {
  name: 'Svc-Existing-Reference',
  description:
    'When the transaction_id or the order_reference is taken: the reference of the payment that has it (D-16, D-90).',
  schema: { type: 'string' },
  always: [],
  sometimes: [422],
}

/** The statuses of an answer to a page, after its site is known to be listed. */
const onceListed = { always: [200, 422], sometimes: [400, 401, 403, 500, 503] }

/** Beside X-Request-Id and Retry-After. A request that is refused before routing has reached no operation: its answer has none of these. */
const SENT_HEADERS: Readonly<Record<OperationId, readonly SentHeader[]>> = {
  createPayment: [existingReference],
  readPayment: [],
  createLink: [existingReference],
  readLink: [
    {
      name: 'Access-Control-Allow-Origin',
      description: 'Pages of any site may read it (D-53).',
      schema: { type: 'string', const: '*' },
      always: [200, 404, 429],
      sometimes: [500, 503],
    },
    { ...noStore, always: [200, 404], sometimes: [] },
    {
      name: 'Svc-Page-Url',
      description: 'An addition: the address of the page, for the payer to open.',
      schema: { type: 'string', format: 'uri' },
      always: [200],
      sometimes: [],
    },
  ],
  listEvents: [],
  showAccount: [],
  listPayments: [],
  refundPayment: [],
  readRefund: [],
  cancelLink: [],
  createLinkFromPage: [
    {
      name: 'Access-Control-Allow-Origin',
      description: 'The site of the page, once the account is known to list it (D-52).',
      schema: { type: 'string', format: 'uri' },
      ...onceListed,
    },
    {
      name: 'Access-Control-Expose-Headers',
      description: 'What the page may read beside the body (D-62).',
      schema: { type: 'string', const: `${ERROR_CODE_HEADER}, ${ERROR_PARAM_HEADER}` },
      ...onceListed,
    },
    {
      name: 'Vary',
      description: 'The answer is for one site.',
      schema: { type: 'string', const: 'Origin' },
      always: [200, 401, 403, 406, 413, 422, 429],
      sometimes: [400, 500, 503],
    },
    { ...noStore, always: [200, 401, 403, 406, 413, 422, 429], sometimes: [400, 500, 503] },
  ],
}

/** Headers of every answer, or of every answer with a certain status. */
const HEADERS = {
  RequestId: {
    description: 'Of this answer alone: tell it to the operator of the service when you ask about one (D-05).',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9A-Za-z_-]+$' },
  },
  RetryAfter: {
    description: 'Seconds until it is worth trying again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  ErrorParam: {
    description: 'The header, field or parameter that is at fault, where it is a single one (D-62).',
    required: false,
    schema: { type: 'string' },
  },
  Allow: {
    description: 'The methods that the address knows, with commas between.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' },
  },
} as const

/** Errors for requests that match no operation: an unknown address, or another method of a known one. */
const OF_NO_OPERATION = ['not_found', 'method_not_allowed'] as const satisfies readonly HouseError[]

/** Responses that operations refer to instead of repeating them. */
function sharedResponses(): Json {
  const pointedTo = Object.values(OPERATIONS).flatMap(({ id }) => sharedErrorsOf(id))
  const names = new Set<HouseError>([...OF_NO_OPERATION, ...pointedTo])
  return Object.fromEntries(
    [...names].map((name) => {
      const error = { ...HOUSE_ERRORS[name], advice: HOUSE_ADVICE[name] }
      return [name, { ...errors([error]), headers: { ...sharedHeaders(error.http), ...errorHeaders([error]) } }]
    }),
  )
}

/** The house errors of an operation whose status no refusal has, and that carry none of the operation's own headers. */
function sharedErrorsOf(id: OperationId): HouseError[] {
  const operation = OPERATIONS[id]
  const refused = new Set<number>(operation.refusals.map((name) => WIRE_ERRORS[name].http))
  return houseErrorsOf(operation).filter((name) => {
    const { http } = HOUSE_ERRORS[name]
    return !refused.has(http) && Object.keys(ownHeaders(id, http)).length === 0
  })
}

function responsesOf(id: OperationId, success: string): Json {
  const operation = OPERATIONS[id]
  const shared = sharedErrorsOf(id)
  const refusals = operation.refusals.map((name) => ({
    ...WIRE_ERRORS[name],
    advice: plainSentence(name, 'en'),
    isRefusal: true,
  }))
  const house = houseErrorsOf(operation)
    .filter((name) => !shared.includes(name))
    .map((name) => ({ ...HOUSE_ERRORS[name], advice: HOUSE_ADVICE[name] }))
  const headersOf = (status: number): Json => ({ ...sharedHeaders(status), ...ownHeaders(id, status) })
  const byStatus = Map.groupBy([...refusals, ...house], ({ http }) => http)
  return Object.fromEntries([
    [200, { description: success, headers: headersOf(200), content: content(operation.success) }],
    ...[...byStatus].map(([status, cases]) => [
      status,
      { ...errors(cases), headers: { ...headersOf(status), ...errorHeaders(cases) } },
    ]),
    ...shared.map((name) => [HOUSE_ERRORS[name].http, { $ref: `#/components/responses/${name}` }]),
  ])
}

interface ErrorCase {
  code: string
  message: string
  status?: 'failed'
  advice: string
  /** A refusal may be about one header, field or parameter; an error of every request is about none. */
  isRefusal?: boolean
}

/** D-62 */
function errorHeaders(cases: readonly ErrorCase[]): Json {
  const codes = [...new Set(cases.map(({ code }) => code))]
  const code = { description: 'Which error this is.', required: true, schema: { type: 'string', enum: codes } }
  const param = { $ref: '#/components/headers/ErrorParam' }
  return { 'Svc-Error-Code': code, ...(cases.some(({ isRefusal }) => isRefusal) && { 'Svc-Error-Param': param }) }
}

/** One response with every message that it can carry. */
function errors(cases: readonly ErrorCase[]): Json {
  const messages = [...new Set(cases.map(({ message }) => message))]
  const shape = cases.every(({ status }) => status === undefined) ? 'Error' : 'Failure'
  const schema = { ...schemaRef(shape), properties: { message: { type: 'string', enum: messages } } }
  const examples = cases.map(({ code, status, message, advice }) => [
    code,
    { summary: advice, value: { ...(status && { status }), message } },
  ])
  return {
    description: cases.map(({ code, message, advice }) => `${message} (\`${code}\`): ${advice}`).join('\n\n'),
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
  const sent = SENT_HEADERS[id].filter(({ always, sometimes }) => [...always, ...sometimes].includes(status))
  return Object.fromEntries(
    sent.map(({ name, description, schema, always }) => [
      name,
      { description, required: always.includes(status), schema },
    ]),
  )
}
