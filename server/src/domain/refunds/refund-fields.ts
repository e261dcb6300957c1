// Every field of a refund that merchants see, once. Bodies of the API and their schemas come from
// these rows, in their order.
import type { Fields } from '../fields.ts'
import { FAILURE_REASONS, type FailureReason } from '../payments/payment-status.ts'
import { type ListedRefund, REFUND_STATUSES, type Refund } from './refund.ts'

export const REFUND_FIELDS = {
  reference: {
    is: 'text',
    wire: 'reference',
    about: 'The service’s reference of the refund.',
    value: ({ refundReference }) => refundReference,
  },
  refundId: {
    is: 'text',
    wire: 'refund_id',
    about: 'Your own name of the refund, if you gave one.',
    isOptional: true,
    value: ({ refundId }) => refundId,
  },
  paymentReference: {
    is: 'text',
    wire: 'payment_reference',
    about: 'The service’s reference of the payment.',
    value: ({ reference }) => reference,
  },
  amount: {
    is: 'francs',
    wire: 'amount',
    about: 'The refunded francs.',
    value: ({ amountXof }) => amountXof,
  },
  status: {
    is: 'choice',
    of: REFUND_STATUSES,
    wire: 'status',
    about:
      '`waiting_for_approval`: the payment’s refunds are above the service’s limit, and a second person must approve it. `by_hand`: the network has no refund call, and a person makes the refund.',
    value: ({ status }) => status,
  },
  reason: {
    is: 'choice',
    of: [...(Object.keys(FAILURE_REASONS) as FailureReason[]), 'approval_rejected'],
    wire: 'reason',
    about: 'Why the refund failed. Present on failed refunds.',
    isOptional: true,
    value: ({ failureReason }) => failureReason,
  },
  createdAt: {
    is: 'time',
    wire: 'created_at',
    about: 'When the refund was requested.',
    value: ({ createdAt }) => createdAt,
  },
  updatedAt: {
    is: 'time',
    wire: 'updated_at',
    about: 'When its status last changed.',
    value: ({ updatedAt }) => updatedAt,
  },
} as const satisfies Fields<Refund>

/** What a list adds to each refund. */
export const LISTED_REFUND_FIELDS = {
  publicReference: {
    is: 'text',
    wire: 'public_reference',
    about: 'The payment’s short reference.',
    value: ({ publicReference }) => publicReference,
  },
  transactionId: {
    is: 'text',
    wire: 'external_reference',
    about: 'Your transaction_id of the payment.',
    value: ({ externalReference }) => externalReference,
  },
} as const satisfies Fields<ListedRefund>
