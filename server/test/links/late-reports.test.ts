// Reports that come late about an attempt that has ended, on both stores: they change nothing about the one under way, and where they
// contradict what was recorded about money, a person is told once (D-15, D-22, ADR-0007).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import type { WireAnswer } from '../../src/simulator/network.ts'
import { sendCallback } from '../kit/direct-operators.ts'
import { get } from '../kit/service.ts'
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
  SUCCEEDS,
  SUCCEEDS_AFTER_3_MINUTES,
  stateOf,
  toProvider,
} from './payer.ts'

const SUCCESS: WireAnswer = { status: 'succeeded', amount: 15_000, operator_reference: 'LATE' }
const DECLINE: WireAnswer = { status: 'declined', reason: 'declined' }
const LIFE = 30 * 60_000

interface Row {
  about: string
  says: WireAnswer
  anomalies: string[]
}

/** What an operator may say about an attempt that was recorded as failed. */
const ABOUT_FAILED: Row[] = [
  { about: 'that it failed, again', says: DECLINE, anomalies: [] },
  { about: 'that it is still under way', says: { status: 'accepted' }, anomalies: [] },
  { about: 'that it was never known', says: { status: 'not_known' }, anomalies: [] },
  { about: 'that it succeeded', says: SUCCESS, anomalies: ['success_after_failure'] },
  { about: 'that it succeeded over another amount', says: { ...SUCCESS, amount: 1 }, anomalies: ['amount_mismatch'] },
  { about: 'that it was given back', says: { ...SUCCESS, status: 'refunded' }, anomalies: ['success_after_failure'] },
]

describe('a late report about a link', () => {
  let service: VirtualService
  let account: NewAccount

  before(async () => {
    service = await openVirtualService(SQLITE)
    account = (await service.merchant()).accounts.sandbox
  })
  after(() => service.remove())

  /** A genuine callback about an attempt, twice, while the operator says this about it. */
  async function hear(operator: string, reference: string, says: WireAnswer): Promise<void> {
    service.network.change = (reaction, asked) => (asked === reference ? { answer: says } : reaction)
    const callback = { reference, answer: says, genuine: true }
    for (let time = 0; time < 2; time++) {
      assert.equal((await sendCallback(service, callback, `sandbox/${operator}`)).statusCode, 200)
    }
    // A callback is answered before the operator is asked, which happens once in two seconds.
    await service.clock.advance(2_000)
    service.network.change = (reaction) => reaction
  }

  async function attemptsOf(link: string): Promise<{ reference: string; status: string }[]> {
    return service.db.rows(
      `select t.reference, t.status from payment_links l
         join payment_attempts t on t.account_id = l.account_id and t.number = l.number
         where l.reference = $1 order by t.attempt`,
      [link],
    )
  }

  const rowOf = async (link: string) => {
    const [row] = await service.db.rows(
      `select p.* from payments p join payment_links l on l.account_id = p.account_id and l.number = p.number
         where l.reference = $1`,
      [link],
    )
    return row
  }

  async function anomaliesOf(link: string): Promise<string[]> {
    const rows = await service.db.rows<{ kind: string }>(
      `select a.kind from payment_anomalies a join payment_links l on l.account_id = a.account_id and l.number = a.number
         where l.reference = $1`,
      [link],
    )
    return rows.map(({ kind }) => kind)
  }

  /** A link whose first attempt, by phone, was declined; the attempt's reference. */
  async function declinedOnce(): Promise<[link: string, reference: string]> {
    const link = await newLink(service, account.secretKey)
    await pay(service, link, byPhone(DECLINES))
    await service.clock.advance(3_000)
    const [attempt] = await attemptsOf(link)
    assert.equal(await stateOf(service, link), 'open:1')
    return [link, attempt?.reference as string]
  }

  for (const { about, says, anomalies } of ABOUT_FAILED) {
    const listed = anomalies.length === 0 ? '' : `, and ${anomalies[0]} is listed once`
    it(`${about} changes nothing about the attempt under way${listed}`, async () => {
      const [link, first] = await declinedOnce()
      const page = await toProvider(service, link, onPage('bank_card', 1))
      const row = await rowOf(link)
      await hear('airtel_ne', first, says)
      assert.deepEqual(await rowOf(link), row)
      assert.equal(await stateOf(service, link), 'waiting:2')
      assert.deepEqual(await anomaliesOf(link), anomalies)
      await decide(service, page, 'approve')
      assert.equal(await stateOf(service, link), 'succeeded:0')
      assert.deepEqual(
        (await attemptsOf(link)).map(({ status }) => status),
        ['failed', 'succeeded'],
      )
      const paid = await rowOf(link)
      await hear('airtel_ne', first, says)
      assert.deepEqual(await rowOf(link), paid, 'nor about the payment that was made')
    })
  }

  it('that an attempt succeeded changes nothing while the link is open, cancelled or expired, and is kept for a person', async () => {
    const endings: [state: string, end: (link: string) => Promise<unknown>][] = [
      ['open:1', async () => {}],
      ['closed:0', (link) => closeLink(service, link)],
      ['closed:0', () => service.clock.sleep(LIFE)],
    ]
    for (const [state, end] of endings) {
      const [link, first] = await declinedOnce()
      await end(link)
      const row = await rowOf(link)
      await hear('airtel_ne', first, SUCCESS)
      assert.deepEqual([await rowOf(link), await stateOf(service, link)], [row, state])
      assert.deepEqual(await anomaliesOf(link), ['success_after_failure'])
    }
  })

  it('that a succeeded attempt failed changes nothing, and is kept for a person', async () => {
    for (const method of ['mobile', 'wallet'] as const) {
      const link = await newLink(service, account.secretKey)
      if (method === 'mobile') {
        await pay(service, link, byPhone(SUCCEEDS))
        await service.clock.advance(3_000)
      } else {
        await decide(service, await toProvider(service, link, onPage(method)), 'approve')
      }
      const [attempt] = await attemptsOf(link)
      const row = await rowOf(link)
      await hear(method === 'mobile' ? 'airtel_ne' : method, attempt?.reference as string, DECLINE)
      assert.deepEqual([await rowOf(link), await stateOf(service, link)], [row, 'succeeded:0'])
      assert.deepEqual(await anomaliesOf(link), ['failure_after_success'])
    }
  })

  it('of success over another amount settles nothing: the attempt goes on, and a person is told', async () => {
    const link = await newLink(service, account.secretKey)
    await pay(service, link, byPhone(SUCCEEDS_AFTER_3_MINUTES))
    const [attempt] = await attemptsOf(link)
    await hear('airtel_ne', attempt?.reference as string, { ...SUCCESS, amount: 14_999 })
    assert.deepEqual([await stateOf(service, link), await anomaliesOf(link)], ['waiting:1', ['amount_mismatch']])
    await service.clock.sleep(180_000)
    await service.clock.advance(30_000)
    assert.equal(await stateOf(service, link), 'succeeded:0')
  })

  it('that an attempt is not known, which its operator had accepted, leaves it under way, and a person is told', async () => {
    const link = await newLink(service, account.secretKey, { shouldExpire: false })
    service.network.change = () => ({ answer: { status: 'accepted' } })
    await pay(service, link, byPhone(SUCCEEDS))
    await service.clock.advance(3_000)
    const [attempt] = await attemptsOf(link)
    await service.clock.sleep(16 * 60_000)
    await hear('airtel_ne', attempt?.reference as string, { status: 'not_known' })
    assert.deepEqual([await stateOf(service, link), await anomaliesOf(link)], ['waiting:1', ['forgotten_by_operator']])
    await service.clock.advance(60_000)
    assert.equal(await stateOf(service, link), 'succeeded:0', 'and the payer, who was asked once, has paid')
  })

  it('that comes by another operator’s door, or names the payment and not the attempt, is nobody’s', async () => {
    const [link, first] = await declinedOnce()
    await pay(service, link, byPhone(SUCCEEDS_AFTER_3_MINUTES, 1))
    const { reference } = (await get(service, account.secretKey, link)).body as { reference: string }
    const asked = service.calls.status.length
    await hear('mtn_bj', first, SUCCESS)
    await hear('bank_card', first, SUCCESS)
    assert.equal(service.calls.status.length, asked)
    await hear('airtel_ne', reference, SUCCESS)
    assert.equal(service.calls.status.slice(asked).includes(reference), false, 'the network knows attempts alone')
    assert.deepEqual([await stateOf(service, link), await anomaliesOf(link)], ['waiting:2', []])
  })
})
