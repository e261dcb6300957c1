// What follows from a refund that has been made: the payment is refunded, and its merchant is told, in the same commit.
import type { Random } from '../../domain/clock-and-random.ts'
import type { Transaction } from '../../store/engine/database.ts'
import { linkOfPayment } from '../../store/links/payment-links.ts'
import { countOnPoster } from '../../store/links/posters.ts'
import { insertStory } from '../../store/payments/payment-story.ts'
import { moveToRefunded, type OperatorRefund } from '../../store/payments/refunds.ts'
import { writeEvents } from '../webhooks/write-event.ts'

export async function recordRefunded(
  { random }: { random: Random },
  tx: Transaction,
  refund: OperatorRefund,
  { entry, at }: { entry: number; at: number },
): Promise<void> {
  const { accountId, number, validatedAt, operatorReference, lateReference } = refund
  // Money that came late did not make the payment succeed: giving it back changes nothing about the payment.
  if (lateReference !== null || !(await moveToRefunded(tx, refund))) return
  const detail = { from: 'succeeded', to: 'refunded' }
  await insertStory(tx, [{ accountId, number, entry, at, kind: 'moved', detail }])
  const linkReference = refund.attemptReference === null ? undefined : await linkOfPayment(tx, accountId, number)
  if (refund.attemptReference !== null) await countOnPoster(tx, refund, -1)
  const move = { to: 'refunded', validatedAt, operatorReference } as const
  await writeEvents(tx, random, [{ payment: { ...refund, linkReference }, move }], at)
}
