// How pawaPay fails in the field, and what must come of it.
import { z } from 'zod'
import type { ConformanceNetwork, NetworkDeps } from '../../../../simulators/src/network.ts'
import { pawapayNetwork } from '../../../../simulators/src/pawapay/network.ts'
import type { FaultName } from '../../../../simulators/src/pawapay/numbers-and-faults.ts'
import { pawapay } from '../../../src/operators/connectors/pawapay/connector.ts'
import type { FaultCase } from '../fault-case.ts'

/** Where the service under test takes callbacks; pawaPay is given one address for all deposits. */
const CALLBACK_URL = 'https://karba.example/operators/sandbox/pawapay-test/callback'

export const PAWAPAY_UNDER_TEST = {
  connector: pawapay,
  makeNetwork: (deps: NetworkDeps): ConformanceNetwork =>
    pawapayNetwork(deps, { callbackUrls: { DEPOSIT: CALLBACK_URL } }),
  options: ({ credentials }: ConformanceNetwork): object =>
    pawapay.options(z.string()).parse({ apiToken: credentials.apiToken, callbacks: 'signed' }),
  operator: 'mtn_bj',
  msisdn: '97000000',
}

const MINUTE_MS = 60_000

const having =
  (name: FaultName, times?: number) =>
  (network: ConformanceNetwork): void => {
    if (!network.faults.on(name, times)) throw new Error(`the simulator has no fault ${name}`)
  }
const later = (afterMs: number, act: (network: ConformanceNetwork) => void): Pick<FaultCase, 'later'> => ({
  later: [[afterMs, act]],
})
const mended = (network: ConformanceNetwork): void => network.faults.allOff()

const PAID = { status: 'succeeded', debits: 1, events: ['succeeded'] } as const
const REFUNDED = { status: 'refunded', debits: 1, refunds: 1, events: ['succeeded', 'refunded'] } as const
const UNPAID = { status: 'failed', debits: 0, events: ['failed'] } as const

/** Faults under which a payment succeeds all the same, within minutes. */
const SURVIVED: readonly [fault: number, about: string, name: FaultName, times?: number][] = [
  [1, 'calls back before it has answered the request', 'callback_before_answer'],
  [2, 'never calls back', 'callbacks_never_come'],
  [4, 'sends each callback twenty times', 'callbacks_repeated'],
  [7, 'calls back every two seconds while the payment is under way', 'pending_callbacks'],
  [8, 'accepts a deposit and does not find it for a minute', 'not_found_at_first'],
  [10, 'has the deposit, but cuts the connection', 'cut_after_registering', 1],
  [14, 'answers after half a minute', 'answers_too_late', 1],
  [14, 'never answers, and has the deposit', 'never_answers', 1],
  [14, 'answers with UNKNOWN_ERROR, and has the deposit', 'unknown_error_after_registering', 1],
  [22, 'answers some status calls with 429', 'too_many_requests', 4],
  [23, 'answers some status calls with 503', 'status_unavailable', 4],
  [26, 'writes amounts with four decimals', 'amounts_with_four_decimals'],
  [26, 'writes amounts as numbers', 'amounts_as_numbers'],
  [26, 'writes amounts with separators', 'amounts_with_separators'],
  [31, 'does not show its active configuration', 'active_conf_unavailable'],
  [39, 'signs callbacks with a key that is not its own', 'callbacks_signed_wrongly'],
  [39, 'signs callbacks with a time long past', 'callbacks_signed_long_ago'],
  [39, 'signs callbacks that are changed on their way', 'callbacks_with_another_body'],
  [39, 'signs callbacks with a new key', 'key_replaced'],
  [39, 'has a clock that is ten minutes behind', 'clock_is_slow'],
]

/** Faults that somebody mends after five minutes: the payment goes through then. */
const MENDED: readonly [fault: number, about: string, name: FaultName, misconfigured?: true][] = [
  [17, 'refuses the token', 'token_refused', true],
  [19, 'is behind a gateway that answers with an HTML page', 'gateway_refuses', true],
  [23, 'answers 503 to every request', 'unavailable'],
  [31, 'refuses deposits although the provider is listed', 'deposits_not_allowed', true],
  [31, 'has not enabled the provider', 'provider_not_enabled', true],
  [31, 'has closed the provider', 'provider_closed'],
  [31, 'has delayed the provider', 'provider_delayed'],
]

const NUMBERS: readonly [fault: number, msisdn: string, reason: 'operator_error' | 'payer_not_found', code: string][] =
  [
    [24, '51345069', 'operator_error', 'UNSPECIFIED_FAILURE'],
    [32, '51345029', 'payer_not_found', 'PAYER_NOT_FOUND'],
  ]

const REFUNDS: readonly FaultCase[] = [
  {
    fault: 10,
    about: 'has the refund, but cuts the connection',
    arrange: having('callbacks_never_come'),
    ...later(MINUTE_MS, having('cut_after_registering', 1)),
    refunded: true,
    forMs: 5 * MINUTE_MS,
    expect: REFUNDED,
  },
  {
    fault: 35,
    about: 'has no money in the wallet for a while',
    arrange: having('wallet_empty', 3),
    refunded: true,
    forMs: 5 * MINUTE_MS,
    expect: { ...REFUNDED, story: ['PAWAPAY_WALLET_OUT_OF_FUNDS'] },
  },
  {
    fault: 35,
    about: 'does not allow refunds',
    arrange: having('refunds_not_allowed'),
    refunded: true,
    forMs: 5 * MINUTE_MS,
    expect: { ...PAID, refundByHand: true },
  },
  {
    fault: 35,
    about: 'was told to refund by somebody in the dashboard',
    arrange: having('refunded_elsewhere', 1),
    refunded: true,
    forMs: 5 * MINUTE_MS,
    expect: { ...PAID, refunds: 1, refundByHand: true },
  },
  {
    fault: 36,
    about: 'accepts a refund that fails later',
    msisdn: '51345089',
    refunded: true,
    forMs: 5 * MINUTE_MS,
    expect: { ...PAID, story: ['RECIPIENT_NOT_FOUND'] },
  },
  {
    fault: 37,
    about: 'has another refund of the deposit under way',
    arrange: having('another_refund_under_way', 4),
    refunded: true,
    forMs: 5 * MINUTE_MS,
    expect: { ...REFUNDED, story: ['REFUND_IN_PROGRESS'] },
  },
  {
    fault: 37,
    about: 'has not finished processing the deposit that is refunded',
    arrange: having('deposit_not_finished', 4),
    refunded: true,
    forMs: 5 * MINUTE_MS,
    expect: { ...REFUNDED, story: ['INVALID_STATE'] },
  },
]

export const PAWAPAY_FAULTS: readonly FaultCase[] = [
  ...SURVIVED.map(
    ([fault, about, name, times]): FaultCase => ({
      fault,
      about,
      arrange: having(name, times),
      forMs: 5 * MINUTE_MS,
      expect: PAID,
    }),
  ),
  ...MENDED.map(
    ([fault, about, name, misconfigured]): FaultCase => ({
      fault,
      about: `${about}, until somebody mends it`,
      arrange: having(name),
      ...later(5 * MINUTE_MS, mended),
      forMs: 10 * MINUTE_MS,
      expect: { ...PAID, ...(misconfigured && { misconfigured }) },
    }),
  ),
  ...NUMBERS.map(
    ([fault, msisdn, reason, code]): FaultCase => ({
      fault,
      about: `fails the deposit with ${code}`,
      msisdn,
      forMs: 5 * MINUTE_MS,
      expect: { ...UNPAID, reason, story: [code] },
    }),
  ),
  {
    fault: 10,
    about: 'cuts the connection before it has the deposit',
    arrange: having('cut_before_registering', 1),
    forMs: 20 * MINUTE_MS,
    expect: { ...UNPAID, reason: 'never_received' },
  },
  {
    fault: 14,
    about: 'answers with UNKNOWN_ERROR, and has no deposit',
    arrange: having('unknown_error', 1),
    forMs: 20 * MINUTE_MS,
    expect: { ...UNPAID, reason: 'never_received', story: ['UNKNOWN_ERROR'] },
  },
  {
    fault: 9,
    about: 'accepts a deposit and never finds it',
    arrange: having('accepted_and_forgotten'),
    forMs: 20 * MINUTE_MS,
    expect: { status: 'pending', debits: 0, events: [], anomalies: ['forgotten_by_operator'] },
  },
  {
    fault: 17,
    about: 'refuses the token until it is too late for the payment',
    arrange: having('token_refused'),
    ...later(31 * MINUTE_MS, mended),
    forMs: 35 * MINUTE_MS,
    expect: { ...UNPAID, reason: 'never_received', misconfigured: true },
  },
  {
    fault: 23,
    about: 'answers 503 to every request until it is too late for the payment',
    arrange: having('unavailable'),
    forMs: 35 * MINUTE_MS,
    expect: { ...UNPAID, reason: 'never_received' },
  },
  {
    fault: 25,
    about: 'fails a deposit without a reason',
    arrange: having('reason_missing'),
    msisdn: '51345049',
    forMs: 5 * MINUTE_MS,
    expect: { ...UNPAID, reason: 'operator_error' },
  },
  {
    fault: 25,
    about: 'gives the reason as text',
    arrange: having('reason_as_text'),
    msisdn: '51345049',
    forMs: 5 * MINUTE_MS,
    expect: { ...UNPAID, reason: 'insufficient_funds', story: ['INSUFFICIENT_BALANCE'] },
  },
  {
    fault: 27,
    about: 'completes a deposit with another amount',
    arrange: having('another_amount'),
    forMs: 5 * MINUTE_MS,
    expect: { status: 'pending', debits: 1, events: [], anomalies: ['amount_mismatch'] },
  },
  {
    fault: 27,
    about: 'completes a deposit in another currency',
    arrange: having('another_currency'),
    forMs: 5 * MINUTE_MS,
    expect: { status: 'pending', debits: 1, events: [], anomalies: ['amount_mismatch'] },
  },
  {
    fault: 28,
    about: 'completes a deposit minutes after it had failed',
    arrange: having('failed_then_completed', 1),
    forMs: 15 * MINUTE_MS,
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
    about: 'has a deposit in reconciliation for long',
    msisdn: '51345139',
    forMs: 40 * MINUTE_MS,
    expect: { status: 'pending', debits: 0, events: [] },
  },
  {
    fault: 30,
    about: 'has a deposit in reconciliation for long, and then completes it',
    msisdn: '51345139',
    forMs: 65 * MINUTE_MS,
    expect: PAID,
  },
  {
    fault: 31,
    about: 'has closed the provider until it is too late for the payment',
    arrange: having('provider_closed'),
    forMs: 35 * MINUTE_MS,
    expect: { ...UNPAID, reason: 'never_received' },
  },
  ...REFUNDS,
]
