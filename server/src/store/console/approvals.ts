// What waits for a second person: at most one of a kind for each subject.
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

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
  /** The person's id. */
  askedBy: string
  askedAt: number
  state: 'waiting' | 'approved' | 'rejected'
  decidedBy: string | null
}

const APPROVAL = columns<Approval>({
  approvalId: 'approval_id',
  kind: 'kind',
  merchantId: 'merchant_id',
  accountId: 'account_id',
  subject: 'subject',
  amountXof: 'amount_xof',
  reason: 'reason',
  askedBy: 'asked_by',
  askedAt: 'asked_at',
  state: 'state',
  decidedBy: 'decided_by',
})

/** False when one waits already. */
export const insertApproval = async (
  tx: Queries,
  {
    approvalId,
    kind,
    merchantId,
    accountId,
    subject,
    amountXof,
    reason,
    askedBy,
    askedAt,
  }: Omit<Approval, 'state' | 'decidedBy'>,
): Promise<boolean> =>
  (await tx.change(
    `insert into approvals
       (approval_id, kind, merchant_id, account_id, subject, amount_xof, reason, asked_by, asked_at, state)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting') on conflict do nothing`,
    [approvalId, kind, merchantId, accountId, subject, amountXof, reason, askedBy, askedAt],
  )) === 1

export async function findWaitingApproval(tx: Queries, approvalId: string): Promise<Approval | undefined> {
  const [approval] = await tx.rows<Approval>(
    `select ${APPROVAL} from approvals where approval_id = $1 and state = 'waiting'`,
    [approvalId],
  )
  return approval
}

/** The latest about a subject of an account, whatever became of it. */
export async function findLatestApproval(
  db: Queries,
  accountId: string,
  kind: ApprovalKind,
  subject: string,
): Promise<Approval | undefined> {
  const [approval] = await db.rows<Approval>(
    `select ${APPROVAL} from approvals where account_id = $1 and kind = $2 and subject = $3 order by asked_at desc limit 1`,
    [accountId, kind, subject],
  )
  return approval
}

/** The longest first. */
export const listWaitingApprovals = (db: Queries, most: number): Promise<Approval[]> =>
  db.rows<Approval>(
    `select ${APPROVAL} from approvals where state = 'waiting' order by asked_at, approval_id limit $1`,
    [most],
  )

/** False when somebody else was first. */
export const decideWaiting = async (
  tx: Queries,
  approvalId: string,
  { state, by, at }: { state: 'approved' | 'rejected'; by: string; at: number },
): Promise<boolean> =>
  (await tx.change(
    `update approvals set state = $2, decided_by = $3, decided_at = $4 where approval_id = $1 and state = 'waiting'`,
    [approvalId, state, by, at],
  )) === 1
