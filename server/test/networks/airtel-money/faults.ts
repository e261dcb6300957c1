// biome-ignore-all lint/suspicious/noThenProperty: rows of a table, which nobody awaits
// How Airtel fails in the field, and what must come of it. faults.test.ts runs these rows with the whole service.
import { airtelMoney } from '../../../src/operators/connectors/airtel-money/connector.ts'
import type { AirtelOptions } from '../../../src/operators/connectors/airtel-money/options.ts'
import type { AirtelFault } from '../../../src/simulator/networks/airtel-money/fault-table.ts'
import { AIRTEL_CREDENTIALS, airtelMoneyNetwork } from '../../../src/simulator/networks/airtel-money/network.ts'
import type { ConformanceNetwork, NetworkDeps } from '../../../src/simulator/networks/network.ts'
import type { FaultCase } from '../fault-case.ts'

/** The address that the portal of the simulated Airtel has: one for all payments, so its path names none. */
export const AIRTEL_CALLBACK_URL = 'https://karba.example/operators/sandbox/airtel/callback'

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

const SECOND = 1_000
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

const PAID = { status: 'succeeded', debits: 1, events: ['succeeded'] } as const
const NEVER_RECEIVED = { status: 'failed', reason: 'never_received', debits: 0, events: ['failed'] } as const
const NEVER_SENT = { status: 'pending', debits: 0, events: [], misconfigured: true } as const
const STILL_PENDING = { status: 'pending', debits: 1, events: [] } as const

export const AIRTEL_FAULTS: FaultCase[] = [
  {
    fault: 1,
    about: 'calls back before its answer has arrived',
    arrange: on('callback_before_the_answer'),
    forMs: MINUTE,
    expect: PAID,
  },
  { fault: 2, about: 'never calls back', arrange: on('no_callbacks'), forMs: 2 * MINUTE, expect: PAID },
  { fault: 4, about: 'calls back twenty times', arrange: on('callbacks_repeated'), forMs: 2 * MINUTE, expect: PAID },
  {
    fault: 5,
    about: 'calls back about no payment',
    arrange: on('callbacks_without_id'),
    forMs: 2 * MINUTE,
    expect: PAID,
  },
  {
    fault: 7,
    about: 'calls back again and again while the payer thinks',
    arrange: on('callbacks_in_progress'),
    msisdn: '97000032',
    forMs: 2 * MINUTE,
    expect: { status: 'pending', debits: 0, events: [] },
  },
  {
    fault: 8,
    about: 'takes a payment and does not find it for a minute',
    arrange: on('not_found_for_a_minute'),
    forMs: 3 * MINUTE,
    expect: PAID,
  },
  {
    fault: 9,
    about: 'takes a payment and never finds it again',
    arrange: on('forgets_payments'),
    forMs: 20 * MINUTE,
    expect: { ...STILL_PENDING, anomalies: ['forgotten_by_operator'] },
  },
  {
    fault: 9,
    about: 'ends the connection before it has taken anything',
    arrange: on('request_is_cut', 1),
    forMs: 20 * MINUTE,
    expect: NEVER_RECEIVED,
  },
  {
    fault: 10,
    about: 'takes a payment and ends the connection without an answer',
    arrange: on('answer_is_cut', 1),
    forMs: 2 * MINUTE,
    expect: PAID,
  },
  {
    fault: 11,
    about: 'takes a payment and says that its id exists already',
    arrange: on('asks_itself_twice', 1),
    forMs: 2 * MINUTE,
    expect: PAID,
  },
  {
    fault: 12,
    about: 'answers 200 with the inner code 400, because a header was lost',
    arrange: on('currency_header_is_lost'),
    forMs: 20 * MINUTE,
    expect: { ...NEVER_RECEIVED, misconfigured: true, story: ['ESB000008'] },
  },
  {
    fault: 13,
    about: 'says TS beside the code of what is in process',
    arrange: on('success_with_code_in_process'),
    forMs: 2 * MINUTE,
    expect: PAID,
  },
  {
    fault: 14,
    about: 'takes a payment and answers 408',
    arrange: on('gateway_times_out', 1),
    forMs: 2 * MINUTE,
    expect: { ...PAID, story: ['CONNECTION_TIMEOUT'] },
  },
  {
    fault: 14,
    about: 'takes a payment and answers ROUTER117',
    arrange: on('router_times_out', 1),
    forMs: 2 * MINUTE,
    expect: { ...PAID, story: ['ROUTER117'] },
  },
  {
    fault: 14,
    about: 'takes a payment and answers that it timed out',
    arrange: on('answers_timed_out', 1),
    forMs: 2 * MINUTE,
    expect: { ...PAID, story: ['DP00800001024'] },
  },
  {
    fault: 14,
    about: 'takes a payment and answers that something went wrong, with the code of a refusal',
    arrange: on('answers_something_wrong', 1),
    forMs: 2 * MINUTE,
    expect: PAID,
  },
  {
    fault: 14,
    about: 'takes a payment and never answers',
    arrange: on('answer_never_comes', 1),
    forMs: 2 * MINUTE,
    expect: PAID,
  },
  {
    fault: 14,
    about: 'takes a payment and answers after half a minute',
    arrange: on('answer_takes_30_seconds', 1),
    forMs: 2 * MINUTE,
    expect: PAID,
  },
  {
    fault: 15,
    about: 'refuses a token in its life, with 401',
    arrange: on('token_ends_early', 1),
    forMs: 2 * MINUTE,
    expect: PAID,
  },
  {
    fault: 15,
    about: 'refuses a token in its life, with 403',
    arrange: (network) => {
      on('expired_token_is_403')(network)
      on('token_ends_early', 1)(network)
    },
    forMs: 2 * MINUTE,
    expect: PAID,
  },
  {
    fault: 15,
    about: 'tells the life of a token as text',
    arrange: on('token_life_is_text'),
    msisdn: '97000032',
    forMs: 8 * MINUTE,
    expect: PAID,
  },
  {
    fault: 16,
    about: 'ends a token when it gives a new one',
    arrange: on('new_token_ends_the_old'),
    msisdn: '97000032',
    forMs: 8 * MINUTE,
    expect: PAID,
  },
  {
    fault: 17,
    about: 'refuses our credentials',
    arrange: on('credentials_are_refused'),
    forMs: 5 * MINUTE,
    expect: NEVER_SENT,
  },
  {
    fault: 17,
    about: 'refuses our credentials until somebody has mended them',
    arrange: on('credentials_are_refused'),
    then: [[MINUTE, off('credentials_are_refused')]],
    forMs: 5 * MINUTE,
    expect: PAID,
  },
  {
    fault: 17,
    about: 'answers 500 when it is asked for a token, for a while',
    arrange: on('token_answers_500'),
    then: [[MINUTE, off('token_answers_500')]],
    forMs: 5 * MINUTE,
    expect: PAID,
  },
  {
    fault: 18,
    about: 'takes 20 seconds for a token',
    arrange: on('token_takes_20_seconds'),
    forMs: 3 * MINUTE,
    expect: PAID,
  },
  {
    fault: 19,
    about: 'answers everything with a page and 403',
    arrange: on('address_not_allowed'),
    forMs: 5 * MINUTE,
    expect: NEVER_SENT,
  },
  {
    fault: 19,
    about: 'answers everything with a page and 403 until our address is on its list',
    arrange: on('address_not_allowed'),
    then: [[MINUTE, off('address_not_allowed')]],
    forMs: 5 * MINUTE,
    expect: PAID,
  },
  {
    fault: 22,
    about: 'answers 429 for a while',
    arrange: on('too_many_calls'),
    then: [[MINUTE, off('too_many_calls')]],
    forMs: 5 * MINUTE,
    expect: PAID,
  },
  {
    fault: 23,
    about: 'answers requests with 503 for minutes',
    arrange: on('payments_unavailable'),
    then: [[3 * MINUTE, off('payments_unavailable')]],
    forMs: 20 * MINUTE,
    expect: NEVER_RECEIVED,
  },
  {
    fault: 23,
    about: 'is away when it should be asked about a payment',
    then: [
      [0, on('unavailable')],
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
    expect: {
      status: 'failed',
      reason: 'insufficient_funds',
      debits: 0,
      events: ['failed'],
      story: ['DP00800001007'],
    },
  },
  {
    fault: 25,
    about: 'tells a failure without a code',
    msisdn: '97000033',
    forMs: 2 * MINUTE,
    expect: { status: 'failed', reason: 'operator_error', debits: 0, events: ['failed'] },
  },
  {
    fault: 26,
    about: 'tells the amount with commas and decimals',
    arrange: on('tells_amount_with_decimals'),
    forMs: 2 * MINUTE,
    expect: PAID,
  },
  {
    fault: 27,
    about: 'tells another amount than was asked for',
    arrange: on('tells_another_amount'),
    forMs: 2 * MINUTE,
    expect: { ...STILL_PENDING, anomalies: ['amount_mismatch'] },
  },
  {
    fault: 27,
    about: 'tells another currency than was asked for',
    arrange: on('tells_another_currency'),
    forMs: 2 * MINUTE,
    expect: { ...STILL_PENDING, anomalies: ['amount_mismatch'] },
  },
  {
    fault: 28,
    about: 'tells a failure, and takes the money ten minutes later',
    arrange: on('fails_then_succeeds', 1),
    forMs: 2 * HOUR,
    expect: {
      status: 'failed',
      reason: 'declined',
      debits: 1,
      events: ['failed'],
      anomalies: ['success_after_failure'],
    },
  },
  {
    fault: 30,
    about: 'says for two hours that it cannot say',
    arrange: on('ambiguous_for_two_hours'),
    forMs: 2 * HOUR + 5 * MINUTE,
    expect: PAID,
  },
  {
    fault: 31,
    about: 'does not allow payments in the country',
    arrange: on('country_not_allowed'),
    forMs: MINUTE,
    expect: { status: 'failed', reason: 'operator_error', debits: 0, events: ['failed'], story: ['ROUTER007'] },
  },
  {
    fault: 32,
    about: 'does not know the payer',
    msisdn: '97000112',
    forMs: MINUTE,
    expect: { status: 'failed', reason: 'payer_not_found', debits: 0, events: ['failed'], story: ['DP00800001005'] },
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
    arrange: (network) => {
      on('refund_times_out')(network)
      on('tells_reversals')(network)
    },
    refunded: true,
    forMs: 5 * MINUTE,
    expect: { status: 'refunded', debits: 1, refunds: 1, events: ['succeeded', 'refunded'] },
  },
  {
    fault: 36,
    about: 'refunds, and says so with success false',
    arrange: on('refund_success_is_false'),
    refunded: true,
    forMs: 5 * MINUTE,
    expect: { status: 'refunded', debits: 1, refunds: 1, events: ['succeeded', 'refunded'] },
  },
  {
    fault: 39,
    about: 'calls back with a hash that is not right',
    arrange: on('callbacks_with_wrong_hash'),
    forMs: 2 * MINUTE,
    expect: PAID,
  },
  {
    fault: 39,
    about: 'calls back with the opposite of what it says when it is asked',
    arrange: on('callbacks_say_the_opposite'),
    forMs: 30 * SECOND,
    expect: PAID,
  },
]
