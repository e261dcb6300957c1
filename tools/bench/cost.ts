// The cost of one payment: processor time of a create, a read, a settlement and a webhook, bytes on
// disk, bytes written. docs/scaling.md calculates machines from it. The simulated network runs in
// the process that settles, so settling costs less with real operators.
import { type Bench, inPlace, type Part, progress, running } from './part.ts'
import { type Figure, machineText, writeBlock } from './report.ts'
import { tableBytes, type Used, usedBy, vacuum } from './resources.ts'
import {
  type Costs,
  costTable,
  disksTable,
  machinesTable,
  type Step,
  stepsTable,
} from './scaling.ts'
import { load, type Measured, SETTLED, startKarba, WARM_UP_PAYMENTS, warmUp } from './servers.ts'
import { prepare, queueToEight, type Settings, type Store } from './stores.ts'

const COUNT = 20_000
const ATTEMPTED = 'karba_webhook_attempts_total'
const WARM_UP_SHARE = 0.25
const OF_SETTLING = ['payments', 'payment_story', 'events', 'ledger_entries']
const OF_WEBHOOKS = ['webhook_deliveries', 'webhook_attempts']

const measured: Costs[] = []

export const cost: Part = { name: 'cost', isLong: true, measure, finish }

async function measure({ store, bare }: Bench): Promise<Figure[]> {
  const costs = { ...(await costOfPayments(store)), ...(await costOfWebhooks(store, bare)) }
  const whole: Costs = {
    store: store.name,
    ...costs,
    bytes: { ...costs.bytes, ...costs.webhookBytes },
  }
  measured.push(whole)
  const steps = (['create', 'read', 'settle', 'webhook'] as const).map((name) => ({
    what: `${store.name}: processor time of one ${name}, µs`,
    value: whole[name].karbaUs + whole[name].storeUs,
    detail: `${Math.round(whole[name].storeUs)} of it in the database server, ${Math.round(whole[name].writtenBytes)} bytes written`,
  }))
  const bytes = Object.values(whole.bytes).reduce((sum, each) => sum + each, 0)
  const detail = Object.entries(whole.bytes).map(([table, each]) => `${table} ${Math.round(each)}`)
  return [
    ...steps,
    {
      what: `${store.name}: bytes on disk of one payment`,
      value: bytes,
      detail: detail.join(', '),
    },
  ]
}

const costOfPayments = (store: Store) =>
  inPlace(store, async (place) => {
    progress(`${store.name}: cost of creates and reads`)
    const { create, read, secretKey } = await running(
      startKarba(store.name, { ...place, KARBA_ROLE: 'api' }),
      async (api) => {
        await warmUp(api)
        const step = async (kind: 'create' | 'read') => {
          const before = await usedBy(api, place)
          await load(api, kind, COUNT)
          return stepOf(before, await usedBy(api, place), COUNT)
        }
        return { create: await step('create'), read: await step('read'), secretKey: api.secretKey }
      },
    )
    progress(`${store.name}: cost of settling`)
    const payments = WARM_UP_PAYMENTS + COUNT
    const settle = await drain(store, place, SETTLED, payments)
    const bytes = await bytesEach(place, OF_SETTLING, async () => {
      const again = startKarba(store.name, { ...place, KARBA_ROLE: 'api' }, secretKey)
      await running(again, (api) => load(api, 'create', COUNT))
      await drain(store, place, SETTLED, COUNT)
    })
    return { create, read, settle, bytes }
  })

const costOfWebhooks = (store: Store, bare: Measured) =>
  inPlace(store, async (place) => {
    progress(`${store.name}: cost of webhooks`)
    const queue = () =>
      prepare(place, (runtime) =>
        queueToEight(runtime, `http://127.0.0.1:${bare.port}/hook`, COUNT),
      )
    await queue()
    const webhook = await drain(store, place, ATTEMPTED, COUNT)
    const webhookBytes = await bytesEach(place, OF_WEBHOOKS, async () => {
      await queue()
      await drain(store, place, ATTEMPTED, COUNT)
    })
    return { webhook, webhookBytes }
  })

const drain = (store: Store, place: Settings, counter: string, waiting: number): Promise<Step> =>
  running(
    startKarba(store.name, { ...place, KARBA_ROLE: 'worker' }, 'none'),
    async (worker: Measured) => {
      await worker.hasCounted(counter, waiting * WARM_UP_SHARE)
      const [done, before] = [await worker.counter(counter), await usedBy(worker, place)]
      await worker.hasCounted(counter, waiting)
      return stepOf(before, await usedBy(worker, place), waiting - done)
    },
  )

function stepOf(before: Used, after: Used, count: number): Step {
  const each = (name: keyof Used): number => (after[name] - before[name]) / count
  return {
    karbaUs: each('karbaCpuSeconds') * 1e6,
    storeUs: each('storeCpuSeconds') * 1e6,
    writtenBytes: each('writtenBytes'),
    logBytes: each('logBytes'),
  }
}

/**
 * What the tables grow by when payments come again: in the long run, the space of older versions of
 * rows is reused.
 */
async function bytesEach(
  place: Settings,
  tables: readonly string[],
  comeAgain: () => Promise<void>,
): Promise<Record<string, number>> {
  await vacuum(place)
  const before = await tableBytes(place)
  await comeAgain()
  await vacuum(place)
  const after = await tableBytes(place)
  const growth = (table: string): number =>
    (after.get(table) as number) - (before.get(table) as number)
  return Object.fromEntries(tables.map((table) => [table, growth(table) / COUNT]))
}

function finish(): void {
  const [sqlite, postgres] = measured
  if (sqlite === undefined || postgres === undefined) {
    progress('docs/scaling.md is unchanged: only one store was measured')
    return
  }
  writeBlock('scaling.md', 'costs', [
    `Measured on ${machineText()}.`,
    '',
    ...costTable([sqlite, postgres]),
  ])
  writeBlock('scaling.md', 'disks', disksTable([sqlite, postgres]))
  writeBlock('scaling.md', 'machines', machinesTable(postgres))
  writeBlock('scaling.md', 'steps', stepsTable(sqlite, postgres))
}
