// What a merchant may add to an order: every field of the table is returned by each body that shows
// a payment, and erased where it may name the payer.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { erasePayer } from '../../src/actions/privacy/erase-payer.ts'
import { ADDITIONS, PAYMENT_FIELDS } from '../../src/domain/payments/payment-fields.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { ask, signedIn } from '../kit/people.ts'
import { get, getFrom, order, post } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

const ADDED = Object.fromEntries(
  ADDITIONS.map((name) => [PAYMENT_FIELDS[name].wire, PAYMENT_FIELDS[name].given.example]),
)

/** Of a body, the fields that a merchant may add. */
const addedIn = (body: Record<string, unknown> | undefined): object =>
  Object.fromEntries(
    Object.keys(ADDED).flatMap((wire) => (body?.[wire] === undefined ? [] : [[wire, body[wire]]])),
  )

for (const store of STORES)
  describe(`added fields on ${store.name}`, () => {
    const service = shared(() => openVirtualService(store))
    const MSISDN = '+227 96 12 34 56'

    it('added fields: reads, lists, events, the page and the CSV export have them', async () => {
      const { merchantId, accounts } = await service.merchant()
      const { accountId, secretKey } = accounts.sandbox
      const owner = await signedIn(service, { at: merchantId, as: 'owner' })
      const { reference } = (
        await post(service, secretKey, order({ msisdn: MSISDN, transaction_id: 'with', ...ADDED }))
      ).body as { reference: string }
      await service.clock.advance(10_000)

      assert.deepEqual(addedIn((await get(service, secretKey, reference)).body), ADDED)
      const list = (await getFrom(service, secretKey, '/payments')).body.data
      assert.deepEqual(addedIn((list as Record<string, unknown>[])[0]), ADDED)
      const feed = (await getFrom(service, secretKey, '/events')).body.events
      const [event] = feed as { data: Record<string, unknown> }[]
      assert.deepEqual(addedIn(event?.data), ADDED)

      const at = `GET /accounts/${accountId}/payments`
      const page = (await ask(service, `${at}/${reference}`, owner)).body
      const [heading = '', line = ''] = (
        (await ask(service, `${at}.csv?language=en`, owner)).body as string
      ).split('\r\n')
      const headings = heading.split(';')
      for (const name of ADDITIONS) {
        const { given, words } = PAYMENT_FIELDS[name]
        assert.deepEqual(page[name], given.example, `${name} on the page`)
        const cell = line.split(';')[headings.indexOf(words.en)] as string
        for (const text of typeof given.example === 'string'
          ? [given.example]
          : Object.values(given.example))
          assert.ok(cell.includes(text), `${name} in the CSV export: ${cell}`)
      }
    })

    it('added fields: those that may name the payer are erased with the payer, in events too', async () => {
      const { secretKey } = (await service.merchant()).accounts.sandbox
      const made = await post(service, secretKey, order({ msisdn: MSISDN, ...ADDED }))
      await service.clock.advance(10_000)
      granted(await erasePayer(service, TESTER, { number: MSISDN }))
      const kept = Object.fromEntries(
        ADDITIONS.filter((name) => !('personal' in PAYMENT_FIELDS[name])).map((name) => [
          PAYMENT_FIELDS[name].wire,
          PAYMENT_FIELDS[name].given.example,
        ]),
      )
      const { body } = await get(service, secretKey, made.body.reference as string)
      assert.deepEqual(addedIn(body), kept)
      const feed = (await getFrom(service, secretKey, '/events')).body.events
      const [event] = feed as { data: Record<string, unknown> }[]
      assert.deepEqual(addedIn(event?.data), kept)
    })
  })
