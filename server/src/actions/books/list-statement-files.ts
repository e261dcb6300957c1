// The connections whose statements a person may import, and their files so far.

import type { Caller } from '../../domain/caller.ts'
import type { ConnectionKey } from '../../domain/operator-report.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { type ListedFile, listFiles } from '../../store/books/statement-files.ts'
import { namesOfPeople } from '../../store/people/people.ts'
import type { Deps } from '../deps.ts'
import { type ImportDeps, importRefusal } from './import-statement.ts'

export interface SourceDeps extends Pick<ImportDeps, 'isConnected'> {
  /** The connections of the installation and of its merchants. */
  readConnections(): Promise<readonly { environment: ConnectionKey['environment']; name: string }[]>
}

export async function listStatementSources(deps: SourceDeps, caller: Caller): Promise<{ rows: ConnectionKey[] }> {
  const rows: ConnectionKey[] = []
  for (const { environment, name: connection } of await deps.readConnections())
    if ((await importRefusal(caller, { environment, connection }, deps)) === undefined)
      rows.push({ environment, connection })
  return { rows }
}

const PERSON = /\bper_\w+$/
const MOST_SOURCES = 100

export async function listStatementFiles(
  deps: SourceDeps & Pick<Deps, 'db'>,
  caller: Caller,
  input: PageInput,
): Promise<Page<ListedFile> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(input, ['number', 'text'], [Number.MAX_SAFE_INTEGER, ''])
  if (isRefused(wanted)) return wanted
  const sources = (await listStatementSources(deps, caller)).rows.slice(0, MOST_SOURCES)
  if (sources.length === 0) return { rows: [], next: undefined }
  const found = await listFiles(deps.db, sources, wanted.cursor, wanted.limit + 1)
  const page = pageOf(found, wanted.limit, ({ importedAt, fileId }) => [importedAt, fileId])
  const idOf = (actor: string): string => PERSON.exec(actor)?.[0] ?? ''
  const names = await namesOfPeople(deps.db, [...new Set(page.rows.map(({ importedBy }) => idOf(importedBy)))])
  return { ...page, rows: page.rows.map((row) => ({ ...row, importedBy: names.get(idOf(row.importedBy)) ?? '' })) }
}
