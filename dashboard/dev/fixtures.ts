// A server that only pretends: it answers every address that the page asks with plausible data, for work on the page and for tests of the page alone.
// How much there is, and who is signed in, is said by a cookie: `karba-fixtures=some.owner`. Nothing here runs in the service.
import { accountAnswers } from './fixture-account.ts'
import { consoleAnswers } from './fixture-console.ts'
import { LIVE, peopleAnswers, SANDBOX, SUSPENDED } from './fixture-people.ts'

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

export function answerFixture(asked: Asked, now: number): Answer {
  const world = worldOf(asked.cookie, now)
  const { path } = asked
  const person = peopleAnswers(asked, world)
  if (person !== undefined) return person
  if (world.who === 'nobody') return { status: 401, body: { code: 'signed_out' } }
  if (path.startsWith('console/')) return consoleAnswers({ ...asked, path: path.slice('console/'.length) }, world)
  const [, accountId, rest] = /^accounts\/([^/]+)\/(.*)$/.exec(path) ?? []
  if (rest === undefined || ![SANDBOX, LIVE, SUSPENDED].includes(accountId ?? '')) return NOT_FOUND
  return accountAnswers({ ...asked, path: rest }, world, accountId === SANDBOX)
}

function worldOf(cookie: string, now: number): World {
  const [, amount = 'some', who = 'owner'] = /karba-fixtures=(\w+)\.(\w+)/.exec(cookie) ?? []
  return { amount: amount as Amount, who: who as Who, now }
}
