// The lifecycle of a link, on a virtual clock: paid by phone, card or wallet, refunded, expired or
// cancelled (D-13, D-14, D-22, D-25, D-26, D-50).

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { listStory } from '../../src/store/payments/payment-moves.ts'
import { firstValue } from '../../src/store/rows.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { openTestService } from '../kit/service.ts'
import {
  byPhone,
  DECLINES,
  type Fields,
  linksOf,
  onPage,
  openShop,
  SUCCEEDS,
  SUCCEEDS_AFTER_3_MINUTES,
} from './payer.ts'

const shop = await openShop()
const { service, clock, newLink, read, readLink, statusOfLink, eventsOf, attemptsOf } = shop
const { pay, abandon, closeLink, stateOf, toProvider, decide, settle } = shop

describe('paid links', () => {
  interface LinkLife {
    about: string
    operator: string
    /** The number in the merchant’s event; undefined for methods without one (D-13). */
    msisdn?: string
    begin: Begin
  }

  /** Sends the form. The result brings the attempt to its outcome. */
  type Begin = (link: string, attempt: number) => Promise<() => Promise<void>>

  const onThePhone =
    (msisdn: string): Begin =>
    async (link, attempt) => {
      const { code, goTo } = await pay(link, byPhone(msisdn, attempt))
      assert.deepEqual([code, goTo], [303, `/pay/${link}?lang=fr`])
      return () => clock.advance(10_000)
    }

  const onProvidersPage =
    (method: 'bank_card' | 'wallet', decision: 'approve' | 'decline'): Begin =>
    async (link, attempt) => {
      const page = await toProvider(link, onPage(method, attempt))
      return () => decide(page, decision)
    }

  const LINK_LIVES: readonly LinkLife[] = [
    {
      about: 'by phone',
      operator: 'airtel_ne',
      msisdn: SUCCEEDS,
      begin: onThePhone(` ${SUCCEEDS} `),
    },
    { about: 'by card', operator: 'bank_card', begin: onProvidersPage('bank_card', 'approve') },
    { about: 'by wallet', operator: 'wallet', begin: onProvidersPage('wallet', 'approve') },
  ]

  const FAILURES: readonly [about: string, reason: string, begin: Begin][] = [
    ['a declined prompt', 'declined', onThePhone(DECLINES)],
    ['a phone without an account', 'payer_not_found', onThePhone('40410000101')],
    ['a declined card', 'declined', onProvidersPage('bank_card', 'decline')],
    ['a declined wallet', 'declined', onProvidersPage('wallet', 'decline')],
  ]

  async function story(reference: unknown): Promise<string[]> {
    const { accountId, number } = await paymentOf(service, reference)
    const lines = await listStory(service.db, accountId, number)
    return lines.map(({ kind, detail: { to, is, failureReason, attempt, method, by } }) =>
      [kind, attempt, method, is ?? to, failureReason, by]
        .filter((word) => word !== undefined)
        .join(' '),
    )
  }

  async function go(begin: Begin, link: string, attempt = 0): Promise<void> {
    const finish = await begin(link, attempt)
    assert.deepEqual([await statusOfLink(link), (await read(link)).status], ['pending', 'pending'])
    await finish()
  }

  for (const { about, operator, msisdn, begin } of LINK_LIVES)
    it(`paid ${about}: moves from initiated over pending to succeeded, with one event`, async () => {
      const link = await newLink({ transaction_id: about })
      const { reference, public_reference, ...initiated } = await read(link)
      assert.deepEqual(initiated, {
        external_reference: about,
        status: 'initiated',
        amount: 15_000,
      })
      await go(begin, link)
      const paid = await read(link)
      const validated_at = new Date(clock.now()).toISOString().slice(0, 10)
      assert.ok(String(paid.validated_at).startsWith(validated_at))
      const fields = {
        public_reference,
        external_reference: about,
        reference,
        status: 'succeeded',
        amount: 15_000,
      }
      const whole = {
        ...fields,
        ...(msisdn !== undefined && { msisdn }),
        validated_at: paid.validated_at,
      }
      const { meta_data, ...rest } = paid
      assert.deepEqual([rest, (meta_data as { operator: string }).operator], [whole, operator])
      assert.deepEqual(
        (await eventsOf(link)).map(({ event, data }) => ({ event, data })),
        [
          {
            event: 'payment.succeeded',
            data: { ...whole, external_payment_reference: link, meta_data },
          },
        ],
      )
      assert.equal((await paymentOf(service, reference)).operator, operator)
      assert.equal(await stateOf(link), 'succeeded:0')
    })

  for (const [about, reason, fail] of FAILURES)
    it(`stays open after ${about}, without an event, and can be paid by another method`, async () => {
      for (const way of LINK_LIVES) {
        const link = await newLink()
        await go(fail, link)
        const between = await read(link)
        assert.deepEqual(
          [between.status, 'msisdn' in between, 'failure_reason' in between],
          ['pending', false, false],
        )
        assert.equal(await stateOf(link), 'open:1')
        assert.deepEqual(await eventsOf(link), [])

        await go(way.begin, link, 1)
        const paid = await read(link)
        assert.deepEqual([paid.status, paid.msisdn], ['succeeded', way.msisdn])
        const [first, ...more] = await eventsOf(link)
        assert.deepEqual(
          [first?.event, first?.data.msisdn, more],
          ['payment.succeeded', way.msisdn, []],
        )
        assert.equal((await readLink(link)).body.transaction_id, between.reference)
        assert.deepEqual(await attempts(link), [`failed ${reason}`, 'succeeded null'])
      }
    })

  const attempts = async (link: string): Promise<string[]> =>
    (await attemptsOf(link)).map(({ status, failure_reason }) => `${status} ${failure_reason}`)

  it('the history has every attempt, report and move', async () => {
    const link = await newLink()
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

  for (const { about, begin } of LINK_LIVES)
    it(`paid ${about}: is refunded under the attempt’s reference, with its event`, async () => {
      const link = await newLink()
      const { reference } = await read(link)
      await go(begin, link)
      const { attemptReference } = await paymentOf(service, reference)
      assert.ok(
        'refundReference' in (await refundPayment(service, TESTER, { name: reference as string })),
      )
      await clock.advance(20_000)
      const given = await service.db.read<{ reference: string }>(
        `select reference from simulated_refunds where reference = :reference
          or reference = :attemptReference`,
        { reference: reference as string, attemptReference },
      )
      assert.deepEqual([given[0]?.reference, given.length], [attemptReference, 1])
      const { status, validated_at, msisdn } = await read(link)
      assert.equal(status, 'refunded')
      const sent = (await eventsOf(link)).map(({ event, data }) => [
        event,
        data.status,
        data.external_payment_reference,
        data.msisdn,
        data.validated_at,
      ])
      assert.deepEqual(sent, [
        ['payment.succeeded', 'succeeded', link, msisdn, validated_at],
        ['refund.succeeded', 'refunded', link, msisdn, validated_at],
        ['payment.refunded', 'refunded', link, msisdn, validated_at],
      ])
      assert.equal(await stateOf(link), 'refunded:0')
      assert.deepEqual((await readLink(link)).body.transaction_id, reference)
      const seen = (await story(reference)).join(', ')
      assert.match(
        seen,
        /refund_asked shell tester@test, refund accepted.*, refund succeeded, moved refunded$/,
      )
    })

  it('a settled link leaves no due work and no anomaly', async () => {
    await clock.advance(1_000)
    const due = `select reference from payments where due_at is not null union all
        select reference from payment_links l where due_at is not null and exists (select 1
        from payments p
          where p.account_id = l.account_id and p.number = l.number
          and p.status in ('succeeded', 'refunded'))`
    assert.deepEqual(await service.db.read(due), [])
    assert.deepEqual(await service.db.read('select kind from payment_anomalies'), [])
  })
})

// Nothing closes a link with an attempt in flight, and a late success still counts.
describe('unpaid links', () => {
  const MINUTE = 60_000
  const LIFE = 30 * MINUTE
  /** The worker checks every second, and every ten seconds for a link with an attempt in flight. */
  const NOTED = 1_000
  const LOOKED_AGAIN = 11_000

  describe('a link', () => {
    async function ending(link: string): Promise<unknown[]> {
      const { status, failure_reason } = await read(link)
      const events = (await eventsOf(link)).map(({ event, data }) => {
        assert.equal(data.external_payment_reference, link)
        return [event, data.failure_reason].filter((word) => word !== undefined).join(' ')
      })
      return [status, failure_reason, ...events]
    }

    const EXPIRED = ['failed', 'expired', 'payment.failed expired']
    const CANCELLED = ['failed', 'cancelled', 'payment.failed cancelled']
    const SUCCEEDED = ['succeeded', undefined, 'payment.succeeded']

    it('without a payment expires after 30 minutes, with one event', async () => {
      const link = await newLink()
      await clock.sleep(LIFE - 1)
      assert.deepEqual(await ending(link), ['initiated', undefined])
      await clock.advance(NOTED)
      assert.deepEqual(await ending(link), EXPIRED)
      for (let hour = 0; hour < 3; hour++) await clock.sleep(60 * MINUTE)
      assert.deepEqual(await ending(link), EXPIRED)
      assert.deepEqual([await statusOfLink(link), await stateOf(link)], ['failed', 'closed:0'])
    })

    it('with failed attempts expires too, and its event has no number', async () => {
      const link = await newLink()
      await settle(link, DECLINES)
      await clock.sleep(LIFE)
      assert.deepEqual(await ending(link), EXPIRED)
      assert.equal('msisdn' in (await read(link)), false)
    })

    it('with shouldExpire false can be paid after a year', async () => {
      const link = await newLink({ shouldExpire: false })
      await clock.sleep(366 * 24 * 60 * MINUTE)
      assert.deepEqual(
        [...(await ending(link)), await stateOf(link)],
        ['initiated', undefined, 'open:0'],
      )
      await settle(link)
      assert.deepEqual(await ending(link), SUCCEEDED)
    })

    it('after its expiry begins no attempt, by any method', async () => {
      const link = await newLink()
      await clock.sleep(LIFE)
      const calls = [service.calls.request.length, service.calls.open.length]
      for (const fields of [byPhone(SUCCEEDS), onPage('bank_card'), onPage('wallet')])
        assert.equal((await pay(link, fields)).goTo, `/pay/${link}?lang=fr`)
      await clock.advance(5_000)
      assert.deepEqual([service.calls.request.length, service.calls.open.length], calls)
      assert.deepEqual(await ending(link), EXPIRED)
    })

    it('is not checked for expiry during an attempt, and again once the attempt has failed', async () => {
      const dueAt = (link: string) =>
        firstValue<number | null>(
          service.db,
          'select due_at from payment_links where reference = :link',
          { link },
        )
      const link = await newLink()
      const expiresAt = await dueAt(link)
      assert.equal(expiresAt, clock.now() + LIFE)
      await pay(link, onPage('wallet'))
      assert.equal(await dueAt(link), null)
      await abandon(link)
      assert.equal(await dueAt(link), expiresAt)
      await clock.sleep(LIFE - MINUTE)
      await pay(link, onPage('bank_card', 1))
      await clock.sleep(2 * MINUTE)
      assert.deepEqual([await stateOf(link), await dueAt(link)], ['waiting:2', null])
      await abandon(link)
      await clock.advance(NOTED)
      assert.deepEqual([await ending(link), await dueAt(link)], [EXPIRED, null])
    })

    it('with an attempt in flight at its expiry stays pending, and succeeds when the payer approves', async () => {
      const link = await newLink()
      await clock.sleep(LIFE - MINUTE)
      await pay(link, byPhone(SUCCEEDS_AFTER_3_MINUTES))
      await clock.sleep(2 * MINUTE)
      await clock.advance(NOTED)
      assert.deepEqual(
        [...(await ending(link)), await stateOf(link)],
        ['pending', undefined, 'waiting:1'],
      )
      assert.equal(await statusOfLink(link), 'pending')
      await closeLink(link)
      await clock.advance(MINUTE)
      assert.deepEqual(await ending(link), SUCCEEDED)
      await clock.sleep(LIFE)
      assert.deepEqual(await ending(link), SUCCEEDED)
    })

    const FAIL_LATE: [
      about: string,
      fields: Fields,
      fail: (link: string, page: string) => Promise<unknown>,
    ][] = [
      ['on the phone', byPhone(DECLINES), () => clock.advance(3_000)],
      [
        'on the provider’s page',
        onPage('bank_card'),
        (_link, page) => decide(new URL(page).pathname, 'decline'),
      ],
      ['by giving up', onPage('wallet'), (link) => abandon(link)],
    ]
    for (const [about, fields, fail] of FAIL_LATE)
      it(`whose attempt in flight at its expiry fails ${about} reads as failed at once and closes as expired`, async () => {
        const link = await newLink()
        await clock.sleep(LIFE - 1_000)
        const { goTo } = await pay(link, fields)
        await clock.sleep(1_500)
        assert.equal(await statusOfLink(link), 'pending')
        await fail(link, goTo)
        assert.deepEqual([await statusOfLink(link), await stateOf(link)], ['failed', 'closed:0'])
        await pay(link, byPhone(SUCCEEDS, 1))
        await clock.advance(LOOKED_AGAIN)
        assert.deepEqual(await ending(link), EXPIRED)
      })

    it('that the merchant cancels ends as cancelled, once, and begins no further attempt', async () => {
      const link = await newLink()
      granted(await closeLink(link))
      for (let time = 0; time < 2; time++)
        assert.deepEqual(await closeLink(link), { refused: 'link_closed', state: 'cancelled' })
      await pay(link, byPhone(SUCCEEDS))
      await clock.sleep(LIFE)
      await clock.advance(NOTED)
      assert.deepEqual(await ending(link), CANCELLED)
      assert.equal((await readLink(link)).body.status, 'failed')
    })

    it('can be cancelled between two attempts, and not after its payment', async () => {
      const link = await newLink()
      await decide(await toProvider(link, onPage('wallet')), 'decline')
      await closeLink(link)
      assert.deepEqual(await ending(link), CANCELLED)
      const paid = await newLink()
      await decide(await toProvider(paid, onPage('wallet')), 'approve')
      await closeLink(paid)
      assert.deepEqual(await ending(paid), SUCCEEDED)
    })

    for (const fields of [byPhone(SUCCEEDS_AFTER_3_MINUTES), onPage('bank_card')])
      it(`cannot be cancelled during an attempt by ${fields.method}, and still expires if that fails`, async () => {
        const link = await newLink()
        await pay(link, fields)
        await closeLink(link)
        assert.deepEqual(
          [...(await ending(link)), await stateOf(link)],
          ['pending', undefined, 'waiting:1'],
        )
        await clock.sleep(LIFE)
        await clock.advance(LOOKED_AGAIN)
        await clock.advance(LOOKED_AGAIN)
        assert.deepEqual(await ending(link), fields.method === 'mobile' ? SUCCEEDED : EXPIRED)
      })

    it('that is cancelled and paid concurrently ends as one or the other, with one event', async () => {
      for (let round = 0; round < 10; round++) {
        const link = await newLink()
        const tabs = Array.from({ length: 10 }, (_, tab) =>
          (tab + round) % 2 === 0 ? closeLink(link) : pay(link, byPhone(SUCCEEDS)),
        )
        await Promise.all(tabs)
        await clock.advance(5_000)
        const [status, ...more] = await ending(link)
        assert.deepEqual([status, ...more], status === 'succeeded' ? SUCCEEDED : CANCELLED)
        assert.equal((await attemptsOf(link)).length, status === 'succeeded' ? 1 : 0)
      }
    })

    it('leaves no due work after its end', async () => {
      await clock.sleep(LIFE)
      await clock.advance(LOOKED_AGAIN)
      assert.deepEqual(
        await service.db.read('select reference from payments where due_at is not null'),
        [],
      )
      assert.deepEqual(
        await service.db.read('select reference from payment_links where due_at is not null'),
        [],
      )
      assert.deepEqual(await service.db.read('select kind from payment_anomalies'), [])
    })
  })

  it('a link reads as failed at exactly 30 minutes, also without a worker', async () => {
    let now = Date.UTC(2026, 10, 15, 9, 30)
    const service = await openTestService(
      undefined,
      {},
      { clock: { now: () => now, after: () => () => {} } },
    )
    const { newLink, pay, stateOf, statusOfLink } = linksOf(
      service,
      (await service.merchant()).accounts.sandbox,
    )
    const link = await newLink()
    now += LIFE - 1
    assert.deepEqual([await statusOfLink(link), await stateOf(link)], ['initiated', 'open:0'])
    now += 1
    assert.deepEqual([await statusOfLink(link), await stateOf(link)], ['failed', 'closed:0'])
    await pay(link, byPhone(SUCCEEDS))
    assert.deepEqual(await service.db.read('select reference from payment_attempts'), [])
    assert.deepEqual(await service.db.read('select event from events'), [])
    await service.remove()
  })
})
