// The schemas of what Karba adds to the contract: answers of the additions.
import { COUNTRIES } from '../domain/country.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { FAILURE_REASONS } from '../domain/outcome.ts'
import { LIMITS } from './limits.ts'

const text = { type: 'string' } as const
const time = { type: 'string', format: 'date-time' } as const

const amount = { type: 'integer', minimum: LIMITS.amountLive.least, maximum: LIMITS.amountLive.most } as const

/** Of a link without an amount, and of one that many can pay (D-92). */
export const STANDING_LINK = {
  minimum_amount: { ...amount, description: 'The payer types the amount, at least this.' },
  suggested_amounts: { type: 'array', maxItems: LIMITS.suggestedAmounts.most, items: amount },
  reusable: { type: 'boolean', description: 'Each payer gets a payment of their own.' },
} as const

export const STANDING_LINK_ORDER = {
  ...STANDING_LINK,
  expires_in_minutes: {
    type: 'integer',
    minimum: LIMITS.linkLifeMinutes.least,
    maximum: LIMITS.linkLifeMinutes.most,
    description: 'Without it, a reusable link never expires.',
  },
} as const

export const LINK_COUNTS = {
  payments_count: { type: 'integer', description: 'Of a reusable link: how many have paid, without refunds.' },
  collected_amount: { type: 'integer', description: 'Of a reusable link: what they have paid, without refunds.' },
} as const

export const ADDITION_SCHEMAS = {
  Account: {
    type: 'object',
    required: ['account_id', 'merchant', 'environment', 'status', 'endpoints', 'operators'],
    properties: {
      account_id: text,
      merchant: { ...text, description: 'The name that payers see.' },
      environment: { type: 'string', enum: ENVIRONMENTS },
      status: { type: 'string', enum: ['unvalidated', 'validated', 'suspended'] },
      endpoints: {
        type: 'array',
        items: {
          type: 'object',
          required: ['url', 'status', 'failing_since'],
          properties: {
            url: { ...text, format: 'uri' },
            status: { type: 'string', enum: ['on', 'off', 'gone'] },
            failing_since: { type: ['string', 'null'], format: 'date-time' },
          },
        },
      },
      operators: {
        type: 'array',
        items: {
          type: 'object',
          required: ['country', 'operator', 'name', 'state'],
          properties: {
            country: { type: 'string', enum: COUNTRIES },
            operator: text,
            name: { ...text, description: 'As payers know it.' },
            state: {
              type: 'string',
              enum: ['up', 'down', 'paused'],
              description: 'While it is down, payments wait for it; while it is paused, creates are refused.',
            },
          },
        },
      },
    },
  },
  PaymentList: {
    type: 'object',
    required: ['data', 'next'],
    properties: {
      data: { type: 'array', items: { $ref: '#/components/schemas/ListedPayment' } },
      next: {
        type: ['string', 'null'],
        description: 'Ask for the next page with it as `after`; null on the last page.',
      },
    },
  },
  Refund: {
    type: 'object',
    required: ['reference', 'payment_reference', 'amount', 'status', 'created_at', 'updated_at'],
    properties: {
      reference: text,
      payment_reference: text,
      amount: { type: 'integer' },
      status: {
        type: 'string',
        enum: ['waiting_for_approval', 'pending', 'succeeded', 'failed', 'by_hand'],
        description:
          'waiting_for_approval: the amount is above the service’s limit, and a second person must approve it first. by_hand: the network has no call for it, and a person makes it.',
      },
      reason: {
        ...text,
        enum: [...Object.keys(FAILURE_REASONS), 'approval_rejected'],
        description: 'Present on failed refunds.',
      },
      created_at: time,
      updated_at: time,
    },
  },
}
