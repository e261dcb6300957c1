// Whose payments are claimed when more are due than a network may be asked about, on both engines: every account in turn, and in every other
// turn of each account those that have waited longest (ADR-0009).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { OperatorAnswer } from '../../src/domain/operator-report.ts'
import { operatorDispatcher } from '../../src/operators/dispatcher.ts'
import type { Operator } from '../../src/operators/operator.ts'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import { paymentResolver } from '../../src/worker/resolve-payments.ts'
import { prompting } from '../kit/connected.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { STORES, type StorePlace } from '../kit/stores.ts'
import { virtualClock } from '../kit/virtual-clock.ts'

const ACCOUNTS = ['acc_a', 'acc_b', 'acc_c', 'acc_d']
const EACH = 6
const NOW = 1_800_000_000_000
/** Nothing that was claimed is due again within a test. */
const LEASE_MS = 3_600_000
/** So long the dispatcher keeps what it has claimed: two a second, so two in a claim. */
const MAX_WAIT_MS = 1_000

for (const store of STORES) {
  describe(`turns on ${store.name}`, () => {
    let place: StorePlace
    let runtime: Runtime

    before(async () => {
      place = await store.makePlace()
      runtime = await openRuntime(place.config)
      for (const accountId of ACCOUNTS) await insertPending(runtime, accountId, EACH, { dueAt: NOW - LEASE_MS })
      await runtime.db.change('update payments set handed_over_at = created_at, due_at = due_at + number')
    })
    after(async () => {
      await runtime.close()
      await place.remove()
    })

    it('give each account its newest and its oldest payment, although every turn takes two claims', async () => {
      const clock = virtualClock(NOW)
      const asked = new Set<string>()
      const status = async (reference: string): Promise<OperatorAnswer> => {
        asked.add(reference)
        return { is: 'accepted' }
      }
      const operator = { name: 'airtel_ne', status } as unknown as Operator
      const dispatcher = operatorDispatcher({
        operators: { all: () => [prompting('sandbox', operator)] },
        clock,
        limitsOf: () => ({ request: { atOnce: 2 }, status: { atOnce: 2, perSecond: 2 } }),
        leaseMs: LEASE_MS,
        maxWaitMs: MAX_WAIT_MS,
        recordOutcome: async () => {},
        keepNetworkId: async () => true,
        release: async () => assert.fail('something was claimed in vain'),
        failed: (error) => assert.fail(String(error)),
      })
      const round = paymentResolver({ db: runtime.db, clock, dispatcher, leaseMs: LEASE_MS })
      const wanted = 2 * ACCOUNTS.length
      for (let rounds = 0; asked.size < wanted && rounds < 2 * wanted; rounds++) {
        await round()
        await clock.advance(MAX_WAIT_MS)
      }
      const rows = await runtime.db.rows<{ account_id: string; reference: string }>(
        'select account_id, reference from payments order by account_id, number',
      )
      const placesOf = (accountId: string): number[] =>
        rows
          .filter(({ account_id }) => account_id === accountId)
          .flatMap(({ reference }, at) => (asked.has(reference) ? [at] : []))
      assert.deepEqual(
        ACCOUNTS.map(placesOf),
        ACCOUNTS.map(() => [0, EACH - 1]),
      )
    })
  })
}
