// A stream of server-sent events to one page. It ends after a quarter of an hour; the browser then
// opens another, and the server checks the session again.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { MerchantPerson } from '../domain/people/caller.ts'
import { sendRouteError } from './answer.ts'
import { accountRoute, type DashboardDeps, NOTHING } from './route.ts'
import type { LiveEvent } from './shapes.ts'

/** Shorter than the idle timeouts of proxies and of phones' networks. */
const HEARTBEAT_MS = 20_000
const LIFE_MS = 15 * 60_000

export interface EventStream {
  /** Events that the reader has not taken yet, in characters. */
  unread(): number
  write(text: string): void
  end(): void
}

interface StreamOptions {
  /** What a heartbeat sends: a comment, which the page's script does not see, or an event. */
  beat: { text: string; everyMs?: number }
  /** Starts the events; undefined when too many pages are open. */
  begin(stream: EventStream): Promise<(() => void) | undefined>
}

export async function sendEvents(
  { clock, takeStream }: Pick<DashboardDeps, 'clock' | 'takeStream'>,
  caller: MerchantPerson,
  reply: FastifyReply,
  { beat, begin }: StreamOptions,
): Promise<FastifyReply> {
  const release = await takeStream(caller)
  if (typeof release === 'string') return sendRouteError(reply, 'too_many_streams')
  const source = new Readable({ read() {} })
  const stream: EventStream = {
    unread: () => source.readableLength,
    write: (text) => void (source.readableEnded || source.push(text)),
    end: () => void source.push(null),
  }
  let leave: (() => void) | undefined
  try {
    leave = await begin(stream)
  } finally {
    if (leave === undefined) release()
  }
  if (leave === undefined) return sendRouteError(reply, 'too_many_streams')
  let cancelBeat = (): void => {}
  const sendBeat = (): void => {
    stream.write(beat.text)
    cancelBeat = clock.after(beat.everyMs ?? HEARTBEAT_MS, sendBeat)
  }
  const cancelEnd = clock.after(LIFE_MS, stream.end)
  const left = (): void => {
    release()
    leave()
    cancelBeat()
    cancelEnd()
  }
  sendBeat()
  // On the response, not on the stream: the stream of a client that left early never starts.
  reply.raw.once('close', left)
  if (reply.raw.destroyed) left()
  return reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // A proxy that buffers would delay the events.
      'x-accel-buffering': 'no',
    })
    .send(source)
}

// Live updates: each event names only what to read again.

const MOST_UNREAD = 4_096

export const liveRoutes = [
  accountRoute(
    'GET /live',
    'read',
    NOTHING,
    (deps, caller, _input, { reply }) =>
      sendEvents(deps, caller, reply, {
        beat: { text: ': still here\n\n' },
        begin: async ({ write, unread, end }) => {
          // A slow reader misses events; the next one has the same effect.
          const notify = (changed: LiveEvent['changed']): void =>
            void (
              unread() < MOST_UNREAD &&
              write(`data: ${JSON.stringify({ changed } satisfies LiveEvent)}\n\n`)
            )
          return deps.watchAccount(caller.accountId, notify, end)
        },
      }),
    { isLong: true },
  ),
]
