// `karba verify` holds what a poster shows against the payments that were made there (D-92), on both engines.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { STORES } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { byPhone, newLink, pay, readLink, SUCCEEDS } from '../links/payer.ts'

for (const store of STORES) {
  it(`a poster whose counts are not those of its payments is named, on ${store.name}`, async () => {
    const service = await openVirtualService(store)
    const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
    const poster = await newLink(service, secretKey, { reusable: true })
    const untouched = await newLink(service, secretKey, { reusable: true })
    const [first] = [await pay(service, poster, byPhone(SUCCEEDS)), await pay(service, poster, byPhone(SUCCEEDS))]
    await service.clock.advance(10_000)
    const name = /\/pay\/(\w+)/.exec(first.goTo)?.[1] as string
    granted(await refundPayment(service, TESTER, { name }))
    await service.clock.advance(20_000)
    const { payments_count: count, collected_amount: sum } = (await readLink(service, poster)).body
    assert.deepEqual([count, sum], [1, 15_000], 'of two one was given back')

    const found = async () => granted(await verifyStore(service, TESTER)).findings
    assert.deepEqual(await found(), [])
    for (const [reference, change, undo] of [
      [poster, 'payments_count + 1', 'payments_count - 1'],
      [untouched, 'payments_count + 1', 'payments_count - 1'],
    ] as const) {
      const set = (to: string) =>
        service.db.change(`update posters set payments_count = ${to} where reference = $1`, [reference])
      await set(change)
      assert.deepEqual(await found(), [{ kind: 'poster_does_not_add_up', subject: reference, accountId }])
      await set(undo)
    }
    await service.db.change('update posters set collected_xof = collected_xof - 1 where reference = $1', [poster])
    assert.deepEqual(await found(), [{ kind: 'poster_does_not_add_up', subject: poster, accountId }])
    await service.remove()
  })
}
