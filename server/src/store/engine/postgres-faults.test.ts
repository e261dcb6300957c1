// Which failures of an insert say that nothing was recorded.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { StoreUnavailable } from './database.ts'
import { DatabaseIsNewer } from './migrate.ts'
import { isOutage, wasRefused } from './postgres-faults.ts'

const answered = (code: string): Error => Object.assign(new pg.DatabaseError('', 0, 'error'), { code })
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

for (const [fault, error, isRefused] of FAULTS) {
  it(`${fault}: ${isRefused ? 'nothing was recorded' : 'the insert may be recorded'}`, () => {
    assert.equal(wasRefused(error), isRefused)
  })
}

it('PostgreSQL outages: an error of ours that mentions a connection is none', () => {
  assert.equal(isOutage(new Error('Connection terminated unexpectedly')), true)
  assert.equal(isOutage(new DatabaseIsNewer('it has 0023_connection_refusals')), false)
})
