// D-21 and D-23 as tables: what an order for a link may hold, and which fault is returned first.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { withOutcome } from './link-state.ts'
import { checkLink, makeLinkReference, type UncheckedLink } from './payment-link.ts'

const RANDOM = '4f1c09ab37de82c65b1f0a9e7d3c2846'
const minimal = { amount: 15_000, title: 'Commande 12' } as UncheckedLink

const FAULTS: [title: string, change: Partial<UncheckedLink>, refused: string][] = [
  ['no amount', { amount: undefined }, 'link_body_incomplete'],
  ['a null title', { title: null }, 'link_body_incomplete'],
  ['a blank title', { title: '  ' }, 'link_body_incomplete'],
  ['a blank amount', { amount: '' }, 'link_body_incomplete'],
  ['an amount below the minimum', { amount: 49 }, 'amount_not_valid'],
  ['an amount in a string with a space', { amount: '15 000' }, 'amount_not_valid'],
  ['a title of 121 characters', { title: 'x'.repeat(121) }, 'title_not_valid'],
  ['a title with a line break', { title: 'a\nb' }, 'title_not_valid'],
  ['a title with a bidi override', { title: 'Total \u202e05' }, 'title_not_valid'],
  ['a title of an invisible character', { title: '\u3164' }, 'title_not_valid'],
  ['a title that is a number', { title: 12 }, 'title_not_valid'],
  ['a description of 501 characters', { description: 'x'.repeat(501) }, 'description_not_valid'],
  ['a description with a zero-width character', { description: 'a\u200bb' }, 'description_not_valid'],
  ['a description with NUL', { description: 'a\u0000' }, 'description_not_valid'],
  ['a short reference', { reference: 'abc' }, 'link_reference_not_valid'],
  ['a sequential reference', { reference: '00000000000000000000000000000012' }, 'link_reference_not_valid'],
  ['a word as a reference', { reference: 'shop_Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z' }, 'link_reference_not_valid'],
  ['a counter as a UUID', { reference: '00000000-0000-0000-0000-000000012345' }, 'link_reference_not_valid'],
  [
    'a UUID with a dash in the wrong place',
    { reference: '9b2e4d07a-1c3-4f58-8a6e-0d1f2b3c4e59' },
    'link_reference_not_valid',
  ],
  ['a reference with a slash', { reference: `${RANDOM}/` }, 'link_reference_not_valid'],
  ['an over-long transaction_id', { externalReference: 'x'.repeat(256) }, 'external_reference_not_valid'],
  ['a customer_name that is a list', { customerName: [] }, 'customer_name_not_valid'],
  ['shouldExpire as a string', { shouldExpire: 'yes' }, 'should_expire_not_valid'],
  ['a redirection over http', { onSuccessUrl: 'http://shop.example/ok' }, 'redirection_url_not_valid'],
  ['a redirection to a script', { onFailedUrl: 'javascript:alert(1)' }, 'redirection_url_not_valid'],
  ['a redirection with a password', { onSuccessUrl: 'https://a:b@shop.example/' }, 'redirection_url_not_valid'],
  ['a redirection with NUL', { onSuccessUrl: 'https://shop.example/\u0000' }, 'redirection_url_not_valid'],
  ['a redirection that is not a URL', { onSuccessUrl: 'shop.example' }, 'redirection_url_not_valid'],
]

for (const [title, change, refused] of FAULTS) {
  it(`link orders: ${title} is refused`, () =>
    assert.partialDeepStrictEqual(checkLink({ ...minimal, ...change }, 'sandbox'), { refused }))
}

it('link orders: a complete order is accepted unchanged', () => {
  const order = {
    ...minimal,
    description: 'Deux pagnes\nlivraison comprise',
    reference: RANDOM,
    externalReference: 'cmd:12/é',
    customerName: 'Awa',
    shouldExpire: false,
    onSuccessUrl: 'https://shop.example/ok?a=1',
    onFailedUrl: 'http://localhost:3000/no',
  }
  const { amount, reference, shouldExpire: _, ...unchanged } = order
  assert.deepEqual(checkLink(order, 'sandbox'), {
    ...{ ...unchanged, amountXof: amount, linkReference: reference, createdBy: null, clientReference: null },
    ...{ metadata: null, lifeMs: null, openAmount: null, isReusable: false },
  })
  assert.deepEqual(checkLink(order, 'live'), { refused: 'redirection_url_not_valid', which: 'onFailedUrl' })
})

it('link orders: a field that is left out, null or empty counts as not given, and a link expires by default', () => {
  const order = checkLink({ ...minimal, description: '', reference: null }, 'live')
  assert.partialDeepStrictEqual(order, { description: null, linkReference: null, lifeMs: 30 * 60_000 })
})

for (const reference of [RANDOM, RANDOM.toUpperCase(), RANDOM.repeat(4), '9b2e4d07-a1c3-4f58-8a6e-0d1f2b3c4e59']) {
  it(`link orders: a merchant may choose the reference ${reference.slice(0, 40)}`, () =>
    assert.partialDeepStrictEqual(checkLink({ ...minimal, reference }, 'live'), { linkReference: reference }))
}

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
