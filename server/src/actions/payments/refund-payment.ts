// Asks for the full refund of a succeeded payment. The asking is recorded, with who asked; the worker takes it to the operator,
// and the payment is refunded only when the operator has said so. Never twice (D-14).
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/reference.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { insertStory } from '../../store/payments/payment-story.ts'
import { findOperatorPayment, findStatus } from '../../store/payments/pending-payments.ts'
import { insertRefund } from '../../store/payments/refunds.ts'

export interface RefundDeps {
  db: Database
  clock: Clock
  random: Random
  nextStoryEntry(): Promise<number>
}

export type RefundAnswer =
  | { refundReference: string }
  | { not: 'found' }
  /** Only what succeeded can be given back. */
  | { not: 'succeeded'; status: string }
  | { not: 'again' }

export async function refundPayment(deps: RefundDeps, reference: string, actor: string): Promise<RefundAnswer> {
  const { db, clock, random } = deps
  const payment = await findOperatorPayment(db, reference)
  if (payment === undefined) return { not: 'found' }
  const { accountId, number } = payment
  const refundReference = makeReference(random.bytes(REFERENCE_BYTES))
  const story = await deps.nextStoryEntry()
  return db.transaction(async (tx): Promise<RefundAnswer> => {
    const now = clock.now()
    const status = await findStatus(tx, accountId, number)
    if (status === 'refunded') return { not: 'again' }
    if (status !== 'succeeded') return { not: 'succeeded', status: status as string }
    const refund = { accountId, number, refundReference, requestedBy: actor, createdAt: now }
    if (!(await insertRefund(tx, refund))) return { not: 'again' }
    const detail = { refund_reference: refundReference, by: actor }
    await insertStory(tx, accountId, number, story, { at: now, kind: 'refund_asked', detail })
    await insertAudit(tx, { at: now, actor, action: 'payment.refund', subject: reference, detail })
    return { refundReference }
  })
}
