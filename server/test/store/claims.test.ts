// Claims on both engines: what is due is given out once and no more of it than was asked for, and the claim finds it by its index
// however many payments there are.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { OperatorRefund } from '../../src/domain/refund.ts'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import type { Database, Value } from '../../src/store/engine/database.ts'
import { claimDuePayments, findAccountsInTurn, giveBackPayments } from '../../src/store/payments/pending-payments.ts'
import { allDueRefunds, claimDueRefund } from '../../src/store/payments/refunds.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { STORES, type StorePlace } from '../kit/stores.ts'

const DUE = 2_000
const NOT_DUE = 100
const NOW = 1_800_000_000_000
const LEASE_MS = 15_000

const AIRTEL = { environment: 'sandbox', connection: 'airtel_ne', kind: 'request' } as const

async function claimOfAirtel(db: Database, now: number, leaseMs: number, mostOfEach: number) {
  const accountIds = (await findAccountsInTurn(db, AIRTEL, '', 10)).map(({ accountId }) => accountId)
  return (await claimDuePayments(db, { ...AIRTEL, accountIds, now, leaseMs, mostOfEach, first: 'oldest' })).flat()
}

/** Looks again when others were first with all that it had found. */
async function claimRefunds(db: Database, now: number, leaseMs: number, most: number): Promise<OperatorRefund[]> {
  const due: string[] = []
  for await (const { refundReference } of allDueRefunds(db, now)) {
    if (due.length === most) break
    due.push(refundReference)
  }
  const claims = await Promise.all(due.map((reference) => claimDueRefund(db, reference, now, leaseMs)))
  const claimed = claims.filter((refund) => refund !== undefined)
  return due.length > 0 && claimed.length === 0 ? claimRefunds(db, now, leaseMs, most) : claimed
}

const CLAIMS = [
  { what: 'payments', claim: claimOfAirtel, index: 'payments_due', takers: 25 },
  // All of them find the same refunds first, and each is claimed by itself.
  { what: 'refunds', claim: claimRefunds, index: 'refunds_due', takers: 4 },
]

for (const store of STORES) {
  describe(`claims on ${store.name}`, () => {
    let place: StorePlace
    let runtime: Runtime

    before(async () => {
      place = await store.makePlace()
      runtime = await openRuntime(place.config)
      await insertPending(runtime, 'acc_claims', DUE, { dueAt: NOW })
      await insertPending(runtime, 'acc_claims', NOT_DUE, { dueAt: NOW + 1 })
      await runtime.db.change(
        `insert into refunds (account_id, number, refund_reference, status, requested_by, created_at, due_at)
         select account_id, number, reference, 'pending', 'tester', created_at, due_at from payments`,
      )
    })
    after(async () => {
      await runtime.close()
      await place.remove()
    })

    it('are given back only while they are still held', async () => {
      const { db } = runtime
      const early = NOW - 10_000
      await insertPending(runtime, 'acc_given_back', 3, { dueAt: early })
      const mine = await claimOfAirtel(db, early, LEASE_MS, 3)
      const [lost, ...kept] = mine.map((payment) => ({ ...payment, claimedUntil: early + LEASE_MS }))
      assert.ok(lost)
      await db.change('update payments set due_at = $2 where reference = $1', [lost.reference, NOW + 2 * LEASE_MS])
      await giveBackPayments(db, [...kept, lost], early + 1)
      const again = await claimOfAirtel(db, early + 1, LEASE_MS, 3)
      assert.deepEqual(again.map(({ number }) => number).sort(), kept.map(({ number }) => number).sort())
      await db.change(`delete from payments where account_id = 'acc_given_back'`)
    })

    for (const { what, claim, index, takers } of CLAIMS) {
      it(`of ${what} find what is due by ${index}`, async () => {
        const { db } = runtime
        await db.alone((_tx, script) => script('analyze'))
        const claims: [sql: string, values: readonly Value[]][] = []
        const watched: Database = {
          ...db,
          rows: (sql, values = []) => {
            if (/from refunds|update payments/.test(sql)) claims.push([sql, values])
            return db.rows(sql, values)
          },
        }
        await claim(watched, 0, LEASE_MS, 10)
        const [[sql, values]] = claims as [[string, Value[]]]
        const explain = store.name === 'SQLite' ? 'explain query plan' : 'explain'
        const plan = JSON.stringify(await db.rows(`${explain} ${sql}`, values))
        assert.match(plan, new RegExp(`(USING INDEX|Index Scan using) ${index}`))
      })

      it(`of ${what} that are made together take each once, and none more than it asked for`, async () => {
        const takes = Array.from({ length: takers }, () => claim(runtime.db, NOW, LEASE_MS, 100))
        const taken = await Promise.all(takes)
        assert.ok(taken.every((some) => some.length <= 100))
        // What others hold at that moment is passed over: a claim may come back with less, and the next one finds the rest.
        while (taken.at(-1)?.length !== 0 && taken.length < 1_000)
          taken.push(await claim(runtime.db, NOW, LEASE_MS, 100))
        const names = taken.flat().map(({ accountId, number }) => `${accountId} ${number}`)
        assert.deepEqual([names.length, new Set(names).size], [DUE, DUE])
      })

      it(`of ${what} end with their lease: who died with them has given them back`, async () => {
        assert.equal((await claim(runtime.db, NOW + LEASE_MS - 1, LEASE_MS, DUE * 2)).length, NOT_DUE)
        assert.equal((await claim(runtime.db, NOW + LEASE_MS, LEASE_MS, DUE * 2)).length, DUE)
      })
    }
  })
}
