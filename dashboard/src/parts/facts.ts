// Which facts of the activity log people see, and how amounts, times and sizes among them are
// written.
import { startOfDay } from '../../../server/src/dashboard-api/contract.ts'
import { formatAmount, formatBytes, formatDay, formatDayAndTime, formatPercent } from '../format.ts'

const OWN_ID = /^(?:acc|mer|per|inv|ses|key|whe|stm|doc|apr|chg)_/
/** Hashes. */
const HIDDEN = ['sha256', 'logo']

/** Our ids mean nothing to people: the row has the name. */
const isId = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0 && value.every(isId)
    : typeof value === 'string' && OWN_ID.test(value)

export const isShownFact = (fact: string, value: unknown): boolean =>
  !HIDDEN.includes(fact) && !isId(value)

const AMOUNTS = ['amount', 'received', 'fixedXof', 'minimumXof', 'maximumXof']
const TIMES = ['expires', 'entered_at', 'failedSince']

/** Undefined for a value that is no amount, time, rate or size. */
export function quantityText(fact: string, value: unknown): string | undefined {
  if (TIMES.includes(fact) && value !== null)
    return formatDayAndTime(new Date(value as number | string).getTime())
  if (typeof value !== 'number') return undefined
  if (AMOUNTS.includes(fact)) return formatAmount(value)
  if (fact === 'fromDay') return formatDay(startOfDay(value))
  if (fact === 'rate') return formatPercent(value / 100_000)
  return fact === 'bytes' ? formatBytes(value) : undefined
}
