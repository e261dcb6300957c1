// The PostgreSQL engine: which failures of an insert mean that nothing was recorded, and
// DATABASE_URL's hosts.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { StoreUnavailable } from './database.ts'
import { DatabaseIsNewer } from './migrate.ts'
import { isOutage, wasRefused } from './postgres-errors.ts'
import { readHosts } from './postgres-pool.ts'

const answered = (code: string): Error =>
  Object.assign(new pg.DatabaseError('', 0, 'error'), { code })
const lost = (code: string): Error => Object.assign(new Error(`write ${code}`), { code })

const FAULTS: [fault: string, error: Error, isRefused: boolean][] = [
  ['no connection could be made', new StoreUnavailable('PostgreSQL cannot be reached'), true],
  ['the server found a lock held', answered('55P03'), true],
  ['the server refused a value', answered('23514'), true],
  ['the server ended a slow statement', answered('57014'), true],
  ['the server has no room', answered('53100'), true],
  ['the server shut down', answered('57P01'), false],
  ['a pooler lost the server', answered('08P01'), false],
  ['the connection was reset', lost('ECONNRESET'), false],
  ['the network went away', lost('ENETDOWN'), false],
  ['the TLS session broke', lost('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'), false],
  ['nothing was answered', new Error('Query read timeout'), false],
]

for (const [fault, error, isRefused] of FAULTS)
  it(`PostgreSQL insert: ${fault}: ${isRefused ? 'nothing was recorded' : 'the insert may be recorded'}`, () =>
    assert.equal(wasRefused(error), isRefused))

it('PostgreSQL outages: an error of ours that mentions a connection is none', () => {
  assert.equal(isOutage(new Error('Connection terminated unexpectedly')), true)
  assert.equal(isOutage(new DatabaseIsNewer('it has 0023_connection_refusals')), false)
})

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

describe('PostgreSQL hosts', () => {
  for (const [url, addresses] of URLS)
    it(`DATABASE_URL: ${url} names ${addresses.length} hosts`, () => {
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

  it('DATABASE_URL: two connections that fail at one host move on by one', () => {
    const hosts = readHosts('postgres://one,two,three/karba')
    const first = hosts.current()
    hosts.failed(first)
    hosts.failed(first)
    assert.match(hosts.current(), /two/)
  })
})
