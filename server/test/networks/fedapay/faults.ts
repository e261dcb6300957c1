// How FedaPay fails in the field, and what must come of it.
import { z } from 'zod'
import { fedapayNetwork } from '../../../../simulators/src/fedapay/network.ts'
import type { ConformanceNetwork, NetworkDeps, PayerDecision } from '../../../../simulators/src/network.ts'
import type { FailureReason } from '../../../src/domain/outcome.ts'
import { fedapayConnector } from '../../../src/operators/connectors/fedapay/connector.ts'
import type { FaultCase } from '../fault-case.ts'

export const FEDAPAY_UNDER_TEST = {
  connector: fedapayConnector,
  // Made in the dashboard of the real one, and not told with each request: whatever comes to it is for this connection.
  makeNetwork: (deps: NetworkDeps): ConformanceNetwork =>
    fedapayNetwork(deps, { webhookUrl: 'https://karba.example/operators/sandbox/fedapay-test/callback' }),
  options: ({ credentials: { secretKey, webhookSecret } }: ConformanceNetwork) =>
    fedapayConnector.options(z.string()).parse({ secretKey, webhookSecret }),
  operator: 'mtn_bj',
  country: 'BJ',
  msisdn: '66000001',
} as const

const on =
  (name: string, times?: number) =>
  ({ faults }: ConformanceNetwork): void => {
    if (!faults.on(name, times)) throw new Error(`the simulated FedaPay has no fault ${name}`)
  }

const off =
  (name: string) =>
  ({ faults }: ConformanceNetwork): void =>
    faults.off(name)

/** The payer of the latest payment. */
const decide =
  (decision: PayerDecision) =>
  (network: ConformanceNetwork): void => {
    if (!network.decide(network.books().at(-1)?.id ?? '', decision)) throw new Error('nobody can decide that now')
  }

const MINUTE_MS = 60_000

/** What is done some time after the payment was made. */
const later = (afterMs: number, act: (network: ConformanceNetwork) => void): Pick<FaultCase, 'later'> => ({
  later: [[afterMs, act]],
})

const PAID = { status: 'succeeded', debits: 1, events: ['succeeded'] } as const

/** The payment is made all the same. */
const paid = (
  fault: number,
  about: string,
  arrange: (network: ConformanceNetwork) => void,
  minutes = 2,
): FaultCase => ({ fault, about, arrange, forMs: minutes * MINUTE_MS, expect: PAID })

const UNTOUCHED = { status: 'pending', debits: 0, events: [] } as const

/** Paid after all: for a person to look at. */
const paidAfter = (reason: FailureReason): FaultCase['expect'] => ({
  status: 'failed',
  reason,
  debits: 1,
  events: ['failed'],
  anomalies: ['success_after_failure'],
})

/** Numbers of the simulator with a fate. */
const DECLINES = '66000002'
const HAS_NO_FUNDS = '66000003'
const NEVER_ANSWERS = '66000004'
const DECLINES_THEN_PAYS = '66000005'
const CANCELS_UNHEARD = '66000006'
const PAYS_AND_IS_REFUNDED = '66000007'
const IS_CANCELLED = '66000009'

export const FEDAPAY_FAULTS: FaultCase[] = [
  paid(1, 'sends the webhook before it answers the prompt', on('webhook_before_the_answer')),
  paid(2, 'never sends a webhook', on('webhooks_never_come')),
  paid(3, 'switches the webhook off, after ten that we refused', on('webhooks_signed_wrongly'), 20),
  paid(4, 'sends the same webhook twenty times', on('webhooks_repeated')),
  paid(5, 'sends webhooks without our reference', on('webhooks_without_merchant_reference')),
  {
    fault: 7,
    about: 'tells again and again that a transaction is pending',
    arrange: on('pending_webhooks_repeated'),
    msisdn: NEVER_ANSWERS,
    forMs: 5 * MINUTE_MS,
    expect: UNTOUCHED,
  },
  paid(8, 'takes a prompt, and does not find its transaction for a while', on('not_found_for_a_while'), 3),
  {
    fault: 9,
    about: 'takes a prompt, and never finds its transaction again',
    arrange: on('not_found'),
    forMs: 40 * MINUTE_MS,
    expect: { status: 'pending', debits: 1, events: [], anomalies: ['forgotten_by_operator'] },
  },
  {
    fault: 9,
    about: 'breaks off before the payer is prompted, and nobody ever is',
    arrange: on('prompt_cut_before', 1),
    forMs: 40 * MINUTE_MS,
    expect: { status: 'failed', reason: 'never_received', debits: 0, events: ['failed'] },
  },
  paid(10, 'breaks off after the transaction was created, and refuses a second one', on('create_cut', 1)),
  paid(10, 'creates a transaction and does not answer', on('create_silent', 1), 3),
  paid(
    10,
    'breaks off after the transaction was created, refuses a second one, and does not show the first for a while',
    (network) => {
      on('create_cut', 1)(network)
      on('not_found_for_a_while')(network)
    },
    3,
  ),
  paid(8, 'has no route by our reference', on('no_route_by_reference')),
  paid(10, 'breaks off after the payer was prompted, and has no route by our reference', (network) => {
    on('prompt_cut', 1)(network)
    on('no_route_by_reference')(network)
  }),
  {
    fault: 10,
    about: 'breaks off after the transaction was created, and has no route by our reference: no payer is asked',
    arrange: (network) => {
      on('create_cut', 1)(network)
      on('no_route_by_reference')(network)
    },
    forMs: 40 * MINUTE_MS,
    expect: { status: 'failed', reason: 'never_received', debits: 0, events: ['failed'] },
  },
  paid(10, 'breaks off between the transaction and its token', on('token_cut', 2), 3),
  paid(10, 'breaks off after the payer was prompted', on('prompt_cut', 1)),
  paid(14, 'answers a prompt that it sent with 408', on('prompt_timeout_body', 1)),
  paid(14, 'prompts the payer and never answers the call', on('prompt_silent', 1), 3),
  {
    fault: 17,
    about: 'refuses the secret key',
    arrange: on('key_refused'),
    forMs: 2 * MINUTE_MS,
    expect: { ...UNTOUCHED, misconfigured: true },
  },
  {
    ...paid(17, 'refuses the secret key until somebody mends it', on('key_refused'), 6),
    ...later(3 * MINUTE_MS, off('key_refused')),
    expect: { ...PAID, misconfigured: true },
  },
  {
    fault: 19,
    about: 'is behind a gateway that answers with 403 and a page',
    arrange: on('gateway_page'),
    forMs: 2 * MINUTE_MS,
    expect: { ...UNTOUCHED, misconfigured: true },
  },
  {
    ...paid(22, 'answers 429 for a minute', on('too_many_requests'), 4),
    ...later(MINUTE_MS, off('too_many_requests')),
  },
  { ...paid(23, 'answers 503 for three minutes', on('unavailable'), 6), ...later(3 * MINUTE_MS, off('unavailable')) },
  {
    fault: 24,
    about: 'says INSUFFICIENT_FUND_ERROR for whatever MTN calls low balance',
    msisdn: HAS_NO_FUNDS,
    forMs: 2 * MINUTE_MS,
    expect: {
      status: 'failed',
      reason: 'insufficient_funds',
      debits: 0,
      events: ['failed'],
      story: ['INSUFFICIENT_FUND_ERROR'],
    },
  },
  {
    fault: 25,
    about: 'tells the last error as an object',
    arrange: on('error_as_object'),
    msisdn: HAS_NO_FUNDS,
    forMs: 2 * MINUTE_MS,
    expect: { status: 'failed', reason: 'cancelled', debits: 0, events: ['failed'], story: ['canceled'] },
  },
  {
    fault: 25,
    about: 'cancels without saying why',
    msisdn: IS_CANCELLED,
    forMs: 2 * MINUTE_MS,
    expect: { status: 'failed', reason: 'cancelled', debits: 0, events: ['failed'] },
  },
  {
    ...paid(25, 'gives a payment that was made a status that no document names', on('status_not_documented'), 12),
    ...later(10 * MINUTE_MS, off('status_not_documented')),
  },
  paid(26, 'writes amounts as text', on('amount_as_text')),
  {
    fault: 27,
    about: 'tells another amount than ours',
    arrange: on('other_amount'),
    forMs: 2 * MINUTE_MS,
    expect: { status: 'pending', debits: 1, events: [], anomalies: ['amount_mismatch'] },
  },
  {
    fault: 27,
    about: 'tells another currency than ours',
    arrange: on('other_currency'),
    forMs: 2 * MINUTE_MS,
    expect: { status: 'pending', debits: 1, events: [], anomalies: ['amount_mismatch'] },
  },
  {
    fault: 28,
    about: 'declines, and has the same transaction paid ten minutes later',
    msisdn: DECLINES_THEN_PAYS,
    forMs: 20 * MINUTE_MS,
    expect: paidAfter('declined'),
  },
  {
    fault: 28,
    about: 'declines, and has the same transaction paid 20 minutes later without a webhook',
    arrange: on('webhooks_never_come'),
    msisdn: DECLINES,
    ...later(20 * MINUTE_MS, decide('approve')),
    forMs: 40 * MINUTE_MS,
    expect: paidAfter('declined'),
  },
  {
    fault: 29,
    about: 'has a transaction paid that had expired',
    arrange: (network) => {
      on('expires_early')(network)
      on('paid_after_expiry')(network)
    },
    msisdn: NEVER_ANSWERS,
    ...later(12 * MINUTE_MS, decide('approve')),
    forMs: 20 * MINUTE_MS,
    expect: paidAfter('expired'),
  },
  {
    fault: 30,
    about: 'keeps a transaction pending for half an hour, and then approves it',
    msisdn: NEVER_ANSWERS,
    ...later(30 * MINUTE_MS, decide('approve')),
    forMs: 32 * MINUTE_MS,
    expect: PAID,
  },
  {
    fault: 30,
    about: 'does not hear that the payer cancelled, and keeps it pending with an error',
    msisdn: CANCELS_UNHEARD,
    forMs: 20 * MINUTE_MS,
    expect: UNTOUCHED,
  },
  {
    fault: 31,
    about: 'refuses an operator that is not activated on the account',
    arrange: on('mode_not_activated'),
    forMs: 2 * MINUTE_MS,
    expect: {
      status: 'failed',
      reason: 'operator_error',
      debits: 0,
      events: ['failed'],
      story: ['Opération non autorisée'],
    },
  },
  {
    fault: 35,
    about: 'has no call for refunds',
    refunded: true,
    forMs: 5 * MINUTE_MS,
    expect: { ...PAID, refunds: 0, refundByHand: true },
  },
  {
    fault: 35,
    about: 'shows a payment that was refunded in its dashboard before we learned of it',
    arrange: on('webhooks_never_come'),
    msisdn: PAYS_AND_IS_REFUNDED,
    forMs: 2 * MINUTE_MS,
    expect: { status: 'refunded', debits: 1, refunds: 1, events: ['refunded'] },
  },
  paid(39, 'signs webhooks by a clock that is ten minutes behind', on('webhooks_signed_long_ago')),
]
