// Finding a payment among many, relative to few: a page of the search with its count and sum, as
// the dashboard asks for it. Also the bytes and the time that the index takes for one payment.
import { setTimeout as pause } from 'node:timers/promises'
import type { PaymentsBody } from '../../server/src/dashboard-api/shapes.ts'
import { paymentSummariser } from '../../server/src/worker/summarise-payments.ts'
import { fillPlace, type Shop } from './filled-payments.ts'
import { type Bench, inPlace, median, type Part, progress, running } from './part.ts'
import type { Figure } from './report.ts'
import { tableBytes } from './resources.ts'
import { type DashboardSession, type Measured, signIn, startKarba } from './servers.ts'
import { prepare, type Settings, type Store } from './stores.ts'

const FEW = 10_000
const MANY = 1_000_000
const ROUNDS = 60
const WARM_UP = 15
/** Before a request to each server. The dashboard answers 50 a second to one address. */
const PAUSE_MS = 40
const AT_MOST = { ratio: 3, SQLite: 120, PostgreSQL: 250 }

/** Numbers of payers in no order, names of some hundred people, orders as shops number them. */
const SHOP: Shop = {
  msisdn: 'cast(22796000000 + (i * 7919) % 1000000 as text)',
  customerName: `substr('moussaibrahimfatoumatahadizasalifouzeinabou',
      cast(1 + i * 31 % 39 as int), 5) || ' ' ||
      substr('diallotouremaigaissakyacoubahamidouseyni', cast(1 + i * 17 % 36 as int), 5)`,
  externalReference: "'CMD-' || substr(cast(10000000 + i as text), 2)",
}

const numberOf = (n: number): string => String(96_000_000 + ((n * 7_919) % 1_000_000))
const orderOf = (n: number): string => String(10_000_000 + n).slice(1)

/** What is looked for, for a payment that both stores have. */
const SEARCHES: Record<string, (n: number) => string> = {
  'the last 4 digits of a number': (n) => numberOf(n).slice(-4),
  'the last 6 digits of a number': (n) => numberOf(n).slice(-6),
  'a whole number': numberOf,
  '4 digits of an order': (n) => orderOf(n).slice(-4),
  '5 digits of an order': (n) => orderOf(n).slice(-5),
  '6 digits of an order': (n) => orderOf(n).slice(-6),
  'an amount': (n) => String(500 + (n % 97) * 100),
  'a name': (n) => 'moussaibrahimfatoumata'.slice(n % 17, (n % 17) + 5),
  'a name and 4 digits': (n) => `${nameOf(n)} ${numberOf(n).slice(-4)}`,
  'nothing that is there': (n) => `9999${String(n).padStart(4, '0')}77`,
}
const nameOf = (n: number): string => {
  const names = 'moussaibrahimfatoumatahadizasalifouzeinabou'
  return names.slice((n * 31) % 39, ((n * 31) % 39) + 5)
}

export const search: Part = { name: 'search', isLong: true, measure }

function measure({ store, most }: Bench): Promise<Figure[]> {
  const size = Math.min(most, MANY)
  return inPlace(store, (ofFew) =>
    inPlace(store, async (ofMany) => {
      const few = await fillAndIndex(store, ofFew, FEW)
      const many = await fillAndIndex(store, ofMany, size)
      return running(few.start(), (serverOfFew) =>
        running(many.start(), async (serverOfMany) => {
          const sessions = {
            few: await few.signIn(serverOfFew),
            many: await many.signIn(serverOfMany),
          }
          const figures: Figure[] = []
          for (const [what, textOf] of Object.entries(SEARCHES))
            figures.push(await compareSearch(store, size, what, textOf, sessions))
          const bytes = (await tableBytes(ofMany)).get('payment_search') as number
          const each = {
            value: bytes / size,
            detail: `${Math.round(many.indexingUs)} µs to index it`,
          }
          const what = `${store.name}: bytes of the index for one payment`
          return [...figures, { what, ...each, atMost: AT_MOST[store.name] }]
        }),
      )
    }),
  )
}

/** Payments of the demo merchant, whose owner signs in. */
async function fillAndIndex({ name }: Store, place: Settings, size: number) {
  progress(`${name}: writing ${size.toLocaleString('en')} payments`)
  const { printed, secretKey } = await running(startKarba(name, place), async (first) => first)
  const accountId = /sandbox +(acc_\w+)/.exec(printed)?.[1] as string
  await fillPlace(place, size, SHOP, { accountId, secretKey })
  progress(`${name}: indexing them`)
  const indexingUs = await prepare(place, async ({ db, clock }) => {
    const startedAt = performance.now()
    const round = paymentSummariser(db, clock, () => false)
    while (await round());
    return ((performance.now() - startedAt) * 1_000) / size
  })
  return {
    indexingUs,
    start: () => startKarba(name, place, secretKey),
    signIn: ({ port }: Measured) => signIn({ port, printed }),
  }
}

/** The payments looked for are among the first, which both stores have. */
async function compareSearch(
  store: Store,
  size: number,
  what: string,
  textOf: (n: number) => string,
  sessions: Record<'few' | 'many', DashboardSession>,
): Promise<Figure> {
  progress(`${store.name}: search for ${what}`)
  const times = { few: [] as number[], many: [] as number[] }
  let found = 0
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    await pause(PAUSE_MS)
    const text = textOf((Math.abs(round) * 7_919) % FEW)
    for (const name of ['few', 'many'] as const) {
      const startedAt = performance.now()
      const { rows, sum } = await askFor(sessions[name], text)
      if (round >= 0) times[name].push(performance.now() - startedAt)
      if (rows.length > 0 !== sum.count > 0)
        throw new Error(`${text}: ${rows.length} of ${sum.count}`)
      if (name === 'many' && round >= 0) found += sum.count / ROUNDS
    }
  }
  const [ofFew, ofMany] = [median(times.few), median(times.many)]
  return {
    what: `${store.name}: search for ${what} in ${size.toLocaleString('en')}, of in ${FEW.toLocaleString('en')}`,
    value: ofMany / ofFew,
    detail: `${ofMany.toFixed(2)} ms of ${ofFew.toFixed(2)} ms, ${found.toFixed(0)} found`,
    atMost: AT_MOST.ratio,
  }
}

/** As the page asks. */
async function askFor(
  { account, cookie }: DashboardSession,
  text: string,
): Promise<PaymentsBody & { sum: object }> {
  const answer = await fetch(`${account}/payments?search=${encodeURIComponent(text)}`, {
    headers: { cookie },
  })
  if (answer.status !== 200) throw new Error(`the search answered ${answer.status}`)
  return (await answer.json()) as PaymentsBody & { sum: object }
}
