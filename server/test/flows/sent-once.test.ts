// Whatever is not recorded is asked about before it is sent again, on both stores: a payment whose sending was never recorded, one that was
// claimed and never sent, and refunds at a network that takes its time.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { StoreUnavailable } from '../../src/store/engine/database.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { get, order, post } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const SUCCEEDS = '40410000000'
const SUCCEEDS_AT_ONCE = '40410000100'
/** The lease of a payment, and a little. */
const LEASE_MS = 20_000
const REFUNDS = 6
const FREEZE_MS = 60_000

for (const kind of STORES) {
  describe(`sent once on ${kind.name}`, () => {
    let service: VirtualService
    let secretKey: string
    before(async () => {
      service = await openVirtualService(kind)
      secretKey = (await service.merchant()).accounts.sandbox.secretKey
    })
    after(() => service.remove())

    const create = async (msisdn: string): Promise<string> =>
      (await post(service, secretKey, order({ msisdn }))).body.reference as string
    const statusOf = async (reference: string): Promise<unknown> =>
      (await get(service, secretKey, reference)).body.status
    const times = (calls: readonly string[], reference: string): number =>
      calls.filter((each) => each === reference).length

    it('a payment whose sending could not be recorded is asked about, and not sent again', async () => {
      const { transaction } = service.db
      service.db.transaction = async () => {
        throw new StoreUnavailable('PostgreSQL is being restarted')
      }
      const reference = await create(SUCCEEDS)
      await service.clock.advance(10_000)
      service.db.transaction = transaction
      assert.equal(times(service.calls.request, reference), 1)
      await service.clock.advance(LEASE_MS)
      assert.equal(await statusOf(reference), 'succeeded')
      assert.equal(times(service.calls.request, reference), 1)
      assert.ok(times(service.calls.status, reference) >= 1)
    })

    it('a payment that was claimed and never sent is asked about, and then sent', async () => {
      service.network.change = () => ({ does: 'cut' })
      const reference = await create(SUCCEEDS)
      // As if the process had died between the claim and the call.
      await service.clock.advance(1)
      await service.db.change(
        'update payments set handed_over_at = null, asked_times = 0, claims = 1, due_at = $2 where reference = $1',
        [reference, service.clock.now()],
      )
      await service.db.change('delete from simulated_payments where reference = $1', [reference])
      service.network.change = (reaction) => reaction
      const before = times(service.calls.request, reference)
      await service.clock.advance(LEASE_MS)
      assert.equal(await statusOf(reference), 'succeeded')
      assert.ok(times(service.calls.status, reference) >= 1, 'asked first')
      assert.equal(times(service.calls.request, reference), before + 1)
    })

    it('refunds at a network that takes six seconds are requested once each', async () => {
      const references = await Promise.all(Array.from({ length: REFUNDS }, () => create(SUCCEEDS_AT_ONCE)))
      await service.clock.advance(5_000)
      service.network.change = (reaction) => ('answer' in reaction ? { ...reaction, afterMs: 6_000 } : reaction)
      const refunds: string[] = []
      for (const name of references) {
        refunds.push(granted(await refundPayment(service, TESTER, { name })).refundReference)
      }
      await service.clock.advance(180_000)
      for (const reference of references) assert.equal(await statusOf(reference), 'refunded')
      assert.deepEqual(
        refunds.map((refund) => times(service.calls.refund, refund)),
        refunds.map(() => 1),
      )
      service.network.change = (reaction) => reaction
    })

    it('a refund that was claimed right before a freeze is asked about before it is sent', async () => {
      const name = await create(SUCCEEDS_AT_ONCE)
      await service.clock.advance(5_000)
      const { rows } = service.db
      service.db.rows = async <Row>(sql: string, values: Parameters<typeof rows>[1]): Promise<Row[]> => {
        const claimed = await rows<Row>(sql, values)
        if (claimed.length === 0 || !sql.startsWith('update refunds')) return claimed
        service.db.rows = rows
        // As a process sees it that was frozen while the answer was on its way.
        await new Promise<void>((resolve) => service.clock.after(FREEZE_MS, resolve))
        return claimed
      }
      const refund = granted(await refundPayment(service, TESTER, { name })).refundReference
      const asked: string[] = []
      service.network.change = (reaction, reference) => {
        if (reference === refund) asked.push(times(service.calls.refund, refund) === 0 ? 'status' : 'refund')
        return reaction
      }
      await service.clock.advance(2 * FREEZE_MS)
      service.network.change = (reaction) => reaction
      assert.deepEqual([await statusOf(name), times(service.calls.refund, refund), asked[0]], ['refunded', 1, 'status'])
    })
  })
}
