// How far the worker has followed each account, and what comes next. Moving on names the place that it leaves: of two processes one counts.
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface SummaryPlace {
  accountId: string
  lastSequence: number
  indexedNumber: number
}

export interface Followed extends SummaryPlace {
  /** The end of the account's feed. */
  feedEnd: number
  /** When the first payment was created that is not indexed; null when all are. */
  nextCreatedAt: number | null
}

const PLACE = columns<SummaryPlace>({
  accountId: 'a.account_id',
  lastSequence: 'coalesce(s.last_sequence, 0)',
  indexedNumber: 'coalesce(s.indexed_number, -1)',
})
const END = columns<Omit<Followed, keyof SummaryPlace>>({
  feedEnd: 'coalesce((select f.last_sequence from event_feeds f where f.account_id = a.account_id), 0)',
  nextCreatedAt: `(select p.created_at from payments p where p.account_id = a.account_id
    and p.number > coalesce(s.indexed_number, -1) order by p.number limit 1)`,
})

/** The next accounts, in the order of their ids. */
export const listFollowed = (db: Queries, afterAccount: string, most: number): Promise<Followed[]> =>
  db.rows<Followed>(
    `select ${PLACE}, ${END} from accounts a left join payment_summaries s on s.account_id = a.account_id
     where a.account_id > $1 order by a.account_id limit $2`,
    [afterAccount, most],
  )

export async function findSummaryPlace(db: Queries, accountId: string): Promise<SummaryPlace> {
  const [place] = await db.rows<SummaryPlace>(
    `select ${PLACE} from accounts a left join payment_summaries s on s.account_id = a.account_id where a.account_id = $1`,
    [accountId],
  )
  return place ?? { accountId, lastSequence: 0, indexedNumber: -1 }
}

/** Locks the account's place until the commit. False when another process has moved it on. */
export async function moveSummary(tx: Queries, from: SummaryPlace, to: SummaryPlace): Promise<boolean> {
  await tx.change('insert into payment_summaries (account_id) values ($1) on conflict do nothing', [from.accountId])
  const changed = await tx.change(
    `update payment_summaries set last_sequence = $4, indexed_number = $5
     where account_id = $1 and last_sequence = $2 and indexed_number = $3`,
    [from.accountId, from.lastSequence, from.indexedNumber, to.lastSequence, to.indexedNumber],
  )
  return changed === 1
}

/** Keeps the worker from the account until the commit. */
export async function holdSummary(tx: Queries, accountId: string): Promise<void> {
  await tx.change('update payment_summaries set last_sequence = last_sequence where account_id = $1', [accountId])
}

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
}

const EVENT = columns<FollowedEvent>({
  sequence: 'e.sequence',
  event: 'e.event',
  createdAt: 'e.created_at',
  number: 'e.number',
  amountXof: 'p.amount_xof',
  operator: 'p.operator',
  failureReason: 'p.failure_reason',
  attemptReference: 'p.attempt_reference',
  msisdn: 'p.msisdn',
  customerName: 'p.customer_name',
})

export const listFollowedEvents = (
  db: Queries,
  accountId: string,
  after: number,
  most: number,
): Promise<FollowedEvent[]> =>
  db.rows<FollowedEvent>(
    `select ${EVENT} from events e left join payments p on p.account_id = e.account_id and p.number = e.number
     where e.account_id = $1 and e.sequence > $2 order by e.sequence limit $3`,
    [accountId, after, most],
  )
