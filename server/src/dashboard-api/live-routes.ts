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
    handle: async ({ clock, watchAccount }, { accountId }, _input, { reply }) => {
      const stream = new Readable({ read() {} })
      const end = (): void => void stream.push(null)
      // Somebody who does not read is not told more: the next event says as much.
      const write = (text: string): void => void (stream.readableLength < 4_096 && stream.push(text))
      const tell = (changed: LiveEvent['changed']): void =>
        write(`data: ${JSON.stringify({ changed } satisfies LiveEvent)}\n\n`)
      const leave = watchAccount(accountId, tell, end)
      if (leave === undefined) return sendDoorError(reply, 'too_many_requests')
      let cancelBeat = (): void => {}
      const beat = (): void => {
        write(': still here\n\n')
        cancelBeat = clock.after(HEARTBEAT_MS, beat)
      }
      const cancelEnd = clock.after(LIFE_MS, end)
      stream.on('close', () => {
        leave()
        cancelBeat()
        cancelEnd()
      })
      beat()
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
