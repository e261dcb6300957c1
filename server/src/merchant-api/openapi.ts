// The interface description (spec §9, version 1.0.0), made from the tables of contract.ts so that it cannot say otherwise.
import { ENVIRONMENTS } from '../domain/environment.ts'
import { FEED_LIMIT } from '../domain/event-feed.ts'
import { HOUSE_ERRORS } from '../wire/error.ts'
import { ADVICE } from './advice.ts'
import { BASE_PATH, ERRORS, type MerchantRefusal, OPERATIONS, type Operation } from './contract.ts'
import { LIMITS } from './limits.ts'
import { LINK_REFERENCE, SCHEMAS } from './openapi-schemas.ts'

export function openApi(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Karba merchant payments API',
      version: '1.0.0',
      description:
        'Record mobile money payment requests and read their real outcome. Never deliver on the create answer.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: BASE_PATH }],
    security: [{ secretKey: [] }],
    paths: {
      '/payments': {
        post: {
          operationId: OPERATIONS.createPayment.id,
          summary: 'Record a mobile money payment request',
          parameters: commonHeaders(OPERATIONS.createPayment),
          requestBody: { required: true, content: json({ $ref: '#/components/schemas/PaymentOrder' }) },
          responses: {
            200: {
              description: 'Recorded. The status is not final: read the payment or wait for the webhook.',
              content: json({ $ref: '#/components/schemas/CreatedPayment' }),
            },
            ...refusals(OPERATIONS.createPayment),
          },
        },
      },
      '/payments/{reference}': {
        get: {
          operationId: OPERATIONS.readPayment.id,
          summary: 'Read a payment by its reference or by your transaction_id',
          parameters: [
            {
              name: 'reference',
              in: 'path',
              required: true,
              schema: { type: 'string', maxLength: LIMITS.externalReference.most },
            },
            ...commonHeaders(OPERATIONS.readPayment),
          ],
          responses: {
            200: { description: 'The payment as it is now.', content: json({ $ref: '#/components/schemas/Payment' }) },
            ...refusals(OPERATIONS.readPayment),
          },
        },
      },
      [OPERATIONS.createLink.path]: {
        post: {
          operationId: OPERATIONS.createLink.id,
          summary: 'Make a payment link: a page on which anybody who has its address can pay',
          parameters: commonHeaders(OPERATIONS.createLink),
          requestBody: { required: true, content: json({ $ref: '#/components/schemas/LinkOrder' }) },
          responses: {
            200: { description: 'The link.', content: json({ $ref: '#/components/schemas/CreatedLink' }) },
            ...refusals(OPERATIONS.createLink),
          },
        },
      },
      [OPERATIONS.readLink.path]: {
        get: {
          operationId: OPERATIONS.readLink.id,
          summary: 'Read a payment link, without a key: never who pays',
          security: [],
          parameters: [{ name: 'reference', in: 'path', required: true, schema: LINK_REFERENCE }],
          responses: {
            200: { description: 'The link as it is now.', content: json({ $ref: '#/components/schemas/Link' }) },
            ...refusals(OPERATIONS.readLink),
            [HOUSE_ERRORS.too_many_requests.http]: {
              description: `${HOUSE_ERRORS.too_many_requests.message}: Retry-After says when to ask again.`,
              content: json({ $ref: '#/components/schemas/Error' }),
            },
          },
        },
      },
      '/events': {
        get: {
          operationId: OPERATIONS.listEvents.id,
          summary: 'Read every event of the account in order, without gaps: an addition to the contract',
          parameters: [
            query(
              'after',
              'The id or the sequence of the last event you have, or `latest`. Without it, from the beginning.',
            ),
            query(
              'limit',
              `At most so many events, ${FEED_LIMIT.usual} by default and ${LIMITS.feedPage.most} at the most.`,
            ),
            query('replays_after', 'Also give what was sent again by hand after this number, or `latest`.'),
            ...commonHeaders(OPERATIONS.listEvents),
          ],
          responses: {
            200: { description: 'Events in their order.', content: json({ $ref: '#/components/schemas/Feed' }) },
            ...refusals(OPERATIONS.listEvents),
          },
        },
      },
    },
    components: { securitySchemes: { secretKey: { type: 'http', scheme: 'bearer' } }, schemas: SCHEMAS },
  }
}

const query = (name: string, description: string): object => ({
  name,
  in: 'query',
  required: false,
  schema: { type: 'string' },
  description,
})

const json = (schema: object): object => ({ 'application/json': { schema } })

function commonHeaders({ paymentTypes }: Operation): object[] {
  const header = (name: string, values: readonly string[]): object => ({
    name,
    in: 'header',
    required: true,
    schema: { type: 'string', enum: values },
  })
  return [
    header('Content-Type', ['application/json']),
    header('Svc-Target-Environment', ENVIRONMENTS),
    header('Svc-Payment-Type', paymentTypes),
  ]
}

/** One entry for each status code, with every message that it can carry. */
function refusals({ refusals: names }: { refusals: readonly MerchantRefusal[] }): Record<string, object> {
  const byCode = Map.groupBy(names, (name) => ERRORS[name].http)
  return Object.fromEntries(
    [...byCode].map(([code, these]) => [
      code,
      {
        description: these.map((name) => `${ERRORS[name].message}: ${ADVICE[name]}`).join('\n\n'),
        content: json({ $ref: '#/components/schemas/Error' }),
      },
    ]),
  )
}
