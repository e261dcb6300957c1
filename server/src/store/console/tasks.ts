// Approvals: requests that need a second person, at most one of a kind for each subject and refund.
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import type { Queries } from '../engine/database.ts'
import {
  columnsOf,
  deleteRows,
  firstRow,
  firstValue,
  insertNew,
  isAnyRow,
  listOf,
  ofTable,
  padded,
  updateOne,
} from '../rows.ts'

export type ApprovalKind = 'approve_live' | 'approve_refund'

export interface Approval {
  approvalId: string
  kind: ApprovalKind
  merchantId: string
  accountId: string
  /** An account, or a payment's reference. */
  subject: string
  amountXof: number | null
  reason: string
  /** The refund that waits for it; null for other approvals. */
  refundReference: string | null
  /** The id of a person, or of a key. */
  askedBy: string
  askedAt: number
  /** What the second person relies on, as it was then: JSON. Null for requests of older servers. */
  askedState: string | null
  /** `ended`: a later decision answered it. */
  state: 'waiting' | 'approved' | 'rejected' | 'ended'
  decidedBy: string | null
  decidedAt: number | null
}

const APPROVAL_FIELDS = {
  approvalId: 'approval_id',
  kind: 'kind',
  merchantId: 'merchant_id',
  accountId: 'account_id',
  subject: 'subject',
  amountXof: 'amount_xof',
  reason: 'reason',
  refundReference: 'refund_reference',
  askedBy: 'asked_by',
  askedAt: 'asked_at',
  askedState: 'asked_state',
  state: 'state',
  decidedBy: 'decided_by',
  decidedAt: 'decided_at',
}
const APPROVAL = columnsOf<Approval>(APPROVAL_FIELDS)

export interface WaitingApproval extends Approval {
  /**
   * Of a refund: the payment's amount, and the sum of its refunds that have not failed, this one
   * included.
   */
  paymentXof: number | null
  refundsXof: number | null
}

/** False when one waits already. */
export const insertApproval = (
  tx: Queries,
  approval: Omit<Approval, 'state' | 'decidedBy' | 'decidedAt'>,
) => insertNew(tx, 'approvals', { ...approval, state: 'waiting' })

export const findWaitingApproval = (tx: Queries, approvalId: string) =>
  firstRow<Approval>(
    tx,
    `select ${APPROVAL} from approvals where approval_id = :approvalId and state = 'waiting'`,
    { approvalId },
  )

/** The validation of a live account that waits for a second person. */
export const findLiveApproval = (db: Queries, accountId: string) =>
  firstRow<Approval>(
    db,
    `select ${APPROVAL} from approvals
     where kind = 'approve_live' and subject = :accountId and state = 'waiting'`,
    { accountId },
  )

/** No later decision ends one: rejected, it gives its amount back. */
export type RefundApproval = Approval & { state: Exclude<Approval['state'], 'ended'> }

/** The approvals of a payment's refunds, the newest first. */
export const listRefundApprovals = (
  db: Queries,
  accountId: string,
  reference: string,
  most: number,
) =>
  db.read<RefundApproval>(
    `select ${APPROVAL} from approvals where account_id = :accountId and kind = 'approve_refund'
      and subject = :reference
     order by asked_at desc, approval_id limit :most`,
    { accountId, reference, most },
  )

const WAITING_APPROVAL = columnsOf<WaitingApproval>({
  ...ofTable('a', APPROVAL_FIELDS),
  paymentXof: 'p.amount_xof',
  refundsXof: 'p.refund_reserved_xof',
})

export const listWaitingApprovals = async (
  db: Queries,
  ids: readonly string[],
): Promise<WaitingApproval[]> => {
  if (ids.length === 0) return []
  const wanted = listOf('approvalId', padded(ids))
  return db.read<WaitingApproval>(
    `select ${WAITING_APPROVAL}
     from approvals a left join payments p on a.kind = 'approve_refund' and p.reference = a.subject
     where a.state = 'waiting' and a.approval_id in (${wanted.places})`,
    wanted.values,
  )
}

/** False when another person was first. */
export const decideWaiting = (
  tx: Queries,
  approvalId: string,
  { state, by, at }: { state: 'approved' | 'rejected'; by: string; at: number },
) =>
  updateOne(
    tx,
    'approvals',
    { approvalId, state: 'waiting' },
    { state, decidedBy: by, decidedAt: at },
  )

/** Ends the request to validate a live account; its id, or undefined when none was waiting. */
export const endLiveApproval = async (tx: Queries, accountId: string, by: string, at: number) => {
  const ended = await tx.write<{ approvalId: string }>(
    `update approvals set state = 'ended', decided_by = :by, decided_at = :at
     where kind = 'approve_live' and subject = :accountId and state = 'waiting'
     returning approval_id as "approvalId"`,
    { accountId, by, at },
  )
  return ended[0]?.approvalId
}

/** The id of the task to review a merchant's file. It ends with the status of the live account. */
export const reviewTaskOf = (merchantId: string): string => `rev_${merchantId}`

// The open tasks. Anybody who signs up can cause some, so the accounts take turns: the first task
// of each, then the second of each, and everything live before the sandbox. What is about no
// account, or about a connection of the installation, takes its turns as one account.

export interface OpenTask {
  taskId: string
  kind:
    | 'review_file'
    | 'approval'
    | 'anomaly'
    | 'refund_by_hand'
    | 'connection_refused'
    | 'statement_not_fetched'
  /** Empty where it is about no account. */
  accountId: string
  /** What it is about: a merchant, an approval, an anomaly, a refund, or the connection. */
  subject: string
  at: number
  isSandbox: number
  /** Which of its account's tasks it is, the oldest first. */
  turn: number
}

/** Whether the account is of the sandbox. */
const OF_SANDBOX = "case when a.environment = 'sandbox' then 1 else 0 end"

const OPEN_TASKS = `
  select 'rev_' || p.merchant_id as task_id, 'review_file' as kind, a.account_id,
    p.merchant_id as subject,
    p.validation_asked_at as at, 0 as is_sandbox
  from merchant_profiles p
  join accounts a on a.merchant_id = p.merchant_id and a.environment = 'live'
  where p.validation_asked_at is not null and not exists (
    select 1 from approvals w
    where w.kind = 'approve_live' and w.subject = a.account_id and w.state = 'waiting')
  union all
  select w.approval_id, 'approval', w.account_id, w.approval_id, w.asked_at, ${OF_SANDBOX}
  from approvals w join accounts a on a.account_id = w.account_id where w.state = 'waiting'
  union all
  select x.anomaly_id, 'anomaly', coalesce(x.account_id, ''), x.anomaly_id, x.at,
    case when x.environment = 'sandbox' then 1 else 0 end
  from payment_anomalies x where x.resolved_at is null
  union all
  select 'ref_' || r.refund_reference, 'refund_by_hand', r.account_id, r.refund_reference,
    r.by_hand_since, ${OF_SANDBOX}
  from refunds r join accounts a on a.account_id = r.account_id
  where r.by_hand_since is not null and r.status = 'pending'
  union all
  select 'con_' || c.environment || '.' || c.connection || '.' || c.operator || '.' || c.since,
    'connection_refused', '',
    c.environment || '/' || c.connection, c.since, case when c.environment = 'sandbox' then 1
      else 0 end
  from connection_refusals c where substr(c.connection, 1, 4) <> 'con_'
  union all
  select 'stm_' || f.environment || '.' || f.connection || '.' || f.day, 'statement_not_fetched',
    coalesce(o.account_id, ''), f.environment || '/' || f.connection, f.failed_at,
    case when f.environment = 'sandbox' then 1 else 0 end
  from statement_fetches f left join merchant_connections o on o.connection_id = f.connection
  where f.fault is not null and f.state <> 'fetched' and f.day < :overdueBefore`

const OPEN_TASK = columnsOf<OpenTask>({
  taskId: 't.task_id',
  kind: 't.kind',
  accountId: 't.account_id',
  subject: 't.subject',
  at: 't.at',
  isSandbox: 't.is_sandbox',
  turn: 't.turn',
})

/** The place of the last one that a person has. */
export type TaskPlace = readonly [isSandbox: number, turn: number, accountId: string]

export const listOpenTasks = (
  db: Queries,
  overdueBefore: number,
  [afterSandbox, afterTurn, afterAccount]: TaskPlace,
  most: number,
) =>
  db.read<OpenTask>(
    `select ${OPEN_TASK} from (
       select o.*, row_number() over (partition by o.is_sandbox, o.account_id
         order by o.at, o.task_id) as turn
       from (${OPEN_TASKS}) o
     ) t
     where (t.is_sandbox, t.turn, t.account_id) > (:afterSandbox, :afterTurn, :afterAccount)
     order by t.is_sandbox, t.turn, t.account_id limit :most`,
    { overdueBefore, afterSandbox, afterTurn, afterAccount, most },
  )

export const isOpenTask = (db: Queries, overdueBefore: number, taskId: string): Promise<boolean> =>
  isAnyRow(db, `select 1 as open from (${OPEN_TASKS}) o where o.task_id = :taskId limit 1`, {
    overdueBefore,
    taskId,
  })

// Which member of staff has taken which task of the console.

export type TaskHolder = { taskId: string; personId: string; name: string }

const HOLDER = columnsOf<TaskHolder>({
  taskId: 't.task_id',
  personId: 't.person_id',
  name: 'p.name',
})
const HOLDERS = `select ${HOLDER} from task_holders t join people p on p.person_id = t.person_id`

/** False when another person has it. */
export const takeTask = (tx: Queries, taskId: string, personId: string, at: number) =>
  insertNew(tx, 'task_holders', { taskId, personId, takenAt: at })

export const findHolder = (db: Queries, taskId: string) =>
  firstRow<TaskHolder>(db, `${HOLDERS} where t.task_id = :taskId`, { taskId })

export const listHolders = async (
  db: Queries,
  taskIds: readonly string[],
): Promise<TaskHolder[]> => {
  if (taskIds.length === 0) return []
  const wanted = listOf('taskId', padded(taskIds))
  return db.read<TaskHolder>(`${HOLDERS} where t.task_id in (${wanted.places})`, wanted.values)
}

export const releaseTask = (tx: Queries, taskId: string) =>
  deleteRows(tx, 'task_holders', { taskId })

// Payments that wait long for their outcome, and how many events wait for receivers: for the staff.

type OfPayment =
  | 'reference'
  | 'environment'
  | 'operator'
  | 'amountXof'
  | 'createdAt'
  | 'handedOverAt'
  | 'polls'

export interface WaitingPayment extends Pick<OperatorPayment, OfPayment> {
  merchantName: string
  dueAt: number | null
}

const WAITING = columnsOf<WaitingPayment>({
  reference: 'w.reference',
  environment: 'w.environment',
  amountXof: 'w.amount_xof',
  createdAt: 'w.created_at',
  handedOverAt: 'w.handed_over_at',
  dueAt: 'w.due_at',
  merchantName: 'm.name',
  operator: "coalesce(w.operator, '')",
  polls: 'w.polls',
})

/** The number of due payments to scan: a longer backlog has its own alarm. */
const MOST_LOOKED_AT = 20_000

/** Those made before a time, the oldest first. */
export const listWaitingPayments = (db: Queries, madeBefore: number, most: number) =>
  db.read<WaitingPayment>(
    `select ${WAITING} from (
       select * from payments where due_at is not null limit ${MOST_LOOKED_AT}
     ) w join accounts a on a.account_id = w.account_id
       join merchants m on m.merchant_id = a.merchant_id
     where w.status = 'pending' and w.created_at < :madeBefore
     order by w.created_at, w.reference limit :most`,
    { madeBefore, most },
  )

/** Counts no further than `most`. */
export async function countWaitingDeliveries(db: Queries, most: number): Promise<number> {
  const waiting = 'select 1 from webhook_deliveries where due_at is not null limit :most'
  return (
    (await firstValue<number>(db, `select count(*) as count from (${waiting}) as waiting`, {
      most,
    })) ?? 0
  )
}

/** By the ids of merchants or of their accounts. */
export async function namesOfMerchants(
  db: Queries,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { places, values } = listOf('id', ids)
  const rows = await db.read<{ accountId: string; merchantId: string; name: string }>(
    `select a.account_id as "accountId", m.merchant_id as "merchantId", m.name as name
     from accounts a join merchants m on m.merchant_id = a.merchant_id
     where a.account_id in (${places}) or m.merchant_id in (${places})`,
    values,
  )
  return new Map(
    rows.flatMap(({ accountId, merchantId, name }) =>
      [accountId, merchantId].map((id) => [id, name]),
    ),
  )
}
