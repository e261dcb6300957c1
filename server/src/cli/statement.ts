// karba statement: networks' statements, and what they and the ledger do not agree on.

import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Option } from 'commander'
import {
  closeDifference,
  correctClosing,
  readClosingChoice,
} from '../actions/books/close-difference.ts'
import { listExceptions } from '../actions/books/exceptions.ts'
import { fetchPeriod } from '../actions/books/fetch-statements.ts'
import {
  type DateOrder,
  type ImportFileDeps,
  importStatementFile,
  setStatementColumns,
} from '../actions/books/import-file.ts'
import { downloadStatementFile, listStatementFiles } from '../actions/books/kept-files.ts'
import { exportStatement } from '../actions/books/read-account-statement.ts'
import { confirmSuggestion, suggestPayments } from '../actions/books/suggestions.ts'
import { takeBackImport } from '../actions/books/take-back-import.ts'
import { STATEMENT_FORMATS, type StatementFormat } from '../domain/books/account-statement.ts'
import { CLOSING_REASONS } from '../domain/books/closing.ts'
import {
  CLOSING_REASON_NAMES,
  CLOSING_REASON_WORDS,
  type ClosingReason,
} from '../domain/books/closing-reason.ts'
import type { ImportedStatement } from '../domain/books/matching.ts'
import { dayText } from '../domain/countries/business-day.ts'
import { LANGUAGES, type Language } from '../domain/texts/language.ts'
import { connectorIn, isConnectedIn, withNetwork } from '../service/connections.ts'
import { type Runtime, realPause } from '../service/runtime.ts'
import {
  exceptionFields,
  importFields,
  statementFileFields,
  suggestionFields,
} from '../wire/command-output.ts'
import { isoTime } from '../wire/json.ts'
import { columnMapping, fetchFaultSentence } from '../wire/statement-faults.ts'
import { day } from './arguments.ts'
import { type Cli, CommandFailed, granted, KarbaCommand } from './cli.ts'
import { readConnectionName } from './operators.ts'
import type { Column } from './table.ts'

export function statementCommand(cli: Cli): KarbaCommand {
  const statement = new KarbaCommand('statement').description(
    'Imports networks’ statements, shows what differs from the ledger, and writes statements of accounts.',
  )
  addFileCommands(statement, cli)
  addDifferenceCommands(statement, cli)
  statement.addCommand(exportCommand(cli))
  return statement.examples(
    'statement import live/mtn-benin november.csv --dry-run',
    'statement fetch --connection live/pawapay-benin --from 2026-11-15 --to 2026-11-16',
    'statement files',
    'statement take-back stm_0123456789abcdef --note "The days and months were exchanged"',
    'statement differences',
    'statement reasons exc_0123456789abcdef',
    'statement close exc_0123456789abcdef --reason top_up --note "Our own transfer of 3 November"',
  )
}

function addFileCommands(statement: KarbaCommand, cli: Cli): void {
  statement
    .command('import')
    .description(
      'Imports a CSV or XLSX file. A broken file is refused whole; a line of an earlier file is not added again.',
    )
    .argument('<connection>', 'as environment/name, such as live/mtn-benin')
    .argument('<file>', 'the file from the network’s portal')
    .addOption(
      new Option(
        '--date-order <order>',
        'of days and months, where the file does not show it',
      ).choices(['day_first', 'month_first']),
    )
    .option('--dry-run', 'show what an import would do, and store nothing')
    .json()
    .action(cli.action(importFile))
  statement
    .command('fetch')
    .description(
      'Fetches a statement from a network that offers it by API (pawaPay, FedaPay), and imports it. The server does so each morning.',
    )
    .requiredOption('--connection <name>', 'as environment/name, such as live/pawapay-benin')
    .requiredOption('--from <day>', 'the first day, such as 2026-11-15', day)
    .requiredOption('--to <day>', 'the last day, at most 31 days', day)
    .option('--dry-run', 'show what an import would do, and store nothing')
    .json()
    .action(cli.action(fetchStatement))
  statement
    .command('files')
    .description('Lists the imported files, the newest first.')
    .json('a JSON array')
    .action(cli.action(listFiles))
  statement
    .command('download')
    .description(
      'Writes a kept file as the network made it. It names payers; the download is in the audit log.',
    )
    .argument('<file>', 'its id')
    .argument('<path>', 'where to write it; - for standard output')
    .action(cli.action(download))
  statement
    .command('take-back')
    .description(
      'Takes an import back as a whole: its lines count no more, and what they booked is reversed. The file can be imported again.',
    )
    .argument('<file>', 'its id')
    .requiredOption('--note <text>', 'why, for the audit log')
    .json()
    .action(cli.action(takeBack))
  statement
    .command('columns')
    .description(
      'Proposes what each column of a file holds, and keeps it for the files of this connection.',
    )
    .argument('<connection>', 'as environment/name, such as live/mtn-benin')
    .argument('<file>', 'a file of this connection')
    .option('--mapping <json>', 'a file with the columns, instead of the proposal')
    .option('--dry-run', 'show the columns, and keep nothing')
    .action(cli.action(setColumns))
}

function addDifferenceCommands(statement: KarbaCommand, cli: Cli): void {
  statement
    .command('differences')
    .description('Lists open differences between statements and the ledger, the oldest first.')
    .json('a JSON array')
    .action(cli.action(list))
  statement
    .command('suggestions')
    .description(
      'Lists payments that match a line without a payment’s reference, and refunds that match a line with only that.',
    )
    .argument('<difference>', 'its id')
    .json('a JSON array')
    .action(cli.action(suggest))
  statement
    .command('confirm')
    .description('Books the line of a difference as a suggested payment or refund.')
    .argument('<difference>', 'its id')
    .argument('<payment>', 'the reference of a suggested payment or refund')
    .requiredOption('--note <text>', 'the finding, for the audit log')
    .json()
    .action(cli.action(confirm))
  statement
    .command('reasons')
    .description('Lists what a difference may have been, with what each reason means.')
    .argument('<difference>', 'its id')
    .json()
    .action(cli.action(listReasons))
  statement
    .command('close')
    .description('Closes a difference: says what it was, and books the entry that follows.')
    .argument('<difference>', 'its id')
    .addOption(reasonOption('what it was; none where it leaves nothing to explain'))
    .requiredOption('--note <text>', 'the finding, for the audit log')
    .json()
    .action(cli.action(close))
  statement
    .command('correct')
    .description(
      'Gives a closed difference another reason. Its entries are taken back by others that name them.',
    )
    .argument('<difference>', 'its id')
    .addOption(reasonOption('what it was').makeOptionMandatory())
    .requiredOption('--note <text>', 'the finding, for the audit log')
    .json()
    .action(cli.action(correct))
}

const reasonOption = (about: string): Option =>
  new Option('--reason <reason>', about).choices(CLOSING_REASON_NAMES)

async function importFile(
  cli: Cli,
  name: string,
  path: string,
  {
    dryRun: isDryRun = false,
    dateOrder,
    json,
  }: { dryRun?: boolean; dateOrder?: DateOrder; json?: boolean },
): Promise<void> {
  const file = { ...fileOf(name, path), isDryRun, dateOrder }
  const outcome = await cli.withRuntime((runtime, caller) =>
    importStatementFile(depsOf(cli, runtime), caller, file),
  )
  const imported = granted(outcome, name)
  cli.print(json, importFields(imported), sentencesOf(imported, isDryRun))
}

interface FetchOptions {
  connection: string
  from: number
  to: number
  dryRun?: boolean
  json?: boolean
}

async function fetchStatement(
  cli: Cli,
  { connection: name, from, to, dryRun, json }: FetchOptions,
): Promise<void> {
  const isDryRun = dryRun ?? false
  const wanted = { ...readConnectionName(name), firstDay: from, lastDay: to, isDryRun }
  const outcome = await cli.withRuntime((runtime, caller) =>
    withNetwork(runtime, wanted, (statementsOf) => {
      const pause = (ms: number): Promise<void> => {
        cli.showProgress('the network makes the statement')
        return realPause(ms)
      }
      return fetchPeriod({ ...depsOf(cli, runtime), statementsOf, pause }, caller, wanted)
    }),
  )
  const fetched = granted(outcome, name)
  if ('fault' in fetched)
    throw new CommandFailed(fetchFaultSentence(fetched.fault, fetched.why, 'en'), fetched.fault)
  cli.print(json, importFields(fetched), sentencesOf(fetched, isDryRun))
}

function fileOf(name: string, path: string) {
  if (!existsSync(path)) throw new CommandFailed(`There is no file ${path}.`)
  return { ...readConnectionName(name), name: basename(path), open: () => createReadStream(path) }
}

const depsOf = (
  cli: Cli,
  { config, db, clock, random, keptFiles, statementParser }: Runtime,
): ImportFileDeps => ({
  db,
  clock,
  random,
  keptFiles,
  statementParser,
  isConnected: isConnectedIn(config, db),
  connectorOf: connectorIn(config, db),
  progress: (lines) => cli.showProgress(`${lines} lines`),
  // A server may write to the same store: it gets as much of the time.
  pauseAfter: (tookMs) => new Promise((resolve) => clock.after(tookMs, resolve)),
})

async function listFiles(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const page = await cli.withRuntime(async (runtime, caller) =>
    granted(await listStatementFiles(depsOf(cli, runtime), caller, { limit: 1_000 })),
  )
  const value = page.rows.map(statementFileFields)
  cli.printRows({
    json,
    value,
    rows: page.rows,
    columns: FILES,
    none: 'No statement was imported.',
  })
}

type FileRow = Extract<
  Awaited<ReturnType<typeof listStatementFiles>>,
  { rows: unknown }
>['rows'][number]

const FILES: readonly Column<FileRow>[] = [
  { heading: 'FILE', cell: ({ fileId }) => fileId },
  { heading: 'CONNECTION', cell: ({ environment, connection }) => `${environment}/${connection}` },
  { heading: 'NAME', cell: ({ name }) => name },
  {
    heading: 'DAYS',
    cell: ({ firstDay, lastDay }) => `${dayText(firstDay)} to ${dayText(lastDay)}`,
  },
  { heading: 'LINES', cell: ({ lines }) => lines.toLocaleString('en'), is: 'number' },
  { heading: 'ADDED', cell: ({ added }) => added.toLocaleString('en'), is: 'number' },
  { heading: 'STATE', cell: ({ state }) => state, is: 'state' },
  { heading: 'KEPT', cell: ({ keptId }) => (keptId === null ? 'no' : 'yes') },
  { heading: 'IMPORTED', cell: ({ importedAt }) => isoTime(importedAt), is: 'time' },
]

async function download(cli: Cli, fileId: string, path: string): Promise<void> {
  // Checked before the audit log has a download.
  if (path !== '-' && existsSync(path)) throw new CommandFailed(`${path} exists already.`)
  await cli.withRuntime(async (runtime, caller) => {
    const file = granted(
      await downloadStatementFile(depsOf(cli, runtime), caller, { fileId }),
      fileId,
    )
    const to = path === '-' ? cli.terminal.stdout : createWriteStream(path, { mode: 0o600 })
    await pipeline(Readable.from(file.content), to, { end: path !== '-' })
  })
}

async function takeBack(
  cli: Cli,
  fileId: string,
  { note, json }: { note: string; json?: boolean },
): Promise<void> {
  const outcome = await cli.withRuntime((runtime, caller) =>
    takeBackImport(depsOf(cli, runtime), caller, { fileId, note }),
  )
  const { lines, entries, again } = granted(outcome, fileId)
  const files = again.map((file) => ({ file: file.fileId, name: file.name }))
  cli.print(json, { file: fileId, taken_back: true, lines, entries, import_again: files }, [
    `${fileId} is taken back: ${lines} lines, ${entries} entries were reversed.`,
    ...(again.length > 0
      ? ['Import these files of the same days again: they may have lines that are missing now.']
      : []),
    ...again.map(({ fileId: other, name }) => `  ${other} ${name}`),
  ])
}

async function setColumns(
  cli: Cli,
  name: string,
  path: string,
  { mapping: from, dryRun: isDryRun = false }: { mapping?: string; dryRun?: boolean },
): Promise<void> {
  const mapping =
    from === undefined ? undefined : columnMapping.parse(JSON.parse(readFileSync(from, 'utf8')))
  const file = { ...fileOf(name, path), isDryRun, mapping }
  const outcome = await cli.withRuntime((runtime, caller) =>
    setStatementColumns(depsOf(cli, runtime), caller, file),
  )
  cli.print(true, granted(outcome, name).mapping, [])
}

const count = (some: number, one: string, more = `${one}s`): string =>
  `${some} ${some === 1 ? one : more}`

function sentencesOf(
  { lines, added, matched, exceptions, missing, isRepeated }: ImportedStatement,
  isDry: boolean,
): string[] {
  if (isRepeated) return ['This file was imported before: nothing has changed.']
  const differences = Object.entries(exceptions).map(([kind, count]) => `  ${kind}: ${count}`)
  const absent = count(missing, 'payment or refund', 'payments or refunds')
  const gaps = missing === 0 ? [] : [`Missing in the statements: ${absent}.`]
  return [
    `${count(lines, 'line')}: ${added} ${isDry ? 'would be added' : 'added'}, ${matched} in agreement with the ledger.`,
    ...(differences.length > 0 ? ['Differences:', ...differences] : []),
    ...gaps,
  ]
}

async function list(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { rows } = await cli.run(listExceptions, undefined)
  const none = 'The statements and the ledger agree.'
  cli.printRows({ json, value: rows.map(exceptionFields), rows, columns: COLUMNS, none })
}

type Row = Awaited<ReturnType<typeof listExceptions>>['rows'][number]

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'DIFFERENCE', cell: ({ exceptionId }) => exceptionId },
  { heading: 'CONNECTION', cell: ({ environment, connection }) => `${environment}/${connection}` },
  { heading: 'KIND', cell: ({ kind }) => kind, is: 'state' },
  { heading: 'AMOUNT', cell: ({ amountXof }) => amountXof.toLocaleString('en'), is: 'number' },
  { heading: 'ACCOUNT', cell: ({ accountId }) => accountId ?? '-' },
  { heading: 'FOUND', cell: ({ at }) => isoTime(at), is: 'time' },
]

async function suggest(cli: Cli, exceptionId: string, { json }: { json?: boolean }): Promise<void> {
  const { rows } = await cli.run(suggestPayments, { exceptionId }, exceptionId)
  const none = 'No payment or refund of ours fits this line.'
  cli.printRows({ json, value: rows.map(suggestionFields), rows, columns: SUGGESTED, none })
}

type Suggested = Extract<
  Awaited<ReturnType<typeof suggestPayments>>,
  { rows: unknown }
>['rows'][number]

const SUGGESTED: readonly Column<Suggested>[] = [
  { heading: 'PAYMENT', cell: ({ reference }) => reference },
  { heading: 'TRANSACTION ID', cell: ({ externalReference }) => externalReference },
  { heading: 'AMOUNT', cell: ({ amountXof }) => amountXof.toLocaleString('en'), is: 'number' },
  { heading: 'ACCOUNT', cell: ({ accountId }) => accountId },
  { heading: 'PAID', cell: ({ validatedAt }) => isoTime(validatedAt), is: 'time' },
]

async function confirm(
  cli: Cli,
  exceptionId: string,
  reference: string,
  { note, json }: { note: string; json?: boolean },
): Promise<void> {
  await cli.run(confirmSuggestion, { exceptionId, reference, note }, exceptionId)
  const sentence = `${exceptionId} is closed: its line is booked as ${reference}.`
  cli.print(json, { difference: exceptionId, payment: reference, closed: true }, [sentence])
}

async function listReasons(
  cli: Cli,
  exceptionId: string,
  { json }: { json?: boolean },
): Promise<void> {
  const { reasons, leftXof } = await cli.run(readClosingChoice, { exceptionId }, exceptionId)
  const value = { difference: exceptionId, left: leftXof, reasons }
  if (json || reasons.length === 0) {
    cli.print(json, value, [
      'This difference leaves nothing to explain: close it with a note alone.',
    ])
    return
  }
  const rows = reasons.map((reason) => ({ reason, ...CLOSING_REASONS[reason] }))
  cli.print(json, value, [
    `Not explained: ${leftXof.toLocaleString('en')} XOF`,
    '',
    ...cli.table(REASONS, rows),
  ])
}

type ReasonRow = { reason: ClosingReason } & (typeof CLOSING_REASONS)[ClosingReason]

const REASONS: readonly Column<ReasonRow>[] = [
  { heading: 'REASON', cell: ({ reason }) => reason },
  { heading: 'WHAT IT IS', cell: ({ reason }) => CLOSING_REASON_WORDS.en[reason] },
  { heading: 'MEANING', cell: ({ about }) => about.en },
]

interface CloseOptions {
  reason?: ClosingReason
  note: string
  json?: boolean
}

async function close(
  cli: Cli,
  exceptionId: string,
  { reason, note, json }: CloseOptions,
): Promise<void> {
  await cli.run(closeDifference, { exceptionId, reason, note }, exceptionId)
  cli.print(json, { difference: exceptionId, reason, closed: true }, [`${exceptionId} is closed.`])
}

async function correct(
  cli: Cli,
  exceptionId: string,
  { reason, note, json }: CloseOptions,
): Promise<void> {
  await cli.run(correctClosing, { exceptionId, reason, note }, exceptionId)
  cli.print(json, { difference: exceptionId, reason, closed: true }, [
    `${exceptionId} has another reason.`,
  ])
}

// karba statement export: an account's statement of a period, as a file.

export const exportCommand = (cli: Cli): KarbaCommand =>
  new KarbaCommand('export')
    .description(
      'Writes the statement of an account at a connection: to a file, or to standard output.',
    )
    .argument('<account>', 'the account, such as acc_0123456789ab')
    .argument('<connection>', 'the name of the connection, such as mtn-benin')
    .requiredOption('--from <day>', 'the first day, such as 2026-11-01', day)
    .requiredOption('--to <day>', 'the last day', day)
    .addOption(
      new Option('--format <format>', 'the form of the file')
        .choices(STATEMENT_FORMATS)
        .default('csv'),
    )
    .addOption(
      new Option('--language <language>', 'of headings and labels')
        .choices(LANGUAGES)
        .default('fr'),
    )
    .option('--output <file>', 'the file to write; standard output by default')
    .examples(
      'statement export acc_0123456789ab mtn-benin --from 2026-11-01 --to 2026-11-30 --format camt053 --output november.xml',
    )
    .action(cli.action(write))

interface ExportOptions {
  from: number
  to: number
  format: StatementFormat
  language: Language
  output?: string
}

async function write(
  cli: Cli,
  accountId: string,
  connection: string,
  { from: fromDay, to: toDay, format, language, output }: ExportOptions,
): Promise<void> {
  const query = { accountId, connection, fromDay, toDay, format, language }
  await cli.withRuntime(async (runtime, caller) => {
    const { content } = granted(await exportStatement(runtime, caller, query), accountId)
    // Standard output stays open for what follows.
    if (output === undefined) for await (const chunk of content) await cli.write(chunk)
    else await pipeline(Readable.from(content), createWriteStream(output))
  })
}
