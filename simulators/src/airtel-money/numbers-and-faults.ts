// The outcome of each test number. These are ours: the last two digits are those of the resulting
// code.
import { type FaultTable, lookUp } from '../network.ts'
import type { Refusal } from './answers.ts'

export interface Ending {
  status: 'TS' | 'TF' | 'TE'
  /** Of the code DP008000010…; none for a failure without a cause. */
  code?: string
  message: string
}

export interface Behaviour {
  about: string
  /** Refused at the request; nothing is taken. */
  refused?: Refusal
  /** How it ends, where not with a success. */
  ends?: Ending
  /** How long the payer takes; `never` for no decision. */
  after?: 'never' | number
  /** The status of an enquiry until then. */
  waiting?: 'TIP' | 'TA' | 'TI'
}

const CODES: Readonly<Record<string, string>> = {
  '02': 'Incorrect Pin',
  '03': 'Exceeds withdrawal amount limit(s)',
  '04': 'Invalid Amount',
  '05': 'User did not enter the pin',
  '07': 'Not enough balance',
  '08': 'Refused',
  '09': 'Do not honor',
  '10': 'Transaction not permitted to Payee',
}

export const ENDINGS = {
  approve: { status: 'TS', code: '01', message: 'success' },
  decline: { status: 'TF', code: '08', message: 'Refused' },
  no_funds: { status: 'TF', code: '07', message: 'Not enough balance' },
  ignore: { status: 'TE', code: '29', message: 'Transaction Expired' },
} as const satisfies Record<string, Ending>

/** On the payer's phone. The documents do not say; they advise an enquiry after three minutes. */
export const PROMPT_LASTS_MS = 180_000

const failsLater = Object.entries(CODES).map(([code, message]): [string, Behaviour] => [
  `970000${code}`,
  {
    about: `Fails after the prompt: ${message} (DP008000010${code}).`,
    ends: { status: 'TF', code, message },
  },
])

const refusedAtOnce = Object.entries(CODES).map(([code, message]): [string, Behaviour] => [
  `970001${code}`,
  {
    about: `Refused at the request: ${message} (DP008000010${code}).`,
    refused: { responseCode: `DP008000010${code}`, message },
  },
])

export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  '97000000': { about: 'Succeeds, like every number that is not listed.' },
  ...Object.fromEntries(failsLater),
  '97000029': {
    about: 'The payer does not answer the prompt: TE after three minutes.',
    ends: ENDINGS.ignore,
    after: PROMPT_LASTS_MS,
  },
  '97000030': { about: 'Stays in progress (TIP) for ever.', after: 'never' },
  '97000031': {
    about: 'Says TA for three minutes, then succeeds.',
    after: PROMPT_LASTS_MS,
    waiting: 'TA',
  },
  '97000032': {
    about: 'Says TI for three minutes, then succeeds.',
    after: PROMPT_LASTS_MS,
    waiting: 'TI',
  },
  '97000033': { about: 'Fails without any code.', ends: { status: 'TF', message: 'FAILED' } },
  ...Object.fromEntries(refusedAtOnce),
  '97000112': {
    about:
      'Refused at the request with 400: the number has no wallet (DP00800001005, Msisdn Not Found).',
    refused: { responseCode: 'DP00800001005', message: 'Msisdn Not Found', http: 400 },
  },
  '97000113': {
    about: 'Refused at the request: invalid mobile number (DP00900001012).',
    refused: {
      responseCode: 'DP00900001012',
      resultCode: '521050',
      message: 'Mobile number entered is incorrect.',
    },
  },
}

export const behaviourOf = (msisdn: string): Behaviour =>
  lookUp(BEHAVIOURS, msisdn) ?? { about: 'Succeeds.' }

export const AIRTEL_FAULT_TABLE = {
  unavailable: 'Every call is answered with 503.',
  too_many_calls: 'Every call is answered with 429.',
  address_not_allowed:
    'The gateway answers every call with 403 and an HTML page, as for an address that is not on its list.',
  clock_is_off: 'The Date header is ten minutes ahead.',

  token_life_is_text: 'expires_in is the text "180".',
  token_ends_early: 'A token that is still good is refused.',
  expired_token_is_403: 'A token that is not good is refused with 403 instead of 401.',
  new_token_ends_the_old: 'A token is refused as soon as a newer one was given.',
  token_takes_20_seconds: 'The token call is answered after 20 seconds.',
  token_answers_500: 'The token call is answered with 500.',
  credentials_are_refused: 'The token call refuses the right client id and secret.',

  request_is_cut: 'The connection ends before a payment is taken.',
  answer_is_cut: 'A payment is taken, and the connection ends without an answer.',
  answer_never_comes: 'A payment is taken, and nothing is ever answered.',
  answer_takes_30_seconds: 'A payment is taken, and the answer comes after 30 seconds.',
  payments_unavailable: 'Requests for payment are answered with 503, and nothing is taken.',
  gateway_times_out: 'A payment is taken, and the gateway answers 408 CONNECTION_TIMEOUT.',
  router_times_out: 'A payment is taken, and the gateway answers ROUTER117.',
  answers_timed_out: 'A payment is taken, and the answer is DP00800001024.',
  answers_something_wrong:
    'A payment is taken, and the answer is DP00800001005 with the inner code 500.',
  asks_itself_twice:
    'The gateway repeats a request by itself: the payment is taken, and the answer is that its id exists.',
  id_is_false: 'A payment is taken, and the answer has false for its id.',
  currency_header_is_lost: 'X-Currency is lost on the way: HTTP 200 with the inner code 400.',
  country_not_allowed: 'The application is not authorized for its country: ROUTER007.',
  signing_key_is_replaced: 'The public key for signing is replaced before its time.',

  not_found_for_a_minute: 'An enquiry does not find a payment in its first minute.',
  forgets_payments: 'An enquiry never finds a payment.',
  enquiry_has_no_data: 'An enquiry is answered with a success and without a payment.',
  enquiry_fails: 'An enquiry is answered with ESB000014.',
  ambiguous_for_two_hours: 'An enquiry has TA in the first two hours of a payment.',
  success_with_code_in_process: 'An enquiry has TS with the code DP00800001006.',
  fails_then_succeeds: 'A payment fails, and succeeds ten minutes after it was asked for.',
  tells_another_amount: 'An enquiry has an amount, one franc more than the request.',
  tells_amount_with_decimals: 'An enquiry has the amount, as "1,500.00".',
  tells_another_currency: 'An enquiry has a currency, another than that of the request.',
  tells_reversals: 'An enquiry about a refunded payment has TR.',

  no_callbacks: 'No callback is sent.',
  callback_before_the_answer:
    'The payer decides at once, and the callback is sent a second before the request is answered.',
  callbacks_repeated: 'Each callback is sent twenty times, a second apart.',
  callbacks_in_progress: 'Until the payer decides, a callback with TIP comes every ten seconds.',
  callbacks_without_id: 'Callbacks do not name their payment.',
  callbacks_without_hash: 'Callbacks have no hash, although callback authentication is on.',
  callbacks_with_wrong_hash: 'Callbacks have a hash of something else.',
  callbacks_say_the_opposite: 'Callbacks say TF about a success and TS about a failure.',

  refund_is_cut: 'A payment is refunded, and the connection ends without an answer.',
  refund_times_out: 'A payment is refunded, and the gateway answers 408 CONNECTION_TIMEOUT.',
  refund_without_float: 'A refund is refused for lack of funds in the merchant’s wallet.',
  refund_success_is_false:
    'A refund is answered as in one sample of the documents: done, with success false.',
  balance_success_is_false:
    'The balance is answered as in one sample of the documents: complete, with success false.',
} as const satisfies FaultTable
