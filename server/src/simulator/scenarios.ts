// What the simulated network does for each sandbox test number (D-20), as one table: the simulator follows it,
// docs/sandbox.md is made from it, and each row has its test. Times are multiples of KARBA_SANDBOX_DELAY_MS unless they
// say seconds.
import type { FailureReason } from '../domain/payment-status.ts'

export type Ending = 'succeeded' | 'refunded' | FailureReason

/** What the network does with a payment. */
export interface Fate {
  /** What the network decides about the payment. */
  ending: Ending
  /**
   * When it decides, in delays or in seconds after the request. With 0 the answer to the request holds the decision.
   */
  decides?: { delays: number } | { seconds: number }
  /**
   * What happens to the first request; a repeated one is answered normally. `cut`, `hang` and `5xx` lose the answer.
   */
  request?: { does: 'cut' | 'hang' | '5xx' | 'slow'; registers: boolean }
  /** What happens to status calls in the first seconds after the request. */
  status?: { says: '5xx' | 'not_known' | 'hang'; forSeconds: number }
  /** The callbacks that are sent; by default one truthful callback when the network decides. */
  callbacks?: readonly CallbackKind[]
  /** By default a refund is granted after one delay. */
  refund?: 'refused' | '5xx_first'
}

export interface Scenario extends Fate {
  msisdn: string
  name: string
  about: string
}

export type CallbackKind = 'before_answer' | 'truth' | 'contradiction' | 'wrong_amount' | 'forged'

const ten = (last: number): string => `4041000000${last}`
const more = (last: number): string => `404100001${String(last).padStart(2, '0')}`

export const SCENARIOS: readonly Scenario[] = [
  { msisdn: ten(0), name: 'success', about: 'The payer approves.', ending: 'succeeded' },
  { msisdn: ten(1), name: 'success, second number', about: 'The payer approves.', ending: 'succeeded' },
  { msisdn: ten(2), name: 'operator error', about: 'The network cannot process it.', ending: 'operator_error' },
  {
    msisdn: ten(3),
    name: 'operator error, second number',
    about: 'The network cannot process it.',
    ending: 'operator_error',
  },
  {
    msisdn: ten(4),
    name: 'insufficient funds',
    about: 'The payer has too little money.',
    ending: 'insufficient_funds',
  },
  {
    msisdn: ten(5),
    name: 'insufficient funds, second number',
    about: 'The payer has too little money.',
    ending: 'insufficient_funds',
  },
  { msisdn: ten(6), name: 'declined', about: 'The payer declines.', ending: 'declined' },
  { msisdn: ten(7), name: 'declined, second number', about: 'The payer declines.', ending: 'declined' },
  {
    msisdn: ten(8),
    name: 'slow payer',
    about: 'The payer approves after 180 seconds.',
    ending: 'succeeded',
    decides: { seconds: 180 },
  },
  {
    msisdn: ten(9),
    name: 'slow payer, second number',
    about: 'The payer approves after 180 seconds.',
    ending: 'succeeded',
    decides: { seconds: 180 },
  },
  {
    msisdn: more(0),
    name: 'success at once',
    about: 'The answer to the request reports the success.',
    ending: 'succeeded',
    decides: { delays: 0 },
    callbacks: [],
  },
  {
    msisdn: more(1),
    name: 'refusal at once',
    about: 'The answer to the request reports it.',
    ending: 'payer_not_found',
    decides: { delays: 0 },
    callbacks: [],
  },
  {
    msisdn: more(2),
    name: 'lost callback',
    about: 'No callback comes; polling finds the success.',
    ending: 'succeeded',
    callbacks: [],
  },
  {
    msisdn: more(3),
    name: 'callback before the answer',
    about: 'The callback arrives before the answer to the request.',
    ending: 'succeeded',
    decides: { delays: 0 },
    callbacks: ['before_answer'],
  },
  {
    msisdn: more(4),
    name: 'callback twice',
    about: 'The callback arrives twice.',
    ending: 'succeeded',
    callbacks: ['truth', 'truth'],
  },
  {
    msisdn: more(5),
    name: 'contradictory callback',
    about: 'The callback reports a failure: the status counts.',
    ending: 'succeeded',
    callbacks: ['contradiction'],
  },
  {
    msisdn: more(6),
    name: 'false hope',
    about: 'The callback reports a success: the status counts.',
    ending: 'declined',
    callbacks: ['contradiction'],
  },
  {
    msisdn: more(7),
    name: 'forged callback',
    about: 'A forged callback is refused; the genuine one follows.',
    ending: 'succeeded',
    callbacks: ['forged', 'truth'],
  },
  {
    msisdn: more(8),
    name: 'wrong amount in the callback',
    about: 'The callback has another amount; the status is right.',
    ending: 'succeeded',
    callbacks: ['wrong_amount'],
  },
  {
    msisdn: more(9),
    name: 'unknown for 15 minutes',
    about: 'Accepted, then not known to status calls for 15 minutes.',
    ending: 'succeeded',
    decides: { seconds: 870 },
    status: { says: 'not_known', forSeconds: 880 },
    callbacks: [],
  },
  {
    msisdn: more(10),
    name: 'never received',
    about: 'The request never reaches the network; fails after 15 minutes.',
    ending: 'never_received',
    request: { does: 'cut', registers: false },
    callbacks: [],
  },
  {
    msisdn: more(11),
    name: 'timeout after debiting',
    about: 'The network debits and does not answer.',
    ending: 'succeeded',
    request: { does: 'hang', registers: true },
    callbacks: [],
  },
  {
    msisdn: more(12),
    name: 'cut after debiting',
    about: 'The connection breaks after the network recorded it.',
    ending: 'succeeded',
    request: { does: 'cut', registers: true },
    callbacks: [],
  },
  {
    msisdn: more(13),
    name: '5xx after debiting',
    about: 'The network records it and answers 500.',
    ending: 'succeeded',
    request: { does: '5xx', registers: true },
  },
  {
    msisdn: more(14),
    name: '5xx burst on status',
    about: 'Status calls get 503 for 30 seconds.',
    ending: 'succeeded',
    status: { says: '5xx', forSeconds: 30 },
    callbacks: [],
  },
  {
    msisdn: more(15),
    name: 'status hangs',
    about: 'Status calls are not answered for 60 seconds.',
    ending: 'insufficient_funds',
    status: { says: 'hang', forSeconds: 60 },
    callbacks: [],
  },
  {
    msisdn: more(16),
    name: 'slow answer',
    about: 'The request is answered after 30 seconds, past the deadline.',
    ending: 'succeeded',
    request: { does: 'slow', registers: true },
  },
  {
    msisdn: more(17),
    name: 'refunded while pending',
    about: 'The network refunds before it reports the debit.',
    ending: 'refunded',
  },
  { msisdn: more(18), name: 'payer cancels', about: 'The payer closes the prompt.', ending: 'cancelled' },
  {
    msisdn: more(19),
    name: 'prompt expires',
    about: 'The prompt expires after 120 seconds.',
    ending: 'expired',
    decides: { seconds: 120 },
  },
  { msisdn: more(20), name: 'no account', about: 'The number has no mobile money.', ending: 'payer_not_found' },
  { msisdn: more(21), name: 'limit reached', about: 'The payer reached a limit.', ending: 'limit_reached' },
  { msisdn: more(22), name: 'blocked payer', about: 'The account may not pay.', ending: 'payer_not_allowed' },
  {
    msisdn: more(23),
    name: 'amount refused',
    about: 'The network does not accept the amount.',
    ending: 'amount_not_allowed',
  },
  {
    msisdn: more(24),
    name: 'very slow payer',
    about: 'Approved after ten minutes, without a callback.',
    ending: 'succeeded',
    decides: { seconds: 600 },
    callbacks: [],
  },
  {
    msisdn: more(25),
    name: 'refund refused',
    about: 'At once; a refund is refused.',
    ending: 'succeeded',
    decides: { delays: 0 },
    callbacks: [],
    refund: 'refused',
  },
  {
    msisdn: more(26),
    name: 'refund with a lost answer',
    about: 'At once; the first refund call takes effect and is answered with 500.',
    ending: 'succeeded',
    decides: { delays: 0 },
    callbacks: [],
    refund: '5xx_first',
  },
  {
    msisdn: more(27),
    name: 'waits for the phone',
    about: 'Only the dashboard’s sandbox phone decides; the prompt expires after 15 minutes.',
    ending: 'expired',
    decides: { seconds: 900 },
  },
]

const BY_NUMBER = new Map(SCENARIOS.map((scenario) => [scenario.msisdn, scenario]))

/** Any number without a row succeeds, unless the sandbox is seeded: see seeded-fate.ts. */
export const scenarioOf = (msisdn: string): Scenario => BY_NUMBER.get(msisdn) ?? (SCENARIOS[0] as Scenario)
