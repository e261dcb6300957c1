// Reads the whole store and names each inconsistency. Changes nothing, works while a server runs,
// and holds in memory only one slice, the sums of each account, the first findings, and eight bytes
// for each payment's number.

import type { LedgerSum } from '../../domain/ledger/ledger.ts'
import { type PaymentStatus, STATUSES } from '../../domain/payments/payment-status.ts'
import { type AccountCaller, isOfService } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import {
  type Finding,
  type FindingKind,
  faultsOf,
  gapBetween,
  lineFaultOf,
  type PaymentEvidence,
} from '../../domain/verify/evidence.ts'
import { listOpeningPlaces } from '../../store/books/openings.ts'
import { listCutOff } from '../../store/books/take-backs.ts'
import type { Queries } from '../../store/engine/database.ts'
import { findMigrationFaults } from '../../store/engine/migrate.ts'
import { type FeedStartRow, listFeedStarts } from '../../store/retention/feed-starts.ts'
import {
  type After,
  type FigureEvidence,
  listAttemptNetworkIds,
  listAttemptOwners,
  listBalanceEvidence,
  listBooksWithoutEnd,
  listEntryEvidence,
  listEventEvidence,
  listFeedsWithoutEnd,
  listFigureEvidence,
  listLineEvidence,
  listLinkOwners,
  listPaymentEvidence,
  listPosterEvidence,
  listRefundOwners,
} from '../../store/verify/evidence.ts'
import { followAuditChain } from '../audit/audit-log.ts'
import { missingOpening } from '../books/openings.ts'
import type { Deps } from '../deps.ts'

export interface VerifyDeps extends Pick<Deps, 'db' | 'publicReferences'> {
  /** What the engine finds damaged in its own files. */
  engineFaults(): Promise<string[]>
  progress?(rows: number): void
}

export interface Verification {
  payments: number
  accounts: AccountSums[]
  /** All of them; `findings` has the first thousand. */
  found: number
  findings: Finding[]
}

const SLICE = 2_000
const MOST_FINDINGS = 1_000

export async function verifyStore(
  deps: VerifyDeps,
  caller: AccountCaller,
): Promise<Verification | RefusedAs<'caller_not_allowed'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const { db } = deps
  const result: Verification = { payments: 0, accounts: [], found: 0, findings: [] }
  const walk = walker(db, deps.progress)
  const report: Report = (kind, subject, accountId) => {
    result.found++
    if (result.findings.length < MOST_FINDINGS)
      result.findings.push({ kind, subject, accountId: accountId ?? null })
  }

  const damages = await deps.engineFaults()
  for (const damage of damages) report('file_damaged', damage)
  const { changed, missing } = await findMigrationFaults(db)
  for (const name of changed) report('migration_changed', name)
  for (const name of missing) report('migration_missing', name)

  const sums = new Map<string, AccountSums>()
  const numbers: number[] = []
  const parts = [
    () =>
      walk(listPaymentEvidence, (payment: PaymentEvidence) => {
        result.payments++
        addTo(sums, payment)
        numbers.push(payment.number)
        for (const kind of faultsOf(payment, deps.publicReferences))
          report(kind, payment.reference, payment.accountId)
      }),
    async () => verifyNumbers(numbers, report),
    () => verifyOwned(walk, report),
    () => verifyAttempts(walk, report),
    () => verifyPosters(walk, report),
    () => verifyFeeds(db, walk, report),
    () => verifyBooks(db, walk, report),
    () => verifyLines(db, report, deps.progress),
    async () => {
      for (const { fileId } of await listCutOff(db, MOST_FINDINGS)) report('import_cut_off', fileId)
    },
    () => verifyOpenings(db, report),
    () => followAuditChain(db, (broken) => report(broken.kind, broken.subject)),
  ]
  for (const verifyPart of parts) {
    try {
      await verifyPart()
    } catch (error) {
      // A damaged file may not be readable to its end. The other parts may be.
      if (damages.length === 0) throw error
      report('file_damaged', (error as Error).message)
    }
  }
  result.accounts = [...sums.values()]
  return result
}

type Report = (kind: FindingKind, subject: string, accountId?: string) => void

const OWNED = [
  ['link_without_payment', listLinkOwners],
  ['attempt_without_payment', listAttemptOwners],
  ['refund_without_payment', listRefundOwners],
] as const

/** Numbers come from one counter for all accounts: the public reference is made from them. */
function verifyNumbers(numbers: readonly number[], report: Report): void {
  const sorted = Float64Array.from(numbers).sort()
  for (const [index, number] of sorted.entries()) {
    if (number === sorted[index - 1]) report('payment_number_twice', `${number}`)
  }
}

async function verifyOwned(walk: Walk, report: Report): Promise<void> {
  for (const [kind, list] of OWNED) {
    await walk(list, ({ accountId, name, payments }) => {
      if (payments !== 1) report(kind, name, accountId)
    })
  }
}

const verifyAttempts = (walk: Walk, report: Report): Promise<void> =>
  walk(listAttemptNetworkIds, ({ accountId, name }) => {
    if (name !== null) report('network_id_of_another', name, accountId)
  })

/** What a poster shows that it has collected is what its payers' payments add up to (D-92). */
const verifyPosters = (walk: Walk, report: Report): Promise<void> =>
  walk(listPosterEvidence, ({ accountId, reference, counted, countedXof, paid, paidXof }) => {
    if (counted !== paid || countedXof !== paidXof)
      report('poster_does_not_add_up', reference, accountId)
  })

type List<Row> = (db: Queries, after: After, most: number) => Promise<Row[]>
type Walk = <Row extends { number: number; accountId?: string }>(
  list: List<Row>,
  look: (row: Row) => void,
) => Promise<void>

/** Goes through a table in slices, in the order of the account and of its numbers. */
function walker(db: Queries, progress: (rows: number) => void = () => {}): Walk {
  let rows = 0
  return async (list, look) => {
    for (let after: After = { accountId: '', number: -1 }; ; ) {
      const slice = await list(db, after, SLICE)
      for (const row of slice) look(row)
      rows += slice.length
      progress(rows)
      const last = slice.at(-1)
      if (last === undefined || slice.length < SLICE) return
      after = { accountId: last.accountId ?? '', number: last.number }
    }
  }
}

/**
 * A feed is numbered from its start, without a gap, to the number that the next event follows
 * (D-26, D-165).
 */
async function verifyFeeds(db: Queries, walk: Walk, report: Report): Promise<void> {
  let last: After = { accountId: '', number: 0 }
  const starts = new Map((await listFeedStarts(db)).map((start) => [start.accountId, start]))
  const figures = figureCheck(await listFigureEvidence(db), starts)
  await walk(listEventEvidence, (each) => {
    const { accountId, number, payments, isOfNoPayment, event, amountXof, removedTo } = each
    figures.count(accountId, number, event, amountXof ?? 0)
    const before = last.accountId === accountId ? last.number : 0
    const gap = gapBetween(Math.max(before, removedTo), number)
    if (gap !== undefined) report('events_missing', gap, accountId)
    if (payments === 0 && isOfNoPayment === 0)
      report('event_without_payment', `${number}`, accountId)
    last = { accountId, number }
  })
  // Events that were removed meanwhile are counted neither here nor there: such an account is not
  // judged this time.
  const later = new Map(
    (await listFeedStarts(db)).map(({ accountId, removedTo }) => [accountId, removedTo]),
  )
  const isShorter = (accountId: string): boolean =>
    later.get(accountId) !== starts.get(accountId)?.removedTo
  for (const { accountId, outcome } of figures.wrong())
    if (!isShorter(accountId)) report('figures_do_not_add_up', outcome, accountId)
  for (const { accountId, last: end, found } of await listFeedsWithoutEnd(db))
    report(
      'events_missing',
      gapBetween(found, end + 1) ?? `${end + 1} and later are not counted`,
      accountId,
    )
}

/**
 * The ledger has no gap, its entries belong to payments, and the daily sums are the sums of the
 * entries (ADR-0019).
 */
async function verifyBooks(db: Queries, walk: Walk, report: Report): Promise<void> {
  const left = new Map<
    string,
    {
      accountId: string
      about: string
      debitXof: number
      creditXof: number
    }
  >()
  const add = (
    accountId: string,
    { connection, ledgerAccount, debitXof, creditXof }: LedgerSum,
  ): void => {
    const about = `${ledgerAccount} at ${connection}`
    const sum = left.get(`${accountId} ${about}`) ?? { accountId, about, debitXof: 0, creditXof: 0 }
    sum.debitXof += debitXof
    sum.creditXof += creditXof
    left.set(`${accountId} ${about}`, sum)
  }
  const summedTo = new Map<string, number>()
  for (const sum of await listBalanceEvidence(db)) {
    summedTo.set(sum.accountId, sum.summedEntry)
    add(sum.accountId, sum)
  }
  let last: After = { accountId: '', number: 0 }
  await walk(
    listEntryEvidence,
    ({ accountId, number, connection, debit, credit, amountXof, payments }) => {
      const gap = gapBetween(last.accountId === accountId ? last.number : 0, number)
      if (gap !== undefined) report('entries_missing', gap, accountId)
      if (payments === 0) report('entry_without_payment', `${number}`, accountId)
      last = { accountId, number }
      if (number > (summedTo.get(accountId) ?? 0)) return
      add(accountId, { connection, ledgerAccount: debit, debitXof: -amountXof, creditXof: 0 })
      add(accountId, { connection, ledgerAccount: credit, debitXof: 0, creditXof: -amountXof })
    },
  )
  for (const { accountId, about, debitXof, creditXof } of left.values())
    if (debitXof !== 0 || creditXof !== 0) report('balance_does_not_add_up', about, accountId)
  for (const { accountId, last: end, found } of await listBooksWithoutEnd(db))
    report(
      'entries_missing',
      gapBetween(found, end + 1) ?? `${end + 1} and later are not counted`,
      accountId,
    )
}

/**
 * Every line of a statement is booked once, and none stays unexplained without an open difference
 * (D-170).
 */
async function verifyLines(
  db: Queries,
  report: Report,
  progress: VerifyDeps['progress'],
): Promise<void> {
  let rows = 0
  for (let after = { accountId: '', number: -1 }; ; ) {
    const slice = await listLineEvidence(db, after, SLICE)
    for (const line of slice) {
      const fault = lineFaultOf(line)
      const name = `${line.environment}/${line.connection} ${line.lineNumber}`
      const isDifference = fault === 'line_unexplained' && line.differenceId !== null
      if (fault !== undefined)
        report(fault, isDifference ? `${line.differenceId}` : name, line.accountId ?? undefined)
    }
    rows += slice.length
    progress?.(rows)
    const last = slice.at(-1)
    if (last === undefined || slice.length < SLICE) return
    after = { accountId: `${last.environment}/${last.connection}`, number: last.lineNumber }
  }
}

const CONNECTIONS_AT_ONCE = 100

/** Each wallet began with what the network's first file with a balance says (D-172). */
async function verifyOpenings(db: Queries, report: Report): Promise<void> {
  for (
    let after: { environment: string; connection: string } = { environment: '', connection: '' };
    ;
  ) {
    const places = await listOpeningPlaces(db, after, CONNECTIONS_AT_ONCE)
    for (const place of places) {
      const [missing] = await missingOpening(db, place, { at: 0, by: '' })
      if (missing !== undefined)
        report('opening_differs', `${place.environment}/${place.connection}`, missing.accountId)
    }
    const last = places.at(-1)
    if (last === undefined || places.length < CONNECTIONS_AT_ONCE) return
    after = last
  }
}

export type Sum = { count: number; amountXof: number }

interface AccountSums {
  accountId: string
  byStatus: Record<PaymentStatus, Sum>
  /**
   * Succeeded refunds that the merchant requested; the operator reversed the other refunded
   * payments by itself.
   */
  refunds: Sum
}

const nothing = (): Sum => ({ count: 0, amountXof: 0 })

function addTo(sums: Map<string, AccountSums>, payment: PaymentEvidence): void {
  const { accountId, status, amountXof, refundsSucceeded, refundsSucceededXof } = payment
  let account = sums.get(accountId)
  if (account === undefined) {
    const byStatus = Object.fromEntries(STATUSES.map((each) => [each, nothing()])) as Record<
      PaymentStatus,
      Sum
    >
    account = { accountId, byStatus, refunds: nothing() }
    sums.set(accountId, account)
  }
  add(account.byStatus[status], amountXof, 1)
  add(account.refunds, refundsSucceededXof, refundsSucceeded)
}

function add(sum: Sum, amountXof: number, count: number): void {
  sum.count += count
  sum.amountXof += amountXof
}

interface FigureCheck {
  count(accountId: string, sequence: number, event: string, amountXof: number): void
  wrong(): { accountId: string; outcome: string }[]
}

const PAYMENT_EVENT = 'payment.'

function figureCheck(
  evidence: readonly FigureEvidence[],
  starts: ReadonlyMap<string, FeedStartRow>,
): FigureCheck {
  const countedTo = new Map(
    evidence.map(({ accountId, lastSequence }) => [accountId, lastSequence]),
  )
  const left = new Map<
    string,
    {
      accountId: string
      outcome: string
      payments: number
      amountXof: number
    }
  >()
  const add = (accountId: string, outcome: string, payments: number, amountXof: number): void => {
    const key = `${accountId} ${outcome}`
    const sum = left.get(key) ?? { accountId, outcome, payments: 0, amountXof: 0 }
    left.set(key, {
      ...sum,
      payments: sum.payments + payments,
      amountXof: sum.amountXof + amountXof,
    })
  }
  for (const { accountId, outcome, payments, amountXof } of evidence)
    add(accountId, outcome, payments, amountXof)
  for (const {
    accountId,
    succeeded,
    succeededXof,
    failed,
    failedXof,
    refunded,
    refundedXof,
  } of starts.values()) {
    add(accountId, 'succeeded', -succeeded, -succeededXof)
    add(accountId, 'failed', -failed, -failedXof)
    add(accountId, 'refunded', -refunded, -refundedXof)
  }
  return {
    count(accountId, sequence, event, amountXof) {
      if (!event.startsWith(PAYMENT_EVENT) || sequence > (countedTo.get(accountId) ?? 0)) return
      if (sequence <= (starts.get(accountId)?.removedTo ?? 0)) return
      add(accountId, event.slice(PAYMENT_EVENT.length), -1, -amountXof)
    },
    wrong: () =>
      [...left.values()].filter(({ payments, amountXof }) => payments !== 0 || amountXof !== 0),
  }
}
