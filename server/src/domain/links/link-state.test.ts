// The state of a link from its row, and what a browser may see of it.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  availableMethods,
  browserHashOf,
  hasBegun,
  isAmountOpen,
  linkState,
  mayReadReceipt,
  suggestedOf,
  withOutcome,
} from './link-state.ts'
import type { PaymentLink } from './payment-link.ts'

const NOW = 1_000
const LINK = {
  status: 'initiated',
  attempts: 2,
  method: 'mobile',
  validatedAt: 900,
  failureReason: null,
  attemptReference: null,
  attemptFailureReason: 'declined',
  msisdnWritten: '0197000001',
  payerStep: JSON.stringify({ goTo: 'https://pay.test' }),
  expiresAt: null,
} as unknown as PaymentLink

const open = { is: 'open', attempts: 2, lastFailure: 'declined' }
const closed = (because: string) => ({ is: 'closed', because })
for (const [about, change, state] of [
  ['nobody pays', {}, open],
  ['that expires later', { expiresAt: NOW + 1 }, open],
  ['that expires now', { expiresAt: NOW }, closed('expired')],
  [
    'that somebody pays, although it has expired',
    { attemptReference: 'x', expiresAt: NOW },
    {
      is: 'under_way',
      attempts: 2,
      method: 'mobile',
      msisdnWritten: '0197000001',
      payerStep: { goTo: 'https://pay.test' },
    },
  ],
  [
    'that was paid',
    { status: 'succeeded' },
    { is: 'succeeded', method: 'mobile', validatedAt: 900 },
  ],
  ['that was refunded', { status: 'refunded' }, { is: 'refunded', validatedAt: 900 }],
  ['that expired', { status: 'failed', failureReason: 'expired' }, closed('expired')],
  ['that was cancelled', { status: 'failed', failureReason: 'cancelled' }, closed('cancelled')],
  ['that failed', { status: 'failed', failureReason: 'declined' }, closed('failed')],
] as const)
  it(`links: one ${about} is ${JSON.stringify(state)}`, () =>
    assert.deepEqual(linkState({ ...LINK, ...change } as PaymentLink, NOW), state))

const HASH = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
it('links: a browser with the token of the attempt has begun it, and one with the hash may read', () => {
  const link = { browserHash: HASH }
  assert.equal(browserHashOf('abc'), HASH)
  assert.equal(hasBegun(link, ['x', 'abc']), true)
  assert.equal(hasBegun(link, ['x']), false)
  assert.equal(hasBegun({ browserHash: null }, ['abc']), false)
  assert.equal(mayReadReceipt(link, ['abc']), true)
  assert.equal(mayReadReceipt(link, [HASH]), true)
  assert.equal(mayReadReceipt(link, ['x']), false)
  assert.equal(mayReadReceipt({ browserHash: null }, [HASH]), false)
})

it('links: methods are those of the account that can be carried out, while it is on', () => {
  const account = { accountStatus: 'validated', linkMethods: 'mobile,bank_card,other', pages: 'on' }
  const methods = (change: object, possible: readonly ('mobile' | 'wallet' | 'bank_card')[]) =>
    availableMethods({ ...account, ...change } as PaymentLink, possible)
  assert.deepEqual(methods({}, ['mobile', 'wallet']), ['mobile'])
  assert.deepEqual(methods({}, ['bank_card', 'mobile']), ['mobile', 'bank_card'])
  assert.deepEqual(methods({ accountStatus: 'suspended' }, ['mobile']), [])
  assert.deepEqual(methods({ pages: 'off' }, ['mobile']), [])
})

it('links: an amount is open until the first attempt, and may have suggestions', () => {
  assert.equal(isAmountOpen({ minimumAmountXof: 100, attempts: 0 }), true)
  assert.equal(isAmountOpen({ minimumAmountXof: 100, attempts: 1 }), false)
  assert.equal(isAmountOpen({ minimumAmountXof: null, attempts: 0 }), false)
  assert.deepEqual(suggestedOf({ suggestedAmounts: '' }), [])
  assert.deepEqual(suggestedOf({ suggestedAmounts: '200,300' }), [200, 300])
})

it('links: the outcome is added to the address of the merchant’s site', () =>
  assert.equal(
    withOutcome('https://shop.test/?a=1&status=x', {
      reference: 'r',
      status: 'succeeded',
      publicReference: 'PR',
      externalReference: 'KB 1',
      amountXof: 500,
    }),
    'https://shop.test/?a=1&status=succeeded&reference=r&public_reference=PR&external_reference=KB+1&amount=500',
  ))
