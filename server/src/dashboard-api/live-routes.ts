// Live updates by server-sent events: each says only what to read again. A stream ends after a quarter of an hour; the
// browser then opens another, and the server checks the session again.
import { Readable } from 'node:stream'
import { sendDoorError } from './answer.ts'
import { accountRoute, NOTHING } from './route.ts'
import type { LiveEvent } from './shapes.ts'

/** Shorter than the idle timeouts of proxies and of phones' networks. */
const HEARTBEAT_MS = 20_000
const LIFE_MS = 15 * 60_000

export const liveRoutes = [
  accountRoute(
    'GET /live',
    'read',
    NOTHING,
    async ({ clock, takeStream, watchAccount }, caller, _input, { reply }) => {
      const release = await takeStream(caller)
      if (typeof release === 'string') return sendDoorError(reply, 'too_many_streams')
      const stream = new Readable({ read() {} })
      const end = (): void => void stream.push(null)
      // A slow reader misses events; the next one has the same effect.
      const write = (text: string): void => void (stream.readableLength < 4_096 && stream.push(text))
      const tell = (changed: LiveEvent['changed']): void =>
        write(`data: ${JSON.stringify({ changed } satisfies LiveEvent)}\n\n`)
      const leave = watchAccount(caller.accountId, tell, end)
      if (leave === undefined) {
        release()
        return sendDoorError(reply, 'too_many_streams')
      }
      let cancelBeat = (): void => {}
      const beat = (): void => {
        write(': still here\n\n')
        cancelBeat = clock.after(HEARTBEAT_MS, beat)
      }
      const cancelEnd = clock.after(LIFE_MS, end)
      const left = (): void => {
        release()
        leave()
        cancelBeat()
        cancelEnd()
      }
      beat()
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
        .send(stream)
    },
    { isLong: true },
  ),
]
