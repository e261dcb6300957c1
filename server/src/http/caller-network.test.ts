// Caller networks: one caller has one network, however its address is written.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { networkList, networkOf } from './caller-network.ts'

const NETWORKS: [network: string, addresses: string[]][] = [
  ['41.138.10.7', ['41.138.10.7', '41.138.10.7:50123', '::ffff:41.138.10.7', '::FFFF:298a:a07']],
  ['41.138.10.7', ['[::ffff:41.138.10.7]:443']],
  ['2001:db8:1:2::/64', ['2001:db8:1:2::1', '2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '[2001:db8:1:2:3::]:8080']],
  ['2001:db8:1:3::/64', ['2001:db8:1:3::1']],
  ['fe80:0:0:0::/64', ['fe80::1%eth0']],
  ['0:0:0:0::/64', ['::1']],
  ['unknown', ['unknown']],
  ['not:an:address', ['not:an:address']],
]

for (const [network, addresses] of NETWORKS)
  for (const address of addresses)
    it(`caller network: ${address} is in ${network}`, () => assert.equal(networkOf(address), network))

it('caller network: a list matches the addresses in its networks, including mapped IPv6 forms, and no others', () => {
  const isListed = networkList('10.0.0.0/8, 192.0.2.7,2001:db8::/32')
  const given = ['10.9.8.7', '192.0.2.7', '2001:db8:5::1', '::ffff:10.1.2.3', '192.0.2.8', '11.0.0.1', '::1', 'unknown']
  assert.deepEqual(given.filter(isListed), ['10.9.8.7', '192.0.2.7', '2001:db8:5::1', '::ffff:10.1.2.3'])
  assert.equal(networkList('')('10.0.0.1'), false)
})
