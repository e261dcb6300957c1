// People who sign in: addresses, names, sessions and tokens.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  hashOfToken,
  isPersonName,
  makeToken,
  readEmail,
  SEEN_EVERY_MS,
  sessionLife,
  shownEmail,
  TOKEN_BYTES,
} from './person.ts'

const LONG_DOMAIN = `${'d'.repeat(60)}.`.repeat(3)
for (const [given, email] of [
  [' Awa@Shop.Test ', 'awa@shop.test'],
  ['a+b_c.d@x-y.co', 'a+b_c.d@x-y.co'],
  ['e\u0301@x.co', 'é@x.co'],
  [`${'a'.repeat(64)}@x.co`, `${'a'.repeat(64)}@x.co`],
  [`${'a'.repeat(65)}@x.co`, undefined],
  [`${'a'.repeat(64)}@${LONG_DOMAIN}abcdef`, `${'a'.repeat(64)}@${LONG_DOMAIN}abcdef`],
  [`${'a'.repeat(64)}@${LONG_DOMAIN}abcdefg`, undefined],
  ['awa', undefined],
  ['@x.co', undefined],
  ['awa@x', undefined],
  ['awa@.co', undefined],
  ['awa@x.', undefined],
  ['awa@-x.co', undefined],
  ['awa@x-.co', undefined],
  ['awa@x.co-', undefined],
  ['a b@x.co', undefined],
  ['a@b@x.co', undefined],
  ['"a"@x.co', undefined],
  ['4111111111111111@x.co', undefined],
] as const)
  it(`people: the address “${given.slice(0, 30)}” of ${given.length} characters ${email === undefined ? 'is none' : 'is kept'}`, () =>
    assert.equal(readEmail(given), email))

it('people: the address is shown as it was given until it is confirmed', () => {
  assert.equal(shownEmail({ email: 'id', unconfirmedEmail: 'awa@x.co' }), 'awa@x.co')
  assert.equal(shownEmail({ email: 'awa@x.co', unconfirmedEmail: null }), 'awa@x.co')
})

it('people: a name is a text of at most 100 characters without a card number', () => {
  for (const name of ['Awa', 'x'.repeat(100)]) assert.equal(isPersonName(name), true)
  for (const name of ['', 'x'.repeat(101), 'Awa 4111111111111111', 5, null])
    assert.equal(isPersonName(name), false)
})

it('people: a session of staff ends after an hour, one of a merchant after half a day', () => {
  const HOUR_MS = 3_600_000
  assert.deepEqual(sessionLife(null), { idleMs: 12 * HOUR_MS, mostMs: 168 * HOUR_MS })
  assert.deepEqual(sessionLife('support'), { idleMs: HOUR_MS, mostMs: 12 * HOUR_MS })
  assert.equal(SEEN_EVERY_MS, 60_000)
})

it('people: a token is 32 bytes for an address, and kept as its hash', () => {
  assert.equal(TOKEN_BYTES, 32)
  assert.equal(makeToken(new Uint8Array([255, 254, 253])), '__79')
  assert.equal(
    hashOfToken('abc'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
