// Files of networks' statements: what an import would do, the import, the columns of an unknown file, the files so far.
// For the connections whose statements the person may import.
import { z } from 'zod'
import { importStatementFile, setStatementColumns } from '../actions/books/import-file.ts'
import { listStatementFiles, listStatementSources } from '../actions/books/list-statement-files.ts'
import { dayText } from '../domain/business-day.ts'
import type { MerchantPerson, ServicePerson } from '../domain/caller.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { columnMapping } from '../wire/statement-columns.ts'
import {
  accountRoute,
  consoleRoute,
  type DashboardDeps,
  NOTHING,
  PAGE_FIELDS,
  pageOf,
  type RouteHttp,
} from './route.ts'
import type { ColumnsBody, ImportBody, PageOf, StatementFileRow, StatementSourceRow } from './shapes.ts'

/** A larger file is imported by the command, which reads it from the disk. */
const MOST_FILE_BYTES = 20_000_000
const LONGEST_NAME = 200
const LONGEST_MAPPING = 12_000

const flag = z.enum(['true', 'false']).default('true')
const FileInput = z.object({
  environment: z.enum(ENVIRONMENTS),
  connection: z.string().min(1).max(64),
  name: z.string().min(1).max(LONGEST_NAME),
  dryRun: flag,
})
const ColumnsInput = FileInput.extend({
  /** As JSON. */
  mapping: z
    .string()
    .max(LONGEST_MAPPING)
    .transform((text, context) => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom', message: 'no JSON' })
        return z.NEVER
      }
    })
    .pipe(columnMapping),
})
const Pages = z.object(PAGE_FIELDS)
const FILE = { takes: 'file', mostBytes: MOST_FILE_BYTES } as const

type Acting = MerchantPerson | ServicePerson

export const statementFileRoutes = [
  accountRoute('GET /statement-sources', 'keepBooks', NOTHING, sources),
  consoleRoute('GET /statement-sources', 'keepBooks', NOTHING, sources),
  accountRoute('GET /statement-files', 'keepBooks', Pages, files),
  consoleRoute('GET /statement-files', 'keepBooks', Pages, files),
  accountRoute('POST /statement-files', 'keepBooks', FileInput, importFile, FILE),
  consoleRoute('POST /statement-files', 'keepBooks', FileInput, importFile, FILE),
  accountRoute('POST /statement-columns', 'keepBooks', ColumnsInput, keepColumns, FILE),
  consoleRoute('POST /statement-columns', 'keepBooks', ColumnsInput, keepColumns, FILE),
]

async function sources(deps: DashboardDeps, caller: Acting): Promise<PageOf<StatementSourceRow>> {
  return { rows: (await listStatementSources(deps, caller)).rows, next: null }
}

async function files(
  deps: DashboardDeps,
  caller: Acting,
  page: z.output<typeof Pages>,
): Promise<PageOf<StatementFileRow> | Refused> {
  return pageOf(await listStatementFiles(deps, caller, page), ({ firstDay, lastDay, ...file }) => ({
    ...file,
    from: dayText(firstDay),
    to: dayText(lastDay),
  }))
}

async function importFile(
  deps: DashboardDeps,
  caller: Acting,
  input: z.output<typeof FileInput>,
  http: RouteHttp,
): Promise<ImportBody | Refused> {
  const file = fileOf(input, http)
  const outcome = await importStatementFile(deps, caller, file)
  if (!isRefused(outcome)) {
    const { exceptions: differences, ...counts } = outcome
    return { is: 'read', ...counts, differences }
  }
  if (outcome.refused !== 'statement_columns_unknown') return outcome
  const proposed = await setStatementColumns(deps, caller, { ...file, isDryRun: true, mapping: undefined })
  const mapping = isRefused(proposed) ? null : proposed.mapping
  return { is: 'columns_needed', headings: outcome.headings, mapping }
}

async function keepColumns(
  deps: DashboardDeps,
  caller: Acting,
  { mapping, ...input }: z.output<typeof ColumnsInput>,
  http: RouteHttp,
): Promise<ColumnsBody | Refused> {
  const kept = await setStatementColumns(deps, caller, { ...fileOf(input, http), mapping })
  return isRefused(kept) ? kept : { headings: [], mapping: kept.mapping }
}

function fileOf(
  { environment, connection, name, dryRun }: z.output<typeof FileInput>,
  { request: { body } }: RouteHttp,
) {
  const content = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  async function* open(): AsyncGenerator<Uint8Array> {
    yield content
  }
  return { environment, connection, name, open, isDryRun: dryRun === 'true' }
}
