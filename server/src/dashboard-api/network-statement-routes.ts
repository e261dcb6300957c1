// Statements of networks in the dashboard: uploads in parts, columns, imports with their progress,
// files, and what does not agree with the ledger. The same routes for staff, and for a merchant's
// people about connections of their own.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { nameActors } from '../actions/audit/audit-log.ts'
import {
  closeDifference,
  correctClosing,
  readClosingChoice,
  walletsOf,
} from '../actions/books/close-difference.ts'
import { listDifferences } from '../actions/books/exceptions.ts'
import {
  fetchNow,
  listStatementSources,
  type StatementSourceState,
} from '../actions/books/fetch-statements.ts'
import { importUpload, proposeColumns, setUploadColumns } from '../actions/books/import-file.ts'
import {
  beginUpload as beginFileUpload,
  downloadStatementFile,
  finishUpload as finishFileUpload,
  listStatementFiles,
  PART_BYTES,
  removeUpload,
  uploadPart,
} from '../actions/books/kept-files.ts'
import { confirmSuggestion, suggestPayments } from '../actions/books/suggestions.ts'
import { takeBackImport } from '../actions/books/take-back-import.ts'
import { listUnusedUploads } from '../actions/books/unused-uploads.ts'
import { labelConnections } from '../actions/operators/merchant-connections.ts'
import { CLOSING_REASONS } from '../domain/books/closing.ts'
import { CLOSING_REASON_NAMES, CLOSING_REASON_WORDS } from '../domain/books/closing-reason.ts'
import { differenceXof, EXCEPTION_KINDS } from '../domain/books/matching.ts'
import type { LineType } from '../domain/books/statement.ts'
import { dayText } from '../domain/countries/business-day.ts'
import type { NamedConnection } from '../domain/countries/country.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { type MerchantPerson, type ServicePerson, scopeOf } from '../domain/people/caller.ts'
import type { MerchantRight, ServiceRight } from '../domain/people/role.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import { typesetText } from '../domain/texts/free-text.ts'
import type { Language } from '../domain/texts/language.ts'
import { columnMapping, fetchFaultSentence, nextStep } from '../wire/statement-faults.ts'
import { languageOf, refusalBody, sendFile } from './answer.ts'
import type { RouteHttp } from './callers.ts'
import {
  type Address,
  accountRoute,
  consoleRoute,
  type DashboardDeps,
  fileOf,
  type Handle,
  NOTHING,
  optional,
  PAGE_FIELDS,
  pageOf,
  type RouteOptions,
  SOME_MORE,
  TEXT,
  wholeNumber,
} from './route.ts'
import type {
  DifferenceRow,
  ImportBody,
  ImportEvent,
  PageOf,
  ReasonsBody,
  StatementFileRow,
  StatementSourceRow,
  SuggestionRow,
  TakenBackBody,
  UnusedUploadRow,
} from './shapes.ts'

type Caller = MerchantPerson | ServicePerson

const CONNECTION = { environment: z.enum(ENVIRONMENTS), connection: TEXT }
const ORDERS = ['oldest', 'newest', 'largest'] as const
const DIFFERENCE = z.object({ differenceId: TEXT })
const CLOSING = DIFFERENCE.extend({ reason: optional(z.enum(CLOSING_REASON_NAMES)), note: TEXT })
const UPLOAD = z.object({ uploadId: TEXT })
const TAKE_BACK = z.object({ fileId: TEXT, note: TEXT })
const FLAG = z.union([
  z.boolean(),
  z.enum(['true', 'false']).transform((value) => value === 'true'),
])
const DIFFERENCES = z.object({
  ...PAGE_FIELDS,
  order: optional(z.enum(ORDERS)),
  kind: optional(z.enum(EXCEPTION_KINDS)),
  open: optional(FLAG),
})
const NEW_UPLOAD = z.object({ ...CONNECTION, name: TEXT })
const FILES = z.object({
  ...PAGE_FIELDS,
  environment: optional(CONNECTION.environment),
  connection: optional(TEXT),
})

const FILE = z.object({ fileId: TEXT })
const PART = UPLOAD.extend({ part: wholeNumber(0, 1_000) })
const ALL_PARTS = UPLOAD.extend({ parts: wholeNumber(1, 1_000) })
const IMPORT = UPLOAD.extend({
  dryRun: FLAG,
  dateOrder: optional(z.enum(['day_first', 'month_first'])),
})

interface Rights {
  ofStaff: ServiceRight
  ofMerchant: MerchantRight
}
const LOOK: Rights = { ofStaff: 'read', ofMerchant: 'seeBooks' }
const MANAGE: Rights = { ofStaff: 'manageStatements', ofMerchant: 'manageStatements' }
const CLOSE: Rights = { ofStaff: 'manageStatements', ofMerchant: 'closeDifferences' }

/** The same for staff in the console and for a merchant's people in their account. */
const forBoth = <const Of extends Address, Input extends z.ZodType, Answer extends object>(
  address: Of,
  { ofStaff, ofMerchant }: Rights,
  input: Input,
  handle: Handle<Caller, Input, RouteHttp, Answer>,
  options?: RouteOptions,
) =>
  [
    consoleRoute(address, ofStaff, input, handle, options),
    accountRoute(address, ofMerchant, input, handle, options),
  ] as const

export const networkStatementRoutes = [
  ...forBoth('GET /books/differences', LOOK, DIFFERENCES, differences),
  consoleRoute('GET /books/differences/:differenceId/suggestions', 'read', DIFFERENCE, suggestions),
  consoleRoute(
    'POST /books/differences/:differenceId/confirm',
    'manageStatements',
    DIFFERENCE.extend({ reference: TEXT, note: TEXT }),
    (deps, caller, { differenceId: exceptionId, ...more }) =>
      confirmSuggestion(deps, caller, { exceptionId, ...more }),
  ),
  ...forBoth('GET /books/differences/:differenceId/reasons', LOOK, DIFFERENCE, reasons),
  ...forBoth('POST /books/differences/:differenceId/close', CLOSE, CLOSING, close),
  ...forBoth('POST /books/differences/:differenceId/correct', CLOSE, CLOSING, correct),
  ...forBoth('POST /books/files/:fileId/take-back', CLOSE, TAKE_BACK, takeBack, { isLong: true }),
  ...forBoth('GET /books/sources', LOOK, NOTHING, sources),
  ...forBoth('POST /books/sources/fetch', MANAGE, z.object(CONNECTION), fetchNow),
  ...forBoth('GET /books/files', LOOK, FILES, files),
  ...forBoth('GET /books/files/:fileId/content', LOOK, FILE, download),
  ...forBoth('GET /books/uploads', LOOK, NOTHING, unusedUploads),
  ...forBoth(
    'DELETE /books/uploads/:uploadId',
    MANAGE,
    UPLOAD,
    async (deps, caller, { uploadId: keptId }) => {
      const removed = await removeUpload(deps, caller, { keptId })
      return isRefused(removed) ? removed : { uploadId: removed.keptId }
    },
  ),
  ...forBoth('POST /books/uploads', MANAGE, NEW_UPLOAD, beginUpload),
  ...forBoth(
    'PUT /books/uploads/:uploadId/parts/:part',
    MANAGE,
    PART,
    (deps, caller, { uploadId: keptId, part }, { request }) =>
      uploadPart(deps, caller, { keptId, part, file: fileOf(request) }),
    { takes: 'file', mostBytes: PART_BYTES + SOME_MORE },
  ),
  ...forBoth('POST /books/uploads/:uploadId/finish', MANAGE, ALL_PARTS, finishUpload),
  ...forBoth(
    'GET /books/uploads/:uploadId/columns',
    LOOK,
    UPLOAD,
    (deps, caller, { uploadId: keptId }, http) =>
      whileThere(http, (signal) => proposeColumns({ ...deps, signal }, caller, { keptId })),
  ),
  ...forBoth(
    'PUT /books/uploads/:uploadId/columns',
    MANAGE,
    UPLOAD.extend({ mapping: columnMapping }),
    (deps, caller, { uploadId: keptId, mapping }, http) =>
      whileThere(http, (signal) =>
        setUploadColumns({ ...deps, signal }, caller, { keptId, mapping }),
      ),
  ),
  ...forBoth('POST /books/uploads/:uploadId/import', MANAGE, IMPORT, importWithProgress, {
    isLong: true,
  }),
]

async function differences(
  deps: DashboardDeps,
  caller: Caller,
  { open, ...input }: z.output<typeof DIFFERENCES>,
  { request }: RouteHttp,
) {
  const language = languageOf(request)
  const page = await listDifferences(deps, caller, { ...input, isOpen: open ?? true })
  if (isRefused(page)) return page
  const nameOf = await nameActors(
    deps,
    page.rows.map(({ resolvedBy }) => resolvedBy),
  )
  const labelled = await labelConnections(deps, scopeOf(caller), page.rows)
  const isOwn = await walletsOf(deps, caller, page.rows)
  return pageOf(page, (row) => ({
    ...differenceRow(labelled({ ...row, resolvedBy: nameOf(row.resolvedBy) }), language),
    isOwn: isOwn(row),
  }))
}

type Listed = Extract<
  Awaited<ReturnType<typeof listDifferences>>,
  { rows: unknown }
>['rows'][number]

function differenceRow(
  row: Listed & NamedConnection,
  language: Language,
): Omit<DifferenceRow, 'isOwn'> {
  const { kind, environment, connection, connectionLabel, merchantName, accountId } = row
  const detail = JSON.parse(row.detail)
  const difference = comparedDifference(row, detail)
  return {
    differenceId: row.exceptionId,
    kind,
    environment,
    connection,
    connectionLabel,
    merchantName,
    accountId,
    difference,
    amount: Math.abs(difference ?? row.amountXof),
    foundAt: row.at,
    nextStep: nextStep(kind, language),
    detail,
    line: row.lineAt === null ? null : lineOf(row, row.lineAt),
    payment: row.reference === null ? null : paymentOf(row, row.reference),
    closed: row.resolvedAt === null ? null : closingOf(row, row.resolvedAt, language),
  }
}

const closingOf = ({ resolvedBy, note, reason }: Listed, at: number, language: Language) => ({
  at,
  by: resolvedBy ?? '',
  note: note ?? '',
  reason: reason && typesetText(CLOSING_REASON_WORDS[language][reason], language),
})

type Closing = z.output<typeof CLOSING>

function close(
  deps: DashboardDeps,
  caller: Caller,
  { differenceId: exceptionId, ...said }: Closing,
) {
  return closeDifference(deps, caller, { exceptionId, ...said })
}

function correct(
  deps: DashboardDeps,
  caller: Caller,
  { differenceId: exceptionId, ...said }: Closing,
) {
  return correctClosing(deps, caller, { exceptionId, ...said })
}

async function reasons(
  deps: DashboardDeps,
  caller: Caller,
  { differenceId: exceptionId }: { differenceId: string },
  { request }: RouteHttp,
): Promise<ReasonsBody | Refused> {
  const choice = await readClosingChoice(deps, caller, { exceptionId })
  if (isRefused(choice)) return choice
  const language = languageOf(request)
  return {
    left: choice.leftXof,
    reasons: choice.reasons.map((reason) => ({
      reason,
      name: typesetText(CLOSING_REASON_WORDS[language][reason], language),
      about: typesetText(CLOSING_REASONS[reason].about[language], language),
    })),
  }
}

/**
 * The network's amount minus ours; null where nothing is compared, as for a line without a payment.
 */
function comparedDifference(
  { kind, paymentXof }: Listed,
  detail: Record<string, number>,
): number | null {
  const {
    type,
    amount = 0,
    received = 0,
    opening = 0,
    expected = 0,
    fee = 0,
    expectedFee,
    difference,
  } = detail
  if (kind === 'settled_amount_differs') return received - amount
  if (kind === 'balance_does_not_add_up') return opening - expected
  if (difference !== undefined) return difference
  // Exceptions of earlier versions. The payment's amount says nothing of a refund's.
  const isOfPayment = String(type) === 'collection' && paymentXof !== null
  const candidate = isOfPayment ? { amountXof: paymentXof } : undefined
  const line = { type: String(type) as LineType, amountXof: amount, feeXof: fee }
  return differenceXof(kind, line, { candidate, expectedFeeXof: expectedFee }) ?? null
}

const lineOf = (row: Listed, at: number): NonNullable<DifferenceRow['line']> => ({
  at,
  type: row.lineType ?? '',
  amount: row.lineAmountXof ?? 0,
  fee: row.lineFeeXof ?? 0,
  networkReference: row.networkReference ?? '',
  ourReference: row.ourReference ?? '',
  counterparty: row.counterparty ?? '',
  text: row.lineText ?? '',
  file: row.fileName,
  row: row.rowNumber,
})

const paymentOf = (row: Listed, reference: string): NonNullable<DifferenceRow['payment']> => ({
  reference,
  transactionId: row.externalReference ?? '',
  status: row.status ?? '',
  amount: row.paymentXof ?? 0,
  createdAt: row.createdAt ?? 0,
  validatedAt: row.validatedAt,
})

async function sources(
  deps: DashboardDeps,
  caller: Caller,
  _input: object,
  { request }: RouteHttp,
): Promise<PageOf<StatementSourceRow>> {
  const language = languageOf(request)
  const { rows } = await listStatementSources(deps, caller)
  const labelled = rows.map(await labelConnections(deps, scopeOf(caller), rows))
  return {
    rows: labelled.map((row) => ({
      ...row,
      fetches: row.fetches && fetchesOf(row.fetches, language),
    })),
    next: null,
  }
}

function fetchesOf(
  { fetchedAt, isUnderWay, failure }: NonNullable<StatementSourceState['fetches']>,
  language: Language,
): StatementSourceRow['fetches'] {
  if (failure === undefined) return { fetchedAt, isUnderWay, failure: null }
  const { day, failedAt: at, fault, why } = failure
  return {
    fetchedAt,
    isUnderWay,
    failure: { day: dayText(day), at, sentence: fetchFaultSentence(fault, why, language) },
  }
}

async function suggestions(
  deps: DashboardDeps,
  caller: Caller,
  { differenceId: exceptionId }: { differenceId: string },
): Promise<PageOf<SuggestionRow> | Refused> {
  return pageOf(
    await suggestPayments(deps, caller, { exceptionId }),
    ({
      reference,
      externalReference: transactionId,
      accountId,
      amountXof: amount,
      validatedAt,
    }) => ({
      reference,
      transactionId,
      accountId,
      amount,
      validatedAt,
    }),
  )
}

async function files(
  deps: DashboardDeps,
  caller: Caller,
  { environment, connection, ...page }: z.output<typeof FILES>,
) {
  const of =
    environment === undefined || connection === undefined ? undefined : { environment, connection }
  const found = await listStatementFiles(deps, caller, { ...page, of })
  if (isRefused(found)) return found
  const nameOf = await nameActors(
    deps,
    found.rows.flatMap(({ importedBy, takenBackBy }) => [importedBy, takenBackBy ?? importedBy]),
  )
  const labelled = await labelConnections(deps, scopeOf(caller), found.rows)
  return pageOf(found, (file): StatementFileRow => {
    const {
      fileId,
      environment,
      connection,
      connectionLabel,
      name,
      state,
      bytes,
      lines,
      added,
      importedAt,
    } = labelled(file)
    const importedBy = nameOf(file.importedBy)
    return {
      fileId,
      environment,
      connection,
      connectionLabel,
      name,
      state,
      bytes,
      lines,
      added,
      importedAt,
      importedBy,
      opening: file.openingXof,
      closing: file.closingXof,
      takenBackBy: file.takenBackBy === null ? null : nameOf(file.takenBackBy),
      firstDay: dayText(file.firstDay),
      lastDay: dayText(file.lastDay),
      isKept: file.keptId !== null,
    }
  })
}

async function unusedUploads(
  deps: DashboardDeps,
  caller: Caller,
): Promise<PageOf<UnusedUploadRow>> {
  const { rows } = await listUnusedUploads(deps, caller)
  const labelled = await labelConnections(deps, scopeOf(caller), rows)
  const shown = rows.map((row) => {
    const {
      keptId: uploadId,
      environment,
      connection,
      connectionLabel,
      name,
      bytes,
      isComplete,
      keptAt,
    } = labelled(row)
    return {
      uploadId,
      environment,
      connection,
      connectionLabel,
      name,
      bytes,
      isComplete,
      sentAt: keptAt,
    }
  })
  return { rows: shown, next: null }
}

async function download(
  deps: DashboardDeps,
  caller: Caller,
  { fileId }: z.output<typeof FILE>,
  { reply }: RouteHttp,
) {
  const file = await downloadStatementFile(deps, caller, { fileId })
  if (isRefused(file)) return file
  const shown = { type: 'application/octet-stream', name: file.name, isShown: false }
  return sendFile(reply, shown, Readable.from(file.content))
}

async function beginUpload(
  deps: DashboardDeps,
  caller: Caller,
  input: z.output<typeof NEW_UPLOAD>,
) {
  const begun = await beginFileUpload(deps, caller, input)
  return isRefused(begun) ? begun : { uploadId: begun.keptId, partBytes: begun.partBytes }
}

async function finishUpload(
  deps: DashboardDeps,
  caller: Caller,
  { uploadId, parts }: z.output<typeof ALL_PARTS>,
) {
  const done = await finishFileUpload(deps, caller, { keptId: uploadId, parts })
  return isRefused(done) ? done : { uploadId: done.keptId, bytes: done.bytes }
}

/** Files are read one after the other, so a small one may wait for a large one. */
const READ_WITHIN_MS = 60_000

/** Until the client leaves. */
const whileThere = <Outcome>(
  { request, reply }: RouteHttp,
  work: (signal: AbortSignal) => Promise<Outcome>,
) => request.server.longPoll(request, reply, READ_WITHIN_MS, work)

// An import, and taking one back, takes minutes: its progress is sent as lines of JSON, so that no
// proxy takes the connection for dead. It goes on when the browser goes away; a dry run, which only
// shows its result, ends.

type Outcome = Awaited<ReturnType<typeof importUpload>>

const IMPORT_SLOT_REFUSED = { own: 'import_under_way', shared: 'too_many_statements_read' } as const

const PROGRESS_EVERY_LINES = 2_000

async function importWithProgress(
  deps: DashboardDeps,
  caller: Caller,
  { uploadId: keptId, dryRun: isDryRun, dateOrder }: z.output<typeof IMPORT>,
  http: RouteHttp,
): Promise<ImportBody | Refused | FastifyReply> {
  const left = new AbortController()
  if (isDryRun) http.reply.raw.once('close', () => left.abort())
  return withProgress(deps, caller, http, async (send) => {
    const reports = {
      progress: (imported: number) => send(imported, { imported }),
      reading: (read: number) => send(read, { read }),
    }
    const input = { keptId, isDryRun, dateOrder }
    return resultOf(await importUpload({ ...deps, ...reports, signal: left.signal }, caller, input))
  })
}

function takeBack(
  deps: DashboardDeps,
  caller: Caller,
  input: z.output<typeof TAKE_BACK>,
  http: RouteHttp,
): Promise<TakenBackBody | Refused | FastifyReply> {
  return withProgress<TakenBackBody>(deps, caller, http, (send) =>
    takeBackImport(
      { ...deps, progress: (takenBack) => send(takenBack, { takenBack }) },
      caller,
      input,
    ),
  )
}

type SendProgress = (lines: number, event: ImportEvent) => void

async function withProgress<Body extends object>(
  deps: DashboardDeps,
  caller: Caller,
  { reply, request }: RouteHttp,
  work: (send: SendProgress) => Promise<Body | Refused>,
): Promise<Body | Refused | FastifyReply> {
  const release = await deps.takeImport(caller)
  if (typeof release !== 'function') return { refused: IMPORT_SLOT_REFUSED[release] }
  const lines = new Readable({ read() {} })
  const begun = Promise.withResolvers<'began'>()
  const send = (event: object): void => {
    begun.resolve('began')
    if (!lines.destroyed) lines.push(`${JSON.stringify(event)}\n`)
  }
  const outcome = work((count, event) => {
    if (count % PROGRESS_EVERY_LINES === 0) send(event)
  }).finally(release)
  if ((await Promise.race([begun.promise, outcome])) !== 'began') return outcome
  const language = languageOf(request)
  outcome
    .then((result) => {
      send(isRefused(result) ? { error: refusalBody(result as Refused, language) } : { result })
      lines.push(null)
    })
    .catch((error) => lines.destroy(error))
  reply.header('content-type', 'application/x-ndjson').header('cache-control', 'no-store')
  return reply.send(lines)
}

function resultOf(outcome: Outcome): ImportBody | Refused {
  if (isRefused(outcome)) return outcome
  const { exceptions, ...counts } = outcome
  return { ...counts, differences: exceptions }
}
