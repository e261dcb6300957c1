// Imports a statement's file: reads it to its end first, so that a broken one is refused whole, then books its lines.

import { createHash } from 'node:crypto'
import { dayOf } from '../../domain/business-day.ts'
import { actorOf, type Caller } from '../../domain/caller.ts'
import type { ConnectionKey } from '../../domain/operator-report.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { ColumnMapping } from '../../domain/statement.ts'
import { networkMapping } from '../../statements/network-mappings.ts'
import { proposeMapping, readSample } from '../../statements/propose-mapping.ts'
import { readStatement } from '../../statements/read-statement.ts'
import { StatementRefused } from '../../statements/statement-refused.ts'
import type { StatementSource } from '../../statements/statement-rows.ts'
import { createTotalsCheck } from '../../statements/totals-check.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { findMapping, keepMapping } from '../../store/books/statements.ts'
import {
  type ImportDeps,
  type ImportedStatement,
  importRefusal,
  importStatement,
  type StatementToImport,
} from './import-statement.ts'

export interface StatementFileInput extends ConnectionKey {
  name: string
  /** The bytes from the beginning, as often as they are read. */
  open(): StatementSource
  isDryRun: boolean
}

export interface ImportFileDeps extends ImportDeps {
  /** The connector of a connection; undefined for one that has none. */
  connectorOf(connection: ConnectionKey): string | undefined
}

export async function importStatementFile(
  deps: ImportFileDeps,
  caller: Caller,
  file: StatementFileInput,
): Promise<
  | ImportedStatement
  | RefusedAs<'caller_not_allowed' | 'connection_not_found' | 'statement_not_valid' | 'statement_columns_unknown'>
> {
  const refusal = importRefusal(caller, file, deps)
  if (refusal !== undefined) return refusal
  try {
    const mapping = await mappingOf(deps, file)
    if (isRefused(mapping)) return mapping
    const read = await readWhole(file, mapping)
    return await importStatement(deps, caller, { ...file, ...read, lines: readStatement(file.open(), mapping) })
  } catch (error) {
    if (!(error instanceof StatementRefused)) throw error
    return { refused: 'statement_not_valid', fault: error.fault }
  }
}

/** The columns that a person chose for this connection, or those of its network. */
async function mappingOf(
  { db, connectorOf }: ImportFileDeps,
  file: StatementFileInput,
): Promise<ColumnMapping | RefusedAs<'statement_columns_unknown'>> {
  const kept = await findMapping(db, file)
  if (kept !== undefined) return kept
  const { headings } = await readSample(file.open())
  return networkMapping(connectorOf(file) ?? '', headings) ?? { refused: 'statement_columns_unknown', headings }
}

/** Throws `StatementRefused` at the first fault. */
async function readWhole(
  file: StatementFileInput,
  mapping: ColumnMapping,
): Promise<Pick<StatementToImport, 'sha256' | 'bytes' | 'totals'>> {
  const hash = createHash('sha256')
  let bytes = 0
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of file.open()) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  const check = createTotalsCheck()
  let [firstAt, lastAt] = [Number.MAX_SAFE_INTEGER, 0]
  for await (const line of readStatement(hashed(), mapping)) {
    check.add(line)
    firstAt = Math.min(firstAt, line.bookedAt)
    lastAt = Math.max(lastAt, line.bookedAt)
  }
  firstAt = Math.min(firstAt, lastAt)
  const period = { firstAt, lastAt, firstDay: dayOf(firstAt), lastDay: dayOf(lastAt) }
  return { sha256: hash.digest('hex'), bytes, totals: { ...check.totals(), ...period } }
}

/** Keeps how the files of a connection write their lines, for this file and later ones. */
export async function setStatementColumns(
  deps: ImportFileDeps,
  caller: Caller,
  { mapping: given, ...file }: StatementFileInput & { mapping: ColumnMapping | undefined },
): Promise<
  | { mapping: ColumnMapping }
  | RefusedAs<'caller_not_allowed' | 'connection_not_found' | 'statement_not_valid' | 'statement_columns_unknown'>
> {
  const refusal = importRefusal(caller, file, deps)
  if (refusal !== undefined) return refusal
  try {
    const sample = await readSample(file.open())
    const mapping = given ?? proposeMapping(sample)
    if (mapping === undefined) return { refused: 'statement_columns_unknown', headings: sample.headings }
    await readWhole(file, mapping)
    if (file.isDryRun) return { mapping }
    const at = deps.clock.now()
    await deps.db.transaction(async (tx) => {
      await keepMapping(tx, file, mapping, { by: actorOf(caller), at })
      const subject = `${file.environment}/${file.connection}`
      await insertAudit(tx, caller, { at, action: 'statement.columns', subject, accountId: null, detail: mapping })
    })
    return { mapping }
  } catch (error) {
    if (!(error instanceof StatementRefused)) throw error
    return { refused: 'statement_not_valid', fault: error.fault }
  }
}
