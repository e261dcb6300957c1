// Link attempts whose outcome arrives late or after a crash. Late reports do not change the attempt
// in flight (D-15, D-22), and a crash at any step leaves one debit (ADR-0007, D-50).

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { WireAnswer } from '../../src/simulator/network.ts'
import { openCrashingService } from '../kit/crashing-service.ts'
import { sendCallback } from '../kit/direct-operators.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { newMerchant } from '../kit/service.ts'
import { tries } from '../kit/tries.ts'
import {
  byPhone,
  DECLINES,
  linksOf,
  onPage,
  openShop,
  SUCCEEDS_AFTER_3_MINUTES,
  SUCCEEDS_AT_ONCE,
} from './payer.ts'

describe('late reports', async () => {
  const shop = await openShop()
  const { service, clock, newLink, read, settle } = shop
  const { pay, closeLink, stateOf, toProvider, decide, attemptsOf } = shop
  const SUCCESS: WireAnswer = { status: 'succeeded', amount: 15_000, operator_reference: 'LATE' }
  const DECLINE: WireAnswer = { status: 'declined', reason: 'declined' }
  const LIFE = 30 * 60_000

  const ABOUT_FAILED: [about: string, says: WireAnswer, anomalies: string[]][] = [
    ['failed again', DECLINE, []],
    ['is still in flight', { status: 'accepted' }, []],
    ['is not known', { status: 'not_known' }, []],
    ['succeeded', SUCCESS, ['success_after_failure']],
    ['succeeded with another amount', { ...SUCCESS, amount: 1 }, ['amount_mismatch']],
    ['was refunded', { ...SUCCESS, status: 'refunded' }, ['success_after_failure']],
  ]

  /**
   * Sends a genuine callback about an attempt twice, while the operator gives this answer about it.
   */
  async function hear(operator: string, reference: string, says: WireAnswer): Promise<void> {
    service.network.change = (reaction, asked) =>
      asked === reference ? { answer: says } : reaction
    const callback = { reference, answer: says, genuine: true }
    for (let time = 0; time < 2; time++)
      assert.equal((await sendCallback(service, callback, `sandbox/${operator}`)).statusCode, 200)
    // The service answers a callback before it polls the operator, at most once in two seconds.
    await clock.advance(2_000)
    service.network.change = (reaction) => reaction
  }

  const rowOf = async (link: string) => {
    const [row] = await service.db.read(
      `select p.* from payments p join payment_links l on l.account_id = p.account_id
        and l.number = p.number
         where l.reference = :link`,
      { link },
    )
    return row
  }

  async function anomaliesOf(link: string): Promise<string[]> {
    const rows = await service.db.read<{ kind: string }>(
      `select a.kind from payment_anomalies a join payment_links l on l.account_id = a.account_id
        and l.number = a.number
         where l.reference = :link`,
      { link },
    )
    return rows.map(({ kind }) => kind)
  }

  /** A link whose first attempt, by phone, was declined; returns the attempt’s reference. */
  async function declinedOnce(): Promise<[link: string, reference: string]> {
    const link = await newLink()
    await settle(link, DECLINES)
    const [attempt] = await attemptsOf(link)
    assert.equal(await stateOf(link), 'open:1')
    return [link, attempt?.reference as string]
  }

  for (const [about, says, anomalies] of ABOUT_FAILED) {
    const listed = anomalies.length === 0 ? '' : `, and ${anomalies[0]} is listed once`
    it(`a failed attempt ${about}: does not change the attempt in flight${listed}`, async () => {
      const [link, first] = await declinedOnce()
      const page = await toProvider(link, onPage('bank_card', 1))
      const row = await rowOf(link)
      await hear('airtel_ne', first, says)
      assert.deepEqual(await rowOf(link), row)
      assert.equal(await stateOf(link), 'waiting:2')
      assert.deepEqual(await anomaliesOf(link), anomalies)
      await decide(page, 'approve')
      assert.equal(await stateOf(link), 'succeeded:0')
      const statuses = (await attemptsOf(link)).map(({ status }) => status)
      assert.deepEqual(statuses, ['failed', 'succeeded'])
      const paid = await rowOf(link)
      await hear('airtel_ne', first, says)
      assert.deepEqual(await rowOf(link), paid, 'the payment does not change either')
    })
  }

  it('success of a failed attempt: changes nothing while the link is open, cancelled or expired, and is listed as an anomaly', async () => {
    const endings: [state: string, end: (link: string) => Promise<unknown>][] = [
      ['open:1', async () => {}],
      ['closed:0', (link) => closeLink(link)],
      ['closed:0', () => clock.sleep(LIFE)],
    ]
    for (const [state, end] of endings) {
      const [link, first] = await declinedOnce()
      await end(link)
      const row = await rowOf(link)
      await hear('airtel_ne', first, SUCCESS)
      assert.deepEqual([await rowOf(link), await stateOf(link)], [row, state])
      assert.deepEqual(await anomaliesOf(link), ['success_after_failure'])
    }
  })

  it('failure of a succeeded attempt: changes nothing, and is listed as an anomaly', async () => {
    for (const method of ['mobile', 'wallet'] as const) {
      const link = await newLink()
      if (method === 'mobile') {
        await settle(link)
      } else {
        await decide(await toProvider(link, onPage(method)), 'approve')
      }
      const [attempt] = await attemptsOf(link)
      const row = await rowOf(link)
      await hear(method === 'mobile' ? 'airtel_ne' : method, attempt?.reference as string, DECLINE)
      assert.deepEqual([await rowOf(link), await stateOf(link)], [row, 'succeeded:0'])
      assert.deepEqual(await anomaliesOf(link), ['failure_after_success'])
    }
  })

  it('success with another amount: settles nothing, the attempt stays in flight, and an anomaly is listed', async () => {
    const link = await newLink()
    await pay(link, byPhone(SUCCEEDS_AFTER_3_MINUTES))
    const [attempt] = await attemptsOf(link)
    await hear('airtel_ne', attempt?.reference as string, { ...SUCCESS, amount: 14_999 })
    assert.deepEqual(
      [await stateOf(link), await anomaliesOf(link)],
      ['waiting:1', ['amount_mismatch']],
    )
    await clock.sleep(180_000)
    await clock.advance(30_000)
    assert.equal(await stateOf(link), 'succeeded:0')
  })

  it('not known, after the operator accepted the attempt: it stays in flight, and an anomaly is listed', async () => {
    const link = await newLink({ shouldExpire: false })
    service.network.change = () => ({ answer: { status: 'accepted' } })
    await settle(link)
    const [attempt] = await attemptsOf(link)
    await clock.sleep(16 * 60_000)
    await hear('airtel_ne', attempt?.reference as string, { status: 'not_known' })
    assert.deepEqual(
      [await stateOf(link), await anomaliesOf(link)],
      ['waiting:1', ['forgotten_by_operator']],
    )
    await clock.advance(60_000)
    assert.equal(await stateOf(link), 'succeeded:0', 'the payer got one prompt and has paid')
  })

  it('a callback to another operator’s route, or with the payment’s reference, matches no attempt', async () => {
    const [link, first] = await declinedOnce()
    await pay(link, byPhone(SUCCEEDS_AFTER_3_MINUTES, 1))
    const { reference } = (await read(link)) as { reference: string }
    const asked = service.calls.status.length
    await hear('mtn_bj', first, SUCCESS)
    await hear('bank_card', first, SUCCESS)
    assert.equal(service.calls.status.length, asked)
    await hear('airtel_ne', reference, SUCCESS)
    assert.equal(
      service.calls.status.slice(asked).includes(reference),
      false,
      'the network knows only attempts',
    )
    assert.deepEqual([await stateOf(link), await anomaliesOf(link)], ['waiting:2', []])
  })
})

// The process crashes between any two steps of a link payment, and the payer returns to the
// restarted service.
describe('crashes', async () => {
  /** The quick form crashes at every third step, the long form at each. */
  const STRIDE = 4 - tries(1, 3)
  /** More steps than any run has; a run without a crash is the last. */
  const MOST_STEPS = 200
  const SEED = 20_261_115
  const referenceIn = (page: string): string => page.split('/').at(-1) as string

  /** The payer’s actions until the process crashes. */
  type Walk = (
    at: ReturnType<typeof linksOf>,
    link: string,
    approve: (page: string) => Promise<unknown>,
  ) => Promise<unknown>

  const PATHS: Record<string, Walk> = {
    'paying by phone': (at, link) => at.pay(link, byPhone(SUCCEEDS_AT_ONCE)),
    'paying by card and returning': async (at, link, approve) => {
      await approve(await at.toProvider(link, onPage('bank_card')))
      await at.look(`/pay/${link}?returned=1`)
    },
    'abandoning an approved wallet payment': async (at, link, approve) => {
      await approve(await at.toProvider(link, onPage('wallet')))
      await at.abandon(link)
    },
    'abandoning a card payment and paying by phone': async (at, link) => {
      await at.toProvider(link, onPage('bank_card'))
      await at.abandon(link)
      await at.pay(link, byPhone(SUCCEEDS_AT_ONCE, 1))
    },
  }

  const crashing = await openCrashingService({ random: seededRandom(SEED) })
  const account = (await newMerchant(crashing.service)).accounts.sandbox
  after(() => crashing.close())
  const approve = (page: string) => crashing.provider.decide(referenceIn(page), 'approve')

  async function debits(): Promise<string[]> {
    const rows = await crashing.books.read<{ reference: string }>(
      'select reference from simulated_payments',
    )
    return rows.map(({ reference }) => reference)
  }

  // A payer who wants to pay and takes every offer of the page. Every second payer prefers the
  // phone to an open provider page.
  async function comeBack(link: string, prefersPhone: boolean): Promise<number> {
    for (let minutes = 0; minutes < 20; minutes += 0.5) {
      const { stateOf, pay, look, abandon } = linksOf(crashing.service, account)
      const [state, attempts] = (await stateOf(link)).split(':') as [string, string]
      if (state === 'succeeded') return minutes
      if (state === 'open') await pay(link, byPhone(SUCCEEDS_AT_ONCE, Number(attempts)))
      if (state === 'waiting') {
        const { text } = await look(`/pay/${link}`)
        const [, page] = /href="[^"]*\/simulator\/pay\/([0-9a-z]{24})"/.exec(text) ?? []
        if (page !== undefined && !prefersPhone) await approve(page)
        if (prefersPhone) await abandon(link)
      }
      await crashing.clock.sleep(30_000)
      await crashing.clock.advance(1_000)
    }
    throw new Error('the link was not paid within twenty minutes')
  }

  for (const [about, walk] of Object.entries(PATHS))
    it(`crash while ${about}: one debit, and the link ends as succeeded with one event`, async (t) => {
      let longest = 0
      let steps = 1
      for (let survived = false; !survived; steps += STRIDE) {
        assert.ok(steps < MOST_STEPS)
        const link = await linksOf(crashing.service, account).newLink({ shouldExpire: false })
        const debited = new Set(await debits())
        survived = await crashing.crashingAfter(steps, (service) =>
          walk(linksOf(service, account), link, approve),
        )
        longest = Math.max(longest, await comeBack(link, steps % 2 === 0))
        const fresh = (await debits()).filter((reference) => !debited.has(reference))
        const [payment] = await crashing.service.db.read<{
          attempt_reference: string
          due_at: null
        }>(
          `select p.attempt_reference, p.due_at from payments p
           join payment_links l on l.account_id = p.account_id and l.number = p.number
           where l.reference = :link`,
          { link },
        )
        assert.deepEqual(
          [fresh, payment?.due_at],
          [[payment?.attempt_reference], null],
          `crashed after ${steps} steps`,
        )
        const names = (await linksOf(crashing.service, account).eventsOf(link)).map(
          ({ event }) => event,
        )
        assert.deepEqual(names, ['payment.succeeded'])
      }
      assert.deepEqual(await crashing.service.db.read('select kind from payment_anomalies'), [])
      t.diagnostic(
        `crashes at every ${STRIDE} of ${steps} steps; the longest wait was ${longest} minutes`,
      )
    })
})
