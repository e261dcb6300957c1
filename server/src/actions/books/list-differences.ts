// Differences between networks' statements and the ledger, in pages, for the people who work through them.

import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import {
  countOpenDifferences,
  type Difference,
  type DifferenceFilter,
  listDifferences,
} from '../../store/books/differences.ts'
import { namesOfPeople } from '../../store/people/people.ts'
import type { Deps } from '../deps.ts'

export interface ListedDifference extends Difference {
  /** The name of the person who closed it. */
  closedBy: string | undefined
}

const PERSON = /\bper_\w+$/
const idIn = (actor: string | null): string => PERSON.exec(actor ?? '')?.[0] ?? ''

export async function listDifferencePage(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { after, limit, ...filter }: DifferenceFilter & PageInput,
): Promise<Page<ListedDifference> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const { isOpen, order } = filter
  const isUp = isOpen && order === 'age'
  const wanted = readPage({ after, limit }, ['number', 'text'], isUp ? [0, ''] : [Number.MAX_SAFE_INTEGER, ''])
  if (isRefused(wanted)) return wanted
  const found = await listDifferences(db, scopeOf(caller), filter, wanted.cursor, wanted.limit + 1)
  const page = pageOf(found, wanted.limit, ({ at, amountXof, exceptionId }) => [
    order === 'age' ? at : amountXof,
    exceptionId,
  ])
  const people = new Set(page.rows.map(({ resolvedBy }) => idIn(resolvedBy)).filter(Boolean))
  const names = await namesOfPeople(db, [...people])
  return { ...page, rows: page.rows.map((row) => ({ ...row, closedBy: names.get(idIn(row.resolvedBy)) })) }
}

const MOST_COUNTED = 1_000

export const countDifferences = async ({ db }: Pick<Deps, 'db'>, caller: AccountCaller): Promise<{ open: number }> => ({
  open: await countOpenDifferences(db, scopeOf(caller), MOST_COUNTED),
})
