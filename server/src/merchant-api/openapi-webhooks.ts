// What the service sends to merchants' own addresses, for the OpenAPI description: one body and its headers (D-26, D-27, D-48).
import { EVENTS } from '../domain/webhook-event.ts'
import { namedContent } from './openapi-responses.ts'

const text = { type: 'string' } as const

const HEADERS: readonly [name: string, isRequired: boolean, description: string, schema?: object][] = [
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

export function webhooks(): object {
  return {
    paymentEvent: {
      post: {
        operationId: 'receiveEvent',
        summary: 'An event of a payment, sent to each of your endpoints that asked for it',
        description: [
          `Events: ${[...EVENTS, 'webhook.test'].map((name) => `\`${name}\``).join(', ')}.`,
          'Check either proof, or both, over the body as it came. Answer within ten seconds and work afterwards; the same event may come more than once.',
        ].join(' '),
        security: [],
        parameters: HEADERS.map(([name, required, description, schema = text]) => ({
          name,
          in: 'header',
          required,
          description,
          schema,
        })),
        requestBody: { required: true, content: namedContent('Event') },
        responses: {
          '2XX': { description: 'Taken. Any other answer, or none, is tried again ten times in about three days.' },
        },
      },
    },
  }
}
