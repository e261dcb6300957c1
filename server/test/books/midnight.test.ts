// Payments around midnight, on both stores: we count them on the day on which we learned of them,
// the network on the day on which it took the money. Each statement has the lines that lead from
// one to the other (D-174).
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { dayOf, dayText, startOfDay } from '../../src/domain/countries/business-day.ts'
import { ask, type SignedIn, signedIn } from '../kit/people.ts'
import { pdfText, unzipped } from '../kit/read-files.ts'
import { head } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { CONNECTION, openShopBooks, type ShopBooks } from '../kit/shop-books.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { SUCCEEDS } from '../links/payer.ts'

/** 28 February 2028 in Niamey and Porto-Novo; the year has a 29th. */
const DAY_28 = dayOf(Date.UTC(2028, 1, 28, 12))
const DAY_29 = DAY_28 + 1
const MARCH_1 = DAY_28 + 2
const MINUTE_MS = 60_000

/** Francs that show in a sum which payments it has. */
const MIDNIGHTS = [
  { day: DAY_29, inside: 1_000, learnedLater: 20_000, bookedLater: 300, after: 4_000, missing: 50 },
  {
    day: MARCH_1,
    inside: 1_001,
    learnedLater: 20_002,
    bookedLater: 303,
    after: 4_004,
    missing: 55,
  },
] as const

for (const store of STORES_IN_HALVES) {
  describe(`payments around midnight on ${store.name}`, () => {
    const service = shared(() =>
      openVirtualService(store, {}, { startAt: startOfDay(DAY_28) + 10 * 3_600_000 }),
    )
    let shop: ShopBooks
    let owner: SignedIn

    const sleepUntil = (at: number): Promise<unknown> =>
      service.clock.sleep(at - service.clock.now())

    before(async () => {
      shop = await openShopBooks(service)
      for (const { day, inside, learnedLater, bookedLater, after, missing } of MIDNIGHTS) {
        const midnight = startOfDay(day)
        const lineAt = async (amount: number, bookedAt: number) =>
          shop.lineOf(await shop.settled(SUCCEEDS, amount), {
            amountXof: amount,
            bookedAt,
            day: dayOf(bookedAt),
          })
        await sleepUntil(midnight - MINUTE_MS)
        const lines = [
          await lineAt(inside, midnight - 1_000),
          await lineAt(bookedLater, midnight + 1_000),
        ]
        await sleepUntil(midnight)
        lines.push(await lineAt(learnedLater, midnight - 1), await lineAt(after, midnight + 2_000))
        await shop.settled(SUCCEEDS, missing)
        await shop.run(lines)
      }
      await sleepUntil(startOfDay(MARCH_1) + 40 * 86_400_000)
      owner = await signedIn(service, { at: shop.merchantId, as: 'owner' })
    })

    const periodOf = (from: number, to: number): string =>
      `connection=${CONNECTION.connection}&from=${dayText(from)}&to=${dayText(to)}`

    async function file(asked: string): Promise<Buffer> {
      const sent = service.app.inject({
        method: 'GET',
        url: `/api/v1/${asked}`,
        headers: head(shop.secretKey),
      })
      const { statusCode, rawPayload } = await service.clock.advanceUntil('file', sent)
      assert.equal(statusCode, 200, rawPayload.toString())
      return rawPayload
    }

    const sums = async (from: number, to: number): Promise<number[]> => {
      const { collected, confirmed, reconciliation } = JSON.parse(
        (await file(`statements?${periodOf(from, to)}`)).toString(),
      )
      const { not_confirmed, on_other_days, of_other_days } = reconciliation
      assert.equal(collected - not_confirmed - on_other_days + of_other_days, confirmed)
      return [collected, not_confirmed, on_other_days, of_other_days, confirmed]
    }

    const [first, second] = MIDNIGHTS

    it('28 and 29 February and 1 March each say what the network has on another day', async () => {
      assert.deepEqual(await sums(DAY_28, DAY_28), [1_300, 0, 300, 20_000, 21_000])
      const on29 =
        first.learnedLater + first.after + first.missing + second.inside + second.bookedLater
      const elsewhere = first.learnedLater + second.bookedLater
      const ofOthers = first.bookedLater + second.learnedLater
      assert.deepEqual(await sums(DAY_29, DAY_29), [
        on29,
        first.missing,
        elsewhere,
        ofOthers,
        on29 - first.missing - elsewhere + ofOthers,
      ])
      assert.deepEqual(await sums(MARCH_1, MARCH_1), [24_061, 55, 20_002, 303, 4_307])
    })

    it('in February only the night to March is left, and over both nights nothing', async () => {
      const february = await sums(DAY_28 - 27, DAY_29)
      assert.deepEqual(february.slice(1, 4), [
        first.missing,
        second.bookedLater,
        second.learnedLater,
      ])
      assert.deepEqual((await sums(DAY_28, MARCH_1)).slice(1, 4), [105, 0, 0])
    })

    it('the page, the PDF and the month’s package have the same lines', async () => {
      const from = DAY_28 - 27
      const { body } = await ask(
        service,
        `GET /accounts/${shop.accountId}/statement/summary?${periodOf(from, DAY_29)}`,
        owner,
      )
      assert.deepEqual(body.reconciliation, {
        not_confirmed: 50,
        on_other_days: 303,
        of_other_days: 20_002,
      })
      const zip = await unzipped(await file('statements/package?month=2028-02&language=en'))
      const [pdf, csv] = [...zip.values()] as [Buffer, Buffer]
      const lines: string[][] = parse(csv, {
        bom: true,
        delimiter: ';',
        record_delimiter: '\r\n',
        relax_column_count: true,
      })
      const LINES = [
        ['Payments not yet confirmed', '-50'],
        ['Payments that the network dates outside the period', '-303'],
        ['Confirmations of payments outside the period', '20002'],
      ] as const
      for (const [label, amount] of LINES) {
        assert.equal(
          lines.find((line) => line.includes(label))?.find((cell) => /^-?\d+$/.test(cell)),
          amount,
          label,
        )
      }
      const text = pdfText(pdf)
      if (text !== undefined)
        for (const [label] of LINES) assert.ok(text.includes(label), `${label} in ${text}`)
    })
  })
}
