// Translates MTN MoMo's answers into ours. The table of codes documents how each is understood. An
// answer that is in no table and is not an explicit FAILED becomes `unknown`.

import type { Misconfiguration, OperatorAnswer } from '../../../domain/payments/operator-report.ts'
import type { FailureReason } from '../../../domain/payments/payment-status.ts'
import { lookUp } from '../../../domain/texts/free-text.ts'
import {
  type Answered,
  asObject,
  asText,
  type CallResult,
  type JsonObject,
  MIXED_UP,
  noAnswer,
  wholeFrancs,
} from '../../http-call.ts'
import type { Unknown } from '../../operator.ts'

interface Meaning {
  /** Of a payment that FAILED with it. */
  payment: FailureReason
  /** Of a refund that FAILED with it: there we are the payer, and the customer is the payee. */
  refund: FailureReason
  /**
   * Said to the request itself, it means that nothing was created and that asking again changes
   * nothing.
   */
  refusesRequest?: true
  /**
   * What to change in our configuration, where the answer to a request or the reason of a failure
   * blames it.
   */
  remedy?: string
  /**
   * Only the answer to the request blames our configuration: as the reason of a failure it may be
   * about the payer.
   */
  mayBePayers?: true
}

const OURS: Meaning = { payment: 'operator_error', refund: 'operator_error' }
const ourConfiguration = (remedy: string): Meaning => ({ ...OURS, refusesRequest: true, remedy })
/** For 400 without a code that is in the table. */
const FORM_REMEDY =
  'MTN does not accept the form of the request: compare currency, msisdnDigits and the callback address with the contract'

/** @internal */
export const CODES: Readonly<Record<string, Meaning>> = {
  PAYER_NOT_FOUND: { payment: 'payer_not_found', refund: 'operator_error', refusesRequest: true },
  PAYEE_NOT_FOUND: {
    payment: 'operator_error',
    refund: 'payer_not_found',
    refusesRequest: true,
    remedy:
      'MTN does not find the account that collects: ask MTN which account belongs to the API user',
  },
  NOT_ENOUGH_FUNDS: { payment: 'insufficient_funds', refund: 'insufficient_funds' },
  // MTN's own page on errors: it mostly means that the payer lacks the funds.
  INTERNAL_PROCESSING_ERROR: { payment: 'insufficient_funds', refund: 'operator_error' },
  LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: {
    payment: 'insufficient_funds',
    refund: 'insufficient_funds',
  },
  PAYER_LIMIT_REACHED: { payment: 'limit_reached', refund: 'limit_reached' },
  PAYEE_LIMIT_REACHED: { payment: 'limit_reached', refund: 'limit_reached' },
  SENDER_ACCOUNT_NOT_ACTIVE: { payment: 'payer_not_allowed', refund: 'operator_error' },
  PAYEE_NOT_ALLOWED_TO_RECEIVE: {
    payment: 'operator_error',
    refund: 'payer_not_allowed',
    refusesRequest: true,
    remedy: 'the account that collects may not receive money: ask MTN to enable it',
  },
  APPROVAL_REJECTED: { payment: 'declined', refund: 'declined' },
  PAYMENT_NOT_APPROVED: { payment: 'declined', refund: 'declined' },
  TRANSACTION_CANCELED: { payment: 'cancelled', refund: 'cancelled' },
  EXPIRED: { payment: 'expired', refund: 'expired' },
  // The result of an approval after more than five minutes.
  COULD_NOT_PERFORM_TRANSACTION: { payment: 'expired', refund: 'operator_error' },
  NOT_ALLOWED: {
    ...ourConfiguration(
      'the API user may not make this call: ask MTN to enable it for the Collection product',
    ),
    mayBePayers: true,
  },
  NOT_ALLOWED_TARGET_ENVIRONMENT: ourConfiguration(
    'set the option targetEnvironment to the market of the API user',
  ),
  INVALID_CALLBACK_URL_HOST: ourConfiguration(
    'register the host of PUBLIC_URL as the callback host of the API user, or set the option sendsCallbackUrl to false',
  ),
  INVALID_CURRENCY: ourConfiguration('set the option currency to the currency of the account'),
  SERVICE_UNAVAILABLE: OURS,
  TRANSACTION_NOT_COMPLETED: OURS,
  TRANSACTION_NOT_FOUND: OURS,
  VALIDATION_ERROR: OURS,
}

/** Reasons of a payment that is still in progress: FAILED with one of them contradicts itself. */
const NOT_FINAL = new Set(['ONGOING', 'PAYER_DELAYED', 'PAYEE_DELAYED'])

type Kind = 'payment' | 'refund'

/**
 * The answer to the request for a payment or a refund; `duplicate` when the network has the
 * reference already.
 */
export function readRequestAnswer(result: CallResult, kind: Kind): OperatorAnswer | 'duplicate' {
  if ('failed' in result) return noAnswer(result)
  const { code: status, body } = result
  if (status === 202) return { is: 'accepted' }
  if (status === 409) return 'duplicate'
  const code = codeOf(body)
  const meaning = meaningOf(code)
  if (code !== undefined && meaning?.refusesRequest) {
    return {
      is: 'declined',
      reason: meaning[kind],
      code,
      ...misconfigurationOf(kind === 'refund' && isPayee(code) ? {} : meaning),
    }
  }
  // A gateway that misses a header answers `error`, or a page. Otherwise the network created
  // nothing.
  const isReadByNetwork = body === '' || asObject(body)?.code !== undefined
  if (status === 400 && isReadByNetwork)
    return {
      is: 'declined',
      reason: 'operator_error',
      code: code ?? 'BAD_REQUEST',
      misconfigured: { kind: 'form', remedy: FORM_REMEDY },
    }
  return notUnderstood(result)
}

const meaningOf = (code: string | undefined): Meaning | undefined =>
  code === undefined ? undefined : lookUp(CODES, code)

/** In a refund the payee is the customer. */
const isPayee = (code: string): boolean => code.startsWith('PAYEE_')

const misconfigurationOf = ({
  remedy,
}: Pick<Meaning, 'remedy'>): { misconfigured?: Misconfiguration } =>
  remedy === undefined ? {} : { misconfigured: { kind: 'settings', remedy } }

interface StatusContext {
  kind: Kind
  currency: string
  /** Ours, which the network repeats as externalId. */
  reference: string
  /** For a success that does not name its transaction. */
  id: string
}

export function readStatusAnswer(result: CallResult, context: StatusContext): OperatorAnswer {
  if ('failed' in result) return noAnswer(result)
  const { code: status, body } = result
  const fields = asObject(body)
  if (status === 200 && fields !== undefined) return readTransaction(fields, context)
  // A gateway's 404 is about the address: taken for the network's own, it would end payments that
  // the network knows.
  if (status === 404 && (body === '' || fields?.code !== undefined)) return { is: 'not_known' }
  return notUnderstood(result)
}

function readTransaction(
  fields: JsonObject,
  { kind, currency, reference, id }: StatusContext,
): OperatorAnswer {
  const externalId = asText(fields.externalId)
  if (externalId !== undefined && externalId !== reference) return MIXED_UP
  switch (fields.status) {
    case 'CREATED':
    case 'PENDING':
      return { is: 'accepted' }
    case 'SUCCESSFUL': {
      const amountXof = wholeFrancs(fields.amount)
      const reported = readCode(fields.currency)
      if (reported === undefined) return { is: 'unknown', why: 'SUCCESSFUL without a currency' }
      if (reported !== currency)
        return { is: 'contradicts', reported: `SUCCESSFUL in ${reported.slice(0, 10)}` }
      if (amountXof === undefined)
        return { is: 'unknown', why: 'SUCCESSFUL with an amount that is not understood' }
      return {
        is: 'succeeded',
        amountXof,
        operatorReference: asText(fields.financialTransactionId) ?? id,
      }
    }
    case 'FAILED': {
      const code = reasonOf(fields)
      if (code === undefined) return { is: 'declined', reason: 'operator_error' }
      if (NOT_FINAL.has(code))
        return { is: 'unknown', why: 'FAILED for a reason that is not final', code }
      const meaning = meaningOf(code)
      const isOurs = kind === 'payment' && meaning?.mayBePayers !== true
      return {
        is: 'declined',
        reason: meaning?.[kind] ?? 'operator_error',
        code,
        ...misconfigurationOf(isOurs ? (meaning ?? {}) : {}),
      }
    }
    default:
      return {
        is: 'unknown',
        why: `a status that is not understood: ${readCode(fields.status) ?? 'none'}`,
      }
  }
}

const notUnderstood = (result: Answered): Unknown => {
  const { code: status, body } = result
  const code = codeOf(body)
  // Refused before the network looked at it.
  const neverLeft =
    isRefused(status) || status === 429 || (status === 400 && asObject(body)?.error !== undefined)
  const misconfigured = isOurConfiguration(result)
  return {
    is: 'unknown',
    why: `HTTP ${status}${code === undefined ? '' : ` ${code}`}`,
    ...(code !== undefined && { code }),
    ...(neverLeft && { neverLeft }),
    ...(misconfigured && { misconfigured }),
  }
}

const isRefused = (status: number): boolean => status === 401 || status === 403

/**
 * A refusal that is not about the payment: a key, an address, a header or a permission stays wrong.
 */
function isOurConfiguration({ code: status, body }: Answered): boolean {
  if (status >= 500) return meaningOf(codeOf(body))?.remedy !== undefined
  return status >= 400 && status !== 408 && status !== 409 && status !== 429
}

/** Why there is no token. Without a token no request can have been sent. */
export function readTokenRefusal(
  result: CallResult,
  answersToWrongCredentials: readonly number[],
): Unknown {
  const answer = 'failed' in result ? noAnswer(result) : notUnderstood(result)
  const isWrong = 'code' in result && answersToWrongCredentials.includes(result.code)
  return {
    ...answer,
    why: `no token: ${answer.why}`,
    neverLeft: true,
    ...(isWrong && { misconfigured: true }),
  }
}

/** Whether a new token may help. */
export const refusesToken = ({ code, body }: Answered): boolean =>
  code === 401 || (code === 403 && codeOf(body) === 'invalid_token')

/**
 * Words and nothing else, so that no key, number or sentence that an answer repeats is recorded as
 * a code.
 */
const CODE = /^[A-Za-z]+(?:[_ ][A-Za-z]+)*$/
const LONGEST_CODE = 60

export const readCode = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= LONGEST_CODE && CODE.test(value) ? value : undefined

/** The code of a refusal: in `code`, or in `error` for the token call. */
export function codeOf(body: unknown): string | undefined {
  const fields = asObject(body)
  return readCode(fields?.code) ?? readCode(fields?.error)
}

/** MTN's samples have a reason as text, as an object, or not at all. */
const reasonOf = ({ reason }: JsonObject): string | undefined =>
  readCode(reason) ?? readCode(asObject(reason)?.code)
