// Which number does what. Airtel publishes no test numbers: these are ours. The last two digits are those of the code that comes of it.
import { lookUp } from '../../../domain/look-up.ts'
import type { Refusal } from './answers.ts'

/** The end of a payment, in the words of an enquiry. */
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
  /** How long the payer takes; for ever, where it is `never`. */
  after?: 'never' | number
  /** What an enquiry says until then. */
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

/** How long a prompt stays on the payer's phone. The documents do not say; an enquiry is asked for after three minutes. */
export const PROMPT_LASTS_MS = 180_000

const failsLater = Object.entries(CODES).map(([code, message]): [string, Behaviour] => [
  `970000${code}`,
  { about: `Fails after the prompt: ${message} (DP008000010${code}).`, ends: { status: 'TF', code, message } },
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
    about: 'Nobody answers the prompt: TE after three minutes.',
    ends: ENDINGS.ignore,
    after: PROMPT_LASTS_MS,
  },
  '97000030': { about: 'Stays in progress (TIP) for ever.', after: 'never' },
  '97000031': { about: 'Says TA for three minutes, then succeeds.', after: PROMPT_LASTS_MS, waiting: 'TA' },
  '97000032': { about: 'Says TI for three minutes, then succeeds.', after: PROMPT_LASTS_MS, waiting: 'TI' },
  '97000033': { about: 'Fails without any code.', ends: { status: 'TF', message: 'FAILED' } },
  ...Object.fromEntries(refusedAtOnce),
  '97000112': {
    about: 'Refused at the request with 400: the number has no wallet (DP00800001005, Msisdn Not Found).',
    refused: { responseCode: 'DP00800001005', message: 'Msisdn Not Found', http: 400 },
  },
  '97000113': {
    about: 'Refused at the request: invalid mobile number (DP00900001012).',
    refused: { responseCode: 'DP00900001012', resultCode: '521050', message: 'Mobile number entered is incorrect.' },
  },
}

export const behaviourOf = (msisdn: string): Behaviour => lookUp(BEHAVIOURS, msisdn) ?? { about: 'Succeeds.' }
