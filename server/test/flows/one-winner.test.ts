// Promise 4: concurrent creates with one transaction_id or one order, by secret key, link or signed
// order, in one process and in two. The service records one, and all others get its reference
// (D-16, D-90).

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import { granted, TESTER } from '../kit/callers.ts'
import {
  type Answer,
  get,
  head,
  openTestService,
  order,
  post,
  postTo,
  signOrder,
} from '../kit/service.ts'
import { shared, sharedWithAccount } from '../kit/shared.ts'
import { POSTGRES, SQLITE, STORES, type StoreKind } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'
import { FAILS_AT_ONCE, LINK } from '../links/payer.ts'

const ROUNDS = tries(2, 50)
const AT_ONCE = 200
const LONGEST_ANSWER_MS = 60_000

interface Outcome {
  code: number
  reference: string
}

/**
 * Like a client, it tries again after a 503: on a busy machine a lock may last longer than a create
 * waits.
 */
async function create(url: string, secretKey: string, body: string): Promise<Outcome> {
  const signal = AbortSignal.timeout(LONGEST_ANSWER_MS)
  let answer: Response
  do
    answer = await fetch(`${url}/api/v1/payments`, {
      method: 'POST',
      headers: head(secretKey),
      body,
      signal,
    })
  while (answer.status === 503)
  const { reference } = (await answer.json()) as { reference?: string }
  return {
    code: answer.status,
    reference: reference ?? answer.headers.get('svc-existing-reference') ?? 'none',
  }
}

/** The field whose value all creates of a race share. */
const RACES = ['transaction_id', 'order_reference'] as const

/** Spreads the creates over the addresses; returns the reference of the recorded payment. */
async function race(
  urls: string[],
  secretKey: string,
  field: (typeof RACES)[number],
  round: number,
): Promise<string> {
  const bodies = Array.from({ length: AT_ONCE }, () =>
    JSON.stringify(order({ [field]: `one ${round}` })),
  )
  const outcomes = await Promise.all(
    bodies.map((body, n) => create(urls[n % urls.length] as string, secretKey, body)),
  )
  const winners = outcomes.filter(({ code }) => code === 200)
  const others = outcomes.filter(({ code }) => code === 422)
  assert.deepEqual([winners.length, others.length], [1, AT_ONCE - 1])
  const reference = winners[0]?.reference as string
  assert.match(reference, /^[0-9a-z]{24}$/)
  assert.deepEqual([...new Set(others.map((other) => other.reference))], [reference])
  for (const url of urls) {
    const answer = await fetch(`${url}/api/v1/payments/${reference}`, { headers: head(secretKey) })
    assert.equal(((await answer.json()) as { reference: string }).reference, reference)
  }
  return reference
}

/** One server on SQLite, and two servers on PostgreSQL that also race each other. */
const SERVERS: [about: string, store: StoreKind, count: number][] = [
  ['one server on SQLite', SQLITE, 1],
  ['two servers on one PostgreSQL', POSTGRES, 2],
]

for (const [about, store, count] of SERVERS) {
  describe(`one winner: ${about}`, () => {
    const others: Service[] = []
    const urls: string[] = []
    after(() => Promise.all(others.map((server) => server.close())))
    const service = shared(() => openTestService(store))
    before(async () => {
      while (others.length < count - 1) others.push(await openService(service.place.config))
      for (const server of [service, ...others]) urls.push(await server.listen())
    })

    for (const field of RACES) {
      it(`records one of ${AT_ONCE} concurrent creates with one ${field}, and the others get its reference`, async () => {
        const { secretKey } = (await service.merchant()).accounts.live
        for (let round = 0; round < ROUNDS; round++) await race(urls, secretKey, field, round)
        tried(ROUNDS)
      })
    }

    it(`accepts one of ${AT_ONCE} concurrent creates for an order whose payment has failed`, async () => {
      const { secretKey } = (await service.merchant()).accounts.live
      const failed = await race(urls, secretKey, 'order_reference', 0)
      await service.db.change(
        `update payments set status = 'failed', due_at = null where reference = :failed`,
        { failed },
      )
      assert.notEqual(await race(urls, secretKey, 'order_reference', 0), failed)
    })

    it('records one winner per account', async () => {
      const { sandbox, live } = (await service.merchant()).accounts
      const body = JSON.stringify(order())
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          create(urls[0] as string, n % 2 === 0 ? sandbox.secretKey : live.secretKey, body),
        ),
      )
      const winners = outcomes.flatMap(({ code }, n) => (code === 200 ? [n % 2] : []))
      assert.deepEqual(winners.sort(), [0, 1])
      for (const environment of [0, 1]) {
        const references = outcomes
          .filter((_, n) => n % 2 === environment)
          .map(({ reference }) => reference)
        assert.equal(new Set(references).size, 1)
      }
    })
  })
}

describe('order races', () => {
  const SHOP = 'https://shop.example'
  const CALLERS = tries(60, 200)

  for (const store of STORES) {
    describe(`races for an order on ${store.name}`, () => {
      const processes: Service[] = []
      after(() => processes[1]?.close())
      const service = sharedWithAccount(() => openTestService(store))
      before(async () => {
        granted(
          await changeCheckoutSettings(service, TESTER, {
            accountId: service.accountId,
            origins: [SHOP],
          }),
        )
        processes.push(service)
        if (store.name === 'PostgreSQL') processes.push(await openService(service.place.config))
      })

      /** The three ways to create a payment for an order, in turn, each from its own network. */
      function want(
        nth: number,
        names: { order_reference?: string; transaction_id?: string },
      ): Promise<Answer> {
        const process = processes[nth % processes.length] as Service
        const { secretKey, publicKey } = service
        if (nth % 3 === 0) return postTo(process, '/api/v1/payments', head(secretKey), order(names))
        if (nth % 3 === 1)
          return postTo(process, '/api/v1/external_payments', head(secretKey), {
            ...LINK,
            ...names,
          })
        const proof = signOrder(secretKey, { amount: LINK.amount, title: LINK.title, ...names })
        const headers = {
          'content-type': 'application/json',
          authorization: `Bearer ${publicKey}`,
          origin: SHOP,
        }
        return fromPage(process, headers, proof)
      }

      let pages = 0
      async function fromPage(
        { app }: Service,
        headers: Record<string, string>,
        proof: string,
      ): Promise<Answer> {
        // Each page has its own network, so that no rate limit applies.
        const remoteAddress = `2001:db8:${(++pages).toString(16)}::1`
        const payload = JSON.stringify({ order: proof })
        const answer = await app.inject({
          method: 'POST',
          url: '/checkout/links',
          headers,
          payload,
          remoteAddress,
        })
        return { code: answer.statusCode, body: answer.json(), headers: answer.headers }
      }

      /**
       * The accepted payment. Every other caller was refused, and those with a secret key got its
       * reference.
       */
      async function winnerOf(answers: Answer[], code: string): Promise<string> {
        const won = answers.filter((answer) => answer.code === 200)
        assert.equal(won.length, 1, JSON.stringify(answers.map((answer) => answer.code)))
        const { reference } = (
          await get(service, service.secretKey, won[0]?.body.reference as string)
        ).body
        const lost = answers.filter((answer) => answer.code !== 200)
        const refusals = lost.map(({ code: http, headers }) =>
          [http, headers['svc-error-code'], headers['svc-existing-reference'] ?? 'a page'].join(
            ' ',
          ),
        )
        assert.deepEqual(
          new Set(refusals),
          new Set([`422 ${code} ${reference}`, `422 ${code} a page`]),
        )
        return reference as string
      }

      const all = (
        names: (nth: number) => { order_reference?: string; transaction_id?: string },
      ): Promise<Answer[]> =>
        Promise.all(Array.from({ length: CALLERS }, (_, nth) => want(nth, names(nth))))

      it('one order_reference: one caller gets it, and after a failure one more', async () => {
        const failing = order({ order_reference: 'fails', msisdn: FAILS_AT_ONCE })
        const { reference } = (await post(service, service.secretKey, failing)).body
        const statusNow = async () =>
          (await get(service, service.secretKey, reference as string)).body.status
        await until('failure', async () => (await statusNow()) === 'failed')
        await winnerOf(await all(() => ({ order_reference: 'fails' })), 'order_reference_taken')
        await winnerOf(await all(() => ({ order_reference: 'new' })), 'order_reference_taken')
      })

      it('one transaction_id: one caller gets it', async () => {
        await winnerOf(await all(() => ({ transaction_id: 'once' })), 'external_reference_taken')
      })

      it('one order_reference and two transaction_ids in any order: one caller gets it', async () => {
        const answers = await all((nth) => ({
          order_reference: 'both',
          transaction_id: `both-${nth % 2}`,
        }))
        assert.equal(answers.filter(({ code }) => code === 200).length, 1)
        assert.deepEqual(new Set(answers.map(({ code }) => code)), new Set([200, 422]))
      })

      it('one transaction_id and two order_references, crossed: each order has at most one payment', async () => {
        const answers = await all((nth) => ({
          order_reference: `cross-${nth % 2}`,
          transaction_id: `cross-${(nth >> 1) % 2}`,
        }))
        const won = answers.filter(({ code }) => code === 200).length
        assert.ok(won === 1 || won === 2, `${won}`)
        assert.deepEqual(new Set(answers.map(({ code }) => code)), new Set([200, 422]))
        const rows = await service.db.read<{ name: string }>(
          `select client_reference as name from payments where client_reference like 'cross-%'`,
        )
        assert.deepEqual([rows.length, new Set(rows.map(({ name }) => name)).size], [won, won])
      })
    })
  }
})
