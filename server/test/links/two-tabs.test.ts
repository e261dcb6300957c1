// Many tabs, one payer: however many forms are sent at once and by whatever method, one attempt begins and one debit is made, in one
// service on each store and in two on one PostgreSQL (D-50).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openService, type Service } from '../../src/service/compose.ts'
import type { Database, Transaction } from '../../src/store/engine/database.ts'
import { openPostgres } from '../../src/store/engine/postgres.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { POSTGRES, STORES } from '../kit/stores.ts'
import {
  byPhone,
  decide,
  type Fields,
  newLink,
  onPage,
  pay,
  type Shown,
  SUCCEEDS_AT_ONCE,
  send,
  stateOf,
  statusOfLink,
  toProvider,
  until,
} from './payer.ts'

const ROUNDS = 10
const AT_ONCE = 50
const AT_ONCE_SETTINGS = { KARBA_SANDBOX_DELAY_MS: '0' }

const METHODS: Fields[] = [byPhone(SUCCEEDS_AT_ONCE), onPage('bank_card'), onPage('wallet')]

interface Books {
  attempts: number
  debits: number
  sessions: number
  /** Requests to the network that came again. */
  repeated: number
}

async function booksOf({ db }: Service, link: string): Promise<Books> {
  const [row] = await db.rows<Books>(
    `select count(*) as attempts, count(d.reference) as debits, count(s.reference) as sessions,
       coalesce(sum(d.requests), 0) - count(d.reference) as repeated
     from payment_links l join payment_attempts t on t.account_id = l.account_id and t.number = l.number
     left join simulated_payments d on d.reference = t.reference
     left join simulated_sessions s on s.reference = t.reference where l.reference = $1`,
    [link],
  )
  const { attempts, debits, sessions, repeated } = row as Books
  return { attempts, debits, sessions, repeated: Number(repeated) }
}

/** Every other link has an attempt behind it that failed: then nothing but the attempt under way keeps others from beginning. */
async function race(services: Service[], link: string, round: number): Promise<'phone' | 'provider'> {
  const [service] = services as [Service]
  const failed = round % 2
  if (failed === 1) await decide(service, await toProvider(service, link, onPage('wallet')), 'decline')
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, tab) =>
      pay(services[tab % services.length] as Service, link, {
        ...(METHODS[(tab + round) % METHODS.length] as Fields),
        attempt: String(failed),
      }),
    ),
  )
  assert.deepEqual([...new Set(answers.map(({ code }) => code))], [303])
  const sent = answers.filter(({ goTo }) => goTo.includes('/simulator/'))
  assert.ok(sent.length <= 1, `${sent.length} tabs were sent to a provider`)
  if (sent.length === 1) await decide(service, new URL((sent[0] as Shown).goTo).pathname, 'approve')
  await until(service, link, 'succeeded:0')
  assert.equal(await statusOfLink(service, link), 'succeeded')
  const expected = { attempts: failed + 1, debits: 1, sessions: failed + sent.length, repeated: 0 }
  assert.deepEqual(await booksOf(service, link), expected)
  const events = await service.db.rows<{ payload: string }>('select payload from events')
  assert.equal(events.filter(({ payload }) => payload.includes(link)).length, 1)
  return sent.length === 1 ? 'provider' : 'phone'
}

/** In how many rounds each way won. */
async function raceInRounds(services: Service[], secretKey: string): Promise<string> {
  const won = { phone: 0, provider: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    won[await race(services, await newLink(services[0] as Service, secretKey), round)]++
  }
  return JSON.stringify(won)
}

for (const store of STORES) {
  describe(`one service on ${store.name}`, () => {
    let service: TestService
    let secretKey: string

    before(async () => {
      service = await openTestService(store, AT_ONCE_SETTINGS)
      secretKey = (await service.merchant()).accounts.sandbox.secretKey
    })
    after(() => service.remove())

    it(`begins one attempt of ${AT_ONCE} forms that come at once, and makes one debit`, async (t) =>
      t.diagnostic(await raceInRounds([service], secretKey)))

    it('begins nothing for a page that is behind, or that does not say what it knew', async () => {
      const link = await newLink(service, secretKey)
      await decide(service, await toProvider(service, link, onPage('wallet')), 'decline')
      assert.equal(await stateOf(service, link), 'open:1')
      const { attempt: _known, ...silent } = byPhone(SUCCEEDS_AT_ONCE)
      const behind: Fields[] = ['0', '2', '', '1.5', '1e99', '-1', 'one', '١'].map((attempt) => ({
        ...silent,
        attempt,
      }))
      for (const fields of [...behind, silent]) {
        const { code, goTo } = await pay(service, link, fields)
        assert.deepEqual([code, goTo], [303, `/pay/${link}?lang=fr`])
      }
      assert.equal(await stateOf(service, link), 'open:1')
      assert.deepEqual(await booksOf(service, link), { attempts: 1, debits: 0, sessions: 1, repeated: 0 })
    })

    it('begins nothing by a method that is not offered', async () => {
      const link = await newLink(service, secretKey)
      for (const method of ['', 'cash', 'MOBILE', '__proto__', 'constructor'])
        await pay(service, link, { method, attempt: '0' })
      assert.equal(await stateOf(service, link), 'open:0')
    })
  })
}

describe('two services on one PostgreSQL', () => {
  let service: TestService
  let other: Service
  let secretKey: string
  /** Stops the other service between its reading of a link and its writing, for as long as a test says. */
  let between: () => Promise<void> = async () => {}

  before(async () => {
    service = await openTestService(POSTGRES, AT_ONCE_SETTINGS)
    secretKey = (await service.merchant()).accounts.sandbox.secretKey
    const { databaseUrl: url, postgresPool: poolSize } = service.config
    const watch = { committed: () => {} }
    const db = openPostgres({ url, poolSize, watch, now: () => Date.now(), pause: async () => {} })
    other = await openService(service.config, { store: held(db, () => between()) })
  })
  after(async () => {
    await other?.close()
    await service?.remove()
  })

  it(`begin one attempt of ${AT_ONCE} forms that come at once, and make one debit`, async (t) =>
    t.diagnostic(await raceInRounds([service, other], secretKey)))

  it('begin nothing for a form that was read before another attempt began and failed', async () => {
    const link = await newLink(service, secretKey)
    await decide(service, await toProvider(service, link, onPage('wallet')), 'decline')
    between = async () => {
      between = async () => {}
      await toProvider(service, link, onPage('bank_card', 1))
      await send(service, `/pay/${link}/abandon`, {})
      assert.equal(await stateOf(service, link), 'open:2')
    }
    const { code } = await pay(other, link, byPhone(SUCCEEDS_AT_ONCE, 1))
    assert.equal(code, 303)
    assert.equal(await stateOf(service, link), 'open:2')
    assert.deepEqual(await booksOf(service, link), { attempts: 2, debits: 0, sessions: 2, repeated: 0 })
  })
})

/** A store that lets others go first, after a link was read and before its attempt is written. */
function held(db: Database, between: () => Promise<void>): Database {
  const slow = (tx: Transaction): Transaction => ({
    ...tx,
    change: async (sql, values) => {
      if (/^update payments set status = 'pending'/.test(sql)) await between()
      return tx.change(sql, values)
    },
  })
  return { ...db, transaction: (work) => db.transaction((tx) => work(slow(tx))) }
}
