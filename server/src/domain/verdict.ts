// What follows from an operator's answer: a move, or waiting and asking again. Pure, so that every rule of D-15 is one test.
import { type FailureReason, NOT_KNOWN_BELIEVED_AFTER_MS, type OperatorAnswer } from './outcome.ts'

export interface CalledOperator {
  amountXof: number
  /** When the payment was first sent to the operator. */
  handedOverAt: number
  /** How often the operator has been asked since. */
  polls: number
  /** When this question was put: its answer speaks of that time or a later one, and may have lain unread since. */
  calledAt: number
  now: number
}

export type Verdict =
  | { is: 'move'; to: 'succeeded' | 'refunded'; operatorReference: string }
  | { is: 'move'; to: 'failed'; failureReason: FailureReason }
  | { is: 'wait'; dueInMs: number; anomaly?: { kind: 'amount_mismatch'; detail: object } }

export function judge(answer: OperatorAnswer, asked: CalledOperator): Verdict {
  const wait = { is: 'wait', dueInMs: nextPollInMs(asked) } as const
  switch (answer.is) {
    case 'succeeded':
    case 'refunded':
      // Another amount than ours is for a person to look at; money is not settled by guessing.
      if (answer.amountXof !== asked.amountXof) {
        const detail = { asked: asked.amountXof, told: answer.amountXof }
        return { ...wait, anomaly: { kind: 'amount_mismatch', detail } }
      }
      return { is: 'move', to: answer.is, operatorReference: answer.operatorReference }
    case 'declined':
      return { is: 'move', to: 'failed', failureReason: answer.reason }
    case 'not_known':
      if (asked.calledAt - asked.handedOverAt < NOT_KNOWN_BELIEVED_AFTER_MS) return wait
      return { is: 'move', to: 'failed', failureReason: 'never_received' }
    case 'accepted':
    case 'unknown':
      return wait
  }
}

const FIRST_ASK_MS = 5_000
/** Half a minute at the most on the first day, so that an operator that comes back is heard within a minute (promise 5). */
const LONGEST_ON_FIRST_DAY_MS = 30_000
const LONGEST_LATER_MS = 15 * 60_000
const DAY_MS = 86_400_000

/** Grows by half each time. */
export function nextPollInMs({
  polls,
  handedOverAt,
  now,
}: Pick<CalledOperator, 'polls' | 'handedOverAt' | 'now'>): number {
  const longest = now - handedOverAt < DAY_MS ? LONGEST_ON_FIRST_DAY_MS : LONGEST_LATER_MS
  return Math.round(Math.min(FIRST_ASK_MS * 1.5 ** Math.min(polls, 40), longest))
}
