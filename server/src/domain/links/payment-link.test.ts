// An order for a link (D-21, D-23). Its refused values and their order are in
// test/links/creating.test.ts.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LINK_METHODS, type LinkMethod } from '../methods/methods.ts'
import { payerStepText } from '../methods/payer-step.ts'
import { availableMethods, type LinkState, linkState, withOutcome } from './link-state.ts'
import {
  checkLink,
  makeLinkReference,
  type PaymentLink,
  type UncheckedLink,
} from './payment-link.ts'

const RANDOM = '4f1c09ab37de82c65b1f0a9e7d3c2846'
const minimal = { amount: 15_000, title: 'Commande 12' } as UncheckedLink

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
  assert.deepEqual(checkLink(order, 'sandbox'), {
    amountXof: 15_000,
    title: 'Commande 12',
    description: 'Deux pagnes\nlivraison comprise',
    linkReference: RANDOM,
    externalReference: 'cmd:12/é',
    createdBy: null,
    clientReference: null,
    metadata: null,
    customerName: 'Awa',
    lifeMs: null,
    openAmount: null,
    isReusable: false,
    onSuccessUrl: 'https://shop.example/ok?a=1',
    onFailedUrl: 'http://localhost:3000/no',
  })
  assert.deepEqual(checkLink(order, 'live'), {
    refused: 'redirection_url_not_valid',
    which: 'onFailedUrl',
  })
})

it('link orders: a field that is left out, null or empty counts as not given, and a link expires by default', () => {
  const order = checkLink({ ...minimal, description: '', reference: null }, 'live')
  assert.partialDeepStrictEqual(order, {
    description: null,
    linkReference: null,
    lifeMs: 30 * 60_000,
  })
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

// What a link is for its payer, from the row it has: every status, with and without an attempt,
// before and after its time.

const NOW = 1_000_000
/** The columns that decide; the pages' texts do not. */
const OPEN = {
  status: 'initiated',
  failureReason: null,
  validatedAt: null,
  expiresAt: NOW + 1,
  attemptReference: null,
  attempts: 0,
  method: null,
  attemptFailureReason: null,
  msisdnWritten: null,
  payerStep: null,
  accountStatus: 'validated',
  linkMethods: null,
  pages: 'on',
  origin: null,
} as unknown as PaymentLink
const BY_PHONE = {
  attempts: 1,
  method: 'mobile',
  attemptReference: 'attempt',
  msisdnWritten: '96123456',
} as const
const BY_CARD = {
  attempts: 2,
  method: 'bank_card',
  attemptReference: 'attempt',
  payerStep: '{"goTo":"https://psp"}',
} as const
const BY_INSTRUCTIONS = { instructions: { account: 'NE58 "0001"' } }
const FAILED_ONCE = {
  status: 'pending',
  attempts: 1,
  method: 'mobile',
  attemptFailureReason: 'declined',
} as const

const UNDER_WAY: LinkState = {
  is: 'under_way',
  attempts: 1,
  method: 'mobile',
  msisdnWritten: '96123456',
  payerStep: null,
}
const EXPIRED: LinkState = { is: 'closed', because: 'expired' }

const STATES: [about: string, row: Partial<PaymentLink>, state: LinkState][] = [
  ['without a payment yet is open', {}, { is: 'open', attempts: 0, lastFailure: null }],
  [
    'that never expires is open',
    { expiresAt: null },
    { is: 'open', attempts: 0, lastFailure: null },
  ],
  [
    'whose attempt failed is open, with its reason',
    FAILED_ONCE,
    { is: 'open', attempts: 1, lastFailure: 'declined' },
  ],
  ['that has expired is closed, even before the store records it', { expiresAt: NOW }, EXPIRED],
  [
    'that has expired after an attempt is closed too',
    { ...FAILED_ONCE, expiresAt: NOW - 1 },
    EXPIRED,
  ],
  ['with a mobile attempt is in progress', { status: 'pending', ...BY_PHONE }, UNDER_WAY],
  [
    'with a card attempt is in progress at the provider',
    { status: 'pending', ...BY_CARD },
    {
      is: 'under_way',
      attempts: 2,
      method: 'bank_card',
      msisdnWritten: null,
      payerStep: { goTo: 'https://psp' },
    },
  ],
  [
    'with an attempt by instructions is in progress with them',
    { status: 'pending', ...BY_CARD, payerStep: payerStepText(BY_INSTRUCTIONS) },
    {
      is: 'under_way',
      attempts: 2,
      method: 'bank_card',
      msisdnWritten: null,
      payerStep: BY_INSTRUCTIONS,
    },
  ],
  [
    'that expires during an attempt stays in progress',
    { status: 'pending', ...BY_PHONE, expiresAt: 1 },
    UNDER_WAY,
  ],
  [
    'that was paid has succeeded, even after its expiry',
    { status: 'succeeded', ...BY_PHONE, validatedAt: 7, expiresAt: 1 },
    { is: 'succeeded', method: 'mobile', validatedAt: 7 },
  ],
  [
    'that was refunded',
    { status: 'refunded', ...BY_CARD, validatedAt: 7 },
    { is: 'refunded', validatedAt: 7 },
  ],
  ['that expired is closed', { status: 'failed', failureReason: 'expired' }, EXPIRED],
  [
    'that was cancelled',
    { status: 'failed', failureReason: 'cancelled' },
    { is: 'closed', because: 'cancelled' },
  ],
  [
    'that failed otherwise',
    { status: 'failed', failureReason: 'declined' },
    { is: 'closed', because: 'failed' },
  ],
]

for (const [about, row, state] of STATES)
  it(`link state: a link ${about}`, () =>
    assert.deepEqual(linkState({ ...OPEN, ...row }, NOW), state))

const METHODS: [
  about: string,
  account: Partial<Pick<PaymentLink, 'accountStatus' | 'linkMethods' | 'pages'>>,
  possible: readonly LinkMethod[],
  methods: LinkMethod[],
][] = [
  ['has every method before its merchant chooses', {}, LINK_METHODS, [...LINK_METHODS]],
  ['has no method that the service does not support', {}, ['wallet'], ['wallet']],
  [
    'has no method that it does not offer',
    { linkMethods: 'wallet,mobile' },
    LINK_METHODS,
    ['wallet', 'mobile'],
  ],
  ['has no unknown method', { linkMethods: 'cash,,mobile' }, LINK_METHODS, ['mobile']],
  ['that is suspended has none', { accountStatus: 'suspended' }, LINK_METHODS, []],
  ['whose pages are off has none', { pages: 'off' }, LINK_METHODS, []],
  ['that is not validated has none', { accountStatus: 'unvalidated' }, LINK_METHODS, []],
]

for (const [about, account, possible, methods] of METHODS)
  it(`link methods: an account ${about}`, () =>
    assert.deepEqual(availableMethods({ ...OPEN, ...account }, possible), methods))
