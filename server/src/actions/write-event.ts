// What a merchant is told, fixed when the event is written (D-26). The wire form of webhooks and of the feed: snake_case here.
import type { Chance } from '../domain/clock-and-chance.ts'
import type { FailureReason } from '../domain/outcome.ts'
import type { PaymentStatus } from '../domain/payment-status.ts'
import { base32 } from '../domain/reference.ts'
import type { Queries } from '../store/database.ts'
import { insertEvent, takeFeedSequence } from '../store/events.ts'
import type { PaymentInHand } from '../store/pending-payments.ts'

/** What an event tells of a payment. */
export type ToldPayment = Pick<
  PaymentInHand,
  | 'accountId'
  | 'number'
  | 'environment'
  | 'reference'
  | 'publicReference'
  | 'externalReference'
  | 'msisdnWritten'
  | 'amountXof'
>

export interface ToldMove {
  to: PaymentStatus & ('succeeded' | 'failed' | 'refunded')
  validatedAt: number | null
  failureReason?: FailureReason
}

/** In the transaction of the move, or the two could come apart. */
export async function writeEvent(
  tx: Queries,
  chance: Chance,
  payment: ToldPayment,
  move: ToldMove,
  createdAt: number,
): Promise<void> {
  const { accountId, number } = payment
  const eventId = `evt_${base32(chance.bytes(15), 24)}`
  const event = `payment.${move.to}`
  const payload = JSON.stringify({
    id: eventId,
    event,
    created_at: new Date(createdAt).toISOString(),
    environment: payment.environment,
    data: {
      public_reference: payment.publicReference,
      external_reference: payment.externalReference,
      reference: payment.reference,
      status: move.to,
      msisdn: payment.msisdnWritten ?? undefined,
      amount: payment.amountXof,
      validated_at: move.validatedAt === null ? undefined : new Date(move.validatedAt).toISOString(),
      failure_reason: move.failureReason,
    },
  })
  const sequence = await takeFeedSequence(tx, accountId)
  await insertEvent(tx, sequence, { accountId, eventId, event, number, payload, createdAt })
}
