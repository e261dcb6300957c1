// A sealed value opens again in its own place, and not after it was moved or changed.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sealedBox } from './sealed-box.ts'

let nonces = 0
const box = sealedBox(Buffer.alloc(32, 7), { bytes: (count) => Buffer.alloc(count, ++nonces) })
const sealed = box.seal('mon secret éà', 'whe_1 secret_hash')

it('sealed values: a sealed value comes back as it was', () =>
  assert.equal(box.open(sealed, 'whe_1 secret_hash'), 'mon secret éà'))
it('sealed values: a sealed value does not show what it holds', () =>
  assert.ok(!Buffer.from(sealed, 'base64').includes('secret')))
it('sealed values: a sealed value is different each time it is sealed', () =>
  assert.notEqual(box.seal('mon secret éà', 'whe_1 secret_hash'), sealed))
it('sealed values: a sealed value does not open in another place', () =>
  assert.throws(() => box.open(sealed, 'whe_2 secret_hash')))
it('sealed values: a sealed value does not open with another key', () => {
  const other = sealedBox(Buffer.alloc(32, 8), { bytes: Buffer.alloc })
  assert.throws(() => other.open(sealed, 'whe_1 secret_hash'))
})
it('sealed values: a sealed value does not open when one byte was changed', () => {
  const bytes = Buffer.from(sealed, 'base64')
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] as number) ^ 1
    assert.throws(() => box.open(changed.toString('base64'), 'whe_1 secret_hash'), `byte ${at}`)
  }
})
