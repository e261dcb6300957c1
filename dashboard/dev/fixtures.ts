// A fake server: it answers every request of the dashboard with plausible data, for work on the pages and for their tests. The cookie
// `karba-fixtures=some.owner` says how much data there is and who is signed in. Nothing here runs in the service.
import { accountAnswers } from './fixture-account.ts'
import { consoleAnswers } from './fixture-console.ts'
import { LIVE, peopleAnswers, SANDBOX, SUSPENDED } from './fixture-people.ts'
import { type Amount, type Answer, type Asked, NOT_FOUND, type Who, type World } from './fixture-world.ts'

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
