// Ten counter screens at one account: creates with them relative to creates without them, and the time from the commit
// of a success to its row on a screen.
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../server/test/kit/waiting.ts'
import { type DashboardSession, eventsOf, signIn } from './dashboard-session.ts'
import { compare, inPlace, type Part, progress, running, speedOf } from './part.ts'
import { vacuum } from './resources.ts'
import { AT_ONCE, load, type Measured, SETTLED, startKarba, warmUpAll } from './servers.ts'

const SCREENS = 10
const PAYMENTS = 200

export const counter: Part = {
  name: 'counter',
  measure: ({ store, rounds, requests }) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, counter screens`, place), async (karba) => {
        await warmUpAll(karba)
        await vacuum(place)
        const session = await signIn(karba)
        progress(`${karba.name}: ${PAYMENTS} payments, one after the other, on a screen`)
        const delays = await measureDelays(karba, session)
        progress(`${karba.name}: creates with and without ${SCREENS} screens`)
        const settledLoad = async () => {
          const before = await karba.counter(SETTLED)
          const result = await load(karba, 'create', requests, { msisdn: AT_ONCE })
          await karba.hasCounted(SETTLED, before + requests)
          return result
        }
        const withScreens = async () => {
          const screens = await Promise.all(Array.from({ length: SCREENS }, () => openScreen(session)))
          try {
            return await settledLoad()
          } finally {
            for (const screen of screens) screen.close()
          }
        }
        const { ratio, last } = await compare(rounds, settledLoad, withScreens)
        const p95 = delays.toSorted((a, b) => a - b)[Math.floor(PAYMENTS * 0.95)] as number
        return [
          {
            what: `${store.name}: creates with ${SCREENS} counter screens, of those without`,
            ...{ value: ratio, detail: speedOf(last), atLeast: 0.9 },
          },
          {
            what: `${store.name}: p95 from the commit to the screen, in ms`,
            ...{
              value: p95,
              detail: `${PAYMENTS} payments, at most ${Math.max(...delays).toFixed(0)} ms`,
              atMost: 1_000,
            },
          },
        ]
      }),
    ),
}

interface Shown {
  publicReference: string
  at: number
}

async function openScreen(session: DashboardSession) {
  const leaving = new AbortController()
  /** When each payment came. */
  const seen = new Map<string, { at: number; seenAt: number }>()
  let isOpen = false
  const reading = (async () => {
    for await (const data of eventsOf(session, 'counter', leaving.signal)) {
      isOpen = true
      for (const { publicReference, at } of (JSON.parse(data) as { payments: Shown[] }).payments)
        seen.set(publicReference, { at, seenAt: Date.now() })
    }
  })().catch(() => {})
  await until('the list of the screen', () => isOpen)
  return {
    seen,
    close(): void {
      leaving.abort()
      void reading
    },
  }
}

/** Payments at random times: not in step with the looks of the server. */
async function measureDelays(karba: Measured, session: DashboardSession): Promise<number[]> {
  const screen = await openScreen(session)
  const before = new Set(screen.seen.keys())
  for (let count = 0; count < PAYMENTS; count++) {
    await load(karba, 'create', 1, { msisdn: AT_ONCE, connections: 1 })
    await pause(20 + ((count * 37) % 230))
  }
  await until('all payments on the screen', () => screen.seen.size >= before.size + PAYMENTS)
  screen.close()
  return [...screen.seen].filter(([reference]) => !before.has(reference)).map(([, { at, seenAt }]) => seenAt - at)
}
