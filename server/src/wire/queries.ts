// The query of each list of the merchant API, once: its reader, its parameters in OpenAPI, the
// SDK's type and the options of commands are made from it. A table is in the order of the checks.
import { PAGE_LIMIT } from '../domain/lists/page.ts'
import { STATUSES } from '../domain/payments/payment-status.ts'
import { REFUND_FILTERS } from '../domain/refunds/refund.ts'
import type { Refused } from '../domain/refusals/refusal.ts'
import { dayIn, ISO_DAY, ISO_TIME, limitIn } from './json.ts'

interface Described<Kind extends string> {
  is: Kind
  about: string
}

interface Refusing<Kind extends string> extends Described<Kind> {
  /** What a value that nothing can have gets. */
  refusal: Refused
}

type Parameter =
  /** Any text: a cursor is refused by its list, and no payment has the name of a repeated one. */
  | Described<'text'>
  | (Refusing<'choice'> & { of: readonly string[] })
  | (Refusing<'name'> & { form: RegExp })
  /** A day in UTC, or a time with its zone, in milliseconds. */
  | Refusing<'time'>
  /** As days since 1970. */
  | Refusing<'day'>
  /** A position in a list that only grows; 0 is before its first row. */
  | Refusing<'position'>
  | (Refusing<'limit'> & { limits: typeof PAGE_LIMIT })

export type Query = Readonly<Record<string, Parameter>>

type ValueOf<Each> = Each extends { is: 'choice'; of: readonly (infer Choice)[] }
  ? Choice | undefined
  : Each extends { is: 'limit' | 'position' }
    ? number
    : Each extends { is: 'time' | 'day' }
      ? number | undefined
      : string | undefined

type RefusalOf<Each> = Each extends { refusal: infer Refusal } ? Refusal : never

export type ReadQuery<Table extends Query> = {
  -readonly [Name in keyof Table]: ValueOf<Table[Name]>
}

/** What a query of this table may get. */
export type QueryRefusal<Table extends Query> = RefusalOf<Table[keyof Table]>

/** The first fault in the order of the table. Every parameter is optional. */
export function readQuery<Table extends Query>(
  table: Table,
  query: Record<string, unknown>,
): ReadQuery<Table> | QueryRefusal<Table> {
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries<Parameter>(table)) {
    const value = readParameter(parameter, query[name])
    if (value === null) return (parameter as Refusing<'name'>).refusal as never
    values[name] = value
  }
  return values as ReadQuery<Table>
}

/** Undefined when it is left out, null when it is not valid. */
function readParameter(parameter: Parameter, given: unknown): string | number | undefined | null {
  if (parameter.is === 'limit') return limitIn({ limit: given }, parameter.limits) ?? null
  if (given === undefined) return parameter.is === 'position' ? 0 : undefined
  if (parameter.is === 'text') return String(given)
  if (typeof given !== 'string') return null
  switch (parameter.is) {
    case 'choice':
      return parameter.of.includes(given) ? given : null
    case 'name':
      return parameter.form.test(given) ? given : null
    case 'time':
      return readTime(given)
    case 'day':
      return dayIn(given) ?? null
    case 'position':
      return /^\d{1,15}$/.test(given) ? Number(given) : null
  }
}

function readTime(given: string): number | null {
  const isTime = ISO_DAY.test(given) || ISO_TIME.test(given)
  const time = isTime && dayIn(given.slice(0, 10)) !== undefined ? Date.parse(given) : Number.NaN
  return Number.isNaN(time) ? null : time
}

const limitOf = (rows: string) =>
  ({
    is: 'limit',
    about: `The most ${rows} of a page.`,
    limits: PAGE_LIMIT,
    refusal: { refused: 'limit_not_valid' },
  }) as const

const AFTER = { is: 'text', about: 'The `next` of the previous page.' } as const

const WRONG_START = { refused: 'time_filter_not_valid', bound: 'start' } as const
const WRONG_END = { refused: 'time_filter_not_valid', bound: 'end' } as const

export const PAYMENT_QUERY = {
  status: {
    is: 'choice',
    about: 'Only payments in this state.',
    of: STATUSES,
    refusal: { refused: 'status_filter_not_valid' },
  },
  operator: {
    is: 'name',
    about: 'Only payments of this operator, such as `mtn_bj`.',
    form: /^[a-z0-9_]{1,40}$/,
    refusal: { refused: 'operator_filter_not_valid' },
  },
  from: {
    is: 'time',
    about: 'Recorded at or after this time.',
    refusal: WRONG_START,
  },
  to: { is: 'time', about: 'Recorded before this time.', refusal: WRONG_END },
  limit: limitOf('payments'),
  after: AFTER,
  payment: {
    is: 'text',
    about: 'Only this payment, by its reference or your transaction_id: its fee read alone.',
  },
} as const satisfies Query

export const REFUND_QUERY = {
  status: {
    is: 'choice',
    about: 'Only refunds in this state, or `open` for all that have not ended.',
    of: REFUND_FILTERS,
    refusal: { refused: 'refund_filter_not_valid' },
  },
  from: {
    is: 'time',
    about: 'Requested at or after this time.',
    refusal: WRONG_START,
  },
  to: { is: 'time', about: 'Requested before this time.', refusal: WRONG_END },
  limit: limitOf('refunds'),
  after: AFTER,
  payment: {
    is: 'text',
    about: 'Only refunds of this payment, by its reference or your transaction_id.',
  },
} as const satisfies Query

export const ENTRY_QUERY = {
  after: {
    is: 'position',
    about: 'The last entry that you have. Without it, from the first entry.',
    refusal: { refused: 'after_not_valid', parameter: 'after' },
  },
  limit: limitOf('entries'),
} as const satisfies Query

const CURSOR = {
  is: 'name',
  about: AFTER.about,
  form: /(?:)/,
  refusal: { refused: 'cursor_not_valid' },
} as const

export const SETTLEMENT_LINES_QUERY = {
  limit: limitOf('lines'),
  after: CURSOR,
} as const satisfies Query

/** Days are inclusive, as in statements. */
export const SETTLEMENT_DAYS = {
  from: {
    is: 'day',
    about: 'Left the wallet on this day or later, such as 2026-11-01.',
    refusal: { refused: 'day_filter_not_valid', bound: 'start' },
  },
  to: {
    is: 'day',
    about: 'Left the wallet on this day or earlier.',
    refusal: { refused: 'day_filter_not_valid', bound: 'end' },
  },
} as const satisfies Query

export const SETTLEMENT_QUERY = {
  ...SETTLEMENT_DAYS,
  limit: limitOf('settlements'),
  after: CURSOR,
} as const satisfies Query

/** The refusals of a query, each once, in the order of its checks. */
export const faultsOf = <Table extends Query>(
  table: Table,
): readonly QueryRefusal<Table>['refused'][] => [
  ...new Set(
    Object.values<Parameter>(table).flatMap((each) =>
      'refusal' in each ? [each.refusal.refused as QueryRefusal<Table>['refused']] : [],
    ),
  ),
]
