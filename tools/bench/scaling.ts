// The tables of docs/scaling.md: machines, disk and money from the cost of one payment. Pure.
import { markdownTable } from './report.ts'

export interface Step {
  karbaUs: number
  /** Of PostgreSQL; SQLite runs inside the process. */
  storeUs: number
  writtenBytes: number
  logBytes: number
}

export interface Costs {
  store: string
  create: Step
  read: Step
  settle: Step
  webhook: Step
  bytes: Readonly<Record<string, number>>
}

/** Stated in docs/scaling.md too: change both. */
const READS_A_PAYMENT = 2
/** The average load of a core: the rest is for peaks and for costs that were not measured. */
const BUSY = 0.5
const MONTHS = 13
const SECONDS_A_MONTH = 30.4 * 86_400
const CORE_HOUR_USD = 0.03
const GB_MONTH_USD = 0.1
/** The database has a standby. */
const COPIES = 2
const RATES = [10, 100, 1_000] as const

const STEPS = ['create', 'read', 'settle', 'webhook'] as const
const times = (step: (typeof STEPS)[number]): number => (step === 'read' ? READS_A_PAYMENT : 1)
const total = (
  costs: Costs,
  part: keyof Step,
  steps: readonly (typeof STEPS)[number][] = STEPS,
): number => steps.reduce((sum, step) => sum + times(step) * costs[step][part], 0)

const bytesOnDisk = ({ bytes }: Costs): number =>
  Object.values(bytes).reduce((sum, each) => sum + each, 0)

interface Machines {
  apiCores: number
  workerCores: number
  storeCores: number
  diskGb: number
  walGbADay: number
  usdAMonth: number
}

/** For a sustained rate on PostgreSQL. Every process twice, so that one may fail. */
export function machinesFor(costs: Costs, perSecond: number): Machines {
  const cores = (us: number): number => (perSecond * us) / 1e6 / BUSY
  const apiCores = Math.max(2, Math.ceil(cores(total(costs, 'karbaUs', ['create', 'read']))))
  const workerCores = Math.max(2, Math.ceil(cores(total(costs, 'karbaUs', ['settle', 'webhook']))))
  const storeCores = COPIES * Math.max(1, Math.ceil(cores(total(costs, 'storeUs'))))
  const diskGb = (COPIES * perSecond * bytesOnDisk(costs) * MONTHS * SECONDS_A_MONTH) / 1e9
  const walGbADay = (perSecond * total(costs, 'writtenBytes') * 86_400) / 1e9
  const hours = SECONDS_A_MONTH / 3_600
  const usdAMonth =
    (apiCores + workerCores + storeCores) * hours * CORE_HOUR_USD + diskGb * GB_MONTH_USD
  return { apiCores, workerCores, storeCores, diskGb, walGbADay, usdAMonth }
}

/** Without -0. */
const whole = (value: number): string => (Math.round(value) || 0).toLocaleString('en')
/** Two significant digits: the assumptions allow no more. */
const rough = (value: number): string => {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1)
  return (Math.round(value / unit) * unit).toLocaleString('en')
}

export function costTable(all: readonly Costs[]): string[] {
  const heads = [
    'store',
    'step',
    'Karba, µs',
    'database server, µs',
    'written, bytes',
    'log, bytes',
  ]
  const rows = all.flatMap((costs) =>
    STEPS.map((step) => {
      const { karbaUs, storeUs, writtenBytes, logBytes } = costs[step]
      return [costs.store, step, ...[karbaUs, storeUs, writtenBytes, logBytes].map(whole)]
    }),
  )
  return markdownTable(heads, rows)
}

export function disksTable(all: readonly Costs[]): string[] {
  const tables = Object.keys((all[0] as Costs).bytes)
  const rows = tables.map((table) => [
    `\`${table}\``,
    ...all.map(({ bytes }) => whole(bytes[table] as number)),
  ])
  return markdownTable(
    ['bytes of one payment', ...all.map(({ store }) => store)],
    [...rows, ['together', ...all.map((costs) => whole(bytesOnDisk(costs)))]],
  )
}

export function machinesTable(postgres: Costs): string[] {
  const names: readonly [string, (machines: Machines) => string][] = [
    ['cores for processes that answer (`api`)', ({ apiCores }) => String(apiCores)],
    [
      'cores for processes that settle and deliver (`worker`)',
      ({ workerCores }) => String(workerCores),
    ],
    ['cores for PostgreSQL and its standby', ({ storeCores }) => String(storeCores)],
    ['disk for 13 months, both copies, GB', ({ diskGb }) => rough(diskGb)],
    ['write-ahead log a day, GB', ({ walGbADay }) => rough(walGbADay)],
    ['US$ a month, once the disk is full', ({ usdAMonth }) => rough(usdAMonth)],
  ]
  const machines = RATES.map((rate) => machinesFor(postgres, rate))
  return markdownTable(
    ['payments a second', ...RATES.map((rate) => rate.toLocaleString('en'))],
    names.map(([name, shown]) => [name, ...machines.map(shown)]),
  )
}

/** Payments a second at which one core reaches its average load. */
const dueAt = (us: number): string => rough((BUSY * 1e6) / us)

export function stepsTable(sqlite: Costs, postgres: Costs): string[] {
  const answering = total(postgres, 'karbaUs', ['create', 'read'])
  const settling = total(postgres, 'karbaUs', ['settle', 'webhook'])
  const gbAMonth = (perSecond: number): number =>
    (perSecond * bytesOnDisk(postgres) * SECONDS_A_MONTH) / 1e9
  return markdownTable(
    ['what is done', 'when it is due, payments a second'],
    [
      ['SQLite, one process: move to PostgreSQL', dueAt(total(sqlite, 'karbaUs'))],
      ['PostgreSQL, one process: workers to processes of their own', dueAt(answering + settling)],
      ['a second `worker` process, and one more for each time this much', dueAt(settling)],
      ['a second `api` process, and one more for each time this much', dueAt(answering)],
      [
        'a database server of four cores is busy to the half',
        rough((4 * BUSY * 1e6) / total(postgres, 'storeUs')),
      ],
      ['13 months no longer fit a disk of 2 TB', rough(2_000 / (MONTHS * gbAMonth(1)))],
    ],
  )
}
