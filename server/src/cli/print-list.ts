// Prints a list: a table for people, and below it how to get the next page, on stderr so that what is piped on is the table alone.
import type { Page } from '../domain/page.ts'
import { print } from './print.ts'
import { type Column, table } from './table.ts'

interface PrintedList<Row> {
  json: boolean | undefined
  /** For programs. */
  value: unknown
  page: Page<Row>
  columns: readonly Column<Row>[]
  /** Instead of a table without rows. */
  none: string
}

export function printList<Row>({ json, value, page, columns, none }: PrintedList<Row>): void {
  print(json, value, page.rows.length === 0 ? [none] : table(columns, page.rows))
  if (json || page.next === undefined) return
  process.stderr.write(`There are more: ${commandAfter(process.argv.slice(2), page.next)}\n`)
}

/** The command as it was given, with another cursor. */
function commandAfter(args: readonly string[], next: string): string {
  const same = args.filter((arg, at) => !/^--after(=|$)/.test(arg) && args[at - 1] !== '--after')
  // Behind a bare `--` everything is a name.
  const end = same.includes('--') ? same.indexOf('--') : same.length
  return ['npm run -s karba --', ...same.toSpliced(end, 0, '--after', next)].map(quoted).join(' ')
}

/** For the shell. */
function quoted(word: string, at: number): string {
  return at === 0 || /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
