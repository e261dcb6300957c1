// Paying a link (D-50): on a provider’s page, from many tabs at once, and with separate API and
// worker processes.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { WORDS } from '../../src/checkout/words.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import type { Database, Transaction } from '../../src/store/engine/database.ts'
import { openPostgres } from '../../src/store/engine/postgres.ts'
import { sentenceOf } from '../../src/wire/refusals.ts'
import { openTestService } from '../kit/service.ts'
import { POSTGRES, STORES } from '../kit/stores.ts'
import {
  byPhone,
  type Fields,
  linksOf,
  newLink as newLinkOf,
  onPage,
  openShop,
  type Shown,
  SUCCEEDS,
  SUCCEEDS_AT_ONCE,
} from './payer.ts'

describe('provider page', async () => {
  const shop = await openShop()
  const { service, clock, newLink, look, send, settle, atProvider } = shop
  const { pay, abandon, stateOf, toProvider, decide, eventsOf, attemptsOf } = shop
  const MINUTE = 60_000
  const comesBackTo = (link: string): RegExp =>
    new RegExp(`^http://localhost/pay/${link}\\?lang=fr&payer=[0-9a-f]{64}&returned=1$`)
  const referenceIn = (providerPath: string): string => providerPath.split('/').at(-1) as string

  /** The provider’s record: the payer’s decision, and the number of debits. */
  async function provider(page: string): Promise<[decision: string | null, debits: number]> {
    const [session] = await service.db.read<{ decision: string | null }>(
      'select decision from simulated_sessions where reference = :reference',
      { reference: referenceIn(page) },
    )
    const debits = await service.db.read(
      'select 1 from simulated_payments where reference = :reference',
      { reference: referenceIn(page) },
    )
    return [session?.decision as string | null, debits.length]
  }

  async function lastAttempt(link: string): Promise<string> {
    const last = (await attemptsOf(link)).at(-1)
    return `${last?.status} ${last?.failure_reason}`
  }

  it('production has no simulated provider page, and no method that leads to one', async () => {
    const production = await openTestService(undefined, { KARBA_MODE: 'production' })
    for (const method of ['GET', 'POST'] as const) {
      const { statusCode } = await production.app.inject({
        method,
        url: '/simulator/pay/00000000000000000000000a',
      })
      assert.equal(statusCode, 404)
    }
    const link = await newLinkOf(
      production,
      (await production.merchant()).accounts.sandbox.secretKey,
    )
    const { body } = await production.app.inject({ url: `/pay/${link}` })
    assert.match(body, /value="mobile"/)
    assert.doesNotMatch(body, /value="(bank_card|wallet)"/)
    await production.remove()
  })

  it('a payer leaves the page: the attempt fails after ten minutes, and the link is open', async () => {
    const [link, page] = await atProvider('bank_card', { shouldExpire: false })
    await clock.sleep(10 * MINUTE - 1)
    await clock.advance(1)
    assert.equal(await stateOf(link), 'waiting:1')
    await clock.sleep(30_000)
    await clock.advance(1_000)
    assert.deepEqual([await stateOf(link), await lastAttempt(link)], ['open:1', 'failed expired'])
    await decide(page, 'approve')
    assert.deepEqual(await provider(page), ['cancel', 0], 'an expired page cannot be approved')
    assert.deepEqual(await eventsOf(link), [])
  })

  it('abandon: the provider closes its page, and the link is open at once', async () => {
    const [link, page] = await atProvider('wallet')
    const { code, goTo } = await abandon(link)
    assert.deepEqual([code, goTo], [303, `/pay/${link}?lang=fr`])
    assert.deepEqual([await stateOf(link), await lastAttempt(link)], ['open:1', 'failed cancelled'])
    await decide(page, 'approve')
    assert.deepEqual([await stateOf(link), ...(await provider(page))], ['open:1', 'cancel', 0])
  })

  it('abandon after an approval in another tab: paid', async () => {
    const [link, page] = await atProvider('bank_card')
    await decide(page, 'approve', false)
    assert.equal(await stateOf(link), 'waiting:1')
    await abandon(link)
    assert.deepEqual(
      [await stateOf(link), ...(await provider(page))],
      ['succeeded:0', 'approve', 1],
    )
    await abandon(link)
    assert.equal(await stateOf(link), 'succeeded:0')
  })

  it('abandon and approve concurrently: paid or not, and the link agrees with the provider', async () => {
    for (let round = 0; round < 5; round++) {
      const [link, page] = await atProvider('bank_card')
      const tabs = [() => abandon(link), () => decide(page, 'approve')]
      await Promise.all((round % 2 === 0 ? tabs : tabs.reverse()).map((act) => act()))
      const [decision, debits] = await provider(page)
      const expected = decision === 'approve' ? ['succeeded:0', 1] : ['open:1', 0]
      assert.deepEqual([await stateOf(link), debits], expected)
    }
  })

  it('a prompt on the phone cannot be abandoned', async () => {
    const link = await newLink()
    await pay(link, byPhone('40410000008'))
    await abandon(link)
    assert.equal(await stateOf(link), 'waiting:1')
  })

  it('abandon while the provider does not answer: the attempt stays in flight, because the payer may have paid', async () => {
    const link = await newLink()
    await toProvider(link, onPage('bank_card'))
    service.network.change = () => ({ does: '5xx' })
    await abandon(link)
    assert.equal(await stateOf(link), 'waiting:1')
    service.network.change = (reaction) => reaction
    await clock.advance(30_000)
    assert.deepEqual([await stateOf(link), await lastAttempt(link)], ['open:1', 'failed cancelled'])
  })

  it('abandon after a crash before the page was opened: the payer may choose again', async () => {
    const [link, page] = await atProvider('bank_card')
    await service.db.change(
      'update payment_attempts set payer_step = null where reference = :reference',
      { reference: referenceIn(page) },
    )
    await service.db.change('delete from simulated_sessions where reference = :reference', {
      reference: referenceIn(page),
    })
    await abandon(link)
    assert.equal(await stateOf(link), 'waiting:1', 'the page may be opening at this moment')
    await clock.advance(31_000)
    await abandon(link)
    assert.equal(await stateOf(link), 'open:1')
  })

  it('abandon after the provider lost the page: the payer may choose again', async () => {
    const [link, page] = await atProvider('bank_card')
    await service.db.change('delete from simulated_sessions where reference = :reference', {
      reference: referenceIn(page),
    })
    await clock.advance(31_000)
    await abandon(link)
    assert.deepEqual([await stateOf(link), await lastAttempt(link)], ['open:1', 'failed cancelled'])
  })

  it('a suspended merchant’s link offers no method and accepts no payment', async () => {
    const link = await newLink()
    await service.db.change(
      "update accounts set status = 'suspended' where environment = 'sandbox'",
    )
    await pay(link, byPhone(SUCCEEDS))
    const shown = await look(`/pay/${link}`)
    await service.db.change(
      "update accounts set status = 'validated' where environment = 'sandbox'",
    )
    assert.ok(shown.text.includes(WORDS.fr.noMethod))
    assert.match(shown.text, /data-state="open:0"/)
  })

  for (const method of ['bank_card', 'wallet'] as const)
    it(`an unreachable ${method} provider: the page shows the error at once, and the payer may choose again`, async () => {
      const link = await newLink()
      for (const language of ['fr', 'en'] as const) {
        const attempt = language === 'fr' ? 0 : 1
        service.network.change = () => ({ does: 'cut' })
        const answer = await pay(link, { ...onPage(method, attempt), lang: language })
        service.network.change = (reaction) => reaction
        assert.equal(answer.code, 200)
        assert.match(answer.text, new RegExp(`<html lang="${language}">`))
        assert.ok(
          answer.text.includes(
            `role="alert">${sentenceOf({ refused: 'provider_unreachable' }, language)}`,
          ),
        )
        assert.match(answer.text, new RegExp(`data-state="open:${attempt + 1}"`))
        assert.match(answer.text, new RegExp(`name="attempt" value="${attempt + 1}"`))
      }
      await settle(link, SUCCEEDS, 2)
      assert.equal(await stateOf(link), 'succeeded:0')
    })

  it('a provider that hangs: the link waits until the call’s deadline, and is then open', async () => {
    const link = await newLink()
    service.network.change = () => ({ does: 'hang' })
    const answering = pay(link, onPage('bank_card'))
    await clock.advance(9_000)
    assert.equal(await stateOf(link), 'waiting:1')
    await pay(link, byPhone(SUCCEEDS, 0))
    await pay(link, byPhone(SUCCEEDS, 1))
    assert.equal(await stateOf(link), 'waiting:1')
    await clock.advance(1_000)
    const { code, text } = await answering
    service.network.change = (reaction) => reaction
    assert.equal(code, 200)
    assert.match(text, /data-state="open:1"/)
  })

  for (const [decision, state] of [
    ['approve', 'succeeded:0'],
    ['decline', 'open:1'],
  ] as const) {
    it(`return after ${decision}: the link is settled at once`, async () => {
      const [link, page] = await atProvider('wallet')
      const { goTo } = await send(page, { decision })
      assert.match(goTo, comesBackTo(link))
      const { code, goTo: then } = await look(`/pay/${link}?returned=1`)
      assert.deepEqual([code, then], [303, `/pay/${link}?lang=fr`])
      assert.match((await look(then)).text, new RegExp(`data-state="${state}"`))
    })
  }

  it('a return without an attempt on a provider’s page causes no poll', async () => {
    const paid = await newLink()
    await decide(await toProvider(paid, onPage('wallet')), 'approve')
    const onThePhone = await newLink()
    await pay(onThePhone, byPhone('40410000008'))
    await clock.advance(0)
    const asked = service.calls.status.length
    for (const link of [await newLink(), paid, onThePhone])
      assert.equal((await look(`/pay/${link}?returned=1`)).code, 200)
    assert.equal(service.calls.status.length, asked)
  })

  it('return while the provider does not answer: the page waits, and later shows the outcome', async () => {
    const [link, page] = await atProvider('bank_card')
    service.network.change = () => ({ does: 'cut' })
    await decide(page, 'approve')
    assert.equal(await stateOf(link), 'waiting:1')
    service.network.change = (reaction) => reaction
    await clock.advance(30_000)
    assert.equal(await stateOf(link), 'succeeded:0')
  })

  it('the link’s page links to the provider again, and the provider redirects back after a decision', async () => {
    const [link, page] = await atProvider('bank_card')
    const { text } = await look(`/pay/${link}`)
    assert.ok(text.includes(`href="http://localhost${page}"`))
    assert.equal((await look(page)).code, 200)
    await decide(page, 'approve')
    assert.match((await look(page)).goTo, comesBackTo(link))
    await decide(page, 'decline')
    assert.deepEqual(
      [await stateOf(link), ...(await provider(page))],
      ['succeeded:0', 'approve', 1],
    )
  })

  it('all these cases leave no anomaly', async () =>
    assert.deepEqual(await service.db.read('select kind from payment_anomalies'), []))
})

// Concurrent forms, by any method, begin one attempt and cause one debit.
describe('many tabs', () => {
  const ROUNDS = 10
  const AT_ONCE = 50
  const AT_ONCE_SETTINGS = { KARBA_SANDBOX_DELAY_MS: '0' }
  const METHODS: Fields[] = [byPhone(SUCCEEDS_AT_ONCE), onPage('bank_card'), onPage('wallet')]

  type Books = {
    attempts: number
    debits: number
    sessions: number
    repeated: number
  }

  async function booksOf({ db }: Service, link: string): Promise<Books> {
    const [row] = await db.read<Books>(
      `select count(*) as attempts, count(d.reference) as debits, count(s.reference) as sessions,
       coalesce(sum(d.requests), 0) - count(d.reference) as repeated
     from payment_links l
     join payment_attempts t on t.account_id = l.account_id and t.number = l.number
     left join simulated_payments d on d.reference = t.reference
     left join simulated_sessions s on s.reference = t.reference where l.reference = :link`,
      { link },
    )
    const { attempts, debits, sessions, repeated } = row as Books
    return { attempts, debits, sessions, repeated: Number(repeated) }
  }

  /**
   * Every second link has a failed attempt: then only the attempt in flight prevents others from
   * beginning.
   */
  async function race(
    services: Service[],
    account: NewAccount,
    round: number,
  ): Promise<'phone' | 'provider'> {
    const at = services.map((service) => linksOf(service, account))
    const [{ newLink, decide, toProvider, until, statusOfLink, eventsOf }] = at as [
      (typeof at)[number],
    ]
    const link = await newLink()
    const failed = round % 2
    if (failed === 1) await decide(await toProvider(link, onPage('wallet')), 'decline')
    const tabs = Array.from({ length: AT_ONCE }, (_, tab) => {
      const fields = { ...METHODS[(tab + round) % METHODS.length], attempt: String(failed) }
      return at[tab % at.length]?.pay(link, fields) as Promise<Shown>
    })
    const answers = await Promise.all(tabs)
    assert.deepEqual([...new Set(answers.map(({ code }) => code))], [303])
    const sent = answers.filter(({ goTo }) => goTo.includes('/simulator/'))
    assert.ok(sent.length <= 1, `${sent.length} tabs were sent to a provider`)
    if (sent.length === 1) await decide(new URL((sent[0] as Shown).goTo).pathname, 'approve')
    await until(link, 'succeeded:0')
    assert.deepEqual([await statusOfLink(link), (await eventsOf(link)).length], ['succeeded', 1])
    const expected = {
      attempts: failed + 1,
      debits: 1,
      sessions: failed + sent.length,
      repeated: 0,
    }
    assert.deepEqual(await booksOf(services[0] as Service, link), expected)
    return sent.length === 1 ? 'provider' : 'phone'
  }

  async function raceInRounds(services: Service[], account: NewAccount): Promise<string> {
    const won = { phone: 0, provider: 0 }
    for (let round = 0; round < ROUNDS; round++) won[await race(services, account, round)]++
    return JSON.stringify(won)
  }

  for (const store of STORES)
    describe(`one service on ${store.name}`, async () => {
      const service = await openTestService(store, AT_ONCE_SETTINGS)
      const account = (await service.merchant()).accounts.sandbox
      const { newLink, decide, toProvider, stateOf, pay } = linksOf(service, account)
      after(() => service.remove())

      it(`begins one attempt for ${AT_ONCE} concurrent forms, and causes one debit`, async (t) =>
        t.diagnostic(await raceInRounds([service], account)))

      it('begins no attempt for a form with a stale or missing attempt number', async () => {
        const link = await newLink()
        await decide(await toProvider(link, onPage('wallet')), 'decline')
        assert.equal(await stateOf(link), 'open:1')
        const { attempt: _known, ...silent } = byPhone(SUCCEEDS_AT_ONCE)
        for (const attempt of ['0', '2', '', '1.5', '1e99', '-1', 'one', '١', undefined]) {
          const { code, goTo } = await pay(
            link,
            attempt === undefined ? silent : { ...silent, attempt },
          )
          assert.deepEqual([code, goTo], [303, `/pay/${link}?lang=fr`])
        }
        assert.equal(await stateOf(link), 'open:1')
        assert.deepEqual(await booksOf(service, link), {
          attempts: 1,
          debits: 0,
          sessions: 1,
          repeated: 0,
        })
      })

      it('begins no attempt by a method that is not offered', async () => {
        const link = await newLink()
        for (const method of ['', 'cash', 'MOBILE', '__proto__', 'constructor'])
          await pay(link, { method, attempt: '0' })
        assert.equal(await stateOf(link), 'open:0')
      })
    })

  describe('two services on one PostgreSQL', async () => {
    /**
     * Stops the other service between its read of a link and its write, for as long as a test
     * needs.
     */
    let between: () => Promise<void> = async () => {}
    const service = await openTestService(POSTGRES, AT_ONCE_SETTINGS)
    const account = (await service.merchant()).accounts.sandbox
    const { newLink, decide, toProvider, stateOf, abandon } = linksOf(service, account)
    const { databaseUrl: url, postgresPool: poolSize } = service.config
    const watch = { committed: () => {} }
    const db = openPostgres({ url, poolSize, watch, now: () => Date.now(), pause: async () => {} })
    const other = await openService(service.config, { store: held(db, () => between()) })
    after(async () => {
      await other?.close()
      await service?.remove()
    })

    it(`begin one attempt for ${AT_ONCE} concurrent forms, and cause one debit`, async (t) =>
      t.diagnostic(await raceInRounds([service, other], account)))

    it('begin no attempt for a form that was read before another attempt began and failed', async () => {
      const link = await newLink()
      await decide(await toProvider(link, onPage('wallet')), 'decline')
      between = async () => {
        between = async () => {}
        await toProvider(link, onPage('bank_card', 1))
        await abandon(link)
        assert.equal(await stateOf(link), 'open:2')
      }
      const { code } = await linksOf(other, account).pay(link, byPhone(SUCCEEDS_AT_ONCE, 1))
      assert.equal(code, 303)
      assert.equal(await stateOf(link), 'open:2')
      assert.deepEqual(await booksOf(service, link), {
        attempts: 2,
        debits: 0,
        sessions: 2,
        repeated: 0,
      })
    })
  })

  /** A store that runs other work between the read of a link and the write of its attempt. */
  function held(db: Database, between: () => Promise<void>): Database {
    const slow = (tx: Transaction): Transaction => ({
      ...tx,
      change: async (sql, values) => {
        if (/^update payments\s+set status = 'pending'/.test(sql)) await between()
        return tx.change(sql, values)
      },
    })
    return { ...db, transaction: (work) => db.transaction((tx) => work(slow(tx))) }
  }
})

describe('API and worker processes', async () => {
  const api = await openTestService(POSTGRES, { KARBA_ROLE: 'api', KARBA_SANDBOX_DELAY_MS: '0' })
  const worker = await openService({ ...api.config, role: 'worker' })
  const shop = linksOf(api, (await api.merchant()).accounts.sandbox)
  const { newLink, pay, stateOf, until, decide, toProvider, abandon, readLink } = shop
  after(async () => {
    await worker?.close()
    await api?.remove()
  })

  it('the worker sends a link’s phone payment once', async () => {
    const link = await newLink()
    await pay(link, byPhone(SUCCEEDS_AT_ONCE))
    assert.equal(await stateOf(link), 'waiting:1')
    await until(link, 'succeeded:0')
    const books = await api.db.read<{ requests: number }>('select requests from simulated_payments')
    const requests = books.map(({ requests }) => requests)
    assert.deepEqual(requests, [1])
  })

  it('a payment on a provider’s page is settled by the first process that polls', async () => {
    const [returning, leaving] = [await newLink(), await newLink()]
    await decide(await toProvider(returning, onPage('bank_card')), 'approve')
    assert.equal(await stateOf(returning), 'succeeded:0')
    await toProvider(leaving, onPage('wallet'))
    await abandon(leaving)
    assert.equal(await stateOf(leaving), 'open:1')
  })

  it('the worker serves no pages and no links', async () => {
    const link = await newLink()
    for (const url of [`/pay/${link}`, `/api/v1/external_payments/${link}`, '/simulator/pay/x'])
      assert.equal((await worker.app.inject({ method: 'GET', url })).statusCode, 404)
    assert.equal((await readLink(link)).code, 200)
  })
})
