// A request that a second person decides (D-134, D-190).

import { base32 } from '../../domain/payments/reference.ts'
import type { MerchantCaller, ServicePerson } from '../../domain/people/caller.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { type Approval, insertApproval } from '../../store/console/tasks.ts'
import type { Transaction } from '../../store/engine/database.ts'
import type { Deps } from '../deps.ts'
import { notifyStaff } from '../notices/notices.ts'
import { readReliedOn } from './relied-on.ts'

export type Asker = MerchantCaller | ServicePerson

/** Requested twice, it waits once. As part of a larger transaction. */
export async function requestApproval(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  tx: Transaction,
  caller: Asker,
  about: Pick<
    Approval,
    'kind' | 'merchantId' | 'accountId' | 'subject' | 'amountXof' | 'reason' | 'refundReference'
  >,
): Promise<void> {
  const at = clock.now()
  const approvalId = `apr_${base32(random.bytes(10), 16)}`
  const askedBy = caller.is === 'merchant_key' ? caller.keyId : caller.personId
  const askedState = JSON.stringify(await readReliedOn(tx, about))
  if (!(await insertApproval(tx, { ...about, approvalId, askedBy, askedAt: at, askedState })))
    return
  const { kind, subject, amountXof, reason, accountId } = about
  if (kind === 'approve_refund')
    await notifyStaff(tx, at, { kind: 'refund_waiting', about: approvalId })
  const detail = { approval: approvalId, kind, amount: amountXof, reason }
  await insertAudit(tx, caller, { at, action: 'approval.ask', subject, accountId, detail })
}
