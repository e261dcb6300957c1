// One request and its answer, and requests that are safe to repeat. Whether a request is safe is the caller's to know.
import { type Deadline, deadlineIn } from './deadline.ts'
import { KarbaError } from './karba-error.ts'

export interface CallOptions {
  /** Ends the call and everything that it would still try. */
  signal?: AbortSignal
  /** For the whole call, with everything that is tried again. */
  timeoutMs?: number
}

export interface Request {
  method: 'GET' | 'POST'
  /** Below /api/v1, with its query. */
  path: string
  paymentType?: 'mobile' | 'external_payment'
  body?: object
  /** For an answer that the service is asked to hold back. */
  answerWithinMs?: number
}

/** `answered` is a 200; `refused` is the service's word; `try_later` means that nothing was done; `lost` that nobody knows. */
export type Outcome =
  | { is: 'answered'; body: unknown }
  | { is: 'refused'; error: KarbaError }
  | { is: 'try_later'; error: KarbaError; afterMs: number }
  | { is: 'lost'; error: KarbaError }

export interface ConnectionOptions {
  url: string
  secretKey: string
  environment: 'sandbox' | 'live'
  timeoutMs: number
  fetch: typeof globalThis.fetch
}

const ATTEMPT_MS = 10_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000
/** With the pauses between them, about half a minute. */
export const MOST_ATTEMPTS = 8

export class Connection {
  readonly #options: ConnectionOptions

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  deadline({ signal, timeoutMs = this.#options.timeoutMs }: CallOptions = {}): Deadline {
    return deadlineIn(timeoutMs, signal)
  }

  /** One attempt. Throws only when the caller has aborted. */
  async send(request: Request, deadline: Deadline): Promise<Outcome> {
    deadline.check()
    const { method, path, paymentType = 'mobile', body, answerWithinMs = 0 } = request
    const { url, secretKey, environment, fetch } = this.#options
    try {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${secretKey}`,
          'svc-target-environment': environment,
          'svc-payment-type': paymentType,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // A redirect would take the key to another address, or turn a POST into a GET.
        redirect: 'manual',
        signal: deadline.signalFor(answerWithinMs + ATTEMPT_MS),
      })
      return readAnswer(answer, await answer.text())
    } catch (cause) {
      deadline.check()
      return { is: 'lost', error: noAnswer(cause) }
    }
  }

  /** For reads, and for whatever the service lets us repeat: tries again until it is answered or refused. */
  async repeat<Body>(request: Request, deadline: Deadline): Promise<Body> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.send(request, deadline)
      if (outcome.is === 'answered') return outcome.body as Body
      if (outcome.is === 'refused') throw outcome.error
      const pauseMs = pauseAfter(attempt, outcome)
      if (attempt >= MOST_ATTEMPTS || pauseMs >= deadline.leftMs()) throw outcome.error
      await deadline.pause(pauseMs)
    }
  }
}

/** As long as the service asks for; else longer each time, and never the same for two clients that failed together. */
export function pauseAfter(attempt: number, outcome: Outcome): number {
  const usual = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
  return outcome.is === 'try_later' ? Math.max(usual, outcome.afterMs) : usual
}

function readAnswer({ status, headers }: Response, text: string): Outcome {
  const body = parse(text)
  const requestId = headers.get('x-request-id') ?? undefined
  // A link that is read has the address of its page in a header.
  const page = headers.get('svc-page-url')
  if (status === 200 && body !== undefined) return { is: 'answered', body: page ? { ...body, page_url: page } : body }
  const error = new KarbaError({
    code: headers.get('svc-error-code') ?? `http_${status}`,
    message: typeof body?.message === 'string' ? body.message : `The service answered ${status}.`,
    param: headers.get('svc-error-param') ?? undefined,
    status,
    requestId,
    existingReference: headers.get('svc-existing-reference') ?? undefined,
  })
  // Only with an id is it the service's own word, and not that of a proxy before it.
  if (requestId !== undefined && (status === 429 || status === 503)) {
    return { is: 'try_later', error, afterMs: secondsOf(headers.get('retry-after')) * 1_000 }
  }
  // A 408 came before the whole request had; all else above 500, and a 200 that is cut short, says nothing about what was done.
  if (status >= 500 || status === 429 || status === 408 || status === 200) return { is: 'lost', error }
  return { is: 'refused', error }
}

const secondsOf = (written: string | null): number => (/^\d{1,6}$/.test(written ?? '') ? Number(written) : 0)

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const noAnswer = (cause: unknown): KarbaError =>
  new KarbaError({ code: 'no_answer', message: 'The service could not be reached, or its answer was lost.', cause })
