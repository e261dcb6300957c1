// The addresses that a key works from.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isNetwork, networkTest } from './authenticate-key.ts'

it('key networks: a network is an address, or one with the number of bits that count', () => {
  for (const written of ['203.0.113.7', '203.0.113.0/24', '2001:db8::1', '2001:db8::/32', '0.0.0.0/0'])
    assert.ok(isNetwork(written), written)
  for (const written of ['', 'shop.example', '203.0.113.0/33', '203.0.113.0/24/8', '1.2.3', '::1/129', '10.0.0.0/-1'])
    assert.ok(!isNetwork(written), written)
})

it('key networks: an address is in a network however it is written', () => {
  const isAllowed = networkTest(['203.0.113.0/24', '2001:db8::1'])
  for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:0::1']) assert.ok(isAllowed(address), address)
  for (const address of ['203.0.114.9', '2001:db8::2', '', 'x']) assert.ok(!isAllowed(address), address)
})
