// Records an operator's answer about a refund: it succeeded, it was declined, or we poll again. Its
// end, what that changes on the payment, the ledger's entry and the events are one commit, like
// every move.

import { entryOf } from '../../domain/ledger/ledger.ts'
import type { RefundAnswer } from '../../domain/payments/operator-report.ts'
import { nextPollInMs, nextRefundPollInMs } from '../../domain/payments/verdict.ts'
import {
  type AccountCaller,
  actorOf,
  type ServiceItself,
  scopeOf,
} from '../../domain/people/caller.ts'
import type { OperatorRefund, Refund, RefundByHand } from '../../domain/refunds/refund.ts'
import type { Refused } from '../../domain/refusals/refusal.ts'
import { isPlainText, LONGEST_NOTE, maskCardNumbers } from '../../domain/texts/free-text.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { insertEntries } from '../../store/books/entries.ts'
import type { Transaction } from '../../store/engine/database.ts'
import { countOnPoster, linkOfPayment } from '../../store/links/payment-links.ts'
import { insertStory } from '../../store/payments/payment-moves.ts'
import {
  addRefunded,
  endRefund,
  findRefundable,
  findRefundByHand,
  leaveToPerson,
  listRefundsByHand,
  postponeRefund,
  releaseRefund,
} from '../../store/payments/refunds.ts'
import { refundDetail } from '../../wire/payment.ts'
import type { Deps, MoveDeps } from '../deps.ts'
import { type EventPayment, writeEvents } from '../events/write-event.ts'

export async function recordRefundOutcome(
  deps: MoveDeps,
  caller: ServiceItself,
  { refund, answer }: { refund: OperatorRefund; answer: RefundAnswer },
): Promise<void> {
  const { accountId, number, refundReference, polls, requestedAt } = refund
  const [answerEntry, moveEntry] = [await deps.nextStoryEntry(), await deps.nextStoryEntry()]
  await deps.db.transaction(async (tx) => {
    const now = deps.clock.now()
    const detail = { ...refundDetail(refundReference, answer) }
    await insertStory(tx, [
      { accountId, number, entry: answerEntry, at: now, kind: 'refund', detail },
    ])
    if (answer.is === 'declined') {
      // Late money must go back: when the operator refuses the refund, a person makes it.
      if (refund.lateReference === null) {
        await failRefund(deps, tx, refund, { failureReason: answer.reason, at: now })
      } else
        await leaveToPerson(tx, refund, {
          since: now,
          why: `the operator refused the refund: ${answer.reason}`,
        })
      return
    }
    if (answer.is === 'by_hand') {
      await leaveToPerson(tx, refund, { since: now, why: answer.why })
      return
    }
    if (answer.is === 'unknown' && now - requestedAt >= (answer.passesWithinMs ?? Infinity)) {
      await leaveToPerson(tx, refund, {
        since: now,
        why: `${answer.why}, for too long`,
      })
      return
    }
    if (answer.is !== 'succeeded' && answer.is !== 'refunded') {
      const isUnsent = answer.is === 'unknown' && answer.neverLeft === true
      // An unsent refund is tried again soon, however old it is: it works as soon as the connection
      // is repaired.
      const dueInMs = isUnsent
        ? nextPollInMs({ number, method: null, polls, handedOverAt: requestedAt, now })
        : nextRefundPollInMs({ number, polls, requestedAt, now })
      await postponeRefund(tx, refund, { dueAt: now + dueInMs, isUnsent })
      return
    }
    if (
      !(await endRefund(tx, refund, {
        status: 'succeeded',
        failureReason: null,
        at: now,
      }))
    )
      return
    await recordRefunded(deps, tx, refund, { entry: moveEntry, at: now, madeBy: actorOf(caller) })
  })
}

async function recordRefunded(
  { random }: Pick<Deps, 'random'>,
  tx: Transaction,
  refund: OperatorRefund,
  { entry, at, madeBy }: { entry: number; at: number; madeBy: string },
): Promise<void> {
  const { accountId, number, validatedAt, operatorReference, lateReference, amountXof } = refund
  // Late money did not make the payment succeed: its refund does not change the payment.
  if (lateReference !== null) return
  const paid = await addRefunded(tx, refund)
  // The network reversed the payment meanwhile.
  if (paid === undefined) return
  const isWhole = paid.status === 'refunded'
  const detail = { from: 'succeeded', to: 'refunded' }
  if (isWhole) await insertStory(tx, [{ accountId, number, entry, at, kind: 'moved', detail }])
  if (refund.attemptReference !== null) {
    await countOnPoster(tx, refund, { payments: isWhole ? -1 : 0, amountXof: -amountXof })
  }
  const payment = await eventPaymentOfRefund(tx, refund)
  const move = { validatedAt, operatorReference } as const
  const made = {
    ...refund,
    status: 'succeeded',
    failureReason: null,
    refundedXof: paid.refundedXof,
  } as const
  await writeEvents(
    tx,
    random,
    [
      { payment, move: { ...move, to: paid.status }, refund: made },
      ...(isWhole ? [{ payment, move: { ...move, to: 'refunded' as const } }] : []),
    ],
    at,
  )
  await insertEntries(tx, [
    entryOf('refund', refund, { at, madeBy, refundReference: refund.refundReference }),
  ])
}

/** Its amount can be refunded again. False when it is no longer pending. */
export async function failRefund(
  { random }: Pick<Deps, 'random'>,
  tx: Transaction,
  refund: OperatorRefund,
  { failureReason, at, byPerson }: FailedRefund,
): Promise<boolean> {
  if (!(await endRefund(tx, refund, { status: 'failed', failureReason, at }, byPerson)))
    return false
  if (refund.lateReference !== null) return true
  await releaseRefund(tx, refund)
  const { status, refundedXof } = await findRefundable(tx, refund)
  const { validatedAt, operatorReference } = refund
  const move = {
    to: status === 'refunded' ? status : 'succeeded',
    validatedAt,
    operatorReference,
  } as const
  const failed = { ...refund, status: 'failed', failureReason, refundedXof } as const
  await writeEvents(
    tx,
    random,
    [{ payment: await eventPaymentOfRefund(tx, refund), move, refund: failed }],
    at,
  )
  return true
}

interface FailedRefund {
  failureReason: NonNullable<Refund['failureReason']>
  at: number
  byPerson?: { endedBy: string; proof: string }
}

/** The amount is that of the payment. */
async function eventPaymentOfRefund(
  tx: Transaction,
  refund: OperatorRefund,
): Promise<EventPayment> {
  const { accountId, number, attemptReference, debitXof: amountXof } = refund
  const linkReference =
    attemptReference === null ? undefined : await linkOfPayment(tx, accountId, number)
  return { ...refund, amountXof, linkReference }
}

// Refunds that the network has no call for: a person makes them with the network, and records the
// result here.

/** A person works through them: the rest appear when some are done. */
const MOST_LISTED = 1_000

export const listRefundTasks = async (
  { db }: Pick<MoveDeps, 'db'>,
  caller: AccountCaller,
): Promise<{ rows: RefundByHand[] }> => ({
  rows: await listRefundsByHand(db, scopeOf(caller), MOST_LISTED),
})

export type EndedRefund = { refundReference: string; reference: string }

/** `proof`: what shows that the money went back, or why it does not. */
export async function endRefundByHand(
  deps: MoveDeps,
  caller: AccountCaller,
  input: { refundReference: string; isMade: boolean; proof: string },
): Promise<EndedRefund | Refused> {
  const { refundReference, isMade } = input
  if (!isPlainText(input.proof, LONGEST_NOTE))
    return { refused: 'proof_not_valid', longest: LONGEST_NOTE }
  const proof = maskCardNumbers(input.proof)
  const [endEntry, moveEntry] = [await deps.nextStoryEntry(), await deps.nextStoryEntry()]
  return deps.db.transaction(async (tx): Promise<EndedRefund | Refused> => {
    const refund = await findRefundByHand(tx, scopeOf(caller), refundReference)
    if (refund === undefined) return { refused: 'refund_not_by_hand' }
    const { accountId, number, reference } = refund
    const at = deps.clock.now()
    const endedBy = actorOf(caller)
    const byPerson = { endedBy, proof }
    const isEnded = isMade
      ? await endRefund(tx, refund, { status: 'succeeded', failureReason: null, at }, byPerson)
      : await failRefund(deps, tx, refund, { failureReason: 'operator_error', at, byPerson })
    if (!isEnded) return { refused: 'refund_not_by_hand' }
    const detail = refundDetail(refundReference, {
      is: isMade ? 'made_by_hand' : 'given_up',
      by: endedBy,
      proof,
    })
    await insertStory(tx, [{ accountId, number, entry: endEntry, at, kind: 'refund', detail }])
    if (isMade) await recordRefunded(deps, tx, refund, { entry: moveEntry, at, madeBy: endedBy })
    const action = isMade ? 'refund.confirm' : 'refund.reject'
    await insertAudit(tx, caller, {
      at,
      action,
      subject: refundReference,
      accountId,
      detail: { proof },
    })
    return { refundReference, reference }
  })
}
