// Numbers that move when something of an account changes: for pages that are open, which are told what to read again.
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'
import { padded } from '../engine/padded.ts'

export interface AccountMarks {
  accountId: string
  newestPayment: number
  lastSequence: number
  lastReplay: number
  /** Up to which event the figures count. */
  counted: number
  /** Moves with every attempt to deliver something. */
  endpoints: number
}

const MARKS = columns<AccountMarks>({
  accountId: 'a.account_id',
  newestPayment: 'coalesce((select max(p.number) from payments p where p.account_id = a.account_id), -1)',
  lastSequence: 'coalesce(f.last_sequence, 0)',
  lastReplay: 'coalesce(f.last_replay, 0)',
  counted: 'coalesce(s.last_sequence, 0)',
  endpoints: `cast(coalesce((select sum(coalesce(w.due_at, 0) % 1000003 + coalesce(w.claimed_until, 0) % 1000003
    + coalesce(w.failing_since, 0) % 1000003) from webhook_endpoints w where w.account_id = a.account_id), 0) as bigint)`,
})

export function listMarks(db: Queries, accountIds: readonly string[]): Promise<AccountMarks[]> {
  const asked = padded(accountIds)
  return db.rows<AccountMarks>(
    `select ${MARKS} from accounts a left join event_feeds f on f.account_id = a.account_id
     left join payment_summaries s on s.account_id = a.account_id
     where a.account_id in (${asked.map((_, at) => `$${at + 1}`).join(', ')})`,
    asked,
  )
}
