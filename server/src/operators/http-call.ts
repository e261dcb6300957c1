// The HTTP client of the connectors: one deadline for a whole call, a limit on the size of the
// answer, no redirects. Failures are returned as text, never thrown: for a connector each of them
// means `unknown`.
import { timingSafeEqual } from 'node:crypto'
import type { Dispatcher } from 'undici'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Unknown } from './operator.ts'

const ANSWER_LIMIT_BYTES = 64 * 1024
/** Answers below 200, which may come before the real one. */
const MOST_INFORMATIONAL = 10

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  headers: Record<string, string>
  body?: string
  /** Where this call may take longer than the others, or must take less: a token, say. */
  timeoutMs?: number
  /** Where the answer may be longer than others: a page of a list. */
  mostBytes?: number
}

/** Calls one network. In tests it calls a simulated network without a socket. */
export type Send = (call: Call) => Promise<CallResult>

export interface Answered {
  code: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: unknown
}

/**
 * `neverLeft` when nothing of the call was written to a connection: the network cannot have
 * received it.
 */
export type CallResult = Answered | { failed: string; neverLeft?: true }

const LONGEST_WHY = 120

/** Without an answer, only whether the network can have received the call is known. */
export const noAnswer = ({ failed, neverLeft }: Exclude<CallResult, Answered>): Unknown => ({
  is: 'unknown',
  why: failed.slice(0, LONGEST_WHY),
  ...(neverLeft && { neverLeft }),
})

/** Calls under one address, which may have a path of its own. */
export function sender(
  to: Dispatcher,
  baseUrl: string,
  deps: { clock: Clock; timeoutMs: number },
): Send {
  const { clock, timeoutMs } = deps
  const { origin, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/$/, '')
  return (each) => call(to, origin, clock, { timeoutMs, ...each, path: prefix + each.path })
}

/**
 * With undici's dispatch callbacks: only they show whether a call still waited for a connection
 * when it ended.
 */
function call(
  to: Dispatcher,
  origin: string,
  clock: Clock,
  {
    method,
    path,
    headers,
    body,
    timeoutMs,
    mostBytes = ANSWER_LIMIT_BYTES,
  }: Call & { timeoutMs: number },
): Promise<CallResult> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let [size, code, informational] = [0, 0, 0]
    let answered: Readonly<Record<string, string | string[] | undefined>> = {}
    let hasLeft = false
    let isOver = false
    let abort = (): void => {}

    function end(result: CallResult): void {
      isOver = true
      cancel()
      resolve(result)
    }
    const fail = (why: string): void =>
      end({ failed: why, ...(!hasLeft && { neverLeft: true as const }) })
    const cancel = clock.after(timeoutMs, () => {
      fail(`no answer within ${timeoutMs} ms`)
      abort()
    })
    to.dispatch(
      { origin, method, path, headers, body: body ?? null },
      {
        onRequestStart: (controller) => {
          abort = () => controller.abort(new Error('the call is over'))
          // The call waited for a connection until its deadline and was reported as neverLeft: it
          // must not be sent now.
          if (isOver) abort()
          else hasLeft = true
        },
        onResponseStart: (_controller, statusCode, responseHeaders) => {
          code = statusCode
          answered = responseHeaders
          if (statusCode >= 200 || ++informational <= MOST_INFORMATIONAL || isOver) return
          fail('informational answers without end')
          abort()
        },
        onResponseData: (_controller, chunk) => {
          if (isOver) return
          size += chunk.length
          chunks.push(chunk)
          if (size <= mostBytes) return
          fail('the answer is too long')
          abort()
        },
        onResponseEnd: () => {
          if (!isOver)
            end({ code, headers: answered, body: parse(Buffer.concat(chunks).toString('utf8')) })
        },
        onResponseError: (_controller, error: Error & { code?: string }) => {
          if (!isOver) fail(`no answer: ${error.code || error.message}`)
        },
      },
    )
  })
}

/** A body that is not JSON is returned as text. */
function parse(text: string): unknown {
  // Many answers have no body: an error that is thrown and caught costs more than the call.
  if (text === '') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

// Reads values from what a network sent. No field is trusted to have a form: one of another form
// reads as undefined.

export type JsonObject = Readonly<Record<string, unknown>>

/** Undefined for anything but a JSON object: for a page of a gateway, say. */
export const asObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined

export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.map(asObject).filter((each) => each !== undefined) : []

/** Text that is not empty, or a number as text: networks' samples show both for the same field. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/**
 * Whole francs from 1000, "1000", "1000.0000" or "37,600.00"; undefined for a fraction of a franc.
 */
export function wholeFrancs(value: unknown): number | undefined {
  const whole = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.0*)?$/.exec(asText(value) ?? '')?.[1]
  const francs = Number(whole?.replaceAll(',', '') ?? Number.NaN)
  return Number.isSafeInteger(francs) ? francs : undefined
}

/** An answer about another payment was mixed up on its way: it says nothing about ours. */
export const MIXED_UP = { is: 'unknown', why: 'the answer is about another payment' } as const

/** The body of a callback. */
export function parseObject(body: Buffer | string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(body.toString('utf8')))
  } catch {
    return undefined
  }
}

/** Compares a signature in constant time. */
export const isSameSignature = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected)
