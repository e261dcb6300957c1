// Password hashes of the real cost; server/test/soak/password-memory.test.ts tests their memory.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PASSWORD_COST, readHash } from '../domain/password.ts'
import { passwordHasher } from './password-hasher.ts'
import { realRandom } from './real-random.ts'

it('password hashing: a hash of the real cost names that cost and verifies only its password', async () => {
  const { hash, verify } = passwordHasher(realRandom)
  const stored = await hash('the right one')
  const { memoryKib, passes, parallelism } = readHash(stored) ?? {}
  assert.deepEqual({ memoryKib, passes, parallelism }, PASSWORD_COST)
  assert.deepEqual([await verify('the right one', stored), await verify('another one', stored)], [true, false])
})
