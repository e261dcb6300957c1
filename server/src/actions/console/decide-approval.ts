// A second person approves or rejects a request. An approved request is carried out in the commit of the approval.
import { type ServicePerson, scopeOf } from '../../domain/caller.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import { SERVICE_RIGHTS, type ServiceRole } from '../../domain/role.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import * as taskStore from '../../store/console/tasks.ts'
import type { Transaction } from '../../store/engine/database.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { findOperatorPayment } from '../../store/payments/payments.ts'
import { refusable, rollBack } from '../deps.ts'
import { changeStatusIn } from '../merchants/change-account.ts'
import { type PreparedRefund, prepareRefund, type RefundDeps, requestRefundIn } from '../payments/refund-payment.ts'

const MAY_DECIDE: Readonly<Record<taskStore.ApprovalKind, readonly ServiceRole[]>> = {
  approve_live: SERVICE_RIGHTS.approveLive,
  approve_refund: SERVICE_RIGHTS.approveRefund,
}

export async function decideApproval(
  deps: RefundDeps,
  caller: ServicePerson,
  { approvalId, isApproved }: { approvalId: string; isApproved: boolean },
): Promise<{ state: 'approved' | 'rejected' } | Refused> {
  const { db, clock } = deps
  const prepared = { ...(await prepareRefund(deps)), payment: await paymentOf(deps, caller, approvalId) }
  const state = isApproved ? 'approved' : 'rejected'
  return refusable(db, async (tx): Promise<{ state: 'approved' | 'rejected' } | Refused> => {
    const approval = await taskStore.findWaitingApproval(tx, approvalId)
    if (approval === undefined) return { refused: 'approval_not_found' }
    if (!MAY_DECIDE[approval.kind].includes(caller.role)) return { refused: 'caller_not_allowed' }
    if (approval.askedBy === caller.personId) return { refused: 'second_person_needed' }
    // A request for the same refund waits for this decision, or is part of it.
    await lockAccount(tx, approval.accountId)
    const at = clock.now()
    const isFirst = await taskStore.decideWaiting(tx, approvalId, { state, by: caller.personId, at })
    if (!isFirst) return { refused: 'approval_not_found' }
    const done = isApproved ? await carryOut(deps, tx, caller, approval, prepared) : undefined
    // Rolled back: the approval stays open when its request cannot be carried out.
    if (done !== undefined) rollBack(done)
    await taskStore.releaseTask(tx, approvalId)
    const { subject, accountId, kind, askedBy } = approval
    const what = { action: `approval.${isApproved ? 'approve' : 'reject'}`, subject, accountId }
    await insertAudit(tx, caller, { at, ...what, detail: { approval: approvalId, kind, asker: askedBy } })
    return { state }
  })
}

type Prepared = PreparedRefund & { payment: OperatorPayment | undefined }

async function paymentOf({ db }: RefundDeps, caller: ServicePerson, approvalId: string) {
  const approval = await taskStore.findWaitingApproval(db, approvalId)
  return approval?.kind === 'approve_refund' ? findOperatorPayment(db, scopeOf(caller), approval.subject) : undefined
}

async function carryOut(
  deps: RefundDeps,
  tx: Transaction,
  caller: ServicePerson,
  { kind, merchantId, reason, refundReference }: taskStore.Approval,
  { payment, ...prepared }: Prepared,
): Promise<Refused | undefined> {
  if (kind === 'approve_live') {
    const validated = { merchantId, environment: 'live', status: 'validated', reason } as const
    const changed = await changeStatusIn(deps, tx, caller, validated)
    return isRefused(changed) ? changed : undefined
  }
  if (payment === undefined) return { refused: 'payment_not_found' }
  const refund = { ...prepared, refundReference: refundReference ?? prepared.refundReference }
  const requested = await requestRefundIn(deps, tx, caller, payment, refund)
  return isRefused(requested) ? requested : undefined
}
