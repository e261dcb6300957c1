// The one way a pending payment changes: an operator's word is judged, the move is guarded by the state it leaves, and the event
// that tells of it is in the same commit (D-14, D-26). Words that arrive together share a transaction.
import type { Chance, Clock } from '../domain/clock-and-chance.ts'
import type { OperatorAnswer } from '../domain/outcome.ts'
import { judge, type Verdict } from '../domain/verdict.ts'
import { type AnomalyKind, insertAnomaly } from '../store/anomalies.ts'
import type { Database, Queries } from '../store/database.ts'
import { insertStory, type StoryKind } from '../store/payment-story.ts'
import { findStatus, movePendingPayment, type PaymentInHand, postponePayment } from '../store/pending-payments.ts'
import { writeEvent } from './write-event.ts'

export interface SettleNeeds {
  db: Database
  clock: Clock
  chance: Chance
  nextStoryEntry(): Promise<number>
}

/** What an operator said about a payment, and how we came to hear it. */
export interface Word {
  payment: PaymentInHand
  /** A callback's own words are not looked at: it makes us ask, and the answer is what counts. */
  via: 'request' | 'status' | 'callback'
  askedAt: number
  answer: OperatorAnswer
}

export type Settled = 'succeeded' | 'failed' | 'refunded'

/** For each word, the state to which it moved its payment, or undefined. */
export async function settlePayments(needs: SettleNeeds, words: readonly Word[]): Promise<(Settled | undefined)[]> {
  // Taken before the transaction: inside it, nothing but `tx` may be asked.
  const entries: [number, number][] = []
  for (const _word of words) entries.push([await needs.nextStoryEntry(), await needs.nextStoryEntry()])
  return needs.db.transaction(async (tx) => {
    const moved: (Settled | undefined)[] = []
    for (const [at, word] of words.entries())
      moved.push(await settleOne(needs, tx, word, entries[at] as [number, number]))
    return moved
  })
}

async function settleOne(
  needs: SettleNeeds,
  tx: Queries,
  word: Word,
  entries: [number, number],
): Promise<Settled | undefined> {
  const { payment, via, askedAt, answer } = word
  const now = needs.clock.now()
  const handedOverAt = payment.handedOverAt ?? askedAt
  const verdict = judge(answer, { ...payment, handedOverAt, now })
  const tell = (entry: number, kind: StoryKind, detail: Record<string, unknown>): Promise<void> =>
    insertStory(tx, payment.accountId, payment.number, entry, { at: now, kind, detail })
  await tell(entries[0], via, { ms: now - askedAt, ...answer })

  if (verdict.is === 'wait') {
    await postponePayment(tx, payment, { handedOverAt, dueAt: now + verdict.dueInMs })
    if (verdict.anomaly) await insertAnomaly(tx, { ...payment, ...verdict.anomaly, at: now })
    return undefined
  }
  const validatedAt = verdict.to === 'succeeded' ? now : null
  if (!(await movePendingPayment(tx, payment, verdict, { handedOverAt, validatedAt }))) {
    await lookForContradiction(tx, payment, verdict, now)
    return undefined
  }
  const reason = verdict.to === 'failed' ? { failureReason: verdict.failureReason } : {}
  await tell(entries[1], 'moved', { from: 'pending', to: verdict.to, ...reason })
  await writeEvent(tx, needs.chance, payment, { to: verdict.to, validatedAt, ...reason }, now)
  return verdict.to
}

/** Somebody was first. Where the two disagree about the money, a person has to look (D-15). */
async function lookForContradiction(
  tx: Queries,
  payment: PaymentInHand,
  verdict: Verdict & { is: 'move' },
  now: number,
): Promise<void> {
  const status = await findStatus(tx, payment.accountId, payment.number)
  const kind: AnomalyKind | undefined =
    status === 'failed' && verdict.to !== 'failed'
      ? 'success_after_failure'
      : status === 'succeeded' && verdict.to === 'failed'
        ? 'failure_after_success'
        : undefined
  if (kind === undefined) return
  await insertAnomaly(tx, { ...payment, kind, detail: { recorded: status, told: verdict.to }, at: now })
}
