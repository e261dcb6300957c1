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
  /** The reference that the refund gets; null for other approvals. */
  refundReference: string | null
  /** The id of a person, or of a key. */
  askedBy: string
  askedAt: number
  state: 'waiting' | 'approved' | 'rejected'
  decidedBy: string | null
  decidedAt: number | null
}

const APPROVAL = columns<Approval>({
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
  state: 'state',
  decidedBy: 'decided_by',
  decidedAt: 'decided_at',
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
    refundReference,
    askedBy,
    askedAt,
  }: Omit<Approval, 'state' | 'decidedBy' | 'decidedAt'>,
): Promise<boolean> =>
  (await tx.change(
    `insert into approvals
       (approval_id, kind, merchant_id, account_id, subject, amount_xof, reason, asked_by, asked_at, state, refund_reference)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', $10) on conflict do nothing`,
    [approvalId, kind, merchantId, accountId, subject, amountXof, reason, askedBy, askedAt, refundReference],
  )) === 1

export async function findWaitingApproval(tx: Queries, approvalId: string): Promise<Approval | undefined> {
  const [approval] = await tx.rows<Approval>(
    `select ${APPROVAL} from approvals where approval_id = $1 and state = 'waiting'`,
    [approvalId],
  )
  return approval
}

/** The one about a subject of an account that waits, else the latest. */
export async function findLatestApproval(
  db: Queries,
  accountId: string,
  kind: ApprovalKind,
  subject: string,
): Promise<Approval | undefined> {
  const [approval] = await db.rows<Approval>(
    `select ${APPROVAL} from approvals where account_id = $1 and kind = $2 and subject = $3
     order by case when state = 'waiting' then 0 else 1 end, asked_at desc limit 1`,
    [accountId, kind, subject],
  )
  return approval
}

/** The reference that a waiting refund keeps: the first that it was given. */
export async function keepRefundReference(tx: Queries, subject: string, refundReference: string): Promise<string> {
  const [kept] = await tx.rows<{ refundReference: string }>(
    `update approvals set refund_reference = coalesce(refund_reference, $2)
     where kind = 'approve_refund' and subject = $1 and state = 'waiting' returning refund_reference as "refundReference"`,
    [subject, refundReference],
  )
  return kept?.refundReference ?? refundReference
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
