// The merchants' servers of a simulated world: they take events, or are down, or take one and fail to say so. What they took is held
// against what was written.
import type { Attempt, WebhookSender } from '../../src/webhooks/send.ts'
import type { CrashingProcess } from '../kit/crashing-process.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import type { FaultPercent } from './faulty-network.ts'

interface ReceivedEvent {
  url: string
  eventId: string
  body: string
}

export interface Receivers {
  faultPercent: FaultPercent
  /** In the order in which they came, again and again where they came again. */
  received: ReceivedEvent[]
  senderOf(process: CrashingProcess): WebhookSender
}

const answer = (status: number | null, error: string | null = null): Attempt => ({
  status,
  error,
  durationMs: 1,
  answer: '',
  retryAfterMs: null,
})

export function receiversOf(random: SeededRandom): Receivers {
  const receivers: Receivers = {
    faultPercent: 0,
    received: [],
    senderOf: (process) => ({
      send: ({ url, headers, body }) =>
        process.call(async () => {
          const fault = random.percent(receivers.faultPercent)
            ? random.pick(['down', 'unsaid', 'busy'] as const)
            : 'none'
          if (fault === 'none' || fault === 'unsaid') {
            receivers.received.push({ url, eventId: headers['webhook-id'] as string, body })
          }
          if (fault === 'none') return answer(200)
          return fault === 'busy' ? answer(503) : answer(null, 'no answer')
        }),
      close: async () => {},
    }),
  }
  return receivers
}
