// Real processes settle payments: after kill -9, with two workers on one database, and around a
// SIGTERM under load (promises 1, 7 and 23). None is sent twice, forgotten, or settled without its
// event.

import assert from 'node:assert/strict'
import { after, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { COUNTRIES, operatorNames } from '../../src/domain/countries/country.ts'
import type { Runtime } from '../../src/service/runtime.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { head, newMerchant, order } from '../kit/service.ts'
import { openOperatorWithBooks } from '../kit/several-processes.ts'
import { openTestRuntime, shared } from '../kit/shared.ts'
import { POSTGRES, STORES, type StoreKind } from '../kit/stores.ts'
import { SCALE, tried, tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'

describe('settling', () => {
  const LONGEST_SETTLING_MS = 120_000

  /** Succeeds in the answer to the request, without a callback: one exchange for each payment. */
  const AT_ONCE = '40410000100'

  /** A short operator deadline makes leases short: a killed process's claims expire sooner. */
  const QUICK = { KARBA_SANDBOX_DELAY_MS: '100', KARBA_OPERATOR_TIMEOUT_MS: '1000' }

  async function create50({ url }: RunningServer, secretKey: string): Promise<void> {
    const one = async (): Promise<void> => {
      const request = { method: 'POST', headers: head(secretKey), body: JSON.stringify(order()) }
      const answer = await fetch(`${url}/api/v1/payments`, request)
      assert.equal(answer.status, 200, await answer.text())
    }
    await Promise.all(Array.from({ length: 50 }, one))
  }

  async function count({ db }: Runtime, sql: string): Promise<number> {
    const [row] = await db.read<{ n: number }>(`select count(*) as n from ${sql}`)
    return Number(row?.n)
  }

  async function untilNothingIsPending(runtime: Runtime): Promise<void> {
    const isSettled = async () => (await count(runtime, `payments where status = 'pending'`)) === 0
    await until('outcome of every payment', isSettled, LONGEST_SETTLING_MS)
  }

  /** The final state that every test requires. */
  async function assertSettled(runtime: Runtime, payments: number): Promise<void> {
    assert.equal(await count(runtime, `payments where status = 'succeeded'`), payments)
    assert.equal(await count(runtime, `payments where due_at is not null`), 0)
    assert.equal(await count(runtime, `events where event = 'payment.succeeded'`), payments)
    assert.equal(await count(runtime, `payment_story where kind = 'moved'`), payments)
    assert.equal(await count(runtime, 'simulated_payments'), payments)
    assert.equal(await count(runtime, 'payment_anomalies'), 0)
  }

  for (const store of STORES) {
    it(`payments survive kill -9 on ${store.name}, and each settles once with its event`, async () => {
      const runtime = await openTestRuntime(store, QUICK)
      const { place } = runtime
      const { accounts } = await newMerchant(runtime)
      const killed = await startProcess(place.env)
      try {
        for (let twice = 0; twice < 2; twice++) await create50(killed, accounts.sandbox.secretKey)
      } finally {
        await killed.end('SIGKILL')
      }
      const server = await startProcess(place.env)
      try {
        await untilNothingIsPending(runtime)
      } finally {
        await server.end('SIGTERM')
      }
      await assertSettled(runtime, 100)
      await runtime.remove()
    })
  }

  describe('two workers on one PostgreSQL', () => {
    const PAYMENTS = tries(600, 10_000)
    let workers: RunningServer[] = []
    after(async () => {
      for (const worker of workers) assert.equal(await worker.end('SIGTERM'), 0)
    })
    const runtime = shared(() => openTestRuntime(POSTGRES, { KARBA_SANDBOX_DELAY_MS: '0' }))
    const startWorker = () => startProcess({ ...runtime.place.env, KARBA_ROLE: 'worker' })

    it(`promise 7: two workers on one database: none of ${PAYMENTS} shared payments is sent twice`, async (t) => {
      const { accounts } = await newMerchant(runtime)
      const { clock } = runtime
      const input = {
        dueAt: clock.now(),
        msisdn: AT_ONCE,
        operators: COUNTRIES.flatMap(operatorNames),
      }
      await insertPending(runtime, accounts.sandbox.accountId, PAYMENTS, input)
      assert.equal(await count(runtime, `payments where status = 'pending'`), PAYMENTS)
      const startedAt = clock.now()

      workers = await Promise.all([startWorker(), startWorker()])
      await untilNothingIsPending(runtime)
      t.diagnostic(`settled within ${clock.now() - startedAt} ms of the workers' start`)
      await assertSettled(runtime, PAYMENTS)
      // The network's own count, independent of ours.
      assert.equal(await count(runtime, 'simulated_payments where requests > 1'), 0)
      // A worker counts a payment after its commit, so its counter may lag behind the database for
      // a moment.
      const total = await until('counters of both workers', async () => {
        const [one, other] = await Promise.all(workers.map(settledBy))
        const sum = (one ?? 0) + (other ?? 0)
        return sum >= PAYMENTS && sum
      })
      assert.equal(total, PAYMENTS)
      tried(PAYMENTS)
    })

    async function settledBy(worker: RunningServer): Promise<number> {
      const metrics = await (await fetch(`${worker.url}/metrics`)).text()
      return Number(
        /karba_payments_settled_total\{status="succeeded"\} (\d+)/.exec(metrics)?.[1] ?? 0,
      )
    }

    it('a worker serves no merchant requests', async () => {
      const { url } = workers[0] as RunningServer
      assert.equal((await fetch(`${url}/api/v1/payments`, { method: 'POST' })).status, 404)
      assert.equal((await fetch(`${url}/readyz`)).status, 200)
    })
  })
})

describe('promise 23: SIGTERM under load', () => {
  /** The operator's response times: one for each round, in turn. */
  const OPERATORS_MS = [400, 5, 2_000]
  /**
   * With this one and slower ones, the stop comes while more payments are unsent than are being
   * called about.
   */
  const SLOW_OPERATOR_MS = 400
  const NOT_SENT_YET = 200
  const ROUNDS = tries(1, 25)
  /**
   * The long form has more payments: in the quick one most of the time went by until the operator
   * had all of them.
   */
  const LOAD_MS = process.env[SCALE] === undefined ? 200 : 500
  const CALLERS = 200
  const PATIENCE_MS = 60_000
  /**
   * Five operators at one address, with more concurrent calls (100) than connections (64), so that
   * some wait.
   */
  const LIMITS = COUNTRIES.flatMap(operatorNames)
    .map((name) => `${name}:request=20`)
    .join(',')
  const PAYERS = [
    { country: 'NE', msisdn: '96123456' },
    { country: 'NE', msisdn: '90123456' },
    { country: 'NE', msisdn: '94123456' },
    { country: 'BJ', msisdn: '0161123456' },
    { country: 'BJ', msisdn: '0160123456' },
  ]

  for (const kind of STORES) {
    describe(`SIGTERM under load on ${kind.name}`, () => {
      for (let round = 0; round < ROUNDS; round++) {
        const operatorMs = OPERATORS_MS[round % OPERATORS_MS.length] as number
        it(`acknowledged payments are sent exactly once, before the stop or after the next start (${round + 1}, answers after ${operatorMs} ms)`, (t) =>
          stopUnderLoad(t, kind, operatorMs))
      }
    })
  }

  async function stopUnderLoad(t: TestContext, kind: StoreKind, operatorMs: number): Promise<void> {
    const operator = await openOperatorWithBooks({ answersAfterMs: operatorMs, decidesAfterMs: 0 })
    t.after(() => operator.close())
    const settings = {
      KARBA_SIMULATOR_URL: operator.url,
      KARBA_LOG_LEVEL: 'silent',
      KARBA_OPERATOR_LIMITS: LIMITS,
    }
    const place = await kind.makePlace(settings)
    const first = await startProcess(place.env)
    t.after(() => first.end('SIGKILL'))
    const secretKey = /sk_sandbox_\w+/.exec(first.printed())?.[0] as string
    const acknowledged: string[] = []
    let isLoadOver = false

    async function call(): Promise<void> {
      while (!isLoadOver) {
        try {
          const body = JSON.stringify(order(PAYERS[acknowledged.length % PAYERS.length]))
          const request = { method: 'POST', headers: head(secretKey), body }
          const answer = await fetch(`${first.url}/api/v1/payments`, request)
          if (answer.status !== 200) return
          acknowledged.push(((await answer.json()) as { reference: string }).reference)
        } catch {
          return
        }
      }
    }
    const load = Promise.all(Array.from({ length: CALLERS }, call))
    await pause(LOAD_MS)
    if (operatorMs >= SLOW_OPERATOR_MS)
      await until('backlog', () => acknowledged.length - operator.requests.size >= NOT_SENT_YET)
    assert.equal(await first.end('SIGTERM'), 0)
    isLoadOver = true
    await load
    const sentBefore = operator.requests.size
    if (operatorMs >= SLOW_OPERATOR_MS)
      assert.ok(acknowledged.length > sentBefore, 'all had been sent before the stop')

    const second = await startProcess(place.env)
    t.after(() => second.end('SIGKILL'))
    const statusOf = async (reference: string): Promise<unknown> => {
      const answer = await fetch(`${second.url}/api/v1/payments/${reference}`, {
        headers: head(secretKey),
      })
      return ((await answer.json()) as { status: string }).status
    }
    const deadline = performance.now() + PATIENCE_MS
    for (const reference of acknowledged) {
      for (
        let status = await statusOf(reference);
        status !== 'succeeded';
        status = await statusOf(reference)
      ) {
        assert.ok(performance.now() < deadline, `${reference} is ${status} after ${PATIENCE_MS} ms`)
        assert.equal(status, 'pending')
        await pause(50)
      }
    }
    await second.end('SIGTERM')
    await place.remove()
    for (const reference of acknowledged)
      assert.equal(operator.requests.get(reference), 1, reference)
    tried(1)
  }
})
