// The books of one merchant at four networks over 29 February, with nights of payments around
// midnight, refunds, planted faults, late money, differences closed with each reason, and imports
// in another order and again. Every figure is recomputed from the rows of the store by code of its
// own. With KARBA_PROVE_SCALE=1 it makes 1,600 payments.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { closeDifference, readClosingChoice } from '../../src/actions/books/close-difference.ts'
import { listExceptions } from '../../src/actions/books/exceptions.ts'
import { importStatement } from '../../src/actions/books/import-statement.ts'
import { acceptLateMoney, listLatestAnomalies } from '../../src/actions/payments/anomalies.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { CLOSING_REASON_NAMES } from '../../src/domain/books/closing-reason.ts'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { dayOf, dayText, startOfDay } from '../../src/domain/countries/business-day.ts'
import { isRefused } from '../../src/domain/refusals/refusal.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { getFrom } from '../kit/service.ts'
import { tried, tries } from '../kit/tries.ts'
import { importFile } from './run-world.ts'
import {
  type BooksWorld,
  bookedId,
  giveRefunds,
  openWorld,
  pay,
  type StatementFile,
  setTariffs,
} from './world.ts'

const PAYMENTS = tries(200, 1_600)
const FIRST = dayOf(Date.UTC(2028, 1, 26, 12))
const DAYS = 7
const MINUTE_MS = 60_000
const NOTE = 'Asked the network.'

const until = async ({ clock }: BooksWorld, at: number): Promise<void> => {
  if (at > clock.now()) await clock.sleep(at - clock.now())
}

async function payOnce(world: BooksWorld, nth: number): Promise<void> {
  for (const way of world.networks) {
    const isLate = nth === 1
    if (isLate && 'fault' in way.late) way.network.faults.on(way.late.fault, 1)
    const lateNumbers = 'number' in way.late ? [way.late.number] : way.pays
    const others = nth % 10 === 9 ? way.fails : way.pays
    await pay(world, way, world.random.pick(isLate ? lateNumbers : others))
  }
  await world.clock.advance(200)
}

/** Half of the payments by day, and half in the seconds around the midnight after it. */
async function playDay(world: BooksWorld, day: number): Promise<void> {
  const each = Math.ceil(PAYMENTS / DAYS / world.networks.length / 2)
  await until(world, startOfDay(day) + 12 * 60 * MINUTE_MS)
  for (let nth = 0; nth < each; nth++) await payOnce(world, nth)
  for (let times = 0; times < 4; times++) await world.clock.sleep(8 * MINUTE_MS)
  for (const { network } of world.networks) network.faults.allOff()
  await giveRefunds(world)
  await until(world, startOfDay(day + 1) - each * 100)
  for (let nth = 2; nth < each + 2; nth++) await payOnce(world, nth)
  await world.clock.sleep(MINUTE_MS)
}

async function plantFaults(world: BooksWorld, day: number): Promise<void> {
  const paid = await world.service.db.read<{ reference: string; connection: string }>(
    `select reference, connection from payments where status = 'succeeded'
      and validated_at >= :validatedAt order by number`,
    { validatedAt: startOfDay(day) },
  )
  for (const { connection, network, faults } of world.networks) {
    const own = paid.filter((each) => each.connection === connection)
    for (const [nth, kind] of faults.entries()) {
      const reference = own[nth]?.reference
      const id = reference === undefined ? undefined : bookedId(network, reference)
      if (id !== undefined && (nth + day) % 2 === 0) network.plant({ kind, reference: id })
    }
  }
}

const download = ({ networks }: BooksWorld, day: number): StatementFile[] =>
  networks.map(({ connection, network }) => ({
    connection,
    name: `${connection}-${day}.csv`,
    bytes: network.statement({ from: startOfDay(day), to: startOfDay(day + 1) }).bytes,
  }))

async function work({ clock }: BooksWorld): Promise<void> {
  for (let minutes = 0; minutes < 3; minutes++) {
    await clock.sleep(MINUTE_MS)
    await clock.advance(3_000)
  }
}

/** Each reason as often as it is offered least. */
async function closeAll({ service }: BooksWorld): Promise<Map<string, number>> {
  const used = new Map<string, number>(CLOSING_REASON_NAMES.map((name) => [name, 0]))
  for (const { exceptionId } of (await listExceptions(service, TESTER)).rows) {
    const { reasons } = granted(await readClosingChoice(service, TESTER, { exceptionId }))
    const least = reasons.toSorted((a, b) => (used.get(a) ?? 0) - (used.get(b) ?? 0))
    // One line alone is a withdrawal.
    const reason =
      reasons.find((each) => each === 'owner_withdrawal' && used.get(each) === 0) ?? least[0]
    granted(await closeDifference(service, TESTER, { exceptionId, reason, note: NOTE }))
    if (reason !== undefined) used.set(reason, (used.get(reason) ?? 0) + 1)
  }
  return used
}

/** The owner took money out of the wallet: no simulated network has such a line. */
async function importWithdrawal({ service }: BooksWorld): Promise<void> {
  const at = startOfDay(FIRST + 1) + 15 * 60 * MINUTE_MS
  const line: StatementLine = {
    line: 1,
    bookedAt: at,
    day: FIRST + 1,
    type: 'other',
    amountXof: -700,
    feeXof: 0,
    taxXof: 0,
    balanceXof: null,
    networkReference: 'OWNER-1',
    ourReference: '',
    counterparty: '',
    text: 'Retrait',
  }
  const days = { firstDay: FIRST + 1, lastDay: FIRST + 1, firstAt: at, lastAt: at }
  const totals = { lines: 1, openingXof: null, closingXof: null, ...days }
  const lines = (async function* () {
    yield line
  })()
  const file = {
    environment: 'live',
    connection: 'fedapay',
    name: 'owner.csv',
    sha256: 'owner',
    bytes: 1,
  } as const
  granted(
    await importStatement({ ...service, isConnected: () => true }, TESTER, {
      ...file,
      totals,
      lines,
      isDryRun: false,
    }),
  )
}

interface Row {
  connection: string
  day: number
  kind: string
  debit: string
  credit: string
  amount: number
  number: number | null
  refund: string | null
  line: number | null
}

const total = (rows: readonly Row[], account: string): number =>
  rows.reduce(
    (sum, { debit, credit, amount }) =>
      sum + (debit === account ? amount : 0) - (credit === account ? amount : 0),
    0,
  )

/** Compared, and the wrong ones by name. */
function figures() {
  const wrong: string[] = []
  let compared = 0
  return {
    wrong,
    count: () => compared,
    equal(about: string, found: unknown, expected: unknown): void {
      compared++
      if (found !== expected) wrong.push(`${about}: ${found}, and not ${expected}`)
    },
  }
}

type Figures = ReturnType<typeof figures>

const readRows = ({ service }: BooksWorld): Promise<Row[]> =>
  service.db.read<Row>(
    `select connection, day, kind, debit, credit, amount_xof as amount, number, refund_reference
      as refund,
       line_number as line from ledger_entries order by account_id, entry`,
  )

/** A payment is to be received or was settled, and a failed one is in no place. */
async function comparePayments(
  { service }: BooksWorld,
  rows: readonly Row[],
  { equal }: Figures,
): Promise<void> {
  const of = Map.groupBy(rows, ({ number }) => number)
  const payments = await service.db.read<{
    number: number
    status: string
    amount: number
    refunded: number
  }>(`select number, status, amount_xof as amount, refunded_xof as refunded from payments`)
  for (const { number, status, amount, refunded } of payments) {
    const own = of.get(number) ?? []
    const isPaid = status === 'succeeded' || status === 'refunded'
    equal(`sold by ${number}`, -total(own, 'sales'), isPaid ? amount : 0)
    const givenBack = status === 'refunded' ? amount : refunded
    equal(`given back of ${number}`, total(own, 'refunds'), isPaid ? givenBack : 0)
    const owed = total(
      own.filter(({ refund }) => refund === null),
      'receivable',
    )
    equal(`place of ${number}`, owed === 0 || (isPaid && owed === amount), true)
  }
}

async function compareLines(
  { service }: BooksWorld,
  rows: readonly Row[],
  { equal }: Figures,
): Promise<void> {
  const of = Map.groupBy(rows, ({ connection, line }) => `${connection} ${line}`)
  const lines = await service.db.read<{
    connection: string
    line: number
    net: number
    twice: number
  }>(
    `select connection, line_number as line, amount_xof - fee_xof - tax_xof as net,
       (select count(*) from book_exceptions x
         where x.connection = l.connection and x.line_number = l.line_number
         and x.reason = 'duplicate_of_file') as twice from statement_lines l`,
  )
  for (const { connection, line, net, twice } of lines) {
    const own = of.get(`${connection} ${line}`) ?? []
    equal(`line ${connection} ${line}`, total(own, 'wallet'), twice > 0 ? 0 : net)
    equal(`unexplained of ${connection} ${line}`, total(own, 'unexplained'), 0)
  }
}

const SUMS: Record<string, string[]> = {
  collected: ['sales'],
  refunded: ['refunds'],
  fees: ['fees'],
  taxes: ['taxes'],
  withheld: ['withheld'],
  settled: ['in_transit'],
}

async function compareStatements(
  world: BooksWorld,
  rows: readonly Row[],
  { equal }: Figures,
): Promise<void> {
  const secretKey = world.accounts[0]?.secretKey ?? ''
  const last = dayOf(world.clock.now())
  const march = dayOf(Date.UTC(2028, 2, 1, 12))
  const periods = Array.from({ length: DAYS + 1 }, (_, nth) => [FIRST + nth, FIRST + nth])
  periods.push([FIRST - 25, march - 1], [march, march + 30], [FIRST - 25, last])
  const change = (some: readonly Row[]): number => total(some, 'wallet') + total(some, 'receivable')
  for (const { connection } of world.networks) {
    for (const [from = 0, to = 0] of periods) {
      const asked = `connection=${connection}&from=${dayText(from)}&to=${dayText(to)}`
      const { body } = await world.clock.advanceUntil(
        'statement',
        getFrom(world.service, secretKey, `/statements?${asked}`),
      )
      const ofConnection = rows.filter((row) => row.connection === connection)
      const own = ofConnection.filter(({ day }) => day >= from && day <= to)
      const atNetwork = own.filter((row) => change([row]) !== 0)
      const about = `${connection} ${dayText(from)} ${dayText(to)}`
      const opening = change(ofConnection.filter(({ day }) => day < from))
      equal(`${about} opening`, body.opening, opening)
      equal(`${about} closing`, body.closing, opening + change(own))
      for (const [name, [account = '']] of Object.entries(SUMS))
        equal(`${about} ${name}`, body[name], 0 - total(atNetwork, account))
      const confirmed = -total(
        own.filter(({ kind }) => kind === 'collected'),
        'receivable',
      )
      equal(`${about} confirmed`, body.confirmed, confirmed)
      const {
        not_confirmed: none,
        on_other_days: on,
        of_other_days: of,
      } = body.reconciliation as Record<string, number>
      equal(
        `${about} reconciled`,
        (body.collected as number) - (none ?? 0) - (on ?? 0) + (of ?? 0),
        body.confirmed,
      )
      const movements = body.movements as { amount: number }[]
      equal(
        `${about} movements`,
        movements.reduce((sum, { amount }) => sum + amount, opening),
        body.closing,
      )
    }
  }
}

const PLACES = {
  to_receive: 'receivable',
  in_wallet: 'wallet',
  in_transit: 'in_transit',
  in_bank: 'bank',
  withheld: 'withheld',
} as const

async function compareBalances(
  world: BooksWorld,
  rows: readonly Row[],
  { equal }: Figures,
): Promise<void> {
  const { networks, service } = world
  const { body } = await getFrom(service, world.accounts[0]?.secretKey ?? '', '/balance')
  const found = body.connections as Record<string, number>[]
  for (const { connection, network, hasBalances } of networks) {
    const own = rows.filter((row) => row.connection === connection)
    const shown = found.find((each) => (each.connection as unknown) === connection) ?? {}
    for (const [name, account] of Object.entries(PLACES))
      equal(`${connection} ${name}`, shown[name], total(own, account))
    const { openingXof, closingXof } = network.statement({
      from: 0,
      to: startOfDay(FIRST + DAYS + 1),
    })
    const [lines] = await service.db.read<{ net: number }>(
      `select sum(amount_xof - fee_xof - tax_xof) as net from statement_lines
        where connection = :connection`,
      { connection },
    )
    if (connection !== 'fedapay')
      equal(`${connection} lines of the files`, lines?.net, closingXof - openingXof)
    // What people have said to be in the file twice is no part of the wallet.
    const twice = own.filter(
      ({ kind, line, debit, credit }) =>
        kind !== 'opening' && line !== null && [debit, credit].includes('wallet'),
    )
    if (hasBalances)
      equal(`${connection} at the network`, shown.in_wallet, openingXof + total(twice, 'wallet'))
  }
}

it(`leap month: of ${PAYMENTS} payments at four networks every figure is that of the rows and the files`, async (t) => {
  const world = await openWorld(seededRandom(29), {
    startAt: startOfDay(FIRST) + 8 * 60 * MINUTE_MS,
    isWhole: true,
  })
  const { service, clock, random } = world
  try {
    await setTariffs(world)
    const files: StatementFile[] = []
    for (let day = FIRST; day < FIRST + DAYS; day++) {
      await playDay(world, day)
      await plantFaults(world, day)
      await until(world, startOfDay(day + 1) + 40 * MINUTE_MS)
      files.push(...download(world, day))
    }
    await until(world, startOfDay(FIRST + DAYS + 1) + 40 * MINUTE_MS)
    files.push(...download(world, FIRST + DAYS))
    await until(world, startOfDay(FIRST + DAYS + 4))
    const shuffled = files
      .map((file) => ({ file, at: random.below(1_000_000) }))
      .sort((a, b) => a.at - b.at)
    for (const { file } of shuffled) granted(await importFile(world, service.db, file))
    for (const file of files)
      assert.equal(
        ((await importFile(world, service.db, file)) as { isRepeated: boolean }).isRepeated,
        true,
      )
    await importWithdrawal(world)
    const late = granted(await listLatestAnomalies(service, TESTER, { openOnly: true })).rows
    let accepted = 0
    for (const { anomalyId } of late) {
      const accepting = acceptLateMoney(service, TESTER, { anomalyId, note: NOTE })
      if (!isRefused(await clock.advanceUntil('acceptance', accepting))) accepted++
    }
    await work(world)
    const used = await closeAll(world)
    await work(world)
    const rows = await readRows(world)
    const found = figures()
    await comparePayments(world, rows, found)
    await compareLines(world, rows, found)
    await compareStatements(world, rows, found)
    await compareBalances(world, rows, found)
    const { findings } = granted(
      await verifyStore({ ...service, engineFaults: async () => [] }, TESTER),
    )
    const [made] = await service.db.read<{ payments: number }>(
      'select count(*) as payments from payments',
    )
    const said = [...used].map(([reason, times]) => `${reason} ${times}`).join(', ')
    t.diagnostic(
      `${made?.payments} payments, ${accepted} of ${late.length} late accepted, ${found.count()} figures, ${found.wrong.length} wrong; closed: ${said}`,
    )
    assert.deepEqual([found.wrong.slice(0, 20), findings.slice(0, 20)], [[], []])
    assert.ok((made?.payments ?? 0) >= PAYMENTS && accepted > 0)
    assert.deepEqual(
      [...used].filter(([, times]) => times === 0),
      [],
    )
    tried(found.count())
  } finally {
    await clock.advanceUntil('end of the service', service.remove())
  }
})
