// The only way an operator's report changes a payment (D-14, D-26). Reports that arrive together
// share one transaction, and everything below that is written is written in its commit.
//
//   1. order     The history's entry numbers are taken before the transaction. Reports are sorted
//                by payment, so that processes rarely lock payments crosswise.
//   2. rounds    No payment has two reports in a round: the second one sees what the first changed.
//
// In each round:
//
//   3. judge     Each report gets a verdict, without a look at the store: wait, or move to
//                succeeded, failed or refunded (domain/payments/verdict.ts).
//   4. rechecks  Those of requests that ended long ago are removed.
//   5. waits     The payment stays pending and gets its next due time. Another amount than ours, or
//                a payment that its operator forgot, also becomes an anomaly.
//   6. attempts  A failed attempt of a link ends, and its link stays open: the payment does not
//                move, and no event is written (D-22).
//   7. moves     The other payments leave `pending`, if no other report moved them first. Those
//                that have left it already are one of:
//                  reversed      they had succeeded and the network gave the money back: they move
//                                to refunded, and a refund of ours that was not sent ends
//                  contradicted  they have another outcome: an anomaly for a person (D-15)
//                  agreed        they have this outcome: nothing more is written
//   8. effects   Of each payment that moved: a recheck if it may still be paid, a line in the
//                history, its link and poster, its event, its ledger entries.
//   9. answers   The operators' answers that say something new go into the history.

import type { AnomalyKind } from '../../domain/books/anomaly.ts'
import type { Random } from '../../domain/clock-and-random.ts'
import { entryOf, type NewEntry } from '../../domain/ledger/ledger.ts'
import { type OperatorPayment, SENT_WITHIN_MS } from '../../domain/payments/operator-payment.ts'
import type { OperatorAnswer, OperatorReport } from '../../domain/payments/operator-report.ts'
import type { FailureReason } from '../../domain/payments/payment-status.ts'
import { judge, RECHECKED_FOR_MS, type Verdict } from '../../domain/payments/verdict.ts'
import { actorOf, type ServiceItself } from '../../domain/people/caller.ts'
import { insertEntries } from '../../store/books/entries.ts'
import { type Transaction, together } from '../../store/engine/database.ts'
import {
  attemptStatus,
  countOnPoster,
  endAttempt,
  linkOfPayment,
  releaseAttempt,
  setLinkDue,
  setLinkDueAtExpiry,
} from '../../store/links/payment-links.ts'
import { insertAnomaly } from '../../store/payments/anomalies.ts'
import {
  insertNewAnswers,
  insertRecheck,
  insertStory,
  movePendingPayments,
  moveSucceededPayment,
  postponePayments,
  removeOldRecheck,
  removeRecheck,
  type StoryEntry,
  type StoryLine,
} from '../../store/payments/payment-moves.ts'
import { findStatus } from '../../store/payments/payments.ts'
import { byAccountAndNumber } from '../../store/payments/pending-payments.ts'
import { endUnsentRefund, findSentRefund } from '../../store/payments/refunds.ts'
import type { MoveDeps } from '../deps.ts'
import { type EventMove, type EventPayment, writeEvents } from '../events/write-event.ts'
import { notifyMerchant, notifyStaff } from '../notices/notices.ts'

export async function recordOutcomes(
  deps: MoveDeps,
  caller: ServiceItself,
  reports: readonly OperatorReport[],
): Promise<(EventMove['to'] | undefined)[]> {
  // Taken before the transaction: inside it, only `tx` may be used.
  const numbered: NumberedReport[] = []
  for (const [index, report] of reports.entries())
    numbered.push({
      report,
      position: index,
      entries: [await deps.nextStoryEntry(), await deps.nextStoryEntry()],
    })
  // Every process uses the same order, so that two rarely lock payments and feeds crosswise. They
  // still may, since some reports take more steps: PostgreSQL then ends one, and its batch is
  // recorded one by one.
  numbered.sort((a, b) => byAccountAndNumber(a.report.payment, b.report.payment))
  return deps.db.transaction(async (tx) => {
    const recording = { random: deps.random, tx, now: deps.clock.now(), madeBy: actorOf(caller) }
    const outcomes = new Array<EventMove['to'] | undefined>(numbered.length).fill(undefined)
    for (const round of onePerPayment(numbered)) {
      for (const { position: at, move } of await recordRound(recording, round))
        outcomes[at] = move.to
    }
    return outcomes
  })
}

/** Rounds in which no payment has two reports: the second sees what the first has changed. */
function onePerPayment(sorted: readonly NumberedReport[]): NumberedReport[][] {
  const rounds: NumberedReport[][] = []
  let nth = 0
  for (const [index, each] of sorted.entries()) {
    const before = sorted[index - 1]
    nth =
      before !== undefined && byAccountAndNumber(before.report.payment, each.report.payment) === 0
        ? nth + 1
        : 0
    const round = rounds[nth]
    if (round === undefined) rounds.push([each])
    else round.push(each)
  }
  return rounds
}

interface MovedReport extends NumberedReport {
  payment: OperatorPayment
  from: 'pending' | 'succeeded'
  move: EventMove
  /** What refunds had given back before the network reversed it. */
  refundedXof: number
}

interface Recording {
  random: Random
  tx: Transaction
  now: number
  /** The author of the ledger entries. */
  madeBy: string
}

/** Records reports about different payments; returns the reports that moved their payment. */
async function recordRound(
  recording: Recording,
  round: readonly NumberedReport[],
): Promise<MovedReport[]> {
  const { tx, now } = recording
  const judged = round.map((each) => judgeReport(each, now))
  await together(
    judged.filter(({ report }) => mayEndRechecks(report)),
    ({ payment, report }) => removeOldRecheck(tx, payment, report.calledAt),
  )
  const waits = judged.filter((each) => isJudged(each, 'wait'))
  const moves = judged.filter((each) => isJudged(each, 'move'))
  const news: JudgedReport[] = await recordWaits(tx, waits, now)
  // A failed attempt leaves its link open (D-22): the payment does not move, and no event is
  // written.
  const isOfAttempt = ({ payment, verdict }: Judged<'move'>): boolean =>
    verdict.to === 'failed' && payment.attemptReference !== null
  await together(moves.filter(isOfAttempt), async (each) => {
    if (await failAttempt(tx, each, now)) news.push(each)
  })
  const wanted = moves.filter((each) => !isOfAttempt(each))
  const moved = await recordMoves(recording, wanted, (each) => void news.push(each))
  await insertNewAnswers(
    tx,
    news.map(({ payment, entries, report: { via, calledAt, answer } }) =>
      storyLine(payment, entries[0], {
        at: now,
        kind: via,
        detail: { ms: now - calledAt, ...answerForHistory(answer) },
      }),
    ),
  )
  return moved
}

/**
 * The history is the merchant's too: what to change in our configuration, and another merchant's
 * payment, are for the operator of the service.
 */
function answerForHistory(answer: OperatorAnswer): object {
  if (answer.is === 'not_known') {
    const { alsoForgotten: _, ...shown } = answer
    return shown
  }
  if (answer.is !== 'declined') return answer
  const { misconfigured: _, ...shown } = answer
  return shown
}

const storyLine = (
  { accountId, number }: OperatorPayment,
  entry: number,
  line: StoryEntry,
): StoryLine => ({ accountId, number, entry, ...line })

/** Returns the reports that the history needs an entry for. */
async function recordWaits(tx: Transaction, waits: readonly Judged<'wait'>[], now: number) {
  const isPending = await postponePayments(
    tx,
    waits.map(({ report, payment, verdict, sentAt }) => {
      const isUnsent = sentAt === null && isSurelyUnsent(report, now)
      // The operator answers and does not have it: it is sent at once. One that cannot be reached
      // is tried again later.
      const dueInMs = isUnsent && report.answer.is === 'not_known' ? 0 : verdict.dueInMs
      const acceptedAt = report.answer.is === 'accepted' ? report.calledAt : null
      const { claimedDueAt = null } = report
      return {
        payment,
        handedOverAt: sentAt,
        acceptedAt,
        dueAt: now + dueInMs,
        claimedDueAt,
        isUnsent,
      }
    }),
  )
  const anomalies = waits.flatMap(({ payment, verdict: { anomaly } }, index) =>
    // A request that has ended may be forgotten: a page that its payer gave up is deleted.
    anomaly && (isPending[index] || anomaly.kind !== 'forgotten_by_operator')
      ? [{ payment, anomaly }]
      : [],
  )
  await together(anomalies, ({ payment, anomaly }) =>
    insertAnomaly(tx, payment, { ...anomaly, at: now }),
  )
  return waits.filter(isNews)
}

async function recordMoves(
  { random, tx, now, madeBy }: Recording,
  moves: readonly Judged<'move'>[],
  addToHistory: (each: Judged<'move'>) => void,
): Promise<MovedReport[]> {
  const wanted = moves.map((each) => {
    return { ...each, validatedAt: each.verdict.to === 'succeeded' ? now : null }
  })
  const isMade = await movePendingPayments(tx, wanted)
  const moved: MovedReport[] = []
  for (const [index, each] of wanted.entries()) {
    if (!isMade[index]) continue
    addToHistory(each)
    moved.push(movedBy(each, each.validatedAt))
  }
  await together(
    moves.filter((_, index) => !isMade[index]),
    async (each) => {
      const reversed =
        each.verdict.to === 'refunded' ? await recordReversal(tx, each.payment, now) : undefined
      if (reversed === undefined) {
        if (await recordContradiction(tx, each, now)) addToHistory(each)
        return
      }
      addToHistory(each)
      await removeRecheck(tx, each.payment)
      const { refundedXof, ...facts } = reversed
      moved.push({ ...each, from: 'succeeded', move: { to: 'refunded', ...facts }, refundedXof })
    },
  )
  await together(moved, async ({ payment, move, report }) => {
    if (mayStillBePaid(report, move.failureReason)) await insertRecheck(tx, payment, now)
  })
  await insertStory(
    tx,
    moved.map(({ payment, entries, from, move: { to, failureReason } }) => {
      const detail = { from, to, ...(failureReason && { failureReason }) }
      return storyLine(payment, entries[1], { at: now, kind: 'moved', detail })
    }),
  )
  const events: { payment: EventPayment; move: EventMove }[] = []
  for (const { payment, from, move, refundedXof } of moved) {
    events.push({
      payment: { ...payment, linkReference: await closeLink(tx, payment, from, now) },
      move,
    })
    if (payment.attemptReference === null) continue
    const { amountXof } = payment
    if (move.to === 'succeeded') await countOnPoster(tx, payment, { payments: 1, amountXof })
    else if (from === 'succeeded')
      await countOnPoster(tx, payment, {
        payments: -1,
        amountXof: refundedXof - amountXof,
      })
  }
  await writeEvents(tx, random, events, now)
  await insertEntries(
    tx,
    moved.flatMap((each) => entriesOf(each, { at: now, madeBy })),
  )
  return moved
}

/**
 * A payment that the network gave back before we saw it succeed was paid too. Refunds in part have
 * their entries.
 */
function entriesOf(
  { payment, from, move: { to }, refundedXof }: MovedReport,
  by: { at: number; madeBy: string },
): NewEntry[] {
  const paid = from === 'pending' && to !== 'failed' ? [entryOf('payment', payment, by)] : []
  const reversed = { ...payment, amountXof: payment.amountXof - refundedXof }
  return to === 'refunded' ? [...paid, entryOf('reversal', reversed, by)] : paid
}

function movedBy(each: Judged<'move'>, validatedAt: number | null): MovedReport {
  const { verdict } = each
  const facts =
    verdict.to === 'failed'
      ? { failureReason: verdict.failureReason }
      : { operatorReference: verdict.operatorReference }
  return {
    ...each,
    from: 'pending',
    move: { to: verdict.to, validatedAt, ...facts },
    refundedXof: 0,
  }
}

async function failAttempt(
  tx: Transaction,
  { payment, report, verdict, entries }: Judged<'move'>,
  now: number,
) {
  const { accountId, number } = payment
  const { failureReason } = verdict as Extract<Verdict, { to: 'failed' }>
  const attemptReference = payment.attemptReference as string
  if (await releaseAttempt(tx, accountId, number, attemptReference)) {
    await endAttempt(tx, attemptReference, { status: 'failed', failureReason, at: now })
    await setLinkDueAtExpiry(tx, payment)
    if (mayStillBePaid(report, failureReason)) await insertRecheck(tx, payment, now)
    await insertStory(tx, [
      storyLine(payment, entries[1], {
        at: now,
        kind: 'attempt_failed',
        detail: { failureReason },
      }),
    ])
    return true
  }
  // The operator confirms a failure that we had only concluded: the rechecks end.
  if (!mayStillBePaid(report, failureReason)) await removeRecheck(tx, payment)
  if ((await attemptStatus(tx, attemptReference)) !== 'succeeded') return false
  const detail = { recorded: 'succeeded', reported: report.answer.is }
  await insertAnomaly(tx, payment, { kind: 'failure_after_success', detail, at: now })
  return true
}

/**
 * For a payment that was made through a link: the link is paid, and its expiry need not be checked
 * any more.
 */
async function closeLink(
  tx: Transaction,
  payment: OperatorPayment,
  from: MovedReport['from'],
  now: number,
) {
  const { accountId, number, attemptReference } = payment
  if (attemptReference === null) return undefined
  if (from === 'pending') {
    await endAttempt(tx, attemptReference, {
      status: 'succeeded',
      failureReason: null,
      at: now,
    })
    await setLinkDue(tx, payment, null)
  }
  return linkOfPayment(tx, accountId, number)
}

function anomalyOf(
  status: string | undefined,
  to: Judged<'move'>['verdict']['to'],
): AnomalyKind | undefined {
  if (status === 'failed' && to !== 'failed') return 'success_after_failure'
  const wasPaid = status === 'succeeded' || status === 'refunded'
  return wasPaid && to === 'failed' ? 'failure_after_success' : undefined
}

/**
 * Another report moved the payment first. A disagreement is for a person (D-15). False when they
 * agree.
 */
async function recordContradiction(
  tx: Transaction,
  { payment, verdict, report }: Judged<'move'>,
  now: number,
) {
  // For a link, the attempt of this report: the payment may be waiting for another one.
  const status =
    payment.attemptReference === null
      ? await findStatus(tx, payment.accountId, payment.number)
      : await attemptStatus(tx, payment.attemptReference)
  const kind = anomalyOf(status, verdict.to)
  if (verdict.to !== 'failed' || !mayStillBePaid(report, verdict.failureReason))
    await removeRecheck(tx, payment)
  if (kind === undefined) return false
  // The operator's reference lets a person refund the money later.
  const name = verdict.to === 'failed' ? {} : { operatorReference: verdict.operatorReference }
  const detail = { recorded: status, reported: verdict.to, ...name }
  const isReversal = verdict.to === 'refunded'
  const isNew = await insertAnomaly(tx, payment, { kind, detail, at: now, isReversal })
  if (isNew && kind === 'success_after_failure' && !isReversal)
    await notifyOfLateMoney(tx, payment, now)
  return true
}

async function notifyOfLateMoney(
  tx: Transaction,
  { accountId, reference }: OperatorPayment,
  now: number,
) {
  const notice = { kind: 'late_money', about: reference } as const
  await notifyMerchant(tx, now, { ...notice, accountId, cause: accountId })
  await notifyStaff(tx, now, notice)
}

type NumberedReport = { report: OperatorReport; position: number; entries: [number, number] }

interface JudgedReport extends NumberedReport {
  payment: OperatorPayment
  verdict: Verdict
  sentAt: number | null
  handedOverAt: number
}

/** An operator that says again that it has the payment adds nothing, however often it is polled. */
const isNews = ({ payment, report }: JudgedReport): boolean =>
  report.answer.is !== 'accepted' || payment.acceptedAt === null

type Judged<Is extends Verdict['is']> = JudgedReport & { verdict: Verdict & { is: Is } }

const isJudged = <Is extends Verdict['is']>(each: JudgedReport, is: Is): each is Judged<Is> =>
  each.verdict.is === is

function judgeReport(each: NumberedReport, now: number): JudgedReport {
  const { payment, calledAt, clockJumpedTo, answer } = each.report
  const sentAt = knownSendTime(each.report)
  const handedOverAt = sentAt ?? latestSendTime(payment)
  const isSurelyUnsent = isFirstClaimOfLate(each.report)
  const verdict = judge(answer, {
    ...payment,
    handedOverAt,
    calledAt,
    clockJumpedTo,
    isSurelyUnsent,
    now,
  })
  return { ...each, payment, verdict, sentAt, handedOverAt }
}

/**
 * We concluded the failure ourselves, or the network says that a payment which it declined may
 * still be paid.
 */
const mayStillBePaid = ({ answer }: OperatorReport, reason: FailureReason | undefined): boolean =>
  reason === 'never_received' || (answer.is === 'declined' && answer.mayChange === true)

/**
 * Whether the rechecks of an ended request may be over. Most payments are too young for a look-up.
 */
const mayEndRechecks = ({ payment, calledAt, answer }: OperatorReport): boolean =>
  calledAt - payment.requestedAt >= RECHECKED_FOR_MS && answer.is !== 'unknown'

/** The first send, as far as this report shows; null when it must still be sent (ADR-0007). */
function knownSendTime({ payment, via, calledAt, answer }: OperatorReport): number | null {
  const neverLeft = answer.is === 'unknown' && answer.neverLeft === true
  // An operator that calls back about a payment, or says that it has accepted it, has received it.
  const isSent = via === 'callback' || (via === 'request' && !neverLeft) || answer.is === 'accepted'
  return payment.handedOverAt ?? (isSent ? calledAt : null)
}

/**
 * Whether the operator certainly does not have the payment, while it may still be sent (ADR-0007).
 * A status call that was never sent proves nothing. A stored network id means that the payer may
 * have been prompted, whatever a look-up shows (ADR-0007).
 */
function isSurelyUnsent({ payment, via, answer }: OperatorReport, now: number): boolean {
  if (now - payment.requestedAt >= SENT_WITHIN_MS) return false
  if (answer.is === 'not_known')
    return payment.networkId === null && answer.alsoForgotten === undefined
  return via === 'request' && answer.is === 'unknown' && answer.neverLeft === true
}

/** The dispatcher polls under a first claim only when it is too late to send. */
const isFirstClaimOfLate = ({ payment, via, claimedDueAt }: OperatorReport): boolean =>
  via === 'status' &&
  claimedDueAt !== undefined &&
  payment.handedOverAt === null &&
  payment.claims <= 1 &&
  payment.polls === 0

/** No send time was recorded. If the payment was sent before a crash, it was before this time. */
const latestSendTime = ({ requestedAt }: OperatorPayment): number => requestedAt + SENT_WITHIN_MS

// The network reversed a succeeded payment on its own: our own refund of it must not follow.

/** Undefined when the payment has not succeeded, or by another attempt than this. */
async function recordReversal(tx: Transaction, payment: OperatorPayment, now: number) {
  await endUnsentRefund(tx, payment, now)
  const reversed = await moveSucceededPayment(tx, payment)
  const sent = reversed && (await findSentRefund(tx, payment))
  if (sent !== undefined) {
    // Only the network's statement shows whether this is our refund, or the money went back twice.
    const detail = {
      recorded: 'refund_pending',
      reported: 'refunded',
      refund: sent.refundReference,
    }
    await insertAnomaly(tx, payment, { kind: 'reversed_during_refund', detail, at: now })
  }
  return reversed
}
