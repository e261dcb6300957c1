// Which passwords are accepted, and that a hash is read as it was written.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PASSWORD_COST, passwordFault, readHash, writeHash } from './password.ts'

const CASES: [password: string, fault: ReturnType<typeof passwordFault>][] = [
  ['court', 'short'],
  ['neuf char', 'short'],
  ['x'.repeat(201), 'long'],
  ['aaaaaaaaaaaa', 'easy'],
  ['abababababab', 'easy'],
  ['password123', 'easy'],
  ['MotDePasse12', 'easy'],
  ['abcdefghijkl', 'easy'],
  ['9876543210', 'easy'],
  ['awa@example.com', 'easy'],
  ['trois petits chats', undefined],
  ['Zinder-2026-mil', undefined],
  ['🦒🦒🐘🦁🌾🌍🥭🐪🐐🎶', undefined],
]
for (const [password, fault] of CASES)
  it(`passwords: ${JSON.stringify(password.slice(0, 30))} is ${fault ?? 'accepted'}`, () =>
    assert.equal(passwordFault(password, 'awa@example.com'), fault))

it('passwords: a hash is read as it was written, and other text is not read as a hash', () => {
  const hash = { ...PASSWORD_COST, salt: Buffer.alloc(16, 7), tag: Buffer.alloc(32, 9) }
  assert.deepEqual(readHash(writeHash(hash)), hash)
  for (const broken of ['', 'plain', '$argon2i$v=19$m=1,t=1,p=1$AAAA$AAAA', `${writeHash(hash)}\n`])
    assert.equal(readHash(broken), undefined)
})
