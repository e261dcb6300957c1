// Links that end unpaid, on both stores: their time is over, or their merchant cancels them. Nothing closes a link that somebody is just
// paying, and a success that comes late is still one (D-22, D-25, D-50).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { granted } from '../kit/callers.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { get, openTestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import {
  byPhone,
  closeLink,
  DECLINES,
  decide,
  newLink,
  onPage,
  pay,
  readLink,
  SUCCEEDS,
  SUCCEEDS_AFTER_3_MINUTES,
  send,
  stateOf,
  statusOfLink,
  toProvider,
} from './payer.ts'

const MINUTE = 60_000
const LIFE = 30 * MINUTE
/** The worker looks every second, and again every ten at a link that somebody is paying. */
const NOTED = 1_000
const LOOKED_AGAIN = 11_000

describe('a link', () => {
  let service: VirtualService
  let account: NewAccount

  before(async () => {
    service = await openVirtualService(SQLITE)
    account = (await service.merchant()).accounts.sandbox
  })
  after(() => service.remove())

  const read = async (link: string) => (await get(service, account.secretKey, link)).body
  const cancel = (link: string) => closeLink(service, link)
  const abandon = (link: string) => send(service, `/pay/${link}/abandon`, {})

  /** Status, why, and every event with its reason. */
  async function ending(link: string): Promise<unknown[]> {
    const { reference, status, failure_reason } = await read(link)
    const { accountId, number } = await paymentOf(service, reference)
    const rows = await service.db.rows<{ payload: string }>(
      'select payload from events where account_id = $1 and number = $2 order by sequence',
      [accountId, number],
    )
    const told = rows.map(({ payload }) => {
      const { event, data } = JSON.parse(payload)
      assert.equal(data.external_payment_reference, link)
      return [event, data.failure_reason].filter((word) => word !== undefined).join(' ')
    })
    return [status, failure_reason, ...told]
  }

  const EXPIRED = ['failed', 'expired', 'payment.failed expired']
  const CANCELLED = ['failed', 'cancelled', 'payment.failed cancelled']
  const SUCCEEDED = ['succeeded', undefined, 'payment.succeeded']

  it('that nobody pays ends as expired after 30 minutes, with one event, however long one waits', async () => {
    const link = await newLink(service, account.secretKey)
    await service.clock.sleep(LIFE - 1)
    assert.deepEqual(await ending(link), ['initiated', undefined])
    await service.clock.advance(NOTED)
    assert.deepEqual(await ending(link), EXPIRED)
    for (let hour = 0; hour < 3; hour++) await service.clock.sleep(60 * MINUTE)
    assert.deepEqual(await ending(link), EXPIRED)
    assert.deepEqual([await statusOfLink(service, link), await stateOf(service, link)], ['failed', 'closed:0'])
  })

  it('whose attempts failed ends as expired too, and tells of no number', async () => {
    const link = await newLink(service, account.secretKey)
    await pay(service, link, byPhone(DECLINES))
    await service.clock.advance(5_000)
    await service.clock.sleep(LIFE)
    assert.deepEqual(await ending(link), EXPIRED)
    assert.equal('msisdn' in (await read(link)), false)
  })

  it('that shall not expire never does, and can be paid after a year', async () => {
    const link = await newLink(service, account.secretKey, { shouldExpire: false })
    await service.clock.sleep(366 * 24 * 60 * MINUTE)
    assert.deepEqual([...(await ending(link)), await stateOf(service, link)], ['initiated', undefined, 'open:0'])
    await pay(service, link, byPhone(SUCCEEDS))
    await service.clock.advance(5_000)
    assert.deepEqual(await ending(link), SUCCEEDED)
  })

  it('that has expired begins nothing, by any method', async () => {
    const link = await newLink(service, account.secretKey)
    await service.clock.sleep(LIFE)
    const calls = [service.calls.request.length, service.calls.open.length]
    for (const fields of [byPhone(SUCCEEDS), onPage('bank_card'), onPage('wallet')]) {
      assert.equal((await pay(service, link, fields)).goTo, `/pay/${link}?lang=fr`)
    }
    await service.clock.advance(5_000)
    assert.deepEqual([service.calls.request.length, service.calls.open.length], calls)
    assert.deepEqual(await ending(link), EXPIRED)
  })

  it('that is being paid when its time is over stays pending, and succeeds when the payer approves', async () => {
    const link = await newLink(service, account.secretKey)
    await service.clock.sleep(LIFE - MINUTE)
    await pay(service, link, byPhone(SUCCEEDS_AFTER_3_MINUTES))
    await service.clock.sleep(2 * MINUTE)
    await service.clock.advance(NOTED)
    assert.deepEqual([...(await ending(link)), await stateOf(service, link)], ['pending', undefined, 'waiting:1'])
    assert.equal(await statusOfLink(service, link), 'pending')
    await cancel(link)
    await service.clock.advance(MINUTE)
    assert.deepEqual(await ending(link), SUCCEEDED)
    await service.clock.sleep(LIFE)
    assert.deepEqual(await ending(link), SUCCEEDED)
  })

  const FAIL_LATE: [about: string, begin: (link: string) => Promise<() => Promise<unknown>>][] = [
    [
      'on the phone',
      async (link) => {
        await pay(service, link, byPhone(DECLINES))
        return () => service.clock.advance(3_000)
      },
    ],
    [
      'on the provider’s page',
      async (link) => {
        const page = await toProvider(service, link, onPage('bank_card'))
        return () => decide(service, page, 'decline')
      },
    ],
    [
      'by giving up',
      async (link) => {
        await toProvider(service, link, onPage('wallet'))
        return () => abandon(link)
      },
    ],
  ]
  for (const [about, begin] of FAIL_LATE) {
    it(`that is being paid when its time is over, and then fails ${about}, reads as failed at once and closes as expired`, async () => {
      const link = await newLink(service, account.secretKey)
      await service.clock.sleep(LIFE - 1_000)
      const fail = await begin(link)
      await service.clock.sleep(1_500)
      assert.equal(await statusOfLink(service, link), 'pending')
      await fail()
      assert.deepEqual([await statusOfLink(service, link), await stateOf(service, link)], ['failed', 'closed:0'])
      await pay(service, link, byPhone(SUCCEEDS, 1))
      await service.clock.advance(LOOKED_AGAIN)
      assert.deepEqual(await ending(link), EXPIRED)
    })
  }

  it('that the merchant cancels ends as cancelled, once, and begins nothing more', async () => {
    const link = await newLink(service, account.secretKey)
    granted(await cancel(link))
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(await cancel(link), { refused: 'link_closed', state: 'cancelled' })
    }
    await pay(service, link, byPhone(SUCCEEDS))
    await service.clock.sleep(LIFE)
    await service.clock.advance(NOTED)
    assert.deepEqual(await ending(link), CANCELLED)
    assert.equal((await readLink(service, link)).body.status, 'failed')
  })

  it('can be cancelled between two attempts, and not once it is paid', async () => {
    const link = await newLink(service, account.secretKey)
    await decide(service, await toProvider(service, link, onPage('wallet')), 'decline')
    await cancel(link)
    assert.deepEqual(await ending(link), CANCELLED)
    const paid = await newLink(service, account.secretKey)
    await decide(service, await toProvider(service, paid, onPage('wallet')), 'approve')
    await cancel(paid)
    assert.deepEqual(await ending(paid), SUCCEEDED)
  })

  for (const fields of [byPhone(SUCCEEDS_AFTER_3_MINUTES), onPage('bank_card')]) {
    it(`cannot be cancelled while it is being paid by ${fields.method}, and still expires if that fails`, async () => {
      const link = await newLink(service, account.secretKey)
      await pay(service, link, fields)
      await cancel(link)
      assert.deepEqual([...(await ending(link)), await stateOf(service, link)], ['pending', undefined, 'waiting:1'])
      await service.clock.sleep(LIFE)
      await service.clock.advance(LOOKED_AGAIN)
      await service.clock.advance(LOOKED_AGAIN)
      assert.deepEqual(await ending(link), fields.method === 'mobile' ? SUCCEEDED : EXPIRED)
    })
  }

  it('that is cancelled and paid in the same moment is one or the other, with one event', async () => {
    for (let round = 0; round < 10; round++) {
      const link = await newLink(service, account.secretKey)
      const tabs = Array.from({ length: 10 }, (_, tab) =>
        (tab + round) % 2 === 0 ? cancel(link) : pay(service, link, byPhone(SUCCEEDS)),
      )
      await Promise.all(tabs)
      await service.clock.advance(5_000)
      const [status, ...more] = await ending(link)
      assert.deepEqual([status, ...more], status === 'succeeded' ? SUCCEEDED : CANCELLED)
      const { requests } = await requestsOf(link)
      assert.equal(requests, status === 'succeeded' ? 1 : 0)
    }
  })

  async function requestsOf(link: string): Promise<{ requests: number }> {
    const [row] = await service.db.rows<{ requests: number }>(
      `select count(t.reference) as requests from payment_links l
         left join payment_attempts t on t.account_id = l.account_id and t.number = l.number where l.reference = $1`,
      [link],
    )
    return row as { requests: number }
  }

  it('leaves nothing due once it has ended', async () => {
    await service.clock.sleep(LIFE)
    await service.clock.advance(LOOKED_AGAIN)
    assert.deepEqual(await service.db.rows('select reference from payments where due_at is not null'), [])
    assert.deepEqual(await service.db.rows('select reference from payment_links where due_at is not null'), [])
    assert.deepEqual(await service.db.rows('select kind from payment_anomalies'), [])
  })
})

it('a link reads as failed at 30 minutes sharp, though no worker is there to note it', async () => {
  let now = Date.UTC(2026, 10, 15, 9, 30)
  const service = await openTestService(undefined, {}, { clock: { now: () => now, after: () => () => {} } })
  const link = await newLink(service, (await service.merchant()).accounts.sandbox.secretKey)
  now += LIFE - 1
  assert.deepEqual([await statusOfLink(service, link), await stateOf(service, link)], ['initiated', 'open:0'])
  now += 1
  assert.deepEqual([await statusOfLink(service, link), await stateOf(service, link)], ['failed', 'closed:0'])
  await pay(service, link, byPhone(SUCCEEDS))
  assert.deepEqual(await service.db.rows('select reference from payment_attempts'), [])
  assert.deepEqual(await service.db.rows('select event from events'), [])
  await service.remove()
})
