// The rate limit for each address, on a clock that the test moves.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { networkList, networkOf, rateLimit } from './rate-limit.ts'

/**
 * `100 10 5`: after 100 ms, of 10 requests at once 5 are allowed, at 50 a second and 200 in a
 * burst.
 */
const ROWS: [about: string, steps: string[]][] = [
  ['a burst', ['0 200 200']],
  ['more than a burst', ['0 1000 200']],
  ['a pause after a burst', ['0 200 200', '100 10 5', '1000 60 50']],
  ['a long pause', ['0 300 200', '3600000 300 200']],
  ['a steady 50 a second', ['0 50 50', ...Array(99).fill('1000 50 50')]],
  [
    'one every 10 ms, which is twice too many',
    ['0 200 200', ...Array(50).fill(['10 1 0', '10 1 1']).flat()],
  ],
  ['a clock that is set back', ['0 200 200', '-60000 10 0', '1000 60 50']],
]

describe('rate limit', () => {
  for (const [about, steps] of ROWS)
    it(`allows the requests within the rate: ${about}`, () => {
      const clock = { at: 1_000_000, now: () => clock.at }
      const allow = rateLimit(clock, { perSecond: 50, burst: 200 })
      for (const [afterMs, asked, pass] of steps.map(
        (step) => step.split(' ').map(Number) as [number, number, number],
      )) {
        clock.at += afterMs
        const passed = Array.from({ length: asked }, () => allow('192.0.2.1')).filter(Boolean)
        assert.equal(passed.length, pass)
      }
    })

  it('counts each address by itself', () => {
    const allow = rateLimit({ now: () => 0 }, { perSecond: 1, burst: 1 })
    const allowed = ['a', 'a', 'b', 'b'].map((address) => allow(address))
    assert.deepEqual(allowed, [true, false, true, false])
  })

  it('lets a /56 have four times and a /48 sixteen times what one of its networks has', () => {
    const allow = rateLimit({ now: () => 0 }, { perSecond: 1, burst: 10 })
    const passing = (count: number, address: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => allow(address(at))).filter(Boolean).length
    const ofNarrow = passing(256, (at) => `2001:db8:1:${at.toString(16)}::1`)
    const ofWide = passing(2_048, (at) => `2001:db8:1:${(at * 32).toString(16)}::2`)
    const [ofOther, ofAddress] = [passing(1, () => '2001:db8:2::1'), passing(20, () => '192.0.2.1')]
    assert.deepEqual(
      [ofNarrow, ofWide, ofOther, ofAddress],
      [40, 120, 1, 10],
      'another /48 has its own',
    )
  })

  it('keeps a limited number of buckets and evicts the least recently used', () => {
    const allow = rateLimit({ now: () => 0 }, { perSecond: 1, burst: 1 }, 3)
    const first = ['a', 'b', 'c', 'a', 'd'].map((address) => allow(address))
    assert.deepEqual(first, [true, true, true, false, true])
    // d has evicted b, and b now evicts c.
    const second = ['a', 'd', 'b', 'a', 'd', 'c'].map((address) => allow(address))
    assert.deepEqual(second, [false, false, true, false, false, true])
  })
})

// Caller networks: one caller has one network, however its address is written.

const NETWORKS: [network: string, addresses: string[]][] = [
  ['41.138.10.7', ['41.138.10.7', '41.138.10.7:50123', '::ffff:41.138.10.7', '::FFFF:298a:a07']],
  ['41.138.10.7', ['[::ffff:41.138.10.7]:443']],
  [
    '2001:db8:1:2::/64',
    ['2001:db8:1:2::1', '2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '[2001:db8:1:2:3::]:8080'],
  ],
  ['2001:db8:1:3::/64', ['2001:db8:1:3::1']],
  ['fe80:0:0:0::/64', ['fe80::1%eth0']],
  ['0:0:0:0::/64', ['::1']],
  ['unknown', ['unknown']],
  ['not:an:address', ['not:an:address']],
]

for (const [network, addresses] of NETWORKS)
  for (const address of addresses)
    it(`caller network: ${address} is in ${network}`, () =>
      assert.equal(networkOf(address), network))

it('caller network: a list matches the addresses in its networks, including mapped IPv6 forms, and no others', () => {
  const isListed = networkList('10.0.0.0/8, 192.0.2.7,2001:db8::/32')
  const given = [
    '10.9.8.7',
    '192.0.2.7',
    '2001:db8:5::1',
    '::ffff:10.1.2.3',
    '192.0.2.8',
    '11.0.0.1',
    '::1',
    'unknown',
  ]
  assert.deepEqual(given.filter(isListed), [
    '10.9.8.7',
    '192.0.2.7',
    '2001:db8:5::1',
    '::ffff:10.1.2.3',
  ])
  assert.equal(networkList('')('10.0.0.1'), false)
})
