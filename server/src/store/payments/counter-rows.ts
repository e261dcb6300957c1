// What a counter screen shows: payments in the order of their events. Reads the end of a payer's
// number, never all of it.

import type { Queries } from '../engine/database.ts'
import { columnsOf } from '../rows.ts'
import { type FeedPosition, seenPositions } from '../webhooks/events.ts'
import { REFUNDED_XOF } from './payments.ts'

export interface CounterEvent extends FeedPosition {
  event: string
  publicReference: string
  amountXof: number
  refundedXof: number
  /** Null until it has succeeded. */
  validatedAt: number | null
  operator: string | null
  /** At most the last four characters. */
  numberEnd: string | null
}

const EVENT = columnsOf<CounterEvent>({
  publicReference: 'p.public_reference',
  amountXof: 'p.amount_xof',
  validatedAt: 'p.validated_at',
  operator: 'p.operator',
  accountId: 'e.account_id',
  sequence: 'e.sequence',
  event: 'e.event',
  refundedXof: REFUNDED_XOF,
  // Of the number without its spaces, not as the merchant wrote it.
  numberEnd:
    'substr(p.msisdn, case when length(p.msisdn) > 4 then length(p.msisdn) - 3 else 1 end)',
})

/** What one look reads at most; the next one goes on from there. */
const MOST_AT_ONCE = 2_000

/**
 * The events after these positions, for all accounts in one query; those that are about no payment
 * are left out.
 */
export function listCounterEvents(
  db: Queries,
  positions: readonly FeedPosition[],
): Promise<CounterEvent[]> {
  const { seen, values } = seenPositions(positions)
  return db.read<CounterEvent>(
    `with ${seen} select ${EVENT} from seen
     join events e on e.account_id = seen.account and e.sequence > seen.last
     join payments p on p.account_id = e.account_id and p.number = e.number
     order by e.account_id, e.sequence limit ${MOST_AT_ONCE}`,
    values,
  )
}

/** The newest events of an account, the oldest first. */
export const listNewestCounterEvents = (db: Queries, accountId: string, most: number) =>
  db.read<CounterEvent>(
    `select * from (select ${EVENT} from events e
       join payments p on p.account_id = e.account_id and p.number = e.number
       where e.account_id = :accountId order by e.sequence desc limit :most) as newest
         order by sequence`,
    { accountId, most },
  )
