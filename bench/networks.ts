// Whole payments by a real network's connector, its simulator in a process of its own, relative to the simulated network's in the same form: both are
// accepted, called back about, and asked about once.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, progress } from './compare.ts'
import { type Bench, inPlace, type Part, running } from './part.ts'
import type { Figure } from './report.ts'
import { settledBetween } from './resources.ts'
import { load, type Measured, SETTLED, startKarba, startMtn } from './servers.ts'
import type { Settings } from './stores.ts'

const ORDERS = {
  simulated: { msisdn: '96123456', country: 'NE' },
  'mtn-momo': { msisdn: '97123456', country: 'BJ' },
} as const
type Network = keyof typeof ORDERS

const CREDENTIALS: Settings = {
  MTN_KEY: '6b61726b-6101-4c00-8000-0000000000c1',
  MTN_USER: 'c2ltdWxhdGVkLWNvbGxlY3Rpb24tdXNlcg==',
  MTN_API_KEY: 'simulated-collection-token',
}

export const networks: Part = {
  name: 'networks',
  measure: async (bench) => {
    const { store } = bench
    const mtn = await startMtn()
    const folder = mkdtempSync(join(tmpdir(), 'karba-bench-'))
    try {
      const file = { ...CREDENTIALS, KARBA_OPERATORS_FILE: writeFile(folder, mtn.url) }
      return await inPlace(store, (ofSimulated) =>
        running(
          startKarba(`${store.name}, simulated network`, { ...ofSimulated, KARBA_SANDBOX_DELAY_MS: '0' }),
          (simulated) =>
            inPlace(store, (ofReal) =>
              running(startKarba(`${store.name}, mtn-momo`, { ...ofReal, ...file }), async (real) => [
                await compare(bench, [simulated, ofSimulated], [real, ofReal]),
              ]),
            ),
        ),
      )
    } finally {
      await mtn.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

function writeFile(folder: string, address: string): string {
  const file = join(folder, 'operators.json')
  const many = { atOnce: 40, perSecond: 100_000 }
  const connection = {
    ...{ name: 'mtn-benin', connector: 'mtn-momo', address, limits: { request: many, status: many } },
    options: { subscriptionKey: { env: 'MTN_KEY' }, apiUser: { env: 'MTN_USER' }, apiKey: { env: 'MTN_API_KEY' } },
  }
  const routes = [{ operator: 'mtn_bj', connection: 'mtn-benin' }]
  writeFileSync(file, JSON.stringify({ sandbox: { connections: [connection], routes } }))
  return file
}

async function compare(
  { store, rounds, requests }: Bench,
  [simulated, ofSimulated]: [Measured, Settings],
  [real, ofReal]: [Measured, Settings],
): Promise<Figure> {
  for (const [server, network] of [
    [simulated, 'simulated'],
    [real, 'mtn-momo'],
  ] as const)
    await settle(server, network, requests)
  const ratios: number[] = []
  let speed = 0
  for (let round = 1; round <= rounds; round++) {
    progress(`${store.name}: settling by two networks, round ${round} of ${rounds}`)
    const usual = await speedOf(simulated, ofSimulated, 'simulated', requests)
    speed = await speedOf(real, ofReal, 'mtn-momo', requests)
    ratios.push(speed / usual)
  }
  const what = `${store.name}: settled by mtn-momo, of the simulated network`
  return { what, value: median(ratios), detail: `${Math.round(speed)} settled a second`, atLeast: 0.8 }
}

async function settle(server: Measured, network: Network, count: number): Promise<number> {
  const before = await server.counter(SETTLED)
  const { startedAt } = await load(server, 'create', count, ORDERS[network])
  await server.hasCounted(SETTLED, before + count)
  return startedAt
}

async function speedOf(server: Measured, place: Settings, network: Network, requests: number): Promise<number> {
  const startedAt = await settle(server, network, requests)
  const { count, last } = await settledBetween(place, startedAt, Date.now())
  return count / ((last - startedAt) / 1_000)
}
