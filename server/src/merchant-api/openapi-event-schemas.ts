// The schemas of events, as webhooks carry them and the feed repeats them, for the OpenAPI description (D-26, D-47).
import { ENVIRONMENTS } from '../domain/environment.ts'
import { EVENTS } from '../domain/webhook-event.ts'

const text = { type: 'string' } as const
const time = { type: 'string', format: 'date-time' } as const

/** The fields of every event, beside what it tells. */
const EVENT = {
  sequence: { type: 'integer', description: 'Its place in the feed, counting up by one. Not in a webhook.' },
  replay: { type: 'integer', description: 'Counts what was sent again by hand. Only in `replays`.' },
  id: { ...text, description: 'The same each time that this event is sent.' },
  created_at: time,
  environment: { type: 'string', enum: ENVIRONMENTS },
} as const
const EVENT_REQUIRED = ['id', 'event', 'created_at', 'environment', 'data']

export const EVENT_SCHEMAS = {
  Event: {
    oneOf: [{ $ref: '#/components/schemas/PaymentEvent' }, { $ref: '#/components/schemas/TestEvent' }],
  },
  PaymentEvent: {
    type: 'object',
    required: EVENT_REQUIRED,
    properties: {
      ...EVENT,
      event: { type: 'string', enum: EVENTS },
      data: { $ref: '#/components/schemas/EventPayment' },
    },
  },
  TestEvent: {
    type: 'object',
    required: EVENT_REQUIRED,
    properties: {
      ...EVENT,
      event: { type: 'string', const: 'webhook.test' },
      data: { $ref: '#/components/schemas/WebhookTest' },
    },
  },
  WebhookTest: {
    type: 'object',
    description: 'Of `webhook.test`: no payment has changed.',
    required: ['endpoint', 'message'],
    properties: { endpoint: text, message: text },
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
        required: ['after', 'replays_after'],
        properties: { after: { type: 'integer' }, replays_after: { type: 'integer' } },
      },
    },
  },
}
