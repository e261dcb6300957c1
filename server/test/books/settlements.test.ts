// Settlements on both stores: lines of the network's statement move money to in_transit, the
// merchant confirms what the bank has, and each settlement lists the lines since the one before.
// And statements as files.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { parseCamt053 } from 'camt-parser'
import { listExceptions } from '../../src/actions/books/exceptions.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { STATEMENT_FORMATS } from '../../src/domain/books/account-statement.ts'
import type { StatementLine } from '../../src/domain/books/statement.ts'
import { dayOf, dayText } from '../../src/domain/countries/business-day.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { getFrom, head, postAt } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

const AT_ONCE = 40

for (const store of STORES_IN_HALVES) {
  describe(`settlements on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    let shop: ShopBooks
    let owner: SignedIn
    let cashier: SignedIn
    before(async () => {
      shop = await openShopBooks(service)
      owner = await signedIn(service, { at: shop.merchantId, as: 'owner' })
      cashier = await signedIn(service, { at: shop.merchantId, as: 'cashier' })
    })

    const paid = (amount: number): Promise<string> => shop.settled(SUCCEEDS, amount)
    const lineOf = ({ ourReference = '', ...changes }: Partial<StatementLine>): StatementLine =>
      shop.lineOf(ourReference, changes)
    async function imported(...lines: StatementLine[]) {
      await service.clock.advance(1_000)
      return shop.run(lines)
    }

    const get = async (path: string) =>
      (await getFrom(service, shop.secretKey, path)).body as Record<string, unknown>
    const where = async (): Promise<unknown[]> => {
      const { to_receive, in_wallet, in_transit, in_bank } = await get('/balance')
      return [to_receive, in_wallet, in_transit, in_bank]
    }
    const settlements = async () => (await get('/settlements')).data as Record<string, unknown>[]
    const confirm = (name: unknown, amount: number) =>
      postAt(service, shop.secretKey, `/settlements/${name}/confirm`, { amount })

    it('a settlement line without a reference is in the books of the account that alone collects by the connection', async () => {
      const reference = await paid(5_000)
      await imported(lineOf({ ourReference: reference, amountXof: 5_000, feeXof: 50 }))
      await imported(lineOf({ type: 'settlement', amountXof: -4_000, networkReference: 'STL-1' }))
      assert.deepEqual(await where(), [0, 950, 4_000, 0])
      const [{ settlement, amount, status, operator_reference } = {}] = await settlements()
      assert.deepEqual([amount, status, operator_reference], [4_000, 'in_transit', 'STL-1'])
      const { lines, collected, fees, other } = await get(`/settlements/${settlement}`)
      assert.deepEqual([collected, fees, other], [5_000, -50, 0])
      assert.deepEqual(
        (lines as Record<string, unknown>[]).map((line) => [
          line.payment_reference,
          line.amount,
          line.fee,
        ]),
        [[reference, 5_000, 50]],
      )
    })

    it('the bank credit is confirmed once by requests that come together', async () => {
      const [{ settlement } = {}] = await settlements()
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, () => confirm(settlement, 4_000)),
      )
      assert.deepEqual(
        [...new Set(answers.map(({ code, body }) => `${code} ${body.status}`))],
        ['200 received'],
      )
      assert.deepEqual(await where(), [0, 950, 0, 4_000])
      const other = await confirm(settlement, 3_999)
      assert.deepEqual([other.code, other.body.message], [422, 'Settlement Already Confirmed'])
    })

    it('the next settlement has only the lines since the one before, and a refund is a line of its own', async () => {
      const reference = await paid(3_000)
      await imported(lineOf({ ourReference: reference, amountXof: 3_000 }))
      const { refundReference } = granted(await refundPayment(service, TESTER, { name: reference }))
      await service.clock.advance(6_000)
      const kept = await paid(2_000)
      await imported(
        lineOf({ ourReference: refundReference, type: 'refund', amountXof: -3_000 }),
        lineOf({ ourReference: kept, amountXof: 2_000 }),
      )
      await service.clock.advance(1_000)
      await imported(lineOf({ type: 'settlement', amountXof: -2_500 }))
      const [{ settlement } = {}] = await settlements()
      const { lines, collected, refunded } = await get(`/settlements/${settlement}`)
      assert.deepEqual([collected, refunded], [5_000, -3_000])
      assert.deepEqual(
        (lines as Record<string, unknown>[]).map((line) => [
          line.type,
          line.payment_reference,
          line.amount,
        ]),
        [
          ['collection', reference, 3_000],
          ['refund', reference, -3_000],
          ['collection', kept, 2_000],
        ],
      )
      const first = await get(`/settlements/${settlement}?limit=2`)
      const second = await get(`/settlements/${settlement}?limit=2&after=${first.next}`)
      assert.deepEqual([...(first.lines as object[]), ...(second.lines as object[])], lines)
      assert.equal(second.next, null)
    })

    it('settlements are listed by the days on which the money left', async () => {
      const [newest, oldest] = await settlements()
      const today = dayText(dayOf(service.clock.now()))
      assert.equal(oldest?.left_on, today)
      const of = async (query: string): Promise<unknown[]> =>
        ((await get(`/settlements?${query}`)).data as Record<string, unknown>[]).map(
          ({ settlement }) => settlement,
        )
      const both = [newest?.settlement, oldest?.settlement]
      assert.deepEqual(await of(`from=${today}&to=${today}`), both)
      assert.deepEqual(await of(`from=${today}`), both)
      assert.deepEqual(await of(`to=${dayText(dayOf(service.clock.now()) - 1)}`), [])
      assert.deepEqual(await of(`from=${dayText(dayOf(service.clock.now()) + 1)}`), [])
      const first = await get(`/settlements?to=${today}&limit=1`)
      assert.deepEqual(await of(`to=${today}&limit=1&after=${first.next}`), [oldest?.settlement])
      for (const wrong of ['from=2026-02-31', 'to=today', `from=${today}&to=2020-01-01`]) {
        const { code, headers } = await getFrom(service, shop.secretKey, `/settlements?${wrong}`)
        assert.deepEqual([code, headers['svc-error-code']], [400, 'day_filter_not_valid'], wrong)
      }
    })

    const DIFFERENCES: [received: number, expected: unknown[]][] = [
      [2_400, [0, 450, 100, 6_400]],
      [2_700, [0, 450 - 2_500, 100, 9_100]],
    ]
    it('a bank credit of another amount is a difference: less stays in transit, more is unexplained', async () => {
      for (const [received, expected] of DIFFERENCES) {
        const [{ settlement } = {}] = await settlements()
        assert.equal((await confirm(settlement, received)).body.received_amount, received)
        assert.deepEqual(await where(), expected)
        await imported(
          lineOf({ type: 'settlement', amountXof: -2_500, networkReference: `after ${received}` }),
        )
      }
      assert.equal((await get('/balance')).unexplained, 200, 'what the bank has too much')
      const { rows } = await listExceptions(service, TESTER)
      assert.deepEqual(
        rows
          .filter(({ kind }) => kind === 'settled_amount_differs')
          .map((each) => [each.accountId, each.amountXof]),
        [
          [shop.accountId, 100],
          [shop.accountId, 200],
        ],
      )
    })

    const WRONG: [
      what: string,
      amount: unknown,
      day: unknown,
      answer: [number, string],
      bank?: unknown,
    ][] = [
      ['no amount', undefined, undefined, [400, 'receipt_not_valid']],
      ['a fraction', 0.5, undefined, [400, 'receipt_not_valid']],
      ['a text', '2500', undefined, [400, 'receipt_not_valid']],
      ['a long bank reference', 2_500, undefined, [400, 'receipt_not_valid'], 'x'.repeat(61)],
      [
        'a bank reference with a control character',
        2_500,
        undefined,
        [400, 'receipt_not_valid'],
        'a\u0000',
      ],
      ['a bank reference that is no text', 2_500, undefined, [400, 'receipt_not_valid'], 7],
      ['a day that does not exist', 2_500, '2026-02-31', [400, 'receipt_not_valid']],
      ['a day before the settlement', 2_500, '2020-01-01', [422, 'received_on_not_valid']],
      ['a day in the future', 2_500, '2999-01-01', [422, 'received_on_not_valid']],
    ]
    it('a receipt that is not valid is refused, and another account does not find the settlement', async () => {
      const [{ settlement } = {}] = await settlements()
      for (const [what, amount, received_on, answer, bank_reference] of WRONG) {
        const body = JSON.stringify({ amount, received_on, bank_reference })
        const path = `/api/v1/settlements/${settlement}/confirm`
        const headers = head(shop.secretKey)
        const found = await service.app.inject({
          method: 'POST',
          url: path,
          headers,
          payload: body,
        })
        assert.deepEqual([found.statusCode, found.headers['svc-error-code']], answer, what)
      }
      const other = (await service.merchant()).accounts.sandbox.secretKey
      for (const name of [
        settlement,
        'airtel_ne-999',
        'x',
        `${'x'.repeat(200)}-1`,
        'airtel_ne-1%00',
      ])
        assert.equal(
          (await postAt(service, other, `/settlements/${name}/confirm`, { amount: 1 })).code,
          404,
        )
      assert.deepEqual((await getFrom(service, other, '/settlements')).body, {
        data: [],
        next: null,
      })
    })

    it('in the dashboard an owner confirms a settlement, and a cashier sees none', async () => {
      const [{ settlement } = {}] = await settlements()
      const at = `/accounts/${shop.accountId}/settlements`
      assert.equal((await ask(service, `GET ${at}`, cashier)).code, 403)
      const { body } = await ask(service, `GET ${at}/${settlement}`, owner)
      assert.deepEqual([body.state, body.amount, body.rows], ['in_transit', 2_500, []])
      const receipt = { amount: 2_500, reference: 'VIR-88213, carte 4111 1111 1111 1111' }
      const confirmed = await ask(service, `POST ${at}/${settlement}/confirm`, owner, receipt)
      assert.deepEqual([confirmed.code, confirmed.body.state], [200, 'received'])
      const [row] = (await ask(service, `GET ${at}`, owner)).body.rows
      const kept = 'VIR-88213, carte 411111******1111'
      assert.deepEqual(
        [row.bankReference, row.receivedDay, row.connectionLabel],
        [kept, dayText(dayOf(service.clock.now())), null],
      )
      assert.equal((await settlements())[0]?.bank_reference, kept)
    })

    const fileOf = async (format: string, key = shop.secretKey) => {
      const day = dayText(dayOf(service.clock.now()))
      const url = `/api/v1/statements?connection=airtel_ne&from=${day}&to=${day}&format=${format}&language=en`
      return service.app.inject({ method: 'GET', url, headers: head(key) })
    }

    it('a statement has the same closing balance in every format, and a refund is a row of its own', async () => {
      const whole = (await fileOf('json')).json()
      const rowsOf = (kind: string) =>
        whole.movements.filter((row: { kind: string }) => row.kind === kind)
      assert.equal(rowsOf('refund').length, 1)
      assert.equal(rowsOf('settlement')[0].operator_reference, 'STL-1')
      for (const format of STATEMENT_FORMATS) {
        const { statusCode, headers, payload } = await fileOf(format)
        assert.equal(statusCode, 200, format)
        assert.match(
          `${headers['content-disposition']}`,
          /^attachment; filename="statement-Airtel-Money-Niger-[\d-]+\.[\w.]+"$/,
        )
        if (format === 'csv')
          assert.match(
            payload,
            new RegExp(`Closing balance";"";"?${whole.closing}|Closing balance;;${whole.closing}`),
          )
        if (format !== 'camt053') continue
        const [statement] = (await parseCamt053(payload)).statements
        const amounts = statement?.transactions.map(({ amount, creditDebitIndicator }) =>
          creditDebitIndicator === 'DBIT' ? -Number(amount.value) : Number(amount.value),
        )
        assert.deepEqual(
          amounts,
          whole.movements.map(({ amount }: { amount: number }) => amount),
        )
      }
      assert.equal((await fileOf('docx')).headers['svc-error-param'], 'format')
    })

    it('an account has one statement at a time, and others are not refused for it', async () => {
      const other = (await service.merchant()).accounts.sandbox.secretKey
      const [first, ...rest] = await Promise.all([
        fileOf('csv', other),
        ...Array.from({ length: 20 }, () => fileOf('csv')),
      ])
      assert.equal(first.statusCode, 200)
      const codes = new Set(
        rest.map(({ statusCode, headers }) => `${statusCode} ${headers['retry-after']}`),
      )
      assert.deepEqual(codes, new Set(['200 undefined', '429 1']))
      assert.equal((await fileOf('csv')).statusCode, 200)
    })

    it('the dashboard sends the same file, and not to a cashier', async () => {
      const day = dayText(dayOf(service.clock.now()))
      const url = `/accounts/${shop.accountId}/statement?connection=airtel_ne&from=${day}&to=${day}&format=csv&language=en`
      const asked = (who: SignedIn) =>
        service.app.inject({
          method: 'GET',
          url: `/dashboard/api${url}`,
          headers: { cookie: who.cookie },
        })
      assert.equal((await asked(owner)).payload, (await fileOf('csv')).payload)
      assert.equal((await asked(cashier)).statusCode, 403)
    })

    it('karba verify finds no difference', async () => {
      assert.deepEqual(
        granted(await verifyStore({ ...service, engineFaults: async () => [] }, TESTER)).findings,
        [],
      )
    })
  })
}
