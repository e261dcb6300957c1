// Statements of a simulated network: the movements of its books with fees, settlements and a
// running balance, changed by the planted faults. Each network writes the lines in its own format.
// All amounts are whole francs.
import { LOCAL_CLOCK_MS } from './countries.ts'
import {
  type Clock,
  type ConformanceNetwork,
  type PlantedFault,
  type Random,
  STATEMENT_FAULTS,
  type Statement,
  type StatementFault,
  type StatementPeriod,
  type Tariff,
} from './network.ts'

export interface Movement<Of> {
  at: number
  /** Fees are lines of their own only where the network has such lines. */
  kind: 'payment' | 'refund' | 'transfer' | 'fee' | 'settlement' | 'withheld'
  /** The id in the books of the payment that was made or refunded. */
  id: string
  /** The network's reference of the movement, and the client's. */
  reference: string
  clientReference: string
  msisdn: string
  /** What the wallet gained before the fee; negative for what it lost. */
  amountXof: number
  feeXof: number
  /** The record in the network's own books; none for a settlement. */
  of: Of | undefined
}

export interface Line<Of> extends Movement<Of> {
  /** When statements show it: later than it happened for a late line. */
  listedAt: number
  balanceXof: number
  fault: StatementFault | undefined
}

/** What moved by a client's request, without its fee. */
export type Moved<Of> = Omit<Movement<Of>, 'feeXof'>

export interface StatementDeps<Of> {
  clock: Clock
  random: Random
  format: Statement['format']
  firstBalanceXof: number
  tariff: Tariff
  /** Whether a fee is a line of its own. */
  hasFeeLines?: boolean
  /** Whether statements have a balance, which they have by default. */
  hasBalance?: boolean
  /** Undefined for a merchant who leaves the money in the wallet. */
  settlement: SettlementTerms | undefined
  /** How far statements are behind the books. */
  behindMs?: number
  /** All that has moved by now, a payment before its refund. */
  moved(): Moved<Of>[]
  /** References in the network's form that the books do not have; `number` is random. */
  unknownReferences(number: number): Pick<Movement<Of>, 'reference' | 'clientReference'>
  write(lines: readonly Line<Of>[], about: Totals): Pick<Statement, 'bytes' | 'pages'>
}

export interface Totals extends StatementPeriod, Pick<Statement, 'openingXof' | 'closingXof'> {}

export interface SettlementTerms {
  /** Nothing is settled below it. */
  leastXof: number
  /** Left in the wallet, for refunds; 0 by default. */
  leavesXof?: number
  /** How long after a payment its money can be settled. */
  availableAfterMs: number
  /** The network's reference; `day` as in 20261115. */
  reference(day: string): string
}

type OfNetwork = Pick<ConformanceNetwork, 'tariff' | 'statement' | 'plant' | 'planted'>

export interface WalletStatements<Of> extends OfNetwork {
  /** What every network shows of its statements. */
  ofNetwork: OfNetwork
  /** Every line that a statement may show by now, without regard to a period. */
  lines(): Line<Of>[]
  /** Of the books, without the planted faults. */
  balanceXof(): number
  reset(): void
}

export const DAY_MS = 86_400_000
const LATE_BY_MS = DAY_MS
const MOST_OFF_XOF = 100
const KINDS = Object.keys(STATEMENT_FAULTS) as StatementFault[]
const HAS_AMOUNT: readonly StatementFault[] = ['wrong_fee', 'wrong_amount', 'balance_off']
const HAS_OWN_REFERENCE: readonly StatementFault[] = ['foreign_line', 'refund_without_payment']

/** What the statements of one network are made of, besides its books. */
interface Statements<Of> {
  deps: StatementDeps<Of>
  /** The faults that can be planted. */
  kinds: readonly StatementFault[]
  /** By the reference of the payment that the fault belongs to. */
  faults: Map<string, PlantedFault>
  /** A statement was read up to then: no fault is planted before it. */
  shownUntil: number
}

export function walletStatements<Of>(deps: StatementDeps<Of>): WalletStatements<Of> {
  const { hasBalance = true, tariff } = deps
  const statements: Statements<Of> = {
    deps,
    kinds: hasBalance ? KINDS : KINDS.filter((kind) => kind !== 'balance_off'),
    faults: new Map(),
    shownUntil: Number.NEGATIVE_INFINITY,
  }
  const ofNetwork: OfNetwork = {
    tariff,
    statement: (period) => statementOf(statements, period),
    plant: (wanted = {}) => plant(statements, wanted),
    planted: () => [...statements.faults.values()],
  }
  return {
    ...ofNetwork,
    ofNetwork,
    lines: () => linesOf(statements),
    balanceXof: () =>
      booked(deps).reduce((sum, movement) => sum + changeOf(movement), deps.firstBalanceXof),
    reset: () => {
      statements.faults.clear()
      statements.shownUntil = Number.NEGATIVE_INFINITY
    },
  }
}

function booked<Of>(deps: StatementDeps<Of>): Movement<Of>[] {
  const movements = inOrder(deps.moved().flatMap((moved) => withFee(moved, deps)))
  return deps.settlement === undefined
    ? movements
    : withSettlements(movements, deps.settlement, deps.clock.now())
}

/** Statements show what happened until then. */
const visibleUntil = ({
  clock,
  behindMs = 0,
}: Pick<StatementDeps<unknown>, 'clock' | 'behindMs'>): number => clock.now() - behindMs

function linesOf<Of>({ deps, faults }: Statements<Of>): Line<Of>[] {
  const { hasFeeLines = false, firstBalanceXof } = deps
  const shown = booked(deps)
    .flatMap((movement) => listed(movement, faults.get(movement.reference), hasFeeLines))
    .filter(({ kind, amountXof, listedAt }) => {
      const isNoFee = kind === 'fee' && amountXof === 0
      return !isNoFee && listedAt <= visibleUntil(deps)
    })
    .sort((a, b) => a.listedAt - b.listedAt)
  let balanceXof = firstBalanceXof
  return shown.map(({ offXof, ...line }) => {
    balanceXof += changeOf(line) + offXof
    return { ...line, balanceXof }
  })
}

function statementOf<Of>(statements: Statements<Of>, { from, to }: StatementPeriod): Statement {
  const { deps, faults, shownUntil } = statements
  const isWithin = (at: number): boolean => at >= from && at < to
  const all = linesOf(statements)
  const shown = all.filter(({ listedAt }) => isWithin(listedAt))
  const openingXof =
    all.findLast(({ listedAt }) => listedAt < from)?.balanceXof ?? deps.firstBalanceXof
  const closingXof = shown.at(-1)?.balanceXof ?? openingXof
  statements.shownUntil = Math.max(shownUntil, Math.min(to, visibleUntil(deps) + 1))
  const written = deps.write(shown, { from, to, openingXof, closingXof })
  const planted = [...faults.values()].filter(
    ({ kind, at }) => isWithin(at) || (kind === 'late_line' && isWithin(at + LATE_BY_MS)),
  )
  return { format: deps.format, ...written, openingXof, closingXof, planted }
}

function plant<Of>(
  { deps, kinds, faults, shownUntil }: Statements<Of>,
  wanted: { kind?: StatementFault; reference?: string },
): PlantedFault | undefined {
  const { random, hasBalance = true } = deps
  const below = (end: number): number => Buffer.from(random.bytes(4)).readUInt32BE() % end
  const all = booked(deps)
  const refunded = new Set(all.filter(({ kind }) => kind === 'refund').map(({ id }) => id))
  // A random choice leaves out refunded payments: without its line, the refund would be a second
  // fault.
  const isWanted = ({ id, reference, clientReference }: Movement<Of>): boolean =>
    wanted.reference === undefined
      ? !refunded.has(id)
      : [id, reference, clientReference].includes(wanted.reference)
  const free = all.filter(
    (each) =>
      each.kind === 'payment' &&
      each.at >= shownUntil &&
      !faults.has(each.reference) &&
      isWanted(each),
  )
  if (free.length === 0 || (wanted.kind === 'balance_off' && !hasBalance)) return undefined
  const payment = free[below(free.length)] as Movement<Of>
  const kind = wanted.kind ?? (kinds[below(kinds.length)] as StatementFault)
  const { reference, clientReference } = HAS_OWN_REFERENCE.includes(kind)
    ? deps.unknownReferences(below(2 ** 31))
    : payment
  const offXof = HAS_AMOUNT.includes(kind) ? 1 + below(MOST_OFF_XOF) : 0
  const planted = { kind, reference, clientReference, at: payment.at, offXof }
  faults.set(payment.reference, planted)
  return planted
}

const changeOf = ({ amountXof, feeXof }: Pick<Movement<unknown>, 'amountXof' | 'feeXof'>): number =>
  amountXof - feeXof

const inOrder = <Of>(movements: readonly Movement<Of>[]): Movement<Of>[] =>
  movements.toSorted((a, b) => a.at - b.at)

type Unsummed<Of> = Omit<Line<Of>, 'balanceXof'> & { offXof: number }

/** The lines of one movement: none, itself, or another one after it. */
function listed<Of>(
  movement: Movement<Of>,
  planted: PlantedFault | undefined,
  hasFeeLines: boolean,
): Unsummed<Of>[] {
  const line = { ...movement, listedAt: movement.at, fault: undefined, offXof: 0 }
  if (planted === undefined || (movement.kind !== 'payment' && movement.kind !== 'fee'))
    return [line]
  const { kind, offXof, reference, clientReference } = planted
  const faulty = { ...line, fault: kind }
  const isFeeLine = movement.kind === 'fee'
  const invented = { ...faulty, reference, clientReference, feeXof: 0 }
  switch (kind) {
    case 'missing_line':
      return []
    case 'late_line':
      return [{ ...faulty, listedAt: movement.at + LATE_BY_MS }]
    case 'wrong_fee':
      if (isFeeLine) return [{ ...faulty, amountXof: movement.amountXof - offXof }]
      return hasFeeLines ? [line] : [{ ...faulty, feeXof: movement.feeXof + offXof }]
  }
  if (isFeeLine) return [line]
  switch (kind) {
    case 'repeated_line':
      return [faulty, faulty]
    case 'wrong_amount':
      return [{ ...faulty, amountXof: movement.amountXof + offXof }]
    case 'balance_off':
      return [{ ...faulty, offXof }]
    case 'foreign_line':
      return [line, invented]
    case 'withheld':
      return [line, { ...invented, kind: 'withheld', amountXof: -movement.amountXof }]
    case 'refund_without_payment':
      return [line, { ...invented, kind: 'refund', amountXof: -movement.amountXof }]
  }
}

/** Only payments cost a fee: what networks take of refunds is not published. */
function withFee<Of>(moved: Moved<Of>, { tariff, hasFeeLines }: StatementDeps<Of>): Movement<Of>[] {
  const feeXof = moved.kind === 'payment' ? feeOf(moved.amountXof, tariff) : 0
  if (!hasFeeLines) return [{ ...moved, feeXof }]
  const movement = { ...moved, feeXof: 0 }
  return moved.kind === 'payment'
    ? [movement, { ...movement, kind: 'fee', amountXof: 0 - feeXof }]
    : [movement]
}

const WHOLE = 100_000
const ROUNDED = { up: WHOLE - 1, nearest: WHOLE / 2, down: 0 } as const

export function feeOf(
  amountXof: number,
  { rate, fixedXof, minimumXof, maximumXof, rounding }: Tariff,
): number {
  const share = Math.floor((amountXof * rate + ROUNDED[rounding]) / WHOLE)
  const fee = Math.max(share + fixedXof, minimumXof)
  return Math.min(fee, maximumXof ?? fee, amountXof)
}

/** A tariff of a percentage alone. */
export const percentage = (rate: number): Tariff => ({
  rate,
  fixedXof: 0,
  minimumXof: 0,
  maximumXof: null,
  rounding: 'nearest',
})

/** 23:00 by the local clock. */
const SETTLED_AT_MS = 23 * 3_600_000 - LOCAL_CLOCK_MS

/** Each evening, all that the wallet gained since it was opened goes to the bank. */
function withSettlements<Of>(
  movements: Movement<Of>[],
  terms: SettlementTerms,
  now: number,
): Movement<Of>[] {
  const [first] = movements
  if (first === undefined) return []
  const settlements: Movement<Of>[] = []
  const firstDay = Math.floor((first.at - SETTLED_AT_MS) / DAY_MS) + 1
  let settledXof = 0
  for (let at = firstDay * DAY_MS + SETTLED_AT_MS; at <= now; at += DAY_MS) {
    const isAvailable = (each: Movement<Of>): boolean =>
      each.at + (each.kind === 'payment' ? terms.availableAfterMs : 0) <= at
    const gainedXof = movements.filter(isAvailable).reduce((sum, each) => sum + changeOf(each), 0)
    const dueXof = gainedXof - settledXof - (terms.leavesXof ?? 0)
    if (dueXof < terms.leastXof) continue
    settledXof += dueXof
    const reference = terms.reference(new Date(at).toISOString().slice(0, 10).replaceAll('-', ''))
    const names = { id: '', reference, clientReference: '', msisdn: '' }
    settlements.push({
      ...names,
      kind: 'settlement',
      at,
      amountXof: -dueXof,
      feeXof: 0,
      of: undefined,
    })
  }
  return inOrder([...movements, ...settlements])
}

/** A settlement of any amount, of money that is in the wallet. */
export const settlesAll = (reference: SettlementTerms['reference']): SettlementTerms => ({
  leastXof: 1,
  availableAfterMs: 0,
  reference,
})

// What the networks' files have in common.

type Cell = string | number

export function csvOf(heading: readonly string[], rows: readonly (readonly Cell[])[]): Uint8Array {
  const text = [heading, ...rows].map((row) => `${row.map(writtenCell).join(',')}\n`).join('')
  return Buffer.from(text, 'utf8')
}

const writtenCell = (cell: Cell): string => {
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * `[2026, 11, 15]` and `10:30:04`, by the local clock.
 */
export function localTime(at: number): { date: string[]; time: string } {
  const [date = '', time = ''] = new Date(at + LOCAL_CLOCK_MS).toISOString().split('T')
  return { date: date.split('-'), time: time.slice(0, 8) }
}
