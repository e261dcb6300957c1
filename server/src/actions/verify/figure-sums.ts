// Holds the daily figures against the events that they count, for `karba verify`.
import type { FigureEvidence } from '../../store/verify/evidence.ts'

export interface FigureCheck {
  count(accountId: string, sequence: number, event: string, amountXof: number): void
  /** What does not add up, once all events are counted. */
  wrong(): { accountId: string; outcome: string }[]
}

const PAYMENT_EVENT = 'payment.'

export function figureCheck(evidence: readonly FigureEvidence[]): FigureCheck {
  const countedTo = new Map(evidence.map(({ accountId, lastSequence }) => [accountId, lastSequence]))
  const left = new Map<string, { accountId: string; outcome: string; payments: number; amountXof: number }>()
  const add = (accountId: string, outcome: string, payments: number, amountXof: number): void => {
    const key = `${accountId} ${outcome}`
    const sum = left.get(key) ?? { accountId, outcome, payments: 0, amountXof: 0 }
    left.set(key, { ...sum, payments: sum.payments + payments, amountXof: sum.amountXof + amountXof })
  }
  for (const { accountId, outcome, payments, amountXof } of evidence) add(accountId, outcome, payments, amountXof)
  return {
    count(accountId, sequence, event, amountXof) {
      if (!event.startsWith(PAYMENT_EVENT) || sequence > (countedTo.get(accountId) ?? 0)) return
      add(accountId, event.slice(PAYMENT_EVENT.length), -1, -amountXof)
    },
    wrong: () => [...left.values()].filter(({ payments, amountXof }) => payments !== 0 || amountXof !== 0),
  }
}
