// A second person approves or rejects a request. An approved request is carried out in the commit
// of the approval.
import type { ServicePerson } from '../../domain/people/caller.ts'
import { SERVICE_RIGHTS, type ServiceRole } from '../../domain/people/role.ts'
import { isRefused, type Refused } from '../../domain/refusals/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import {
  type Approval,
  type ApprovalKind,
  decideWaiting,
  findWaitingApproval,
  releaseTask,
} from '../../store/console/tasks.ts'
import type { Transaction } from '../../store/engine/database.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { approveRefund, findRefundToApprove } from '../../store/payments/refunds.ts'
import { changesSince, endsApproval } from '../approvals/relied-on.ts'
import { type MoveDeps, refusable, rollBack } from '../deps.ts'
import { changeStatusIn } from '../merchants/change-account.ts'
import { failRefund } from '../payments/record-refund-outcome.ts'
import { recordAsked } from '../payments/refund-payment.ts'

const MAY_DECIDE: Readonly<Record<ApprovalKind, readonly ServiceRole[]>> = {
  approve_live: SERVICE_RIGHTS.approveLive,
  approve_refund: SERVICE_RIGHTS.approveRefund,
}

export async function decideApproval(
  deps: MoveDeps,
  caller: ServicePerson,
  { approvalId, isApproved }: { approvalId: string; isApproved: boolean },
): Promise<{ state: 'approved' | 'rejected' } | Refused> {
  const { db, clock } = deps
  const storyEntry = await deps.nextStoryEntry()
  const state = isApproved ? 'approved' : 'rejected'
  return refusable(db, async (tx): Promise<{ state: 'approved' | 'rejected' } | Refused> => {
    const approval = await findWaitingApproval(tx, approvalId)
    if (approval === undefined) return { refused: 'approval_not_found' }
    if (!MAY_DECIDE[approval.kind].includes(caller.role)) return { refused: 'caller_not_allowed' }
    if (approval.askedBy === caller.personId) return { refused: 'second_person_needed' }
    const at = clock.now()
    // Before the decision: changes of the account wait for this lock.
    await lockAccount(tx, approval.accountId)
    if (isApproved && (await changesSince(tx, approval, at)).some(endsApproval))
      return { refused: 'approval_outdated' }
    const isFirst = await decideWaiting(tx, approvalId, {
      state,
      by: caller.personId,
      at,
    })
    if (!isFirst) return { refused: 'approval_not_found' }
    const done = await carryOut(deps, tx, caller, approval, { at, storyEntry, isApproved })
    // Rolled back: the approval stays open when its request cannot be carried out.
    if (done !== undefined) rollBack(done)
    await releaseTask(tx, approvalId)
    const { subject, accountId, kind, askedBy } = approval
    const what = { action: `approval.${isApproved ? 'approve' : 'reject'}`, subject, accountId }
    await insertAudit(tx, caller, {
      at,
      ...what,
      detail: { approval: approvalId, kind, asker: askedBy },
    })
    return { state }
  })
}

type Decision = { at: number; storyEntry: number; isApproved: boolean }

async function carryOut(
  deps: MoveDeps,
  tx: Transaction,
  caller: ServicePerson,
  approval: Approval,
  decision: Decision,
): Promise<Refused | undefined> {
  if (approval.kind === 'approve_refund') return decideRefund(deps, tx, caller, approval, decision)
  if (!decision.isApproved) return undefined
  const { merchantId, reason } = approval
  const validated = { merchantId, environment: 'live', status: 'validated', reason } as const
  const changed = await changeStatusIn(deps, tx, caller, validated)
  return isRefused(changed) ? changed : undefined
}

/** Approved, it is sent. Rejected, it fails, and its amount can be refunded again. */
async function decideRefund(
  deps: MoveDeps,
  tx: Transaction,
  caller: ServicePerson,
  { accountId, refundReference }: Approval,
  { at, storyEntry, isApproved }: Decision,
): Promise<Refused | undefined> {
  const refund = await findRefundToApprove(tx, accountId, refundReference ?? '')
  if (!isApproved) {
    if (refund !== undefined)
      await failRefund(deps, tx, refund, { failureReason: 'approval_rejected', at })
    return undefined
  }
  // The network reversed the payment meanwhile.
  if (refund === undefined || !(await approveRefund(tx, accountId, refund.refundReference, at)))
    return { refused: 'refund_exists' }
  await recordAsked(tx, refund, caller, { at, storyEntry })
  return undefined
}
