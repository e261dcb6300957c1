// The one way a pending payment changes: an operator's word is judged, the move is guarded by the state it leaves, and the event
// that tells of it is in the same commit (D-14, D-26). Words that arrive together share a transaction.
import type { ServiceItself } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { OperatorPayment, OperatorReport } from '../../domain/operator-report.ts'
import { type FailureReason, SENT_WITHIN_MS } from '../../domain/outcome.ts'
import { judge, type Verdict } from '../../domain/verdict.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { attemptStatus, endAttempt, releaseAttempt } from '../../store/links/link-attempts.ts'
import { linkOfPayment, setLinkDue } from '../../store/links/payment-links.ts'
import { type AnomalyKind, insertAnomaly } from '../../store/payments/anomalies.ts'
import { insertStory, type StoryKind } from '../../store/payments/payment-story.ts'
import {
  byAccountAndNumber,
  findStatus,
  movePendingPayment,
  moveSucceededPayment,
  postponePayment,
} from '../../store/payments/pending-payments.ts'
import { writeEvent } from '../webhooks/write-event.ts'

export interface OutcomeDeps {
  db: Database
  clock: Clock
  random: Random
  nextStoryEntry(): Promise<number>
}

export type Outcome = 'succeeded' | 'failed' | 'refunded'

/** For each report, the state to which it moved its payment, or undefined. */
export async function recordOutcomes(
  deps: OutcomeDeps,
  _caller: ServiceItself,
  reports: readonly OperatorReport[],
): Promise<(Outcome | undefined)[]> {
  // Taken before the transaction: inside it, nothing but `tx` may be asked.
  const entries: [number, number][] = []
  for (const _report of reports) entries.push([await deps.nextStoryEntry(), await deps.nextStoryEntry()])
  // In the same order by everybody, for the feeds too: a move holds that of its account until the commit.
  const inTurn = reports
    .map((report, at) => ({ report, at }))
    .sort((a, b) => byAccountAndNumber(a.report.payment, b.report.payment))
  return deps.db.transaction(async (tx) => {
    const moved = new Array<Outcome | undefined>(reports.length).fill(undefined)
    for (const { report, at } of inTurn) moved[at] = await recordOne(deps, tx, report, entries[at] as [number, number])
    return moved
  })
}

async function recordOne(
  deps: OutcomeDeps,
  tx: Queries,
  report: OperatorReport,
  entries: [number, number],
): Promise<Outcome | undefined> {
  const { payment, via, calledAt, answer } = report
  const now = deps.clock.now()
  const noted = sentAt(report)
  const handedOverAt = noted ?? latestSending(payment)
  const verdict = judge(answer, { ...payment, handedOverAt, calledAt, now })
  const tell = (entry: number, kind: StoryKind, detail: Record<string, unknown>): Promise<void> =>
    insertStory(tx, payment.accountId, payment.number, entry, { at: now, kind, detail })
  await tell(entries[0], via, { ms: now - calledAt, ...answer })

  if (verdict.is === 'wait') {
    await postponePayment(tx, payment, { handedOverAt: noted, dueAt: now + verdict.dueInMs })
    if (verdict.anomaly) await insertAnomaly(tx, { ...payment, ...verdict.anomaly, at: now })
    return undefined
  }
  if (verdict.to === 'failed' && payment.attemptReference !== null) {
    await failAttempt(tx, report, verdict.failureReason, (detail) => tell(entries[1], 'attempt_failed', detail), now)
    return undefined
  }
  const validatedAt = verdict.to === 'succeeded' ? now : null
  if (!(await movePendingPayment(tx, payment, verdict, { handedOverAt, validatedAt }))) {
    if (verdict.to === 'refunded') {
      const reversed = await reverse(deps, tx, payment, (detail) => tell(entries[1], 'moved', detail), now)
      if (reversed) return 'refunded'
    }
    await lookForContradiction(tx, payment, verdict, now)
    return undefined
  }
  const reason = verdict.to === 'failed' ? { failureReason: verdict.failureReason } : {}
  await tell(entries[1], 'moved', { from: 'pending', to: verdict.to, ...reason })
  const linkReference = await closeLink(tx, payment, now)
  await writeEvent(tx, deps.random, { ...payment, linkReference }, { to: verdict.to, validatedAt, ...reason }, now)
  return verdict.to
}

/** When it was first sent, as far as this word tells; null when it may never have been, and is to be sent (D-42). */
function sentAt({ payment, via, calledAt, answer }: OperatorReport): number | null {
  const neverLeft = answer.is === 'unknown' && answer.neverLeft === true
  // An operator that calls back about a payment has it.
  const isSent = via === 'callback' || (via === 'request' && !neverLeft)
  return payment.handedOverAt ?? (isSent ? calledAt : null)
}

/** Its sending was never noted: if there was one, before a crash, it was before this. */
const latestSending = ({ requestedAt }: OperatorPayment): number => requestedAt + SENT_WITHIN_MS

/** An attempt that failed leaves its link open (D-22): nothing moves, and nobody is told. */
async function failAttempt(
  tx: Queries,
  { payment, answer }: OperatorReport,
  failureReason: FailureReason,
  tell: (detail: Record<string, unknown>) => Promise<void>,
  now: number,
): Promise<void> {
  const { accountId, number } = payment
  const attemptReference = payment.attemptReference as string
  if (await releaseAttempt(tx, accountId, number, attemptReference)) {
    await endAttempt(tx, attemptReference, { status: 'failed', failureReason, at: now })
    await tell({ failureReason })
  } else if ((await attemptStatus(tx, attemptReference)) === 'succeeded') {
    const detail = { recorded: 'succeeded', told: answer.is }
    await insertAnomaly(tx, { ...payment, kind: 'failure_after_success', detail, at: now })
  }
}

/** Of a payment that was made through a link: it is paid, and nobody has to look whether its time is over. */
async function closeLink(tx: Queries, payment: OperatorPayment, now: number): Promise<string | undefined> {
  const { accountId, number, attemptReference } = payment
  if (attemptReference === null) return undefined
  await endAttempt(tx, attemptReference, { status: 'succeeded', failureReason: null, at: now })
  await setLinkDue(tx, payment, null)
  return linkOfPayment(tx, accountId, number)
}

/** The operator gave back what it had collected: a succeeded payment is refunded, whoever asked for that (D-14). False when it was not succeeded. */
async function reverse(
  { random }: OutcomeDeps,
  tx: Queries,
  payment: OperatorPayment,
  tell: (detail: Record<string, unknown>) => Promise<void>,
  now: number,
): Promise<boolean> {
  const reversed = await moveSucceededPayment(tx, payment)
  if (reversed === undefined) return false
  const { accountId, number, attemptReference } = payment
  await tell({ from: 'succeeded', to: 'refunded' })
  const linkReference = attemptReference === null ? undefined : await linkOfPayment(tx, accountId, number)
  await writeEvent(tx, random, { ...payment, linkReference }, { to: 'refunded', ...reversed }, now)
  return true
}

/** Somebody was first. Where the two disagree about the money, a person has to look (D-15). */
async function lookForContradiction(
  tx: Queries,
  payment: OperatorPayment,
  verdict: Verdict & { is: 'move' },
  now: number,
): Promise<void> {
  // Of a link, the attempt that was spoken of: the payment may be waiting for another.
  const status =
    payment.attemptReference === null
      ? await findStatus(tx, payment.accountId, payment.number)
      : await attemptStatus(tx, payment.attemptReference)
  const kind: AnomalyKind | undefined =
    status === 'failed' && verdict.to !== 'failed'
      ? 'success_after_failure'
      : status === 'succeeded' && verdict.to === 'failed'
        ? 'failure_after_success'
        : undefined
  if (kind === undefined) return
  await insertAnomaly(tx, { ...payment, kind, detail: { recorded: status, told: verdict.to }, at: now })
}
