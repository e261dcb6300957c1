// One attempt to post an event to a merchant's server (D-28): one deadline for the whole attempt, a
// limit on the size of the answer, no redirects, no cookies, no decompression. Never throws: all
// that the receiver does becomes a status or an error text. Does not retry.

import { StringDecoder } from 'node:string_decoder'
import { LRUCache } from 'lru-cache'
import type { Dispatcher } from 'undici'
import type { Clock } from '../domain/clock-and-random.ts'
import { getOrMake } from '../domain/limits/get-or-make.ts'
import { readRetryAfter } from '../domain/limits/retry-schedule.ts'
import { URL_FAULTS } from '../wire/refusals/webhook-refusals.ts'
import { failureText, within } from './failure-text.ts'
import { type GuardedAgentDeps, guardedAgent } from './guarded-agent.ts'
import { checkTarget } from './safe-address.ts'

const ANSWER_LIMIT_BYTES = 64 * 1024
const MOST_TARGETS = 1_000
/**
 * A receiver may send "100 Continue" or "103 Early Hints" before its answer, and could repeat them
 * until the deadline.
 */
const MOST_INFORMATIONAL = 10
const RETRY_AFTER_STATUSES: readonly (number | null)[] = [429, 503]

/**
 * Shared by all attempts: making an error for each costs more than everything else that ends an
 * attempt.
 */
const ATTEMPT_OVER = new Error('the attempt is over')

export interface Attempt {
  /** The receiver's HTTP status. It counts even if the rest of the answer was lost. */
  status: number | null
  durationMs: number
  /**
   * The first 64 KiB. Bytes that are not UTF-8 are replaced, and so is NUL, which PostgreSQL cannot
   * store.
   */
  answer: string
  /** For the merchant. With a status: why the answer is not complete. */
  error: string | null
  /** The receiver's Retry-After, read on a 429 or 503. */
  retryAfterMs: number | null
}

export type WebhookRequest = { url: string; headers: Record<string, string>; body: string }

export type WebhookSender = ReturnType<typeof webhookSender>

/** `timeoutMs` is for the whole attempt: connecting, TLS, headers and body. */
export function webhookSender(deps: GuardedAgentDeps) {
  const { clock, rules, timeoutMs } = deps
  const agent = guardedAgent(deps)
  const targets = new LRUCache<string, ReturnType<typeof checkTarget>>({ max: MOST_TARGETS })
  let closing: Promise<void> | undefined

  return {
    async send({ url: text, headers, body }: WebhookRequest): Promise<Attempt> {
      // Cached: the check of a text is constant. guarded-agent.ts checks the addresses of every
      // connection.
      const target = getOrMake(targets, text, () => checkTarget(text, rules))
      if ('fault' in target)
        return notSent(`the address is not allowed: ${URL_FAULTS[target.fault].en}`)
      const { origin, pathname, search } = target.url
      // A compressed answer would have to be decompressed to be read, and may be a decompression
      // bomb.
      const uncompressed = { ...headers, 'accept-encoding': 'identity' }
      const call = {
        origin,
        path: pathname + search,
        method: 'POST',
        headers: uncompressed,
        body,
      } as const
      return attempt(clock, timeoutMs, (handler) => agent.dispatch(call, handler))
    },
    /** Aborts the in-flight attempts. */
    close(): Promise<void> {
      closing ??= agent.destroy()
      return closing
    },
  }
}

const notSent = (error: string): Attempt => ({
  status: null,
  durationMs: 0,
  answer: '',
  error,
  retryAfterMs: null,
})

/**
 * Uses undici's `dispatch`, because `request` cannot be cancelled while it waits for a connection.
 */
function attempt(
  clock: Clock,
  timeoutMs: number,
  dispatch: (handler: Dispatcher.DispatchHandler) => void,
) {
  return new Promise<Attempt>((resolve) => {
    const startedAt = clock.now()
    const answer = answerReader()
    let sending: Dispatcher.DispatchController | undefined
    let status: number | null = null
    let retryAfterMs: number | null = null
    let informational = 0
    let over = false

    function finish(error: string | null): void {
      if (over) return
      over = true
      cancel()
      resolve({
        status,
        durationMs: clock.now() - startedAt,
        answer: answer.text(),
        error,
        retryAfterMs,
      })
      // Ends the connection too; after a complete answer it does nothing.
      sending?.abort(ATTEMPT_OVER)
    }
    const cancel = clock.after(timeoutMs, () => {
      if (status !== null) finish(`the answer was not complete ${within(timeoutMs)}`)
      else finish(`${sending === undefined ? 'no connection' : 'no answer'} ${within(timeoutMs)}`)
    })

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        sending = controller
        // The connection came after the deadline: an attempt that was reported as failed must not
        // be sent.
        if (over) controller.abort(ATTEMPT_OVER)
      },
      onResponseStart(_, code, headers) {
        if (code < 200) {
          if (++informational > MOST_INFORMATIONAL)
            finish('the receiver sent informational answers without end')
          return
        }
        status = code
        const asked = headers['retry-after']
        if (RETRY_AFTER_STATUSES.includes(code) && typeof asked === 'string')
          retryAfterMs = readRetryAfter(asked, clock.now())
      },
      onResponseData(_, chunk) {
        if (answer.add(chunk) === 'full') finish(null)
      },
      onResponseEnd: () => finish(null),
      onResponseError(_, error) {
        finish(
          status === null ? failureText(error, timeoutMs) : 'the answer broke off in the middle',
        )
      },
    }
    try {
      dispatch(handler)
    } catch (error) {
      finish(failureText(error, timeoutMs))
    }
  })
}

/**
 * Decodes each chunk as it arrives: a slice kept as bytes would keep the whole buffer it was read
 * into alive.
 */
function answerReader() {
  const decoder = new StringDecoder('utf8')
  let room = ANSWER_LIMIT_BYTES
  let text = ''
  return {
    add(chunk: Buffer): 'full' | 'open' {
      const taken = chunk.subarray(0, room)
      text += decoder.write(taken)
      room -= taken.length
      return taken.length < chunk.length ? 'full' : 'open'
    },
    text: () => (text + decoder.end()).replaceAll('\0', '\uFFFD'),
  }
}
