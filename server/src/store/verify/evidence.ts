// The whole store in slices, for `karba verify`: each statement reads a bounded number of rows, and
// sees them and what goes with them at one moment, so that a running server makes nothing look
// broken.

import type { LedgerAccount, LedgerSum } from '../../domain/ledger/ledger.ts'
import type { LineEvidence, PaymentEvidence } from '../../domain/verify/evidence.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf } from '../rows.ts'

const count = (from: string): string => `(select count(*) from ${from})`
const ofPayment = (table: string, alias: string): string =>
  `${table} ${alias} where ${alias}.account_id = p.account_id and ${alias}.number = p.number`

const booked = (kinds: string): string =>
  `(select cast(coalesce(sum(b.amount_xof), 0) as bigint)
   from ${ofPayment('ledger_entries', 'b')} and b.kind in (${kinds}))`

const sumOfRefunds = (status: string): string =>
  `(select cast(coalesce(sum(r.amount_xof), 0) as bigint) from ${ofPayment('refunds', 'r')}
    and r.status || '' ${status} and r.request_reference is null)`

const EVIDENCE = columnsOf<PaymentEvidence>({
  accountId: 'p.account_id',
  number: 'p.number',
  reference: 'p.reference',
  publicReference: 'p.public_reference',
  status: 'p.status',
  amountXof: 'p.amount_xof',
  validatedAt: 'p.validated_at',
  dueAt: 'p.due_at',
  attemptReference: 'p.attempt_reference',
  accounts: count('accounts a where a.account_id = p.account_id'),
  // The added expressions keep the engines from other indexes: the look-up must use that on the
  // reference.
  byReference: count(`payments q where q.reference = p.reference
    and q.account_id || '' = p.account_id and q.number + 0 = p.number`),
  byExternalReference: count(`payments q where q.account_id = p.account_id
    and q.external_reference = p.external_reference and q.number + 0 = p.number`),
  ownEvents: count(`${ofPayment('events', 'e')} and e.event = 'payment.' || p.status`),
  eventsRemoved: count(
    'feed_starts f where f.account_id = p.account_id and f.removed_until >= p.created_at',
  ),
  contradictingEvents: count(`${ofPayment('events', 'e')} and e.event <> 'payment.' || p.status
    and e.event like 'payment.%'
    and not (p.status = 'refunded' and e.event = 'payment.succeeded')
    and not (p.accepted_late_at is not null and e.event = 'payment.failed')`),
  links: count(ofPayment('payment_links', 'l')),
  attempts: count(ofPayment('payment_attempts', 't')),
  attemptStatus: `(select t.status from ${ofPayment('payment_attempts', 't')} and t.reference = p.attempt_reference)`,
  strayAttempts: count(`${ofPayment('payment_attempts', 't')} and t.status = 'pending'
    and t.reference <> coalesce(p.attempt_reference, '')`),
  refundsSucceeded: count(
    `${ofPayment('refunds', 'r')} and r.status || '' = 'succeeded' and r.request_reference is null`,
  ),
  refundsSucceededXof: sumOfRefunds("= 'succeeded'"),
  refundsReservedXof: sumOfRefunds("<> 'failed'"),
  reservedXof: 'p.refund_reserved_xof',
  refundedXof: 'p.refunded_xof',
  reversals: count(`${ofPayment('ledger_entries', 'b')} and b.kind = 'reversal'`),
  refundsPending: count(
    `${ofPayment('refunds', 'r')} and r.status || '' = 'pending' and r.request_reference is null`,
  ),
  refundsForgotten:
    count(`${ofPayment('refunds', 'r')} and r.status || '' = 'pending' and r.due_at is null
    and r.by_hand_since is null and r.approval_since is null`),
  bookedXof: booked("'payment'"),
  bookedBackXof: booked("'refund', 'reversal'"),
  owedXof: `(select cast(coalesce(sum(case when b.debit = 'receivable' then b.amount_xof
        when b.credit = 'receivable' then -b.amount_xof else 0 end), 0) as bigint)
      from ${ofPayment('ledger_entries', 'b')} and b.refund_reference is null
        and b.kind in ('payment', 'collected', 'closing'))`,
  strayLines:
    count(`${ofPayment('statement_lines', 's')} and s.type = 'collection' and s.is_matched = 0
      and s.amount_xof = p.amount_xof and not exists (select 1
      from ${ofPayment('book_exceptions', 'x')}
        and x.due_at is not null and (x.resolved_at is null or x.reason is not null))`),
  // An attempt's own id is in payment_attempts.
  networkIdOwner: `(select n.request_reference from network_ids n where p.attempt_reference is null
    and n.environment = p.environment and n.connection = p.connection
    and n.network_id = p.network_id)`,
  nextNumber: "(select c.next_free from counters c where c.name = 'payment_number')",
})

/** Where a slice begins: after this row, in the order of the account and of its numbers. */
export type After = { accountId: string; number: number }

export const listPaymentEvidence = (db: Queries, { accountId, number }: After, most: number) =>
  db.read<PaymentEvidence>(
    `select ${EVIDENCE} from payments p where (p.account_id, p.number) > (:accountId, :number)
     order by p.account_id, p.number limit :most`,
    { accountId, number, most },
  )

/** Only attempts with a prompt have their environment. */
const NETWORK_ID_OWNER = `(select n.request_reference from payments p
  join network_ids n on n.environment = p.environment and n.connection = t.connection
    and n.network_id = t.network_id
  where p.account_id = t.account_id and p.number = t.number)`

interface Belonging extends After {
  name: string
  payments: number
}

/** The payments that rows of a table belong to, each with the name of one of those rows. */
const listOwners =
  (table: string, name: string) =>
  (db: Queries, { accountId, number }: After, most: number) =>
    db.read<Belonging>(
      `select ${columnsOf<Belonging>({
        accountId: 'x.account_id',
        number: 'x.number',
        name: `min(x.${name})`,
        payments: count('payments p where p.account_id = x.account_id and p.number = x.number'),
      })}
       from ${table} x where (x.account_id, x.number) > (:accountId, :number)
       group by x.account_id, x.number order by x.account_id, x.number limit :most`,
      { accountId, number, most },
    )

export const listLinkOwners = listOwners('payment_links', 'reference')
export const listAttemptOwners = listOwners('payment_attempts', 'reference')
export const listRefundOwners = listOwners('refunds', 'refund_reference')

/**
 * The attempts of a payment of which one has a network's id that belongs to another request: `name`
 * is that attempt.
 */
export const listAttemptNetworkIds = (db: Queries, { accountId, number }: After, most: number) =>
  db.read<After & { name: string | null }>(
    `select ${columnsOf<After & { name: string | null }>({
      accountId: 't.account_id',
      number: 't.number',
      name: `min(case when ${NETWORK_ID_OWNER} <> t.reference then t.reference end)`,
    })}
     from payment_attempts t where (t.account_id, t.number) > (:accountId, :number)
     group by t.account_id, t.number order by t.account_id, t.number limit :most`,
    { accountId, number, most },
  )

interface NumberedEvent {
  accountId: string
  /** Its sequence in the account's feed. */
  number: number
  payments: number
  /** 1 for a test, or a statement. */
  isOfNoPayment: number
  event: string
  amountXof: number | null
  /** Events up to this one are removed. */
  removedTo: number
}

const REMOVED_TO = (table: string): string =>
  `coalesce((select s.removed_to from feed_starts s where s.account_id = ${table}.account_id), 0)`

const NUMBERED_EVENT = columnsOf<NumberedEvent>({
  accountId: 'e.account_id',
  event: 'e.event',
  number: 'e.sequence',
  payments: count('payments p where p.account_id = e.account_id and p.number = e.number'),
  isOfNoPayment: "case when e.event in ('webhook.test', 'statement.ready') then 1 else 0 end",
  amountXof:
    '(select p.amount_xof from payments p where p.account_id = e.account_id and p.number = e.number)',
  removedTo: REMOVED_TO('e'),
})

export const listEventEvidence = (db: Queries, { accountId, number }: After, most: number) =>
  db.read<NumberedEvent>(
    `select ${NUMBERED_EVENT}
     from events e where (e.account_id, e.sequence) > (:accountId, :number)
     order by e.account_id, e.sequence limit :most`,
    { accountId, number, most },
  )

/**
 * Heads whose last row is missing, or which have rows after their last. `found` is the last one
 * that is there.
 */
const listWithoutEnd = (
  db: Queries,
  [heads, last]: [string, string],
  [table, number]: [string, string],
  ofNone = '0',
) =>
  db.read<{ accountId: string; last: number; found: number }>(
    `select account_id as "accountId", ${last} as last, found from (
       select h.account_id, h.${last},
         coalesce((select max(r.${number}) from ${table} r
           where r.account_id = h.account_id), ${ofNone}) as found
       from ${heads} h) as ends where found <> ${last}`,
  )

export const listFeedsWithoutEnd = (db: Queries) =>
  listWithoutEnd(db, ['event_feeds', 'last_sequence'], ['events', 'sequence'], REMOVED_TO('h'))

export interface FigureEvidence {
  accountId: string
  /** The last event that is counted. */
  lastSequence: number
  outcome: string
  payments: number
  amountXof: number
}

const FIGURE_EVIDENCE = columnsOf<FigureEvidence>({
  accountId: 's.account_id',
  lastSequence: 's.last_sequence',
  outcome: "coalesce(f.outcome, '')",
  payments: 'cast(coalesce(sum(f.payments), 0) as bigint)',
  amountXof: 'cast(coalesce(sum(f.amount_xof), 0) as bigint)',
})

/** What the figures of each account add up to, and up to which event; one moment for both. */
export const listFigureEvidence = (db: Queries) =>
  db.read<FigureEvidence>(
    `select ${FIGURE_EVIDENCE}
     from payment_summaries s left join daily_figures f on f.account_id = s.account_id
     group by s.account_id, s.last_sequence, f.outcome`,
  )

interface PosterEvidence extends After {
  reference: string
  /** The totals of the poster, and those of its paid payments. */
  counted: number
  countedXof: number
  paid: number
  paidXof: number
}

const POSTER_EVIDENCE = columnsOf<PosterEvidence>({
  accountId: 'o.account_id',
  number: 'o.number',
  reference: 'o.reference',
  counted: 'o.payments_count',
  countedXof: 'o.collected_xof',
  paid: 'coalesce(s.paid, 0)',
  paidXof: 'coalesce(s.paid_xof, 0)',
})

export const listPosterEvidence = (db: Queries, { accountId, number }: After, most: number) =>
  db.read<PosterEvidence>(
    `select ${POSTER_EVIDENCE}
     from posters o left join (
       select l.account_id, l.poster_number, count(*) as paid,
         cast(sum(p.amount_xof - p.refunded_xof) as bigint) as paid_xof
       from payment_links l join payments p on p.account_id = l.account_id and p.number = l.number
       where l.poster_number is not null and p.status = 'succeeded'
       group by l.account_id, l.poster_number
     ) s on s.account_id = o.account_id and s.poster_number = o.number
     where (o.account_id, o.number) > (:accountId, :number)
     order by o.account_id, o.number limit :most`,
    { accountId, number, most },
  )

// The ledger.

interface EntryEvidence extends After {
  connection: string
  debit: LedgerAccount
  credit: LedgerAccount
  amountXof: number
  payments: number
}

const ENTRY_EVIDENCE = columnsOf<EntryEvidence>({
  accountId: 'l.account_id',
  connection: 'l.connection',
  debit: 'l.debit',
  credit: 'l.credit',
  amountXof: 'l.amount_xof',
  number: 'l.entry',
  payments: `case when l.number is null then 1 else ${count('payments p where p.account_id = l.account_id and p.number = l.number')} end`,
})

/** `number` is the entry's own. */
export const listEntryEvidence = (db: Queries, { accountId, number }: After, most: number) =>
  db.read<EntryEvidence>(
    `select ${ENTRY_EVIDENCE}
     from ledger_entries l where (l.account_id, l.entry) > (:accountId, :number)
     order by l.account_id, l.entry limit :most`,
    { accountId, number, most },
  )

const ofLine = (table: string, alias: string): string =>
  `${table} ${alias}
   where ${alias}.connection = l.connection and ${alias}.line_number = l.line_number`

const bookedOfLine = (account: string, more = ''): string =>
  `(select cast(coalesce(sum(case when b.debit = '${account}' then b.amount_xof
   when b.credit = '${account}'
      then -b.amount_xof else 0 end), 0) as bigint)
    from ${ofLine('ledger_entries', 'b')} and b.account_id = l.account_id${more})`

const differencesOfLine = `${ofLine('book_exceptions', 'x')} and x.environment = l.environment`

/** The connection as `environment/name` in place of an account: lines are numbered within it. */
export const listLineEvidence = (
  db: Queries,
  { accountId: source, number }: After,
  most: number,
) => {
  const [environment = '', connection = ''] = source.split('/')
  return db.read<LineEvidence & After>(
    `select ${columnsOf<LineEvidence & After>({
      environment: 'l.environment',
      connection: 'l.connection',
      lineNumber: 'l.line_number',
      accountId: 'l.account_id',
      number: 'l.line_number',
      netXof: 'l.amount_xof - l.fee_xof - l.tax_xof',
      // The bank's receipt of a settlement is an entry of the same line, and moves nothing in the
      // wallet.
      walletXof: bookedOfLine('wallet'),
      unexplainedXof: `0 - ${bookedOfLine('unexplained')}`,
      isTakenBack: `case when exists (select 1
        from ${differencesOfLine} and x.reason = 'duplicate_of_file')
        then 1 else 0 end`,
      isExplained: "case when l.is_matched = 1 and l.type <> 'settlement' then 1 else 0 end",
      openDifferences: count(`${differencesOfLine} and x.resolved_at is null`),
      differenceId: `(select max(x.exception_id) from ${differencesOfLine})`,
    })}
     from statement_lines l
     where (l.environment, l.connection, l.line_number) > (:environment, :connection, :number)
     order by l.environment, l.connection, l.line_number limit :most`,
    { environment, connection, number, most },
  )
}

export const listBooksWithoutEnd = (db: Queries) =>
  listWithoutEnd(db, ['ledger_heads', 'last_entry'], ['ledger_entries', 'entry'])

export interface BalanceEvidence extends LedgerSum {
  accountId: string
  /** The last entry that is counted. */
  summedEntry: number
}

const BALANCE_EVIDENCE = columnsOf<BalanceEvidence>({
  accountId: 's.account_id',
  summedEntry: 's.summed_entry',
  connection: "coalesce(d.connection, '')",
  ledgerAccount: "coalesce(d.ledger_account, 'sales')",
  debitXof: 'cast(coalesce(sum(d.debit_xof), 0) as bigint)',
  creditXof: 'cast(coalesce(sum(d.credit_xof), 0) as bigint)',
})

/** What the daily sums of each account add up to, and up to which entry; one moment for both. */
export const listBalanceEvidence = (db: Queries) =>
  db.read<BalanceEvidence>(
    `select ${BALANCE_EVIDENCE}
     from payment_summaries s left join ledger_days d on d.account_id = s.account_id
     group by s.account_id, s.summed_entry, d.connection, d.ledger_account`,
  )

/** How many entries were ever written, and the last that is there; one moment for both. */
export async function findAuditEnd(db: Queries): Promise<{ written: number; last: number }> {
  const [end] = await db.read<{ written: number; last: number }>(
    `select coalesce((select next_free from counters where name = 'audit'), 0) as written,
       coalesce((select max(entry) from audit_log), -1) as last`,
  )
  return end as { written: number; last: number }
}
