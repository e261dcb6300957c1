// A world of the books: merchants with payments on the four networks for some days, and the
// networks' statements of these days with planted faults. A seed decides everything.
import type {
  ConformanceNetwork,
  PlantedFault,
  StatementFault,
  WireCallback,
} from '../../../simulators/src/network.ts'
import { setTariff } from '../../src/actions/books/tariffs.ts'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { Country } from '../../src/domain/countries/country.ts'
import { referenceOfUuid } from '../../src/domain/payments/reference.ts'
import { operatorRegistry, type PrefixRoute } from '../../src/operators/registry.ts'
import type { ConnectDeps, Connected } from '../../src/service/connect-operators.ts'
import { granted, TESTER } from '../kit/callers.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import { head, openTestService, order, postTo, type TestService } from '../kit/service.ts'
import { openWatchedStore } from '../kit/stores.ts'
import { type VirtualClock, virtualClock } from '../kit/virtual-clock.ts'
import { deliverByInject, directSend, type NetworkUnderTest } from '../networks/harness.ts'
import { AIRTEL, FEDAPAY, MTN, PAWAPAY } from '../networks/networks.ts'

/** The simulators' test environments count in other currencies, so the worlds are live. */
export const ENVIRONMENT = 'live'

interface NetworkKind {
  underTest: NetworkUnderTest
  operator: string
  country: Country
  pays: readonly string[]
  fails: readonly string[]
  /** How a payment fails, and is paid ten minutes later: the simulator's fault, or a number. */
  late: { fault: string } | { number: string }
  callbacks(url: string): object
  /** Whether a refund by API is in the statement's file. */
  refunds: boolean
  /** Whether each line of the file has the balance after it. */
  hasBalances: boolean
  /**
   * The faults that its file can show. FedaPay's export has no fees, no withheld money and no
   * refunds.
   */
  faults: readonly StatementFault[]
}

const EVERY: readonly StatementFault[] = [
  'repeated_line',
  'late_line',
  'missing_line',
  'wrong_fee',
  'withheld',
  'wrong_amount',
  'foreign_line',
  'refund_without_payment',
]

export const WAYS: Readonly<Record<string, NetworkKind>> = {
  'mtn-momo': {
    underTest: MTN,
    operator: 'mtn_bj',
    country: 'BJ',
    refunds: true,
    hasBalances: true,
    faults: EVERY,
    pays: ['0196123456', '+2290197112233'],
    fails: ['+2290197000001', '+2290197000002', '+2290197000004'],
    late: { fault: 'paid_after_failure' },
    callbacks: () => ({}),
  },
  pawapay: {
    underTest: PAWAPAY,
    operator: 'moov_bj',
    country: 'BJ',
    refunds: true,
    hasBalances: false,
    faults: EVERY,
    pays: ['0195112233', '+2290195345789'],
    fails: ['+2290195345679', '+2290195345639'],
    late: { fault: 'failed_then_completed' },
    callbacks: (url) => ({ callbackUrls: { DEPOSIT: url, REFUND: url } }),
  },
  fedapay: {
    underTest: FEDAPAY,
    operator: 'celtiis_bj',
    country: 'BJ',
    refunds: false,
    hasBalances: false,
    faults: ['repeated_line', 'late_line', 'missing_line', 'wrong_amount', 'foreign_line'],
    pays: ['+2290140112233', '+2290166000001'],
    fails: ['+2290166000002', '+2290166000003', '+2290166000009'],
    late: { number: '+2290166000005' },
    callbacks: (webhookUrl) => ({ webhookUrl }),
  },
  'airtel-money': {
    underTest: AIRTEL,
    operator: 'airtel_ne',
    country: 'NE',
    refunds: true,
    hasBalances: true,
    faults: EVERY,
    pays: ['96123456', '+22797112233'],
    fails: ['97000008', '97000007', '97000029'],
    late: { fault: 'fails_then_succeeds' },
    callbacks: (callbackUrl) => ({ callbackUrl }),
  },
}

/** The numbers with which FedaPay's simulator fails are MTN's. */
const PREFIXES: readonly PrefixRoute[] = [{ country: 'BJ', prefix: '66', operator: 'celtiis_bj' }]

export interface WorldNetwork extends NetworkKind {
  connection: string
  network: ConformanceNetwork
}

/** A file of a network for some days, as a person downloads it. */
export interface StatementFile {
  connection: string
  name: string
  bytes: Uint8Array
}

/** A planted fault of a connection, with the reference by which the books know it. */
export interface WorldFault extends PlantedFault {
  connection: string
}

export interface BooksWorld {
  service: TestService
  clock: VirtualClock
  random: SeededRandom
  networks: readonly WorldNetwork[]
  accounts: readonly NewAccount[]
  /** One file for each day, and other files of the same days. */
  daily: StatementFile[]
  longer: StatementFile[]
  faults: WorldFault[]
  orders: number
  /** Payments that get no fault. */
  faultless: Set<string>
  /** The end of the last day with a file. */
  coveredTo: number
  /** Files whose balances do not add up: each must be refused. */
  unbalanced: StatementFile[]
  /** Imports the files of a day while the payments go on; undefined to import them later. */
  importDay: ((files: readonly StatementFile[]) => Promise<void>) | undefined
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** Midnight in Niamey and Porto-Novo, before the clock's start. */
const FIRST_DAY = Date.UTC(2026, 10, 14, 23)
/** pawaPay's data is 20 minutes behind. */
const DOWNLOADED_AFTER_MS = 30 * MINUTE_MS

/** Payers decide after two seconds, and the network calls back. */
const DECIDED_WITHIN_MS = 6_000

const startOf = (day: number): number => FIRST_DAY + day * DAY_MS

interface WorldWishes {
  startAt?: number
  /** All networks, and one account, whose wallets they are. */
  isWhole?: boolean
}

export async function openWorld(
  random: SeededRandom,
  { startAt, isWhole = false }: WorldWishes = {},
): Promise<BooksWorld> {
  const clock = virtualClock(startAt)
  const drawn = Object.entries(WAYS).filter(() => isWhole || random.percent(60))
  const ways = drawn.length === 0 ? [random.pick(Object.entries(WAYS))] : drawn
  const deliver = (callback: WireCallback) => deliverByInject(service, callback)
  const networks = ways.map(([connection, way]): WorldNetwork => {
    const url = `https://karba.example/operators/${ENVIRONMENT}/${connection}/callback`
    const deps = { clock, random: random.fork(), decideAfterMs: 2_000, sendCallback: deliver }
    const more = { ...way.callbacks(url), settlesDaily: random.percent(70) }
    return { ...way, connection, network: way.underTest.makeNetwork(deps, more) }
  })

  async function connect({
    config,
    random: own,
    isPaused = () => false,
    refusals,
  }: ConnectDeps): Promise<Connected> {
    const { operatorTimeoutMs: timeoutMs } = config
    const connected = networks.map(({ connection, underTest, network, operator: prompted }) => {
      const made = underTest.connector.connect(
        {
          name: connection,
          environment: ENVIRONMENT,
          clock,
          random: own,
          deadlineMs: timeoutMs,
          send: directSend(network, { clock, timeoutMs }),
          callbackUrl: (reference) =>
            `https://karba.example/operators/${ENVIRONMENT}/${connection}/callback/${reference}`,
        },
        underTest.options(network),
      )
      return {
        environment: ENVIRONMENT,
        operator: made.operator,
        prompts: [prompted],
        pages: [],
      } as const
    })
    return {
      operators: operatorRegistry(connected, PREFIXES, (key) => !isPaused(key), refusals),
      close: async () => {},
    }
  }

  const openStore = (config: TestService['config']) => openWatchedStore(config, clock)
  const service = await openTestService(
    undefined,
    {},
    { connect, clock, random: random.fork(), openStore },
  )
  const accounts: NewAccount[] = []
  for (let count = isWhole ? 1 : random.between(1, 3); count > 0; count--)
    accounts.push((await service.merchant()).accounts.live)
  return {
    service,
    clock,
    random,
    networks,
    accounts,
    daily: [],
    longer: [],
    faults: [],
    orders: 0,
    faultless: new Set(),
    coveredTo: 0,
    unbalanced: [],
    importDay: undefined,
  }
}

/**
 * The most days with faults. Three days later each network has one more day, so that missing lines
 * are due.
 */
const MOST_DAYS = 4
const DAYS_UNTIL_DUE = 3

/** `importer`: imports the files of each day as soon as they are there. */
export async function playWorld(
  random: SeededRandom,
  importer?: (world: BooksWorld, files: readonly StatementFile[]) => Promise<void>,
): Promise<BooksWorld> {
  const world = await openWorld(random)
  world.importDay = importer && ((files) => importer(world, files))
  const { networks, clock } = world
  await setTariffs(world)
  const days = random.between(2, MOST_DAYS)
  for (let day = 0; day < days; day++) {
    await startDay(world)
    for (let bursts = random.between(1, 2); bursts > 0; bursts--) {
      await takePayments(world)
      await clock.sleep(random.between(30, 90) * MINUTE_MS)
      await giveRefunds(world)
    }
    await endDay(world, day, true)
  }
  const last = days - 1 + DAYS_UNTIL_DUE
  await sleepUntil(world, startOf(last) + 10 * 60 * MINUTE_MS)
  await startDay(world)
  for (let day = days; day <= last; day++) await endDay(world, day, false)
  for (const network of networks) downloadLonger(world, network, last)
  await unbalanceDay(world, last + 1)
  // Undecided payments end, and their lines are judged again.
  for (let hours = 0; hours < 4; hours++) await clock.sleep(60 * MINUTE_MS)
  return world
}

export async function setTariffs({ networks, service }: BooksWorld): Promise<void> {
  for (const { connection, network } of networks) {
    const tariff = { ...network.tariff, fromDay: 0 }
    const key = { environment: ENVIRONMENT, connection } as const
    granted(await setTariff({ ...service, isConnected: () => true }, TESTER, { ...key, ...tariff }))
  }
}

/** A day whose balances do not add up, at the networks whose lines have a balance. */
async function unbalanceDay(world: BooksWorld, day: number): Promise<void> {
  const networks = world.networks.filter(({ hasBalances }) => hasBalances)
  await sleepUntil(world, startOf(day) + 60 * MINUTE_MS)
  for (const way of networks) await pay(world, way, world.random.pick(way.pays))
  await world.clock.sleep(MINUTE_MS)
  for (const way of networks) {
    const reference = await pay(world, way, world.random.pick(way.pays))
    await world.clock.sleep(MINUTE_MS)
    way.network.plant({ kind: 'balance_off', reference: bookedId(way.network, reference) ?? '' })
    const { bytes } = way.network.statement({ from: startOf(day), to: startOf(day + 1) })
    world.unbalanced.push({ connection: way.connection, name: `${way.connection}-off.csv`, bytes })
  }
}

const MOST_DAYS_IN_FILE = 3

/** The same days again, up to three in a file. */
function downloadLonger(
  { random, longer }: BooksWorld,
  { connection, network }: WorldNetwork,
  last: number,
): void {
  for (let from = 0; from <= last; ) {
    const to = Math.min(from + random.between(1, MOST_DAYS_IN_FILE), last + 1)
    const { bytes } = network.statement({ from: startOf(from), to: startOf(to) })
    longer.push({ connection, name: `${connection}-${from}-to-${to - 1}.csv`, bytes })
    from = to
  }
}

const sleepUntil = async ({ clock }: BooksWorld, at: number): Promise<void> => {
  if (at > clock.now()) await clock.sleep(at - clock.now())
}

export async function pay(
  world: BooksWorld,
  { country }: NetworkKind,
  msisdn: string,
): Promise<string> {
  const { service, accounts, random } = world
  const { secretKey } = random.pick(accounts)
  const body = order({
    amount: random.between(100, 50_000),
    country,
    msisdn,
    transaction_id: `o-${++world.orders}`,
  })
  const { code, body: answer } = await postTo(service, '/api/v1/payments', head(secretKey), body)
  if (code !== 200) throw new Error(`a payment was refused: ${JSON.stringify(answer)}`)
  return answer.reference as string
}

/** One payment without a fault at each connection, so that its statement begins on this day. */
async function startDay(world: BooksWorld): Promise<void> {
  for (const { network } of world.networks) network.faults.allOff()
  for (const way of world.networks)
    world.faultless.add(await pay(world, way, world.random.pick(way.pays)))
  await world.clock.advance(DECIDED_WITHIN_MS)
}

async function takePayments(world: BooksWorld): Promise<void> {
  const { networks, random, clock } = world
  for (const way of networks) {
    for (let count = random.between(1, 5); count > 0; count--) {
      await pay(world, way, random.pick(random.percent(80) ? way.pays : way.fails))
    }
    if (!random.percent(20)) continue
    if ('fault' in way.late) way.network.faults.on(way.late.fault, 1)
    await pay(world, way, 'fault' in way.late ? random.pick(way.pays) : way.late.number)
  }
  await clock.advance(DECIDED_WITHIN_MS)
  // Payers that decide after minutes, and late money.
  for (let times = 0; times < 2; times++) await clock.sleep(8 * MINUTE_MS)
}

interface PaymentRow {
  reference: string
  status: string
  connection: string
}

const listPayments = ({ service }: BooksWorld, status: string): Promise<PaymentRow[]> =>
  service.db.read<PaymentRow>(
    `select reference, status, connection from payments where status = :status
      order by account_id, number`,
    { status },
  )

export async function giveRefunds(world: BooksWorld): Promise<void> {
  const { random, service, networks, clock } = world
  const canRefund = new Set(
    networks.filter(({ refunds }) => refunds).map(({ connection }) => connection),
  )
  const paid = (await listPayments(world, 'succeeded')).filter(({ connection }) =>
    canRefund.has(connection),
  )
  for (const { reference: name } of paid)
    if (random.percent(8)) await refundPayment(service, TESTER, { name })
  await clock.advance(DECIDED_WITHIN_MS)
  await clock.sleep(MINUTE_MS)
}

/** Our reference of a payment in the network's books. */
export const ourReference = ({
  clientReference,
  reference,
}: Pick<PlantedFault, 'clientReference' | 'reference'>) =>
  referenceOfUuid(clientReference) ?? (clientReference === '' ? reference : clientReference)

/** Plants the day's faults, and downloads the statements. */
async function endDay(world: BooksWorld, day: number, hasFaults: boolean): Promise<void> {
  if (hasFaults) await payAtMidnight(world, day)
  await sleepUntil(world, startOf(day + 1) + DOWNLOADED_AFTER_MS)
  const { networks, random, daily, faults } = world
  const already = daily.length
  world.coveredTo = startOf(day + 1)
  const paid = hasFaults ? await listPayments(world, 'succeeded') : []
  for (const { connection, network, faults: kinds } of networks) {
    const own = paid.filter(
      (each) => each.connection === connection && !world.faultless.has(each.reference),
    )
    for (let count = own.length === 0 ? 0 : random.between(0, 3); count > 0; count--) {
      const { reference } = random.pick(own)
      const fault = network.plant({
        kind: random.pick(kinds),
        reference: bookedId(network, reference) ?? '',
      })
      if (fault !== undefined) faults.push({ ...fault, connection })
    }
    const { bytes } = network.statement({ from: startOf(day), to: startOf(day + 1) })
    daily.push({ connection, name: `${connection}-${day}.csv`, bytes })
  }
  await world.importDay?.(daily.slice(already))
}

/** Airtel tells the outcome two hours later: the statement comes first. */
async function payAtMidnight(world: BooksWorld, day: number): Promise<void> {
  const airtel = world.networks.find(({ connection }) => connection === 'airtel-money')
  if (airtel === undefined || !world.random.percent(40)) return
  await sleepUntil(world, startOf(day + 1) - 10 * MINUTE_MS)
  airtel.network.faults.on('ambiguous_for_two_hours')
  await pay(world, airtel, world.random.pick(airtel.pays))
  await world.clock.advance(DECIDED_WITHIN_MS)
}

/** What the network calls a payment of ours. */
export const bookedId = (network: ConformanceNetwork, reference: string): string | undefined =>
  network
    .books()
    .find((each) => [each.id, each.clientReference].some((id) => isSame(id, reference)))?.id

const isSame = (id: string, reference: string): boolean =>
  id === reference || referenceOfUuid(id) === reference
