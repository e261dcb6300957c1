// Sends requests with one deadline and one AbortSignal for a whole call. The caller knows what is
// safe to repeat.
import { apiErrorCode, KarbaError } from './karba-error.ts'
import { VERSION } from './version.ts'

export interface CallOptions {
  /** Ends the call and its retries. */
  signal?: AbortSignal
  /** For the whole call with its retries. */
  timeoutMs?: number
  /** How often a call is repeated whose answer was lost or a 503; 0 for never. */
  maxRetries?: number
}

export interface Request {
  method: 'GET' | 'POST'
  /** Below /api/v1, with its query. */
  path: string
  paymentType?: 'mobile' | 'external_payment'
  body?: object
  /** Whether the body of a 200 is a file. */
  isFile?: boolean
  /** The duration of a long poll. */
  answerWithinMs?: number
  /** A longer answer is not read to its end; 32 MiB by default. */
  mostBytes?: number
}

/**
 * `answered` is a 200; `refused` is an error of the service; `try_later` means that nothing was
 * recorded; `lost` that the outcome is unknown.
 */
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
  maxRetries: number
  fetch: typeof globalThis.fetch
}

const ATTEMPT_MS = 10_000
const MOST_BYTES = 2 ** 25
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000
/** With the pauses between them, about half a minute. */
export const MAX_RETRIES = 7
const USER_AGENT = `karba-node/${VERSION} ${runtime()}`

export class Connection {
  readonly #options: ConnectionOptions

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  deadline(options: CallOptions = {}): Deadline {
    const {
      signal,
      timeoutMs = this.#options.timeoutMs,
      maxRetries = this.#options.maxRetries,
    } = options
    return deadlineIn(timeoutMs, maxRetries, signal)
  }

  /** One attempt. Throws only when the caller has aborted. */
  async send(request: Request, deadline: Deadline): Promise<Outcome> {
    deadline.check()
    const {
      method,
      path,
      paymentType = 'mobile',
      body,
      isFile = false,
      answerWithinMs = 0,
      mostBytes = MOST_BYTES,
    } = request
    const { url, secretKey, environment, fetch } = this.#options
    try {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${secretKey}`,
          'svc-target-environment': environment,
          'svc-payment-type': paymentType,
          'user-agent': USER_AGENT,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // A redirect would take the key to another address, or turn a POST into a GET.
        redirect: 'manual',
        signal: deadline.signalFor(answerWithinMs + ATTEMPT_MS),
      })
      const bytes = await readBytes(answer, mostBytes)
      if (bytes === undefined) return { is: 'lost', error: tooLong(answer, mostBytes) }
      if (isFile && answer.status === 200) {
        noteRequest(bytes, answer.headers.get(REQUEST_ID))
        return { is: 'answered', body: bytes }
      }
      return readAnswer(answer, new TextDecoder().decode(bytes))
    } catch (cause) {
      deadline.check()
      return { is: 'lost', error: noAnswer(url, cause) }
    }
  }

  /** Retries an idempotent request until it is answered or refused. */
  async repeat<Body>(request: Request, deadline: Deadline): Promise<Body> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.send(request, deadline)
      if (outcome.is === 'answered') return outcome.body as Body
      if (outcome.is === 'refused') throw outcome.error
      const pauseMs = pauseAfter(attempt, outcome)
      if (attempt > deadline.maxRetries || pauseMs >= deadline.leftMs()) throw outcome.error
      await deadline.pause(pauseMs)
    }
  }
}

/** Undefined once there are more than `mostBytes`: the rest is not read. */
async function readBytes(answer: Response, mostBytes: number): Promise<Uint8Array | undefined> {
  const reader = answer.body?.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > mostBytes) {
      await reader.cancel()
      return undefined
    }
    chunks.push(value)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const tooLong = ({ status }: Response, mostBytes: number): KarbaError =>
  new KarbaError({
    code: 'unexpected_answer',
    message: `The answer has more than ${mostBytes} bytes.`,
    status,
  })

/** Exponential backoff with jitter, or the Retry-After of the service if that is longer. */
export function pauseAfter(attempt: number, outcome: Outcome): number {
  const usual =
    Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
  return outcome.is === 'try_later' ? Math.max(usual, outcome.afterMs) : usual
}

function readAnswer({ status, headers }: Response, text: string): Outcome {
  const body = parse(text)
  const requestId = headers.get(REQUEST_ID) ?? undefined
  if (status === 200 && body !== undefined) {
    const whole = { ...body, ...addressesIn(headers) }
    noteRequest(whole, requestId)
    return { is: 'answered', body: whole }
  }
  const keptAfter = headers.get('svc-kept-after')
  const error = new KarbaError({
    code: apiErrorCode(headers.get('svc-error-code')),
    message: typeof body?.message === 'string' ? body.message : `The service answered ${status}.`,
    param: headers.get('svc-error-param') ?? undefined,
    hint: headers.get('svc-error-hint') ?? undefined,
    status,
    requestId,
    existingReference: headers.get('svc-existing-reference') ?? undefined,
    keptAfter: keptAfter === null ? undefined : Number(keptAfter),
    removedUntil: headers.get('svc-removed-until') ?? undefined,
  })
  // Without an id the answer comes from a proxy, which does not know whether the payment was
  // recorded.
  if (requestId !== undefined && (status === 429 || status === 503))
    return { is: 'try_later', error, afterMs: secondsOf(headers.get('retry-after')) * 1_000 }
  // After a 5xx, a 408 or a truncated 200 the payment may have been recorded.
  if (status >= 500 || status === 429 || status === 408 || status === 200)
    return { is: 'lost', error }
  return { is: 'refused', error }
}

/** The addresses of a link's page and of a payment's receipt are in headers. */
function addressesIn(headers: Headers): { page_url?: string; receipt_url?: string } {
  const page = headers.get('svc-page-url')
  const receipt = headers.get('svc-receipt-url')
  return {
    ...(page !== null && { page_url: page }),
    ...(receipt !== null && { receipt_url: receipt }),
  }
}

const REQUEST_ID = 'x-request-id'
const requestIds = /* @__PURE__ */ new WeakMap<object, string>()

/** The id of the request that returned this object: quote it to the operator of the service. */
export const requestIdOf = (answer: object): string | undefined => requestIds.get(answer)

export function noteRequest(answer: object, requestId: string | null | undefined): void {
  if (requestId) requestIds.set(answer, requestId)
}

/** The compiler does not know the runtimes' own globals: this package runs on all of them. */
function runtime(): string {
  const { Deno, process, navigator } = globalThis as {
    Deno?: { version: { deno: string } }
    process?: { versions?: { bun?: string; node?: string } }
    navigator?: { userAgent?: string }
  }
  if (Deno !== undefined) return `deno/${Deno.version.deno}`
  const { bun, node } = process?.versions ?? {}
  if (bun !== undefined) return `bun/${bun}`
  return node === undefined ? (navigator?.userAgent ?? 'unknown') : `node/${node}`
}

const secondsOf = (written: string | null): number =>
  /^\d{1,6}$/.test(written ?? '') ? Number(written) : 0

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const noAnswer = (url: string, cause: unknown): KarbaError =>
  new KarbaError({
    code: 'no_answer',
    message: `The service at ${new URL(url).host} could not be reached, or its answer was lost.`,
    cause,
  })

export interface Deadline {
  readonly maxRetries: number
  leftMs(): number
  /** Throws once the caller has aborted. */
  check(): void
  /** Aborts at the caller's abort, at the deadline, or after `mostMs`, whichever is first. */
  signalFor(mostMs: number): AbortSignal
  /** Rejects when the caller aborts. */
  pause(ms: number): Promise<void>
}

function deadlineIn(ms: number, maxRetries: number, signal: AbortSignal | undefined): Deadline {
  const endsAt = performance.now() + ms
  const leftMs = (): number => Math.max(0, endsAt - performance.now())
  const check = (): void => {
    if (signal?.aborted) throw aborted(signal)
  }
  return {
    maxRetries,
    leftMs,
    check,
    signalFor: (mostMs) => {
      const over = AbortSignal.timeout(Math.ceil(Math.min(mostMs, leftMs())))
      return signal === undefined ? over : AbortSignal.any([signal, over])
    },
    pause: (pauseMs) =>
      new Promise((resolve, reject) => {
        check()
        const end = (settle: () => void) => (): void => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          settle()
        }
        const onAbort = end(() => reject(aborted(signal as AbortSignal)))
        const timer = setTimeout(
          end(() => resolve()),
          pauseMs,
        )
        signal?.addEventListener('abort', onAbort)
      }),
  }
}

const aborted = ({ reason }: AbortSignal): KarbaError =>
  new KarbaError({
    code: 'aborted',
    message: 'The caller’s AbortSignal ended the call.',
    cause: reason,
  })
