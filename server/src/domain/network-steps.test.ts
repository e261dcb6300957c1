// Which wider networks a network belongs to.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { widerNetworks, widestNetwork } from './network-steps.ts'

it('network steps: a /64 is in one /56 and one /48, an IPv4 address in none', () => {
  assert.deepEqual(widerNetworks('2001:db8:1:23ff::/64'), ['2001:db8:1:2300::/56', '2001:db8:1::/48'])
  assert.deepEqual(widerNetworks('2001:db8:1:7::/64'), ['2001:db8:1:0::/56', '2001:db8:1::/48'])
  assert.deepEqual(widerNetworks('192.0.2.7'), [])
  assert.deepEqual(widerNetworks('not an address'), [])
  assert.equal(widestNetwork('2001:db8:1:7::/64'), '2001:db8:1::/48')
  assert.equal(widestNetwork('192.0.2.7'), '192.0.2.7')
})
