// Reads the feed of any Karba over HTTP (D-47), and gives each event as the text that webhooks carry. A deadline for the whole of a call,
// a cap on what is read, no redirects. Whatever goes wrong is told in words, never thrown.
import { Agent } from 'undici'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import { BASE_PATH, OPERATIONS } from '../merchant-api/contract.ts'
import { failureWords, within } from '../webhooks/failure-words.ts'

export interface FeedSource {
  /** Without a path. */
  url: string
  secretKey: string
  environment: Environment
}

export interface FeedPlace {
  after: number | 'latest'
  replaysAfter: number | 'latest'
}

export interface FeedEvent {
  sequence: number
  /** 0 for the event itself. */
  replay: number
  /** Byte for byte what the webhook carries. */
  body: string
}

export interface FeedPage {
  events: FeedEvent[]
  replays: FeedEvent[]
  hasMore: boolean
  next: { after: number; replaysAfter: number }
}

/** `down` may pass by itself; `refused` will not. */
type FeedAnswer = FeedPage | { down: string } | { refused: string }

export interface FeedReader {
  read(place: FeedPlace, signal: AbortSignal): Promise<FeedAnswer>
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
    async read(place, stopped) {
      const query = new URLSearchParams({
        after: String(place.after),
        replays_after: String(place.replaysAfter),
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
        // Raced, because undici looks at the signal only once it has a connection.
        const path = `${BASE_PATH}${OPERATIONS.listEvents.path}?${query}`
        return understand(source, await Promise.race([get(path, call.signal), over]))
      } catch (error) {
        return { down: call.signal.aborted ? `no answer ${within(TIMEOUT_MS)}` : failureWords(error, TIMEOUT_MS) }
      } finally {
        cancel()
        stopped.removeEventListener('abort', giveUp)
      }
    },
    close: () => agent.destroy(),
  }
}

function understand(source: FeedSource, { code, text }: { code: number; text: string }): FeedAnswer {
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
  if (!isPlaced(events) || !isPlaced(replays)) return undefined
  return {
    events: events.map(unplaced),
    replays: replays.map(unplaced),
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

/** An event with its place in the feed. */
interface PlacedEvent {
  sequence: number
  replay?: number
}

const isPlaced = (list: unknown): list is PlacedEvent[] =>
  Array.isArray(list) && list.every((event) => Number.isInteger(event?.sequence))

/** Without its place, an event is the webhook's body to the byte: Karba writes events with JSON.stringify, and so does this. */
const unplaced = ({ sequence, replay = 0, ...event }: PlacedEvent): FeedEvent => ({
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
