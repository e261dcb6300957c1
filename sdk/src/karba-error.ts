// The one error of the SDK: what the API refused, or why there is no answer. Never holds a key.

export interface KarbaErrorFacts {
  /** From the API's closed list (`Svc-Error-Code`), or one of the SDK's own below. */
  code: string
  message: string
  /** The field or header that is at fault, where there is one. */
  param?: string | undefined
  /** The HTTP status; undefined without an answer. */
  status?: number | undefined
  /** Tell it to the operator of the service when you ask about this answer. */
  requestId?: string | undefined
  /** Of the payment that has the transaction_id or the order already. */
  existingReference?: string | undefined
  cause?: unknown
}

/**
 * Codes of the SDK's own, where the API said nothing:
 * `no_answer`: nothing could be read before the deadline.
 * `outcome_unknown`: a payment may have been recorded; read it by its transaction_id before anything else.
 * `aborted`: your AbortSignal ended it; of a creation the outcome is unknown too.
 * `configuration`: the SDK was given something that cannot work, such as a secret key in a browser.
 * `webhook_not_valid`: the webhook is not from the service, was changed, or is too old.
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
