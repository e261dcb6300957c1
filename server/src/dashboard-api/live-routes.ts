// Live updates by server-sent events: each says what to read again, nothing more. A stream ends after a quarter of an hour, and the browser opens another,
// with a session that is looked at again.
import { Readable } from 'node:stream'
import { MERCHANT_RIGHTS } from '../domain/role.ts'
import { sendDoorError } from './answer.ts'
import { defineRoute, NOTHING } from './route.ts'
import type { LiveEvent } from './shapes.ts'

/** Sooner than a proxy or a phone's network gives up a silent connection. */
const HEARTBEAT_MS = 20_000
const LIFE_MS = 15 * 60_000

export const liveRoutes = [
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/live',
    roles: MERCHANT_RIGHTS.read,
    input: NOTHING,
    isLong: true,
    handle: async ({ clock, takeStream, watchAccount }, caller, _input, { reply }) => {
      const release = await takeStream(caller)
      if (typeof release === 'string') return sendDoorError(reply, 'too_many_streams')
      const stream = new Readable({ read() {} })
      const end = (): void => void stream.push(null)
      // Somebody who does not read is not told more: the next event says as much.
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
      // Of the answer and not of the stream: a caller that left before the stream was sent never begins it.
      reply.raw.once('close', left)
      if (reply.raw.destroyed) left()
      return reply
        .headers({
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          // A proxy that gathers what it passes on would keep the events.
          'x-accel-buffering': 'no',
        })
        .send(stream)
    },
  }),
]
