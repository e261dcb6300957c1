// The first page of a merchant's account: what was collected today and by day, how operators do, why payments failed, and what needs somebody.
import { dayOf, dayText } from '../../domain/business-day.ts'
import type { MerchantCaller } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import { operatorName } from '../../domain/operator-names.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { type Figure, type FigureOutcome, listFigures } from '../../store/figures/daily-figures.ts'
import { countPending } from '../../store/payments/payment-list.ts'
import { type Attention, listAttention } from './list-attention.ts'

interface DayFigures {
  collected: number
  succeeded: number
  failed: number
}

export interface Home {
  today: DayFigures & { pending: number }
  days: (DayFigures & { day: string })[]
  operators: { operator: string; name: string; succeeded: number; failed: number }[]
  failures: { reason: string; count: number }[]
  attention: Attention[]
}

export async function readHome(
  { db, clock }: { db: Database; clock: Pick<Clock, 'now'> },
  caller: MerchantCaller,
  { days }: { days: number },
): Promise<Home | RefusedAs<'account_not_found'>> {
  const today = dayOf(clock.now())
  const firstDay = today - days + 1
  const attention = await listAttention({ db, clock }, caller)
  if ('refused' in attention) return attention
  // A link that nobody tried to pay is no failed payment.
  const figures = (await listFigures(db, caller.accountId, firstDay)).filter(({ operator }) => operator !== '')
  const pending = await countPending(db, caller.accountId)
  return {
    today: { ...sumDay(figures, today), pending },
    days: Array.from({ length: days }, (_, at) => ({
      day: dayText(firstDay + at),
      ...sumDay(figures, firstDay + at),
    })),
    operators: namesOf(figures, ({ operator }) => operator).map((operator) => {
      const own = figures.filter((figure) => figure.operator === operator)
      return {
        operator,
        name: operatorName(operator),
        succeeded: count(own, 'succeeded'),
        failed: count(own, 'failed'),
      }
    }),
    failures: namesOf(figures, ({ reason }) => reason)
      .map((reason) => ({
        reason,
        count: count(
          figures.filter((figure) => figure.reason === reason),
          'failed',
        ),
      }))
      .sort((a, b) => b.count - a.count),
    attention: attention.rows,
  }
}

function sumDay(figures: readonly Figure[], day: number): DayFigures {
  const own = figures.filter((figure) => figure.day === day)
  const collected = own.reduce((sum, { outcome, amountXof }) => sum + (outcome === 'succeeded' ? amountXof : 0), 0)
  return { collected, succeeded: count(own, 'succeeded'), failed: count(own, 'failed') }
}

const count = (figures: readonly Figure[], wanted: FigureOutcome): number =>
  figures.reduce((sum, { outcome, payments }) => sum + (outcome === wanted ? payments : 0), 0)

const namesOf = (figures: readonly Figure[], name: (figure: Figure) => string): string[] =>
  [...new Set(figures.map(name))].filter((each) => each !== '').sort()
