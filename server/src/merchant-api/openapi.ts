// The interface description (spec §9, version 1.0.0), made from the tables of contract.ts so that it cannot say otherwise.
import { COUNTRIES } from '../domain/country.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { CURRENCY, MAXIMUM_XOF, MINIMUM_XOF } from '../domain/money.ts'
import { STATUSES } from '../domain/payment-status.ts'
import type { Refusal } from '../domain/refusal.ts'
import { EVENTS } from '../domain/webhook-event.ts'
import { ADVICE, BASE_PATH, ERRORS, OPERATIONS, type Operation } from './contract.ts'

const HEAD_REFUSALS: Refusal[] = [
  'header_missing',
  'environment_not_allowed',
  'payment_type_not_allowed',
  'key_malformed',
  'content_type_not_json',
  'key_not_valid',
  'account_not_available',
]

const CREATE_REFUSALS: Refusal[] = [
  ...HEAD_REFUSALS,
  'body_incomplete',
  'country_not_allowed',
  'currency_not_allowed',
  'amount_not_valid',
  'msisdn_not_valid',
  'external_reference_not_valid',
  'customer_name_not_valid',
  'operator_not_available',
  'external_reference_taken',
]

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
            ...refusals(CREATE_REFUSALS),
          },
        },
      },
      '/payments/{reference}': {
        get: {
          operationId: OPERATIONS.readPayment.id,
          summary: 'Read a payment by its reference or by your transaction_id',
          parameters: [
            { name: 'reference', in: 'path', required: true, schema: { type: 'string', maxLength: 255 } },
            ...commonHeaders(OPERATIONS.readPayment),
          ],
          responses: {
            200: { description: 'The payment as it is now.', content: json({ $ref: '#/components/schemas/Payment' }) },
            ...refusals([...HEAD_REFUSALS, 'payment_not_found']),
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
            query('limit', 'At most so many events, 100 by default and 1000 at the most.'),
            query('replays_after', 'Also give what was sent again by hand after this number, or `latest`.'),
            ...commonHeaders(OPERATIONS.listEvents),
          ],
          responses: {
            200: { description: 'Events in their order.', content: json({ $ref: '#/components/schemas/Feed' }) },
            ...refusals([...HEAD_REFUSALS, 'after_not_valid', 'limit_not_valid', 'event_not_found']),
          },
        },
      },
    },
    components: { securitySchemes: { secretKey: { type: 'http', scheme: 'bearer' } }, schemas: SCHEMAS },
  }
}

const text = { type: 'string' } as const

const SCHEMAS = {
  PaymentOrder: {
    type: 'object',
    required: ['amount', 'country', 'currency', 'msisdn', 'transaction_id', 'customer_name'],
    properties: {
      amount: {
        type: 'integer',
        minimum: MINIMUM_XOF.live,
        maximum: MAXIMUM_XOF,
        description: `Whole francs. At least ${MINIMUM_XOF.live} in live and ${MINIMUM_XOF.sandbox} in sandbox.`,
      },
      country: { type: 'string', enum: COUNTRIES },
      currency: { type: 'string', enum: [CURRENCY] },
      msisdn: { ...text, description: 'The payer’s number as people write it; it must belong to the country.' },
      transaction_id: { ...text, minLength: 1, maxLength: 255, description: 'Your order, once in your account.' },
      customer_name: { ...text, minLength: 1, maxLength: 255 },
    },
  },
  CreatedPayment: {
    type: 'object',
    required: ['status', 'reference', 'public_reference'],
    properties: {
      status: { type: 'string', enum: STATUSES },
      reference: text,
      public_reference: { ...text, description: 'For the customer to read out.' },
      meta_data: { type: 'object', additionalProperties: true },
    },
  },
  Payment: {
    type: 'object',
    required: ['public_reference', 'external_reference', 'reference', 'status', 'amount'],
    properties: {
      public_reference: text,
      external_reference: { ...text, description: 'Your transaction_id.' },
      reference: text,
      status: { type: 'string', enum: STATUSES },
      msisdn: { ...text, description: 'As it was sent.' },
      amount: { type: 'integer' },
      validated_at: { type: 'string', format: 'date-time', description: 'Present once the payment succeeded.' },
      failure_reason: { ...text, description: 'Present on failed payments.' },
    },
  },
  Event: {
    type: 'object',
    required: ['id', 'event', 'created_at', 'environment', 'data'],
    properties: {
      sequence: { type: 'integer', description: 'Its place in the feed, counting up by one. Not in a webhook.' },
      replay: { type: 'integer', description: 'Counts what was sent again by hand. Only in `replays`.' },
      id: text,
      event: { type: 'string', enum: [...EVENTS, 'webhook.test'] },
      created_at: { type: 'string', format: 'date-time' },
      environment: { type: 'string', enum: ENVIRONMENTS },
      data: { $ref: '#/components/schemas/Payment' },
    },
  },
  Feed: {
    type: 'object',
    required: ['events', 'replays', 'has_more', 'next'],
    properties: {
      events: { type: 'array', items: { $ref: '#/components/schemas/Event' } },
      replays: { type: 'array', items: { $ref: '#/components/schemas/Event' } },
      has_more: { type: 'boolean' },
      next: {
        type: 'object',
        description: 'What to ask with next.',
        properties: { after: { type: 'integer' }, replays_after: { type: 'integer' } },
      },
    },
  },
  Error: {
    type: 'object',
    required: ['message'],
    properties: { message: text, status: { type: 'string', enum: ['failed'] } },
  },
}

const query = (name: string, description: string): object => ({
  name,
  in: 'query',
  required: false,
  schema: text,
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
function refusals(names: Refusal[]): Record<string, object> {
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
