// The error of the SDK: a refusal of the API, or the reason for a missing answer. Never holds a key.

export interface KarbaErrorFacts {
  /** From the API's closed list (`Svc-Error-Code`), or one of the SDK's own below. */
  code: string
  message: string
  /** The field or header at fault, if it is a single one. */
  param?: string | undefined
  /** The HTTP status; undefined without an answer. */
  status?: number | undefined
  /** Quote it to the operator of the service. */
  requestId?: string | undefined
  /** The payment that already has the transaction_id or order_reference. */
  existingReference?: string | undefined
  cause?: unknown
}

/**
 * The SDK's own codes:
 * `no_answer`: no answer before the deadline.
 * `outcome_unknown`: the payment may exist; read it by its transaction_id before anything else.
 * `aborted`: your AbortSignal ended the call; the outcome of a creation is unknown.
 * `configuration`: a wrong option, such as a secret key in a browser.
 * `webhook_not_valid`: the webhook is forged, changed or too old.
 */
export class KarbaError extends Error {
  override readonly name = 'KarbaError'
  readonly code: string
  readonly param: string | undefined
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly existingReference: string | undefined

  constructor({ code, message, param, status, requestId, existingReference, cause }: KarbaErrorFacts) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.param = param
    this.status = status
    this.requestId = requestId
    this.existingReference = existingReference
  }
}
