// Passwords: which are accepted, and hashes of the real cost.
// tools/soak/password-memory.test.ts tests their memory.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PASSWORD_COST, passwordFault, readHash, writeHash } from '../domain/people/password.ts'
import { passwordHasher } from './password-hasher.ts'
import { realRandom } from './runtime.ts'

it('password hashing: a hash of the real cost names that cost and verifies only its password', async () => {
  const { hash, verify } = passwordHasher(realRandom)
  const stored = await hash('the right one')
  const { memoryKib, passes, parallelism } = readHash(stored) ?? {}
  assert.deepEqual({ memoryKib, passes, parallelism }, PASSWORD_COST)
  assert.deepEqual(
    [await verify('the right one', stored, ''), await verify('another one', stored, '')],
    [true, false],
  )
})

const CASES: [fault: ReturnType<typeof passwordFault>, passwords: string[]][] = [
  ['short', ['court', 'neuf char']],
  ['long', ['x'.repeat(201)]],
  [
    'easy',
    ['aaaaaaaaaaaa', 'abababababab', 'password123', 'MotDePasse12', 'abcdefghijkl', '9876543210'],
  ],
  ['easy', ['awa@example.com']],
  [undefined, ['trois petits chats', 'Zinder-2026-mil', '🦒🦒🐘🦁🌾🌍🥭🐪🐐🎶']],
]
for (const [fault, passwords] of CASES)
  for (const password of passwords)
    it(`passwords: ${JSON.stringify(password.slice(0, 30))} is ${fault ?? 'accepted'}`, () =>
      assert.equal(passwordFault(password, 'awa@example.com'), fault))

it('passwords: a hash is read as it was written, and other text is not read as a hash', () => {
  const hash = { ...PASSWORD_COST, salt: Buffer.alloc(16, 7), tag: Buffer.alloc(32, 9) }
  assert.deepEqual(readHash(writeHash(hash)), hash)
  for (const broken of ['', 'plain', '$argon2i$v=19$m=1,t=1,p=1$AAAA$AAAA', `${writeHash(hash)}\n`])
    assert.equal(readHash(broken), undefined)
})
