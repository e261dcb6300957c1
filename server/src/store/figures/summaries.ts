// The worker's position in each account's feed. An update names the one it leaves: of two processes
// one counts.
import { FAILING_AFTER } from '../../domain/webhooks/webhook-event.ts'
import type { Queries, Transaction } from '../engine/database.ts'
import { columnsOf, firstRow, insertNew, insertTexts, listOf, padded, updateOne } from '../rows.ts'

export interface SummaryPlace {
  accountId: string
  lastSequence: number
  indexedNumber: number
  /** The last ledger entry that the sums of the days count. */
  summedEntry: number
}

export interface Followed extends SummaryPlace {
  feedEnd: number
  lastEntry: number
  /** When the first payment was created that is not indexed; null when all are. */
  nextCreatedAt: number | null
}

const PLACE = columnsOf<SummaryPlace>({
  accountId: 'a.account_id',
  lastSequence: 'coalesce(s.last_sequence, 0)',
  indexedNumber: 'coalesce(s.indexed_number, -1)',
  summedEntry: 'coalesce(s.summed_entry, 0)',
})
const END = columnsOf<Omit<Followed, keyof SummaryPlace>>({
  feedEnd:
    'coalesce((select f.last_sequence from event_feeds f where f.account_id = a.account_id), 0)',
  lastEntry:
    'coalesce((select h.last_entry from ledger_heads h where h.account_id = a.account_id), 0)',
  nextCreatedAt: `(select p.created_at from payments p where p.account_id = a.account_id
    and p.number > coalesce(s.indexed_number, -1) order by p.number limit 1)`,
})

/** The next accounts, in the order of their ids. */
export const listFollowed = (db: Queries, afterAccount: string, most: number) =>
  db.read<Followed>(
    `select ${PLACE}, ${END} from accounts a
      left join payment_summaries s on s.account_id = a.account_id
     where a.account_id > :afterAccount order by a.account_id limit :most`,
    { afterAccount, most },
  )

export async function findSummaryPlace(db: Queries, accountId: string): Promise<SummaryPlace> {
  const place = await firstRow<SummaryPlace>(
    db,
    `select ${PLACE} from accounts a left join payment_summaries s on s.account_id = a.account_id
     where a.account_id = :accountId`,
    { accountId },
  )
  return place ?? { accountId, lastSequence: 0, indexedNumber: -1, summedEntry: 0 }
}

/** Locks the account's place until the commit. False when another process has moved it on. */
export async function moveSummary(
  tx: Queries,
  from: SummaryPlace,
  to: SummaryPlace,
): Promise<boolean> {
  const { accountId, lastSequence, indexedNumber, summedEntry } = from
  const next = {
    lastSequence: to.lastSequence,
    indexedNumber: to.indexedNumber,
    summedEntry: to.summedEntry,
  }
  await insertNew(tx, 'payment_summaries', { accountId })
  return updateOne(
    tx,
    'payment_summaries',
    { accountId, lastSequence, indexedNumber, summedEntry },
    next,
  )
}

/** Keeps the worker from the account until the commit. */
export const holdSummary = (tx: Queries, accountId: string) =>
  tx.change(
    'update payment_summaries set last_sequence = last_sequence where account_id = :accountId',
    { accountId },
  )

export interface FollowedEvent {
  sequence: number
  event: string
  createdAt: number
  number: number
  /** Null for an event that is about no payment: a test. */
  amountXof: number | null
  operator: string | null
  failureReason: string | null
  attemptReference: string | null
  msisdn: string | null
  customerName: string | null
  externalReference: string | null
  clientReference: string | null
  operatorReference: string | null
}

const EVENT_FIELDS = {
  amountXof: 'p.amount_xof',
  operator: 'p.operator',
  failureReason: 'p.failure_reason',
  attemptReference: 'p.attempt_reference',
  msisdn: 'p.msisdn',
  customerName: 'p.customer_name',
  externalReference: 'p.external_reference',
  clientReference: 'p.client_reference',
  operatorReference: 'p.operator_reference',
}
const EVENT = columnsOf<FollowedEvent>({
  ...EVENT_FIELDS,
  sequence: 'e.sequence',
  event: 'e.event',
  createdAt: 'e.created_at',
  number: 'e.number',
})

export const listFollowedEvents = (db: Queries, accountId: string, after: number, most: number) =>
  db.read<FollowedEvent>(
    `select ${EVENT} from events e left join payments p on p.account_id = e.account_id
      and p.number = e.number
     where e.account_id = :accountId and e.sequence > :after order by e.sequence limit :most`,
    { accountId, after, most },
  )

// The amounts of an account by day, operator and outcome. Only the worker writes them.

export type FigureOutcome = 'succeeded' | 'failed' | 'refunded'

export interface Figure {
  day: number
  /** Empty for a link without an attempt. */
  operator: string
  outcome: FigureOutcome
  /** Empty unless it failed. */
  reason: string
  payments: number
  amountXof: number
}

const ADD = insertTexts(
  'daily_figures',
  {
    account_id: 'text',
    day: 'bigint',
    operator: 'text',
    outcome: 'text',
    reason: 'text',
    payments: 'bigint',
    amount_xof: 'bigint',
  },
  `on conflict (account_id, day, operator, outcome, reason) do update set
   payments = daily_figures.payments + excluded.payments,
     amount_xof = daily_figures.amount_xof + excluded.amount_xof`,
)

/** Each day, operator, outcome and reason once at most. */
export async function addFigures(
  tx: Transaction,
  accountId: string,
  figures: readonly Figure[],
): Promise<void> {
  const rows = figures.map(({ day, operator, outcome, reason, payments, amountXof }) => ({
    accountId,
    day,
    operator,
    outcome,
    reason,
    payments,
    amountXof,
  }))
  await tx.many(ADD, rows)
}

const FIGURE = columnsOf<Figure>({
  day: 'day',
  operator: 'operator',
  outcome: 'outcome',
  reason: 'reason',
  payments: 'payments',
  amountXof: 'amount_xof',
})

/** From a day on, the oldest first. */
export const listFigures = (db: Queries, accountId: string, fromDay: number) =>
  db.read<Figure>(
    `select ${FIGURE} from daily_figures where account_id = :accountId and day >= :fromDay
      order by day`,
    { accountId, fromDay },
  )

// Numbers that change with an account, by which open pages learn what to read again.

export interface AccountMarks {
  accountId: string
  newestPayment: number
  lastSequence: number
  lastReplay: number
  /** Up to which event the figures count. */
  counted: number
  /** Moves with every attempt to deliver something. */
  endpoints: number
  /** Moves when an endpoint begins to fail, or works again. */
  failing: number
}

const MARKS = columnsOf<AccountMarks>({
  accountId: 'a.account_id',
  newestPayment:
    'coalesce((select max(p.number) from payments p where p.account_id = a.account_id), -1)',
  lastSequence: 'coalesce(f.last_sequence, 0)',
  lastReplay: 'coalesce(f.last_replay, 0)',
  counted: 'coalesce(s.last_sequence, 0)',
  endpoints: `cast(coalesce((select sum(coalesce(w.due_at, 0) % 1000003 + coalesce(w.claimed_until,
    0) % 1000003
    + coalesce(w.failing_since, 0) % 1000003) from webhook_endpoints w
      where w.account_id = a.account_id), 0) as bigint)`,
  failing: `cast(coalesce((select sum(w.failing_since % 1000003 + case
    when w.failures >= ${FAILING_AFTER.failures} then 1 else 0 end)
    from webhook_endpoints w where w.account_id = a.account_id), 0) as bigint)`,
})

export function listMarks(db: Queries, accountIds: readonly string[]): Promise<AccountMarks[]> {
  const asked = listOf('accountId', padded(accountIds))
  return db.read<AccountMarks>(
    `select ${MARKS} from accounts a left join event_feeds f on f.account_id = a.account_id
     left join payment_summaries s on s.account_id = a.account_id
     where a.account_id in (${asked.places})`,
    asked.values,
  )
}
