// Translates pawaPay's answers into ours: every code that it documents, and what it means. The
// tables are the documentation: facts.md points here. A code that is not in its table has the
// meaning of the last line, `otherwise`.
import { type Country, countryOfOperator, factsOf } from '../../../domain/countries/country.ts'
import type {
  MisconfigurationKind,
  OperatorAnswer,
  RefundAnswer,
} from '../../../domain/payments/operator-report.ts'
import type { FailureReason } from '../../../domain/payments/payment-status.ts'
import {
  type Answered,
  asObject,
  asText,
  type CallResult,
  MIXED_UP,
  noAnswer,
  wholeFrancs,
} from '../../http-call.ts'
import type { Unknown } from '../../operator.ts'

export const CURRENCY = 'XOF'
export const PROVIDED = ['mtn_bj', 'moov_bj'] as const
/** All providers that we know are in one country. */
export const PROVIDED_IN = countryOfOperator(PROVIDED[0]) as Country
export const COUNTRY = factsOf(PROVIDED_IN).alpha3

type Meaning =
  /** `misconfigured`: the refusal is about our configuration, or may be. */
  | { declined: FailureReason; misconfigured?: MisconfigurationKind; remedy?: string }
  /** `neverLeft`: pawaPay created nothing, so that the same request can be made again. */
  | {
      unknown: string
      neverLeft?: true
      misconfigured?: true
      passesWithinMs?: number
    }
  | { byHand: string }
  /** What became of the refund under our own id decides. */
  | { readState: true }

type Meanings = Readonly<Record<string, Meaning>>

const REFUSED_CREDENTIALS = {
  NO_AUTHENTICATION: { unknown: 'pawaPay saw no API token', neverLeft: true, misconfigured: true },
  AUTHENTICATION_ERROR: {
    unknown: 'pawaPay refused the API token',
    neverLeft: true,
    misconfigured: true,
  },
  AUTHORISATION_ERROR: {
    unknown: 'the API token is not allowed to do this',
    neverLeft: true,
    misconfigured: true,
  },
  HTTP_SIGNATURE_ERROR: {
    unknown: 'the request’s signature was refused',
    neverLeft: true,
    misconfigured: true,
  },
} as const satisfies Meanings

const REFUSED_BY_FORM = {
  declined: 'operator_error',
  misconfigured: 'form',
  remedy:
    'pawaPay does not accept the form of the request: `karba operators check` compares the options with the account',
} as const satisfies Meaning

/** Refused for its form: nothing was created, and the same request would be refused again. */
const REFUSED_FORM = {
  INVALID_INPUT: REFUSED_BY_FORM,
  MISSING_PARAMETER: REFUSED_BY_FORM,
  UNSUPPORTED_PARAMETER: REFUSED_BY_FORM,
  INVALID_PARAMETER: REFUSED_BY_FORM,
  DUPLICATE_METADATA_FIELD: REFUSED_BY_FORM,
  INVALID_CURRENCY: {
    declined: 'operator_error',
    misconfigured: 'settings',
    remedy:
      'the pawaPay account has no XOF for this provider: ask pawaPay to enable it, or change the option providers',
  },
  INVALID_AMOUNT: { declined: 'amount_not_allowed' },
  AMOUNT_OUT_OF_BOUNDS: { declined: 'amount_not_allowed' },
} as const satisfies Meanings

const PROVIDER_DOWN = {
  unknown: 'the provider takes no payments at the moment',
  neverLeft: true,
} as const
/** With HTTP 500: it is not safe to take the request for refused. */
const UNKNOWN_ERROR = { unknown: 'pawaPay had an error of its own' } as const

/** When a deposit is asked for and refused. @internal */
export const DEPOSIT_REFUSED = {
  ...REFUSED_CREDENTIALS,
  ...REFUSED_FORM,
  UNKNOWN_ERROR,
  PROVIDER_TEMPORARILY_UNAVAILABLE: PROVIDER_DOWN,
  DEPOSITS_NOT_ALLOWED: {
    unknown: 'deposits are not enabled for the account',
    neverLeft: true,
    misconfigured: true,
  },
  INVALID_PROVIDER: {
    unknown: 'the provider is not enabled for the account',
    neverLeft: true,
    misconfigured: true,
  },
  INVALID_PHONE_NUMBER: { declined: 'payer_not_found' },
  // It may be about the payer: pawaPay adds codes.
  otherwise: REFUSED_BY_FORM,
} as const satisfies Meanings

/** When a deposit was accepted, and failed. FAILED is final with any code. @internal */
export const DEPOSIT_FAILED = {
  PAYMENT_NOT_APPROVED: { declined: 'declined' },
  INSUFFICIENT_BALANCE: { declined: 'insufficient_funds' },
  PAYER_NOT_FOUND: { declined: 'payer_not_found' },
  PAYER_LIMIT_REACHED: { declined: 'limit_reached' },
  WALLET_LIMIT_REACHED: { declined: 'limit_reached' },
  MANUALLY_CANCELLED: { declined: 'cancelled' },
  // The payer has another payment open; the provider takes one at a time.
  PAYMENT_IN_PROGRESS: { declined: 'operator_error' },
  TRANSACTION_ALREADY_IN_PROCESS: { declined: 'operator_error' },
  UNSPECIFIED_FAILURE: { declined: 'operator_error' },
  UNKNOWN_ERROR: { declined: 'operator_error' },
  otherwise: { declined: 'operator_error' },
} as const satisfies Meanings

/** Refused for now: the refund is tried again, for a day. */
const PASSES = { neverLeft: true, passesWithinMs: 86_400_000 } as const

/** When a refund is asked for and refused. @internal */
export const REFUND_REFUSED = {
  ...REFUSED_CREDENTIALS,
  ...REFUSED_FORM,
  UNKNOWN_ERROR,
  PROVIDER_TEMPORARILY_UNAVAILABLE: PROVIDER_DOWN,
  REFUND_IN_PROGRESS: { ...PASSES, unknown: 'another refund of the deposit is under way' },
  PAWAPAY_WALLET_OUT_OF_FUNDS: {
    unknown: 'the pawaPay wallet does not hold the amount: top it up',
    neverLeft: true,
    misconfigured: true,
  },
  DEPOSIT_ALREADY_REFUNDED: { readState: true },
  AMOUNT_TOO_LARGE: { byHand: 'part of the deposit was refunded by another way' },
  REFUNDS_NOT_ALLOWED: { byHand: 'refunds are not enabled for the pawaPay account' },
  NOT_FOUND: {
    unknown: 'this pawaPay account has no such deposit',
    neverLeft: true,
    misconfigured: true,
  },
  // The deposit is COMPLETED when we learn of it; pawaPay may still be finishing it.
  INVALID_STATE: { ...PASSES, unknown: 'pawaPay has not finished processing the deposit' },
  otherwise: { declined: 'operator_error' },
} as const satisfies Meanings

/**
 * When a refund was accepted, and failed. Its id is used up: the merchant asks for a new one.
 * @internal
 */
export const REFUND_FAILED = {
  RECIPIENT_NOT_FOUND: { declined: 'payer_not_found' },
  RECIPIENT_LIMIT_REACHED: { declined: 'limit_reached' },
  WALLET_LIMIT_REACHED: { declined: 'limit_reached' },
  MANUALLY_CANCELLED: { declined: 'cancelled' },
  PAWAPAY_WALLET_OUT_OF_FUNDS: { declined: 'operator_error' },
  REFUND_IN_PROGRESS: { declined: 'operator_error' },
  DEPOSIT_ALREADY_REFUNDED: { byHand: 'the deposit was refunded by another way' },
  AMOUNT_TOO_LARGE: { byHand: 'part of the deposit was refunded by another way' },
  UNSPECIFIED_FAILURE: { declined: 'operator_error' },
  UNKNOWN_ERROR: { declined: 'operator_error' },
  otherwise: { declined: 'operator_error' },
} as const satisfies Meanings

/**
 * States that are not final. SUBMITTED is v1's word, and that of the sandbox for a number that
 * never ends.
 */
const UNDER_WAY = ['ACCEPTED', 'ENQUEUED', 'PROCESSING', 'SUBMITTED', 'IN_RECONCILIATION']

/** What only a further call can decide. */
export type NextCall = { is: 'duplicate' } | { is: 'read_state' }

export const readDepositRequest = (
  result: CallResult,
  depositId: string,
): OperatorAnswer | NextCall =>
  isOfAnother(result, 'depositId', depositId)
    ? MIXED_UP
    : (readInitiation(result, DEPOSIT_REFUSED, DEPOSIT_TURNED_AWAY) as OperatorAnswer | NextCall)
export const readRefundRequest = (result: CallResult, refundId: string): RefundAnswer | NextCall =>
  isOfAnother(result, 'refundId', refundId)
    ? MIXED_UP
    : readInitiation(result, REFUND_REFUSED, REFUND_TURNED_AWAY)
export const readDepositStatus = (result: CallResult, depositId: string): OperatorAnswer =>
  readStatus(
    result,
    readMovement(dataIn(result), 'depositId'),
    depositId,
    DEPOSIT_FAILED,
  ) as OperatorAnswer
export const readRefundStatus = (result: CallResult, refundId: string): RefundAnswer =>
  readStatus(result, readMovement(dataIn(result), 'refundId'), refundId, REFUND_FAILED)

type IdField = 'depositId' | 'refundId'

function isOfAnother(result: CallResult, idField: IdField, id: string): boolean {
  const named = 'code' in result ? asText(asObject(result.body)?.[idField]) : undefined
  return named !== undefined && named.toLowerCase() !== id
}

function readInitiation(
  result: CallResult,
  meanings: Meanings,
  turnedAway: readonly number[],
): RefundAnswer | NextCall {
  if ('code' in result && turnedAway.includes(result.code)) {
    return { is: 'unknown', why: `HTTP ${result.code}`, neverLeft: true }
  }
  const notTaken = notAnswered(result, meanings)
  if (notTaken !== undefined) return notTaken
  const { code, body } = result as Answered
  const status = asObject(body)?.status
  if (code === 200 && status === 'ACCEPTED') return { is: 'accepted' }
  if (code === 200 && status === 'DUPLICATE_IGNORED') return { is: 'duplicate' }
  const failureCode = failureCodeIn(body)
  // Some answers with 400 have a reason and no status.
  const isRefused = status === 'REJECTED' || (code === 400 && status === undefined)
  if ((code === 200 || code === 400) && isRefused && failureCode !== undefined)
    return meaningOf(failureCode, meanings)
  return notUnderstood(code, status)
}

/**
 * Overloaded or down by its own word: it was not taken. If it was, its id makes the next one a
 * duplicate.
 */
const DEPOSIT_TURNED_AWAY = [429, 503]
/**
 * A gateway in front also answers 503, even for accepted requests: a refund is polled before it is
 * sent again.
 */
const REFUND_TURNED_AWAY = [429]

function readStatus(
  result: CallResult,
  deposit: Movement,
  id: string,
  failures: Meanings,
): RefundAnswer {
  const notTaken = notAnswered(result, REFUSED_CREDENTIALS)
  if (notTaken !== undefined) return notTaken
  const { code, body } = result as Answered
  const found = asObject(body)?.status
  if ((code === 200 || code === 404) && found === 'NOT_FOUND') return { is: 'not_known' }
  if (code !== 200 || found !== 'FOUND') return notUnderstood(code, found)
  if (deposit.id !== undefined && deposit.id !== id) return MIXED_UP
  const { status = '' } = deposit
  if (UNDER_WAY.includes(status)) return { is: 'accepted', code: status }
  if (status === 'FAILED')
    return meaningOf(deposit.failureCode ?? 'FAILED', failures) as RefundAnswer
  return status === 'COMPLETED' ? completed(deposit, id) : notUnderstood(code, status)
}

function completed(
  { amountXof, currency, providerTransactionId }: Movement,
  id: string,
): OperatorAnswer {
  if (currency !== undefined && currency !== CURRENCY) {
    return { is: 'contradicts', reported: `COMPLETED in ${asCode(currency).slice(0, 10)}` }
  }
  if (amountXof === undefined)
    return { is: 'unknown', why: 'COMPLETED without an amount in whole francs' }
  return { is: 'succeeded', amountXof, operatorReference: providerTransactionId ?? id }
}

function meaningOf(code: string, meanings: Meanings): RefundAnswer | NextCall {
  const meaning = Object.hasOwn(meanings, code) ? meanings[code] : meanings.otherwise
  if (meaning === undefined) return { is: 'unknown', why: 'a refusal that is not understood', code }
  if ('declined' in meaning) {
    const { declined: reason, misconfigured: kind, remedy = '' } = meaning
    return {
      is: 'declined',
      reason,
      code,
      ...(kind !== undefined && { misconfigured: { kind, remedy } }),
    }
  }
  if ('byHand' in meaning) return { is: 'by_hand', why: `${meaning.byHand} (${code})` }
  if ('readState' in meaning) return { is: 'read_state' }
  const { unknown: why, ...facts } = meaning
  return { is: 'unknown', why, code, ...facts }
}

/** For no answer, or one that proves nothing about the payment; undefined for an answer to read. */
function notAnswered(result: CallResult, meanings: Meanings): RefundAnswer | undefined {
  if ('failed' in result) return noAnswer(result)
  const { code, body } = result
  const failureCode = failureCodeIn(body)
  if (code === 401 || code === 403) {
    const isKnown =
      failureCode !== undefined &&
      failureCode !== 'otherwise' &&
      Object.hasOwn(meanings, failureCode)
    if (isKnown) return meaningOf(failureCode, meanings) as RefundAnswer
    const why = asObject(body)
      ? `HTTP ${code}`
      : `HTTP ${code} without JSON: a gateway refused the call`
    return {
      is: 'unknown',
      why,
      neverLeft: true,
      misconfigured: true,
      ...(failureCode && { code: failureCode }),
    }
  }
  if (code < 500) return undefined
  return { is: 'unknown', why: `HTTP ${code}`, ...(failureCode && { code: failureCode }) }
}

function notUnderstood(code: number, status: unknown): Unknown {
  const words = typeof status === 'string' ? ` with status ${asCode(status).slice(0, 40)}` : ''
  return { is: 'unknown', why: `an answer that is not understood: HTTP ${code}${words}` }
}

const dataIn = (result: CallResult): unknown =>
  'code' in result ? asObject(result.body)?.data : undefined

/** A deposit or a refund as a status call shows it. */
interface Movement {
  id: string | undefined
  status: string | undefined
  amountXof: number | undefined
  currency: string | undefined
  providerTransactionId: string | undefined
  failureCode: string | undefined
}

function readMovement(data: unknown, idField: IdField): Movement {
  const fields = asObject(data) ?? {}
  return {
    id: asText(fields[idField])?.toLowerCase(),
    status: asText(fields.status),
    amountXof: wholeFrancs(fields.amount),
    currency: asText(fields.currency),
    providerTransactionId: asText(fields.providerTransactionId)?.slice(0, 100),
    failureCode: failureCodeIn(fields),
  }
}

/**
 * `failureReason: {failureCode, failureMessage}`; some answers have had the code alone, as text.
 */
export function failureCodeIn(body: unknown): string | undefined {
  const failureReason = asObject(body)?.failureReason
  const code = asText(asObject(failureReason)?.failureCode ?? failureReason)
  return code === undefined ? undefined : asCode(code)
}

/** What a network calls its code, without anything that would not be one. */
export const asCode = (text: string): string => text.replace(/[^\w.-]/g, '_').slice(0, 60)
