// What happens to a deposit, and to its refund, by the payer's number: the sandbox's own numbers, its rule for the last three digits, and some
// more of ours for what the sandbox cannot show.
import { lookUp } from '../../../domain/look-up.ts'

export interface Fate {
  /** The code of a deposit that fails; undefined for one that is completed. */
  fails?: string
  /** It stays like this for ever. */
  stuck?: 'SUBMITTED'
  /** How long it is IN_RECONCILIATION before its end. */
  reconciledForMs?: number
  /** The code of its refund, which fails after it was accepted. */
  refundFails?: string
}

const HOUR_MS = 3_600_000

const FATES: Readonly<Record<string, Fate & { about: string }>> = {
  '019': { fails: 'PAYER_LIMIT_REACHED', about: 'fails: PAYER_LIMIT_REACHED' },
  '029': { fails: 'PAYER_NOT_FOUND', about: 'fails: PAYER_NOT_FOUND' },
  '039': { fails: 'PAYMENT_NOT_APPROVED', about: 'fails: PAYMENT_NOT_APPROVED' },
  '049': { fails: 'INSUFFICIENT_BALANCE', about: 'fails: INSUFFICIENT_BALANCE' },
  '069': { fails: 'UNSPECIFIED_FAILURE', about: 'fails: UNSPECIFIED_FAILURE' },
  '129': { stuck: 'SUBMITTED', about: 'stays SUBMITTED for ever' },
  '789': { about: 'is completed' },
  '089': { refundFails: 'RECIPIENT_NOT_FOUND', about: 'is completed; its refund fails: RECIPIENT_NOT_FOUND' },
  '099': { refundFails: 'WALLET_LIMIT_REACHED', about: 'is completed; its refund fails: WALLET_LIMIT_REACHED' },
  '119': { refundFails: 'UNSPECIFIED_FAILURE', about: 'is completed; its refund fails: UNSPECIFIED_FAILURE' },
  '139': { reconciledForMs: HOUR_MS, about: 'is IN_RECONCILIATION for an hour, then completed' },
  '149': { fails: 'PAYMENT_IN_PROGRESS', about: 'fails: PAYMENT_IN_PROGRESS' },
  '159': {
    fails: 'UNSPECIFIED_FAILURE',
    reconciledForMs: HOUR_MS,
    about: 'is IN_RECONCILIATION for an hour, then fails: UNSPECIFIED_FAILURE',
  },
  '169': { fails: 'WALLET_LIMIT_REACHED', about: 'fails: WALLET_LIMIT_REACHED' },
  '179': { fails: 'A_CODE_OF_NEXT_YEAR', about: 'fails with a code that no document has' },
}

/** Seen in public test tables for Moov only. */
const MOOV: Readonly<Record<string, Fate & { about: string }>> = {
  '95345679': { fails: 'UNSPECIFIED_FAILURE', about: 'fails: UNSPECIFIED_FAILURE' },
  '95345639': { stuck: 'SUBMITTED', about: 'stays SUBMITTED for ever' },
}

/** With eight digits after 229 as in the sandbox's tables, or with ten as they are today. */
const NUMBER = /^229(?:01)?([1-9]\d{7})$/

/** The eight digits; undefined for what is no number of Benin. */
export const subscriberIn = (phoneNumber: string): string | undefined => NUMBER.exec(phoneNumber)?.[1]

export const fateOf = (subscriber: string): Fate =>
  lookUp(MOOV, subscriber) ?? lookUp(FATES, subscriber.slice(-3)) ?? {}

const MOOV_PREFIXES = ['45', '55', '58', '60', '63', '64', '65', '68', '94', '95', '98', '99']

/** The ranges overlap in truth: a prediction can be wrong, and the documents say so. */
export const predictedProvider = (subscriber: string): string =>
  MOOV_PREFIXES.includes(subscriber.slice(0, 2)) ? 'MOOV_BEN' : 'MTN_MOMO_BEN'

export const NUMBERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(FATES).map(([suffix, { about }]) => [`22951345${suffix}`, about])),
  '22995345789': 'is completed (Moov)',
  ...Object.fromEntries(Object.entries(MOOV).map(([subscriber, { about }]) => [`229${subscriber}`, `${about} (Moov)`])),
  'any other': 'is completed; the last three digits decide as above; with 01 after 229 or without',
}
