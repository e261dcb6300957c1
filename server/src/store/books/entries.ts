// The ledger: entries are added in the commit of the state that they report, and never changed.
// Numbered within the account without a gap, so that a missing entry shows.
import type {
  EntryKind,
  LedgerSum,
  ListedEntry,
  MoneyPlace,
  NewEntry,
} from '../../domain/ledger/ledger.ts'
import type { PaymentEntry } from '../../domain/payments/payment-money.ts'
import type { Queries, Transaction } from '../engine/database.ts'
import { columnsOf, firstValue, insertTexts, listOf, padded } from '../rows.ts'

const TAKE = insertTexts(
  'ledger_heads',
  {
    account_id: 'text',
    last_entry: 'bigint',
  },
  `on conflict (account_id) do update set last_entry = ledger_heads.last_entry + excluded.last_entry
   returning account_id as "accountId", last_entry as "lastEntry"`,
)

const INSERT = insertTexts('ledger_entries', {
  account_id: 'text',
  entry: 'bigint',
  connection: 'text',
  booked_at: 'bigint',
  day: 'bigint',
  kind: 'text',
  debit: 'text',
  credit: 'text',
  amount_xof: 'bigint',
  number: 'bigint',
  refund_reference: 'text',
  line_number: 'bigint',
  made_by: 'text',
  corrects: 'bigint',
})

/**
 * Call it last in a transaction: it locks the accounts’ books until the commit, in one order for
 * all processes. Returns the last entry of each account.
 */
export async function insertEntries(
  tx: Transaction,
  entries: readonly NewEntry[],
): Promise<ReadonlyMap<string, number>> {
  if (entries.length === 0) return new Map()
  const countOf = new Map<string, number>()
  for (const { accountId } of entries) countOf.set(accountId, (countOf.get(accountId) ?? 0) + 1)
  const heads = await tx.many<{ accountId: string; lastEntry: number }>(
    TAKE,
    [...countOf]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([accountId, lastEntry]) => ({ accountId, lastEntry })),
  )
  const nextOf = new Map(
    heads.map(({ accountId, lastEntry }) => [
      accountId,
      lastEntry - (countOf.get(accountId) as number),
    ]),
  )
  const rows = entries.map((each) => {
    const entry = (nextOf.get(each.accountId) as number) + 1
    nextOf.set(each.accountId, entry)
    return {
      accountId: each.accountId,
      entry,
      connection: each.connection,
      bookedAt: each.bookedAt,
      day: each.day,
      kind: each.kind,
      debit: each.debit,
      credit: each.credit,
      amountXof: each.amountXof,
      number: each.number,
      refundReference: each.refundReference,
      lineNumber: each.lineNumber,
      madeBy: each.madeBy,
      corrects: each.corrects ?? null,
    }
  })
  await tx.many(INSERT, rows)
  return new Map(heads.map(({ accountId, lastEntry }) => [accountId, lastEntry]))
}

const ENTRY = columnsOf<ListedEntry>({
  accountId: 'l.account_id',
  entry: 'l.entry',
  connection: 'l.connection',
  bookedAt: 'l.booked_at',
  day: 'l.day',
  kind: 'l.kind',
  debit: 'l.debit',
  credit: 'l.credit',
  amountXof: 'l.amount_xof',
  number: 'l.number',
  refundReference: 'l.refund_reference',
  lineNumber: 'l.line_number',
  madeBy: 'l.made_by',
  corrects: 'l.corrects',
  reference: 'p.reference',
})

/** The oldest first, after an entry. */
export const listEntriesAfter = (db: Queries, accountId: string, after: number, most: number) =>
  db.read<ListedEntry>(
    `select ${ENTRY} from ledger_entries l left join payments p on p.account_id = l.account_id
      and p.number = l.number
     where l.account_id = :accountId and l.entry > :after order by l.entry limit :most`,
    { accountId, after, most },
  )

/** Whole entries of payments with these numbers, the oldest first. */
export function listEntriesOf(
  db: Queries,
  accountId: string,
  numbers: readonly number[],
): Promise<ListedEntry[]> {
  const asked = listOf('number', padded(numbers))
  return db.read<ListedEntry>(
    `select ${ENTRY} from ledger_entries l left join payments p on p.account_id = l.account_id
      and p.number = l.number
     where l.account_id = :accountId and l.number in (${asked.places}) order by l.entry`,
    { accountId, ...asked.values },
  )
}

/** Whole entries of a line of a statement, the oldest first. */
export const listEntriesOfLine = (
  db: Queries,
  {
    accountId,
    connection,
    lineNumber,
  }: { accountId: string; connection: string; lineNumber: number },
) =>
  db.read<ListedEntry>(
    `select ${ENTRY} from ledger_entries l left join payments p on p.account_id = l.account_id
      and p.number = l.number
     where l.account_id = :accountId and l.connection = :connection
     and l.line_number = :lineNumber order by l.entry`,
    { accountId, connection, lineNumber },
  )

/** Whole entries from one to another, the oldest first. */
export const listEntriesBetween = (db: Queries, accountId: string, first: number, last: number) =>
  db.read<ListedEntry>(
    `select ${ENTRY} from ledger_entries l left join payments p on p.account_id = l.account_id
      and p.number = l.number
     where l.account_id = :accountId and l.entry >= :first and l.entry <= :last order by l.entry`,
    { accountId, first, last },
  )

/** Every entry up to it is there. 0 for an account without entries. */
export const findLastEntry = async (db: Queries, accountId: string): Promise<number> =>
  (await firstValue<number>(
    db,
    'select last_entry from ledger_heads where account_id = :accountId',
    { accountId },
  )) ?? 0

const PAYMENT_ENTRY = columnsOf<PaymentEntry>({
  number: 'number',
  kind: 'kind',
  debit: 'debit',
  credit: 'credit',
  amountXof: 'amount_xof',
  refundReference: 'refund_reference',
  bookedAt: 'booked_at',
})

/** Of payments with these numbers, the oldest first. */
export function listPaymentEntries(
  db: Queries,
  accountId: string,
  numbers: readonly number[],
): Promise<PaymentEntry[]> {
  const asked = listOf('number', padded(numbers))
  return db.read<PaymentEntry>(
    `select ${PAYMENT_ENTRY} from ledger_entries where account_id = :accountId
      and number in (${asked.places})
     order by entry`,
    { accountId, ...asked.values },
  )
}

// The sums of each day, which only the worker writes.

const ADD = insertTexts(
  'ledger_days',
  {
    account_id: 'text',
    connection: 'text',
    day: 'bigint',
    ledger_account: 'text',
    debit_xof: 'bigint',
    credit_xof: 'bigint',
  },
  `on conflict (account_id, connection, day, ledger_account) do update set
   debit_xof = ledger_days.debit_xof + excluded.debit_xof,
     credit_xof = ledger_days.credit_xof + excluded.credit_xof`,
)

/** Each day, connection and ledger account once at most. */
export async function addDaySums(
  tx: Transaction,
  accountId: string,
  sums: readonly (LedgerSum & { day: number })[],
): Promise<void> {
  const rows = sums.map(({ connection, day, ledgerAccount, debitXof, creditXof }) => ({
    accountId,
    connection,
    day,
    ledgerAccount,
    debitXof,
    creditXof,
  }))
  await tx.many(ADD, rows)
}

/**
 * The upper limit is for PostgreSQL: without it, it expects a third of the entries and reads the
 * whole table.
 */
const NOT_SUMMED = `account_id = :accountId
  and entry > coalesce((select s.summed_entry from payment_summaries s
    where s.account_id = :accountId), 0)
  and entry < ${Number.MAX_SAFE_INTEGER}`

const LEDGER_SUM = columnsOf<LedgerSum>({
  connection: 'connection',
  ledgerAccount: 'ledger_account',
  debitXof: 'cast(sum(debit_xof) as bigint)',
  creditXof: 'cast(sum(credit_xof) as bigint)',
})

/**
 * What all entries add up to, at one moment: the sums of the days, and the entries that they do not
 * count yet.
 */
export const listBalances = (db: Queries, accountId: string) =>
  db.read<LedgerSum>(
    `select ${LEDGER_SUM} from (
       select connection, ledger_account, debit_xof, credit_xof from ledger_days
       where account_id = :accountId
       union all
       select connection, debit, amount_xof, 0 from ledger_entries where ${NOT_SUMMED}
       union all
       select connection, credit, 0, amount_xof from ledger_entries where ${NOT_SUMMED}
     ) as sums group by connection, ledger_account order by connection, ledger_account`,
    { accountId },
  )

// The ledger entries behind each amount of "Where is my money": newest first, and what waits for
// the network's statement.

export interface MoneyEntry {
  entry: number
  connection: string
  bookedAt: number
  day: number
  kind: EntryKind
  /** What the place gained by it; negative for what it lost. */
  amountXof: number
  /** The payment's; null where there is none. */
  reference: string | null
  publicReference: string | null
}

export interface EntryWindow {
  accountId: string
  place: MoneyPlace
  /** Null for every connection. */
  connection: string | null
  /** Of a place that is a wallet: whose connections it counts. */
  wallets: 'all' | 'own' | 'of_service'
  /** The entries from `bottom` up to, and without, `top`. */
  top: number
  bottom: number
}

const MONEY_ENTRY = columnsOf<MoneyEntry>({
  entry: 'l.entry',
  connection: 'l.connection',
  bookedAt: 'l.booked_at',
  day: 'l.day',
  kind: 'l.kind',
  reference: 'p.reference',
  publicReference: 'p.public_reference',
  amountXof: 'case when l.debit = :debit then l.amount_xof else -l.amount_xof end',
})

/**
 * Whether no line of a statement has confirmed a payment or refund `l`; `which` limits the
 * confirming entries `c`.
 */
export function notConfirmed(which: string): string {
  const isOfPayment = `c.account_id = l.account_id and c.number = l.number
    and 'receivable' in (c.debit, c.credit)`
  const isOfRefund = `coalesce(c.refund_reference, '') = coalesce(l.refund_reference, '')`
  // What was taken back confirms nothing.
  const settled = "case when c.credit = 'receivable' then c.amount_xof else -c.amount_xof end"
  const confirming = `select sum(${settled}) from ledger_entries c
    where ${isOfPayment} and ${which}`
  return `(l.kind = 'payment' and coalesce((${confirming} and c.kind = 'collected'), 0) = 0
    or l.kind in ('refund', 'reversal')
      and coalesce((${confirming} and c.kind = 'refund_confirmed' and ${isOfRefund}), 0) = 0)`
}

/** Together these are the balance of `receivable`. */
const NOT_CONFIRMED = ` and ${notConfirmed('true')}`

const WHOSE: Readonly<Record<EntryWindow['wallets'], string>> = {
  all: '',
  // The names of merchants' own connections (domain/merchants/merchant-connection.ts).
  own: " and substr(l.connection, 1, 4) = 'con_'",
  of_service: " and substr(l.connection, 1, 4) <> 'con_'",
}

export const listEntriesAt = (
  db: Queries,
  { place, wallets, ...window }: EntryWindow,
  most: number,
) =>
  db.read<MoneyEntry>(
    `select ${MONEY_ENTRY} from ledger_entries l
      left join payments p on p.account_id = l.account_id and p.number = l.number
     where l.account_id = :accountId and l.entry < :top and l.entry >= :bottom
     and (l.debit = :debit or l.credit = :debit)
       and (cast(:connection as text) is null
       or l.connection =
       :connection)${place === 'receivable' ? NOT_CONFIRMED : ''}${WHOSE[wallets]}
     order by l.entry desc limit :most`,
    {
      accountId: window.accountId,
      top: window.top,
      bottom: window.bottom,
      debit: place === 'at_service' ? 'wallet' : place,
      connection: window.connection,
      most,
    },
  )
