// The refusals of an order for a link, one fault at a time and in their order, the order of a
// merchant's page, and what a payer types.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  CHOSEN_LINK_REFERENCE_FORM,
  checkLink,
  checkPageLink,
  LIFE_MINUTES,
  LINK_FAULTS,
  LINK_LIFE_MS,
  LINK_REFERENCE_BYTES,
  LONGEST_DESCRIPTION,
  LONGEST_TITLE,
  looksLikeLinkReference,
  MOST_SUGGESTED,
  PAGE_LINK_FAULTS,
  readTypedAmount,
  type UncheckedLink,
} from './payment-link.ts'

const RANDOM = '4f1c09ab37de82c65b1f0a9e7d3c2846'
const UUID = '4f1c09ab-37de-82c6-5b1f-0a9e7d3c2846'
const OPEN = { minimumAmount: 100, title: 't' }
const ORDER = { amount: 500, title: 't' }
const order = (fields: object): UncheckedLink => fields as UncheckedLink

const REFUSED: [fields: object, refusal: string, more?: object][] = [
  [{}, 'link_body_incomplete', { missing: undefined }],
  [{ title: 't' }, 'link_body_incomplete', { missing: 'amount' }],
  [{ amount: 500 }, 'link_body_incomplete', { missing: 'title' }],
  [{ amount: 500, title: '' }, 'link_body_incomplete', { missing: 'title' }],
  [{ amount: 24, title: 5 }, 'amount_not_valid'],
  [{ amount: 'x', title: 't' }, 'amount_not_valid'],
  [{ ...ORDER, title: 5, description: 5 }, 'title_not_valid'],
  [{ ...ORDER, title: 'x'.repeat(121) }, 'title_not_valid'],
  [{ ...ORDER, description: 5, reference: 'x' }, 'description_not_valid'],
  [{ ...ORDER, description: 'x'.repeat(501) }, 'description_not_valid'],
  [{ ...ORDER, description: 'a\u0000' }, 'description_not_valid'],
  [{ ...ORDER, reference: 'x', externalReference: 5 }, 'link_reference_not_valid'],
  [{ ...ORDER, reference: 'z'.repeat(32) }, 'link_reference_not_valid'],
  [{ ...ORDER, reference: '012345'.repeat(6) }, 'link_reference_not_valid'],
  [{ ...ORDER, reference: 'aA'.repeat(8) + 'bBcC'.repeat(5) }, 'link_reference_not_valid'],
  [{ ...ORDER, externalReference: 5, customerName: 5 }, 'external_reference_not_valid'],
  [{ ...ORDER, customerName: 5, shouldExpire: 5 }, 'customer_name_not_valid'],
  [{ ...ORDER, shouldExpire: 5, onSuccessUrl: 5 }, 'should_expire_not_valid'],
  [
    { ...ORDER, onSuccessUrl: 5, onFailedUrl: 5 },
    'redirection_url_not_valid',
    { which: 'onSuccessUrl' },
  ],
  [
    { ...ORDER, onFailedUrl: 'x', orderReference: 5 },
    'redirection_url_not_valid',
    { which: 'onFailedUrl' },
  ],
  [{ ...ORDER, orderReference: 5, metadata: 5 }, 'order_reference_not_valid'],
  [{ ...ORDER, metadata: 5, minimumAmount: 5 }, 'metadata_not_valid'],
  [{ ...ORDER, minimumAmount: 100 }, 'minimum_amount_not_valid'],
  [{ ...ORDER, suggestedAmounts: [500] }, 'suggested_amounts_not_valid'],
  [{ ...OPEN, minimumAmount: 24 }, 'minimum_amount_not_valid'],
  [{ ...OPEN, suggestedAmounts: 500 }, 'suggested_amounts_not_valid'],
  [{ ...OPEN, suggestedAmounts: [100, 99] }, 'suggested_amounts_not_valid'],
  [{ ...OPEN, suggestedAmounts: [100, 'x'] }, 'suggested_amounts_not_valid'],
  [{ ...OPEN, suggestedAmounts: [100, 101, 102, 103, 104] }, 'suggested_amounts_not_valid'],
  [{ ...ORDER, reusable: 'yes' }, 'reusable_not_valid'],
  [{ ...ORDER, reusable: true, externalReference: 'x' }, 'reusable_not_valid'],
  [{ ...ORDER, reusable: true, orderReference: 'x' }, 'reusable_not_valid'],
  [{ ...ORDER, expiresInMinutes: 4 }, 'expires_in_minutes_not_valid'],
  [{ ...ORDER, expiresInMinutes: 129_601 }, 'expires_in_minutes_not_valid'],
  [{ ...ORDER, expiresInMinutes: 5.5 }, 'expires_in_minutes_not_valid'],
  [{ ...ORDER, expiresInMinutes: 5, shouldExpire: false }, 'expires_in_minutes_not_valid'],
]

const ACCEPTED: [fields: object, seen: object][] = [
  [ORDER, { amountXof: 500, openAmount: null, isReusable: false, lifeMs: LINK_LIFE_MS }],
  [{ ...ORDER, amount: 25 }, { amountXof: 25 }],
  [{ ...ORDER, title: 'x'.repeat(120), description: 'x'.repeat(500) }, {}],
  [{ ...ORDER, description: 'a\r\nb\nc' }, { description: 'a\r\nb\nc' }],
  [{ ...ORDER, reference: UUID }, { linkReference: UUID }],
  [{ ...ORDER, reference: '0123456'.repeat(5) }, { linkReference: '0123456'.repeat(5) }],
  [{ ...ORDER, shouldExpire: false }, { lifeMs: null }],
  [{ ...ORDER, shouldExpire: true }, { lifeMs: LINK_LIFE_MS }],
  [{ ...ORDER, expiresInMinutes: 5 }, { lifeMs: 300_000 }],
  [{ ...ORDER, expiresInMinutes: 129_600, shouldExpire: true }, { lifeMs: 7_776_000_000 }],
  [
    { ...ORDER, reusable: true },
    { isReusable: true, lifeMs: null },
  ],
  [
    { ...ORDER, reusable: true, shouldExpire: true },
    { isReusable: true, lifeMs: LINK_LIFE_MS },
  ],
  [{ ...ORDER, reusable: false, externalReference: 'x' }, { externalReference: 'x' }],
  [
    { ...ORDER, orderReference: 'o' },
    { clientReference: 'o', createdBy: null },
  ],
  [{ ...ORDER, metadata: { a: 'b' } }, { metadata: '{"a":"b"}' }],
  [{ ...ORDER, title: 'to 4111111111111111' }, { title: 'to 411111******1111' }],
  [OPEN, { amountXof: 100, openAmount: { minimumXof: 100, suggestedXof: [] } }],
  [
    { ...OPEN, suggestedAmounts: [100, 200, '300', 400] },
    { openAmount: { minimumXof: 100, suggestedXof: [100, 200, 300, 400] } },
  ],
]

describe('link orders: faults', () => {
  for (const [fields, refused, more] of REFUSED)
    it(`${JSON.stringify(fields).slice(0, 70)} is ${refused}`, () =>
      assert.deepEqual(checkLink(order(fields), 'live'), { refused, ...more }))

  for (const [fields, seen] of ACCEPTED)
    it(`${JSON.stringify(fields).slice(0, 70)} is accepted`, () => {
      const checked = checkLink(order(fields), 'live')
      assert.equal('refused' in checked, false, JSON.stringify(checked))
      assert.partialDeepStrictEqual(checked, seen)
    })

  it('the closed list is in the order of the checks; a page has those of its own fields', () => {
    assert.deepEqual(LINK_FAULTS, [...new Set(REFUSED.map(([, refused]) => refused))])
    assert.deepEqual(PAGE_LINK_FAULTS, [
      'link_body_incomplete',
      'amount_not_valid',
      'title_not_valid',
      'description_not_valid',
      'external_reference_not_valid',
      'customer_name_not_valid',
      'redirection_url_not_valid',
      'order_reference_not_valid',
    ])
  })

  it('limits of titles, descriptions, lives and references', () => {
    assert.deepEqual([LONGEST_TITLE, LONGEST_DESCRIPTION, MOST_SUGGESTED], [120, 500, 4])
    assert.deepEqual(LIFE_MINUTES, { least: 5, most: 129_600 })
    assert.deepEqual([LINK_LIFE_MS, LINK_REFERENCE_BYTES], [1_800_000, 20])
    for (const text of ['x'.repeat(32), 'A-_9'.repeat(32)])
      assert.equal(looksLikeLinkReference(text), true)
    for (const text of ['x'.repeat(31), 'x'.repeat(129), `${'x'.repeat(32)}/`])
      assert.equal(looksLikeLinkReference(text), false)
    for (const text of [RANDOM, UUID, 'aB'.repeat(64)])
      assert.match(text, CHOSEN_LINK_REFERENCE_FORM)
    for (const text of ['a'.repeat(31), 'a'.repeat(129), `${UUID}0`, `0${UUID}`])
      assert.doesNotMatch(text, CHOSEN_LINK_REFERENCE_FORM)
  })
})

describe('link orders: of a page', () => {
  const FORBIDDEN = {
    reference: RANDOM,
    shouldExpire: false,
    metadata: { a: 'b' },
    minimumAmount: 100,
    suggestedAmounts: [5],
    reusable: true,
    expiresInMinutes: 5,
    orderReference: 'o',
  }

  it('fields that a page cannot set are ignored, and its name of the order claims nothing', () => {
    const checked = checkPageLink(
      order({ ...ORDER, ...FORBIDDEN, externalReference: 'x' }),
      undefined,
      'live',
    )
    assert.partialDeepStrictEqual(checked, {
      amountXof: 500,
      linkReference: null,
      externalReference: null,
      createdBy: 'page',
      clientReference: 'x',
      metadata: null,
      openAmount: null,
      isReusable: false,
      lifeMs: LINK_LIFE_MS,
    })
  })

  it('amount, title and names of a signed order are the server’s, without the page’s description', () => {
    const signed = {
      amount: 700,
      title: 'signed',
      externalReference: 's',
      orderReference: 'so',
      expiresAt: 5,
    }
    const page = order({ ...ORDER, description: 'd', externalReference: 'x', customerName: 'Awa' })
    assert.partialDeepStrictEqual(checkPageLink(page, signed, 'live'), {
      amountXof: 700,
      title: 'signed',
      description: null,
      externalReference: 's',
      clientReference: 'so',
      createdBy: 'order',
      customerName: 'Awa',
    })
  })

  it('a fault is that of the order', () =>
    assert.deepEqual(checkPageLink(order({ amount: 5, title: 't' }), undefined, 'live'), {
      refused: 'amount_not_valid',
    }))
})

for (const [typed, minimumXof, amount] of [
  ['500', 100, 500],
  [' 1 500 ', 100, 1_500],
  ['1.500', 100, 1_500],
  ['1,500,000', 100, 1_500_000],
  ['1\u202f500', 100, 1_500],
  ['100', 100, 100],
  ['99', 100, undefined],
  ['25', 1, 25],
  ['24', 1, undefined],
  ['1500,00', 100, undefined],
  ['15 00', 100, undefined],
  ['1 500 000 000', 100, undefined],
  ['x500', 100, undefined],
  ['500x', 100, undefined],
  ['', 100, undefined],
] as const)
  it(`typed amounts: “${typed}” of at least ${minimumXof} is ${amount}`, () =>
    assert.equal(readTypedAmount(typed, minimumXof), amount))
