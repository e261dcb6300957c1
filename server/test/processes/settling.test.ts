// Payments brought to their outcome by real processes: after kill -9, and by two workers that share one database. Nothing is
// handed over twice, nothing is forgotten, and no payment is settled without its event (promises 1 and 7).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { COUNTRIES } from '../../src/domain/country.ts'
import { operatorNames } from '../../src/operators/registry.ts'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import { newMerchant } from '../kit/merchant.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { head, order } from '../kit/service.ts'
import { POSTGRES, STORES, type StorePlace } from '../kit/stores.ts'
import { tried } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'

const LONGEST_SETTLING_MS = 120_000

/** Succeeds in the answer to the request, without a callback: one exchange for each payment. */
const AT_ONCE = '40410000100'

/** A short deadline for operators makes leases short: what a killed process had in hand comes back sooner. */
const QUICK = { KARBA_SANDBOX_DELAY_MS: '100', KARBA_OPERATOR_TIMEOUT_MS: '1000' }

async function createMany(server: RunningServer, secretKey: string, count: number, msisdn = '96123456'): Promise<void> {
  const one = async (): Promise<void> => {
    const answer = await fetch(`${server.url}/api/v1/payments`, {
      method: 'POST',
      headers: head(secretKey),
      body: JSON.stringify(order({ msisdn })),
    })
    assert.equal(answer.status, 200, await answer.text())
  }
  for (let done = 0; done < count; done += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - done) }, one))
}

async function count({ db }: Runtime, sql: string): Promise<number> {
  const [row] = await db.rows<{ n: number }>(`select count(*) as n from ${sql}`)
  return Number(row?.n)
}

async function untilNothingIsPending(runtime: Runtime): Promise<void> {
  const isSettled = async () => (await count(runtime, `payments where status = 'pending'`)) === 0
  await until('outcome of every payment', isSettled, LONGEST_SETTLING_MS)
}

/** What must hold when all is settled, whatever happened on the way. */
async function assertSettled(runtime: Runtime, payments: number): Promise<void> {
  assert.equal(await count(runtime, `payments where status = 'succeeded'`), payments)
  assert.equal(await count(runtime, `payments where due_at is not null`), 0)
  assert.equal(await count(runtime, `events where event = 'payment.succeeded'`), payments)
  assert.equal(await count(runtime, `payment_story where kind = 'moved'`), payments)
  assert.equal(await count(runtime, 'simulated_payments'), payments)
  assert.equal(await count(runtime, 'payment_anomalies'), 0)
}

for (const store of STORES) {
  it(`payments survive kill -9 on ${store.name} and are all settled once, each with its event`, async () => {
    const place = await store.makePlace(QUICK)
    const runtime = await openRuntime(place.config)
    const { accounts } = await newMerchant(runtime)
    for (let kill = 0; kill < 3; kill++) {
      const server = await startProcess(place.env)
      try {
        await createMany(server, accounts.sandbox.secretKey, 100)
      } finally {
        await server.end('SIGKILL')
      }
    }
    const server = await startProcess(place.env)
    try {
      await untilNothingIsPending(runtime)
    } finally {
      await server.end('SIGTERM')
    }
    await assertSettled(runtime, 300)
    await runtime.close()
    await place.remove()
  })
}

describe('two workers on one PostgreSQL', () => {
  const PAYMENTS = 10_000
  let place: StorePlace
  let runtime: Runtime

  before(async () => {
    place = await POSTGRES.makePlace({ KARBA_SANDBOX_DELAY_MS: '0' })
    runtime = await openRuntime(place.config)
  })
  after(async () => {
    await runtime.close()
    await place.remove()
  })

  it(`promise 7: two workers on one database: of ${PAYMENTS} payments that they share, none is handed over twice`, async (t) => {
    const { accounts } = await newMerchant(runtime)
    const { clock } = runtime
    const input = { dueAt: clock.now(), msisdn: AT_ONCE, operators: COUNTRIES.flatMap(operatorNames) }
    await insertPending(runtime, accounts.sandbox.accountId, PAYMENTS, input)
    assert.equal(await count(runtime, `payments where status = 'pending'`), PAYMENTS)
    const startedAt = clock.now()

    const workers = await Promise.all([1, 2].map(() => startProcess({ ...place.env, KARBA_ROLE: 'worker' })))
    try {
      await untilNothingIsPending(runtime)
      t.diagnostic(`settled within ${clock.now() - startedAt} ms of the workers' start`)
      await assertSettled(runtime, PAYMENTS)
      assert.equal(await count(runtime, `payment_story where kind = 'request'`), PAYMENTS)
      // The network's own count, whatever we believe to have sent.
      assert.equal(await count(runtime, 'simulated_payments where requests > 1'), 0)
      // A worker counts a payment after its commit, so its counter may lag behind the database for a moment.
      const allCounted = async (): Promise<number[] | false> => {
        const counts = await Promise.all(workers.map(settledBy))
        return counts.reduce((sum, share) => sum + share, 0) >= PAYMENTS && counts
      }
      const shares = await until('counters of both workers', allCounted)
      t.diagnostic(`settled by each: ${shares.join(' and ')}`)
      assert.equal(
        shares.reduce((sum, share) => sum + share, 0),
        PAYMENTS,
      )
      tried(PAYMENTS)
    } finally {
      for (const worker of workers) assert.equal(await worker.end('SIGTERM'), 0)
    }
  })

  async function settledBy(worker: RunningServer): Promise<number> {
    const metrics = await (await fetch(`${worker.url}/metrics`)).text()
    return Number(/karba_payments_settled_total\{status="succeeded"\} (\d+)/.exec(metrics)?.[1] ?? 0)
  }

  it('a worker answers no merchant', async () => {
    const worker = await startProcess({ ...place.env, KARBA_ROLE: 'worker' })
    assert.equal((await fetch(`${worker.url}/api/v1/payments`, { method: 'POST' })).status, 404)
    assert.equal((await fetch(`${worker.url}/readyz`)).status, 200)
    await worker.end('SIGTERM')
  })
})
