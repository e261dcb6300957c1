// What a second person must approve: the validation of a live account, and a refund above the limit. What needs nobody is done at once (D-98).
import type { AccountStatus } from '../../domain/account.ts'
import { type AccountCaller, isOfService, type MerchantPerson, type ServicePerson } from '../../domain/caller.ts'
import { maskCardNumbers } from '../../domain/card-number.ts'
import type { Environment } from '../../domain/environment.ts'
import { base32, isPlainText } from '../../domain/reference.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { type Approval, findLatestApproval, insertApproval } from '../../store/console/approvals.ts'
import type { Queries } from '../../store/engine/database.ts'
import { findStatus } from '../../store/payments/pending-payments.ts'
import { findAccountOfMerchant, listAccountsOfMerchant } from '../../store/people/members.ts'
import { changeAccountStatus } from '../merchants/change-account-status.ts'
import { findNamedPayment } from '../payments/find-payment.ts'
import { type RefundDeps, type RequestedRefund, refundPayment } from '../payments/refund-payment.ts'

export const LONGEST_REASON = 500

export interface ApprovalDeps extends RefundDeps {
  /** Above so many francs a person's refund wants a second one; 0 for never. */
  refundApprovalAbove: number
}

export interface StatusRequest {
  merchantId: string
  environment: Environment
  status: AccountStatus
  /** The merchant sees it. */
  reason: string
}

/** Somebody at the shell has all rights; of people, validating live takes two. */
export async function askForStatus(
  deps: ApprovalDeps,
  caller: AccountCaller,
  request: StatusRequest,
): Promise<{ is: 'done' | 'waiting' } | Refused> {
  if (!isOfService(caller)) return { refused: 'merchant_not_found' }
  const { merchantId, environment, status } = request
  const reason = maskCardNumbers(request.reason)
  if (!isPlainText(reason, LONGEST_REASON)) return { refused: 'note_not_valid', longest: LONGEST_REASON }
  if (caller.is !== 'service_person' || environment === 'sandbox' || status !== 'validated') {
    const changed = await changeAccountStatus(deps, caller, { ...request, reason })
    return isRefused(changed) ? changed : { is: 'done' }
  }
  return deps.db.transaction(async (tx): Promise<{ is: 'waiting' } | Refused> => {
    const account = (await listAccountsOfMerchant(tx, merchantId)).find((each) => each.environment === environment)
    if (account === undefined) return { refused: 'merchant_not_found' }
    const { accountId } = account
    const about = { kind: 'approve_live', merchantId, accountId, subject: accountId, amountXof: null, reason } as const
    await ask(deps, tx, caller, about)
    return { is: 'waiting' }
  })
}

/** What became of a refund that somebody asked for: it is under way, or waits for a second person. */
type AskedRefund = { is: 'done'; refund: RequestedRefund } | { is: 'waiting' }

/** A refund that a merchant's person asks for in the dashboard. */
export async function askForRefund(
  deps: ApprovalDeps,
  caller: MerchantPerson,
  { name }: { name: string },
): Promise<AskedRefund | Refused> {
  const payment = await findNamedPayment(deps, caller, { name })
  if (isRefused(payment)) return payment
  const { accountId, number, reference, amountXof } = payment
  const isFree = deps.refundApprovalAbove === 0 || amountXof <= deps.refundApprovalAbove
  if (isFree || payment.environment === 'sandbox') {
    const refund = await refundPayment(deps, caller, { name: reference })
    return isRefused(refund) ? refund : { is: 'done', refund }
  }
  return deps.db.transaction(async (tx): Promise<AskedRefund | Refused> => {
    const status = await findStatus(tx, accountId, number)
    if (status === 'refunded') return { refused: 'refund_exists' }
    if (status !== 'succeeded') return { refused: 'payment_not_refundable', status: status ?? 'pending' }
    const account = await findAccountOfMerchant(tx, accountId)
    const merchantId = account?.merchantId ?? ''
    const about = { kind: 'approve_refund', merchantId, accountId, subject: reference, amountXof, reason: '' } as const
    await ask(deps, tx, caller, about)
    return { is: 'waiting' }
  })
}

/**
 * For the payment's page; undefined when nobody had to be asked.
 * @internal
 */
export const showRefundApproval = (
  { db }: Pick<ApprovalDeps, 'db'>,
  { accountId }: MerchantPerson,
  { reference }: { reference: string },
): Promise<Approval | undefined> => findLatestApproval(db, accountId, 'approve_refund', reference)

/** Asked for twice, it waits once. */
async function ask(
  { clock, random }: ApprovalDeps,
  tx: Queries,
  caller: ServicePerson | MerchantPerson,
  about: Pick<Approval, 'kind' | 'merchantId' | 'accountId' | 'subject' | 'amountXof' | 'reason'>,
): Promise<void> {
  const at = clock.now()
  const approvalId = `apr_${base32(random.bytes(10), 16)}`
  if (!(await insertApproval(tx, { ...about, approvalId, askedBy: caller.personId, askedAt: at }))) return
  const { kind, subject, amountXof, reason, accountId } = about
  const detail = { approval: approvalId, kind, amount: amountXof, reason }
  await insertAudit(tx, caller, { at, action: 'approval.ask', subject, accountId, detail })
}
