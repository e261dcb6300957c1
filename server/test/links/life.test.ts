// The life of a link that is paid, on a virtual clock and both stores: by phone, by card, by wallet, at the first try or after another
// that failed; what the merchant is told, what the story keeps, and what a refund does (D-13, D-14, D-22, D-26, D-50).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { listStory } from '../../src/store/payments/payment-moves.ts'
import { TESTER } from '../kit/callers.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { get } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import {
  byPhone,
  DECLINES,
  decide,
  newLink,
  onPage,
  pay,
  readLink,
  SUCCEEDS,
  stateOf,
  statusOfLink,
  toProvider,
} from './payer.ts'

interface Way {
  about: string
  operator: string
  /** What the merchant is told of the number: nothing where there was none (D-13). */
  msisdn?: string
  begin: Begin
}

/** Sends the form. What comes back brings the attempt to its outcome. */
type Begin = (service: VirtualService, link: string, attempt: number) => Promise<() => Promise<void>>

const onThePhone =
  (msisdn: string): Begin =>
  async (service, link, attempt) => {
    const { code, goTo } = await pay(service, link, byPhone(msisdn, attempt))
    assert.deepEqual([code, goTo], [303, `/pay/${link}?lang=fr`])
    return () => service.clock.advance(10_000)
  }

const onProvidersPage =
  (method: 'bank_card' | 'wallet', decision: 'approve' | 'decline'): Begin =>
  async (service, link, attempt) => {
    const page = await toProvider(service, link, onPage(method, attempt))
    return () => decide(service, page, decision)
  }

const WAYS: readonly Way[] = [
  { about: 'by phone', operator: 'airtel_ne', msisdn: SUCCEEDS, begin: onThePhone(` ${SUCCEEDS} `) },
  { about: 'by card', operator: 'bank_card', begin: onProvidersPage('bank_card', 'approve') },
  { about: 'by wallet', operator: 'wallet', begin: onProvidersPage('wallet', 'approve') },
]

const FAILURES: readonly [about: string, reason: string, begin: Begin][] = [
  ['a phone whose owner refuses', 'declined', onThePhone(DECLINES)],
  ['a phone without an account', 'payer_not_found', onThePhone('40410000101')],
  ['a card that is declined', 'declined', onProvidersPage('bank_card', 'decline')],
  ['a wallet that is declined', 'declined', onProvidersPage('wallet', 'decline')],
]

describe('a link', () => {
  let service: VirtualService
  let account: NewAccount

  before(async () => {
    service = await openVirtualService(SQLITE)
    account = (await service.merchant()).accounts.sandbox
  })
  after(() => service.remove())

  const read = async (name: string) => (await get(service, account.secretKey, name)).body

  async function events(reference: unknown): Promise<{ event: string; data: Record<string, unknown> }[]> {
    const { accountId, number } = await paymentOf(service, reference)
    const rows = await service.db.rows<{ payload: string }>(
      'select payload from events where account_id = $1 and number = $2 order by sequence',
      [accountId, number],
    )
    return rows.map(({ payload }) => JSON.parse(payload))
  }

  /** Each line in a word or two. */
  async function story(reference: unknown): Promise<string[]> {
    const { accountId, number } = await paymentOf(service, reference)
    const lines = await listStory(service.db, accountId, number)
    return lines.map(({ kind, detail: { to, is, failureReason, attempt, method, by } }) =>
      [kind, attempt, method, is ?? to, failureReason, by].filter((word) => word !== undefined).join(' '),
    )
  }

  async function go(begin: Begin, link: string, attempt = 0): Promise<void> {
    const finish = await begin(service, link, attempt)
    assert.deepEqual([await statusOfLink(service, link), (await read(link)).status], ['pending', 'pending'])
    await finish()
  }

  for (const { about, operator, msisdn, begin } of WAYS) {
    it(`that is paid ${about} goes from initiated over pending to succeeded, and its one event says so`, async () => {
      const link = await newLink(service, account.secretKey, { transaction_id: about })
      const { reference, public_reference, ...initiated } = await read(link)
      assert.deepEqual(initiated, { external_reference: about, status: 'initiated', amount: 15_000 })
      await go(begin, link)
      const paid = await read(link)
      const validated_at = new Date(service.clock.now()).toISOString().slice(0, 10)
      assert.ok(String(paid.validated_at).startsWith(validated_at))
      const told = { public_reference, external_reference: about, reference, status: 'succeeded', amount: 15_000 }
      const whole = { ...told, ...(msisdn !== undefined && { msisdn }), validated_at: paid.validated_at }
      const { meta_data, ...rest } = paid
      assert.deepEqual(rest, whole)
      assert.equal((meta_data as { operator: string }).operator, operator)
      assert.deepEqual(
        (await events(reference)).map(({ event, data }) => ({ event, data })),
        [{ event: 'payment.succeeded', data: { ...whole, external_payment_reference: link, meta_data } }],
      )
      assert.equal((await paymentOf(service, reference)).operator, operator)
      assert.equal(await stateOf(service, link), 'succeeded:0')
    })
  }

  for (const [about, reason, fail] of FAILURES) {
    it(`stays open after ${about}, which is no event, and can be paid otherwise`, async () => {
      for (const way of WAYS) {
        const link = await newLink(service, account.secretKey)
        await go(fail, link)
        const between = await read(link)
        assert.deepEqual([between.status, 'msisdn' in between, 'failure_reason' in between], ['pending', false, false])
        assert.equal(await stateOf(service, link), 'open:1')
        assert.deepEqual(await events(between.reference), [])

        await go(way.begin, link, 1)
        const paid = await read(link)
        assert.deepEqual([paid.status, paid.msisdn], ['succeeded', way.msisdn])
        const [told, ...more] = await events(between.reference)
        assert.deepEqual([told?.event, told?.data.msisdn, more], ['payment.succeeded', way.msisdn, []])
        assert.equal((await readLink(service, link)).body.transaction_id, between.reference)
        assert.deepEqual(await attempts(between.reference), [`failed ${reason}`, 'succeeded null'])
      }
    })
  }

  async function attempts(reference: unknown): Promise<string[]> {
    const { accountId, number } = await paymentOf(service, reference)
    const rows = await service.db.rows<{ status: string; failure_reason: string | null }>(
      'select status, failure_reason from payment_attempts where account_id = $1 and number = $2 order by attempt',
      [accountId, number],
    )
    return rows.map(({ status, failure_reason }) => `${status} ${failure_reason}`)
  }

  it('has its whole story: every attempt, every report and every move', async () => {
    const link = await newLink(service, account.secretKey)
    const { reference } = await read(link)
    assert.deepEqual(await story(reference), [])
    await go(onThePhone(DECLINES), link)
    await go(onProvidersPage('bank_card', 'approve'), link, 1)
    assert.deepEqual(await story(reference), [
      'moved pending',
      'attempt 1 mobile',
      'request accepted',
      'callback declined',
      'attempt_failed declined',
      'attempt 2 bank_card',
      'callback succeeded',
      'moved succeeded',
    ])
  })

  for (const { about, begin } of WAYS) {
    it(`that was paid ${about} is refunded under the attempt’s reference, with its event`, async () => {
      const link = await newLink(service, account.secretKey)
      const { reference } = await read(link)
      await go(begin, link)
      const { attemptReference } = await paymentOf(service, reference)
      assert.ok('refundReference' in (await refundPayment(service, TESTER, { name: reference as string })))
      await service.clock.advance(20_000)
      const given = await service.db.rows<{ reference: string }>(
        'select reference from simulated_refunds where reference = $1 or reference = $2',
        [reference as string, attemptReference],
      )
      assert.deepEqual([given[0]?.reference, given.length], [attemptReference, 1])
      const { status, validated_at, msisdn } = await read(link)
      assert.equal(status, 'refunded')
      const told = (await events(reference)).map(({ event, data }) => [
        event,
        data.status,
        data.external_payment_reference,
        data.msisdn,
        data.validated_at,
      ])
      assert.deepEqual(told, [
        ['payment.succeeded', 'succeeded', link, msisdn, validated_at],
        ['payment.refunded', 'refunded', link, msisdn, validated_at],
      ])
      assert.equal(await stateOf(service, link), 'refunded:0')
      assert.deepEqual((await readLink(service, link)).body.transaction_id, reference)
      assert.match(
        (await story(reference)).join(', '),
        /refund_asked shell tester@test, refund accepted.*, refund succeeded, moved refunded$/,
      )
    })
  }

  it('leaves nothing due once it is settled, and nothing for a person', async () => {
    await service.clock.advance(1_000)
    const due = `select reference from payments where due_at is not null union all
        select reference from payment_links l where due_at is not null and exists (select 1 from payments p
          where p.account_id = l.account_id and p.number = l.number and p.status in ('succeeded', 'refunded'))`
    assert.deepEqual(await service.db.rows(due), [])
    assert.deepEqual(await service.db.rows('select kind from payment_anomalies'), [])
  })
})
