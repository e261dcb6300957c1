// How networks fail in the field, and the required outcome: each rule once, with each network's way
// of breaking it. faults.test.ts runs them.
import type { FailureReason } from '../../src/domain/payments/payment-status.ts'
import type { NetworkName } from './networks.ts'

export interface Outcome {
  status: 'pending' | 'succeeded' | 'failed' | 'refunded'
  reason?: FailureReason
  /** In the network's books; never two. */
  debits: 0 | 1
  refunds?: 0 | 1
  events: readonly string[]
  anomalies?: readonly string[]
  /** Words in the payment's history, such as the network's own code. */
  story?: readonly string[]
  refundByHand?: true
  /** Whether the connection counts as misconfigured. */
  misconfigured?: true
}

export interface InjectedFault {
  /** Faults of the simulator from the start; `name*2` strikes twice. */
  on?: readonly string[]
  /** After this many minutes: faults begin, all faults end, or the payer approves. */
  later?: readonly [
    minutes: number,
    act: 'faults end' | 'payer approves' | { on: readonly string[] },
  ][]
  /** The payer's number in a merchant's notation; one that succeeds by default. */
  msisdn?: string
  /** The connection has no token yet. */
  withoutToken?: true
  /** The payment is refunded once it has succeeded. */
  refunded?: true
  /** How long the service runs on the virtual clock; 3 by default. */
  minutes?: number
  /** Where the outcome differs from the rule's. */
  expect?: Partial<Outcome>
}

/**
 * The number of the fault, the rest of a sentence that begins with the network's name, and what
 * comes of it.
 */
export type Rule = readonly [
  fault: number,
  about: string,
  Outcome,
  Partial<Record<NetworkName, string | InjectedFault>>,
]

const PAID: Outcome = { status: 'succeeded', debits: 1, events: ['succeeded'] }
const REFUNDED: Outcome = {
  status: 'refunded',
  debits: 1,
  refunds: 1,
  events: ['succeeded', 'refund.succeeded', 'refunded'],
}
const REFUND_FAILED: Outcome = { ...PAID, events: ['succeeded', 'refund.failed'] }
const PENDING: Outcome = { status: 'pending', debits: 0, events: [] }
const NEVER_SENT: Outcome = { ...PENDING, misconfigured: true }
const IN_DOUBT: Outcome = { ...PENDING, debits: 1 }
const MISMATCH: Outcome = { ...IN_DOUBT, anomalies: ['amount_mismatch'] }
const FORGOTTEN: Outcome = { ...PENDING, anomalies: ['forgotten_by_operator'] }
const failed = (reason: FailureReason, ...story: string[]): Outcome => ({
  status: 'failed',
  reason,
  debits: 0,
  events: ['failed'],
  ...(story.length > 0 && { story }),
})
const NEVER_RECEIVED = failed('never_received')
const paidAfter = (reason: FailureReason): Outcome => ({
  ...failed(reason),
  debits: 1,
  anomalies: ['success_after_failure'],
})

const withStory = (outcome: Outcome, ...story: string[]): Outcome => ({ ...outcome, story })
/** Paid once staff have corrected our settings. */
const CORRECTED: Outcome = { ...PAID, misconfigured: true }
const TOO_LATE: Outcome = { ...NEVER_RECEIVED, misconfigured: true }
const BY_HAND: Outcome = { ...PAID, refundByHand: true }
const ELSEWHERE: Outcome = { ...BY_HAND, refunds: 1 }
const REFUNDED_FIRST: Outcome = { ...REFUNDED, events: ['refunded'] }
const LOST_HEADER: Outcome = { ...failed('never_received', 'ESB000008'), misconfigured: true }

/** Faults that are over after some minutes. */
const ended = (
  fault: string,
  afterMinutes: number,
  minutes: number,
  expect: Partial<Outcome> = {},
): InjectedFault => ({
  on: [fault],
  later: [[afterMinutes, 'faults end']],
  minutes,
  expect,
})
/** The fault begins after a second. */
const soon = (fault: string): NonNullable<InjectedFault['later']>[number] => [
  1 / 60,
  { on: [fault] },
]
const refund = (
  fault: string | undefined,
  minutes = 5,
  expect: Partial<Outcome> = {},
): InjectedFault => ({
  ...(fault !== undefined && { on: [fault] }),
  refunded: true,
  minutes,
  expect,
})

const rule = (...rule: Rule): Rule => rule

const CALLBACKS: readonly Rule[] = [
  rule(1, 'calls back before it has answered the request', PAID, {
    mtn: 'callback_before_answer',
    airtel: 'callback_before_the_answer',
    fedapay: 'webhook_before_the_answer',
    pawapay: 'callback_before_answer',
  }),
  rule(2, 'never calls back', PAID, {
    mtn: 'no_callbacks',
    airtel: 'no_callbacks',
    fedapay: 'webhooks_never_come',
    pawapay: 'callbacks_never_come',
  }),
  rule(2, 'reports the opposite of its status in a callback', PAID, {
    mtn: 'callback_says_otherwise',
    airtel: 'callbacks_say_the_opposite',
  }),
  rule(2, 'reports a success by callback and a failure by status', failed('declined'), {
    mtn: { on: ['callback_says_otherwise'], msisdn: '97000001' },
  }),
  rule(3, 'disables callbacks after ten refused ones', PAID, {
    fedapay: { on: ['webhooks_signed_wrongly'], minutes: 20 },
  }),
  rule(4, 'sends the same callback twenty times', PAID, {
    mtn: { on: ['callback_twenty_times'], minutes: 15 },
    airtel: 'callbacks_repeated',
    fedapay: 'webhooks_repeated',
    pawapay: 'callbacks_repeated',
  }),
  rule(5, 'calls back without our reference', PAID, {
    mtn: 'callback_without_external_id',
    airtel: 'callbacks_without_id',
    fedapay: 'webhooks_without_merchant_reference',
  }),
  rule(6, 'calls back by PUT, and again by POST', PAID, { mtn: 'callback_by_put' }),
  rule(7, 'repeats callbacks while the payment is pending, then reports the success', PAID, {
    mtn: { on: ['pending_callbacks'], msisdn: '97000009' },
    airtel: { on: ['callbacks_in_progress'], msisdn: '97000032', minutes: 8 },
    pawapay: 'pending_callbacks',
  }),
  rule(7, 'repeats callbacks while the payment is pending', PENDING, {
    airtel: { on: ['callbacks_in_progress'], msisdn: '97000032', minutes: 2 },
    fedapay: { on: ['pending_webhooks_repeated'], msisdn: '66000004', minutes: 5 },
  }),
  rule(39, 'signs callbacks wrongly', PAID, {
    airtel: 'callbacks_with_wrong_hash',
    pawapay: 'callbacks_signed_wrongly',
  }),
  rule(39, 'signs callbacks with an expired timestamp', PAID, {
    fedapay: 'webhooks_signed_long_ago',
    pawapay: 'callbacks_signed_long_ago',
  }),
  rule(39, 'signs callbacks that are changed in transit', PAID, {
    pawapay: 'callbacks_with_another_body',
  }),
  rule(39, 'signs callbacks with a new key', PAID, { pawapay: 'key_replaced' }),
  rule(39, 'has a clock that is ten minutes behind', PAID, { pawapay: 'clock_is_slow' }),
]

const LOST_ANSWERS: readonly Rule[] = [
  rule(8, 'accepts a request, and look-ups miss it for a minute', PAID, {
    mtn: 'hidden_for_a_minute',
    airtel: 'not_found_for_a_minute',
    fedapay: 'not_found_for_a_while',
    pawapay: 'not_found_at_first',
  }),
  rule(8, 'has no route by our reference', PAID, { fedapay: 'no_route_by_reference' }),
  rule(
    8,
    'does not answer, misses the payment for 20 minutes, then shows the debit',
    paidAfter('never_received'),
    {
      mtn: { on: ['cut_after_taking', 'hidden_for_twenty_minutes', 'no_callbacks'], minutes: 40 },
    },
  ),
  rule(9, 'accepts a request, and look-ups never find it', FORGOTTEN, {
    mtn: { on: ['lost_after_202'], minutes: 20 },
    airtel: { on: ['forgets_payments'], minutes: 20, expect: { debits: 1 } },
    fedapay: { on: ['not_found'], minutes: 40, expect: { debits: 1 } },
    pawapay: { on: ['accepted_and_forgotten'], minutes: 20 },
  }),
  rule(10, 'closes the connection before it has accepted the request', NEVER_RECEIVED, {
    mtn: { on: ['cut_before_taking'], minutes: 20 },
    airtel: { on: ['request_is_cut*1'], minutes: 20 },
    fedapay: { on: ['prompt_cut_before*1'], minutes: 40 },
    pawapay: { on: ['cut_before_registering*1'], minutes: 20 },
  }),
  rule(10, 'accepts a request and closes the connection before its answer', PAID, {
    mtn: 'cut_after_taking*1',
    airtel: 'answer_is_cut*1',
    fedapay: 'prompt_cut*1',
    pawapay: 'cut_after_registering*1',
  }),
  rule(
    10,
    'closes the connection after the transaction was created, and refuses a second one',
    PAID,
    {
      fedapay: 'create_cut*1',
    },
  ),
  rule(10, 'creates a transaction and does not answer', PAID, { fedapay: 'create_silent*1' }),
  rule(
    10,
    'closes the connection after the creation, refuses a second one, and hides the first for a while',
    PAID,
    {
      fedapay: { on: ['create_cut*1', 'not_found_for_a_while'] },
    },
  ),
  rule(10, 'closes the connection after the prompt, and has no route by our reference', PAID, {
    fedapay: { on: ['prompt_cut*1', 'no_route_by_reference'] },
  }),
  rule(
    10,
    'closes the connection after the creation, has no route by our reference, and prompts no payer',
    NEVER_RECEIVED,
    {
      fedapay: { on: ['create_cut*1', 'no_route_by_reference'], minutes: 40 },
    },
  ),
  rule(10, 'closes the connection between the transaction and its token', PAID, {
    fedapay: 'token_cut*2',
  }),
  rule(10, 'accepts a request, refuses its token, and answers 409 to the second one', PAID, {
    mtn: 'refuses_token_after_taking*1',
  }),
  rule(11, 'accepts a request and reports that its id exists', PAID, {
    airtel: 'asks_itself_twice*1',
  }),
  rule(12, 'answers 200 with the inner code 400, because a header was lost', LOST_HEADER, {
    airtel: { on: ['currency_header_is_lost'], minutes: 20 },
  }),
  rule(13, 'reports a success with the code of a pending payment', PAID, {
    airtel: 'success_with_code_in_process',
  }),
  rule(14, 'accepts a request and never answers it', PAID, {
    mtn: 'silent_after_taking*1',
    airtel: 'answer_never_comes*1',
    fedapay: 'prompt_silent*1',
    pawapay: 'never_answers*1',
  }),
  rule(14, 'accepts a request and answers after half a minute', PAID, {
    airtel: 'answer_takes_30_seconds*1',
    pawapay: 'answers_too_late*1',
  }),
  rule(14, 'accepts a request and answers with an error of its own', PAID, {
    mtn: { on: ['error_500_after_taking*1'], expect: { story: ['INTERNAL_PROCESSING_ERROR'] } },
    airtel: 'answers_something_wrong*1',
    pawapay: 'unknown_error_after_registering*1',
  }),
  rule(14, 'accepts a request and answers 408', PAID, {
    airtel: { on: ['gateway_times_out*1'], expect: { story: ['CONNECTION_TIMEOUT'] } },
    fedapay: 'prompt_timeout_body*1',
  }),
  rule(14, 'accepts a request and answers ROUTER117', withStory(PAID, 'ROUTER117'), {
    airtel: 'router_times_out*1',
  }),
  rule(14, 'accepts a request and answers that it timed out', withStory(PAID, 'DP00800001024'), {
    airtel: 'answers_timed_out*1',
  }),
  rule(
    14,
    'answers with UNKNOWN_ERROR, and has no deposit',
    failed('never_received', 'UNKNOWN_ERROR'),
    {
      pawapay: { on: ['unknown_error*1'], minutes: 20 },
    },
  ),
]

const SHORT_TOKENS: InjectedFault = {
  on: ['short_tokens'],
  msisdn: '97000008',
  later: [[10, 'payer approves']],
  minutes: 12,
}

const ACCESS: readonly Rule[] = [
  rule(15, 'ends a token early', PAID, { mtn: 'forgets_tokens*1', airtel: 'token_ends_early*1' }),
  rule(15, 'refuses a valid token with 403', PAID, {
    airtel: { on: ['expired_token_is_403', 'token_ends_early*1'] },
  }),
  rule(15, 'gives tokens for three minutes, with the lifetime as text', PAID, {
    mtn: SHORT_TOKENS,
    airtel: { on: ['token_life_is_text'], msisdn: '97000032', minutes: 8 },
  }),
  rule(16, 'ends a token when it issues a new one', PAID, {
    mtn: { ...SHORT_TOKENS, on: ['new_token_ends_the_old', 'short_tokens'] },
    airtel: { on: ['new_token_ends_the_old'], msisdn: '97000032', minutes: 8 },
  }),
  rule(17, 'refuses our credentials', NEVER_SENT, {
    mtn: { on: ['token_refused'], withoutToken: true, minutes: 30 },
    airtel: { on: ['credentials_are_refused'], withoutToken: true, minutes: 5 },
    fedapay: { on: ['key_refused'], minutes: 2 },
  }),
  rule(17, 'refuses our credentials until staff correct them', CORRECTED, {
    mtn: { ...ended('token_refused', 2, 4), withoutToken: true },
    airtel: { ...ended('credentials_are_refused', 1, 5), withoutToken: true },
    fedapay: ended('key_refused', 3, 6),
    pawapay: ended('token_refused', 5, 10),
  }),
  rule(17, 'refuses our credentials until the payment has expired', TOO_LATE, {
    pawapay: ended('token_refused', 31, 35),
  }),
  rule(17, 'answers the token call with 500 for a minute', PAID, {
    mtn: ended('token_500', 1, 3),
    airtel: ended('token_answers_500', 1, 5),
  }),
  rule(18, 'takes 20 seconds for a token', PAID, {
    mtn: 'slow_token*1',
    airtel: 'token_takes_20_seconds',
  }),
  rule(19, 'is behind a gateway that answers with 403 and a page', NEVER_SENT, {
    mtn: { on: ['gateway_403_page'], minutes: 5 },
    airtel: { on: ['address_not_allowed'], minutes: 5 },
    fedapay: { on: ['gateway_page'], minutes: 2 },
  }),
  rule(
    19,
    'is behind a gateway that answers with 403 and a page until staff correct it',
    CORRECTED,
    {
      airtel: ended('address_not_allowed', 1, 5),
      pawapay: ended('gateway_refuses', 5, 10),
    },
  ),
  rule(
    19,
    'has a gateway that answers 404 for twenty minutes, about the address and not the payment',
    CORRECTED,
    {
      mtn: { msisdn: '97000009', later: [soon('gateway_404'), [21, 'faults end']], minutes: 25 },
    },
  ),
  rule(20, 'refuses a token call without X-Target-Environment, which we send with it', PAID, {
    mtn: {},
  }),
]

const OUTAGES: readonly Rule[] = [
  rule(22, 'answers some calls with 429', PAID, {
    mtn: 'too_many_reads*5',
    airtel: ended('too_many_calls', 1, 5),
    fedapay: ended('too_many_requests', 1, 4),
    pawapay: { on: ['too_many_requests*4'], minutes: 5 },
  }),
  rule(22, 'fails status calls, which says nothing about the payment', PAID, {
    mtn: 'status_500*5',
    pawapay: { on: ['status_unavailable*4'], minutes: 5 },
  }),
  rule(23, 'is unavailable for a moment at the request', PAID, { mtn: 'unavailable_503*1' }),
  rule(23, 'is unavailable for minutes at the request', NEVER_RECEIVED, {
    mtn: ended('unavailable_503', 3, 20, { story: ['SERVICE_UNAVAILABLE'] }),
    airtel: ended('payments_unavailable', 3, 20),
    pawapay: { on: ['unavailable'], minutes: 35 },
  }),
  rule(23, 'is unavailable for minutes, and then accepts the payment', PAID, {
    fedapay: ended('unavailable', 3, 6),
    pawapay: ended('unavailable', 5, 10),
  }),
  rule(23, 'is unreachable for minutes after it has accepted a payment', PAID, {
    airtel: { later: [soon('unavailable'), [5, 'faults end']], minutes: 8 },
  }),
  rule(30, 'keeps a payment pending for long, and then debits it', PAID, {
    mtn: { msisdn: '97000008', later: [[180, 'payer approves']], minutes: 182 },
    airtel: { on: ['ambiguous_for_two_hours'], minutes: 125 },
    fedapay: { msisdn: '66000004', later: [[30, 'payer approves']], minutes: 32 },
    pawapay: { msisdn: '51345139', minutes: 65 },
  }),
  rule(30, 'keeps a payment pending for long', PENDING, {
    fedapay: { msisdn: '66000006', minutes: 20 },
    pawapay: { msisdn: '51345139', minutes: 40 },
  }),
  rule(31, 'fails to return its active configuration', PAID, {
    pawapay: 'active_conf_unavailable',
  }),
  rule(31, 'refuses deposits although the provider is listed, until staff correct it', CORRECTED, {
    pawapay: ended('deposits_not_allowed', 5, 10),
  }),
  rule(31, 'has not enabled the provider, until staff correct it', CORRECTED, {
    pawapay: ended('provider_not_enabled', 5, 10),
  }),
  rule(31, 'reports the provider as CLOSED for a while', PAID, {
    pawapay: ended('provider_closed', 5, 10),
  }),
  rule(31, 'reports the provider as DELAYED for a while', PAID, {
    pawapay: ended('provider_delayed', 5, 10),
  }),
  rule(31, 'reports the provider as CLOSED until the payment has expired', NEVER_RECEIVED, {
    pawapay: { on: ['provider_closed'], minutes: 35 },
  }),
]

const ANSWERS: readonly Rule[] = [
  rule(24, 'has a code for insufficient funds', failed('insufficient_funds'), {
    mtn: { msisdn: '97000002', expect: { story: ['NOT_ENOUGH_FUNDS'] } },
    airtel: { msisdn: '97000007', expect: { story: ['DP00800001007'] } },
    fedapay: { msisdn: '66000003', expect: { story: ['INSUFFICIENT_FUND_ERROR'] } },
  }),
  rule(
    24,
    'has a generic code for insufficient funds',
    failed('insufficient_funds', 'INTERNAL_PROCESSING_ERROR'),
    {
      mtn: { msisdn: '97000003' },
    },
  ),
  rule(
    24,
    'fails the payment with a generic code',
    failed('operator_error', 'UNSPECIFIED_FAILURE'),
    {
      pawapay: { msisdn: '51345069', minutes: 5 },
    },
  ),
  rule(25, 'gives the reason of a failure as text', failed('declined'), {
    mtn: { on: ['reason_as_text'], msisdn: '97000001', expect: { story: ['APPROVAL_REJECTED'] } },
    pawapay: {
      on: ['reason_as_text'],
      msisdn: '51345049',
      minutes: 5,
      expect: { reason: 'insufficient_funds', story: ['INSUFFICIENT_BALANCE'] },
    },
  }),
  rule(25, 'gives the reason of a failure as an object', failed('declined', 'APPROVAL_REJECTED'), {
    mtn: { msisdn: '97000001' },
    fedapay: {
      on: ['error_as_object'],
      msisdn: '66000003',
      expect: { reason: 'cancelled', story: ['canceled'] },
    },
  }),
  rule(25, 'gives no reason of a failure', failed('operator_error'), {
    mtn: { on: ['reason_left_out'], msisdn: '97000001' },
    airtel: { msisdn: '97000033', expect: { story: ['TF'] } },
    fedapay: { msisdn: '66000009', expect: { reason: 'cancelled' } },
    pawapay: { on: ['reason_missing'], msisdn: '51345049', minutes: 5 },
  }),
  rule(25, 'reports an undocumented status for a while', PAID, {
    mtn: 'status_not_understood*4',
    fedapay: ended('status_not_documented', 10, 12),
  }),
  rule(26, 'writes amounts as numbers', PAID, {
    mtn: 'amount_as_number',
    pawapay: 'amounts_as_numbers',
  }),
  rule(26, 'writes amounts with decimals', PAID, {
    mtn: 'amount_with_decimals',
    fedapay: 'amount_as_text',
    pawapay: 'amounts_with_four_decimals',
  }),
  rule(26, 'writes amounts with commas and decimals', PAID, {
    mtn: 'amount_with_commas',
    airtel: 'tells_amount_with_decimals',
    pawapay: 'amounts_with_separators',
  }),
  rule(27, 'reports another amount than ours', MISMATCH, {
    mtn: 'other_amount',
    airtel: 'tells_another_amount',
    fedapay: 'other_amount',
    pawapay: 'another_amount',
  }),
  rule(27, 'reports another currency than ours', MISMATCH, {
    mtn: 'other_currency',
    airtel: 'tells_another_currency',
    fedapay: 'other_currency',
    pawapay: 'another_currency',
  }),
  rule(28, 'fails a payment, and debits it ten minutes later', paidAfter('declined'), {
    mtn: { on: ['paid_after_failure'], minutes: 30, expect: { reason: 'expired' } },
    airtel: { on: ['fails_then_succeeds*1'], minutes: 120 },
    fedapay: { msisdn: '66000005', minutes: 20 },
    pawapay: { on: ['failed_then_completed*1'], minutes: 15 },
  }),
  rule(
    28,
    'declines a transaction that is paid 20 minutes later without a callback',
    paidAfter('declined'),
    {
      fedapay: {
        on: ['webhooks_never_come'],
        msisdn: '66000002',
        later: [[20, 'payer approves']],
        minutes: 40,
      },
    },
  ),
  rule(29, 'reports an expired transaction as paid', paidAfter('expired'), {
    fedapay: {
      on: ['expires_early', 'paid_after_expiry'],
      msisdn: '66000004',
      later: [[12, 'payer approves']],
      minutes: 20,
    },
  }),
  rule(31, 'refuses payments that are not enabled for the account', failed('operator_error'), {
    airtel: { on: ['country_not_allowed'], minutes: 1, expect: { story: ['ROUTER007'] } },
    fedapay: {
      on: ['mode_not_activated'],
      minutes: 2,
      expect: { story: ['Opération non autorisée'] },
    },
  }),
  rule(32, 'does not know the payer', failed('payer_not_found'), {
    airtel: { msisdn: '97000112', expect: { story: ['DP00800001005'] } },
    pawapay: { msisdn: '51345029', minutes: 5, expect: { story: ['PAYER_NOT_FOUND'] } },
  }),
]

const REFUNDS: readonly Rule[] = [
  rule(35, 'refunds a payment', REFUNDED, {
    mtn: refund(undefined, 3),
    airtel: refund(undefined),
    pawapay: refund(undefined),
  }),
  rule(35, 'has no call for refunds, or does not allow them', BY_HAND, {
    fedapay: refund(undefined),
    pawapay: refund('refunds_not_allowed'),
  }),
  rule(35, 'forbids refunds', withStory(PAID, 'HTTP 403'), { mtn: refund('refunds_forbidden', 3) }),
  rule(35, 'refuses a refund because the merchant’s wallet is empty', REFUND_FAILED, {
    mtn: refund('no_float_for_refunds', 3, { story: ['NOT_ENOUGH_FUNDS'] }),
    airtel: refund('refund_without_float', 5, { story: ['DP00900001007'] }),
  }),
  rule(35, 'has an empty wallet for a while', withStory(REFUNDED, 'PAWAPAY_WALLET_OUT_OF_FUNDS'), {
    pawapay: refund('wallet_empty*3'),
  }),
  rule(35, 'refunds, and its answer is lost', REFUNDED, {
    mtn: refund('refund_cut_after_taking*1', 3),
    airtel: refund('refund_is_cut', 5, {
      status: 'succeeded',
      events: ['succeeded'],
      refundByHand: true,
    }),
    pawapay: {
      ...refund('callbacks_never_come'),
      later: [[1, { on: ['cut_after_registering*1'] }]],
    },
  }),
  rule(35, 'refunds, answers 408, and then reports the payment as reversed', REFUNDED, {
    airtel: { on: ['refund_times_out', 'tells_reversals'], refunded: true, minutes: 5 },
  }),
  rule(35, 'refunded the payment through its own dashboard', ELSEWHERE, {
    pawapay: refund('refunded_elsewhere*1'),
  }),
  rule(
    35,
    'shows a payment that was refunded in its dashboard before we recorded its success',
    REFUNDED_FIRST,
    {
      fedapay: { on: ['webhooks_never_come'], msisdn: '66000007', minutes: 2 },
    },
  ),
  rule(36, 'accepts a refund that fails later', REFUND_FAILED, {
    mtn: refund('refund_fails_later', 20, { story: ['PAYEE_NOT_ALLOWED_TO_RECEIVE'] }),
    pawapay: {
      msisdn: '51345089',
      refunded: true,
      minutes: 5,
      expect: { story: ['RECIPIENT_NOT_FOUND'] },
    },
  }),
  rule(36, 'refunds, and answers with success false', REFUNDED, {
    airtel: refund('refund_success_is_false'),
  }),
  rule(
    37,
    'has another refund of the payment in progress',
    withStory(REFUNDED, 'REFUND_IN_PROGRESS'),
    {
      pawapay: refund('another_refund_under_way*4'),
    },
  ),
  rule(
    37,
    'has not finished processing the payment that is refunded',
    withStory(REFUNDED, 'INVALID_STATE'),
    {
      pawapay: refund('deposit_not_finished*4'),
    },
  ),
]

export const RULES: readonly Rule[] = [
  ...CALLBACKS,
  ...LOST_ANSWERS,
  ...ACCESS,
  ...OUTAGES,
  ...ANSWERS,
  ...REFUNDS,
]
