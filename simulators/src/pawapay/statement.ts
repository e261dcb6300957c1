// Statements of the simulated pawaPay: requested by API, made a moment later, and downloaded from a
// link. Fact, from docs.pawapay.io (v2 finances, dashboard statements): path and fields of the
// request, its status and its callback, 31 days at most, CSV or GZIP, a link that expires after a
// day, data up to 20 minutes behind; the columns, UTC, and that Transaction ID is the client's.
// Assumed: what is optional in the request, the codes of refusals, five seconds, the link's form
// and its answer when expired, decimals and signs of amounts, opening and closing balance as rows
// without a date, Payout for a refund (the list of types has no other), Adjustment for withheld
// money, the tariff, the least amount of a settlement in francs.

import { gzipSync } from 'node:zlib'
import { BENIN } from '../countries.ts'
import type { Random, Tariff, WireReaction, WireRequest } from '../network.ts'
import {
  csvOf,
  DAY_MS,
  type Line,
  type Moved,
  percentage,
  type SettlementTerms,
  type Totals,
} from '../statements.ts'
import {
  type DepositOrder,
  isRefusal,
  type Refusal,
  readStatementOrder,
  refusal,
  refused,
  type StatementOrder,
} from './checks.ts'
import { depositStatus, refundStatus, type World, writtenTime } from './ledger.ts'

export const PAWAPAY_TARIFF: Tariff = percentage(2_000)
export const BEHIND_MS = 20 * 60_000
/** About 50 USD, the least for a local bank. */
export const PAWAPAY_SETTLEMENT: SettlementTerms = {
  leastXof: 30_000,
  availableAfterMs: 0,
  reference: (day) => uuidOf(Number(day)),
}

export function movementsOf(world: World): Moved<DepositOrder>[] {
  const now = world.clock.now()
  const about = (reference: string, { depositId: id, phoneNumber }: DepositOrder) => ({
    id,
    reference,
    clientReference: reference,
    msisdn: phoneNumber,
  })
  const deposits = [...world.deposits.values()]
    .filter((deposit) => depositStatus(deposit, now) === 'COMPLETED')
    .map(({ order, amountXof, endsAt, failsWith, completedLateAt }): Moved<DepositOrder> => {
      const at = failsWith === undefined ? endsAt : (completedLateAt ?? endsAt)
      return { ...about(order.depositId, order), kind: 'payment', at, amountXof, of: order }
    })
  const refunds = [...world.refunds.values()]
    .filter((refund) => refundStatus(refund, now) === 'COMPLETED')
    .map(
      ({ order, paid, amountXof, endsAt }): Moved<DepositOrder> => ({
        ...about(order.refundId, paid),
        kind: 'refund',
        at: endsAt,
        amountXof: -amountXof,
        of: paid,
      }),
    )
  return [...deposits, ...refunds]
}

export function unknownReferences(number: number) {
  const id = uuidOf(number)
  return { reference: id, clientReference: id }
}

const uuidOf = (number: number): string =>
  `77777777-0000-4000-8000-${String(number).padStart(12, '0')}`

const HEADING = [
  'Creation Date',
  'MSISDN',
  'Transaction ID',
  'Amount',
  'Currency',
  'Country',
  'MNO',
  'Type',
]
const TYPES = {
  payment: 'Deposit',
  refund: 'Payout',
  transfer: 'Payout',
  fee: 'Fee',
  settlement: 'Withdrawal',
  withheld: 'Adjustment',
} as const

export function writeStatement(
  lines: readonly Line<DepositOrder>[],
  { openingXof, closingXof }: Totals,
): { bytes: Uint8Array } {
  const amount = (amountXof: number): string[] => [`${amountXof}.00`, 'XOF', BENIN.alpha3]
  const rows = lines.map(({ at, kind, amountXof, msisdn, reference, of }) => [
    writtenTime(at),
    msisdn,
    reference,
    ...amount(amountXof),
    of?.provider ?? '',
    TYPES[kind],
  ])
  const balance = (name: string, balanceXof: number): string[] => [
    name,
    '',
    '',
    ...amount(balanceXof),
    '',
    '',
  ]
  const opening = balance('Opening balance', openingXof)
  return { bytes: csvOf(HEADING, [opening, ...rows, balance('Closing balance', closingXof)]) }
}

interface RequestedStatement {
  id: string
  order: StatementOrder
  createdAt: number
  /** The address of the host that the request came to. */
  origin: string
  /** None before it is made. */
  made: { at: number; bytes: Uint8Array } | undefined
}

const LONGEST_MS = 31 * DAY_MS
const MADE_AFTER_MS = 5_000
const FILES_PATH = '/statement-files'

/** What was requested since the last reset, by id. */
export interface StatementRequests {
  world: World
  requested: Map<string, RequestedStatement>
  write(order: StatementOrder): Uint8Array
}

export function requestStatement(
  { world, requested, write }: StatementRequests,
  fields: Record<string, unknown>,
  origin: string,
): WireReaction {
  const { clock, random, callbacks } = world
  const order = readStatementOrder(fields)
  const wrong = isRefusal(order) ? order : refusalOf(order)
  if (isRefusal(order) || wrong !== undefined) return refused(wrong as Refusal)
  const { callbackUrl, compressed } = order
  const statement: RequestedStatement = {
    id: randomUuid(random),
    order,
    createdAt: clock.now(),
    origin,
    made: undefined,
  }
  requested.set(statement.id, statement)
  clock.after(MADE_AFTER_MS, () => {
    // A reset forgets it.
    if (!requested.has(statement.id)) return
    const bytes = write(order)
    statement.made = { at: clock.now(), bytes: compressed ? gzipSync(bytes) : bytes }
    if (callbackUrl !== undefined) callbacks.sendTo(callbackUrl, () => shown(statement))
  })
  const { id: statementId, createdAt } = statement
  return { code: 200, body: { statementId, status: 'ACCEPTED', created: writtenTime(createdAt) } }
}

export function showStatement({ requested }: StatementRequests, id: string): WireReaction {
  const statement = requested.get(id)
  const body =
    statement === undefined ? { status: 'NOT_FOUND' } : { status: 'FOUND', data: shown(statement) }
  return { code: 200, body }
}

function shown({ id, order, createdAt, origin, made }: RequestedStatement): object {
  const { wallet, startDate, endDate, compressed } = order
  const about = {
    statementId: id,
    status: made === undefined ? 'PROCESSING' : 'COMPLETED',
    wallet,
  }
  const file = made && {
    fileSize: made.bytes.length,
    downloadUrl: `${origin}${FILES_PATH}/${id}.csv${compressed ? '.gz' : ''}`,
    downloadUrlExpiresAt: writtenTime(made.at + DAY_MS),
    completedAt: writtenTime(made.at),
  }
  return { ...about, created: writtenTime(createdAt), startDate, endDate, ...file }
}

/** The link needs no token. Undefined for any other path. */
export function downloadStatement(
  { world, requested }: StatementRequests,
  { method, path }: WireRequest,
): WireReaction | undefined {
  const [, id = ''] = /^\/statement-files\/([^/.]+)\.csv(?:\.gz)?$/.exec(path) ?? []
  if (method !== 'GET' || id === '') return undefined
  const statement = requested.get(id)
  if (statement?.made === undefined) return { code: 404, body: '' }
  const { at, bytes } = statement.made
  if (world.clock.now() >= at + DAY_MS) return { code: 403, body: '' }
  if (statement.order.compressed)
    return { code: 200, headers: { 'content-type': 'application/gzip' }, body: bytes }
  return {
    code: 200,
    headers: { 'content-type': 'text/csv' },
    body: Buffer.from(bytes).toString('utf8'),
  }
}

function refusalOf({ wallet, from, to }: StatementOrder): Refusal | undefined {
  if (wallet.country !== BENIN.alpha3 || wallet.currency !== 'XOF' || wallet.provider)
    return refusal('WALLET_NOT_FOUND', 'There is no such wallet.')
  if (from < to && to - from <= LONGEST_MS) return undefined
  return refusal(
    'INVALID_DATE_RANGE',
    'The date range must end after its start and not exceed 31 days.',
  )
}

function randomUuid(random: Random): string {
  const hex = Buffer.from(random.bytes(16)).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}
