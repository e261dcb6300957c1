// The form of an API key: what it is made of, and that a mistyped one is detected (D-17).
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { hintOf, makeApiKey, readApiKey } from './api-key.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The same bytes in every run: 0, 1, 2, … */
function counting(): (count: number) => Uint8Array {
  let next = 0
  return (count) => Uint8Array.from({ length: count }, () => next++ % 256)
}

const FORMS = [
  ['secret', 'sandbox', 'sk_sandbox_'],
  ['secret', 'live', 'sk_live_'],
  ['public', 'sandbox', 'pk_sandbox_'],
  ['public', 'live', 'pk_live_'],
] as const

for (const [kind, environment, prefix] of FORMS) {
  it(`API keys: an API key that is ${kind} in ${environment} is ${prefix} and 40 base62 characters, and reads as what it is`, () => {
    const key = makeApiKey(kind, environment, randomBytes)
    assert.match(key, new RegExp(`^${prefix}[0-9A-Za-z]{40}$`))
    assert.deepEqual(readApiKey(key), { kind, environment })
  })

  it(`API keys: an API key with one character changed is no key (${prefix})`, () => {
    const key = makeApiKey(kind, environment, counting())
    for (let at = 0; at < key.length; at++)
      for (const other of `${BASE62}_-é `) {
        const changed = key.slice(0, at) + other + key.slice(at + 1)
        if (changed !== key) assert.equal(readApiKey(changed), undefined, changed)
      }
  })
}

it('API keys: an API key ends with the CRC-32 of all before it, in six base62 characters', () =>
  assert.equal(
    makeApiKey('secret', 'live', counting()),
    'sk_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWX47EAjH',
  ))

it('API keys: an API key with two neighbouring characters swapped is no key', () => {
  const key = makeApiKey('secret', 'live', counting())
  for (let at = 0; at < key.length - 1; at++) {
    const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2)
    if (swapped !== key) assert.equal(readApiKey(swapped), undefined, swapped)
  }
})

const NO_KEYS: [about: string, change: (key: string) => string][] = [
  ['empty', () => ''],
  ['a prefix alone', () => 'sk_live_'],
  ['one character short', (key) => key.slice(0, -1)],
  ['one character long', (key) => `${key}0`],
  ['in capitals', (key) => key.toUpperCase()],
  ['with a space before it', (key) => ` ${key}`],
  ['with a line break behind it', (key) => `${key}\n`],
  ['written twice', (key) => key + key],
  ['of another environment', (key) => key.replace('live', 'sandbox')],
  ['of another kind', (key) => key.replace('sk', 'pk')],
  ['of a third environment', (key) => key.replace('live', 'test')],
]
for (const [about, change] of NO_KEYS)
  it(`API keys: an API key that is ${about} is no key`, () =>
    assert.equal(readApiKey(change(makeApiKey('secret', 'live', counting()))), undefined))

it('API keys: an API key takes each of the 62 characters from exactly four of the 256 bytes, and discards the other eight', () => {
  const bytesOf = new Map([...BASE62].map((character) => [character, 0]))
  let discarded = 0
  for (let byte = 0; byte < 256; byte++) {
    let draws = 0
    const key = makeApiKey('secret', 'live', (count) =>
      new Uint8Array(count).fill(draws++ === 0 ? byte : 0),
    )
    const character = key.charAt(8)
    assert.equal(key.slice(8, 42), character.repeat(34))
    if (draws > 1) discarded++
    else bytesOf.set(character, (bytesOf.get(character) as number) + 1)
  }
  assert.deepEqual([[...bytesOf.values()], discarded], [Array(62).fill(4), 8])
})

it('API keys: an API key is never the same twice', () => {
  const keys = Array.from({ length: 2_000 }, () => makeApiKey('secret', 'live', randomBytes))
  assert.equal(new Set(keys).size, keys.length)
})

it('API keys: an API key is shown in lists by its prefix and its first four characters alone', () => {
  assert.equal(hintOf(makeApiKey('secret', 'live', counting())), 'sk_live_0123…')
  assert.equal(hintOf(makeApiKey('secret', 'sandbox', counting())), 'sk_sandbox_0123…')
})
