// The only way an operator's report changes a payment: the report is judged, the move is guarded by the state it leaves, and its event
// is written in the same commit (D-14, D-26). Reports that arrive together share a transaction.
import type { ServiceItself } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { OperatorPayment, OperatorReport } from '../../domain/operator-report.ts'
import { type FailureReason, SENT_WITHIN_MS } from '../../domain/outcome.ts'
import { judge, type Verdict } from '../../domain/verdict.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { together } from '../../store/engine/together.ts'
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
import { insertRecheck, removeRecheck } from '../../store/payments/rechecks.ts'
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
  // Taken before the transaction: inside it, only `tx` may be used.
  const entries: [number, number][] = []
  for (const _report of reports) entries.push([await deps.nextStoryEntry(), await deps.nextStoryEntry()])
  // Every process uses the same order, so that two rarely lock payments and feeds, which a move locks until the commit, crosswise. They
  // still may, since some reports take more steps than others: PostgreSQL then ends one, and its batch is recorded one by one.
  const sorted = reports
    .map((report, at) => ({ report, at }))
    .sort((a, b) => byAccountAndNumber(a.report.payment, b.report.payment))
  return deps.db.transaction(async (tx) => {
    const moved = new Array<Outcome | undefined>(reports.length).fill(undefined)
    await together(sorted, async ({ report, at }) => {
      moved[at] = await recordOne(deps, tx, report, entries[at] as [number, number])
    })
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
  const sentAt = knownSendTime(report)
  const handedOverAt = sentAt ?? latestSendTime(payment)
  const verdict = judge(answer, { ...payment, handedOverAt, calledAt, now })
  const addToStory = (entry: number, kind: StoryKind, detail: Record<string, unknown>): Promise<void> =>
    insertStory(tx, payment.accountId, payment.number, entry, { at: now, kind, detail })
  await addToStory(entries[0], via, { ms: now - calledAt, ...answer })

  if (verdict.is === 'wait') {
    const isUnsent = sentAt === null && isSurelyUnsent(report, now)
    // The operator answers and does not have it: it is sent at once. One that cannot be reached is tried again later.
    const dueInMs = isUnsent && answer.is === 'not_known' ? 0 : verdict.dueInMs
    const acceptedAt = answer.is === 'accepted' ? calledAt : null
    await postponePayment(tx, payment, { handedOverAt: sentAt, acceptedAt, dueAt: now + dueInMs, isUnsent })
    if (verdict.anomaly) await insertAnomaly(tx, payment, { ...verdict.anomaly, at: now })
    return undefined
  }
  if (verdict.to === 'failed' && payment.attemptReference !== null) {
    await failAttempt(
      tx,
      report,
      verdict.failureReason,
      (detail) => addToStory(entries[1], 'attempt_failed', detail),
      now,
    )
    return undefined
  }
  const validatedAt = verdict.to === 'succeeded' ? now : null
  if (!(await movePendingPayment(tx, payment, verdict, { handedOverAt, validatedAt }))) {
    if (verdict.to === 'refunded') {
      const reversed = await recordReversal(deps, tx, payment, (detail) => addToStory(entries[1], 'moved', detail), now)
      if (reversed) return 'refunded'
    }
    await recordContradiction(tx, payment, verdict, now)
    return undefined
  }
  const reason = verdict.to === 'failed' ? { failureReason: verdict.failureReason } : {}
  if (reason.failureReason === 'never_received') await insertRecheck(tx, payment, now)
  await addToStory(entries[1], 'moved', { from: 'pending', to: verdict.to, ...reason })
  const linkReference = await closeLink(tx, payment, now)
  await writeEvent(tx, deps.random, { ...payment, linkReference }, { to: verdict.to, validatedAt, ...reason }, now)
  return verdict.to
}

/** When the payment was first sent, as far as this report shows; null when it may never have been, and must be (D-42). */
function knownSendTime({ payment, via, calledAt, answer }: OperatorReport): number | null {
  const neverLeft = answer.is === 'unknown' && answer.neverLeft === true
  // An operator that calls back about a payment, or says that it has accepted it, has received it.
  const isSent = via === 'callback' || (via === 'request' && !neverLeft) || answer.is === 'accepted'
  return payment.handedOverAt ?? (isSent ? calledAt : null)
}

/** Whether the operator certainly does not have the payment, while it may still be sent (D-42). A status call that never left says nothing. */
function isSurelyUnsent({ payment, via, answer }: OperatorReport, now: number): boolean {
  if (now - payment.requestedAt >= SENT_WITHIN_MS) return false
  return answer.is === 'not_known' || (via === 'request' && answer.is === 'unknown' && answer.neverLeft === true)
}

/** No send time was recorded. If the payment was sent before a crash, it was before this time. */
const latestSendTime = ({ requestedAt }: OperatorPayment): number => requestedAt + SENT_WITHIN_MS

/** A failed attempt leaves its link open (D-22): the payment does not move, and no event is written. */
async function failAttempt(
  tx: Queries,
  { payment, answer }: OperatorReport,
  failureReason: FailureReason,
  addToStory: (detail: Record<string, unknown>) => Promise<void>,
  now: number,
): Promise<void> {
  const { accountId, number } = payment
  const attemptReference = payment.attemptReference as string
  if (await releaseAttempt(tx, accountId, number, attemptReference)) {
    await endAttempt(tx, attemptReference, { status: 'failed', failureReason, at: now })
    if (failureReason === 'never_received') await insertRecheck(tx, payment, now)
    await addToStory({ failureReason })
    return
  }
  // The operator's own word ends the checks of a failure that we had only concluded.
  if (failureReason !== 'never_received') await removeRecheck(tx, payment)
  if ((await attemptStatus(tx, attemptReference)) === 'succeeded') {
    const detail = { recorded: 'succeeded', told: answer.is }
    await insertAnomaly(tx, payment, { kind: 'failure_after_success', detail, at: now })
  }
}

/** For a payment that was made through a link: the link is paid, and its expiry need not be checked any more. */
async function closeLink(tx: Queries, payment: OperatorPayment, now: number): Promise<string | undefined> {
  const { accountId, number, attemptReference } = payment
  if (attemptReference === null) return undefined
  await endAttempt(tx, attemptReference, { status: 'succeeded', failureReason: null, at: now })
  await setLinkDue(tx, payment, null)
  return linkOfPayment(tx, accountId, number)
}

/** The operator reversed a succeeded payment: it is refunded, whichever side asked for it (D-14). False when it has not succeeded. */
async function recordReversal(
  { random }: OutcomeDeps,
  tx: Queries,
  payment: OperatorPayment,
  addToStory: (detail: Record<string, unknown>) => Promise<void>,
  now: number,
): Promise<boolean> {
  const reversed = await moveSucceededPayment(tx, payment)
  if (reversed === undefined) return false
  const { accountId, number, attemptReference } = payment
  await removeRecheck(tx, payment)
  await addToStory({ from: 'succeeded', to: 'refunded' })
  const linkReference = attemptReference === null ? undefined : await linkOfPayment(tx, accountId, number)
  await writeEvent(tx, random, { ...payment, linkReference }, { to: 'refunded', ...reversed }, now)
  return true
}

/** Another report moved the payment first. If the two disagree about the money, a person must look (D-15). */
async function recordContradiction(
  tx: Queries,
  payment: OperatorPayment,
  verdict: Verdict & { is: 'move' },
  now: number,
): Promise<void> {
  // For a link, the attempt of this report: the payment may be waiting for another one.
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
  if (verdict.to !== 'failed' || verdict.failureReason !== 'never_received') await removeRecheck(tx, payment)
  if (kind === undefined) return
  await insertAnomaly(tx, payment, { kind, detail: { recorded: status, told: verdict.to }, at: now })
}
