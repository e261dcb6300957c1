// What the simulated network does for each sandbox test number (D-20): the simulator follows this
// table, docs/sandbox.md is made from it, and each row has its test. Times are multiples of
// KARBA_SANDBOX_DELAY_MS or seconds.

import { createHash } from 'node:crypto'
import { isTestNumber } from '../domain/countries/msisdn.ts'
import { FAILURE_REASONS, type FailureReason } from '../domain/payments/payment-status.ts'

export type Ending = 'succeeded' | 'refunded' | FailureReason

export interface Behaviour {
  ending: Ending
  /**
   * When it decides, in delays or in seconds after the request. With 0 the answer to the request
   * holds the decision.
   */
  decides?: { delays: number } | { seconds: number }
  /**
   * What happens to the first request; a repeated one is answered normally. `cut`, `hang` and `5xx`
   * lose the answer.
   */
  request?: { does: 'cut' | 'hang' | '5xx' | 'slow'; registers: boolean }
  /** What happens to status calls in the first seconds after the request. */
  status?: { says: '5xx' | 'not_known' | 'hang'; forSeconds: number }
  /** The callbacks that are sent; by default one truthful callback when the network decides. */
  callbacks?: readonly CallbackKind[]
  /** By default a refund is granted after one delay. */
  refund?: 'refused' | '5xx_first'
}

export interface Scenario extends Behaviour {
  msisdn: string
  name: string
  about: string
}

export type CallbackKind = 'before_answer' | 'truth' | 'contradiction' | 'wrong_amount' | 'forged'

const ten = (last: number): string => `4041000000${last}`
const more = (last: number): string => `404100001${String(last).padStart(2, '0')}`

/** A payment succeeds unless its row says otherwise. */
const scenario = (
  msisdn: string,
  name: string,
  about: string,
  behaviour: Partial<Behaviour> = {},
): Scenario => ({
  msisdn,
  name,
  about,
  ending: 'succeeded',
  ...behaviour,
})

export const SCENARIOS: readonly Scenario[] = [
  scenario(ten(0), 'success', 'The payer approves.'),
  scenario(ten(1), 'success, second number', 'The payer approves.'),
  scenario(ten(2), 'operator error', 'The network cannot process it.', {
    ending: 'operator_error',
  }),
  scenario(ten(3), 'operator error, second number', 'The network cannot process it.', {
    ending: 'operator_error',
  }),
  scenario(ten(4), 'insufficient funds', 'The payer has too little money.', {
    ending: 'insufficient_funds',
  }),
  scenario(ten(5), 'insufficient funds, second number', 'The payer has too little money.', {
    ending: 'insufficient_funds',
  }),
  scenario(ten(6), 'declined', 'The payer declines.', { ending: 'declined' }),
  scenario(ten(7), 'declined, second number', 'The payer declines.', { ending: 'declined' }),
  scenario(ten(8), 'slow payer', 'The payer approves after 180 seconds.', {
    decides: { seconds: 180 },
  }),
  scenario(ten(9), 'slow payer, second number', 'The payer approves after 180 seconds.', {
    decides: { seconds: 180 },
  }),
  scenario(more(0), 'success at once', 'The answer to the request reports the success.', {
    decides: { delays: 0 },
    callbacks: [],
  }),
  scenario(more(1), 'refusal at once', 'The answer to the request reports it.', {
    ending: 'payer_not_found',
    decides: { delays: 0 },
    callbacks: [],
  }),
  scenario(more(2), 'lost callback', 'No callback comes; polling finds the success.', {
    callbacks: [],
  }),
  scenario(
    more(3),
    'callback before the answer',
    'The callback arrives before the answer to the request.',
    {
      decides: { delays: 0 },
      callbacks: ['before_answer'],
    },
  ),
  scenario(more(4), 'callback twice', 'The callback arrives twice.', {
    callbacks: ['truth', 'truth'],
  }),
  scenario(
    more(5),
    'contradictory callback',
    'The callback reports a failure: the status counts.',
    {
      callbacks: ['contradiction'],
    },
  ),
  scenario(more(6), 'false hope', 'The callback reports a success: the status counts.', {
    ending: 'declined',
    callbacks: ['contradiction'],
  }),
  scenario(more(7), 'forged callback', 'A forged callback is refused; the genuine one follows.', {
    callbacks: ['forged', 'truth'],
  }),
  scenario(
    more(8),
    'wrong amount in the callback',
    'The callback has another amount; the status is right.',
    {
      callbacks: ['wrong_amount'],
    },
  ),
  scenario(
    more(9),
    'unknown for 15 minutes',
    'Accepted, then not known to status calls for 15 minutes.',
    {
      decides: { seconds: 870 },
      status: { says: 'not_known', forSeconds: 880 },
      callbacks: [],
    },
  ),
  scenario(
    more(10),
    'never received',
    'The request never reaches the network; fails after 15 minutes.',
    {
      ending: 'never_received',
      request: { does: 'cut', registers: false },
      callbacks: [],
    },
  ),
  scenario(more(11), 'timeout after debiting', 'The network debits and does not answer.', {
    request: { does: 'hang', registers: true },
    callbacks: [],
  }),
  scenario(more(12), 'cut after debiting', 'The connection breaks after the network recorded it.', {
    request: { does: 'cut', registers: true },
    callbacks: [],
  }),
  scenario(more(13), '5xx after debiting', 'The network records it and answers 500.', {
    request: { does: '5xx', registers: true },
  }),
  scenario(more(14), '5xx burst on status', 'Status calls get 503 for 30 seconds.', {
    status: { says: '5xx', forSeconds: 30 },
    callbacks: [],
  }),
  scenario(more(15), 'status hangs', 'Status calls are not answered for 60 seconds.', {
    ending: 'insufficient_funds',
    status: { says: 'hang', forSeconds: 60 },
    callbacks: [],
  }),
  scenario(
    more(16),
    'slow answer',
    'The request is answered after 30 seconds, past the deadline.',
    {
      request: { does: 'slow', registers: true },
    },
  ),
  scenario(more(17), 'refunded while pending', 'The network refunds before it reports the debit.', {
    ending: 'refunded',
  }),
  scenario(more(18), 'payer cancels', 'The payer closes the prompt.', { ending: 'cancelled' }),
  scenario(more(19), 'prompt expires', 'The prompt expires after 120 seconds.', {
    ending: 'expired',
    decides: { seconds: 120 },
  }),
  scenario(more(20), 'no account', 'The number has no mobile money.', {
    ending: 'payer_not_found',
  }),
  scenario(more(21), 'limit reached', 'The payer reached a limit.', { ending: 'limit_reached' }),
  scenario(more(22), 'blocked payer', 'The account may not pay.', { ending: 'payer_not_allowed' }),
  scenario(more(23), 'amount refused', 'The network does not accept the amount.', {
    ending: 'amount_not_allowed',
  }),
  scenario(more(24), 'very slow payer', 'Approved after ten minutes, without a callback.', {
    decides: { seconds: 600 },
    callbacks: [],
  }),
  scenario(more(25), 'refund refused', 'At once; a refund is refused.', {
    decides: { delays: 0 },
    callbacks: [],
    refund: 'refused',
  }),
  scenario(
    more(26),
    'refund with a lost answer',
    'At once; the first refund call takes effect and is answered with 500.',
    { decides: { delays: 0 }, callbacks: [], refund: '5xx_first' },
  ),
  scenario(
    more(27),
    'waits for the phone',
    'Only the dashboard’s sandbox phone decides; the prompt expires after 15 minutes.',
    { ending: 'expired', decides: { seconds: 900 } },
  ),
]

/** The number whose payments only the sandbox phone decides. */
export const PHONE_MSISDN = more(27)

const BY_NUMBER = new Map(SCENARIOS.map((scenario) => [scenario.msisdn, scenario]))

/** Any number without a row succeeds, unless the sandbox is seeded: see `behaviourOf`. */
export const scenarioOf = (msisdn: string): Scenario =>
  BY_NUMBER.get(msisdn) ?? (SCENARIOS[0] as Scenario)

// The behaviour of an ordinary number in a seeded sandbox: drawn from the seed and the number
// alone, so that it is the same in every run and every process. Test numbers keep their row of the
// table whatever the seed (D-20).

const SUCCEEDS = 0.7
/** Shares of all behaviours, whatever their ending. */
const TAKES_LONGER = 0.3
const LOSES_ITS_CALLBACK = 0.1
const LONGEST_DELAYS = 30

/**
 * A network never answers `never_received`: it is what we conclude when the network does not know
 * the payment.
 */
const DECLINES = Object.keys(FAILURE_REASONS).filter(
  (reason) => reason !== 'never_received',
) as FailureReason[]

/** Seed 0 draws nothing: ordinary numbers succeed. */
export function behaviourOf(seed: number, msisdn: string): Behaviour {
  if (seed === 0 || isTestNumber(msisdn)) return scenarioOf(msisdn)
  const [ending = 0, reason = 0, longer = 0, delays = 0, callback = 0] = draws(`${seed} ${msisdn}`)
  return {
    ending:
      ending < SUCCEEDS
        ? 'succeeded'
        : (DECLINES[Math.floor(reason * DECLINES.length)] as FailureReason),
    decides: { delays: longer < TAKES_LONGER ? 1 + Math.floor(delays * LONGEST_DELAYS) : 1 },
    ...(callback < LOSES_ITS_CALLBACK && { callbacks: [] }),
  }
}

/** Eight pseudo-random numbers from 0 up to 1, each made from four bytes of a hash. */
function draws(text: string): number[] {
  const bytes = createHash('sha256').update(text).digest()
  return Array.from({ length: 8 }, (_, at) => bytes.readUInt32BE(at * 4) / 2 ** 32)
}
