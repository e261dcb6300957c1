// The options --limit and --after of commands that list, and a reader that fetches page after page up to the limit.
import type { Command } from 'commander'
import { integer } from '../config.ts'
import { PAGE_LIMIT, type Page, type PageInput } from '../domain/page.ts'
import type { Refused } from '../domain/refusal.ts'
import { argument } from './arguments.ts'
import { granted } from './command-failed.ts'
import type { Asked } from './sentences/refusal-sentences.ts'

export interface PageOptions {
  limit?: number
  after?: string
  json?: boolean
}

/** For lists that may be long: one page by default. */
export const withPages = (command: Command): Command =>
  command
    .option('--limit <number>', `how many, up to ${PAGE_LIMIT.most}`, readLimit, PAGE_LIMIT.usual)
    .option('--after <cursor>', AFTER)

/** For lists that are wanted whole: all rows by default. */
export const withOptionalPages = (command: Command): Command =>
  command
    .option('--limit <number>', `how many, up to ${PAGE_LIMIT.most}; all by default`, readLimit)
    .option('--after <cursor>', AFTER)

const readLimit = argument(integer(1, PAGE_LIMIT.most))
const AFTER = 'go on after this cursor, which the page before names'

/** Reads up to `limit` rows, or all rows without a limit, page by page. */
export async function readPages<Row>(
  read: (page: PageInput) => Promise<Page<Row> | Refused>,
  { limit, after }: PageOptions,
  asked?: Asked,
): Promise<Page<Row>> {
  const rows: Row[] = []
  let next = after
  do {
    const wanted = Math.min(PAGE_LIMIT.most, (limit ?? Number.POSITIVE_INFINITY) - rows.length)
    const page: Page<Row> = granted(await read({ after: next, limit: wanted }), asked)
    rows.push(...page.rows)
    next = page.next
  } while (next !== undefined && (limit === undefined || rows.length < limit))
  return { rows, next }
}
