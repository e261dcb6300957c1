// The error of the SDK: a refusal of the API, or the reason for a missing answer. Never holds a
// key.
import { API_ERROR_CODES } from './error-codes.ts'

/** The codes of the API's errors, as `Svc-Error-Code` has them. */
export type ApiErrorCode = (typeof API_ERROR_CODES)[number]

/**
 * The SDK's own codes:
 * `no_answer`: no answer before the deadline.
 * `unexpected_answer`: an answer without a code that this SDK knows, such as that of a proxy.
 * `outcome_unknown`: the payment may exist; read it by its transaction_id before anything else.
 * `aborted`: your AbortSignal ended the call; the outcome of a creation is unknown.
 * `configuration`: a wrong option, such as a secret key in a browser.
 * `webhook_not_valid`: the webhook is forged, changed or too old.
 */
export type SdkErrorCode =
  | 'no_answer'
  | 'unexpected_answer'
  | 'outcome_unknown'
  | 'aborted'
  | 'configuration'
  | 'webhook_not_valid'

export type KarbaErrorCode = ApiErrorCode | SdkErrorCode

const KNOWN: ReadonlySet<string> = /* @__PURE__ */ new Set(API_ERROR_CODES)

export const apiErrorCode = (code: string | null): KarbaErrorCode =>
  code !== null && KNOWN.has(code) ? (code as ApiErrorCode) : 'unexpected_answer'

export interface KarbaErrorFacts {
  code: KarbaErrorCode
  /** What is wrong; the error's own message adds code, param and hint. */
  message: string
  /** The field or header at fault, if it is a single one. */
  param?: string | undefined
  /** What to do, in one English sentence of the service. */
  hint?: string | undefined
  /** The HTTP status; undefined without an answer. */
  status?: number | undefined
  /** Quote it to the operator of the service. */
  requestId?: string | undefined
  /** The payment that already has the transaction_id or order_reference. */
  existingReference?: string | undefined
  /**
   * With `cursor_too_old`: the last event that the service removed, to go on after, and when it was
   * written.
   */
  keptAfter?: number | undefined
  removedUntil?: string | undefined
  cause?: unknown
}

/**
 * Its message is `Bad Request: Incorrect MSISDN (msisdn_not_valid, msisdn). This number is not
 * valid: …`.
 */
export class KarbaError extends Error {
  override readonly name = 'KarbaError'
  readonly code: KarbaErrorCode
  readonly param: string | undefined
  readonly hint: string | undefined
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly existingReference: string | undefined
  readonly keptAfter: number | undefined
  readonly removedUntil: string | undefined

  constructor(facts: KarbaErrorFacts) {
    const {
      code,
      message,
      param,
      hint,
      status,
      requestId,
      existingReference,
      keptAfter,
      removedUntil,
      cause,
    } = facts
    const about = param === undefined ? code : `${code}, ${param}`
    super(
      `${message.replace(/\.$/, '')} (${about}).${hint === undefined ? '' : ` ${hint}`}`,
      cause === undefined ? undefined : { cause },
    )
    this.code = code
    this.param = param
    this.hint = hint
    this.status = status
    this.requestId = requestId
    this.existingReference = existingReference
    this.keptAfter = keptAfter
    this.removedUntil = removedUntil
  }
}
