// Reads the feed of any Karba over HTTP (D-47), and returns each event as the body that a webhook has. One deadline for a whole call, a
// limit on the size of the answer, no redirects. Failures are returned as text, never thrown.
import { Agent } from 'undici'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import { BASE_PATH, OPERATIONS } from '../merchant-api/contract.ts'
import { failureText, within } from '../webhooks/failure-text.ts'

export interface FeedSource {
  /** The origin of the service, without a path. */
  url: string
  secretKey: string
  environment: Environment
}

export interface FeedCursor {
  after: number | 'latest'
  replaysAfter: number | 'latest'
}

export interface FeedEvent {
  sequence: number
  /** 0 for the event itself, else the number of its replay. */
  replay: number
  /** Byte for byte the body of the webhook. */
  body: string
}

export interface FeedPage {
  events: FeedEvent[]
  replays: FeedEvent[]
  hasMore: boolean
  next: { after: number; replaysAfter: number }
}

/** `down` is temporary and worth a retry; `refused` is not. */
type FeedAnswer = FeedPage | { down: string } | { refused: string }

export interface FeedReader {
  read(cursor: FeedCursor, signal: AbortSignal): Promise<FeedAnswer>
  close(): Promise<void>
}

const PAGE = 100
const TIMEOUT_MS = 10_000
const ANSWER_LIMIT_BYTES = 8 * 1024 * 1024

export function feedReader(source: FeedSource, clock: Clock): FeedReader {
  const agent = new Agent({ connections: 1, maxResponseSize: ANSWER_LIMIT_BYTES })
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${source.secretKey}`,
    'svc-target-environment': source.environment,
    'svc-payment-type': 'mobile',
  }

  async function get(path: string, signal: AbortSignal): Promise<{ code: number; text: string }> {
    const answer = await agent.request({ origin: source.url, path, method: 'GET', headers, signal })
    return { code: answer.statusCode, text: await answer.body.text() }
  }

  return {
    async read(cursor, stopped) {
      const query = new URLSearchParams({
        after: String(cursor.after),
        replays_after: String(cursor.replaysAfter),
        limit: String(PAGE),
      })
      const call = new AbortController()
      const { promise: over, reject } = Promise.withResolvers<never>()
      const giveUp = (): void => {
        call.abort()
        reject(call.signal.reason)
      }
      const cancel = clock.after(TIMEOUT_MS, giveUp)
      stopped.addEventListener('abort', giveUp)
      try {
        // Raced, because undici checks the signal only once it has a connection.
        const path = `${BASE_PATH}${OPERATIONS.listEvents.path}?${query}`
        return readAnswer(source, await Promise.race([get(path, call.signal), over]))
      } catch (error) {
        return { down: call.signal.aborted ? `no answer ${within(TIMEOUT_MS)}` : failureText(error, TIMEOUT_MS) }
      } finally {
        cancel()
        stopped.removeEventListener('abort', giveUp)
      }
    },
    close: () => agent.destroy(),
  }
}

function readAnswer(source: FeedSource, { code, text }: { code: number; text: string }): FeedAnswer {
  const { url, environment } = source
  if (code === 401) {
    return {
      refused: `${url} does not know this key in ${environment}. Use a secret key of this service that is valid.`,
    }
  }
  if (code === 403) return { refused: `${url} answers 403: this account is not available in ${environment}.` }
  if (code === 429 || code >= 500) return { down: `it answers ${code}` }
  const page = code === 200 ? readPage(text) : undefined
  return page ?? { refused: `${url} answers ${code}, and not with a feed of events. Is it the address of a Karba?` }
}

/**
 * Undefined when the text is not a feed's answer.
 * @internal
 */
export function readPage(text: string): FeedPage | undefined {
  const page = parse(text) as WirePage | null | undefined
  if (!Number.isInteger(page?.next?.after) || !Number.isInteger(page?.next?.replays_after)) return undefined
  const { events, replays, has_more: hasMore, next } = page as WirePage
  if (!haveSequences(events) || !haveSequences(replays)) return undefined
  return {
    events: events.map(toFeedEvent),
    replays: replays.map(toFeedEvent),
    hasMore,
    next: { after: next.after, replaysAfter: next.replays_after },
  }
}

interface WirePage {
  events: unknown
  replays: unknown
  has_more: boolean
  next: { after: number; replays_after: number }
}

/** An event with its position in the feed. */
interface WireEvent {
  sequence: number
  replay?: number
}

const haveSequences = (list: unknown): list is WireEvent[] =>
  Array.isArray(list) && list.every((event) => Number.isInteger(event?.sequence))

/** Without its position, an event is the webhook's body to the byte: Karba writes events with JSON.stringify, and so does this. */
const toFeedEvent = ({ sequence, replay = 0, ...event }: WireEvent): FeedEvent => ({
  sequence,
  replay,
  body: JSON.stringify(event),
})

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
