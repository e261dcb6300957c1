// The keyed function behind the codes that customers read out (D-11, ADR-0004).
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { halfSipHash } from './public-reference.ts'

it('HalfSipHash: is what its authors publish for the bytes 0 to 3 under the key of the bytes 0 to 7', () =>
  assert.equal(halfSipHash(0x03_02_01_00, 0x03_02_01_00, 0x07_06_05_04) >>> 0, 0x89_46_6e_2a))

for (const [about, word, key0, key1] of [
  ['the number', 1, 0, 0],
  ['the first half of the key', 0, 1, 0],
  ['the second half of the key', 0, 0, 1],
  ['the highest bit of the number', -0x80_00_00_00, 0, 0],
] as const) {
  it(`HalfSipHash: changes about half of its bits with one bit of ${about}`, () => {
    const changed = (halfSipHash(0, 0, 0) ^ halfSipHash(word, key0, key1)) >>> 0
    const bits = changed.toString(2).replaceAll('0', '').length
    assert.ok(bits >= 8 && bits <= 24, `${bits} bits`)
  })
}
