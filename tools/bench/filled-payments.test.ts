// Filled payments can be read by the names of the load generator, and the service continues after
// the last number.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readPayment } from '../../server/src/actions/payments/read-payment.ts'
import { looksLikeReference } from '../../server/src/domain/payments/reference.ts'
import { granted, merchantKey } from '../../server/test/kit/callers.ts'
import { STORES } from '../../server/test/kit/stores.ts'
import { fillPlace } from './filled-payments.ts'
import { filledReference } from './requests.ts'
import { prepare } from './stores.ts'

const COUNT = 1_000

for (const store of STORES) {
  it(`bench, ${store.name}: filled payments are found by reference and by transaction_id`, async () => {
    const { env, remove } = await store.makePlace()
    const { accountId } = await fillPlace(env, COUNT)
    await prepare(env, async (runtime) => {
      const caller = merchantKey(accountId)
      for (const n of [0, 1, 20, COUNT - 1]) {
        const payment = granted(await readPayment(runtime, caller, { name: `order-${n}` }))
        assert.equal(payment.reference, filledReference(n))
        assert.ok(looksLikeReference(payment.reference))
        assert.equal(payment.publicReference, runtime.publicReferences.of(n))
        assert.equal(payment.status, n % 20 === 0 ? 'failed' : 'succeeded')
        assert.deepEqual(await readPayment(runtime, caller, { name: payment.reference }), payment)
      }
      assert.equal(await runtime.nextNumber(), COUNT)
    })
    await remove()
  })

  it(`bench, ${store.name}: filling keeps every index of payments`, async () => {
    const sql =
      store.name === 'SQLite'
        ? `select coalesce(sql, name) as text from sqlite_schema
          where type = 'index' and tbl_name = 'payments' order by 1`
        : `select indexdef as text from pg_indexes where tablename = 'payments' order by 1`
    const [plain, filled] = [await store.makePlace(), await store.makePlace()]
    await fillPlace(filled.env, 10)
    const indexesOf = (env: Record<string, string>) =>
      prepare(env, ({ db }) => db.read<{ text: string }>(sql))
    const made = await indexesOf(plain.env)
    assert.ok(made.length >= 4)
    assert.deepEqual(await indexesOf(filled.env), made)
    await plain.remove()
    await filled.remove()
  })
}
