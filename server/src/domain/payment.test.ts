// A checked order: the missing field that it names, and the number as written and as dialled. The order of the faults
// and the limits of amounts are in test/contract/body-order.test.ts.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ENVIRONMENTS } from './environment.ts'
import { checkOrder, type UncheckedOrder } from './payment.ts'

const VALID: UncheckedOrder = {
  ...{ amount: 1500, country: 'NE', currency: 'XOF', msisdn: ' +227 96 12 34 56 ', externalReference: 'order-1' },
  ...{ customerName: 'Awa Diallo', orderReference: undefined, metadata: undefined },
}

for (const environment of ENVIRONMENTS)
  describe(`payment orders in ${environment}`, () => {
    for (const field of ['amount', 'country', 'currency', 'msisdn', 'externalReference', 'customerName'] as const)
      it(`payment orders: without ${field} is incomplete, however that is written`, () => {
        for (const blank of [undefined, null, '', '   ', '\n\t']) {
          const refused = { refused: 'body_incomplete', missing: field }
          assert.deepEqual(checkOrder({ ...VALID, [field]: blank }, environment), refused)
        }
      })

    it('payment orders: that is valid is accepted with its number as it was written and as it is dialled', () => {
      assert.deepEqual(checkOrder(VALID, environment), {
        ...{ amountXof: 1500, country: 'NE', msisdnWritten: ' +227 96 12 34 56 ', msisdn: '22796123456' },
        ...{ prefix: '96', externalReference: 'order-1', customerName: 'Awa Diallo', orderReference: null },
        metadata: null,
      })
    })
  })
