// What every fixture shares: how much data there is, who is signed in, and the shape of an answer.

export type Amount = 'none' | 'some' | 'year'
/** A newcomer is an owner whose address is not confirmed. */
export type Who = 'owner' | 'newcomer' | 'cashier' | 'viewer' | 'administrator' | 'nobody'

export interface Asked {
  method: string
  /** Below /dashboard/api/. */
  path: string
  search: URLSearchParams
  cookie: string
}

export interface Answer {
  status: number
  body: unknown
  type?: string
}

export interface World {
  amount: Amount
  who: Who
  now: number
}

export const NOT_FOUND: Answer = { status: 404, body: { code: 'not_found' } }
export const ok = (body: unknown): Answer => ({ status: 200, body })
/** A list that is one page. */
export const whole = (rows: readonly unknown[]): Answer => ok({ rows, next: null })

const PAGE = 25

export function page<T>(
  search: URLSearchParams,
  total: number,
  make: (number: number) => T,
  keep: (row: T) => boolean = () => true,
): Answer {
  const from = Number(search.get('after') ?? 0)
  const to = Math.min(total, from + PAGE)
  const rows = Array.from({ length: to - from }, (_, at) => make(from + at)).filter(keep)
  return ok({ rows, next: to < total ? String(to) : null })
}
