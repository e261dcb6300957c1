// The addresses of the server: what each takes and answers is the type of its route, and the fields
// of a call go into the path, the query or the body. Pure.
import type { RoutesOf } from '../../../server/src/dashboard-api/contract.ts'

/** Where addresses begin: those of an account, of the console, and of the person alone. */
export type Base = AccountBase | 'console' | typeof SELF
export type AccountBase = `accounts/${string}`
/** Statements of networks are for merchants and staff. */
export type BooksBase = AccountBase | 'console'
export const SELF = ''

type AreaOf<At extends Base> = At extends 'console'
  ? 'console'
  : At extends AccountBase
    ? 'account'
    : 'person'

/** Such as `GET /links/:reference`; of two bases, those that both have. */
export type AddressOf<At extends Base> = keyof RoutesOf<AreaOf<At>> & string
export type ReadOf<At extends Base> = AddressOf<At> & `GET ${string}`

type RouteAt<At extends Base, Of extends AddressOf<At>> = RoutesOf<AreaOf<At>>[Of]

export type AnswerOf<At extends Base, Of extends AddressOf<At>> =
  RouteAt<At, Of> extends { answers: infer Answer } ? Answer : never

type Takes<At extends Base, Of extends AddressOf<At>> =
  RouteAt<At, Of> extends { takes: infer Fields } ? Fields : never

/** A query may come from the page's own address, as any text: the server checks it. */
type Loose<Fields> = Fields extends unknown
  ? { [Name in keyof Fields]: Fields[Name] | string }
  : never

/** What a call gives to an address: nothing need be given where nothing is required. */
export type Given<At extends Base, Of extends AddressOf<At>> = Of extends `GET ${string}`
  ? Fields<Loose<Takes<At, Of>>>
  : Fields<Takes<At, Of>>
type Fields<Taken> = Record<never, never> extends Taken ? [fields?: Taken] : [fields: Taken]

const ROOT = '/dashboard/api'

export interface Call {
  method: string
  /** With the fields that the path names. */
  path: string
  /** The other fields. */
  rest: Readonly<Record<string, unknown>>
}

export function callOf(base: Base, address: string, fields: unknown): Call {
  const [method = '', path = ''] = address.split(' ')
  const rest: Record<string, unknown> = { ...(fields as object | undefined) }
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  return { method, path: [ROOT, ...(base === SELF ? [] : [base])].join('/') + filled, rest }
}

/** A call whose fields go into the query. */
export const urlOf = ({ path, rest }: Call): string => path + query(rest)

function query(fields: Readonly<Record<string, unknown>>): string {
  const wanted = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  return wanted.length === 0
    ? ''
    : `?${new URLSearchParams(wanted.map(([name, value]) => [name, String(value)]))}`
}
