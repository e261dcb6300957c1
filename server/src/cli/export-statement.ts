// karba statement export: an account's statement of a period, as a file.
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Option } from 'commander'
import { exportStatement } from '../actions/books/export-statement.ts'
import { STATEMENT_FORMATS, type StatementFormat } from '../domain/account-statement.ts'
import { LANGUAGES, type Language } from '../domain/person.ts'
import { day } from './arguments.ts'
import { type Cli, granted, KarbaCommand } from './cli.ts'

export const exportCommand = (cli: Cli): KarbaCommand =>
  new KarbaCommand('export')
    .description('Writes the statement of an account at a connection: to a file, or to standard output.')
    .argument('<account>', 'the account, such as acc_0123456789ab')
    .argument('<connection>', 'the name of the connection, such as mtn-benin')
    .requiredOption('--from <day>', 'the first day, such as 2026-11-01', day)
    .requiredOption('--to <day>', 'the last day', day)
    .addOption(new Option('--format <format>', 'the form of the file').choices(STATEMENT_FORMATS).default('csv'))
    .addOption(new Option('--language <language>', 'of headings and labels').choices(LANGUAGES).default('fr'))
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
  const { stdout } = cli.terminal
  await cli.withRuntime(async (runtime, caller) => {
    const { content } = granted(await exportStatement(runtime, caller, query), accountId)
    // Standard output stays open for what follows.
    if (output === undefined) for await (const chunk of content) await new Promise((next) => stdout.write(chunk, next))
    else await pipeline(Readable.from(content), createWriteStream(output))
  })
}
