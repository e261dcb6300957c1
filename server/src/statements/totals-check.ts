// Whether a statement's balances follow from its lines, and its opening and closing balance.
// Sources list the oldest line first or the newest.
import { changeOf, type StatementLine, type StatementTotals } from '../domain/books/statement.ts'
import { StatementRefused } from './limits.ts'

export interface TotalsCheck {
  /** Throws `StatementRefused` at the first line whose balance follows in neither order. */
  add(line: StatementLine): void
  totals(): StatementTotals
}

/**
 * With the oldest line first, each balance minus the changes up to and with its line is the opening
 * balance. With the newest first, each balance plus the changes of the lines before it is the
 * closing balance.
 */
export function createTotalsCheck(): TotalsCheck {
  let lines = 0
  let changesXof = 0
  let firstAt = 0
  let lastAt = 0
  /** Undefined before the first balance, null once a balance has contradicted the order. */
  let opening: number | null | undefined
  let closing: number | null | undefined

  const isOldestFirst = (): boolean => {
    if (closing === null) return true
    return opening === null ? false : firstAt <= lastAt
  }

  return {
    add(line) {
      const before = changesXof
      changesXof += changeOf(line)
      if (!Number.isSafeInteger(changesXof)) throw wrongBalance(line, Number.MAX_SAFE_INTEGER)
      if (lines++ === 0) firstAt = line.bookedAt
      lastAt = line.bookedAt
      if (line.balanceXof === null) return
      const expected = isOldestFirst() ? (opening ?? 0) + changesXof : (closing ?? 0) - before
      opening =
        opening === undefined || opening === line.balanceXof - changesXof
          ? line.balanceXof - changesXof
          : null
      closing =
        closing === undefined || closing === line.balanceXof + before
          ? line.balanceXof + before
          : null
      if (opening === null && closing === null) throw wrongBalance(line, expected)
    },
    totals() {
      if (opening === undefined || closing === undefined)
        return { lines, openingXof: null, closingXof: null }
      return isOldestFirst()
        ? { lines, openingXof: opening, closingXof: (opening as number) + changesXof }
        : { lines, openingXof: (closing as number) - changesXof, closingXof: closing }
    },
  }
}

const wrongBalance = ({ line, balanceXof }: StatementLine, expectedXof: number): StatementRefused =>
  new StatementRefused({
    fault: 'balance_does_not_add_up',
    line,
    expectedXof,
    foundXof: balanceXof ?? 0,
  })
