// The events of an account as an async iterator. An event counts as handled when the next one is
// requested, so a crash repeats an event and never skips one. When the service has removed events
// after the position, it throws a KarbaError with the code `cursor_too_old`, and `keptAfter` is
// where the feed goes on.
import type { Feed, KarbaEvent } from './api-types.ts'
import type { Connection } from './connection.ts'

export interface EventsOptions {
  /**
   * The sequence or id of the last event that you have, or `latest`; by default from the oldest
   * event.
   */
  after?: number | string
  /** Called with the sequence of each handled event: store it, and pass it as `after` next time. */
  keep?(after: number): void | Promise<void>
  /** False ends the iteration at the last event; otherwise it waits for more. */
  follow?: boolean
  pollEveryMs?: number
  signal?: AbortSignal
}

const PAGE = 100
const POLL_EVERY_MS = 1_000
/** An outage of the service longer than this ends the iteration with an error. */
const PAGE_WITHIN_MS = 300_000

export async function* eventFeed(
  connection: Connection,
  options: EventsOptions,
): AsyncGenerator<KarbaEvent, void, void> {
  const { after: start, keep, follow = true, pollEveryMs = POLL_EVERY_MS, signal } = options
  let after: number | string | undefined = start
  for (;;) {
    const deadline = connection.deadline({ timeoutMs: PAGE_WITHIN_MS, ...(signal && { signal }) })
    const query = new URLSearchParams({
      ...(after !== undefined && { after: String(after) }),
      limit: String(PAGE),
    })
    const page = await connection.repeat<Feed>(
      { method: 'GET', path: `/events?${query}` },
      deadline,
    )
    for (const event of page.events) {
      yield event
      await keep?.(event.sequence as number)
    }
    after = page.next.after
    if (page.has_more) continue
    if (!follow) return
    await deadline.pause(pollEveryMs)
  }
}
