// What happens to a deposit, and to its refund, by the payer's number: the sandbox's own numbers,
// its rule for the last three digits, and some more of ours for what the sandbox cannot show.
import { BENIN, nationalIn } from '../countries.ts'
import { type FaultTable, lookUp } from '../network.ts'

export interface Behaviour {
  fails?: string
  /** It stays like this for ever. */
  stuck?: 'SUBMITTED'
  /** How long it is IN_RECONCILIATION before its end. */
  reconciledForMs?: number
  refundFails?: string
}

const HOUR_MS = 3_600_000

const BEHAVIOURS: Readonly<Record<string, Behaviour & { about: string }>> = {
  '019': { fails: 'PAYER_LIMIT_REACHED', about: 'fails: PAYER_LIMIT_REACHED' },
  '029': { fails: 'PAYER_NOT_FOUND', about: 'fails: PAYER_NOT_FOUND' },
  '039': { fails: 'PAYMENT_NOT_APPROVED', about: 'fails: PAYMENT_NOT_APPROVED' },
  '049': { fails: 'INSUFFICIENT_BALANCE', about: 'fails: INSUFFICIENT_BALANCE' },
  '069': { fails: 'UNSPECIFIED_FAILURE', about: 'fails: UNSPECIFIED_FAILURE' },
  '129': { stuck: 'SUBMITTED', about: 'stays SUBMITTED for ever' },
  '789': { about: 'is completed' },
  '089': {
    refundFails: 'RECIPIENT_NOT_FOUND',
    about: 'is completed; its refund fails: RECIPIENT_NOT_FOUND',
  },
  '099': {
    refundFails: 'WALLET_LIMIT_REACHED',
    about: 'is completed; its refund fails: WALLET_LIMIT_REACHED',
  },
  '119': {
    refundFails: 'UNSPECIFIED_FAILURE',
    about: 'is completed; its refund fails: UNSPECIFIED_FAILURE',
  },
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
const MOOV: Readonly<Record<string, Behaviour & { about: string }>> = {
  '95345679': { fails: 'UNSPECIFIED_FAILURE', about: 'fails: UNSPECIFIED_FAILURE' },
  '95345639': { stuck: 'SUBMITTED', about: 'stays SUBMITTED for ever' },
}

/** With eight digits as in the sandbox's tables, or with ten as they are today. */
export function subscriberIn(phoneNumber: string): string | undefined {
  const subscriber = nationalIn(phoneNumber, BENIN)
  return subscriber?.startsWith('0') ? undefined : subscriber
}

export const behaviourOf = (subscriber: string): Behaviour =>
  lookUp(MOOV, subscriber) ?? lookUp(BEHAVIOURS, subscriber.slice(-3)) ?? {}

const MOOV_PREFIXES = ['45', '55', '58', '60', '63', '64', '65', '68', '94', '95', '98', '99']

/** In reality the ranges overlap: the documents say that a prediction can be wrong. */
export const predictedProvider = (subscriber: string): string =>
  MOOV_PREFIXES.includes(subscriber.slice(0, 2)) ? 'MOOV_BEN' : 'MTN_MOMO_BEN'

export const NUMBERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(BEHAVIOURS).map(([suffix, { about }]) => [
      `${BENIN.callingCode}51345${suffix}`,
      about,
    ]),
  ),
  [`${BENIN.callingCode}95345789`]: 'is completed (Moov)',
  ...Object.fromEntries(
    Object.entries(MOOV).map(([subscriber, { about }]) => [
      `${BENIN.callingCode}${subscriber}`,
      `${about} (Moov)`,
    ]),
  ),
  'any other':
    'is completed; the last three digits decide as above; with 01 after the calling code or without',
}

// The faults that can be switched on. Some occur once for each call, others last as long as they
// are on.

export const FAULTS = {
  callback_before_answer:
    'A deposit ends at once, and its callback arrives before the answer to the request.',
  callbacks_never_come: 'No callback is sent.',
  callbacks_repeated: 'Each callback is sent twenty times, a second apart, with any answer.',
  pending_callbacks:
    'Callbacks with status PROCESSING come every two seconds until a deposit ends.',
  callbacks_signed_wrongly: 'Callbacks are signed with a key that is not in the list of keys.',
  callbacks_signed_long_ago: 'Callbacks carry a signature that expired an hour ago.',
  callbacks_with_another_body: 'The body of a callback was changed after it was signed.',
  key_replaced: 'Callbacks are signed with a new key, which is in the list of keys from now on.',
  not_found_at_first: 'A deposit that was accepted is NOT_FOUND for its first minute.',
  accepted_and_forgotten:
    'A deposit is answered with ACCEPTED and never made: it is NOT_FOUND for ever.',
  cut_after_registering:
    'The connection ends without an answer after a deposit or a refund was registered.',
  cut_before_registering: 'The connection ends without an answer, and nothing was registered.',
  answers_too_late:
    'The answer to a deposit comes after half a minute; the deposit is there at once.',
  never_answers: 'A deposit is registered, and nothing is ever answered.',
  unknown_error_after_registering:
    'HTTP 500 with UNKNOWN_ERROR, although the deposit or refund was registered.',
  unknown_error: 'HTTP 500 with UNKNOWN_ERROR; nothing is registered.',
  unavailable: 'HTTP 503 without JSON to every request for a deposit or a refund.',
  status_unavailable: 'HTTP 503 without JSON to every status call.',
  too_many_requests: 'HTTP 429 to every status call.',
  token_refused:
    'HTTP 403 with AUTHENTICATION_ERROR to every call, as for a token that was revoked.',
  gateway_refuses: 'HTTP 403 with an HTML page of a gateway to every call.',
  active_conf_unavailable: 'HTTP 503 to every call for the active configuration.',
  reason_missing: 'A deposit that failed has no failureReason.',
  reason_as_text: 'failureReason is the code alone, as text.',
  amounts_with_four_decimals: 'Amounts come back as "1000.0000".',
  amounts_as_numbers: 'Amounts come back as numbers.',
  amounts_with_separators: 'Amounts come back as "37,600.00".',
  another_amount: 'A completed deposit shows a hundred francs more than were asked for.',
  another_currency: 'A completed deposit shows another currency.',
  failed_then_completed:
    'A deposit is FAILED at first; ten minutes later it is COMPLETED, and the payer was debited.',
  long_reconciliation: 'Deposits are IN_RECONCILIATION for an hour before their end.',
  deposits_not_allowed:
    'HTTP 403 with DEPOSITS_NOT_ALLOWED, although the provider is in the active configuration.',
  parameter_refused: 'Deposits are refused with HTTP 400 INVALID_PARAMETER, with any content.',
  provider_not_enabled:
    'The account has no provider in Benin: active configuration without it, INVALID_PROVIDER.',
  provider_closed: 'Every provider is CLOSED: PROVIDER_TEMPORARILY_UNAVAILABLE.',
  provider_delayed: 'Every provider is DELAYED: deposits are refused, refunds are ENQUEUED.',
  wallet_empty: 'Refunds are refused with PAWAPAY_WALLET_OUT_OF_FUNDS.',
  refunds_not_allowed: 'HTTP 403 with REFUNDS_NOT_ALLOWED.',
  another_refund_under_way: 'Refunds are refused with REFUND_IN_PROGRESS.',
  deposit_not_finished:
    'Refunds are refused with INVALID_STATE: the deposit has not finished processing.',
  refunded_elsewhere:
    'Refunds are refused with DEPOSIT_ALREADY_REFUNDED: it was refunded in the dashboard.',
  clock_is_slow:
    'The network’s clock is ten minutes behind: its Date header and its signatures show it.',
} as const satisfies FaultTable

export type FaultName = keyof typeof FAULTS
