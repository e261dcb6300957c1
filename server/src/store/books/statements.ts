// Statements of networks: their files, their lines, and the exceptions that a comparison with the
// ledger finds.

import { hash } from 'node:crypto'
import type { BookException, Candidate, ExceptionKind } from '../../domain/books/matching.ts'
import type {
  ColumnMapping,
  LineType,
  StatementFile,
  StatementLine,
} from '../../domain/books/statement.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { PaymentStatus } from '../../domain/payments/payment-status.ts'
import type { Scope } from '../../domain/people/caller.ts'
import { manyRows, type Queries, type SqlTexts, type Transaction } from '../engine/database.ts'
import {
  columnsOf,
  deleteRows,
  firstReturned,
  firstReturnedValue,
  firstRow,
  firstValue,
  inScope,
  insertNew,
  insertTexts,
  isAnyRow,
  listOf,
  padded,
  putRow,
  scopeValues,
  updateOne,
  updateRows,
} from '../rows.ts'
import { fileState } from './take-backs.ts'

const FILE = columnsOf<StatementFile>({
  environment: 'environment',
  connection: 'connection',
  fileId: 'file_id',
  sha256: 'sha256',
  name: 'name',
  bytes: 'bytes',
  lines: 'lines',
  added: 'added',
  openingXof: 'opening_xof',
  closingXof: 'closing_xof',
  firstDay: 'first_day',
  lastDay: 'last_day',
  firstAt: 'first_at',
  lastAt: 'last_at',
  importedAt: 'imported_at',
  importedBy: 'imported_by',
  witness: 'witness',
  readBy: 'read_by',
  state: fileState('statement_files'),
})

export const findFile = (db: Queries, { environment, connection }: ConnectionKey, sha256: string) =>
  firstRow<StatementFile>(
    db,
    `select ${FILE} from statement_files
     where environment = :environment and connection = :connection and sha256 = :sha256`,
    { environment, connection, sha256 },
  )

/** An imported file is read again, by other columns, or after it was taken back. */
export const beginAgain = (tx: Queries, file: StatementFile) => {
  const {
    fileId,
    state,
    readBy,
    lines,
    openingXof,
    closingXof,
    firstDay,
    lastDay,
    firstAt,
    lastAt,
  } = file
  const read = { state, readBy, lines, openingXof, closingXof, firstDay, lastDay, firstAt, lastAt }
  const notTakenBack = {
    takeBackBegunAt: null,
    takeBackEndedAt: null,
    takeBackBy: null,
    takeBackNote: null,
  }
  return updateRows(tx, 'statement_files', { fileId }, { ...read, ...notTakenBack })
}

export interface LineOfRow {
  row: number
  bookedAt: number
  type: LineType
  amountXof: number
  feeXof: number
  taxXof: number
}

const LINE_OF_ROW = columnsOf<LineOfRow>({
  bookedAt: 'booked_at',
  type: 'type',
  amountXof: 'amount_xof',
  feeXof: 'fee_xof',
  taxXof: 'tax_xof',
  row: 'row_number',
})

/** The lines that some rows of a file have given. */
export const listLinesOfRows = (db: Queries, fileId: string, rows: { from: number; to: number }) =>
  db.read<LineOfRow>(
    `select ${LINE_OF_ROW} from statement_lines where file_id = :fileId and row_number >= :from
      and row_number <= :to
     order by row_number, line_number`,
    { fileId, from: rows.from, to: rows.to },
  )

/** False when another import has begun with the same bytes. */
export const insertFile = (tx: Queries, file: StatementFile): Promise<boolean> =>
  insertNew(tx, 'statement_files', { ...file })

export const endFile = (tx: Queries, fileId: string) =>
  updateRows(tx, 'statement_files', { fileId }, { state: 'imported' })

export async function findMapping(
  db: Queries,
  { environment, connection }: ConnectionKey,
): Promise<ColumnMapping | undefined> {
  const mapping = await firstValue<string>(
    db,
    `select mapping from statement_mappings
     where environment = :environment and connection = :connection`,
    { environment, connection },
  )
  return mapping && JSON.parse(mapping)
}

export function keepMapping(
  tx: Queries,
  { environment, connection }: ConnectionKey,
  mapping: ColumnMapping,
  { by, at }: { by: string; at: number },
): Promise<void> {
  const values = { mapping: JSON.stringify(mapping), setBy: by, setAt: at }
  return putRow(tx, 'statement_mappings', { environment, connection }, values)
}

/** Locks the connection's statement until the commit; returns the number of its last line. */
export async function lockSource(
  tx: Queries,
  { environment, connection }: ConnectionKey,
): Promise<number> {
  const lastLine = await firstReturnedValue<number>(
    tx,
    `insert into statement_sources (environment, connection) values (:environment, :connection)
     on conflict (environment, connection) do update set last_line = statement_sources.last_line
     returning last_line`,
    { environment, connection },
  )
  return lastLine ?? 0
}

const INSERT_LINES = insertTexts('statement_lines', {
  environment: 'text',
  connection: 'text',
  line_number: 'bigint',
  file_id: 'text',
  row_number: 'bigint',
  identity: 'text',
  booked_at: 'bigint',
  day: 'bigint',
  type: 'text',
  amount_xof: 'bigint',
  fee_xof: 'bigint',
  tax_xof: 'bigint',
  balance_xof: 'bigint',
  network_reference: 'text',
  our_reference: 'text',
  counterparty: 'text',
  text: 'text',
  account_id: 'text',
  number: 'bigint',
  refund_reference: 'text',
  is_matched: 'bigint',
  network_identity: 'text',
})

export interface NewLine {
  lineNumber: number
  identity: string
  networkIdentity: string | null
  line: StatementLine
  about: Pick<Candidate, 'accountId' | 'number' | 'refundReference'> | null
  /** The account whose books have it: of the payment, or of the connection's owner. */
  accountId: string | null
  isMatched: boolean
}

/** While the source is locked: none of them is there. */
export async function insertLines(
  tx: Transaction,
  { environment, connection, fileId }: ConnectionKey & { fileId: string },
  lines: readonly NewLine[],
): Promise<void> {
  await tx.many(
    INSERT_LINES,
    lines.map(({ lineNumber, identity, networkIdentity, line, about, accountId, isMatched }) => ({
      environment,
      connection,
      lineNumber,
      fileId,
      rowNumber: line.line,
      identity,
      bookedAt: line.bookedAt,
      day: line.day,
      type: line.type,
      amountXof: line.amountXof,
      feeXof: line.feeXof,
      taxXof: line.taxXof,
      balanceXof: line.balanceXof,
      networkReference: line.networkReference,
      ourReference: line.ourReference,
      counterparty: line.counterparty,
      text: line.text,
      accountId,
      number: about?.number ?? null,
      refundReference: about?.refundReference ?? null,
      isMatched: isMatched ? 1 : 0,
      networkIdentity,
    })),
  )
  const lastLine = lines.at(-1)?.lineNumber
  if (lastLine === undefined) return
  await updateRows(tx, 'statement_sources', { environment, connection }, { lastLine })
  await tx.change('update statement_files set added = added + :lines where file_id = :fileId', {
    fileId,
    lines: lines.length,
  })
}

const knownBy = (column: 'identity' | 'network_identity'): SqlTexts => ({
  sqlite: `select ${column} as identity from statement_lines
    where environment = :environment and connection = :connection and ${column} = :identity`,
  postgres: `select l.${column} as identity
    from ${manyRows({ environment: 'text', connection: 'text', identity: 'text' })}
    join statement_lines l on l.environment = given.environment and l.connection = given.connection
      and l.${column} = given.identity`,
})

const KNOWN = knownBy('identity')
const KNOWN_REFERENCES = knownBy('network_identity')

const listKnown = async (
  tx: Transaction,
  { environment, connection }: ConnectionKey,
  texts: SqlTexts,
  identities: readonly string[],
): Promise<Set<string>> => {
  const rows = identities.map((identity) => ({ environment, connection, identity }))
  return new Set((await tx.many<{ identity: string }>(texts, rows)).map(({ identity }) => identity))
}

/** Which of the identities an earlier line has. */
export const listKnownIdentities = (
  tx: Transaction,
  connection: ConnectionKey,
  identities: readonly string[],
) => listKnown(tx, connection, KNOWN, identities)

/** The same by the network's references. */
export const listKnownReferences = (
  tx: Transaction,
  connection: ConnectionKey,
  identities: readonly string[],
) =>
  identities.length === 0
    ? new Set<string>()
    : listKnown(tx, connection, KNOWN_REFERENCES, identities)

// The payments and refunds that references in lines name.

export interface FoundCandidate
  extends Omit<
    Candidate,
    | 'expectedFeeXof'
    | 'days'
    | 'isOfLateMoney'
    | 'isGivenBack'
    | 'isCollected'
    | 'isRefundConfirmed'
    | 'hasSeveralRefunds'
  > {
  /** That the line names. */
  reference: string
  /** The payer's. */
  operator: string
  /** Of the payment, or of the refund. */
  createdAt: number
  validatedAt: number | null
  /** Of a refund. */
  endedAt: number | null
  /** 1 or 0. */
  isOfLateMoney: number
  isCollected: number
  isRefundConfirmed: number
  isGivenBack: number
  /** Whether the payment has exceptions that are open, or closed with a reason. */
  hasOpen: number
}

/** What entries have settled of what the network owes; what was taken back counts no more. */
const SETTLED = `case when e.credit = 'receivable' then e.amount_xof
   when e.debit = 'receivable' then -e.amount_xof else 0 end`

/**
 * A line that does not agree is booked as unexplained, and leaves the payment open for the right
 * one.
 */
const hasEntry = (kind: string, more = '', settled = SETTLED): string =>
  `case when coalesce((select sum(${settled}) from ledger_entries e
   where e.account_id = p.account_id
     and e.number = p.number and e.kind = '${kind}'${more}), 0) <> 0 then 1 else 0 end`

/**
 * Late money was never owed: the line of its refund is booked against the one of its collection.
 */
const SETTLED_OR_LATE = `case when r.request_reference is not null then e.amount_xof
  else ${SETTLED} end`

/** Or that a person has closed: a later line may explain them after all. */
const HAS_OPEN = `case when exists (select 1 from book_exceptions x
  where x.account_id = p.account_id
    and x.number = p.number and x.resolved_at is null)
  or exists (select 1 from book_exceptions x where x.account_id = p.account_id
    and x.number = p.number and x.reason is not null) then 1 else 0 end`

/**
 * Late money of a failed payment that was given back: a line shows its refund, and none its
 * collection.
 */
const isGivenBack = (reference: string): string => `case when p.status = 'failed' and coalesce((
    select sum(case when e.credit = 'wallet' then e.amount_xof when e.debit = 'wallet'
      then -e.amount_xof else 0 end)
    from refunds b join ledger_entries e on e.account_id = b.account_id and e.number = b.number
      and e.refund_reference = b.refund_reference and e.kind = 'refund_confirmed'
    where b.account_id = p.account_id and b.number = p.number
      and b.request_reference = ${reference}), 0) <> 0
  and not exists (select 1 from statement_lines s
    where s.account_id = p.account_id and s.number = p.number
    and s.type = 'collection' and s.is_matched = 1) then 1 else 0 end`

const CANDIDATE = columnsOf<FoundCandidate>({
  reference: 'reference',
  subject: 'kind',
  accountId: 'found.account_id',
  number: 'found.number',
  refundReference: 'refund_reference',
  status: 'status',
  amountXof: 'amount_xof',
  createdAt: 'found.created_at',
  validatedAt: 'validated_at',
  endedAt: 'ended_at',
  isOfLateMoney: 'is_late',
  isCollected: 'is_collected',
  isRefundConfirmed: 'is_confirmed',
  isGivenBack: 'is_given_back',
  hasOpen: 'has_open',
  operator: 'operator',
})

const REFUND = `
  select r.refund_reference as reference, 'refund' as kind, r.account_id, r.number,
    r.refund_reference, r.status,
    r.amount_xof, p.validated_at, r.ended_at, case when r.request_reference is null then 0 else 1
      end as is_late,
    ${hasEntry('collected')} as is_collected,
    ${hasEntry('refund_confirmed', ' and e.refund_reference = r.refund_reference', SETTLED_OR_LATE)}
      as is_confirmed,
    0 as is_given_back, ${HAS_OPEN} as has_open, p.operator, r.created_at
  from refunds r join payments p on p.account_id = r.account_id and p.number = r.number`

/**
 * A payment's own reference, that of an attempt on its link, or that of a refund; each has its
 * unique index.
 */
const namedBy = (reference: string, environment: string, connection: string): string => `
  select p.reference, 'payment' as kind, p.account_id, p.number, null as refund_reference, p.status,
    p.amount_xof,
    p.validated_at, cast(null as bigint) as ended_at, 0 as is_late,
      ${hasEntry('collected')} as is_collected,
    ${hasEntry('refund_confirmed')} as is_confirmed, ${isGivenBack(reference)} as is_given_back,
    ${HAS_OPEN} as has_open, p.operator, p.created_at
  from payments p where p.reference = ${reference} and p.environment = ${environment}
    and p.connection = ${connection} and p.attempt_reference is null
  union all
  select t.reference, 'payment', p.account_id, p.number, null,
    case when t.status = 'succeeded' then p.status
      else t.status end, coalesce(t.amount_xof, p.amount_xof),
    p.validated_at, null, 0, ${hasEntry('collected')}, ${hasEntry('refund_confirmed')},
      ${isGivenBack(reference)},
    ${HAS_OPEN}, t.operator, p.created_at
  from payment_attempts t join payments p on p.account_id = t.account_id and p.number = t.number
  where t.reference = ${reference} and p.environment = ${environment}
    and t.connection = ${connection}
  union all ${REFUND}
  where r.refund_reference = ${reference} and p.environment = ${environment}
    and p.connection = ${connection}`

const FIND_NAMED: SqlTexts = {
  sqlite: `select ${CANDIDATE} from (${namedBy(':own', ':environment', ':connection')}) as found`,
  postgres: `select ${CANDIDATE}
    from ${manyRows({ own: 'text', environment: 'text', connection: 'text' })}
    cross join lateral (${namedBy('given.own', 'given.environment', 'given.connection')}) as found`,
}

export async function findCandidates(
  tx: Transaction,
  { environment, connection }: ConnectionKey,
  references: readonly string[],
): Promise<Map<string, FoundCandidate>> {
  const rows = references.map((own) => ({ own, environment, connection }))
  const found = await tx.many<FoundCandidate>(FIND_NAMED, rows)
  return new Map(found.map((each) => [each.reference, each]))
}

const ofPayment = (accountId: string, number: string): string => `${REFUND}
  where r.account_id = ${accountId} and r.number = ${number} and r.request_reference is null
    and r.status <> 'failed'`

const FIND_REFUNDS: SqlTexts = {
  sqlite: `select ${CANDIDATE} from (${ofPayment(':accountId', ':number')}) as found
    order by reference`,
  postgres: `select ${CANDIDATE} from ${manyRows({ account_id: 'text', number: 'bigint' })}
    cross join lateral (${ofPayment('given.account_id', 'given.number')}) as found
    order by found.reference`,
}

/** The refunds of payments that have not failed, without those of late money. */
export async function findRefunds(
  tx: Transaction,
  payments: readonly Pick<Candidate, 'accountId' | 'number'>[],
): Promise<FoundCandidate[]> {
  return tx.many<FoundCandidate>(
    FIND_REFUNDS,
    payments.map(({ accountId, number }) => ({ accountId, number })),
  )
}

// Exceptions.

export type NewException = Omit<
  BookException,
  'exceptionId' | 'resolvedAt' | 'resolvedBy' | 'note' | 'reason'
> & {
  /** When its line is judged again. */
  dueAt?: number | null
  /** Of an exception about a refund. */
  refundReference?: string | null
  /** What it is about, so that the same exception is recorded once. */
  subject: string
}

export const exceptionIdOf = ({
  environment,
  connection,
  kind,
  subject,
}: Pick<NewException, 'environment' | 'connection' | 'kind' | 'subject'>): string =>
  `exc_${hash('sha256', `${environment} ${connection} ${kind} ${subject}`, 'hex').slice(0, 16)}`

const INSERT_EXCEPTIONS = insertTexts(
  'book_exceptions',
  {
    exception_id: 'text',
    environment: 'text',
    connection: 'text',
    kind: 'text',
    account_id: 'text',
    number: 'bigint',
    line_number: 'bigint',
    amount_xof: 'bigint',
    detail: 'text',
    at: 'bigint',
    due_at: 'bigint',
    refund_reference: 'text',
  },
  'on conflict do nothing',
)

export async function insertExceptions(
  tx: Transaction,
  exceptions: readonly NewException[],
): Promise<void> {
  const rows = exceptions.map((each) => ({
    exceptionId: exceptionIdOf(each),
    environment: each.environment,
    connection: each.connection,
    kind: each.kind,
    accountId: each.accountId,
    number: each.number,
    lineNumber: each.lineNumber,
    amountXof: each.amountXof,
    detail: each.detail,
    at: each.at,
    dueAt: each.dueAt ?? null,
    refundReference: each.refundReference ?? null,
  }))
  await tx.many(INSERT_EXCEPTIONS, rows)
}

const EXCEPTION = columnsOf<BookException>({
  environment: 'environment',
  connection: 'connection',
  exceptionId: 'exception_id',
  kind: 'kind',
  accountId: 'account_id',
  number: 'number',
  lineNumber: 'line_number',
  amountXof: 'amount_xof',
  detail: 'detail',
  at: 'at',
  resolvedAt: 'resolved_at',
  resolvedBy: 'resolved_by',
  note: 'note',
  reason: 'reason',
})

/** The oldest first: a person works through them. */
export const listOpenExceptions = (db: Queries, scope: Scope, most: number) =>
  db.read<BookException>(
    `select ${EXCEPTION} from book_exceptions
      where resolved_at is null${inScope(scope, 'account_id')}
     order by at, exception_id limit :most`,
    { most, ...scopeValues(scope) },
  )

/** An exception with its evidence from both sides. */
export interface Difference extends BookException {
  merchantName: string | null
  // The network's line.
  lineAt: number | null
  lineType: LineType | null
  lineAmountXof: number | null
  lineFeeXof: number | null
  networkReference: string | null
  ourReference: string | null
  counterparty: string | null
  lineText: string | null
  fileName: string | null
  rowNumber: number | null
  // Our payment.
  reference: string | null
  externalReference: string | null
  status: PaymentStatus | null
  paymentXof: number | null
  createdAt: number | null
  validatedAt: number | null
}

const DIFFERENCE = columnsOf<Difference>({
  environment: 'x.environment',
  connection: 'x.connection',
  exceptionId: 'x.exception_id',
  kind: 'x.kind',
  accountId: 'x.account_id',
  number: 'x.number',
  lineNumber: 'x.line_number',
  amountXof: 'x.amount_xof',
  detail: 'x.detail',
  at: 'x.at',
  resolvedAt: 'x.resolved_at',
  resolvedBy: 'x.resolved_by',
  note: 'x.note',
  reason: 'x.reason',
  networkReference: 'l.network_reference',
  ourReference: 'l.our_reference',
  counterparty: 'l.counterparty',
  rowNumber: 'l.row_number',
  reference: 'p.reference',
  externalReference: 'p.external_reference',
  status: 'p.status',
  createdAt: 'p.created_at',
  validatedAt: 'p.validated_at',
  merchantName: 'm.name',
  lineAt: 'l.booked_at',
  lineType: 'l.type',
  lineAmountXof: 'l.amount_xof',
  lineFeeXof: 'l.fee_xof',
  lineText: 'l.text',
  fileName: 'f.name',
  paymentXof: 'p.amount_xof',
})

export const DIFFERENCE_ORDERS = {
  oldest: 'x.at',
  newest: '-x.at',
  largest: '-x.amount_xof',
} as const

export type DifferenceOrder = keyof typeof DIFFERENCE_ORDERS

export interface DifferenceQuery {
  order: DifferenceOrder
  isOpen: boolean
  kind: ExceptionKind | undefined
  exceptionId?: string | undefined
}

/** After a place: what the order sorts by, and an id. */
export const listDifferences = (
  db: Queries,
  scope: Scope,
  { order, isOpen, kind, exceptionId }: DifferenceQuery,
  [value, id]: readonly [number, string],
  most: number,
) => {
  const sorted = DIFFERENCE_ORDERS[order]
  return db.read<Difference>(
    `select ${DIFFERENCE} from book_exceptions x
     left join statement_lines l on l.environment = x.environment and l.connection = x.connection
       and l.line_number = x.line_number
     left join statement_files f on f.file_id = l.file_id
     left join payments p on p.account_id = x.account_id and p.number = x.number
     left join accounts a on a.account_id = x.account_id
     left join merchants m on m.merchant_id = a.merchant_id
     where x.resolved_at is ${isOpen ? 'null' : 'not null'}
       and (${sorted}, x.exception_id) > (:value, :id)
       and x.kind = coalesce(:kind, x.kind)
       and x.exception_id = coalesce(:exceptionId, x.exception_id)${inScope(scope, 'x.account_id')}
     order by ${sorted}, x.exception_id limit :most`,
    {
      value,
      id,
      most,
      kind: kind ?? null,
      exceptionId: exceptionId ?? null,
      ...scopeValues(scope),
    },
  )
}

/** Counted up to `most`. */
export const countOpenExceptions = async (
  db: Queries,
  scope: Scope,
  most: number,
): Promise<number> =>
  (await firstValue<number>(
    db,
    `select count(*) from (select 1 from book_exceptions
     where resolved_at is null${inScope(scope)} limit :most) as open`,
    { most, ...scopeValues(scope) },
  )) ?? 0

export const closeException = (
  tx: Queries,
  scope: Scope,
  exceptionId: string,
  { at, by, note }: { at: number; by: string; note: string },
) =>
  firstReturned<{ accountId: string | null }>(
    tx,
    `update book_exceptions set resolved_at = :at, resolved_by = :by, note = :note, due_at = null
     where exception_id = :exceptionId and resolved_at is null${inScope(scope, 'account_id')}
     returning account_id as "accountId"`,
    { exceptionId, at, by, note, ...scopeValues(scope) },
  )

/** What a later line had explained, and nothing shows any more. */
export const reopenExplained = async (
  tx: Queries,
  exceptionIds: readonly string[],
): Promise<number> => {
  if (exceptionIds.length === 0) return 0
  const listed = listOf('exceptionId', padded(exceptionIds))
  return tx.change(
    `update book_exceptions set resolved_at = null, resolved_by = null, note = null
     where exception_id in (${listed.places}) and resolved_by like 'service:%' and reason is null`,
    listed.values,
  )
}

/** What had explained it does not any more. */
export const reopenException = (tx: Queries, exceptionId: string) =>
  tx.change(
    `update book_exceptions set resolved_at = null, resolved_by = null, note = null
     where exception_id = :exceptionId and resolved_at is not null and reason is null`,
    { exceptionId },
  )

/**
 * A later line has explained them. A network may name only the payment in the line of its refund.
 */
export const closeExplained = async (
  tx: Queries,
  {
    accountId,
    number,
    refundReference,
  }: Pick<Candidate, 'accountId' | 'number' | 'refundReference'>,
  kinds: readonly ExceptionKind[],
  { at, by }: { at: number; by: string },
): Promise<number> => {
  if (kinds.length === 0) return 0
  const listed = listOf('kind', kinds)
  return tx.change(
    `update book_exceptions set resolved_at = :at, resolved_by = :by, note = '', due_at = null
     where account_id = :accountId and number = :number and resolved_at is null
       and (coalesce(refund_reference, '') = :refund or (:refund = '' and kind = 'refund_missing'))
       and kind in (${listed.places})`,
    { accountId, number, at, by, refund: refundReference ?? '', ...listed.values },
  )
}

// Payments and refunds that a statement should have.

export interface CheckPlace extends ConnectionKey {
  accountId: string
  checkedEntry: number
}

const CHECK_PLACE = columnsOf<CheckPlace>({
  accountId: 'h.account_id',
  environment: 'a.environment',
  connection: 'cast(:connection as text)',
  checkedEntry: 'coalesce(c.checked_entry, 0)',
})

/** Accounts with entries that were not compared yet, in the order of their ids. */
export const listChecks = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  afterAccount: string,
  most: number,
) =>
  db.read<CheckPlace>(
    `select ${CHECK_PLACE}
     from ledger_heads h join accounts a on a.account_id = h.account_id
     left join statement_checks c on c.environment = :environment and c.connection = :connection
       and c.account_id = h.account_id
     where a.environment = :environment and h.account_id > :afterAccount
       and h.last_entry > coalesce(c.checked_entry, 0)
     order by h.account_id limit :most`,
    { environment, connection, afterAccount, most },
  )

export interface ExpectedEntry {
  entry: number
  connection: string
  day: number
  kind: string
  amountXof: number
  number: number | null
  refundReference: string | null
  /** 1 once a line has shown it. */
  isShown: number
}

/** A line with another amount is an exception itself; one that was taken back shows nothing. */
const shownBy = (kind: string, more: string): string =>
  `coalesce((select sum(case when c.debit = 'wallet' then c.amount_xof when c.credit = 'wallet'
   then -c.amount_xof
     else 0 end) from ledger_entries c
   where c.account_id = l.account_id and c.number = l.number and c.kind = '${kind}'${more}),
     0) <> 0`

/**
 * The next entries of an account, the oldest first. Chosen first: PostgreSQL would look into all
 * for the rest.
 */
export const listExpected = (db: Queries, { accountId, checkedEntry }: CheckPlace, most: number) =>
  db.read<ExpectedEntry>(
    `select ${columnsOf<ExpectedEntry>({
      entry: 'l.entry',
      connection: 'l.connection',
      day: 'l.day',
      kind: 'l.kind',
      amountXof: 'l.amount_xof',
      number: 'l.number',
      refundReference: 'l.refund_reference',
      isShown: `case when l.kind = 'payment' and ${shownBy('collected', '')} then 1
        when l.kind in ('refund', 'reversal') and ${shownBy('refund_confirmed', ' and (c.refund_reference is null or c.refund_reference = l.refund_reference)')} then 1
        else 0 end`,
    })}
     from (select * from ledger_entries where account_id = :accountId and entry > :checkedEntry
     order by entry limit :most) as l
     order by l.entry`,
    { accountId, checkedEntry, most },
  )

/** False when another process has moved it on. */
export async function moveCheck(
  tx: Queries,
  from: CheckPlace,
  checkedEntry: number,
): Promise<boolean> {
  const { environment, connection, accountId } = from
  const key = { environment, connection, accountId }
  await insertNew(tx, 'statement_checks', { ...key, checkedEntry: 0 })
  return updateOne(
    tx,
    'statement_checks',
    { ...key, checkedEntry: from.checkedEntry },
    { checkedEntry },
  )
}

/** The first and last day that the files of a connection cover; undefined before the first file. */
export const findCoveredDays = (db: Queries, { environment, connection }: ConnectionKey) =>
  firstRow<{ firstDay: number | null; lastDay: number | null }>(
    db,
    `select min(first_day) as "firstDay", max(last_day) as "lastDay" from statement_files
     where environment = :environment and connection = :connection and state = 'imported'
       and lines > 0`,
    { environment, connection },
  )

/** All entries are compared with the statements again. */
export const restartChecks = (tx: Queries, { environment, connection }: ConnectionKey) =>
  deleteRows(tx, 'statement_checks', { environment, connection })

// Balances from file to file.

export interface BalancedFile extends ConnectionKey {
  fileId: string
  openingXof: number
  closingXof: number
  firstDay: number
  firstAt: number
  lastAt: number
}

const BALANCED = columnsOf<BalancedFile>({
  environment: 'environment',
  connection: 'connection',
  fileId: 'file_id',
  openingXof: 'opening_xof',
  closingXof: 'closing_xof',
  firstDay: 'first_day',
  firstAt: 'first_at',
  lastAt: 'last_at',
})
const BEGINS = { before: ['<', 'desc'], at: ['=', 'desc'], after: ['>', 'asc'] } as const

/** The nearest imported file with balances that begins then, or before or after that. */
export const findBalancedFile = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  begins: keyof typeof BEGINS,
  at: number,
) => {
  const [than, order] = BEGINS[begins]
  return firstRow<BalancedFile>(
    db,
    `select ${BALANCED} from statement_files
     where environment = :environment and connection = :connection and state = 'imported'
       and opening_xof is not null
       and first_at ${than} :at
     order by first_at ${order}, last_at ${order} limit 1`,
    { environment, connection, at },
  )
}

/** What the lines between two times changed in the wallet, without both ends. */
export async function sumLinesBetween(
  db: Queries,
  { environment, connection }: ConnectionKey,
  after: number,
  before: number,
): Promise<number> {
  const sum = await firstValue<number>(
    db,
    `select cast(coalesce(sum(amount_xof - fee_xof - tax_xof), 0) as bigint) from statement_lines
     where environment = :environment and connection = :connection and booked_at > :after
       and booked_at < :before`,
    { environment, connection, after, before },
  )
  return sum ?? 0
}

/** Whether the wallet had this balance after some line. */
export const hasBalance = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  balanceXof: number,
) =>
  isAnyRow(
    db,
    `select 1 from statement_lines
     where environment = :environment and connection = :connection
       and balance_xof = :balanceXof limit 1`,
    { environment, connection, balanceXof },
  )

/** The openings of files that are open as exceptions. */
export async function listWrongOpenings(
  db: Queries,
  { environment, connection }: ConnectionKey,
): Promise<{ exceptionId: string; openingXof: number }[]> {
  const rows = await db.read<{ exceptionId: string; detail: string }>(
    `select exception_id as "exceptionId", detail from book_exceptions
     where environment = :environment and connection = :connection
       and kind = 'balance_does_not_add_up' and resolved_at is null`,
    { environment, connection },
  )
  return rows.map(({ exceptionId, detail }) => ({
    exceptionId,
    openingXof: JSON.parse(detail).opening,
  }))
}
