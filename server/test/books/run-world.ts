// Imports the statements of one world of the books, in order and in another order, and checks the
// books: every payment is in one place, every planted fault is named, and none is invented.

import { hash } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StatementFault } from '../../../simulators/src/network.ts'
import { importStatementFile } from '../../src/actions/books/import-file.ts'
import { type Verification, verifyStore } from '../../src/actions/verify/verify-store.ts'
import type { ExceptionKind } from '../../src/domain/books/matching.ts'
import { realClock } from '../../src/service/runtime.ts'
import { statementParser } from '../../src/statements/statement-parser.ts'
import type { Database, Queries } from '../../src/store/engine/database.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { type SeededRandom, seededRandom } from '../kit/seeded-random.ts'
import { makeMigratedFile, openWatchedFile } from '../kit/stores.ts'
import {
  type BooksWorld,
  ENVIRONMENT,
  ourReference,
  playWorld,
  type StatementFile,
} from './world.ts'

export interface BooksResult {
  seed: number
  broken: string[]
  story: string[]
  /** The names of its networks. */
  networkKinds: string[]
  digest: string
  counts: {
    payments: number
    lines: number
    planted: number
    named: number
    invented: number
  }
}

/** The exception that names each fault. A late line explains itself when it comes. */
const NAMES: Readonly<Record<StatementFault, ExceptionKind | undefined>> = {
  repeated_line: 'duplicate_line',
  late_line: undefined,
  missing_line: 'missing_at_network',
  wrong_fee: 'fee_differs',
  withheld: 'withheld',
  wrong_amount: 'amount_differs',
  foreign_line: 'missing_here',
  refund_without_payment: 'refund_without_payment',
  balance_off: 'balance_does_not_add_up',
}

/** The copies are read after their service has ended. Its threads do not keep the process alive. */
const PARSER = statementParser(realClock)

let migrated: Promise<void> | undefined

/** In a folder that ends with the process. */
function makeMigrated(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'karba-worlds-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return makeMigratedFile(join(folder, 'migrated.db'))
}

export async function runBooks(seed: number): Promise<BooksResult> {
  if (process.env.TEST_SQLITE_MIGRATED === undefined) migrated ??= makeMigrated()
  await migrated
  const during = await playWorld(seededRandom(seed), (world, files) =>
    importFiles(world, world.service.db, files),
  )
  const booksDuring = await readBooks(during.service.db)
  const foundDuring = await findings(during, during.service.db)
  await during.clock.advanceUntil('end of the service', during.service.remove())
  const random = seededRandom(seed)
  const world = await playWorld(random)
  const { service, clock, daily, faults, networks } = world
  const { config, place } = service
  // Without the network's timers, nothing moves after this.
  await clock.advanceUntil('end of the service', service.close())
  const copies = ['in-order.db', 'shuffled.db'].map((name) => join(config.dataDir, name))
  for (const copy of copies) copyFileSync(join(config.dataDir, 'karba.db'), copy)
  const [inOrder, shuffled] = copies.map((copy) => openWatchedFile(copy, clock)) as [
    Database,
    Database,
  ]
  try {
    await importFiles(world, inOrder, daily)
    await importFiles(world, shuffled, shuffledFiles(world, random))
    const books = await readBooks(inOrder)
    const expected = await expectedExceptions(world, inOrder)
    const named = common(books.exceptions, expected)
    const broken = [
      ...without(expected, named).map((each) => `not named: ${each}`),
      ...without(books.exceptions, named).map((each) => `invented: ${each}`),
      ...differences(books, await readBooks(shuffled), 'in another order'),
      // A line that is judged again has an entry for the correction.
      ...differences({ ...books, entries: [] }, { ...booksDuring, entries: [] }, 'day by day'),
      ...foundDuring,
      ...(await notRefused(world, inOrder)),
      ...(await misplaced(inOrder)),
      ...(await unbalanced(world, inOrder)),
      ...(await findings(world, inOrder)),
      ...(await findings(world, shuffled)),
    ]
    const [count] = await inOrder.read<{ payments: number; lines: number }>(
      `select (select count(*) from payments) as payments, (select count(*)
        from statement_lines) as lines`,
    )
    return {
      seed,
      broken,
      story: storyOf(world, books),
      networkKinds: networks.map(({ connection }) => connection),
      digest: hash('sha256', JSON.stringify(books), 'hex').slice(0, 16),
      counts: {
        payments: count?.payments ?? 0,
        lines: count?.lines ?? 0,
        planted: faults.length + world.unbalanced.length,
        named: named.length + world.unbalanced.length,
        invented: books.exceptions.length - named.length,
      },
    }
  } finally {
    await inOrder.close()
    await shuffled.close()
    await place.remove()
  }
}

const storyOf = ({ faults }: BooksWorld, { exceptions }: Books): string[] => [
  ...faults.map((fault) => `planted: ${fault.kind} ${fault.connection} ${ourReference(fault)}`),
  ...exceptions.map((each) => `named: ${each}`),
]

async function importFiles(
  world: BooksWorld,
  db: Database,
  files: readonly StatementFile[],
): Promise<void> {
  for (const file of files) granted(await importFile(world, db, file))
}

export function importFile(
  { clock, service: { keptFiles } }: BooksWorld,
  db: Database,
  { connection, name, bytes }: StatementFile,
) {
  // By its content and place, so that two files never get one id.
  const random = seededRandom(hash('sha256', `${connection} ${bytes}`, 'buffer').readUInt32BE())
  const open = async function* () {
    yield bytes
  }
  const file = { environment: ENVIRONMENT, connection, name, open, isDryRun: false } as const
  const deps = {
    db,
    clock,
    random,
    keptFiles,
    statementParser: PARSER,
    isConnected: () => true,
    connectorOf,
  }
  return importStatementFile(deps, TESTER, file)
}

/** Connections are named by their connector. */
const connectorOf = ({ connection }: { connection: string }): string => connection

/** Files of several days, some of them twice, and some of single days, in any order. */
function shuffledFiles({ daily, longer }: BooksWorld, random: SeededRandom): StatementFile[] {
  const some = [...longer, ...daily].filter(() => random.percent(30))
  return [...longer, ...some]
    .map((file) => ({ file, at: random.below(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ file }) => file)
}

interface Books {
  balances: string[]
  entries: string[]
  exceptions: string[]
}

/** Everything by what it is about: numbers of entries and lines follow the order of the imports. */
async function readBooks(db: Queries): Promise<Books> {
  const balances = await db.read<{ about: string; xof: number }>(
    `select account_id || ' ' || connection || ' ' || ledger_account as about, sum(xof) as xof
      from (
       select account_id, connection, debit as ledger_account, amount_xof as xof
       from ledger_entries union all
       select account_id, connection, credit, 0 - amount_xof from ledger_entries) as sides
       group by about order by about`,
  )
  const entries = await db.read<Record<string, unknown>>(
    `select e.account_id, e.connection, e.day, e.kind, e.debit, e.credit, e.amount_xof,
      e.number, e.refund_reference,
       l.identity from ledger_entries e left join statement_lines l on l.connection = e.connection
       and l.line_number = e.line_number
     -- A file of earlier days moves an opening by further entries.
     where e.kind <> 'opening'`,
  )
  const exceptions = await db.read<{
    kind: string
    connection: string
    payment: string | null
    line: string | null
  }>(
    `select x.kind, x.connection, p.external_reference as payment,
       case when l.our_reference <> '' then l.our_reference else l.network_reference end as line
     from book_exceptions x
     left join payments p on p.account_id = x.account_id and p.number = x.number
     left join statement_lines l on l.connection = x.connection and l.line_number = x.line_number
     where x.resolved_at is null`,
  )
  return {
    balances: balances.filter(({ xof }) => xof !== 0).map(({ about, xof }) => `${about} ${xof}`),
    entries: entries.map((entry) => JSON.stringify(Object.values(entry))).sort(),
    exceptions: exceptions
      .map(({ kind, connection, payment, line }) =>
        aboutFault(kind, connection, payment ?? line ?? ''),
      )
      .sort(),
  }
}

const aboutFault = (kind: string, connection: string, reference: string): string =>
  `${kind} ${connection} ${reference}`

async function expectedExceptions(
  { faults, networks }: BooksWorld,
  db: Queries,
): Promise<string[]> {
  const payments = await db.read<{ reference: string; order: string; status: string }>(
    'select reference, external_reference as "order", status from payments',
  )
  const orders = new Map(payments.map(({ reference, order }) => [reference, order]))
  const planted = faults.flatMap((fault) => {
    const kind = NAMES[fault.kind]
    const name = nameOf(fault)
    return kind === undefined ? [] : [aboutFault(kind, fault.connection, orders.get(name) ?? name)]
  })
  // The network has late money in its statement: we said that the payment failed.
  const failed = payments.filter(({ status }) => status === 'failed')
  const isFailed = new Set(failed.map(({ reference }) => reference))
  const late = networks.flatMap(({ connection, network }) =>
    network
      .books()
      .filter(({ debits }) => debits > 0)
      .map(({ id, clientReference }) =>
        [id, clientReference].map((name) =>
          ourReference({ clientReference: name, reference: name }),
        ),
      )
      .flatMap((names) => names.find((name) => isFailed.has(name)) ?? [])
      .map((reference) =>
        aboutFault('paid_although_failed', connection, orders.get(reference) ?? ''),
      ),
  )
  return [...planted, ...late].sort()
}

/** A line that names no payment of ours is known by the reference in the file. */
const nameOf = (fault: BooksWorld['faults'][number]): string =>
  fault.kind === 'foreign_line' || fault.kind === 'refund_without_payment'
    ? fault.clientReference || fault.reference
    : ourReference(fault)

/** Those in both lists, each as often as in the shorter one. */
const common = (first: readonly string[], second: readonly string[]): string[] =>
  without(first, without(first, second))

function without(all: readonly string[], some: readonly string[]): string[] {
  const taken = [...some]
  return all.filter((each) => {
    const at = taken.indexOf(each)
    if (at >= 0) taken.splice(at, 1)
    return at < 0
  })
}

const differences = (first: Books, second: Books, way: string): string[] =>
  (['balances', 'entries', 'exceptions'] as const).flatMap((part) => [
    ...without(first[part], second[part]).map((each) => `only in order: ${part} ${each}`),
    ...without(second[part], first[part]).map((each) => `only ${way}: ${part} ${each}`),
  ])

/** A file whose balances do not add up is refused whole. */
async function notRefused(world: BooksWorld, db: Database): Promise<string[]> {
  const wrong: string[] = []
  for (const file of world.unbalanced) {
    const outcome = await importFile(world, db, file)
    const isRefused = 'refused' in outcome && outcome.refused === 'statement_not_valid'
    if (!isRefused) wrong.push(`not refused: ${file.name} ${JSON.stringify(outcome)}`)
  }
  return wrong
}

/** A payment that succeeded is owed by the network, or was collected once. */
async function misplaced(db: Queries): Promise<string[]> {
  const rows = await db.read<{
    reference: string
    status: string
    amount: number
    owed: number
    collected: number
  }>(
    `select p.reference, p.status, p.amount_xof as amount,
       coalesce(sum(case when e.debit = 'receivable' then e.amount_xof when e.credit = 'receivable'
         then 0 - e.amount_xof end), 0) as owed,
       coalesce(sum(case when e.credit = 'receivable' and e.kind = 'collected' then 1 end), 0)
         as collected
     from payments p left join ledger_entries e on e.account_id = p.account_id
       and e.number = p.number
       and e.kind in ('payment', 'collected') group by p.reference, p.status, p.amount_xof`,
  )
  return rows
    .filter(({ status, amount, owed, collected }) => {
      if (status !== 'succeeded' && status !== 'refunded') return owed !== 0 || collected !== 0
      return collected === 0 ? owed !== amount : owed !== 0 || collected !== 1
    })
    .map((row) => `not in one place: ${JSON.stringify(row)}`)
}

/** Debits equal credits, the lines are the network's, and the wallet has what the lines say. */
async function unbalanced(
  { networks, daily, coveredTo }: BooksWorld,
  db: Queries,
): Promise<string[]> {
  const [sums] = await db.read<{
    debits: number
    credits: number
    wallet: number
    lines: number
  }>(
    `select coalesce(sum(case when debit = 'wallet' then amount_xof when credit = 'wallet'
     then 0 - amount_xof end), 0) as wallet,
       (select coalesce(sum(amount_xof - fee_xof - tax_xof), 0) from statement_lines
         where account_id is not null) as lines
     from ledger_entries where kind <> 'opening'`,
  )
  const wrong =
    sums?.wallet === sums?.lines
      ? []
      : [`the wallets have ${sums?.wallet}, the lines say ${sums?.lines}`]
  for (const { connection, network, hasBalances } of networks) {
    const { openingXof, closingXof } = network.statement({ from: 0, to: coveredTo })
    const [row] = await db.read<{ change: number }>(
      `select coalesce(sum(amount_xof - fee_xof - tax_xof), 0) as change from statement_lines
        where connection = :connection`,
      { connection },
    )
    const isBalanced = connection === 'fedapay' || row?.change === closingXof - openingXof
    const [own] = await db.read<{ xof: number; accounts: number }>(
      `select coalesce(sum(case when debit = 'wallet' then amount_xof when credit = 'wallet'
        then 0 - amount_xof end), 0) as xof,
         (select count(*) from accounts where environment = 'live'
         and status <> 'unvalidated') as accounts
       from ledger_entries where connection = :connection`,
      { connection },
    )
    // A wallet that is not shared has what the network says.
    const isOwn = hasBalances && own?.accounts === 1
    if (isOwn && own.xof !== closingXof)
      wrong.push(`${connection}: wallet ${own.xof}, at the network ${closingXof}`)
    if (!isBalanced)
      wrong.push(
        `${connection}: lines ${row?.change}, closing minus opening ${closingXof - openingXof}`,
      )
  }
  return daily.length === 0 ? ['no statement'] : wrong
}

async function findings({ service }: BooksWorld, db: Database): Promise<string[]> {
  const { publicReferences } = service
  const verified = granted(
    await verifyStore({ db, publicReferences, engineFaults: async () => [] }, TESTER),
  )
  return (verified as Verification).findings.map(
    ({ kind, subject }) => `verify: ${kind} ${subject}`,
  )
}
