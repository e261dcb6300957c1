// Erases a payer: of every stored copy of the number its last two digits are left, of the name
// nothing. Amounts, references and states stay. In slices, each a commit: interrupted, it is run
// again. Audited without the number.

import type { Country } from '../../domain/countries/country.ts'
import { readMsisdn } from '../../domain/countries/msisdn.ts'
import type { Field } from '../../domain/fields.ts'
import { PAYMENT_FIELDS } from '../../domain/payments/payment-fields.ts'
import {
  ERASED_NAME,
  eraseInJson,
  maskedNumber,
  nameEraser,
  numberEraser,
  type Payer,
  readPayer,
} from '../../domain/payments/personal-data.ts'
import { type AccountCaller, isOfService } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { ERASURE_ACTION } from '../../domain/verify/audit-chain.ts'
import { insertAudit, removeSalt, SALT_KEY } from '../../store/audit/audit-log.ts'
import type { Database, Queries, Value } from '../../store/engine/database.ts'
import { holdSummary } from '../../store/figures/summaries.ts'
import { removePayerFromSearch } from '../../store/payments/payment-search.ts'
import {
  type AttemptRow,
  forgetPrompts,
  listAttemptRows,
  listEventTexts,
  listLinkTexts,
  listPayerRows,
  listTexts,
  maskAttempt,
  maskNameOf,
  maskPayment,
  type PayerRow,
  TEXT_COLUMNS,
  type TextColumn,
  writeText,
} from '../../store/privacy/personal-data.ts'
import { writeFact } from '../../store/service/service-facts.ts'
import { eraseInKept } from '../books/kept-files.ts'
import type { Deps } from '../deps.ts'

export type ErasePayerInput = { number: string; country?: Country | undefined }

export type Erased = {
  payments: number
  attempts: number
  texts: number
  files: number
}

const SLICE = 1_000

export async function erasePayer(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'keptFiles' | 'statementParser'>,
  caller: AccountCaller,
  input: ErasePayerInput,
): Promise<Erased | RefusedAs<'caller_not_allowed' | 'number_not_valid' | 'number_under_way'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const { db, clock, random } = deps
  const payer = readPayer(input.number, input.country)
  if (payer === undefined) return { refused: 'number_not_valid' }
  const isTheirs = (row: PayerRow) => isOf(payer, row)

  for await (const rows of slices(db)) {
    if (rows.some((row) => row.isUnderWay > 0 && isTheirs(row)))
      return { refused: 'number_under_way' }
  }
  const erased: Erased = { payments: 0, attempts: 0, texts: 0, files: 0 }
  const noting: Noting = (work) => notingErasure({ db, clock }, caller, work)
  for await (const rows of slices(db)) {
    const theirs = rows.filter(isTheirs)
    // One transaction for each slice: the number is gone from all of its rows or from none.
    if (theirs.length > 0) await noting((eraser) => eraseRows(eraser, payer, theirs, erased))
  }
  for (const column of TEXT_COLUMNS)
    erased.texts += await eraseTexts(db, noting, column, numberEraser(payer))
  // Rewritten, a file would no longer be the network's: its lines stay, and the file goes.
  erased.files = await eraseInKept(deps, numberEraser(payer))
  await db.transaction(async (tx) => {
    await forgetPrompts(tx, payer.msisdn)
    // From the old one, the salts of entries that were erased could be made again.
    await writeFact(tx, SALT_KEY, Buffer.from(random.bytes(32)).toString('hex'))
    await insertAudit(tx, caller, {
      at: clock.now(),
      action: 'privacy.erase',
      subject: 'payer',
      detail: erased,
    })
  })
  return erased
}

type Eraser = { tx: Queries; touched: Set<number> }

type Noting = <T>(work: (eraser: Eraser) => Promise<T>) => Promise<T>

/** The hash of the rest of an entry is recorded in the commit of its erasure (ADR-0013). */
function notingErasure<T>(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  work: (eraser: Eraser) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const touched = new Set<number>()
    const done = await work({ tx, touched })
    if (touched.size === 0) return done
    const entries: Record<string, string> = {}
    for (const entry of touched) entries[entry] = await removeSalt(tx, entry)
    await insertAudit(tx, caller, {
      at: clock.now(),
      action: ERASURE_ACTION,
      subject: 'payer',
      detail: { entries },
    })
    return done
  })
}

type Row = PayerRow | AttemptRow

async function* slices(db: Queries): AsyncGenerator<Row[]> {
  const start = { accountId: '', number: -1, attempt: -1 }
  for (let rows = await listPayerRows(db, start, SLICE); rows.length > 0; ) {
    yield rows
    rows = await listPayerRows(db, rows.at(-1) as PayerRow, SLICE)
  }
  for (let rows = await listAttemptRows(db, start, SLICE); rows.length > 0; ) {
    yield rows
    rows = await listAttemptRows(db, rows.at(-1) as AttemptRow, SLICE)
  }
}

/**
 * Some attempts have the number only as it was written: in another country, the same digits are
 * another person.
 */
const isOf = ({ msisdn }: Payer, row: PayerRow): boolean =>
  (row.msisdn ?? readMsisdn(row.msisdnWritten, row.country, 'sandbox')?.msisdn) === msisdn

async function eraseRows(
  eraser: Eraser,
  { msisdn }: Payer,
  rows: readonly Row[],
  erased: Erased,
): Promise<void> {
  const { tx } = eraser
  const masked = maskedNumber(msisdn)
  for (const row of rows) {
    const name = row.customerName === null ? null : ERASED_NAME
    if ('attempt' in row) {
      if (await maskAttempt(tx, row, masked)) erased.attempts++
      // The name on an unpaid link may be theirs.
      await holdSummary(tx, row.accountId)
      await removePayerFromSearch(tx, row.accountId, { ...row, msisdn })
      if (await maskNameOf(tx, row, ERASED_NAME)) erased.texts += await eraseName(eraser, row)
    } else if (await maskPayment(tx, row, masked, name)) {
      erased.payments++
      await holdSummary(tx, row.accountId)
      await removePayerFromSearch(tx, row.accountId, row)
      erased.texts += (await eraseName(eraser, row)) + (await eraseInEvents(tx, row, masked))
    }
  }
}

async function eraseName(
  eraser: Eraser,
  { accountId, number, customerName }: PayerRow,
): Promise<number> {
  const erase = nameEraser(customerName ?? '')
  let changed = 0
  for (const [column, { key, text }] of await listLinkTexts(eraser.tx, accountId, number))
    changed += await eraseText(eraser, column, key, text, erase)
  return changed
}

/** Masks the number and removes what the merchant added about the payer; references stay. */
async function eraseInEvents(tx: Queries, { accountId, number }: PayerRow, masked: string) {
  let changed = 0
  for (const [column, { key, text }] of await listEventTexts(tx, accountId, number)) {
    const event = JSON.parse(text as string) as { data: Record<string, unknown> }
    if (event.data[PAYMENT_FIELDS.msisdn.wire] === undefined) continue
    for (const { wire, personal: treatment } of Object.values<Field<never>>(PAYMENT_FIELDS)) {
      if (treatment === 'masked') event.data[wire] = masked
      if (treatment === 'removed') delete event.data[wire]
    }
    await writeText(tx, column, { key, text: JSON.stringify(event) })
    changed++
  }
  return changed
}

async function eraseTexts(
  db: Database,
  noting: Noting,
  column: TextColumn,
  erase: (text: string) => string,
): Promise<number> {
  let changed = 0
  let rows = await listTexts(db, column, undefined, SLICE)
  while (rows.length > 0) {
    const theirs = rows.filter(
      ({ text }) => text !== null && erasedText(column, text, erase) !== text,
    )
    if (theirs.length > 0) {
      await noting(async (eraser) => {
        for (const { key, text } of theirs)
          changed += await eraseText(eraser, column, key, text, erase)
      })
    }
    rows = await listTexts(db, column, rows.at(-1)?.key, SLICE)
  }
  return changed
}

async function eraseText(
  { tx, touched }: Eraser,
  column: TextColumn,
  key: Value[],
  text: string | null,
  erase: (text: string) => string,
): Promise<number> {
  if (text === null) return 0
  const without = erasedText(column, text, erase)
  if (without === text) return 0
  await writeText(tx, column, { key, text: without })
  if (column.table === 'audit_log') touched.add(key[0] as number)
  return 1
}

function erasedText({ is }: TextColumn, text: string, erase: (text: string) => string): string {
  // Most texts do not hold it: they are not parsed.
  return is === 'text' || erase(text) === text ? erase(text) : eraseInJson(text, erase)
}
