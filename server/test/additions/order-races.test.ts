// Many callers want one order at the same time: by secret key, by link, by signed orders of pages, from several processes. One payment stands for
// it, every other caller gets its reference, and nobody gets a 5xx (D-90, D-16).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { type Answer, get, head, openTestService, order, postTo, type TestService } from '../kit/service.ts'
import { signOrder } from '../kit/sign-order.ts'
import { STORES } from '../kit/stores.ts'
import { tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'
import { FAILS_AT_ONCE, LINK } from '../links/payer.ts'

const SHOP = 'https://shop.example'
const CALLERS = tries(60, 200)

for (const store of STORES) {
  describe(`races for an order on ${store.name}`, () => {
    let service: TestService
    let account: NewAccount
    const processes: Service[] = []
    before(async () => {
      service = await openTestService(store)
      account = (await service.merchant()).accounts.sandbox
      granted(await changeCheckoutSettings(service, TESTER, { accountId: account.accountId, origins: [SHOP] }))
      processes.push(service)
      if (store.name === 'PostgreSQL') processes.push(await openService(service.place.config))
    })
    after(async () => {
      await processes[1]?.close()
      await service.remove()
    })

    /** The three ways to an order, in turn, each from its own network. */
    function want(nth: number, names: { order_reference?: string; transaction_id?: string }): Promise<Answer> {
      const process = processes[nth % processes.length] as Service
      const { secretKey, publicKey } = account
      if (nth % 3 === 0) return postTo(process, '/api/v1/payments', head(secretKey), order(names))
      if (nth % 3 === 1) return postTo(process, '/api/v1/external_payments', head(secretKey), { ...LINK, ...names })
      const proof = signOrder(secretKey, { amount: LINK.amount, title: LINK.title, ...names })
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${publicKey}`, origin: SHOP }
      return fromPage(process, headers, proof)
    }

    let pages = 0
    async function fromPage({ app }: Service, headers: Record<string, string>, proof: string): Promise<Answer> {
      // Each page from its own network: what is tried here is not the rate limit.
      const remoteAddress = `2001:db8:${(++pages).toString(16)}::1`
      const payload = JSON.stringify({ order: proof })
      const answer = await app.inject({ method: 'POST', url: '/checkout/links', headers, payload, remoteAddress })
      return { code: answer.statusCode, body: answer.json(), headers: answer.headers }
    }

    /** The payment of the one that was accepted; every other caller was refused, those with a secret key with its reference. */
    async function winnerOf(answers: Answer[], code: string): Promise<string> {
      const won = answers.filter((answer) => answer.code === 200)
      assert.equal(won.length, 1, JSON.stringify(answers.map((answer) => answer.code)))
      const { reference } = (await get(service, account.secretKey, won[0]?.body.reference as string)).body
      const lost = answers.filter((answer) => answer.code !== 200)
      const told = lost.map(({ code: http, headers }) =>
        [http, headers['svc-error-code'], headers['svc-existing-reference'] ?? 'a page'].join(' '),
      )
      assert.deepEqual(new Set(told), new Set([`422 ${code} ${reference}`, `422 ${code} a page`]))
      return reference as string
    }

    const all = (names: (nth: number) => { order_reference?: string; transaction_id?: string }): Promise<Answer[]> =>
      Promise.all(Array.from({ length: CALLERS }, (_, nth) => want(nth, names(nth))))

    it('of callers with one order_reference one gets it, and after its failure one more', async () => {
      const first = await want(0, { order_reference: 'race' })
      const failing = postTo(
        service,
        '/api/v1/payments',
        head(account.secretKey),
        order({ order_reference: 'fails', msisdn: FAILS_AT_ONCE }),
      )
      const { reference: failed } = (await failing).body
      assert.equal(first.code, 200)
      await until(
        'failure',
        async () => (await get(service, account.secretKey, failed as string)).body.status === 'failed',
      )
      await winnerOf(await all(() => ({ order_reference: 'fails' })), 'order_reference_taken')
      await winnerOf(await all(() => ({ order_reference: 'new' })), 'order_reference_taken')
    })

    it('of callers with one transaction_id one gets it', async () => {
      await winnerOf(await all(() => ({ transaction_id: 'once' })), 'external_reference_taken')
    })

    it('of callers with one order_reference and two transaction_ids in any order one gets it', async () => {
      const answers = await all((nth) => ({ order_reference: 'both', transaction_id: `both-${nth % 2}` }))
      assert.equal(answers.filter(({ code }) => code === 200).length, 1)
      assert.deepEqual(new Set(answers.map(({ code }) => code)), new Set([200, 422]))
    })

    it('of callers with one transaction_id and two order_references, crossed, each order has one at most', async () => {
      const answers = await all((nth) => ({
        order_reference: `cross-${nth % 2}`,
        transaction_id: `cross-${(nth >> 1) % 2}`,
      }))
      const won = answers.filter(({ code }) => code === 200).length
      assert.ok(won === 1 || won === 2, `${won}`)
      assert.deepEqual(new Set(answers.map(({ code }) => code)), new Set([200, 422]))
      const rows = await service.db.rows<{ name: string }>(
        `select client_reference as name from payments where client_reference like 'cross-%'`,
      )
      assert.deepEqual([rows.length, new Set(rows.map(({ name }) => name)).size], [won, won])
    })
  })
}
