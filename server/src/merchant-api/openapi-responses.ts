// The responses of the OpenAPI description: for each operation and status its messages and headers, made from the operation's row in
// contract.ts.
import { ERROR_CODE_HEADER, ERROR_PARAM_HEADER, HOUSE_ERRORS, type HouseError } from '../wire/error.ts'
import { plainSentence, WIRE_ERRORS } from '../wire/refusals.ts'
import { houseErrorsOf, OPERATIONS, type OperationId } from './contract.ts'
import { HOUSE_ADVICE } from './limits.ts'
import { EXAMPLES } from './openapi-examples.ts'
import type { SchemaName } from './openapi-schemas.ts'

type Json = Record<string, unknown>

const schemaRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/** A body by its schema's name, with the example that there is for it. */
export function namedContent(name: SchemaName): Json {
  const example = EXAMPLES[name]
  return { 'application/json': { schema: schemaRef(name), ...(example !== undefined && { example }) } }
}

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
export const HEADERS = {
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
export function sharedResponses(): Json {
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

export function responsesOf(id: OperationId, success: string): Json {
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
    [200, { description: success, headers: headersOf(200), content: namedContent(operation.success) }],
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

export const sharedHeaders = (status: number): Json => ({
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
