// Live updates: each event says only what to read again.
import { sendEvents } from './event-stream.ts'
import { accountRoute, NOTHING } from './route.ts'
import type { LiveEvent } from './shapes.ts'

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
          const tell = (changed: LiveEvent['changed']): void =>
            void (unread() < MOST_UNREAD && write(`data: ${JSON.stringify({ changed } satisfies LiveEvent)}\n\n`))
          return deps.watchAccount(caller.accountId, tell, end)
        },
      }),
    { isLong: true },
  ),
]
