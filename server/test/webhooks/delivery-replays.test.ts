// What is sent again by hand: one delivery, all that failed since a time, or all about a payment. Marked as such, counted in rounds, in a
// queue of its own that holds up nothing new, and never lost (D-28, D-48).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MOST_REPLAYS, type ReplayInput, replayEvents } from '../../src/actions/webhooks/deliveries.ts'
import { deliveryName } from '../../src/domain/webhook-event.ts'
import { listDeliveryAttempts } from '../../src/store/webhooks/delivery-log.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { insertPending } from '../kit/pending-payments.ts'
import {
  HOST,
  LOOK_EVERY_MS,
  openWebhookService,
  type SentWebhook,
  type WebhookService,
} from '../kit/scripted-receivers.ts'
import { SQLITE } from '../kit/stores.ts'
import { type AddedEndpoint, change, deliveries, newEndpoint, upTo, writeEvents } from '../kit/webhooks.ts'

const HEADER = 'svc-webhook-replay'
const REPLAYS_ALONE = 8
/** At most so many live events go out between one look and the next. */
const LONGEST_BATCH = 200

/** What is queued to show that it holds up nothing. */
const QUEUED = 250

const isReplay = ({ headers }: SentWebhook): boolean => HEADER in headers

describe('replays', () => {
  let service: WebhookService
  let accountId: string
  let endpoint: AddedEndpoint

  before(async () => {
    service = await openWebhookService(SQLITE)
  })
  after(() => service.remove())

  async function begin(): Promise<void> {
    if (endpoint !== undefined) await change(service, endpoint, { to: 'removed' })
    accountId = (await service.merchant()).accounts.sandbox.accountId
    endpoint = await newEndpoint(service, accountId, `${HOST}/${accountId}`)
    service.receivers.answer = () => 200
    service.sent.length = 0
  }

  /** As after three days: the events are written, and their deliveries given up. */
  async function writeFailedEvents(numbers: readonly number[]): Promise<void> {
    await change(service, endpoint, { to: 'off' })
    await writeEvents(service, accountId, numbers)
    await service.db.change(
      `update webhook_deliveries set status = 'failed', due_at = null, ended_at = $2
         where account_id = $1 and status = 'waiting'`,
      [accountId, service.clock.now()],
    )
    await change(service, endpoint, { to: 'on' })
    await service.clock.advance(LOOK_EVERY_MS)
  }

  const again = (input: ReplayInput) => replayEvents(service, TESTER, input)
  const nameOf = (sequence: number): string => deliveryName({ ...endpoint, sequence, round: 0 })
  const look = () => service.clock.advance(LOOK_EVERY_MS)
  const rounds = async (): Promise<string[]> =>
    (await deliveries(service, accountId)).map(({ sequence, round, status }) => `${sequence}-${round} ${status}`)

  it('of one delivery carry the same body and the same webhook-id, a count, and a log of their own', async () => {
    await begin()
    await writeEvents(service, accountId, [1])
    await look()
    const delivery = { ...endpoint, sequence: 1, round: 0 }
    for (const _time of upTo(2)) {
      assert.deepEqual(await again({ delivery: nameOf(1) }), { deliveries: 1, events: 1 })
      await look()
    }
    assert.deepEqual(
      service.sent.map(({ headers }) => headers[HEADER]),
      [undefined, '1', '2'],
    )
    assert.equal(new Set(service.sent.map(({ body }) => body)).size, 1)
    assert.equal(new Set(service.sent.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.deepEqual(await rounds(), ['1-0 delivered', '1-1 delivered', '1-2 delivered'])
    for (const [round, { at }] of service.sent.entries()) {
      const log = await listDeliveryAttempts(service.db, { ...delivery, round })
      assert.deepEqual(
        log.map((row) => [row.attempt, row.at, row.statusCode]),
        [[1, at, 200]],
      )
    }
    assert.deepEqual(await again({ delivery: nameOf(2) }), { refused: 'delivery_not_found' })
  })

  it('that are not taken are tried again like any event', async () => {
    await begin()
    await writeEvents(service, accountId, [1])
    await look()
    service.receivers.answer = () => 404
    await again({ delivery: nameOf(1) })
    await service.sleepUntilNothingIsDue()
    assert.equal(service.sent.filter(isReplay).length, 10)
    assert.deepEqual(await rounds(), ['1-0 delivered', '1-1 failed'])
  })

  it('of all that failed take each once, and again only when that has failed too', async () => {
    await begin()
    await writeFailedEvents(upTo(3))
    await writeEvents(service, accountId, [4])
    await look()
    const failed = { accountId, failedSince: 0 }
    service.sent.length = 0
    await change(service, endpoint, { to: 'off' })
    assert.deepEqual(await again(failed), { deliveries: 3, events: 3 })
    assert.deepEqual(await again(failed), { deliveries: 0, events: 0 }, 'they wait already')
    await look()
    assert.deepEqual(service.sent, [])
    await change(service, endpoint, { to: 'on' })
    await look()
    assert.equal(service.sent.filter(isReplay).length, 3)
    assert.deepEqual(await again(failed), { deliveries: 0, events: 0 }, 'they arrived')

    await writeFailedEvents([5])
    assert.deepEqual(await again(failed), { deliveries: 1, events: 1 })
    service.receivers.answer = () => 404
    await service.sleepUntilNothingIsDue()
    assert.deepEqual(await again(failed), { deliveries: 1, events: 1 })
    assert.equal((await rounds()).at(-1), '5-2 waiting')
  })

  it('of all that failed since a time leave out what is older, and other endpoints when one is named', async () => {
    await begin()
    const other = await newEndpoint(service, accountId, `${HOST}/other`)
    await change(service, other, { to: 'off' })
    await writeFailedEvents([1])
    await service.clock.advance(1_000)
    const failedSince = service.clock.now()
    await writeFailedEvents([2])
    const { endpointId } = other
    assert.deepEqual(await again({ accountId, failedSince, endpointId }), { deliveries: 1, events: 1 })
    assert.deepEqual(await again({ accountId, failedSince }), { deliveries: 1, events: 1 })
    assert.deepEqual(await again({ accountId, failedSince: 0 }), { deliveries: 2, events: 1 })
  })

  it('that many ask for at once are made one after the other, and none twice', async () => {
    await begin()
    await writeFailedEvents(upTo(5))
    const failed = await Promise.all(upTo(4).map(() => again({ accountId, failedSince: 0 })))
    const queued = failed.map((answer) => granted(answer).deliveries)
    assert.deepEqual(queued.sort(), [0, 0, 0, 5])
    await Promise.all(upTo(4).map(() => again({ delivery: nameOf(1) })))
    const first = (await deliveries(service, accountId)).filter(({ sequence }) => sequence === 1)
    assert.deepEqual(
      first.map(({ round }) => round),
      upTo(6, 0),
    )
  })

  it('of a payment go to every endpoint that wants its events, also to one that came later', async () => {
    await begin()
    await insertPending(service, accountId, 1, { dueAt: service.clock.now() + 86_400_000 })
    const [payment] = await service.db.rows<{ number: number; reference: string }>(
      'select number, reference from payments where account_id = $1',
      [accountId],
    )
    assert.ok(payment)
    const ofPayment = { payment: payment.reference }
    assert.deepEqual(await again(ofPayment), { refused: 'no_events_yet' })
    await writeEvents(service, accountId, [payment.number])
    await writeEvents(service, accountId, [payment.number], 'refunded')
    await look()
    await newEndpoint(service, accountId, `${HOST}/later`, { events: ['payment.refunded'] })
    service.sent.length = 0
    assert.deepEqual(await again(ofPayment), { deliveries: 3, events: 2 })
    await look()
    assert.deepEqual(
      service.sent.map(({ path, event, headers }) => [path, event.event, headers[HEADER]]).sort(),
      [
        [`/${accountId}`, 'payment.refunded', '1'],
        [`/${accountId}`, 'payment.succeeded', '1'],
        ['/later', 'payment.refunded', '1'],
      ].sort(),
    )
    assert.deepEqual(await again({ payment: '0'.repeat(24) }), { refused: 'payment_not_found' })
  })

  it(`let a live event go first: with ${QUEUED} of them queued it is in the next batch`, async () => {
    await begin()
    await writeFailedEvents(upTo(QUEUED))
    service.receivers.answer = () => ({ status: 200, afterMs: 100 })
    await again({ accountId, failedSince: 0 })
    await service.clock.advance(1_050)
    const before = service.sent.length
    assert.ok(before > 0 && before < QUEUED && service.sent.every(isReplay))
    await writeEvents(service, accountId, [QUEUED + 1])
    await service.clock.advance(250)
    const next = service.sent.slice(before)
    const live = next.findIndex((sent) => !isReplay(sent))
    assert.ok(live >= 0 && live <= REPLAYS_ALONE, `after ${live} more replays`)
    await service.clock.advance(20_000)
    assert.equal(service.sent.length, QUEUED + 1, 'and the replays go on')
  })
})

it('beside many live events replays get a little, and no more', async (t) => {
  const service = await openWebhookService(SQLITE)
  t.after(() => service.remove())
  const { accountId } = (await service.merchant()).accounts.sandbox
  const endpoint = await newEndpoint(service, accountId, HOST)
  await change(service, endpoint, { to: 'off' })
  await writeEvents(service, accountId, upTo(100))
  await service.db.change(`update webhook_deliveries set status = 'failed', due_at = null`)
  await replayEvents(service, TESTER, { accountId, failedSince: 0 })
  await writeEvents(service, accountId, upTo(LONGEST_BATCH * 3, 101))
  await change(service, endpoint, { to: 'on' })
  await service.clock.advance(LOOK_EVERY_MS)
  const lastLive = service.sent.findLastIndex((sent) => !isReplay(sent))
  const beside = service.sent.slice(0, lastLive).filter(isReplay).length
  assert.ok(beside >= 2 && beside <= 24, `${beside} beside`)
  assert.equal(service.sent.length, LONGEST_BATCH * 3 + 100)
})

it(`one command sends ${MOST_REPLAYS} again at the most, the oldest first, and the next one the rest`, async (t) => {
  const service = await openWebhookService(SQLITE)
  t.after(() => service.remove())
  const { accountId } = (await service.merchant()).accounts.sandbox
  const endpoint = await newEndpoint(service, accountId, HOST)
  await change(service, endpoint, { to: 'off' })
  await writeEvents(service, accountId, upTo(MOST_REPLAYS + 7))
  await service.db.change(`update webhook_deliveries set status = 'failed', due_at = null`)
  const failed = { accountId, failedSince: 0 }
  assert.deepEqual(await replayEvents(service, TESTER, failed), { deliveries: MOST_REPLAYS, events: MOST_REPLAYS })
  const [row] = (await service.db.rows('select max(sequence) as last from webhook_deliveries where round = 1')) as [
    { last: number },
  ]
  assert.equal(row.last, MOST_REPLAYS)
  assert.deepEqual(await replayEvents(service, TESTER, failed), { deliveries: 7, events: 7 })
})
