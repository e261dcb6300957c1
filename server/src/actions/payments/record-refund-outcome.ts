// Records an operator's answer about a refund: it succeeded, it was declined, or we poll again. The move to refunded and its event are
// one commit, like every move.
import type { ServiceItself } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { RefundAnswer } from '../../domain/outcome.ts'
import { nextPollInMs, nextRefundPollInMs } from '../../domain/verdict.ts'
import type { Database } from '../../store/engine/database.ts'
import { insertStory } from '../../store/payments/payment-story.ts'
import { endRefund, leaveToPerson, type OperatorRefund, postponeRefund } from '../../store/payments/refunds.ts'
import { refundDetail } from '../../wire/refund.ts'
import { recordRefunded } from './record-refunded.ts'

export interface RefundOutcomeDeps {
  db: Database
  clock: Clock
  random: Random
  nextStoryEntry(): Promise<number>
}

export async function recordRefundOutcome(
  deps: RefundOutcomeDeps,
  _caller: ServiceItself,
  { refund, answer }: { refund: OperatorRefund; answer: RefundAnswer },
): Promise<void> {
  const { accountId, number, refundReference, polls, requestedAt } = refund
  const [answerEntry, moveEntry] = [await deps.nextStoryEntry(), await deps.nextStoryEntry()]
  await deps.db.transaction(async (tx) => {
    const now = deps.clock.now()
    const detail = { ...refundDetail(refundReference, answer) }
    await insertStory(tx, [{ accountId, number, entry: answerEntry, at: now, kind: 'refund', detail }])
    if (answer.is === 'declined') {
      // Money that came late must go back: what the operator refuses to do, a person does.
      if (refund.lateReference === null) {
        await endRefund(tx, refund, { status: 'failed', failureReason: answer.reason, at: now })
      } else await leaveToPerson(tx, refund, { since: now, why: `the operator refused the refund: ${answer.reason}` })
      return
    }
    if (answer.is === 'by_hand') {
      await leaveToPerson(tx, refund, { since: now, why: answer.why })
      return
    }
    if (answer.is === 'unknown' && now - requestedAt >= (answer.passesWithinMs ?? Infinity)) {
      await leaveToPerson(tx, refund, { since: now, why: `${answer.why}, for too long` })
      return
    }
    if (answer.is !== 'succeeded' && answer.is !== 'refunded') {
      const isUnsent = answer.is === 'unknown' && answer.neverLeft === true
      // What was never sent is tried again soon, however old it is: it works as soon as somebody has mended the connection.
      const dueInMs = isUnsent
        ? nextPollInMs({ number, polls, handedOverAt: requestedAt, now })
        : nextRefundPollInMs({ number, polls, requestedAt, now })
      await postponeRefund(tx, refund, { dueAt: now + dueInMs, isUnsent })
      return
    }
    if (!(await endRefund(tx, refund, { status: 'succeeded', failureReason: null, at: now }))) return
    await recordRefunded(deps, tx, refund, { entry: moveEntry, at: now })
  })
}
