// FedaPay's own id of a transaction, kept with a payment, an attempt on a link and a hosted page, on both stores: what happens to them is found
// out by that id, also where FedaPay has no route by our reference.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { refundPayment } from '../../../src/actions/payments/refund-payment.ts'
import { granted, TESTER } from '../../kit/callers.ts'
import { get, order, post } from '../../kit/service.ts'
import { STORES } from '../../kit/stores.ts'
import { byPhone, newLink, onPage, pay, send, stateOf } from '../../links/payer.ts'
import { openServiceOnNetwork, type ServiceOnNetwork } from '../network-under-test.ts'
import { FEDAPAY_UNDER_TEST } from './faults.ts'

const MINUTE_MS = 60_000
const MTN = { ...byPhone('66000001'), country: 'BJ' }

for (const store of STORES) {
  describe(`kept ids of FedaPay on ${store.name}`, () => {
    let service: ServiceOnNetwork
    let secretKey: string
    before(async () => {
      service = await openServiceOnNetwork(FEDAPAY_UNDER_TEST, store)
      secretKey = (await service.merchant()).accounts.sandbox.secretKey
    })
    after(() => service.remove())

    const idsIn = async (table: 'payments' | 'payment_attempts'): Promise<(string | null)[]> => {
      const newest = table === 'payments' ? 'number' : 'created_at'
      const sql = `select network_id as id from ${table} order by ${newest} desc limit 1`
      return (await service.db.rows<{ id: string | null }>(sql)).map(({ id }) => id)
    }
    const bookedId = (): string | undefined => service.network.books().at(-1)?.id
    const anomalies = () => service.db.rows('select kind from payment_anomalies')

    /** Minute by minute. */
    async function pass(minutes: number): Promise<void> {
      for (let left = minutes; left > 0; left--) {
        await service.clock.sleep(MINUTE_MS - 1_000)
        await service.clock.advance(1_000)
      }
    }

    async function without(fault: string | undefined, ...others: [name: string, times?: number][]): Promise<void> {
      service.network.reset()
      if (fault !== undefined) assert.ok(service.network.faults.on(fault))
      for (const [name, times] of others) assert.ok(service.network.faults.on(name, times))
    }

    it('kept ids: a payment is followed, and its refund by hand is seen, by its id alone', async () => {
      await without('no_route_by_reference', ['prompt_cut', 1], ['webhooks_never_come'])
      const { body } = await post(service, secretKey, order({ msisdn: '66000001', country: 'BJ' }))
      await service.clock.advance(MINUTE_MS)
      const { status } = (await get(service, secretKey, body.reference as string)).body
      assert.deepEqual([status, await idsIn('payments')], ['succeeded', [bookedId()]])
      granted(await refundPayment(service, TESTER, { name: body.reference as string }))
      await service.clock.advance(5_000)
      const [refund] = await service.db.rows<{ why: string }>('select by_hand_why as why from refunds')
      assert.match(refund?.why ?? '', /in the FedaPay dashboard/)
    })

    it('kept ids: an attempt on a link by phone is followed by its id alone', async () => {
      await without('no_route_by_reference', ['prompt_cut', 1], ['webhooks_never_come'])
      const link = await newLink(service, secretKey)
      await pay(service, link, MTN)
      await service.clock.advance(MINUTE_MS)
      assert.match(await stateOf(service, link), /^succeeded/)
      assert.deepEqual([await idsIn('payments'), await idsIn('payment_attempts')], [[bookedId()], [bookedId()]])
    })

    it('kept ids: a hosted page is followed by its id, and a 404 of both routes does not end it', async () => {
      await without('not_found', ['webhooks_never_come'])
      const link = await newLink(service, secretKey, { shouldExpire: false })
      const { code, goTo } = await pay(service, link, onPage('bank_card'))
      assert.deepEqual([code, /^https:\/\/process\.fedapay\.test/.test(goTo)], [303, true])
      assert.deepEqual([await idsIn('payments'), await idsIn('payment_attempts')], [[bookedId()], [bookedId()]])
      await pass(20)
      assert.deepEqual(
        [await stateOf(service, link), await anomalies()],
        ['waiting:1', [{ kind: 'forgotten_by_operator' }]],
      )
      service.network.faults.off('not_found')
      service.network.faults.on('no_route_by_reference')
      assert.ok(service.network.decide(bookedId() ?? '', 'approve'))
      await pass(2)
      assert.match(await stateOf(service, link), /^succeeded/)
    })

    it('kept ids: a page that its payer gave up is deleted, and nobody is asked to look for it', async () => {
      await service.db.change('delete from payment_anomalies', [])
      await without(undefined)
      const link = await newLink(service, secretKey, { shouldExpire: false })
      await pay(service, link, onPage('bank_card'))
      await send(service, `/pay/${link}/abandon`, {})
      assert.equal(await stateOf(service, link), 'open:1')
      await pass(60)
      assert.deepEqual([service.network.books().at(-1)?.status, await anomalies()], ['deleted', []])
      await pay(service, link, { ...MTN, attempt: '1' })
      await service.clock.advance(MINUTE_MS)
      assert.match(await stateOf(service, link), /^succeeded/)
    })
  })
}
