// Each endpoint has its own queue (promises 7 and 10): a slow or failing receiver delays only its
// own deliveries, and two workers send nothing twice. Measured in virtual milliseconds, so that a
// busy machine changes nothing.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { type AttemptMade, recordAttempts } from '../../src/actions/webhooks/record-attempts.ts'
import type { ServiceItself } from '../../src/domain/people/caller.ts'
import { secretsBox } from '../../src/service/master-key.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import { batch } from '../../src/store/engine/batch.ts'
import {
  claimEndpointQueues,
  type EndpointQueue,
  leaveEndpointQueue,
  renewEndpointQueue,
  wakeEndpoints,
} from '../../src/store/webhooks/endpoints.ts'
import type { WebhookRequest } from '../../src/webhooks/send.ts'
import { WebhookDeliverer } from '../../src/worker/deliver-webhooks.ts'
import {
  beginAccount,
  HOST,
  LOOK_EVERY_MS,
  openWebhookService,
  type ReceiverAnswer,
  type SentWebhook,
  sendEvents,
  TIMEOUT_MS,
  type WebhookService,
} from '../kit/receiver.ts'
import { newMerchant, openTestService } from '../kit/service.ts'
import { POSTGRES, SQLITE, STORES, type StoreKind } from '../kit/stores.ts'
import { tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'
import {
  type AddedEndpoint,
  change,
  deliveries,
  endpointOf,
  newEndpoint,
  upTo,
  writeEvents,
} from '../kit/webhooks.ts'

describe('webhook queues', () => {
  const AT_ONCE_IN_QUEUE = 8
  const CLAIM_MS = 60_000

  const WAVES: [StoreKind, waves: number][] = [
    [SQLITE, tries(3, 8)],
    [POSTGRES, 2],
  ]
  const ACCOUNTS = 20
  const ENDPOINTS = 5
  const QUEUED = 1_000
  const PAYMENTS = 3

  for (const [store, waves] of WAVES)
    it(`promise 10: one of 100 endpoints hangs with ${QUEUED} queued: no other endpoint is delayed by a millisecond, on ${store.name}`, async (t) => {
      const service = await openWebhookService(store)
      t.after(() => service.remove())
      const accounts: NewAccount[] = []
      for (let nth = 0; nth < ACCOUNTS; nth++) {
        const account = (await service.merchant()).accounts.sandbox
        accounts.push(account)
        for (let endpoint = 0; endpoint < ENDPOINTS; endpoint++) {
          const hangs = nth === 0 && endpoint === 0
          const events = [hangs ? 'payment.refunded' : 'payment.succeeded']
          const url = `${HOST}/${hangs ? 'hangs' : `works-${endpoint}`}`
          await newEndpoint(service, account.accountId, url, { events })
        }
      }
      const [first] = accounts as [NewAccount]
      service.receivers.answer = ({ path }) => (path === '/hangs' ? 'hangs' : 200)
      await sendEvents(service, first.accountId, upTo(QUEUED), 'refunded')
      const hanging = (): number => service.sent.filter(({ path }) => path === '/hangs').length
      assert.equal(hanging(), AT_ONCE_IN_QUEUE)

      let others = 0
      for (let wave = 0; wave < waves; wave++) {
        service.sent.length = 0
        const numbers = upTo(PAYMENTS, QUEUED + 1 + wave * PAYMENTS)
        const writtenAt = service.clock.now()
        for (const { accountId } of accounts) await writeEvents(service, accountId, numbers)
        await service.clock.advance(2_000)
        const sent = service.sent.filter(({ path }) => path.startsWith('/works-'))
        assert.equal(sent.length, (ACCOUNTS * ENDPOINTS - 1) * PAYMENTS)
        // Nothing woke the dispatcher: its next poll finds them, and all are sent in that
        // millisecond.
        const late = sent.filter(({ at }) => at > writtenAt + LOOK_EVERY_MS)
        assert.deepEqual(late, [])
        others += sent.length
      }
      const [{ left }] = (await service.db.read(
        `select count(*) as left from webhook_deliveries where status = 'waiting'`,
      )) as [{ left: number }]
      assert.equal(
        Number(left),
        QUEUED,
        'the one that hangs was hanging all the time, and loses nothing',
      )
      t.diagnostic(`${others} deliveries to 99 endpoints, in ${waves} waves`)
    })

  describe('a queue', async () => {
    let accountId: string
    let endpoint: AddedEndpoint
    let startedAt: number
    const service = await openWebhookService(SQLITE)
    after(() => service.remove())

    async function begin(answer: (sent: SentWebhook) => ReceiverAnswer): Promise<void> {
      ;({ accountId, endpoint } = await beginAccount(service, answer, endpoint))
      startedAt = service.clock.now()
    }

    it('after five failures in a row sends one delivery at a time, with backoff that doubles up to a minute', async () => {
      await begin(() => 'refused')
      await writeEvents(service, accountId, upTo(100))
      await service.clock.advance(300_000)
      const times = service.sent.map(({ at }) => at)
      const first = times.filter((at) => at === times[0])
      assert.equal(first.length, AT_ONCE_IN_QUEUE)
      const pauses = times
        .slice(first.length)
        .map((at, nth) => at - (times[first.length - 1 + nth] as number))
      const rests = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]
      assert.equal(pauses.length, rests.length)
      for (const [nth, rest] of rests.entries()) {
        const pause = pauses[nth] as number
        assert.ok(pause >= rest && pause <= rest + LOOK_EVERY_MS, `rest ${nth + 1} was ${pause} ms`)
      }
    })

    it('after a backoff the first success closes the breaker: all due deliveries follow at once', async () => {
      await begin(() => 'refused')
      await writeEvents(service, accountId, upTo(300))
      await service.clock.advance(10_000)
      const failed = service.sent.length
      service.receivers.answer = () => 200
      const longestRest = service.clock.now() + 60_000
      while (service.sent.length === failed) {
        assert.ok(service.clock.now() <= longestRest, 'a minute has passed, and nothing was sent')
        await service.clock.advance(LOOK_EVERY_MS)
      }
      const successes = service.sent.slice(failed)
      assert.equal(new Set(successes.map(({ at }) => at)).size, 1)
      assert.ok(successes.length > 280, `${successes.length} at once`)
    })

    it('with a receiver that hangs has at most eight attempts in flight, then one', async () => {
      await begin(() => 'hangs')
      await writeEvents(service, accountId, upTo(100))
      await service.clock.advance(120_000)
      const times = service.sent.map(({ at }) => at)
      const underWay = times.map(
        (now) => times.filter((at) => at <= now && at > now - TIMEOUT_MS).length,
      )
      assert.equal(Math.max(...underWay), AT_ONCE_IN_QUEUE)
      const later = underWay.filter((_, nth) => (times[nth] as number) > startedAt + 3 * TIMEOUT_MS)
      assert.deepEqual(later, [1, 1, 1])
    })

    const SILENCE: ReceiverAnswer[] = ['refused', 500, 503, 408, 429]
    for (const receipt of [...SILENCE, 200, 301, 400, 401, 404] satisfies ReceiverAnswer[]) {
      const isSilence = SILENCE.includes(receipt)
      it(`that gets ${receipt} forty times ${isSilence ? 'backs off' : 'continues'}`, async () => {
        await begin(() => receipt)
        await sendEvents(service, accountId, upTo(40))
        assert.equal(service.sent.length, isSilence ? AT_ONCE_IN_QUEUE : 40)
      })
    }

    it('after a 410 sends nothing of its claimed batch', async () => {
      await begin(() => 410)
      await sendEvents(service, accountId, upTo(40))
      assert.equal(service.sent.length, AT_ONCE_IN_QUEUE)
    })

    it('that was disabled by hand stays disabled when an in-flight attempt gets 410', async () => {
      await begin(() => ({ status: 410, afterMs: 2_000 }))
      await sendEvents(service, accountId, [1])
      await change(service, endpoint, { to: 'off' })
      await service.clock.advance(3_000)
      assert.equal((await endpointOf(service, endpoint)).status, 'off')
    })

    for (const to of ['off', 'removed'] as const)
      it(`that is ${to} while it sends starts no attempt a second later`, async () => {
        await begin(() => ({ status: 200, afterMs: 2_000 }))
        await sendEvents(service, accountId, upTo(40))
        await change(service, endpoint, { to })
        await service.clock.advance(CLAIM_MS * 2)
        assert.equal(service.sent.length, AT_ONCE_IN_QUEUE)
        if (to === 'off') await change(service, endpoint, { to: 'on' })
        else endpoint = await newEndpoint(service, accountId, `${HOST}/again`)
        await service.clock.advance(CLAIM_MS)
        assert.equal(service.sent.length, to === 'off' ? 40 : AT_ONCE_IN_QUEUE)
      })

    it('keeps eight attempts in flight throughout', async () => {
      await begin(() => ({ status: 200, afterMs: 9_000 }))
      await writeEvents(service, accountId, upTo(120))
      await service.clock.advance(9_000 * 15 + LOOK_EVERY_MS)
      const rows = await deliveries(service, accountId)
      assert.equal(rows.filter(({ status }) => status === 'delivered').length, 120)
      assert.equal(service.sent.length, 120)
      const lastAt = service.sent.at(-1)?.at as number
      assert.ok(lastAt <= startedAt + 9_000 * 14 + LOOK_EVERY_MS, `${lastAt - startedAt} ms`)
    })
  })

  for (const store of STORES)
    it(`a queue of a dead process is taken over when its claim expires, on ${store.name}`, async (t) => {
      const service = await openWebhookService(store)
      t.after(() => service.remove())
      const { accountId } = (await service.merchant()).accounts.sandbox
      await newEndpoint(service, accountId, HOST)
      await writeEvents(service, accountId, upTo(3))
      const now = service.clock.now()
      assert.equal((await claimEndpointQueues(service.db, now, now + CLAIM_MS, 10)).length, 1)
      await service.clock.advance(CLAIM_MS - 1)
      // New events do not release it either.
      await writeEvents(service, accountId, [4])
      assert.equal(service.sent.length, 0)
      await service.clock.advance(LOOK_EVERY_MS)
      assert.equal(service.sent.length, 4)
    })
})

// More slow endpoints than a process serves at once. They do not fail, so no breaker opens.
describe('webhook slots', () => {
  const ACCOUNTS = 50
  const ENDPOINTS = 5
  const EVENTS = 4
  /** For each slow endpoint: more than it can send, eight at once, until the last event. */
  const QUEUED = 8 * (EVENTS + 2)
  const ANSWERS_AFTER_MS = 9_900
  const AT_ONCE_IN_QUEUE = 8
  const isSlow = ({ path }: SentWebhook): boolean => path.startsWith('/slow')

  async function addSlowEndpoints(service: WebhookService): Promise<void> {
    for (const account of upTo(ACCOUNTS)) {
      const { accountId } = (await service.merchant()).accounts.sandbox
      for (const each of upTo(ENDPOINTS))
        await newEndpoint(service, accountId, `${HOST}/slow/${account}/${each}`)
      await writeEvents(service, accountId, upTo(QUEUED))
    }
  }

  it(`${ACCOUNTS * ENDPOINTS} slow receivers, more than the slots, delay a fast one by one answer at most, and then not at all`, async (t) => {
    const service = await openWebhookService(SQLITE)
    t.after(() => service.remove())
    service.receivers.answer = (sent) =>
      isSlow(sent) ? { status: 200, afterMs: ANSWERS_AFTER_MS } : 200
    await addSlowEndpoints(service)
    await service.clock.advance(LOOK_EVERY_MS)
    const { accountId } = (await service.merchant()).accounts.sandbox
    await newEndpoint(service, accountId, `${HOST}/quick`)

    const waits: number[] = []
    for (const event of upTo(EVENTS)) {
      const writtenAt = service.clock.now()
      await writeEvents(service, accountId, [event])
      await service.clock.advance(TIMEOUT_MS + LOOK_EVERY_MS)
      const quick = service.sent.filter((sent) => !isSlow(sent))
      assert.equal(
        quick.length,
        event,
        `event ${event} was not sent within an answer of the slow ones`,
      )
      waits.push((quick.at(-1)?.at as number) - writtenAt)
    }
    const [, ...later] = waits
    assert.ok(Math.max(...later) <= LOOK_EVERY_MS, `waited ${waits.join(', ')} ms`)

    const byEndpoint = Map.groupBy(service.sent.filter(isSlow), ({ path }) => path)
    assert.equal(byEndpoint.size, ACCOUNTS * ENDPOINTS, 'every slow endpoint has had a turn')
    for (const [path, sent] of byEndpoint) {
      const times = sent.map(({ at }) => at)
      const underWay = times.map(
        (now) => times.filter((at) => at <= now && at > now - ANSWERS_AFTER_MS).length,
      )
      assert.ok(Math.max(...underWay) <= AT_ONCE_IN_QUEUE, path)
      assert.equal(
        new Set(sent.map(({ event }) => event.id)).size,
        sent.length,
        `${path} got nothing twice`,
      )
    }
    const counts = [...byEndpoint.values()].map(({ length }) => length)
    assert.ok(Math.max(...counts) <= 3 * Math.min(...counts), 'slow endpoints take turns')
    t.diagnostic(
      `the quick one waited ${waits.join(', ')} ms; slow ones got ${Math.min(...counts)} to ${Math.max(...counts)}`,
    )
  })
})

it('woken queues: a worker leaves a queue only after the commit of an event that wakes it', async () => {
  // Its own workers would process the queue.
  const service = await openTestService(POSTGRES, { KARBA_ROLE: 'api' })
  const { db, clock } = service
  const { accountId } = (await service.merchant()).accounts.sandbox
  await newEndpoint(service, accountId, 'https://shop.example.com/hook')
  await wakeEndpoints(db, accountId, clock.now())
  const [queue] = (await claimEndpointQueues(db, clock.now(), clock.now() + 60_000, 1)) as [
    EndpointQueue,
  ]
  await wakeEndpoints(db, accountId, clock.now())

  const commit = Promise.withResolvers<void>()
  const woken = Promise.withResolvers<void>()
  const writing = db.transaction(async (tx) => {
    await wakeEndpoints(tx, accountId, clock.now())
    woken.resolve()
    await commit.promise
  })
  await woken.promise
  let isLeft: boolean | undefined
  const leaving = (async () => {
    const claimedUntil = queue.claimedUntil + 1
    assert.ok(await renewEndpointQueue(db, queue, claimedUntil))
    // Here a worker reads due deliveries, and finds nothing uncommitted.
    isLeft = await leaveEndpointQueue(db, { ...queue, claimedUntil }, null)
  })()
  const isHeldBack = async (): Promise<boolean> => {
    const waiting = await db.read(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database()`,
    )
    return waiting.length > 0
  }
  await until(
    'worker that waits for the event, or has left',
    async () => isLeft !== undefined || (await isHeldBack()),
  )
  const hadLeft = isLeft
  commit.resolve()
  await Promise.all([writing, leaving])
  assert.equal(hadLeft, undefined)
  await service.remove()
})

describe('webhook workers', () => {
  const DELIVERY: ServiceItself = { is: 'service', part: 'webhook delivery' }
  const EVENTS = 500
  const ENDPOINTS = 10
  const PER_ACCOUNT = 5
  /** Written a few at a time: when all have arrived, every queue can be claimed again. */
  const TOGETHER = 10

  it(`promise 7: two workers share ${ENDPOINTS} endpoints and ${EVENTS} events: no delivery is sent twice`, async (t) => {
    const place = await POSTGRES.makePlace()
    t.after(() => place.remove())
    const sent = new Map<string, string[]>()
    const faults: unknown[] = []

    async function openWorker(name: string) {
      const runtime = await openRuntime(place.config)
      const { db, clock, random, master } = runtime
      const deliverer = new WebhookDeliverer({
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
        await newEndpoint(
          runtime,
          born.sandbox.accountId,
          `https://shop.example.com/${nth}/${each}`,
        )
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
      await Promise.all(
        accounts.map((accountId) => writeEvents(runtime, accountId, upTo(TOGETHER, written))),
      )
      await until(`${due} deliveries`, () => sent.size === due || faults.length > 0)
    }
    await Promise.all(working)

    assert.deepEqual(faults, [])
    const twice = [...sent].filter(([, senders]) => senders.length > 1)
    assert.deepEqual(twice, [])
    const rows = await runtime.db.read(
      `select attempts from webhook_deliveries where status = 'delivered'`,
    )
    assert.equal(rows.length, owed, 'and each is noted as delivered')
    const share = [...sent.values()].filter(([sender]) => sender === 'first').length
    t.diagnostic(`${owed} deliveries: ${share} by one worker, ${owed - share} by the other`)
    assert.ok(share > 0 && share < owed, 'both had some')
  })
})
