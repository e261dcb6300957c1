// The books of an account: where its money is, and its statements.
import { z } from 'zod'
import { countDifferences } from '../actions/books/exceptions.ts'
import { listMovements, readAccountStatement } from '../actions/books/read-account-statement.ts'
import { readBalance } from '../actions/books/read-books.ts'
import { listMoneyEntries } from '../actions/books/read-money.ts'
import { labelConnections } from '../actions/operators/merchant-connections.ts'
import type { StatementRow } from '../domain/account-statement.ts'
import { dayOf, dayText } from '../domain/business-day.ts'
import { amountsOf, MONEY_PLACES } from '../domain/ledger.ts'
import { PAGE_LIMIT } from '../domain/page.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { statementHead } from '../wire/books.ts'
import { accountRoute, NOTHING, optional, pageOf, time, wholeNumber } from './route.ts'
import type { MoneyBody, MoneyEntryRow, MovementRow, PageOf, StatementBody } from './shapes.ts'

const CONNECTION = z.string().min(1).max(64)
/** The number of the last row. */
const NUMBERED_PAGE = {
  after: optional(wholeNumber(1, 999_999_999_999)),
  limit: optional(wholeNumber(1, 200)),
}
const PERIOD = { connection: CONNECTION, from: time(0), to: time(0) }

type Period = { connection: string; from: number; to: number }

export const booksRoutes = [
  accountRoute('GET /money', 'seeBooks', NOTHING, async (deps, caller): Promise<MoneyBody> => {
    const balances = await readBalance(deps, caller)
    const connections = [...balances]
      .filter(([connection]) => connection !== '')
      .map(([connection, each]) => ({ connection, ...amountsOf(each) }))
    return {
      whole: amountsOf(balances.get('')),
      connections: connections.map(await labelConnections(deps, caller, connections)),
      openDifferences: (await countDifferences(deps, caller)).open,
    }
  }),
  accountRoute(
    'GET /money/entries',
    'seeBooks',
    z.object({ place: z.enum(MONEY_PLACES), connection: optional(CONNECTION), ...NUMBERED_PAGE }),
    async (deps, caller, { connection = null, ...query }): Promise<PageOf<MoneyEntryRow> | Refused> => {
      const page = await listMoneyEntries(deps, caller, { connection, ...query })
      const labelled = await labelConnections(deps, caller, page.rows)
      return pageOf(page, ({ amountXof: amount, day: _, ...entry }) => labelled({ ...entry, amount }))
    },
  ),
  accountRoute(
    'GET /statement/summary',
    'seeBooks',
    z.object(PERIOD),
    async (deps, caller, period): Promise<StatementBody | Refused> => {
      const statement = await readAccountStatement(deps, caller, daysOf(period))
      if (isRefused(statement)) return statement
      return { ...statementHead(statement), movements: statement.totals.credits + statement.totals.debits }
    },
  ),
  accountRoute(
    'GET /statement/movements',
    'seeBooks',
    z.object({ ...PERIOD, ...NUMBERED_PAGE }),
    async (
      deps,
      caller,
      { after = 0, limit = PAGE_LIMIT.usual, ...period },
    ): Promise<PageOf<MovementRow> | Refused> => {
      return pageOf(await listMovements(deps, caller, { ...daysOf(period), after, limit }), movementRow)
    },
  ),
]

const daysOf = ({ connection, from, to }: Period) => ({ connection, fromDay: dayOf(from), toDay: dayOf(to) })

const movementRow = (row: StatementRow): MovementRow => {
  const { amountXof: amount, balanceXof: balance, externalReference: transactionId, ...rest } = row
  const { entry, bookedAt, day, kind, isConfirmed, reference, publicReference, operatorReference } = rest
  return {
    ...{ entry, bookedAt, valueDay: dayText(day), kind, amount, balance, isConfirmed },
    ...{ reference: reference || null, publicReference: publicReference || null },
    ...{ transactionId: transactionId || null, operatorReference: operatorReference || null },
  }
}
