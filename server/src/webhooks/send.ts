// One attempt to hand an event to a merchant's server (D-28): a deadline for the whole of it, a cap on what is read, no redirects, no
// cookies, no decompression. Never throws: whatever the other side does becomes a status or words. Says nothing of what comes next.
import { StringDecoder } from 'node:string_decoder'
import type { Dispatcher } from 'undici'
import { boundedCache } from '../domain/bounded-cache.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { readRetryAfter } from '../domain/retry-schedule.ts'
import { failureWords, URL_FAULT_SENTENCES, within } from './failure-words.ts'
import { type GuardedAgentDeps, guardedAgent } from './guarded-agent.ts'
import { checkTarget } from './safe-address.ts'

const ANSWER_LIMIT_BYTES = 64 * 1024
const MOST_TARGETS = 1_000
const ASKS_FOR_TIME: readonly (number | null)[] = [429, 503]

/** One for all: an error made for each attempt costs more than the attempt's bookkeeping. */
const OVER = new Error('the attempt is over')

export interface Attempt {
  /** The receiver's word. It stands whatever became of the rest of its answer: who said 200 has the event. */
  status: number | null
  durationMs: number
  /** The first 64 KiB. What is not UTF-8 is replaced, and so is NUL, which PostgreSQL cannot keep. */
  answer: string
  /** For the merchant. Beside a status it tells why the answer is not complete. */
  error: string | null
  /** Asked for with a 429 or 503. */
  retryAfterMs: number | null
}

export interface WebhookRequest {
  url: string
  headers: Record<string, string>
  body: string
}

export interface WebhookSender {
  send(request: WebhookRequest): Promise<Attempt>
  /** Waits for what is under way, which is no longer than the deadline. */
  close(): Promise<void>
}

/** `timeoutMs` is for the whole attempt: connecting, TLS, headers and body. */
export function webhookSender(deps: GuardedAgentDeps): WebhookSender {
  const { clock, rules, timeoutMs } = deps
  const agent = guardedAgent(deps)
  const targets = boundedCache<ReturnType<typeof checkTarget>>(MOST_TARGETS)
  let closing: Promise<void> | undefined

  /** What an address says by itself is always the same; where it leads is checked by the agent at every connection. */
  function targetOf(text: string): ReturnType<typeof checkTarget> {
    let target = targets.get(text)
    if (target === undefined) {
      target = checkTarget(text, rules)
      targets.set(text, target)
    }
    return target
  }

  return {
    async send({ url: text, headers, body }) {
      const target = targetOf(text)
      if ('fault' in target) return notSent(`the address is not allowed: ${URL_FAULT_SENTENCES[target.fault]}`)
      const { origin, pathname, search } = target.url
      return attempt({ clock, timeoutMs }, (handler) => {
        agent.dispatch(
          {
            origin,
            path: pathname + search,
            method: 'POST',
            // A packed answer would have to be unpacked to be read, and can unpack to anything.
            headers: { ...headers, 'accept-encoding': 'identity' },
            body,
          },
          handler,
        )
      })
    },
    close() {
      closing ??= agent.close()
      return closing
    },
  }
}

const notSent = (error: string): Attempt => ({ status: null, durationMs: 0, answer: '', error, retryAfterMs: null })

interface Limits {
  clock: Clock
  timeoutMs: number
}

/** Below undici's `request`, which cannot be called off while it waits for a connection. */
function attempt({ clock, timeoutMs }: Limits, dispatch: (handler: Dispatcher.DispatchHandler) => void) {
  return new Promise<Attempt>((resolve) => {
    const startedAt = clock.now()
    const answer = answerReader()
    let sending: Dispatcher.DispatchController | undefined
    let status: number | null = null
    let retryAfterMs: number | null = null
    let over = false

    function finish(error: string | null): void {
      if (over) return
      over = true
      cancel()
      resolve({ status, durationMs: clock.now() - startedAt, answer: answer.text(), error, retryAfterMs })
      // Ends the connection too; after a complete answer it does nothing.
      sending?.abort(OVER)
    }
    const cancel = clock.after(timeoutMs, () => {
      if (status !== null) finish(`the answer was not complete ${within(timeoutMs)}`)
      else finish(`${sending === undefined ? 'no connection' : 'no answer'} ${within(timeoutMs)}`)
    })

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        sending = controller
        // The connection came too late: nothing is sent for an attempt that was already given up.
        if (over) controller.abort(OVER)
      },
      onResponseStart(_, code, headers) {
        if (code < 200) return
        status = code
        const asked = headers['retry-after']
        if (ASKS_FOR_TIME.includes(code) && typeof asked === 'string') retryAfterMs = readRetryAfter(asked, clock.now())
      },
      onResponseData(_, chunk) {
        if (answer.add(chunk) === 'full') finish(null)
      },
      onResponseEnd: () => finish(null),
      onResponseError(_, error) {
        finish(status === null ? failureWords(error, timeoutMs) : 'the answer broke off in the middle')
      },
    }
    try {
      dispatch(handler)
    } catch (error) {
      finish(failureWords(error, timeoutMs))
    }
  })
}

/** Turns bytes into text as they come: a piece kept as bytes would hold on to all that was read with it. */
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
