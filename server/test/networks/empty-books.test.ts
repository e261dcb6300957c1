// A network is restarted with empty books: it has forgotten every payment, refund and token. What it said before stays
// true; about what it had accepted nothing is guessed: the payment stays pending and is listed for a person, because
// its payer may have been debited. A refund is never told as done, nor asked for again blindly.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BookedPayment } from '../../../simulators/src/network.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { uuidOfReference } from '../../src/domain/reference.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { get, order, post } from '../kit/service.ts'
import { type NetworkUnderTest, openServiceOnNetwork, type ServiceOnNetwork } from './harness.ts'
import { NETWORKS, storesFor } from './networks.ts'

const HOUR_MS = 3_600_000
const STEP_MS = 30_000

/** How a payment stood when the network was restarted. */
const STATES = ['declined', 'succeeded', 'refunded', 'being refunded', 'waiting', 'debited'] as const
type State = (typeof STATES)[number]

for (const underTest of Object.values<NetworkUnderTest>(NETWORKS)) {
  for (const store of storesFor(underTest)) {
    describe(`${underTest.connector.name} restarted with empty books, on ${store.name}`, () => {
      let service: ServiceOnNetwork
      let secretKey: string
      const payments = new Map<State, string>()
      const statusAtRestart = new Map<State, unknown>()
      const refundAtRestart = new Map<State, unknown>()
      const nameOf = (state: State): string => payments.get(state) as string

      before(async () => {
        service = await openServiceOnNetwork(underTest, store)
        secretKey = (await service.merchant()).accounts.sandbox.secretKey
        for (const state of ['declined', 'succeeded', 'refunded', 'being refunded'] as const) {
          payments.set(state, await create())
          decide(nameOf(state), state === 'declined' ? 'decline' : 'approve')
        }
        await service.clock.advance(20_000)
        granted(await refundPayment(service, TESTER, { name: nameOf('refunded') }))
        await service.clock.advance(60_000)
        payments.set('waiting', await create())
        payments.set('debited', await create())
        granted(await refundPayment(service, TESTER, { name: nameOf('being refunded') }))
        // So long that the network has accepted the refund, and not so long that it says what came of it.
        await service.clock.advance(1_000)
        for (const state of STATES) {
          statusAtRestart.set(state, (await statusOf(nameOf(state))) as string)
          refundAtRestart.set(state, await refundOf(nameOf(state)))
        }
        decide(nameOf('debited'), 'approve')
        assert.equal(bookOf(nameOf('debited'))?.debits, 1)
        service.network.reset()
        // Some networks number payments from the beginning again: nobody may take a new payment for an old one.
        for (const _ of STATES) decide(await create(), 'approve')
        for (let passed = 0; passed < HOUR_MS; passed += STEP_MS) {
          await service.clock.sleep(STEP_MS - 1_000)
          await service.clock.advance(1_000)
        }
        // A forgotten refund is asked about for a day, at last every six hours.
        for (let passed = 0; passed < 32 * HOUR_MS; passed += 4 * HOUR_MS) {
          await service.clock.sleep(4 * HOUR_MS)
          await service.clock.advance(60_000)
        }
      })
      after(() => service.remove())

      async function create(): Promise<string> {
        const country = underTest.operator.endsWith('_bj') ? 'BJ' : 'NE'
        const { code, body } = await post(service, secretKey, order({ msisdn: underTest.msisdn, country }))
        assert.equal(code, 200)
        await service.clock.advance(300)
        return body.reference as string
      }

      const bookOf = (reference: string): BookedPayment | undefined =>
        service.network.books().find(({ id, clientReference }) => {
          const names = [reference, uuidOfReference(reference)]
          return names.includes(id) || names.includes(clientReference)
        })

      function decide(reference: string, decision: 'approve' | 'decline'): void {
        assert.ok(service.network.decide((bookOf(reference) as BookedPayment).id, decision))
      }

      const statusOf = async (reference: string): Promise<unknown> =>
        (await get(service, secretKey, reference)).body.status

      const OF_PAYMENT = '(account_id, number) in (select account_id, number from payments where reference = $1)'

      async function refundOf(reference: string): Promise<string | undefined> {
        const [refund] = await service.db.rows<{ status: string }>(
          `select case when by_hand_since is null then status else 'by hand' end as status from refunds where ${OF_PAYMENT}`,
          [reference],
        )
        return refund?.status
      }

      async function anomaliesOf(reference: string): Promise<string[]> {
        const rows = await service.db.rows<{ kind: string }>(`select kind from payment_anomalies where ${OF_PAYMENT}`, [
          reference,
        ])
        return rows.map(({ kind }) => kind)
      }

      for (const state of ['waiting', 'debited'] as const) {
        it(`forgotten payments: one that was ${state} stays pending and is listed for a person`, async () => {
          const reference = nameOf(state)
          assert.deepEqual(
            [await statusOf(reference), await anomaliesOf(reference)],
            ['pending', ['forgotten_by_operator']],
          )
        })
      }

      for (const state of ['declined', 'succeeded', 'refunded'] as const) {
        it(`forgotten payments: what was told before stays true of one that was ${state}`, async () => {
          const reference = nameOf(state)
          assert.equal(await statusOf(reference), statusAtRestart.get(state))
          assert.equal(await refundOf(reference), refundAtRestart.get(state))
        })
      }

      it('forgotten refunds: one that was accepted is neither sent again nor told as failed: a person looks for it', async () => {
        const before = refundAtRestart.get('being refunded')
        const after = { pending: 'by hand', 'by hand': 'by hand', succeeded: 'succeeded' }[before as 'pending']
        assert.equal(await refundOf(nameOf('being refunded')), after)
        assert.equal(await statusOf(nameOf('being refunded')), before === 'succeeded' ? 'refunded' : 'succeeded')
      })

      it('new payments succeed, each with its own outcome', async () => {
        const reference = await create()
        decide(reference, 'approve')
        await service.clock.advance(20_000)
        assert.equal(await statusOf(reference), 'succeeded')
      })

      it('a refund that is asked for after the restart is not told as made', async () => {
        granted(await refundPayment(service, TESTER, { name: nameOf('succeeded') }))
        await service.clock.advance(60_000)
        assert.equal(await statusOf(nameOf('succeeded')), 'succeeded')
        assert.notEqual(await refundOf(nameOf('succeeded')), 'succeeded')
      })
    })
  }
}
