// The network gave the money of a succeeded payment back by itself: the payment is refunded, and our own refund of it must not follow.
import type { OperatorPayment } from '../../domain/operator-report.ts'
import type { Transaction } from '../../store/engine/database.ts'
import { insertAnomaly } from '../../store/payments/anomalies.ts'
import { moveSucceededPayment } from '../../store/payments/payment-moves.ts'
import { endUnsentRefund, findSentRefund } from '../../store/payments/refunds.ts'

/** Undefined when the payment has not succeeded, or by another attempt than this. */
export async function recordReversal(
  tx: Transaction,
  payment: OperatorPayment,
  now: number,
): ReturnType<typeof moveSucceededPayment> {
  await endUnsentRefund(tx, payment, now)
  const reversed = await moveSucceededPayment(tx, payment)
  const sent = reversed && (await findSentRefund(tx, payment))
  if (sent !== undefined) {
    // Only the network's statement shows whether this is our refund, or the money went back twice.
    const detail = { recorded: 'refund_pending', told: 'refunded', refund: sent.refundReference }
    await insertAnomaly(tx, payment, { kind: 'reversed_during_refund', detail, at: now })
  }
  return reversed
}
