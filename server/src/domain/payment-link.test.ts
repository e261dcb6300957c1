// An order for a link (D-21, D-23). Its refused values and their order are in test/links/creating.test.ts.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { withOutcome } from './link-state.ts'
import { checkLink, makeLinkReference, type UncheckedLink } from './payment-link.ts'

const RANDOM = '4f1c09ab37de82c65b1f0a9e7d3c2846'
const minimal = { amount: 15_000, title: 'Commande 12' } as UncheckedLink

it('link orders: a complete order is accepted unchanged', () => {
  const order = {
    ...minimal,
    ...{ description: 'Deux pagnes\nlivraison comprise', reference: RANDOM, externalReference: 'cmd:12/é' },
    ...{ customerName: 'Awa', shouldExpire: false, onSuccessUrl: 'https://shop.example/ok?a=1' },
    onFailedUrl: 'http://localhost:3000/no',
  }
  assert.deepEqual(checkLink(order, 'sandbox'), {
    ...{ amountXof: 15_000, title: 'Commande 12', description: 'Deux pagnes\nlivraison comprise' },
    ...{ linkReference: RANDOM, externalReference: 'cmd:12/é', createdBy: null, clientReference: null },
    ...{ metadata: null, customerName: 'Awa', lifeMs: null, openAmount: null, isReusable: false },
    ...{ onSuccessUrl: 'https://shop.example/ok?a=1', onFailedUrl: 'http://localhost:3000/no' },
  })
  assert.deepEqual(checkLink(order, 'live'), { refused: 'redirection_url_not_valid', which: 'onFailedUrl' })
})

it('link orders: a field that is left out, null or empty counts as not given, and a link expires by default', () => {
  const order = checkLink({ ...minimal, description: '', reference: null }, 'live')
  assert.partialDeepStrictEqual(order, { description: null, linkReference: null, lifeMs: 30 * 60_000 })
})

it('link orders: a generated link reference has 32 characters', () =>
  assert.equal(makeLinkReference(new Uint8Array(20)).length, 32))

it('link orders: the outcome is set in the query of the merchant’s address, which keeps its other parameters', () => {
  const names = { publicReference: 'AAAA-BBBB-C', externalReference: 'cmd 12/é' }
  const outcome = { reference: 'r', status: 'succeeded', amountXof: 15_000, ...names }
  assert.equal(
    withOutcome('https://shop.example/ok?a=1&status=x', outcome),
    'https://shop.example/ok?a=1&status=succeeded&reference=r&public_reference=AAAA-BBBB-C&external_reference=cmd+12%2F%C3%A9&amount=15000',
  )
})
