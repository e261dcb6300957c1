// What an operator's report says about its payment: the verdict, when the payment was sent as far as the report shows, and whether that is news.
import type { OperatorPayment, OperatorReport } from '../../domain/operator-report.ts'
import { type FailureReason, SENT_WITHIN_MS } from '../../domain/outcome.ts'
import { RECHECKED_FOR_MS } from '../../domain/retry-schedule.ts'
import { judge, type Verdict } from '../../domain/verdict.ts'

export interface NumberedReport {
  report: OperatorReport
  /** Its place among the reports. */
  at: number
  /** Two numbers for lines of the payment's story. */
  entries: [number, number]
}

export interface JudgedReport extends NumberedReport {
  payment: OperatorPayment
  verdict: Verdict
  sentAt: number | null
  handedOverAt: number
}

/** An operator that says again that it has the payment says nothing new, however often it is asked. */
export const isNews = ({ payment, report }: JudgedReport): boolean =>
  report.answer.is !== 'accepted' || payment.acceptedAt === null

export type Judged<Is extends Verdict['is']> = JudgedReport & { verdict: Verdict & { is: Is } }

export function judgeReport(each: NumberedReport, now: number): JudgedReport {
  const { payment, calledAt, clockJumpedTo, answer } = each.report
  const sentAt = knownSendTime(each.report)
  const handedOverAt = sentAt ?? latestSendTime(payment)
  const isSurelyUnsent = isFirstClaimOfLate(each.report)
  const verdict = judge(answer, { ...payment, handedOverAt, calledAt, clockJumpedTo, isSurelyUnsent, now })
  return { ...each, payment, verdict, sentAt, handedOverAt }
}

/** We concluded the failure ourselves, or the network says that a payment which it declined may still be paid. */
export const mayStillBePaid = ({ answer }: OperatorReport, reason: FailureReason | undefined): boolean =>
  reason === 'never_received' || (answer.is === 'declined' && answer.mayChange === true)

/** Whether the checks of an ended request may be over: they began after its payer had asked for it. Most payments are too young to look. */
export const mayEndRechecks = ({ payment, calledAt, answer }: OperatorReport): boolean =>
  calledAt - payment.requestedAt >= RECHECKED_FOR_MS && answer.is !== 'unknown'

/** When the payment was first sent, as far as this report shows; null when it may never have been, and must be (ADR-0007). */
function knownSendTime({ payment, via, calledAt, answer }: OperatorReport): number | null {
  const neverLeft = answer.is === 'unknown' && answer.neverLeft === true
  // An operator that calls back about a payment, or says that it has accepted it, has received it.
  const isSent = via === 'callback' || (via === 'request' && !neverLeft) || answer.is === 'accepted'
  return payment.handedOverAt ?? (isSent ? calledAt : null)
}

/**
 * Whether the operator certainly does not have the payment, while it may still be sent (ADR-0007). A status call that never left says nothing, and a
 * kept id says that the payer may have been asked, whatever a look-up shows (ADR-0007).
 */
export function isSurelyUnsent({ payment, via, answer }: OperatorReport, now: number): boolean {
  if (now - payment.requestedAt >= SENT_WITHIN_MS) return false
  if (answer.is === 'not_known') return payment.networkId === null
  return via === 'request' && answer.is === 'unknown' && answer.neverLeft === true
}

/** The dispatcher asks about a payment under its first claim only when it is too late to send it: no process has had it before. */
const isFirstClaimOfLate = ({ payment, via, claimedUntil }: OperatorReport): boolean =>
  via === 'status' &&
  claimedUntil !== undefined &&
  payment.handedOverAt === null &&
  payment.claims <= 1 &&
  payment.polls === 0

/** No send time was recorded. If the payment was sent before a crash, it was before this time. */
const latestSendTime = ({ requestedAt }: OperatorPayment): number => requestedAt + SENT_WITHIN_MS
