// Changes of where a merchant's money goes. Of one thing at most one waits.

import type { MoneyChange, MoneyChangeState } from '../../domain/merchants/money-change.ts'
import type { Scope } from '../../domain/people/caller.ts'
import type { Queries } from '../engine/database.ts'
import {
  columnsOf,
  firstRow,
  inScope,
  insertRow,
  scopeValues,
  updateOne,
  updateRows,
} from '../rows.ts'

const CHANGE = columnsOf<MoneyChange>({
  accountId: 'account_id',
  changeId: 'change_id',
  kind: 'kind',
  subject: 'subject',
  detail: 'detail',
  credentials: 'credentials',
  askedBy: 'asked_by',
  askedAt: 'asked_at',
  endsAt: 'ends_at',
  state: 'state',
  decidedBy: 'decided_by',
  decidedAt: 'decided_at',
})

export const insertMoneyChange = (tx: Queries, change: MoneyChange): Promise<void> =>
  insertRow(tx, 'money_changes', { ...change })

export const findMoneyChange = (db: Queries, scope: Scope, changeId: string) =>
  firstRow<MoneyChange>(
    db,
    `select ${CHANGE} from money_changes where change_id = :changeId${inScope(scope)}`,
    { changeId, ...scopeValues(scope) },
  )

/** Those that wait and have not ended, oldest first. */
export const listWaitingMoneyChanges = (db: Queries, accountId: string, now: number) =>
  db.read<MoneyChange>(
    `select ${CHANGE} from money_changes where account_id = :accountId and state = 'waiting'
      and ends_at > :now
     order by asked_at, change_id`,
    { accountId, now },
  )

/** Of every account. */
export const listEndedMoneyChanges = (db: Queries, now: number, most: number) =>
  db.read<MoneyChange>(
    `select ${CHANGE} from money_changes where state = 'waiting' and ends_at <= :now
      order by ends_at limit :most`,
    { now, most },
  )

type Decision = { state: Exclude<MoneyChangeState, 'waiting'>; by: string | null; at: number }

/** False when it waits no longer. Its credentials are removed. */
export const decideMoneyChange = (
  tx: Queries,
  { accountId, changeId }: Pick<MoneyChange, 'accountId' | 'changeId'>,
  { state, by, at }: Decision,
): Promise<boolean> =>
  updateOne(
    tx,
    'money_changes',
    { accountId, changeId, state: 'waiting' },
    { state, credentials: null, decidedBy: by, decidedAt: at },
  )

/** Ends what waits for the same thing. */
export const replaceMoneyChange = (
  tx: Queries,
  { accountId, subject }: Pick<MoneyChange, 'accountId' | 'subject'>,
  { by, at }: Pick<Decision, 'by' | 'at'>,
): Promise<number> =>
  updateRows(
    tx,
    'money_changes',
    { accountId, subject, state: 'waiting' },
    { state: 'replaced', credentials: null, decidedBy: by, decidedAt: at },
  )
