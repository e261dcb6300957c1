// Ten counter screens at one account, and ten open dashboards: creates with them relative to
// creates without them; and the time from the commit of a success to its row on a screen.
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../server/test/kit/waiting.ts'
import { compare, inPlace, type Part, perSecond, progress, running, speedOf } from './part.ts'
import { vacuum } from './resources.ts'
import {
  AT_ONCE,
  type DashboardSession,
  eventsOf,
  load,
  type Measured,
  SETTLED,
  signIn,
  startKarba,
  warmUpAll,
} from './servers.ts'

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
        const open = () => Promise.all(Array.from({ length: SCREENS }, () => openScreen(session)))
        const { ratioOf, last } = await compareOpen(karba, { rounds, requests }, open)
        const p95 = delays.toSorted((a, b) => a - b)[Math.floor(PAYMENTS * 0.95)] as number
        return [
          {
            what: `${store.name}: creates with ${SCREENS} counter screens, of those without`,
            value: ratioOf(perSecond),
            detail: speedOf(last),
            atLeast: 0.9,
          },
          {
            what: `${store.name}: p95 from the commit to the screen, in ms`,
            value: p95,
            detail: `${PAYMENTS} payments, at most ${Math.max(...delays).toFixed(0)} ms`,
            atMost: 1_000,
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
  const follow = async (): Promise<void> => {
    for await (const data of eventsOf(session, 'counter', leaving.signal)) {
      isOpen = true
      for (const { publicReference, at } of (JSON.parse(data) as { payments: Shown[] }).payments)
        seen.set(publicReference, { at, seenAt: Date.now() })
    }
  }
  void follow().catch(() => {})
  await until('the list of the screen', () => isOpen)
  return { seen, close: () => leaving.abort() }
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
  return [...screen.seen]
    .filter(([reference]) => !before.has(reference))
    .map(([, { at, seenAt }]) => seenAt - at)
}

// Each dashboard loads the first page, a filtered list and a payment, stays on one of them, and
// reads it again whenever the server says that it changed (dashboard/src/api/account.ts).

const DASHBOARDS = 10
/** As in the page. */
const TOGETHER_MS = 50

export const dashboards: Part = {
  name: 'dashboards',
  measure: ({ store, rounds, requests }) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, dashboards`, place), async (karba) => {
        await warmUpAll(karba)
        await vacuum(place)
        const sessions = [await signIn(karba)]
        while (sessions.length < DASHBOARDS) sessions.push(await signIn(karba))
        progress(`${karba.name}: creates with and without ${DASHBOARDS} dashboards`)
        const open = () => Promise.all(sessions.map((session, nth) => openDashboard(session, nth)))
        const { ratioOf, last, closed, seconds } = await compareOpen(
          karba,
          { rounds, requests },
          open,
        )
        const reads = closed.reduce((sum, each) => sum + each, 0)
        return [
          {
            what: `${store.name}: creates with ${DASHBOARDS} open dashboards, of those without`,
            value: ratioOf(perSecond),
            detail: `${speedOf(last)}, ${(reads / seconds).toFixed(1)} reads a second`,
            atLeast: 0.9,
          },
        ]
      }),
    ),
}

/** The reads of each page, and after which changes it reads them again. */
const pagesOf = (reference: string): [path: string, parts: readonly string[]][][] => [
  [
    ['home?days=30', ['payments', 'home']],
    ['money', ['payments']],
  ],
  [['payments?status=succeeded', ['payments', 'deliveries']]],
  [[`payments/${reference}`, ['payments', 'deliveries']]],
]

async function openDashboard(session: DashboardSession, nth: number) {
  const { account, cookie } = session
  const leaving = new AbortController()
  let reads = 0
  const read = async <Body>(path: string, signal: AbortSignal): Promise<Body> => {
    const answer = await fetch(`${account}/${path}`, { headers: { cookie }, signal })
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    reads++
    return (await answer.json()) as Body
  }
  const { rows } = await read<{ rows: { reference: string }[] }>('payments', leaving.signal)
  const pages = pagesOf(rows[0]?.reference as string)
  for (const page of pages) await Promise.all(page.map(([path]) => read(path, leaving.signal)))
  const shown = pages[nth % pages.length] as (typeof pages)[number]
  const follow = async (): Promise<void> => {
    const changed = new Set<string>()
    for await (const data of eventsOf(session, 'live', leaving.signal)) {
      if (changed.size === 0) setTimeout(readChanged, TOGETHER_MS)
      changed.add((JSON.parse(data) as { changed: string }).changed)
    }
    function readChanged(): void {
      const paths = shown.filter(([, parts]) => parts.some((part) => changed.has(part)))
      changed.clear()
      for (const [path] of paths) void read(path, leaving.signal).catch(() => {})
    }
  }
  void follow().catch(() => {})
  return {
    close(): number {
      leaving.abort()
      return reads
    },
  }
}

/**
 * Creates until they are settled, with the opened pages and without; what closing each of them
 * returned.
 */
async function compareOpen<Result>(
  karba: Measured,
  { rounds, requests }: { rounds: number; requests: number },
  open: () => Promise<{ close(): Result }[]>,
) {
  const closed: Result[] = []
  let seconds = 0
  const settledLoad = async () => {
    const before = await karba.counter(SETTLED)
    const result = await load(karba, 'create', requests, { msisdn: AT_ONCE })
    await karba.hasCounted(SETTLED, before + requests)
    return result
  }
  const loadWithPages = async () => {
    const pages = await open()
    const startedAt = performance.now()
    try {
      return await settledLoad()
    } finally {
      seconds += (performance.now() - startedAt) / 1_000
      for (const page of pages) closed.push(page.close())
    }
  }
  return { ...(await compare(rounds, settledLoad, loadWithPages)), closed, seconds }
}
