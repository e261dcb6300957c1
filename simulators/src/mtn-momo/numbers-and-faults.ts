// The numbers with a fixed outcome: those of MTN's documents for its test environment, and numbers
// of Benin.
import { BENIN, nationalIn } from '../countries.ts'
import { type FaultTable, lookUp } from '../network.ts'

export interface NumberOutcome {
  /** The reason of its failure; without one it succeeds. */
  reason?: string
  /** When it is decided, counted from the request; never, or when payers usually decide. */
  afterMs?: number | 'never'
  about: string
}

const FIVE_MINUTES_MS = 5 * 60_000

const fails = (reason: string, afterMs?: number): NumberOutcome => ({
  reason,
  ...(afterMs !== undefined && { afterMs }),
  about: `FAILED, ${reason}`,
})

/**
 * [D] The last digit groups of 46733123450 to …464. The documents have no code for the last one.
 */
const DOCUMENTED: readonly NumberOutcome[] = [
  fails('INTERNAL_PROCESSING_ERROR', 0),
  fails('APPROVAL_REJECTED', 0),
  fails('EXPIRED', 0),
  { afterMs: 'never', about: 'PENDING for ever' },
  { afterMs: 25_000, about: 'PENDING, and SUCCESSFUL after 25 seconds' },
  fails('PAYER_NOT_FOUND', 0),
  fails('PAYEE_NOT_ALLOWED_TO_RECEIVE', 0),
  fails('NOT_ALLOWED', 0),
  fails('NOT_ALLOWED_TARGET_ENVIRONMENT', 0),
  fails('INVALID_CALLBACK_URL_HOST', 0),
  fails('INVALID_CURRENCY', 0),
  fails('INTERNAL_PROCESSING_ERROR', 0),
  fails('SERVICE_UNAVAILABLE', 0),
  fails('COULD_NOT_PERFORM_TRANSACTION', 0),
  fails('TRANSFER_TYPE_UNKNOWN', 0),
]

const ALSO =
  'PAYEE_NOT_ALLOWED_TO_RECEIVE TRANSACTION_CANCELED PAYMENT_NOT_APPROVED PAYEE_NOT_FOUND ' +
  'PAYEE_LIMIT_REACHED SENDER_ACCOUNT_NOT_ACTIVE LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED ' +
  'NOT_ALLOWED NOT_ALLOWED_TARGET_ENVIRONMENT INVALID_CALLBACK_URL_HOST INVALID_CURRENCY ' +
  'SERVICE_UNAVAILABLE TRANSACTION_NOT_COMPLETED TRANSACTION_NOT_FOUND VALIDATION_ERROR'

/** Benin's 01 97 00 00 01 and up. */
const OF_BENIN: readonly NumberOutcome[] = [
  fails('APPROVAL_REJECTED'),
  fails('NOT_ENOUGH_FUNDS'),
  {
    ...fails('INTERNAL_PROCESSING_ERROR'),
    about: 'FAILED, INTERNAL_PROCESSING_ERROR: the usual form of a lack of funds',
  },
  fails('EXPIRED', FIVE_MINUTES_MS),
  {
    ...fails('COULD_NOT_PERFORM_TRANSACTION', FIVE_MINUTES_MS),
    about: 'no answer: COULD_NOT_PERFORM_TRANSACTION after 5 minutes',
  },
  fails('PAYER_NOT_FOUND'),
  fails('PAYER_LIMIT_REACHED'),
  { afterMs: 'never', about: 'PENDING for ever, until a decision by the control address' },
  { afterMs: 25_000, about: 'PENDING, and SUCCESSFUL after 25 seconds' },
  ...ALSO.split(' ').map((reason) => fails(reason)),
]

const WITH_TRUNK = `${BENIN.callingCode}01`

export const NUMBERS: Readonly<Record<string, NumberOutcome>> = Object.fromEntries([
  ...DOCUMENTED.map((outcome, at) => [`467331234${50 + at}`, outcome]),
  ...OF_BENIN.map((outcome, at) => [
    `${WITH_TRUNK}970000${String(at + 1).padStart(2, '0')}`,
    outcome,
  ]),
])

const SUCCEEDS: NumberOutcome = { about: 'SUCCESSFUL' }
const HAS_NO_WALLET = fails('PAYER_NOT_FOUND')

/**
 * In the test environment any other number succeeds; in Benin only its own, without `+`. Ten digits
 * after the calling code and the eight of before lead to the same wallet.
 */
export function outcomeOf(partyId: string, environment: string): NumberOutcome {
  const eight = nationalIn(partyId, BENIN)
  const known =
    lookUp(NUMBERS, partyId) ??
    (eight === undefined ? undefined : lookUp(NUMBERS, `${WITH_TRUNK}${eight}`))
  if (known !== undefined) return known
  return environment === 'sandbox' || eight !== undefined ? SUCCEEDS : HAS_NO_WALLET
}

// The faults that can be switched on. Each was seen in the field or follows from the network's
// documents.

export const MTN_MOMO_FAULTS = {
  token_500: 'The token call answers 500, as it has for wrong credentials.',
  token_refused: 'The token call answers 401: the credentials are not valid any more.',
  slow_token: 'The token call takes 20 seconds.',
  short_tokens: 'Tokens last 180 seconds, and `expires_in` is text.',
  forgets_tokens: 'All tokens end at once, before their time: the call that finds out gets 401.',
  new_token_ends_the_old: 'A token ends as soon as another one is made for the same user.',
  gateway_403_page: 'The gateway answers every call with a 403 page in HTML.',
  gateway_404:
    'The gateway knows no such address: 404 in its own form, also for payments that exist.',
  callback_host_refused:
    'A request to pay is answered with 500 INVALID_CALLBACK_URL_HOST: another callback host is registered.',
  payee_not_allowed: 'A request to pay is accepted, and FAILED with PAYEE_NOT_ALLOWED_TO_RECEIVE.',
  unavailable_503: 'A request to pay is answered with 503, and nothing is created.',
  cut_before_taking: 'The connection breaks before a request to pay is taken.',
  cut_after_taking: 'A request to pay is taken, and the connection breaks before the answer.',
  silent_after_taking: 'A request to pay is taken and never answered.',
  error_500_after_taking:
    'A request to pay is taken and answered with 500 INTERNAL_PROCESSING_ERROR.',
  refuses_token_after_taking: 'A request to pay is taken and answered with 401.',
  hidden_for_a_minute: 'A request to pay is accepted, and its status is 404 for the first minute.',
  hidden_for_twenty_minutes:
    'A request to pay is taken, and its status is 404 for the first twenty minutes.',
  lost_after_202: 'A request to pay is accepted with 202 and then unknown for ever.',
  too_many_reads: 'Reading a status is answered with 429.',
  status_500: 'Reading a status fails with 500, which proves nothing about the payment.',
  status_not_understood: 'The status is a word that no document has.',
  reason_as_text: 'The reason of a failure is its code alone, as text.',
  reason_left_out: 'A failure has no reason.',
  amount_as_number: 'Amounts are numbers, not text.',
  amount_with_decimals: 'Amounts have four decimals.',
  amount_with_commas: 'Amounts have commas and two decimals.',
  other_amount: 'The status has one franc less than the request.',
  other_currency: 'The status has another currency than the request.',
  paid_after_failure: 'A payment is FAILED, and ten minutes later SUCCESSFUL, with a callback.',
  no_callbacks: 'No callback is ever sent.',
  callback_before_answer:
    'The payer decides at once, and the callback is sent before the request is answered.',
  callback_twenty_times:
    'Each callback is sent twenty times, a second apart, and then five times, two minutes apart.',
  callback_without_external_id: 'Callbacks lack externalId.',
  callback_by_put: 'Callbacks are sent by PUT, and then again by POST.',
  callback_says_otherwise: 'Callbacks claim the opposite of the status.',
  pending_callbacks: 'Callbacks are also sent while a payment is PENDING, every five seconds.',
  refunds_forbidden:
    'Writing to the Disbursement product is answered with 403: refunds were not enabled for this account.',
  no_float_for_refunds:
    'A refund is accepted and then FAILED for lack of funds in our own account.',
  refund_fails_later: 'A refund is accepted, PENDING for ten minutes, and then FAILED.',
  refund_cut_after_taking: 'A refund is taken, and the connection breaks before the answer.',
} as const satisfies FaultTable
