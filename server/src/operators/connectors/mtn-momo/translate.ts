// What MTN MoMo says, as our answers. The table of codes is the documentation of how each is understood; what is in no table and is not
// an explicit FAILED becomes `unknown`.
import { lookUp } from '../../../domain/look-up.ts'
import type { FailureReason, OperatorAnswer } from '../../../domain/outcome.ts'
import type { CallResult } from '../../http-call.ts'
import { codeOf, fieldsOf, readAmount, readCode, readId, reasonOf } from './wire.ts'

type Unknown = Extract<OperatorAnswer, { is: 'unknown' }>
type Answered = Exclude<CallResult, { failed: string }>

interface Meaning {
  /** Of a payment that FAILED with it. */
  payment: FailureReason
  /** Of a refund that FAILED with it: there we are the payer, and the customer is the payee. */
  refund: FailureReason
  /** Said to the request itself, it means that nothing was created and that asking again changes nothing. */
  refusesRequest?: true
}

const OURS: Meaning = { payment: 'operator_error', refund: 'operator_error' }
const OUR_CONFIGURATION: Meaning = { ...OURS, refusesRequest: true }

/** @internal */
export const CODES: Readonly<Record<string, Meaning>> = {
  PAYER_NOT_FOUND: { payment: 'payer_not_found', refund: 'operator_error', refusesRequest: true },
  PAYEE_NOT_FOUND: { payment: 'operator_error', refund: 'payer_not_found', refusesRequest: true },
  NOT_ENOUGH_FUNDS: { payment: 'insufficient_funds', refund: 'insufficient_funds' },
  // MTN's own page on errors: it mostly means that the payer lacks the funds.
  INTERNAL_PROCESSING_ERROR: { payment: 'insufficient_funds', refund: 'operator_error' },
  LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: { payment: 'insufficient_funds', refund: 'insufficient_funds' },
  PAYER_LIMIT_REACHED: { payment: 'limit_reached', refund: 'limit_reached' },
  PAYEE_LIMIT_REACHED: { payment: 'limit_reached', refund: 'limit_reached' },
  SENDER_ACCOUNT_NOT_ACTIVE: { payment: 'payer_not_allowed', refund: 'operator_error' },
  PAYEE_NOT_ALLOWED_TO_RECEIVE: { payment: 'operator_error', refund: 'payer_not_allowed', refusesRequest: true },
  APPROVAL_REJECTED: { payment: 'declined', refund: 'declined' },
  PAYMENT_NOT_APPROVED: { payment: 'declined', refund: 'declined' },
  TRANSACTION_CANCELED: { payment: 'cancelled', refund: 'cancelled' },
  EXPIRED: { payment: 'expired', refund: 'expired' },
  // What an approval after more than five minutes ends with.
  COULD_NOT_PERFORM_TRANSACTION: { payment: 'expired', refund: 'operator_error' },
  NOT_ALLOWED: OUR_CONFIGURATION,
  NOT_ALLOWED_TARGET_ENVIRONMENT: OUR_CONFIGURATION,
  INVALID_CALLBACK_URL_HOST: OUR_CONFIGURATION,
  INVALID_CURRENCY: OUR_CONFIGURATION,
  SERVICE_UNAVAILABLE: OURS,
  TRANSACTION_NOT_COMPLETED: OURS,
  TRANSACTION_NOT_FOUND: OURS,
  VALIDATION_ERROR: OURS,
}

/** Reasons of a payment that is still under way: FAILED with one of them contradicts itself. */
const NOT_FINAL = new Set(['ONGOING', 'PAYER_DELAYED', 'PAYEE_DELAYED'])

type Kind = 'payment' | 'refund'

/** What the request for a payment or a refund was answered with; `duplicate` when the network has the reference already. */
export function readRequestAnswer(result: CallResult, kind: Kind): OperatorAnswer | 'duplicate' {
  if ('failed' in result) return noAnswer(result)
  const { code: status, body } = result
  if (status === 202) return { is: 'accepted' }
  if (status === 409) return 'duplicate'
  const code = codeOf(body)
  const meaning = code === undefined ? undefined : lookUp(CODES, code)
  if (code !== undefined && meaning?.refusesRequest) return { is: 'declined', reason: meaning[kind], code }
  // A gateway that misses a header says `error`, or sends a page. Otherwise the network has read the request and created nothing.
  const isReadByNetwork = body === '' || fieldsOf(body)?.code !== undefined
  if (status === 400 && isReadByNetwork)
    return { is: 'declined', reason: 'operator_error', code: code ?? 'BAD_REQUEST' }
  return notUnderstood(result)
}

interface StatusContext {
  kind: Kind
  currency: string
  /** For a success that does not name its transaction. */
  id: string
}

export function readStatusAnswer(result: CallResult, context: StatusContext): OperatorAnswer {
  if ('failed' in result) return noAnswer(result)
  const { code: status, body } = result
  const fields = fieldsOf(body)
  if (status === 200 && fields !== undefined) return readTransaction(fields, context)
  // A gateway's 404 is about the address: taken for the network's own, it would end payments that the network knows.
  if (status === 404 && (body === '' || fields?.code !== undefined)) return { is: 'not_known' }
  return notUnderstood(result)
}

function readTransaction(
  fields: Readonly<Record<string, unknown>>,
  { kind, currency, id }: StatusContext,
): OperatorAnswer {
  switch (fields.status) {
    case 'CREATED':
    case 'PENDING':
      return { is: 'accepted' }
    case 'SUCCESSFUL': {
      const amountXof = readAmount(fields.amount)
      const told = readCode(fields.currency)
      if (told === undefined) return { is: 'unknown', why: 'SUCCESSFUL without a currency' }
      if (told !== currency) return { is: 'contradicts', told: `SUCCESSFUL in ${told.slice(0, 10)}` }
      if (amountXof === undefined) return { is: 'unknown', why: 'SUCCESSFUL with an amount that is not understood' }
      return { is: 'succeeded', amountXof, operatorReference: readId(fields.financialTransactionId) ?? id }
    }
    case 'FAILED': {
      const code = reasonOf(fields)
      if (code === undefined) return { is: 'declined', reason: 'operator_error' }
      if (NOT_FINAL.has(code)) return { is: 'unknown', why: 'FAILED for a reason that is not final', code }
      return { is: 'declined', reason: lookUp(CODES, code)?.[kind] ?? 'operator_error', code }
    }
    default:
      return { is: 'unknown', why: `a status that is not understood: ${readCode(fields.status) ?? 'none'}` }
  }
}

/** `neverLeft`: whether the network can have received the call at all. */
const noAnswer = ({ failed, neverLeft }: Extract<CallResult, { failed: string }>): Unknown => ({
  is: 'unknown',
  why: failed,
  ...(neverLeft && { neverLeft }),
})

const notUnderstood = (result: Answered): Unknown => {
  const { code: status, body } = result
  const code = codeOf(body)
  // Refused before the network looked at it.
  const neverLeft = isRefused(status) || status === 429 || (status === 400 && fieldsOf(body)?.error !== undefined)
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

/** Any refusal of a call that is none about the payment: a key, an address, a header or a permission is wrong, and stays so. */
function isOurConfiguration({ code: status, body }: Answered): boolean {
  if (status >= 500) return lookUp(CODES, codeOf(body) ?? '') === OUR_CONFIGURATION
  return status >= 400 && status !== 408 && status !== 409 && status !== 429
}

/** Why there is no token. Without one nothing can have been asked for. */
export function readTokenRefusal(result: CallResult, answersToWrongCredentials: readonly number[]): Unknown {
  const answer = 'failed' in result ? noAnswer(result) : notUnderstood(result)
  const isWrong = 'code' in result && answersToWrongCredentials.includes(result.code)
  return { ...answer, why: `no token: ${answer.why}`, neverLeft: true, ...(isWrong && { misconfigured: true }) }
}

/** Whether a new token may help. */
export const refusesToken = (result: CallResult): boolean =>
  'code' in result && (result.code === 401 || (result.code === 403 && codeOf(result.body) === 'invalid_token'))
