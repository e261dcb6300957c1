// Promise 10: an endpoint is a queue of its own. One that hangs, or that keeps failing, keeps only its own deliveries waiting, and rests
// between attempts. Measured in virtual milliseconds, so that a busy machine changes nothing; what it costs is the bench's to say.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { claimEndpointQueues } from '../../src/store/webhooks/endpoints.ts'
import {
  HOST,
  LOOK_EVERY_MS,
  openWebhookService,
  type ReceiverAnswer,
  type SentWebhook,
  TIMEOUT_MS,
  type WebhookService,
} from '../kit/scripted-receivers.ts'
import { POSTGRES, SQLITE, STORES, type StoreKind } from '../kit/stores.ts'
import { type AddedEndpoint, change, deliveries, endpointOf, newEndpoint, upTo, writeEvents } from '../kit/webhooks.ts'

const AT_ONCE_IN_QUEUE = 8
const CLAIM_MS = 60_000

/** Quick form; the bench has the long one. */
const WAVES: [StoreKind, waves: number][] = [
  [SQLITE, 8],
  [POSTGRES, 2],
]
const ACCOUNTS = 20
const ENDPOINTS = 5
const QUEUED = 1_000
const PAYMENTS = 3

for (const [store, waves] of WAVES) {
  it(`promise 10: one of 100 endpoints hangs with ${QUEUED} queued: the others wait no millisecond longer, on ${store.name}`, async (t) => {
    const service = await openWebhookService(store)
    t.after(() => service.remove())
    const accounts: NewAccount[] = []
    for (let nth = 0; nth < ACCOUNTS; nth++) {
      const account = (await service.merchant()).accounts.sandbox
      accounts.push(account)
      for (let endpoint = 0; endpoint < ENDPOINTS; endpoint++) {
        const hangs = nth === 0 && endpoint === 0
        const events = [hangs ? 'payment.refunded' : 'payment.succeeded']
        await newEndpoint(service, account.accountId, `${HOST}/${hangs ? 'hangs' : 'works'}`, { events })
      }
    }
    const [first] = accounts as [NewAccount]
    service.receivers.answer = ({ path }) => (path === '/hangs' ? 'hangs' : 200)
    await writeEvents(service, first.accountId, upTo(QUEUED), 'refunded')
    await service.clock.advance(LOOK_EVERY_MS)
    const hanging = (): number => service.sent.filter(({ path }) => path === '/hangs').length
    assert.equal(hanging(), AT_ONCE_IN_QUEUE)

    let others = 0
    for (let wave = 0; wave < waves; wave++) {
      service.sent.length = 0
      const numbers = upTo(PAYMENTS, QUEUED + 1 + wave * PAYMENTS)
      const toldAt = service.clock.now()
      for (const { accountId } of accounts) await writeEvents(service, accountId, numbers)
      await service.clock.advance(2_000)
      const sent = service.sent.filter(({ path }) => path === '/works')
      assert.equal(sent.length, (ACCOUNTS * ENDPOINTS - 1) * PAYMENTS)
      // Nobody woke it: the next look finds them, and all go out in its millisecond.
      const late = sent.filter(({ at }) => at > toldAt + LOOK_EVERY_MS)
      assert.deepEqual(late, [])
      others += sent.length
    }
    const [{ left }] = (await service.db.rows(
      `select count(*) as left from webhook_deliveries where status = 'waiting'`,
    )) as [{ left: number }]
    assert.equal(Number(left), QUEUED, 'the one that hangs was hanging all the time, and loses nothing')
    t.diagnostic(`${others} deliveries to 99 endpoints, in ${waves} waves`)
  })
}

describe('a queue', () => {
  let service: WebhookService
  let accountId: string
  let endpoint: AddedEndpoint
  let startedAt: number

  before(async () => {
    service = await openWebhookService(SQLITE)
  })
  after(() => service.remove())

  async function begin(answer: (sent: SentWebhook) => ReceiverAnswer): Promise<void> {
    if (endpoint !== undefined) await change(service, endpoint, { to: 'removed' })
    accountId = (await service.merchant()).accounts.sandbox.accountId
    endpoint = await newEndpoint(service, accountId, `${HOST}/${accountId}`)
    service.receivers.answer = answer
    service.sent.length = 0
    startedAt = service.clock.now()
  }

  it('that fails five times in a row is tried with one delivery at a time, after rests that double up to a minute', async () => {
    await begin(() => 'refused')
    await writeEvents(service, accountId, upTo(100))
    await service.clock.advance(300_000)
    const times = service.sent.map(({ at }) => at)
    const first = times.filter((at) => at === times[0])
    assert.equal(first.length, AT_ONCE_IN_QUEUE)
    const pauses = times.slice(first.length).map((at, nth) => at - (times[first.length - 1 + nth] as number))
    const rests = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]
    assert.equal(pauses.length, rests.length)
    for (const [nth, rest] of rests.entries()) {
      const pause = pauses[nth] as number
      assert.ok(pause >= rest && pause <= rest + LOOK_EVERY_MS, `rest ${nth + 1} was ${pause} ms`)
    }
  })

  it('that has rested is opened by its first success: everything due follows at once', async () => {
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

  it('that hangs has at most eight attempts under way, and then one', async () => {
    await begin(() => 'hangs')
    await writeEvents(service, accountId, upTo(100))
    await service.clock.advance(120_000)
    const times = service.sent.map(({ at }) => at)
    const underWay = times.map((now) => times.filter((at) => at <= now && at > now - TIMEOUT_MS).length)
    assert.equal(Math.max(...underWay), AT_ONCE_IN_QUEUE)
    assert.deepEqual(
      underWay.filter((_, nth) => (times[nth] as number) > startedAt + 3 * TIMEOUT_MS),
      [1, 1, 1],
    )
  })

  const ANSWERS: [receipt: ReceiverAnswer, isSilence: boolean][] = [
    ['refused', true],
    [500, true],
    [503, true],
    [408, true],
    [429, true],
    [200, false],
    [301, false],
    [400, false],
    [401, false],
    [404, false],
  ]
  for (const [receipt, isSilence] of ANSWERS) {
    it(`that gets ${receipt} forty times ${isSilence ? 'rests' : 'goes on'}`, async () => {
      await begin(() => receipt)
      await writeEvents(service, accountId, upTo(40))
      await service.clock.advance(LOOK_EVERY_MS)
      assert.equal(service.sent.length, isSilence ? AT_ONCE_IN_QUEUE : 40)
    })
  }

  it('that hears 410 sends nothing of what it had in hand', async () => {
    await begin(() => 410)
    await writeEvents(service, accountId, upTo(40))
    await service.clock.advance(LOOK_EVERY_MS)
    assert.equal(service.sent.length, AT_ONCE_IN_QUEUE)
  })

  it('that is turned off by hand stays so when the attempt under way hears 410', async () => {
    await begin(() => ({ status: 410, afterMs: 2_000 }))
    await writeEvents(service, accountId, [1])
    await service.clock.advance(LOOK_EVERY_MS)
    await change(service, endpoint, { to: 'off' })
    await service.clock.advance(3_000)
    assert.equal((await endpointOf(service, endpoint)).status, 'off')
  })

  for (const to of ['off', 'removed'] as const) {
    it(`that is ${to} while it sends begins no attempt a second later`, async () => {
      await begin(() => ({ status: 200, afterMs: 2_000 }))
      await writeEvents(service, accountId, upTo(40))
      await service.clock.advance(LOOK_EVERY_MS)
      await change(service, endpoint, { to })
      await service.clock.advance(CLAIM_MS * 2)
      assert.equal(service.sent.length, AT_ONCE_IN_QUEUE)
      if (to === 'off') await change(service, endpoint, { to: 'on' })
      else endpoint = await newEndpoint(service, accountId, `${HOST}/again`)
      await service.clock.advance(CLAIM_MS)
      assert.equal(service.sent.length, to === 'off' ? 40 : AT_ONCE_IN_QUEUE)
    })
  }

  it('keeps eight attempts under way for as long as it takes', async () => {
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

for (const store of STORES) {
  it(`a queue whose process died is taken up again when its claim is over, on ${store.name}`, async (t) => {
    const service = await openWebhookService(store)
    t.after(() => service.remove())
    const { accountId } = (await service.merchant()).accounts.sandbox
    await newEndpoint(service, accountId, HOST)
    await writeEvents(service, accountId, upTo(3))
    const now = service.clock.now()
    assert.equal((await claimEndpointQueues(service.db, now, now + CLAIM_MS, 10)).length, 1)
    await service.clock.advance(CLAIM_MS - 1)
    // What comes meanwhile does not open it either.
    await writeEvents(service, accountId, [4])
    assert.equal(service.sent.length, 0)
    await service.clock.advance(LOOK_EVERY_MS)
    assert.equal(service.sent.length, 4)
  })
}
