// Promise 7 for webhooks: two workers that share one PostgreSQL look for queues all the time, and nothing is sent twice.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type AttemptMade, recordAttempts } from '../../src/actions/webhooks/record-attempts.ts'
import type { ServiceItself } from '../../src/domain/caller.ts'
import { secretsBox } from '../../src/service/master-key.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import { batch } from '../../src/store/engine/batch.ts'
import type { WebhookRequest } from '../../src/webhooks/send.ts'
import { webhookDeliverer } from '../../src/worker/deliver-webhooks.ts'
import { newMerchant } from '../kit/merchant.ts'
import { POSTGRES } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { newEndpoint, upTo, writeEvents } from '../kit/webhooks.ts'

const DELIVERY: ServiceItself = { is: 'service', part: 'webhook delivery' }
const EVENTS = 500
const ENDPOINTS = 10
const PER_ACCOUNT = 5
/** Written a few at a time: when all of them have arrived, every queue is up for claiming again. */
const TOGETHER = 10

it(`promise 7: two workers share ${ENDPOINTS} endpoints and ${EVENTS} events: no delivery is sent twice`, async (t) => {
  const place = await POSTGRES.makePlace()
  t.after(() => place.remove())
  /** By endpoint and event, who sent it. */
  const sent = new Map<string, string[]>()
  const faults: unknown[] = []

  async function openWorker(name: string) {
    const runtime = await openRuntime(place.config)
    const { db, clock, random, master } = runtime
    const deliverer = webhookDeliverer({
      db,
      clock,
      box: secretsBox(master, random),
      send: async ({ url, headers }: WebhookRequest) => {
        const delivery = `${url} ${headers['webhook-id']}`
        sent.set(delivery, [...(sent.get(delivery) ?? []), name])
        await pause(1)
        return { status: 200, durationMs: 1, answer: '', error: null, retryAfterMs: null }
      },
      timeoutMs: 10_000,
      record: batch((made: AttemptMade[]) => recordAttempts(runtime, DELIVERY, made), {
        flushes: 2,
        batchSize: 100,
        maxWaiting: 10_000,
      }),
      yielded: () => {},
      failed: (error) => void faults.push(error),
    })
    return { runtime, deliverer }
  }

  const workers = [await openWorker('first'), await openWorker('second')]
  t.after(() => Promise.all(workers.map(({ runtime }) => runtime.close())))
  const [{ runtime }] = workers as [(typeof workers)[number]]
  const accounts: string[] = []
  for (const nth of upTo(ENDPOINTS / PER_ACCOUNT)) {
    const { accounts: born } = await newMerchant(runtime)
    accounts.push(born.sandbox.accountId)
    for (const each of upTo(PER_ACCOUNT))
      await newEndpoint(runtime, born.sandbox.accountId, `https://shop.example.com/${nth}/${each}`)
  }
  const owed = EVENTS * PER_ACCOUNT
  let isOver = false
  t.after(() => {
    isOver = true
  })
  const working = workers.map(async ({ deliverer }) => {
    while (sent.size < owed && faults.length === 0 && !isOver) {
      await deliverer.round()
      await pause(2)
    }
    await deliverer.stop()
  })
  for (let written = 0; written < EVENTS; written += TOGETHER * accounts.length) {
    const due = sent.size + TOGETHER * ENDPOINTS
    await Promise.all(accounts.map((accountId) => writeEvents(runtime, accountId, upTo(TOGETHER, written))))
    await until(`${due} deliveries`, () => sent.size === due || faults.length > 0)
  }
  await Promise.all(working)

  assert.deepEqual(faults, [])
  assert.deepEqual(
    [...sent].filter(([, senders]) => senders.length > 1),
    [],
  )
  const rows = await runtime.db.rows(`select attempts from webhook_deliveries where status = 'delivered'`)
  assert.equal(rows.length, owed, 'and each is noted as delivered')
  const share = [...sent.values()].filter(([sender]) => sender === 'first').length
  t.diagnostic(`${owed} deliveries: ${share} by one worker, ${owed - share} by the other`)
  assert.ok(share > 0 && share < owed, 'both had some')
})
