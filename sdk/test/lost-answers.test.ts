// With lost requests and answers, a creation still ends as one payment, whose reference the SDK
// returns.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { seededRandom } from '../../server/test/kit/seeded-random.ts'
import { openTestService, order } from '../../server/test/kit/service.ts'
import { STORES } from '../../server/test/kit/stores.ts'
import { tried, tries } from '../../server/test/kit/tries.ts'
import { Karba, KarbaError, type LinkOrder, type PaymentOrder } from '../src/karba.ts'
import { type Fault, openFaultyProxy } from './faulty-proxy.ts'

const TRIES = tries(40, 500)
const AT_ONCE = 20
/** Two of three requests pass. */
const FAULTS: readonly Fault[] = [
  ...Array<Fault>(12).fill('passes'),
  'is cut before the service',
  'is cut after the commit',
  'is cut after the commit',
  'is cut in the middle of the answer',
  'gets a 504 of the proxy',
  'gets a 503',
]

for (const store of STORES)
  describe(`creations through a faulty proxy on ${store.name}`, async () => {
    const service = await openTestService(store)
    const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const account = (await service.merchant()).accounts.sandbox
    after(() => service.remove())

    async function client(nextFault: () => Fault, readsToo = false) {
      const proxy = await openFaultyProxy(address, nextFault, { readsToo })
      after(() => proxy.close())
      return { karba: new Karba({ secretKey: account.secretKey, url: proxy.url }), proxy }
    }

    async function referencesOf(transactionId: string): Promise<string[]> {
      const rows = await service.db.read<{ reference: string }>(
        `select reference from payments where account_id = :accountId
          and external_reference = :transactionId`,
        { accountId: account.accountId, transactionId },
      )
      return rows.map(({ reference }) => reference)
    }

    it('lost answers: a payment is recorded once when the answer is cut after the commit', async (t) => {
      const seen = new Set<string>()
      const { karba, proxy } = await client(() => 'is cut after the commit')
      await inTurns(TRIES, async () => {
        const wanted = order() as unknown as PaymentOrder
        const created = await karba.createPayment(wanted)
        assert.deepEqual(await referencesOf(wanted.transaction_id), [created.reference])
        seen.add(created.reference)
      })
      assert.equal(seen.size, TRIES)
      tried(TRIES)
      t.diagnostic(
        `${proxy.met.get('is cut after the commit')} answers were cut for ${TRIES} payments`,
      )
    })

    it('lost answers: a payment is recorded once, with lost requests, reads and answers', async (t) => {
      const random = seededRandom(20)
      const { karba, proxy } = await client(() => random.pick(FAULTS), true)
      await inTurns(TRIES, async () => {
        const wanted = order() as unknown as PaymentOrder
        const created = await karba.createPayment(wanted)
        assert.deepEqual(await referencesOf(wanted.transaction_id), [created.reference])
      })
      tried(TRIES)
      t.diagnostic([...proxy.met].map(([fault, count]) => `${count} × ${fault}`).join(', '))
    })

    it('lost answers: a link is created once, and its address is returned', async () => {
      const random = seededRandom(21)
      const { karba } = await client(() => random.pick(FAULTS), true)
      const direct = new Karba({ secretKey: account.secretKey, url: address })
      const { read: rows } = service.db
      const count = async () => (await rows('select 1 as one from payment_links')).length
      const before = await count()
      await inTurns(TRIES / 2, async () => {
        const wanted: LinkOrder = { amount: 15_000, title: 'Commande 12' }
        const { reference, page_url: page } = await karba.createLink(wanted)
        // The service's own address, though the client reaches it by another.
        assert.equal(page, `${address}/pay/${reference}`)
        assert.equal((await direct.readLink(reference)).status, 'initiated')
      })
      assert.equal((await count()) - before, TRIES / 2)
    })

    it('lost answers: a transaction_id of another order is a 422, lost answers or not', async () => {
      let faults: Fault[] = []
      const { karba } = await client(() => faults.shift() ?? 'passes')
      const wanted = order() as unknown as PaymentOrder
      const { reference } = await karba.createPayment(wanted)
      for (const before of [
        [],
        ['is cut before the service'],
        ['is cut after the commit'],
      ] as Fault[][]) {
        faults = before
        await assert.rejects(
          karba.createPayment({ ...wanted, amount: 2_000 }),
          (error: KarbaError) => {
            assert.ok(error instanceof KarbaError)
            assert.deepEqual([error.status, error.existingReference], [422, reference])
            assert.match(error.requestId ?? '', /^req_/)
            return true
          },
        )
      }
      assert.deepEqual(await referencesOf(wanted.transaction_id), [reference])
    })

    it('lost answers: a creation ends at its deadline with outcome_unknown', async () => {
      const { karba } = await client(() => 'is cut after the commit', true)
      const wanted = order() as unknown as PaymentOrder
      const begun = performance.now()
      await assert.rejects(karba.createPayment(wanted, { timeoutMs: 500 }), {
        code: 'outcome_unknown',
      })
      assert.ok(performance.now() - begun < 5_000)
      assert.equal((await referencesOf(wanted.transaction_id)).length, 1)
    })

    it('lost answers: a Retry-After beyond the deadline throws the 503, and nothing is recorded', async () => {
      const { karba } = await client(() => 'gets a 503 for a minute')
      const wanted = order() as unknown as PaymentOrder
      await assert.rejects(karba.createPayment(wanted, { timeoutMs: 20_000 }), {
        code: 'unexpected_answer',
        status: 503,
      })
      assert.deepEqual(await referencesOf(wanted.transaction_id), [])
    })
  })

async function inTurns(count: number, work: () => Promise<void>): Promise<void> {
  let left = count
  const worker = async (): Promise<void> => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
