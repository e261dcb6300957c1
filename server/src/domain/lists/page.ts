// One page of a list, and the cursor of the next one. A cursor holds the sort key of the last row,
// so a page costs the same however far down the list it is, and rows inserted meanwhile do not
// shift it.
import type { RefusedAs } from '../refusals/refusal.ts'

export interface PageInput {
  /** The `next` of the previous page; undefined for the first page. */
  after?: string | undefined
  limit?: number | undefined
}

export interface Page<Row> {
  rows: Row[]
  /** Undefined on the last page. */
  next: string | undefined
}

export const PAGE_LIMIT = { usual: 50, most: 1_000 }

type CursorPart = 'number' | 'text'
type CursorOf<Parts extends readonly CursorPart[]> = {
  [At in keyof Parts]: Parts[At] extends 'number' ? number : string
}

/** Parses the requested page; `first` is the cursor of the first page. */
export function readPage<const Parts extends readonly CursorPart[]>(
  { after, limit = PAGE_LIMIT.usual }: PageInput,
  parts: Parts,
  first: CursorOf<Parts>,
): { cursor: CursorOf<Parts>; limit: number } | RefusedAs<'cursor_not_valid' | 'limit_not_valid'> {
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_LIMIT.most)
    return { refused: 'limit_not_valid' }
  if (after === undefined) return { cursor: first, limit }
  const written = after.split('.')
  const isValid =
    written.length === parts.length &&
    written.every((each, at) => FORMS[parts[at] as CursorPart].test(each))
  if (!isValid) return { refused: 'cursor_not_valid' }
  const cursor = written.map((each, at) => (parts[at] === 'number' ? Number(each) : each))
  return { cursor: cursor as CursorOf<Parts>, limit }
}

const FORMS: Readonly<Record<CursorPart, RegExp>> = { number: /^\d{1,15}$/, text: /^[\w-]{0,64}$/ }

/** `found` holds up to `limit + 1` rows: the extra one means that there is a next page. */
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => readonly (string | number)[],
): Page<Row> {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return {
    rows,
    next: found.length > limit && last !== undefined ? cursorOf(last).join('.') : undefined,
  }
}
