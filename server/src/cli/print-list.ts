// Prints a list: a table for people, and the command for the next page on stderr, so that a pipe gets only the table.
import type { Page } from '../domain/page.ts'
import { print } from './print.ts'
import { type Column, table } from './table.ts'

interface PrintedList<Row> {
  json: boolean | undefined
  /** What --json prints. */
  value: unknown
  page: Page<Row>
  columns: readonly Column<Row>[]
  /** Printed instead of a table without rows. */
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
  // After a bare `--` nothing is an option.
  const end = same.includes('--') ? same.indexOf('--') : same.length
  return ['npm run -s karba --', ...same.toSpliced(end, 0, '--after', next)].map(quoted).join(' ')
}

/** Quoted for the shell. */
function quoted(argument: string, at: number): string {
  return at === 0 || /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
}
