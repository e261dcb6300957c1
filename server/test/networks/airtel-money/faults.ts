// How Airtel fails in the field, and what must come of it. test-faults.ts runs these rows with the whole service.

import { AIRTEL_CREDENTIALS, airtelMoneyNetwork } from '../../../../simulators/src/airtel-money/network.ts'
import type { AirtelFault } from '../../../../simulators/src/airtel-money/numbers-and-faults.ts'
import type { ConformanceNetwork, NetworkDeps } from '../../../../simulators/src/network.ts'
import type { FailureReason } from '../../../src/domain/outcome.ts'
import { airtelMoney } from '../../../src/operators/connectors/airtel-money/connector.ts'
import type { AirtelOptions } from '../../../src/operators/connectors/airtel-money/options.ts'
import type { FaultCase } from '../fault-case.ts'

/** The address that the portal of the simulated Airtel has: one for all payments, so its path names none. */
export const AIRTEL_CALLBACK_URL = 'https://karba.example/operators/sandbox/airtel-money-test/callback'

export const AIRTEL_UNDER_TEST = {
  connector: airtelMoney,
  makeNetwork: (deps: NetworkDeps): ConformanceNetwork =>
    airtelMoneyNetwork(deps, { callbackUrl: AIRTEL_CALLBACK_URL }),
  options: ({ credentials }: ConformanceNetwork): AirtelOptions => ({
    clientId: credentials.clientId ?? AIRTEL_CREDENTIALS.clientId,
    clientSecret: credentials.clientSecret ?? AIRTEL_CREDENTIALS.clientSecret,
    callbackKey: credentials.callbackKey ?? AIRTEL_CREDENTIALS.callbackKey,
    version: 1,
    padding: 'pkcs1',
    country: 'NE',
    currency: 'XOF',
    callingCode: '227',
    userAgent: 'Karba/1.0',
  }),
  operator: 'airtel_ne',
  country: 'NE',
  msisdn: '97000000',
}

const MINUTE = 60_000
const HOUR = 3_600_000

const on =
  (name: AirtelFault, times?: number) =>
  ({ faults }: ConformanceNetwork): void => {
    if (!faults.on(name, times)) throw new Error(`the simulated Airtel has no fault ${name}`)
  }
const off =
  (name: AirtelFault) =>
  ({ faults }: ConformanceNetwork): void =>
    faults.off(name)
const both =
  (...acts: readonly ((network: ConformanceNetwork) => void)[]) =>
  (network: ConformanceNetwork): void => {
    for (const act of acts) act(network)
  }

const PAID = { status: 'succeeded', debits: 1, events: ['succeeded'] } as const
const REFUNDED = { status: 'refunded', debits: 1, refunds: 1, events: ['succeeded', 'refunded'] } as const
const NEVER_RECEIVED = { status: 'failed', reason: 'never_received', debits: 0, events: ['failed'] } as const
/** Nothing could be sent, and nothing will be until somebody mends a setting. */
const NEVER_SENT = { status: 'pending', debits: 0, events: [], misconfigured: true } as const
const IN_DOUBT = { status: 'pending', debits: 1, events: [] } as const

const failed = (reason: FailureReason, ...story: string[]): FaultCase['expect'] => ({
  status: 'failed',
  reason,
  debits: 0,
  events: ['failed'],
  story,
})

/** The payment succeeds all the same. */
const harmless = (fault: number, about: string, name: AirtelFault, more: Partial<FaultCase> = {}): FaultCase => ({
  fault,
  about,
  arrange: on(name),
  forMs: 3 * MINUTE,
  expect: PAID,
  ...more,
})

/** The payment is taken, its answer is of no use, and it succeeds all the same. */
const inDoubt = (fault: number, about: string, name: AirtelFault, ...story: string[]): FaultCase =>
  harmless(fault, `takes a payment and ${about}`, name, { arrange: on(name, 1), expect: { ...PAID, story } })

/** The fault is over a minute after the payment was made, and the payment is then sent. */
const mended = (fault: number, about: string, name: AirtelFault, expect: FaultCase['expect'] = PAID): FaultCase =>
  harmless(fault, about, name, { later: [[MINUTE, off(name)]], forMs: 5 * MINUTE, expect })

/** Paid in the end, and meanwhile whoever runs the service was told that something of theirs is wrong. */
const PAID_ONCE_MENDED = { ...PAID, misconfigured: true } as const

/** A payer who takes three minutes: longer than a token lasts. */
const SLOW_PAYER = { msisdn: '97000032', forMs: 8 * MINUTE }

export const AIRTEL_FAULTS: FaultCase[] = [
  harmless(1, 'calls back before its answer has arrived', 'callback_before_the_answer'),
  harmless(2, 'never calls back', 'no_callbacks'),
  harmless(4, 'calls back twenty times', 'callbacks_repeated'),
  harmless(5, 'calls back about no payment', 'callbacks_without_id'),
  harmless(7, 'calls back again and again while the payer thinks', 'callbacks_in_progress', {
    ...SLOW_PAYER,
    forMs: 2 * MINUTE,
    expect: { status: 'pending', debits: 0, events: [] },
  }),
  harmless(7, 'calls back again and again, and then about the success', 'callbacks_in_progress', SLOW_PAYER),
  harmless(8, 'takes a payment and does not find it for a minute', 'not_found_for_a_minute'),
  harmless(9, 'takes a payment and never finds it again', 'forgets_payments', {
    forMs: 20 * MINUTE,
    expect: { ...IN_DOUBT, anomalies: ['forgotten_by_operator'] },
  }),
  {
    fault: 9,
    about: 'ends the connection before it has taken anything',
    arrange: on('request_is_cut', 1),
    forMs: 20 * MINUTE,
    expect: NEVER_RECEIVED,
  },
  inDoubt(10, 'ends the connection without an answer', 'answer_is_cut'),
  inDoubt(11, 'says that its id exists already', 'asks_itself_twice'),
  {
    fault: 12,
    about: 'answers 200 with the inner code 400, because a header was lost',
    arrange: on('currency_header_is_lost'),
    forMs: 20 * MINUTE,
    expect: { ...NEVER_RECEIVED, misconfigured: true, story: ['ESB000008'] },
  },
  harmless(13, 'says TS beside the code of what is in process', 'success_with_code_in_process'),
  inDoubt(14, 'answers 408', 'gateway_times_out', 'CONNECTION_TIMEOUT'),
  inDoubt(14, 'answers ROUTER117', 'router_times_out', 'ROUTER117'),
  inDoubt(14, 'answers that it timed out', 'answers_timed_out', 'DP00800001024'),
  inDoubt(14, 'answers with the code of a refusal that something went wrong', 'answers_something_wrong'),
  inDoubt(14, 'never answers', 'answer_never_comes'),
  inDoubt(14, 'answers after half a minute', 'answer_takes_30_seconds'),
  harmless(15, 'refuses a token in its life, with 401', 'token_ends_early', { arrange: on('token_ends_early', 1) }),
  harmless(15, 'refuses a token in its life, with 403', 'token_ends_early', {
    arrange: both(on('expired_token_is_403'), on('token_ends_early', 1)),
  }),
  harmless(15, 'tells the life of a token as text', 'token_life_is_text', SLOW_PAYER),
  harmless(16, 'ends a token when it gives a new one', 'new_token_ends_the_old', SLOW_PAYER),
  harmless(17, 'refuses our credentials', 'credentials_are_refused', {
    withoutToken: true,
    forMs: 5 * MINUTE,
    expect: NEVER_SENT,
  }),
  {
    ...mended(17, 'refuses our credentials until somebody mends them', 'credentials_are_refused', PAID_ONCE_MENDED),
    withoutToken: true,
  },
  mended(17, 'answers 500 for a while when it is asked for a token', 'token_answers_500'),
  harmless(18, 'takes 20 seconds for a token', 'token_takes_20_seconds'),
  harmless(19, 'answers everything with 403 and a page', 'address_not_allowed', {
    forMs: 5 * MINUTE,
    expect: NEVER_SENT,
  }),
  mended(19, 'answers with 403 and a page until our address is on its list', 'address_not_allowed', PAID_ONCE_MENDED),
  mended(22, 'answers 429 for a while', 'too_many_calls'),
  {
    fault: 23,
    about: 'answers requests with 503 for minutes',
    arrange: on('payments_unavailable'),
    later: [[3 * MINUTE, off('payments_unavailable')]],
    forMs: 20 * MINUTE,
    expect: NEVER_RECEIVED,
  },
  {
    fault: 23,
    about: 'is away for minutes after it has taken a payment',
    later: [
      [1_000, on('unavailable')],
      [5 * MINUTE, off('unavailable')],
    ],
    forMs: 8 * MINUTE,
    expect: PAID,
  },
  {
    fault: 24,
    about: 'tells that the payer has no funds',
    msisdn: '97000007',
    forMs: 2 * MINUTE,
    expect: failed('insufficient_funds', 'DP00800001007'),
  },
  {
    fault: 25,
    about: 'tells a failure without a code',
    msisdn: '97000033',
    forMs: 2 * MINUTE,
    expect: failed('operator_error', 'TF'),
  },
  harmless(26, 'tells the amount with commas and decimals', 'tells_amount_with_decimals'),
  harmless(27, 'tells another amount than was asked for', 'tells_another_amount', {
    expect: { ...IN_DOUBT, anomalies: ['amount_mismatch'] },
  }),
  harmless(27, 'tells another currency than was asked for', 'tells_another_currency', {
    expect: { ...IN_DOUBT, anomalies: ['amount_mismatch'] },
  }),
  {
    fault: 28,
    about: 'tells a failure, and takes the money ten minutes later',
    arrange: on('fails_then_succeeds', 1),
    forMs: 2 * HOUR,
    expect: { ...failed('declined'), debits: 1, anomalies: ['success_after_failure'] },
  },
  harmless(30, 'says for two hours that it cannot say', 'ambiguous_for_two_hours', { forMs: 2 * HOUR + 5 * MINUTE }),
  {
    fault: 31,
    about: 'does not allow payments in the country',
    arrange: on('country_not_allowed'),
    forMs: MINUTE,
    expect: failed('operator_error', 'ROUTER007'),
  },
  {
    fault: 32,
    about: 'does not know the payer',
    msisdn: '97000112',
    forMs: MINUTE,
    expect: failed('payer_not_found', 'DP00800001005'),
  },
  {
    fault: 35,
    about: 'refuses a refund for lack of funds in the merchant’s wallet',
    arrange: on('refund_without_float'),
    refunded: true,
    forMs: 5 * MINUTE,
    expect: { ...PAID, refunds: 0, story: ['DP00900001007'] },
  },
  {
    fault: 35,
    about: 'refunds, and its answer is lost',
    arrange: on('refund_is_cut'),
    refunded: true,
    forMs: 5 * MINUTE,
    expect: { ...PAID, refunds: 1, refundByHand: true },
  },
  {
    fault: 35,
    about: 'refunds, answers 408, and then tells the payment as reversed',
    arrange: both(on('refund_times_out'), on('tells_reversals')),
    refunded: true,
    forMs: 5 * MINUTE,
    expect: REFUNDED,
  },
  {
    fault: 36,
    about: 'refunds, and says so with success false',
    arrange: on('refund_success_is_false'),
    refunded: true,
    forMs: 5 * MINUTE,
    expect: REFUNDED,
  },
  harmless(39, 'calls back with a hash that is not right', 'callbacks_with_wrong_hash'),
  harmless(39, 'calls back with the opposite of what it says when it is asked', 'callbacks_say_the_opposite'),
]
