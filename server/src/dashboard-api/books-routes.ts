// The books of an account: where its money is, and its statements.
import { z } from 'zod'
import { countDifferences } from '../actions/books/exceptions.ts'
import { listMovements, readAccountStatement } from '../actions/books/read-account-statement.ts'
import { readBalance } from '../actions/books/read-books.ts'
import { listMoneyEntries } from '../actions/books/read-money.ts'
import type { StatementRow } from '../domain/account-statement.ts'
import { dayOf } from '../domain/business-day.ts'
import { type Balances, MONEY_PLACES } from '../domain/ledger.ts'
import { PAGE_LIMIT } from '../domain/page.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { accountRoute, NOTHING, optional, pageOf, time, wholeNumber } from './route.ts'
import type { MoneyAmounts, MoneyBody, MoneyEntryRow, MovementRow, PageOf, StatementBody } from './shapes.ts'

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
    return {
      whole: amountsOf(balances.get('')),
      connections: [...balances]
        .filter(([connection]) => connection !== '')
        .map(([connection, each]) => ({ connection, ...amountsOf(each) })),
      openDifferences: (await countDifferences(deps, caller)).open,
    }
  }),
  accountRoute(
    'GET /money/entries',
    'seeBooks',
    z.object({ place: z.enum(MONEY_PLACES), connection: optional(CONNECTION), ...NUMBERED_PAGE }),
    async (deps, caller, { connection = null, ...query }): Promise<PageOf<MoneyEntryRow> | Refused> =>
      pageOf(
        await listMoneyEntries(deps, caller, { connection, ...query }),
        ({ amountXof: amount, day: _, ...entry }) => ({
          ...entry,
          amount,
        }),
      ),
  ),
  accountRoute(
    'GET /statement/summary',
    'seeBooks',
    z.object(PERIOD),
    async (deps, caller, period): Promise<StatementBody | Refused> => {
      const statement = await readAccountStatement(deps, caller, daysOf(period))
      if (isRefused(statement)) return statement
      return {
        opening: statement.openingXof,
        collected: statement.collectedXof,
        refunded: statement.refundedXof,
        fees: statement.feesXof,
        taxes: statement.taxesXof,
        withheld: statement.withheldXof,
        settled: statement.settledXof,
        unexplained: statement.unexplainedXof,
        closing: statement.closingXof,
        confirmed: statement.confirmedXof,
        movements: statement.totals.credits + statement.totals.debits,
      }
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

/** An unexplained line is credited where money came: the merchant reads what came as positive. */
const amountsOf = (balances: Balances | undefined): MoneyAmounts => {
  const of = (place: (typeof MONEY_PLACES)[number]): number => balances?.get(place) ?? 0
  return {
    ...{ receivable: of('receivable'), wallet: of('wallet'), in_transit: of('in_transit'), bank: of('bank') },
    ...{ withheld: of('withheld'), unexplained: 0 - of('unexplained') },
  }
}

const movementRow = (row: StatementRow): MovementRow => ({
  entry: row.entry,
  bookedAt: row.bookedAt,
  kind: row.kind,
  amount: row.amountXof,
  balance: row.balanceXof,
  reference: row.reference || null,
  publicReference: row.publicReference || null,
  transactionId: row.externalReference || null,
  operatorReference: row.operatorReference || null,
  isConfirmed: row.isConfirmed,
})
