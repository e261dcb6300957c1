// D-06 as a table: each repair removes one fault, and the next fault in the contract's order is returned. In both
// environments, with their differences in the table.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ENVIRONMENTS, type Environment } from './environment.ts'
import { checkOrder, ORDER_FAULTS, type UncheckedOrder } from './payment.ts'

const VALID: UncheckedOrder = {
  amount: 1500,
  country: 'NE',
  currency: 'XOF',
  msisdn: ' +227 96 12 34 56 ',
  externalReference: 'order-1',
  customerName: 'Awa Diallo',
  orderReference: undefined,
  metadata: undefined,
}

/** Every field is wrong, and one is not there. */
const ALL_WRONG: UncheckedOrder = {
  amount: 0,
  country: 'FR',
  currency: 'EUR',
  msisdn: 'none',
  externalReference: 'order\u0000',
  customerName: undefined,
  orderReference: 12,
  metadata: 'none',
}

const REPAIRS: [repair: Partial<UncheckedOrder>, next: (typeof ORDER_FAULTS)[number] | undefined][] = [
  [{}, 'body_incomplete'],
  [{ customerName: 'Awa\u0007' }, 'country_not_allowed'],
  [{ country: 'NE' }, 'currency_not_allowed'],
  [{ currency: 'XOF' }, 'amount_not_valid'],
  [{ amount: 1500 }, 'msisdn_not_valid'],
  [{ msisdn: '96123456' }, 'external_reference_not_valid'],
  [{ externalReference: 'order-1' }, 'customer_name_not_valid'],
  [{ customerName: 'Awa Diallo' }, 'order_reference_not_valid'],
  [{ orderReference: 'cart-1' }, 'metadata_not_valid'],
  [{ metadata: { cart: '1' } }, undefined],
]

it('payment orders: the table of repairs has every fault, in its order', () => {
  const faults = REPAIRS.flatMap(([, next]) => next ?? [])
  assert.deepEqual(faults, [...ORDER_FAULTS])
})

for (const environment of ENVIRONMENTS) {
  describe(`payment orders in ${environment}`, () => {
    let order = ALL_WRONG
    for (const [repair, next] of REPAIRS) {
      const repaired = { ...order, ...repair }
      order = repaired
      const what = Object.keys(repair)[0] ?? 'nothing'
      it(`payment orders: with ${what} repaired is ${next === undefined ? 'accepted' : `refused with ${next}`}`, () => {
        const checked = checkOrder(repaired, environment)
        assert.equal('refused' in checked ? checked.refused : undefined, next)
      })
    }

    for (const field of ['amount', 'country', 'currency', 'msisdn', 'externalReference', 'customerName'] as const) {
      it(`payment orders: without ${field} is incomplete, however that is written`, () => {
        for (const blank of [undefined, null, '', '   ', '\n\t']) {
          const refused = { refused: 'body_incomplete', missing: field }
          assert.deepEqual(checkOrder({ ...VALID, [field]: blank }, environment), refused)
        }
      })
    }

    it('payment orders: that is valid is accepted with its number as it was written and as it is dialled', () => {
      assert.deepEqual(checkOrder(VALID, environment), {
        amountXof: 1500,
        country: 'NE',
        msisdnWritten: ' +227 96 12 34 56 ',
        msisdn: '22796123456',
        prefix: '96',
        externalReference: 'order-1',
        customerName: 'Awa Diallo',
        orderReference: null,
        metadata: null,
      })
    })
  })
}

/** Each the only fault, or none. */
const DIFFERENCES: [change: Partial<UncheckedOrder>, environment: Environment, refused: string | undefined][] = [
  [{ amount: 50 }, 'sandbox', undefined],
  [{ amount: 49 }, 'sandbox', 'amount_not_valid'],
  [{ amount: 25 }, 'live', undefined],
  [{ amount: 24 }, 'live', 'amount_not_valid'],
  [{ amount: 999_999_999 }, 'live', undefined],
  [{ amount: 1_000_000_000 }, 'live', 'amount_not_valid'],
  [{ amount: '1500' }, 'live', undefined],
  [{ amount: '1500.00' }, 'live', undefined],
  [{ amount: '1500.50' }, 'live', 'amount_not_valid'],
  [{ amount: '1 500' }, 'live', 'amount_not_valid'],
  [{ amount: 1500.5 }, 'live', 'amount_not_valid'],
  [{ msisdn: '40410000000' }, 'sandbox', undefined],
  [{ msisdn: '40410000000' }, 'live', 'msisdn_not_valid'],
]
for (const [change, environment, refused] of DIFFERENCES) {
  it(`payment orders: ${JSON.stringify(change)} in ${environment} is ${refused ?? 'accepted'}`, () => {
    const checked = checkOrder({ ...VALID, ...change }, environment)
    assert.equal('refused' in checked ? checked.refused : undefined, refused)
  })
}
