// Ten open dashboards at one account: creates with them relative to creates without them. Each loads the first page, a
// filtered list and a payment, stays on one of them, and reads it again whenever the server says that it changed
// (dashboard/src/api/account.ts).
import { type DashboardSession, eventsOf, signIn } from './dashboard-session.ts'
import { compare, inPlace, type Part, progress, running, speedOf } from './part.ts'
import { vacuum } from './resources.ts'
import { AT_ONCE, load, SETTLED, startKarba, warmUpAll } from './servers.ts'

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
        const settledLoad = async () => {
          const before = await karba.counter(SETTLED)
          const result = await load(karba, 'create', requests, { msisdn: AT_ONCE })
          await karba.hasCounted(SETTLED, before + requests)
          return result
        }
        let reads = 0
        let seconds = 0
        const withDashboards = async () => {
          const open = await Promise.all(sessions.map((session, nth) => openDashboard(session, nth)))
          const startedAt = performance.now()
          try {
            return await settledLoad()
          } finally {
            seconds += (performance.now() - startedAt) / 1_000
            for (const dashboard of open) reads += dashboard.close()
          }
        }
        const { ratio, last } = await compare(rounds, settledLoad, withDashboards)
        return [
          {
            what: `${store.name}: creates with ${DASHBOARDS} open dashboards, of those without`,
            ...{
              value: ratio,
              detail: `${speedOf(last)}, ${(reads / seconds).toFixed(1)} reads a second`,
              atLeast: 0.9,
            },
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
  [
    ['payments?status=succeeded', ['payments', 'deliveries']],
    ['payment-sum?status=succeeded', []],
  ],
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
  const following = (async () => {
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
  })().catch(() => {})
  return {
    close(): number {
      leaving.abort()
      void following
      return reads
    },
  }
}
