// Creates once although answers may be lost. The service never records one name twice, so this
// reads by that name before it retries, and treats the 422 of its own retry as success.
import {
  type CallOptions,
  type Connection,
  noteRequest,
  type Outcome,
  pauseAfter,
  type Request,
  requestIdOf,
} from './connection.ts'
import { KarbaError } from './karba-error.ts'

export interface Creation<Created extends object> {
  request: Request
  /** Reads by the name of this creation. */
  lookAt: Request
  /** Reads the record that exists already, after a 422. */
  lookAtExisting(reference: string | undefined): Request
  /** Undefined if the name belongs to another record. */
  recognise(body: unknown): Created | undefined
}

export async function createSafely<Created extends object>(
  connection: Connection,
  { request, lookAt, lookAtExisting, recognise: recogniseBody }: Creation<Created>,
  options: CallOptions = {},
): Promise<Created> {
  const deadline = connection.deadline(options)
  const recognise = (body: unknown): Created | undefined => {
    const found = recogniseBody(body)
    if (found !== undefined) noteRequest(found, requestIdOf(body as object))
    return found
  }
  let isLost = false
  for (let attempt = 1; ; attempt++) {
    const outcome = await connection.send(request, deadline)
    if (outcome.is === 'answered') return outcome.body as Created
    if (outcome.is === 'refused' && outcome.error.requestId !== undefined) return orOurs(outcome)
    // Without an id, a refusal comes from a proxy, which may have passed the request on.
    isLost ||= outcome.is !== 'try_later'
    const pauseMs = pauseAfter(attempt, outcome)
    if (attempt > deadline.maxRetries || pauseMs >= deadline.leftMs())
      throw isLost ? unknown(outcome.error) : outcome.error
    await deadline.pause(pauseMs)
    if (isLost) {
      // A failed read proves nothing; the retry decides.
      const look = await connection.send(lookAt, deadline)
      const found = look.is === 'answered' ? recognise(look.body) : undefined
      if (found !== undefined) return found
    }
  }

  /** After a lost answer, a taken name may be our own. */
  async function orOurs({ error }: Extract<Outcome, { is: 'refused' }>): Promise<Created> {
    // A key that was revoked meanwhile says nothing about the attempt whose answer was lost.
    if (isLost && (error.status === 401 || error.status === 403)) throw unknown(error)
    if (!isLost || error.status !== 422) throw error
    const look = lookAtExisting(error.existingReference)
    const found = await connection
      .repeat<unknown>(look, deadline)
      .then(recognise, (cause: KarbaError) => {
        throw cause.status === 404 ? error : unknown(cause)
      })
    if (found === undefined) throw error
    return found
  }
}

const unknown = (cause: KarbaError): KarbaError =>
  new KarbaError({
    code: 'outcome_unknown',
    message: 'It may have been recorded: read it by its transaction_id before you try again.',
    status: cause.status,
    requestId: cause.requestId,
    cause,
  })
