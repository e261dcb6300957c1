// karba archive: writes old months of payments, with their histories, to compressed and sealed
// files, and reads them.
import { createReadStream, createWriteStream, existsSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  ArchiveDamaged,
  listWrittenArchives,
  readArchive,
} from '../actions/archives/read-archive.ts'
import { findMonthToArchive, writeArchive } from '../actions/archives/write-archive.ts'
import { integer } from '../config.ts'
import type { Shell } from '../domain/people/caller.ts'
import { isRefused } from '../domain/refusals/refusal.ts'
import { syncFileIn } from '../service/backup.ts'
import type { Runtime } from '../service/runtime.ts'
import { archiveFields, isArchivedAs } from '../wire/archive.ts'
import { argument } from './arguments.ts'
import { type Cli, CommandFailed, granted, KarbaCommand } from './cli.ts'
import type { Column } from './table.ts'

export function archiveCommand(cli: Cli): KarbaCommand {
  const archive = new KarbaCommand('archive').description(
    'Writes old months of payments with their histories to files, and reads them back.',
  )
  archive
    .command('write')
    .description(
      'Writes each month that is not archived yet to a file in a folder, the oldest first. Payments stay in the store; KARBA_KEEP_UNTIL_ARCHIVED=yes lets retention remove the histories of archived months only.',
    )
    .argument('<folder>', 'an existing folder')
    .option(
      '--older-than <months>',
      'only months that ended so many months ago',
      argument(integer(1, 1_200)),
      13,
    )
    .json('one JSON object: the archives that were written')
    .examples('archive write /archives', 'archive write /archives --older-than 6')
    .action(cli.action(write))
  archive
    .command('read')
    .description(
      'Prints the payments of a file, one JSON object a line. The file can be read with its own store only.',
    )
    .argument('<file>', 'a file that `karba archive write` made')
    .option(
      '--reference <name>',
      'only this payment: its reference, public reference or transaction_id',
    )
    .examples('archive read /archives/karba-2025-09-arc_….archive --reference order-2025-0001')
    .action(cli.action(read))
  archive
    .command('verify')
    .description(
      'Reads the file of every archived month in a folder to its end, without printing payments. Exits with 1 when one is missing or damaged.',
    )
    .argument('<folder>', 'where `karba archive write` wrote them, or where they were copied to')
    .json('one JSON object: each archived month, with its fault or null')
    .examples('archive verify /archives')
    .action(cli.action(verify))
  archive
    .command('list')
    .description('Lists the archived months.')
    .json()
    .examples('archive list')
    .action(cli.action(list))
  return archive
}

type Written = Parameters<typeof archiveFields>[0] & { file: string }

async function write(
  cli: Cli,
  folder: string,
  { olderThan: olderThanMonths, json }: { olderThan: number; json?: boolean },
): Promise<void> {
  if (!existsSync(folder)) throw new CommandFailed(`There is no folder ${folder}.`)
  const written: Written[] = []
  await cli.withRuntime(async (runtime, caller) => {
    for (;;) {
      const { month } = granted(await findMonthToArchive(runtime, caller, { olderThanMonths }))
      if (month === undefined) return
      written.push(await writeMonth(cli, runtime, caller, { month, folder }))
    }
  })
  const lines = written.map(
    ({ file, month, payments, bytes }) =>
      `${month}: ${payments} payments in ${file} (${(bytes / 1_000_000).toFixed(1)} MB).`,
  )
  const none = 'No month is left to archive.'
  const warning =
    'The files name payers, and only this store with its master key can read them: keep both.'
  const value = { archives: written.map((each) => ({ ...archiveFields(each), file: each.file })) }
  cli.print(json, value, lines.length === 0 ? [none] : [...lines, warning])
}

/** The month counts as archived once the whole file is on disk. */
async function writeMonth(
  cli: Cli,
  runtime: Runtime,
  caller: Shell,
  { month, folder }: { month: string; folder: string },
): Promise<Written> {
  const { archive, content, finish } = granted(await writeArchive(runtime, caller, { month }))
  const file = join(folder, fileNameOf(archive))
  const shown = async function* () {
    let bytes = 0
    for await (const chunk of content) {
      bytes += chunk.length
      cli.showProgress(`${month}: ${(bytes / 1_000_000).toFixed(1)} MB written`)
      yield chunk
    }
  }
  try {
    await pipeline(Readable.from(shown()), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
    syncFileIn(dirname(file), file)
    return { ...granted(await finish(), month), file }
  } catch (error) {
    rmSync(file, { force: true })
    throw asFailure(error)
  }
}

const fileNameOf = ({ month, archiveId }: Pick<Listed, 'month' | 'archiveId'>): string =>
  `karba-${month}-${archiveId}.archive`

const FILE_NAME = /^karba-\d{4}-\d{2}-arc_\w+\.archive$/

/** Somebody who looks for a month by the names of files must not be shown another. */
function refuseOtherName(file: string, archive: Pick<Listed, 'month' | 'archiveId'>): void {
  const [name, expected] = [basename(file), fileNameOf(archive)]
  if (!FILE_NAME.test(name) || name === expected) return
  const why = `${file} holds ${archive.month}, and its name says otherwise. Its name is ${expected}.`
  throw new CommandFailed(why, 'archive_name_not_valid')
}

/** A disk that is full, or a folder that cannot be written, is no bug of ours. */
function asFailure(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^E[A-Z]+$/.test(code)
    ? new CommandFailed(`${message}.`)
    : error
}

async function read(cli: Cli, file: string, { reference }: { reference?: string }): Promise<void> {
  if (!isFile(file)) throw new CommandFailed(`There is no file ${file}.`)
  let printed = 0
  await cli.withRuntime(async (runtime, caller) => {
    const opened = granted(
      await readArchive(runtime, caller, { file: createReadStream(file) }),
      file,
    )
    refuseOtherName(file, opened.archive)
    try {
      for await (const line of opened.lines) {
        if (reference !== undefined && !isArchivedAs(line, reference)) continue
        printed++
        await cli.write(`${line}\n`)
      }
    } catch (error) {
      if (error instanceof ArchiveDamaged)
        throw new CommandFailed(`${file} is damaged: ${error.message}.`, 'archive_damaged')
      throw error
    }
  })
  if (reference !== undefined && printed === 0)
    throw new CommandFailed(`${file} has no payment ${reference}.`, 'payment_not_found')
}

interface Verified extends Listed {
  file: string
  /** Null for a whole file. */
  fault: string | null
}

const VERIFIED_COLUMNS: readonly Column<Verified>[] = [
  { heading: 'MONTH', cell: ({ month }) => month },
  { heading: 'PAYMENTS', cell: ({ payments }) => payments.toLocaleString('en'), is: 'number' },
  { heading: 'FILE', cell: ({ file }) => file },
  { heading: 'STATE', cell: ({ fault }) => fault ?? 'whole' },
]

async function verify(cli: Cli, folder: string, { json }: { json?: boolean }): Promise<void> {
  if (!existsSync(folder)) throw new CommandFailed(`There is no folder ${folder}.`)
  const rows = await cli.withRuntime(async (runtime, caller) => {
    const verified: Verified[] = []
    for (const archive of granted(await listWrittenArchives(runtime, caller)).archives) {
      const file = join(folder, fileNameOf(archive))
      cli.showProgress(`${archive.month}: reading ${file}`)
      verified.push({ ...archive, file, fault: await faultOf(runtime, caller, { file, archive }) })
    }
    return verified
  })
  const value = {
    archives: rows.map((each) => ({ ...archiveFields(each), file: each.file, fault: each.fault })),
  }
  cli.printRows({ json, value, rows, columns: VERIFIED_COLUMNS, none: 'No month is archived.' })
  if (rows.some(({ fault }) => fault !== null)) cli.exitCode = 1
}

async function faultOf(
  runtime: Runtime,
  caller: Shell,
  { file, archive }: { file: string; archive: Listed },
): Promise<string | null> {
  if (!isFile(file)) return 'missing'
  const opened = await readArchive(runtime, caller, { file: createReadStream(file) })
  if (isRefused(opened) || opened.archive.archiveId !== archive.archiveId)
    return 'another file under this name'
  try {
    for await (const _line of opened.lines);
    return null
  } catch (error) {
    if (error instanceof ArchiveDamaged) return `damaged: ${error.message}`
    throw error
  }
}

const isFile = (file: string): boolean =>
  statSync(file, { throwIfNoEntry: false })?.isFile() === true

type Listed = Parameters<typeof archiveFields>[0]

const COLUMNS: readonly Column<Listed>[] = [
  { heading: 'MONTH', cell: ({ month }) => month },
  { heading: 'PAYMENTS', cell: ({ payments }) => payments.toLocaleString('en'), is: 'number' },
  { heading: 'BYTES', cell: ({ bytes }) => bytes.toLocaleString('en'), is: 'number' },
  { heading: 'ARCHIVE', cell: ({ archiveId }) => archiveId },
  { heading: 'SHA-256 OF ITS LINES', cell: ({ sha256 }) => sha256 ?? '' },
]

async function list(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { archives } = await cli.run(listWrittenArchives, undefined)
  const value = { archives: archives.map(archiveFields) }
  cli.printRows({ json, value, rows: archives, columns: COLUMNS, none: 'No month is archived.' })
}
