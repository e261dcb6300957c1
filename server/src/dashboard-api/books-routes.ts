// The books of an account: where its money is, its statements as pages and files, and its
// settlements.
import { z } from 'zod'
import { readStatementMails, setStatementMails } from '../actions/books/announce-statements.ts'
import {
  readConnectionJournals,
  setConnectionJournal,
} from '../actions/books/connection-journals.ts'
import { countDifferences } from '../actions/books/exceptions.ts'
import { exportMonth } from '../actions/books/month-package.ts'
import {
  exportStatement,
  listMovements,
  readAccountStatement,
  readJournalAccounts,
  setJournalAccounts,
} from '../actions/books/read-account-statement.ts'
import { listMoneyEntries, readBalance } from '../actions/books/read-books.ts'
import {
  confirmSettlement,
  listAccountSettlements,
  readSettlement,
} from '../actions/books/settlements.ts'
import { labelConnections } from '../actions/operators/merchant-connections.ts'
import {
  type JournalAccounts,
  STATEMENT_FORMATS,
  type StatementRow,
} from '../domain/books/account-statement.ts'
import { explainedText } from '../domain/books/closing.ts'
import type { SettledLine, Settlement } from '../domain/books/settlement.ts'
import { SETTLED_LINE_FIELDS, SETTLEMENT_FIELDS } from '../domain/books/settlement-fields.ts'
import { dayText } from '../domain/countries/business-day.ts'
import { MONEY_PLACES, type MoneyAmounts } from '../domain/ledger/ledger.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import { LANGUAGES, type Language } from '../domain/texts/language.ts'
import { sendFromSlot } from '../http/send-paced.ts'
import { MONTH, reconciliationOf, statementHead } from '../wire/books.ts'
import { languageOf, NO_EXPORT_SLOT, sendRouteError } from './answer.ts'
import { accountRoute, day, NOTHING, optional, PAGE_FIELDS, pageOf, wholeNumber } from './route.ts'
import type {
  ConnectionJournalsBody,
  MoneyBody,
  MoneyEntryRow,
  MovementRow,
  PageOf,
  SettlementBody,
  SettlementLineRow,
  SettlementRow,
  StatementBody,
} from './shapes.ts'
import { shownFields } from './shown-fields.ts'

const CONNECTION = z.string().min(1).max(64)
/** The number of the last row. */
const NUMBERED_PAGE = {
  after: optional(wholeNumber(1, 999_999_999_999)),
  limit: optional(wholeNumber(1, 200)),
}
const PERIOD = { connection: CONNECTION, from: day, to: day }
const LANGUAGE = z.enum(LANGUAGES).default('fr')
const NUMBER = z.string().max(20)
const JOURNAL = {
  journal: NUMBER,
  electronicMoney: NUMBER,
  customers: NUMBER,
  fees: NUMBER,
  taxes: NUMBER,
  transfers: NUMBER,
  withheld: NUMBER,
  advances: NUMBER,
  unexplained: NUMBER,
  owner: NUMBER,
  otherIncome: NUMBER,
  corrections: NUMBER,
  notOurs: NUMBER,
  opening: NUMBER,
  atService: NUMBER,
} satisfies Record<keyof JournalAccounts, z.ZodType>

export const booksRoutes = [
  accountRoute('GET /money', 'seeBooks', NOTHING, async (deps, caller): Promise<MoneyBody> => {
    const amounts = await readBalance(deps, caller)
    const connections = [...amounts]
      .filter(([connection]) => connection !== '')
      .map(([connection, each]) => ({ connection, ...each }))
    return {
      whole: amounts.get('') as MoneyAmounts,
      connections: connections.map(await labelConnections(deps, caller, connections)),
      openDifferences: (await countDifferences(deps, caller)).open,
    }
  }),
  accountRoute(
    'GET /money/entries',
    'seeBooks',
    z.object({ place: z.enum(MONEY_PLACES), connection: optional(CONNECTION), ...NUMBERED_PAGE }),
    async (
      deps,
      caller,
      { connection = null, ...query },
    ): Promise<PageOf<MoneyEntryRow> | Refused> => {
      const page = await listMoneyEntries(deps, caller, { connection, ...query })
      const labelled = await labelConnections(deps, caller, page.rows)
      return pageOf(page, ({ amountXof: amount, day: _, ...entry }) =>
        labelled({ ...entry, amount }),
      )
    },
  ),
  accountRoute(
    'GET /statement/summary',
    'seeBooks',
    z.object(PERIOD),
    async (
      deps,
      caller,
      { connection, from: fromDay, to: toDay },
    ): Promise<StatementBody | Refused> => {
      const statement = await readAccountStatement(deps, caller, { connection, fromDay, toDay })
      if (isRefused(statement)) return statement
      const movements = statement.totals.credits + statement.totals.debits
      return { ...statementHead(statement), reconciliation: reconciliationOf(statement), movements }
    },
  ),
  accountRoute(
    'GET /statement/movements',
    'seeBooks',
    z.object({ ...PERIOD, ...PAGE_FIELDS }),
    async (
      deps,
      caller,
      { connection, from: fromDay, to: toDay, after, limit },
      { request },
    ): Promise<PageOf<MovementRow> | Refused> => {
      const language = languageOf(request)
      const page = await listMovements(deps, caller, { connection, fromDay, toDay, after, limit })
      return pageOf(page, (row) => movementRow(row, language))
    },
  ),
  /** JSON has the form of the merchant API. Without a connection, a file of all of them. */
  accountRoute(
    'GET /statement',
    'seeBooks',
    z
      .object({
        ...PERIOD,
        connection: optional(CONNECTION),
        format: z.enum(STATEMENT_FORMATS).default('json'),
        language: LANGUAGE,
      })
      .refine(({ connection, format }) => connection !== undefined || format !== 'json'),
    async (deps, caller, { connection, from: fromDay, to: toDay, format, language }, { reply }) => {
      const release = await deps.takeStatement(caller)
      if (typeof release === 'string') return sendRouteError(reply, NO_EXPORT_SLOT[release])
      const query = { accountId: caller.accountId, connection, fromDay, toDay, format, language }
      return sendFromSlot(reply, deps.clock, release, exportStatement(deps, caller, query))
    },
  ),
  accountRoute(
    'GET /statement/package',
    'seeBooks',
    z.object({ month: z.string().regex(MONTH), language: LANGUAGE }),
    async (deps, caller, { month, language }, { reply }) => {
      const release = await deps.takeStatement(caller)
      if (typeof release === 'string') return sendRouteError(reply, NO_EXPORT_SLOT[release])
      const query = { accountId: caller.accountId, month, language }
      return sendFromSlot(reply, deps.clock, release, exportMonth(deps, caller, query))
    },
  ),
  accountRoute('GET /statement-mails', 'seeBooks', NOTHING, readStatementMails),
  accountRoute(
    'PUT /statement-mails',
    'chooseStatementMails',
    z.object({ daily: z.boolean(), monthly: z.boolean() }),
    setStatementMails,
    { needsConfirmedEmail: true },
  ),
  accountRoute('GET /journal-accounts', 'seeBooks', NOTHING, readJournalAccounts),
  accountRoute('PUT /journal-accounts', 'keepBooks', z.object(JOURNAL), setJournalAccounts),
  accountRoute(
    'GET /connection-journals',
    'seeBooks',
    NOTHING,
    async (deps, caller): Promise<ConnectionJournalsBody> => {
      const rows = await readConnectionJournals(deps, caller)
      return { rows: rows.map(await labelConnections(deps, caller, rows)) }
    },
  ),
  accountRoute(
    'PUT /connection-journals',
    'keepBooks',
    z.object({ connection: CONNECTION, journal: NUMBER, electronicMoney: NUMBER }),
    setConnectionJournal,
  ),
]

function movementRow(row: StatementRow, language: Language): MovementRow {
  const { amountXof: amount, balanceXof: balance, externalReference: transactionId, ...rest } = row
  const { entry, bookedAt, day, kind, isConfirmed, reference, publicReference, operatorReference } =
    rest
  return {
    entry,
    bookedAt,
    valueDay: dayText(day),
    kind,
    amount,
    balance,
    isConfirmed,
    reference: reference || null,
    publicReference: publicReference || null,
    transactionId: transactionId || null,
    operatorReference: operatorReference || null,
    explained: explainedText(row, language) ?? null,
  }
}

// A merchant's settlements: each with what it is made of, and the confirmation that the bank has
// it.

const Name = z.object({ settlement: z.string().max(100), ...PAGE_FIELDS })
const Receipt = z.object({
  settlement: z.string().max(100),
  amount: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  day: optional(day),
  reference: optional(z.string().trim().max(200)),
})

export const settlementRoutes = [
  accountRoute(
    'GET /settlements',
    'seeBooks',
    z.object(PAGE_FIELDS),
    async (deps, caller, wanted): Promise<PageOf<SettlementRow> | Refused> => {
      const page = await listAccountSettlements(deps, caller, {
        ...wanted,
        accountId: caller.accountId,
      })
      if (isRefused(page)) return page
      const labelled = await labelConnections(deps, caller, page.rows)
      return pageOf(page, (settlement) => labelled(settlementRow(settlement)))
    },
  ),
  accountRoute(
    'GET /settlements/:settlement',
    'seeBooks',
    Name,
    async (deps, caller, { settlement: name, ...page }): Promise<SettlementBody | Refused> => {
      const found = await readSettlement(deps, caller, {
        name,
        ...page,
        accountId: caller.accountId,
      })
      if (isRefused(found)) return found
      const { settlement, sums, lines } = found
      const labelled = await labelConnections(deps, caller, [settlement])
      return {
        ...labelled(settlementRow(settlement)),
        collected: sums.collectedXof,
        refunded: sums.refundedXof,
        fees: sums.feesXof,
        taxes: sums.taxesXof,
        other: sums.otherXof,
        rows: lines.rows.map(lineRow),
        next: lines.next ?? null,
      }
    },
  ),
  accountRoute(
    'POST /settlements/:settlement/confirm',
    'keepBooks',
    Receipt,
    async (
      deps,
      caller,
      { settlement: name, amount: receivedXof, day: receivedDay, reference: bankReference },
    ) => {
      const receipt = { name, receivedXof, receivedDay, bankReference, accountId: caller.accountId }
      const confirmed = await confirmSettlement(deps, caller, receipt)
      if (isRefused(confirmed)) return confirmed
      return (await labelConnections(deps, caller, [confirmed]))(settlementRow(confirmed))
    },
  ),
]

const settlementRow = (settlement: Settlement): Omit<SettlementRow, 'connectionLabel'> =>
  shownFields(SETTLEMENT_FIELDS, 'row', settlement)

const lineRow = (line: SettledLine): SettlementLineRow => ({
  line: line.lineNumber,
  ...shownFields(SETTLED_LINE_FIELDS, 'row', line),
})
