// Refunds in part on both stores: several of one payment, never more than its amount, each sent
// once and once only; and networks that give back whole payments only (D-154).
import assert from 'node:assert/strict'
import { before, describe, it, type TestContext } from 'node:test'
import { recordOutcomes } from '../../src/actions/payments/record-outcomes.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { column, granted, TESTER } from '../kit/callers.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { ask, signedIn } from '../kit/people.ts'
import { get, getFrom, post, postAt } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService, settledPayment } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'
import {
  eventsOf,
  type NetworkUnderTest,
  openServiceOnNetwork,
  orderOn,
  reactionTo,
  rowsOf,
  type WireBetween,
} from '../networks/harness.ts'
import { AIRTEL, FEDAPAY, MTN, PAWAPAY } from '../networks/networks.ts'

const AMOUNT = 1_500
/** At this number a refund is refused. */
const REFUSES_REFUNDS = '40410000125'
const LIMIT = 1_000

interface Refund {
  reference: string
  refund_id?: string
  amount: number
  status: string
  refunded_amount: number
  remaining_amount: number
  refunds: { reference: string; amount: number; status: string }[]
}

for (const store of STORES) {
  describe(`refunds in part on ${store.name}`, () => {
    const service = shared(() =>
      openVirtualService(store, { KARBA_REFUND_APPROVAL_ABOVE: String(LIMIT) }),
    )
    let key: string

    before(async () => {
      key = (await service.merchant()).accounts.sandbox.secretKey
    })

    const paid = (change: object = { msisdn: SUCCEEDS }, secretKey = key): Promise<string> =>
      settledPayment(service, secretKey, { ...change, amount: AMOUNT })
    const askFor = async (reference: string, asked: object | undefined, secretKey = key) => {
      const { code, body, headers } = await postAt(
        service,
        secretKey,
        `/payments/${reference}/refund`,
        asked,
      )
      return { code, body: body as unknown as Refund, refusal: headers['svc-error-code'] }
    }
    /**
     * On a busy machine a request may wait too long for the payment's lock and get 503. A client
     * then asks again.
     */
    const askAgain = async (reference: string, asked: object) => {
      let answer = await askFor(reference, asked)
      for (let tries = 1; answer.code === 503 && tries < 5; tries++)
        answer = await askFor(reference, asked)
      return answer
    }
    const read = async (reference: string, secretKey = key) =>
      (await getFrom(service, secretKey, `/payments/${reference}/refund`)).body as unknown as Refund
    const statusOf = async (reference: string) => (await get(service, key, reference)).body.status
    const findings = async () => granted(await verifyStore(service, TESTER)).findings
    const sentTo = (reference: string) =>
      service.db.read<{ amount: number }>(
        `select amount_xof as amount from simulated_refunds where reference = :reference
          order by requested_at, amount_xof`,
        { reference },
      )
    const writtenEvents = async (reference: string) =>
      (await eventsOf(service, reference)).map(({ event, payload }) => {
        const { status, refund, refunded_amount: sum } = JSON.parse(payload).data
        return [event, status, refund?.amount, sum]
      })

    it('two parts are sent with their amounts, and the second one makes the payment refunded', async () => {
      const reference = await paid()
      const first = await askFor(reference, { amount: 400, refund_id: 'shoes' })
      assert.partialDeepStrictEqual(first, {
        code: 200,
        body: {
          amount: 400,
          refund_id: 'shoes',
          status: 'pending',
          refunded_amount: 0,
          remaining_amount: 1_100,
        },
      })
      await service.clock.advance(6_000)
      assert.equal(await statusOf(reference), 'succeeded')
      assert.partialDeepStrictEqual(await read(reference), {
        refunded_amount: 400,
        remaining_amount: 1_100,
      })
      const rest = await askFor(reference, undefined)
      assert.deepEqual([rest.body.amount, rest.body.remaining_amount], [1_100, 0])
      await service.clock.advance(6_000)
      assert.equal(await statusOf(reference), 'refunded')
      const { refunds, ...all } = await read(reference)
      assert.partialDeepStrictEqual(all, {
        reference: rest.body.reference,
        refunded_amount: AMOUNT,
      })
      assert.deepEqual(
        refunds.map(({ amount, status }) => [amount, status]),
        [
          [1_100, 'succeeded'],
          [400, 'succeeded'],
        ],
      )
      assert.deepEqual(column(await sentTo(reference), 'amount'), [400, 1_100])
      assert.deepEqual(await writtenEvents(reference), [
        ['payment.succeeded', 'succeeded', undefined, undefined],
        ['refund.succeeded', 'succeeded', 400, 400],
        ['refund.succeeded', 'refunded', 1_100, AMOUNT],
        ['payment.refunded', 'refunded', undefined, undefined],
      ])
      const entries = await rowsOf(
        service,
        'select kind, amount_xof from ledger_entries',
        reference,
        'order by entry',
      )
      assert.deepEqual(entries, [
        { kind: 'payment', amount_xof: AMOUNT },
        { kind: 'refund', amount_xof: 400 },
        { kind: 'refund', amount_xof: 1_100 },
      ])
      assert.deepEqual(await findings(), [])
    })

    it('of 200 concurrent requests exactly those are taken that fit into the amount', async () => {
      const reference = await paid()
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, nth) =>
          askAgain(reference, { amount: 70, refund_id: `part-${nth}` }),
        ),
      )
      const fitting = Math.floor(AMOUNT / 70)
      assert.equal(answers.filter(({ code }) => code === 200).length, fitting)
      const refused = answers.filter(({ refusal }) => refusal === 'refund_amount_too_large')
      assert.equal(refused.length, 200 - fitting)
      assert.partialDeepStrictEqual(await read(reference), {
        remaining_amount: AMOUNT - fitting * 70,
      })
      await service.clock.advance(120_000)
      assert.deepEqual(column(await sentTo(reference), 'amount'), Array(fitting).fill(70))
      assert.equal((await read(reference)).refunded_amount, fitting * 70)
      assert.deepEqual(await findings(), [])
    })

    it('200 concurrent requests with one refund_id are one refund', async () => {
      const reference = await paid()
      const asked = () => askAgain(reference, { amount: 100, refund_id: 'return-7' })
      const answers = await Promise.all(Array.from({ length: 200 }, asked))
      const different = new Set(answers.map(({ code, body }) => `${code} ${body.reference}`))
      assert.equal(different.size, 1, [...different].join(', '))
      await service.clock.advance(6_000)
      assert.deepEqual(column(await sentTo(reference), 'amount'), [100])
      assert.equal(
        (await askFor(reference, { refund_id: 'return-7' })).body.amount,
        100,
        'no amount is no other amount',
      )
      const other = await askFor(reference, { amount: 101, refund_id: 'return-7' })
      assert.deepEqual([other.code, other.refusal], [422, 'refund_id_taken'])
    })

    const NOT_VALID: [about: string, asked: unknown, refusal: string][] = [
      ...[0, -1, 1.5, null, '1.5', [], true, 1e12].map((amount): [string, unknown, string] => [
        `amount ${amount}`,
        { amount },
        'refund_amount_not_valid',
      ]),
      ['a body that is no object', [500], 'refund_amount_not_valid'],
      ['an empty refund_id', { refund_id: '' }, 'refund_id_not_valid'],
      ['a refund_id of 256 characters', { refund_id: 'x'.repeat(256) }, 'refund_id_not_valid'],
      ['more than the payment', { amount: AMOUNT + 1 }, 'refund_amount_too_large'],
    ]
    it('a request that is not valid is refused and refunds nothing', async () => {
      const reference = await paid()
      for (const [about, asked, refusal] of NOT_VALID)
        assert.equal((await askFor(reference, asked as object)).refusal, refusal, about)
      assert.equal((await getFrom(service, key, `/payments/${reference}/refund`)).code, 404)
    })

    it('a refund that fails releases its amount, with its event', async () => {
      const reference = await paid({ msisdn: REFUSES_REFUNDS })
      await askFor(reference, { amount: 1_200 })
      assert.equal((await askFor(reference, { amount: 400 })).refusal, 'refund_amount_too_large')
      await service.clock.advance(6_000)
      assert.partialDeepStrictEqual(await read(reference), {
        status: 'failed',
        remaining_amount: AMOUNT,
      })
      assert.deepEqual((await writtenEvents(reference)).at(-1), [
        'refund.failed',
        'succeeded',
        1_200,
        0,
      ])
      assert.equal((await askFor(reference, { amount: 400 })).code, 200)
      assert.deepEqual(await findings(), [])
    })

    it('after the network’s own reversal the ledger has the rest, and nothing more can be refunded', async () => {
      const reference = await paid()
      await askFor(reference, { amount: 500 })
      await service.clock.advance(6_000)
      const payment = await paymentOf(service, reference)
      const answer = { is: 'refunded', amountXof: AMOUNT, operatorReference: 'OP-1' } as const
      const report = { payment, via: 'status', calledAt: service.clock.now(), answer } as const
      await recordOutcomes(service, { is: 'service', part: 'worker' }, [report])
      assert.equal((await askFor(reference, { amount: 1 })).refusal, 'refund_amount_too_large')
      const { refunded_amount: back, remaining_amount: left, refunds } = await read(reference)
      assert.deepEqual([back, left, column(refunds, 'amount')], [AMOUNT, 0, [1_000, 500]])
      const entries = await rowsOf(
        service,
        'select kind, amount_xof from ledger_entries',
        reference,
        'order by entry',
      )
      assert.deepEqual(entries.slice(1), [
        { kind: 'refund', amount_xof: 500 },
        { kind: 'reversal', amount_xof: 1_000 },
      ])
      assert.deepEqual(await findings(), [])
    })

    it('a key of another account does not find the payment', async () => {
      const stranger = (await service.merchant()).accounts.sandbox.secretKey
      assert.equal((await askFor(await paid(), { amount: 1 }, stranger)).code, 404)
    })

    describe('approvals', () => {
      /** A live payment, and staff who may approve its refunds. */
      async function livePayment() {
        const { merchantId, accounts } = await service.merchant()
        const { accountId, secretKey } = accounts.live
        const reference = await paid({}, secretKey)
        const owner = await signedIn(service, { at: merchantId, as: 'owner' })
        const finance = await signedIn(service, { forServiceAs: 'finance' })
        const tasks = async () =>
          (await ask(service, 'GET /console/tasks', finance)).body.rows.filter(
            ({ subject }: { subject: string }) => subject === reference,
          ) as { taskId: string; amount: number }[]
        const decide = (deed: string, taskId = '') =>
          ask(service, `POST /console/tasks/${taskId}/${deed}`, finance, {})
        return { accountId, secretKey, reference, owner, tasks, decide }
      }

      it('parts that add up to more than the limit wait for a second person', async () => {
        const { accountId, secretKey, reference, owner, tasks, decide } = await livePayment()
        const byKey = async (amount: number) =>
          (await askFor(reference, { amount }, secretKey)).body.status
        assert.deepEqual(
          [await byKey(600), await byKey(400), await byKey(1)],
          ['pending', 'pending', 'waiting_for_approval'],
        )
        const path = `POST /accounts/${accountId}/payments/${reference}/refund`
        const byPerson = await ask(service, path, owner, { amount: 2 })
        assert.equal(byPerson.body.status, 'waiting_for_approval')
        await service.clock.advance(6_000)
        assert.deepEqual(column(await sentTo(reference), 'amount'), [400, 600])
        const waiting = await tasks()
        assert.deepEqual(column(waiting, 'amount').sort(), [1, 2])
        await decide('approve', waiting.find(({ amount }) => amount === 1)?.taskId)
        await decide('reject', waiting.find(({ amount }) => amount === 2)?.taskId)
        await service.clock.advance(6_000)
        assert.deepEqual(column(await sentTo(reference), 'amount'), [400, 600, 1])
        assert.partialDeepStrictEqual(await read(reference, secretKey), {
          refunded_amount: 1_001,
          remaining_amount: AMOUNT - 1_001,
        })
        assert.deepEqual(await findings(), [])
      })

      it('of 200 concurrent parts only those up to the limit are sent without an approval', async () => {
        const { secretKey, reference } = await livePayment()
        const asked = Array.from({ length: 200 }, () =>
          askFor(reference, { amount: 100 }, secretKey),
        )
        const statuses = (await Promise.all(asked)).map(({ body }) => body.status)
        const count = (wanted: string): number =>
          statuses.filter((status) => status === wanted).length
        assert.deepEqual(
          [count('pending'), count('waiting_for_approval')],
          [LIMIT / 100, (AMOUNT - LIMIT) / 100],
        )
      })
    })
  })
}

describe('refunds in part at networks', () => {
  const PART = 400

  /** A paid payment at a network. */
  async function paidAt(t: TestContext, network: NetworkUnderTest, between?: WireBetween) {
    const service = await openServiceOnNetwork(network, undefined, {}, between)
    t.after(() => service.remove())
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const reference = (await post(service, secretKey, orderOn(network))).body.reference as string
    await service.clock.advance(60_000)
    return {
      service,
      reference,
      refund: (asked: object) => postAt(service, secretKey, `/payments/${reference}/refund`, asked),
      readRefund: async () =>
        (await getFrom(service, secretKey, `/payments/${reference}/refund`)).body,
      status: async () => (await get(service, secretKey, reference)).body.status,
    }
  }

  for (const network of [MTN, PAWAPAY]) {
    it(`${network.connector.name}: two parts arrive with their amounts`, async (t) => {
      const sent: unknown[] = []
      const hear: WireBetween['hear'] = (call, asked) => {
        if (call.method === 'POST' && /\/refunds?$/.test(call.path))
          sent.push(JSON.parse(call.body ?? '{}').amount)
        return reactionTo(asked, call)
      }
      const payment = await paidAt(t, network, { hear, callBack: (_, deliver) => deliver() })
      for (const asked of [{ amount: PART }, {}])
        assert.equal((await payment.refund(asked)).code, 200)
      for (let minutes = 0; minutes < 30; minutes += 5) {
        await payment.service.clock.sleep(4 * 60_000)
        await payment.service.clock.advance(60_000)
      }
      assert.partialDeepStrictEqual(await payment.readRefund(), {
        refunded_amount: AMOUNT,
        remaining_amount: 0,
      })
      assert.equal(await payment.status(), 'refunded')
      assert.deepEqual([...new Set(sent)].sort(), [String(AMOUNT - PART), String(PART)])
    })
  }

  it('airtel-money: a part is refused before anything is recorded or sent, and the whole is taken', async (t) => {
    const { service, reference, refund, status } = await paidAt(t, AIRTEL)
    const part = await refund({ amount: PART })
    assert.deepEqual(
      [part.code, part.headers['svc-error-code']],
      [422, 'refund_in_part_not_possible'],
    )
    assert.deepEqual(await rowsOf(service, 'select status from refunds', reference), [])
    assert.equal((await refund({ amount: AMOUNT })).code, 200)
    await service.clock.advance(60_000)
    assert.equal(await status(), 'refunded')
  })

  it('airtel-money: a part that was recorded without its connection is left to a person, and never sent', async (t) => {
    const { service, reference, readRefund } = await paidAt(t, AIRTEL)
    const elsewhere = { ...service, refundsInPart: () => true }
    granted(await refundPayment(elsewhere, TESTER, { name: reference, amount: PART }))
    await service.clock.advance(60_000)
    assert.deepEqual(
      [(await readRefund()).status, service.network.books()[0]?.refunds],
      ['by_hand', 0],
    )
  })

  it('fedapay: a person makes the part, and the task names its amount', async (t) => {
    const { service, reference, refund } = await paidAt(t, FEDAPAY)
    await refund({ amount: PART })
    await service.clock.advance(10_000)
    const [task] = await rowsOf<{ why: string }>(
      service,
      'select by_hand_why as why from refunds',
      reference,
    )
    assert.match(task?.why ?? '', new RegExp(`refund ${PART} F CFA of`))
  })
})
