// The numbers with a fixed outcome: those that the documents of MTN list for its test environment, and numbers of Benin for the rest.
import { lookUp } from '../../../domain/look-up.ts'

export interface NumberOutcome {
  /** The reason of its failure; without one it succeeds. */
  reason?: string
  /** When it is decided, counted from the request; never, or when payers usually decide. */
  afterMs?: number | 'never'
  about: string
}

const FIVE_MINUTES_MS = 5 * 60_000

const fails = (reason: string, afterMs?: number): NumberOutcome => ({
  reason,
  ...(afterMs !== undefined && { afterMs }),
  about: `FAILED, ${reason}`,
})

/** [D] The last digit groups of 46733123450 to …464. The documents have no code for the last one. */
const DOCUMENTED: readonly NumberOutcome[] = [
  fails('INTERNAL_PROCESSING_ERROR', 0),
  fails('APPROVAL_REJECTED', 0),
  fails('EXPIRED', 0),
  { afterMs: 'never', about: 'PENDING for ever' },
  { afterMs: 25_000, about: 'PENDING, and SUCCESSFUL after 25 seconds' },
  fails('PAYER_NOT_FOUND', 0),
  fails('PAYEE_NOT_ALLOWED_TO_RECEIVE', 0),
  fails('NOT_ALLOWED', 0),
  fails('NOT_ALLOWED_TARGET_ENVIRONMENT', 0),
  fails('INVALID_CALLBACK_URL_HOST', 0),
  fails('INVALID_CURRENCY', 0),
  fails('INTERNAL_PROCESSING_ERROR', 0),
  fails('SERVICE_UNAVAILABLE', 0),
  fails('COULD_NOT_PERFORM_TRANSACTION', 0),
  fails('TRANSFER_TYPE_UNKNOWN', 0),
]

/** After 229 01 97 00 00, from 01 on. */
const BENIN: readonly NumberOutcome[] = [
  fails('APPROVAL_REJECTED'),
  fails('NOT_ENOUGH_FUNDS'),
  {
    ...fails('INTERNAL_PROCESSING_ERROR'),
    about: 'FAILED, INTERNAL_PROCESSING_ERROR: the usual form of a lack of funds',
  },
  fails('EXPIRED', FIVE_MINUTES_MS),
  {
    ...fails('COULD_NOT_PERFORM_TRANSACTION', FIVE_MINUTES_MS),
    about: 'no answer: COULD_NOT_PERFORM_TRANSACTION after 5 minutes',
  },
  fails('PAYER_NOT_FOUND'),
  fails('PAYER_LIMIT_REACHED'),
  { afterMs: 'never', about: 'PENDING for ever, until somebody decides' },
  { afterMs: 25_000, about: 'PENDING, and SUCCESSFUL after 25 seconds' },
  fails('PAYEE_NOT_ALLOWED_TO_RECEIVE'),
  fails('TRANSACTION_CANCELED'),
  fails('PAYMENT_NOT_APPROVED'),
  fails('PAYEE_NOT_FOUND'),
  fails('PAYEE_LIMIT_REACHED'),
  fails('SENDER_ACCOUNT_NOT_ACTIVE'),
  fails('LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED'),
  fails('NOT_ALLOWED'),
  fails('NOT_ALLOWED_TARGET_ENVIRONMENT'),
  fails('INVALID_CALLBACK_URL_HOST'),
  fails('INVALID_CURRENCY'),
  fails('SERVICE_UNAVAILABLE'),
  fails('TRANSACTION_NOT_COMPLETED'),
  fails('TRANSACTION_NOT_FOUND'),
  fails('VALIDATION_ERROR'),
]

export const NUMBERS: Readonly<Record<string, NumberOutcome>> = Object.fromEntries([
  ...DOCUMENTED.map((outcome, at) => [`467331234${50 + at}`, outcome]),
  ...BENIN.map((outcome, at) => [`22901970000${String(at + 1).padStart(2, '0')}`, outcome]),
])

const SUCCEEDS: NumberOutcome = { about: 'SUCCESSFUL' }
const HAS_NO_WALLET = fails('PAYER_NOT_FOUND')

/** Benin's ten digits after the country code, or the eight of before: both lead to the same wallet. */
const BENIN_NUMBER = /^229(?:01)?(\d{8})$/

/** In the test environment any other number succeeds; in Benin only a number of Benin has a wallet, in the international form without `+`. */
export function outcomeOf(partyId: string, environment: string): NumberOutcome {
  const eight = BENIN_NUMBER.exec(partyId)?.[1]
  const known = lookUp(NUMBERS, partyId) ?? (eight === undefined ? undefined : lookUp(NUMBERS, `22901${eight}`))
  if (known !== undefined) return known
  return environment === 'sandbox' || eight !== undefined ? SUCCEEDS : HAS_NO_WALLET
}
