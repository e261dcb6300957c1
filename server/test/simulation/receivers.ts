// The merchants' servers of a simulated world: they take events, or are down, or take one and fail to say so. What they took is held
// against what was told.
import type { Attempt, WebhookSender } from '../../src/webhooks/send.ts'
import type { Life } from './mortal-store.ts'
import type { SeededRandom } from './seeded-random.ts'
import type { Weather } from './simulated-outside.ts'

interface Taken {
  url: string
  eventId: string
  body: string
}

export interface Receivers {
  weather: Weather
  /** In the order in which they came, again and again where they came again. */
  taken: Taken[]
  senderOf(life: Life): WebhookSender
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
    weather: 0,
    taken: [],
    senderOf: (life) => ({
      async send({ url, headers, body }) {
        life.step()
        if (life.isOver()) return new Promise(() => {})
        const fate = random.percent(receivers.weather) ? random.pick(['down', 'unsaid', 'busy'] as const) : 'well'
        if (fate === 'well' || fate === 'unsaid') {
          receivers.taken.push({ url, eventId: headers['webhook-id'] as string, body })
        }
        life.step()
        if (life.isOver()) return new Promise(() => {})
        if (fate === 'well') return answer(200)
        return fate === 'busy' ? answer(503) : answer(null, 'no answer')
      },
      close: async () => {},
    }),
  }
  return receivers
}
