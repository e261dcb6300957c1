// Which addresses a DATABASE_URL with several hosts stands for, and in which order they are tried.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readHosts } from './postgres-hosts.ts'

const URLS: [url: string, addresses: string[]][] = [
  ['postgres://karba@db/karba', ['postgres://karba@db/karba']],
  ['postgres:///karba?host=/run/postgresql', ['postgres:///karba?host=/run/postgresql']],
  ['postgres://u:p%40,s@db/karba?options=a,b', ['postgres://u:p%40,s@db/karba?options=a,b']],
  ['postgres://one,two/karba', ['postgres://one/karba', 'postgres://two/karba']],
  [
    'postgresql://u:p,w@one:5432,two:5433,[::1]:5434/karba?sslmode=require',
    [
      'postgresql://u:p,w@one:5432/karba?sslmode=require',
      'postgresql://u:p,w@two:5433/karba?sslmode=require',
      'postgresql://u:p,w@[::1]:5434/karba?sslmode=require',
    ],
  ],
  ['postgres://u@one:1,two:2', ['postgres://u@one:1', 'postgres://u@two:2']],
]

describe('the hosts of DATABASE_URL', () => {
  for (const [url, addresses] of URLS) {
    it(`${url} stands for ${addresses.length}`, () => {
      const hosts = readHosts(url)
      assert.equal(hosts.count, addresses.length)
      const tried = addresses.map(() => {
        const address = hosts.current()
        hosts.failed(address)
        return address
      })
      assert.deepEqual(tried, addresses)
      assert.equal(hosts.current(), addresses[0], 'and then from the beginning')
    })
  }

  it('two connections that fail at one host move on by one', () => {
    const hosts = readHosts('postgres://one,two,three/karba')
    const first = hosts.current()
    hosts.failed(first)
    hosts.failed(first)
    assert.match(hosts.current(), /two/)
  })
})
