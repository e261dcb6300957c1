// A merchant's settlements: each with the lines of the network's statement that it is made of, and
// the confirmation that the bank has the money.

import {
  isBankReference,
  isReceivedAmount,
  readSettlementName,
  type SettledLine,
  type SettledSums,
  type Settlement,
  settlementName,
  settlementState,
} from '../../domain/books/settlement.ts'
import { dayOf } from '../../domain/countries/business-day.ts'
import type { NewEntry } from '../../domain/ledger/ledger.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import { type AccountCaller, actorOf, scopeOf } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { maskCardNumbers } from '../../domain/texts/free-text.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { insertEntries } from '../../store/books/entries.ts'
import {
  findSettlement,
  findSettlementBefore,
  insertReceipt,
  listSettledLines,
  listSettlements,
  type SettlementDays,
  sumSettledLines,
} from '../../store/books/settlements.ts'
import { insertExceptions, type NewException } from '../../store/books/statements.ts'
import type { Queries } from '../../store/engine/database.ts'
import { findAccount } from '../../store/merchants/accounts.ts'
import type { Deps } from '../deps.ts'

type PageRefusal = 'cursor_not_valid' | 'limit_not_valid'

/** Of a cursor: the time of a line, and its number. */
const PARTS = ['number', 'number'] as const
const LAST = 999_999_999_999_999

interface SettlementPage extends PageInput {
  accountId: string
}

const EVERY_DAY: SettlementDays = { fromDay: 0, toDay: 99_999_999 }

/** The newest first; of all days, or of those from one to another. */
export async function listAccountSettlements(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  {
    accountId,
    fromDay,
    toDay,
    ...page
  }: SettlementPage & { [Bound in keyof SettlementDays]?: number | undefined },
): Promise<Page<Settlement> | RefusedAs<'account_not_found' | PageRefusal>> {
  if ((await findAccount(db, scopeOf(caller), accountId)) === undefined)
    return { refused: 'account_not_found' }
  const read = readPage(page, [...PARTS, 'text'], [LAST, 0, ''])
  if (isRefused(read)) return read
  const [leftAt, lineNumber, connection] = read.cursor
  const days = { fromDay: fromDay ?? EVERY_DAY.fromDay, toDay: toDay ?? EVERY_DAY.toDay }
  const found = await listSettlements(
    db,
    accountId,
    days,
    { leftAt, lineNumber, connection },
    read.limit + 1,
  )
  return pageOf(found, read.limit, (last) => [last.leftAt, last.lineNumber, last.connection])
}

export interface SettlementWithLines {
  settlement: Settlement
  sums: SettledSums
  lines: Page<SettledLine>
}

interface NamedSettlement extends SettlementPage {
  name: string
}

/** With what came into the wallet and left it since the settlement before, in pages. */
export async function readSettlement(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { name, accountId, ...page }: NamedSettlement,
): Promise<SettlementWithLines | RefusedAs<'settlement_not_found' | PageRefusal>> {
  const settlement = await find(db, caller, accountId, name)
  if (settlement === undefined) return { refused: 'settlement_not_found' }
  const before = await findSettlementBefore(db, settlement)
  const read = readPage(page, PARTS, [before.leftAt, before.lineNumber])
  if (isRefused(read)) return read
  const [leftAt, lineNumber] = read.cursor
  const after = leftAt < before.leftAt ? before : { leftAt, lineNumber }
  const found = await listSettledLines(db, settlement, after, read.limit + 1)
  const lines = pageOf(found, read.limit, (last) => [last.bookedAt, last.lineNumber])
  return { settlement, sums: await sumSettledLines(db, settlement, before), lines }
}

async function find(db: Queries, caller: AccountCaller, accountId: string, name: string) {
  const key = readSettlementName(name)
  const account = key && (await findAccount(db, scopeOf(caller), accountId))
  return account && findSettlement(db, { accountId }, key, account.environment)
}

interface Receipt {
  accountId: string
  name: string
  receivedXof: number
  /** Today when it is not given. */
  receivedDay?: number | undefined
  bankReference?: string | undefined
}

/** In the order in which they are checked. */
export const CONFIRM_REFUSALS = [
  'receipt_not_valid',
  'settlement_not_found',
  'received_on_not_valid',
  'settlement_returned',
  'settlement_confirmed',
] as const

type ConfirmRefusal = (typeof CONFIRM_REFUSALS)[number]

/**
 * The bank has the money: it moves from in_transit to the bank, once. What differs from the
 * settlement is an exception: less stays in transit, and more is unexplained. A repeated call with
 * the same amount gets the same answer.
 */
export async function confirmSettlement(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  { accountId, name, receivedXof, receivedDay, bankReference: written = '' }: Receipt,
): Promise<Settlement | RefusedAs<ConfirmRefusal>> {
  if (!isReceivedAmount(receivedXof) || !isBankReference(written))
    return { refused: 'receipt_not_valid' }
  const bankReference = maskCardNumbers(written)
  const at = clock.now()
  const day = receivedDay ?? dayOf(at)
  return db.transaction(async (tx): Promise<Settlement | RefusedAs<ConfirmRefusal>> => {
    const settlement = await find(tx, caller, accountId, name)
    if (settlement === undefined) return { refused: 'settlement_not_found' }
    // A bank credits on the day of the transfer or later.
    if (day < settlement.leftDay || day > dayOf(at)) return { refused: 'received_on_not_valid' }
    if (settlementState(settlement) === 'returned') return { refused: 'settlement_returned' }
    const { environment, connection, lineNumber } = settlement
    const key = { environment, connection, lineNumber, accountId }
    const confirmed = { confirmedAt: at, confirmedBy: actorOf(caller) }
    if (
      !(await insertReceipt(tx, {
        ...key,
        receivedXof,
        receivedDay: day,
        bankReference,
        ...confirmed,
      }))
    ) {
      const existing = (await find(tx, caller, accountId, name)) as Settlement
      return existing.receivedXof === receivedXof ? existing : { refused: 'settlement_confirmed' }
    }
    if (receivedXof !== settlement.amountXof)
      await insertExceptions(tx, [differenceOf(settlement, receivedXof, at)])
    const detail = {
      amount: settlement.amountXof,
      received: receivedXof,
      ...(bankReference && { bankReference }),
    }
    const subject = settlementName(settlement)
    await insertAudit(tx, caller, { at, action: 'settlement.confirm', subject, accountId, detail })
    await insertEntries(tx, entriesOf(settlement, receivedXof, { at, day, by: actorOf(caller) }))
    return { ...settlement, receivedXof, receivedDay: day, bankReference }
  })
}

function differenceOf(
  { environment, connection, accountId, lineNumber, amountXof }: Settlement,
  received: number,
  at: number,
): NewException {
  return {
    environment,
    connection,
    accountId,
    kind: 'settled_amount_differs',
    number: null,
    lineNumber,
    at,
    amountXof: Math.abs(received - amountXof),
    detail: JSON.stringify({ amount: amountXof, received }),
    subject: `settlement ${lineNumber}`,
  }
}

function entriesOf(
  { accountId, connection, lineNumber, amountXof }: Settlement,
  receivedXof: number,
  { at, day, by }: { at: number; day: number; by: string },
): NewEntry[] {
  const entry = {
    accountId,
    connection,
    bookedAt: at,
    day,
    number: null,
    refundReference: null,
    lineNumber,
    madeBy: by,
  }
  const overXof = receivedXof - amountXof
  const arrived = { ...entry, kind: 'settlement', debit: 'bank', credit: 'in_transit' } as const
  const over = {
    ...entry,
    kind: 'unexplained',
    debit: 'bank',
    credit: 'unexplained',
    amountXof: overXof,
  } as const
  return [
    { ...arrived, amountXof: Math.min(receivedXof, amountXof) },
    ...(overXof > 0 ? [over] : []),
  ]
}
