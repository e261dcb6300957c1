// The OpenAPI description (spec §9, version 1.0.0), made from the tables of contract.ts so that the two cannot differ.
import { ENVIRONMENTS } from '../domain/environment.ts'
import { PAGE_LIMIT } from '../domain/page.ts'
import { STATUSES } from '../domain/payment-status.ts'
import { FEED_LIMIT, LONGEST_AFTER } from '../domain/webhook-event.ts'
import { BASE_PATH, OPERATIONS, type Operation, type OperationId } from './contract.ts'
import { LIMITS } from './limits.ts'
import { HEADERS, namedContent, responsesOf, sharedHeaders, sharedResponses } from './openapi-responses.ts'
import { LINK_REFERENCE, SCHEMAS, type SchemaName } from './openapi-schemas.ts'
import { webhooks } from './openapi-webhooks.ts'
import { PREFLIGHT_HEADERS } from './page-links.ts'

interface About {
  summary: string
  /** What a 200 means. */
  success: string
  request?: SchemaName
  parameters?: readonly object[]
}

const text = { type: 'string' } as const

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
      reference({ ...text, maxLength: LIMITS.externalReference.most }),
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
    parameters: [reference({ ...text, maxLength: LIMITS.externalReference.most })],
  },
  readRefund: {
    summary: 'Read the refund of a payment',
    success: 'The refund as it is now.',
    parameters: [reference({ ...text, maxLength: LIMITS.externalReference.most })],
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
    webhooks: webhooks(),
    components: {
      securitySchemes: {
        secretKey: { type: 'http', scheme: 'bearer', description: 'The secret key of the environment, `sk_…`.' },
        publicKey: { type: 'http', scheme: 'bearer', description: 'The public key of the account, `pk_…`.' },
      },
      schemas: SCHEMAS,
      headers: HEADERS,
      responses: sharedResponses(),
    },
  }
}

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
    ...(request !== undefined && { requestBody: { required: true, content: namedContent(request) } }),
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
