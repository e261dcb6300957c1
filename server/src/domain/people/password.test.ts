// Which passwords are accepted, and the form of a hash.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  PASSWORD_COST,
  PasswordsBusy,
  passwordFault,
  readHash,
  SALT_BYTES,
  TAG_BYTES,
  writeHash,
} from './password.ts'

const EMAIL = 'awa.k@shop.test'
for (const [password, fault] of [
  ['lune-etoil', undefined],
  ['🛒🛒lune-eto', undefined],
  ['lune-etoi', 'short'],
  ['🛒🛒🛒🛒🛒', 'short'],
  ['lune-'.repeat(40), undefined],
  [`${'lune-'.repeat(40)}x`, 'long'],
  ['aabbccddaabb', 'easy'],
  ['aabbccddeeaa', undefined],
  ['Awa.K@Shop.test', 'easy'],
  ['awakshoptest', 'easy'],
  ['awa-k-shop-test', 'easy'],
  ['awa.k@shop.testx', undefined],
  ['Password12', 'easy'],
  ['password123', 'easy'],
  ['password1234', undefined],
  ['password-de-lune', undefined],
  ['la-password12', undefined],
  ['motdepasse1', 'easy'],
  ['azertyuiop!', 'easy'],
  ['qwertyuiop1', 'easy'],
  ['1234567890!', 'easy'],
  ['iloveyou12!', 'easy'],
  ['jetaime12!', 'easy'],
  ['administrator', 'easy'],
  ['abcdefghij', 'easy'],
  ['9876543210', 'easy'],
  ['acegikmoqs', 'easy'],
  ['abcdefghijz', undefined],
] as const)
  it(`passwords: “${password.slice(0, 20)}” of ${[...password].length} characters is ${fault ?? 'accepted'}`, () =>
    assert.equal(passwordFault(password, EMAIL), fault))

const COST = { memoryKib: 47_104, passes: 1, parallelism: 1 }
const HASH = { ...COST, salt: Buffer.alloc(16, 1), tag: Buffer.alloc(32, 2) }
const WRITTEN =
  '$argon2id$v=19$m=47104,t=1,p=1$AQEBAQEBAQEBAQEBAQEBAQ$AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI'

it('passwords: a hash has its parameters, and is read back', () => {
  assert.deepEqual(PASSWORD_COST, COST)
  assert.deepEqual([SALT_BYTES, TAG_BYTES], [16, 32])
  assert.equal(writeHash(HASH), WRITTEN)
  assert.deepEqual(readHash(WRITTEN), HASH)
})

for (const written of [
  '',
  `x${WRITTEN}`,
  `${WRITTEN}$`,
  WRITTEN.replace('argon2id', 'argon2i'),
  WRITTEN.replace('v=19', 'v=18'),
  WRITTEN.replace('m=47104', 'm=x'),
  WRITTEN.slice(0, -10),
])
  it(`passwords: “${written.slice(0, 30)}” of ${written.length} characters is no hash`, () =>
    assert.equal(readHash(written), undefined))

it('passwords: a hasher that is busy says so by its name', () =>
  assert.equal(new PasswordsBusy().name, 'PasswordsBusy'))
