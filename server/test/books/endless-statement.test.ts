// A statement of more movements than any file was allowed before, over HTTP on both stores: it
// begins at once, stops when its reader leaves, and other requests are answered meanwhile.
import assert from 'node:assert/strict'
import { get as request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { after, before, describe, it } from 'node:test'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { dayOf, dayText } from '../../src/domain/countries/business-day.ts'
import { ask, signedIn } from '../kit/people.ts'
import { head, openTestService, type TestService } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

const MOVEMENTS = 210_000
const DAYS = 30
const AMOUNT = 1_000
/** Inserted by one statement. */
const AT_ONCE = 15_000
/** A machine of two cores that many tests share; counting these movements took 36 s before. */
const SOON_MS = 5_000

for (const store of STORES) {
  describe(`statement without an end on ${store.name}`, () => {
    let service: TestService
    let merchant: NewMerchant
    let url = ''
    const firstDay = dayOf(Date.now()) - DAYS
    const period = `connection=airtel_ne&from=${dayText(firstDay)}&to=${dayText(firstDay + DAYS - 1)}`
    before(async () => {
      service = await openTestService(store, { KARBA_ROLE: 'api' })
      merchant = await service.merchant()
      url = await service.app.listen({ host: '127.0.0.1', port: 0 })
      const { accountId } = merchant.accounts.sandbox
      for (let first = 1; first <= MOVEMENTS; first += AT_ONCE)
        await service.db.change(
          `with recursive nth (n) as (select ${first} union all select n + 1 from nth
           where n < ${first + AT_ONCE - 1})
           insert into ledger_entries (account_id, entry, connection, booked_at, day, kind, debit,
             credit, amount_xof,
             number, made_by)
           select cast(:accountId as text), n, 'airtel_ne', 1,
             cast(:firstDay as bigint) + n % ${DAYS}, 'payment', 'receivable', 'sales',
             ${AMOUNT}, n, 'tester' from nth`,
          { accountId, firstDay },
        )
      await service.db.change(
        'insert into ledger_heads (account_id, last_entry) values (:accountId, :MOVEMENTS)',
        { accountId, MOVEMENTS },
      )
    })
    after(() => service.remove())

    type Begun = {
      status: number
      firstAfterMs: number
      leave(): void
      taken(): number
    }

    /**
     * Resolves at the first byte of the body, or at the head of a file whose first bytes are made
     * later.
     */
    const begin = (format: string): Promise<Begun> =>
      new Promise((resolve, reject) => {
        const began = performance.now()
        let taken = 0
        const headers = head(merchant.accounts.sandbox.secretKey)
        request(`${url}/api/v1/statements?${period}&format=${format}`, { headers }, (answer) => {
          answer.on('data', (part: Buffer) => (taken += part.length))
          answer.on('error', () => {})
          resolve({
            status: answer.statusCode ?? 0,
            firstAfterMs: performance.now() - began,
            leave: () => answer.destroy(),
            taken: () => taken,
          })
        }).on('error', reject)
      })

    it('begins at once, leaves other requests their turn, and ends when its reader leaves', async () => {
      let slowest = 0
      for (const format of ['json', 'xlsx']) {
        const file = await begin(format)
        assert.equal(file.status, 200, `${format}: the one before it has left its turn`)
        assert.ok(file.firstAfterMs < SOON_MS, `${format}: ${file.firstAfterMs} ms`)
        await until(`rows of ${format}`, async () => {
          const began = performance.now()
          await service.app.inject({ method: 'GET', url: '/healthz' })
          slowest = Math.max(slowest, performance.now() - began)
          return file.taken() > 20_000
        })
        file.leave()
      }
      assert.ok(slowest < SOON_MS / 10, `${slowest} ms`)
    })

    it('has every movement in its sums, and its last page begins where a cursor says', async () => {
      const owner = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
      const at = `/accounts/${merchant.accounts.sandbox.accountId}/statement`
      const { body } = await ask(service, `GET ${at}/summary?${period}`, owner)
      assert.deepEqual([body.movements, body.closing], [MOVEMENTS, MOVEMENTS * AMOUNT])
      const last = `${firstDay + DAYS - 1}.${MOVEMENTS - 2 * DAYS - 1}.${(MOVEMENTS - 2) * AMOUNT}`
      const page = (await ask(service, `GET ${at}/movements?${period}&after=${last}`, owner)).body
      assert.deepEqual(
        page.rows.map(({ balance }: { balance: number }) => balance),
        [MOVEMENTS * AMOUNT - AMOUNT, MOVEMENTS * AMOUNT],
      )
    })
  })
}
