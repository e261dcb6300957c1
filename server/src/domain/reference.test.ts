// The references of a payment: our own, of 120 bits, and the merchant's, which may be almost any text (D-10, D-11).
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { it } from 'node:test'
import {
  base32,
  looksLikeReference,
  makeReference,
  makeTimedReference,
  REFERENCE_BYTES,
  referenceOfUuid,
  TIMED_REFERENCE_BYTES,
  uuidOfReference,
} from './reference.ts'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Base32 the slow way, by one big number. */
function slowBase32(bytes: Uint8Array, length: number): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`) >> BigInt(bytes.length * 8 - length * 5)
  let text = ''
  for (let at = 0; at < length; at++) {
    text = ALPHABET[Number(value & 31n)] + text
    value >>= 5n
  }
  return text
}

const KNOWN: [about: string, bytes: number[], reference: string][] = [
  ['zeros', Array(15).fill(0), '0'.repeat(24)],
  ['ones', Array(15).fill(255), 'z'.repeat(24)],
  ['a single bit at the end', [...Array(14).fill(0), 1], `${'0'.repeat(23)}1`],
  ['a single bit at the start', [128, ...Array(14).fill(0)], `g${'0'.repeat(23)}`],
]
for (const [about, bytes, reference] of KNOWN)
  it(`references: a reference of ${about} is ${reference}`, () =>
    assert.equal(makeReference(Uint8Array.from(bytes)), reference))

it('references: a reference is 24 characters without look-alikes, and keeps all 120 bits', () => {
  assert.equal(REFERENCE_BYTES * 8, 120)
  for (let round = 0; round < 1_000; round++) {
    const bytes = randomBytes(REFERENCE_BYTES)
    const reference = makeReference(bytes)
    assert.match(reference, /^[0-9a-hjkmnp-tv-z]{24}$/)
    assert.equal(reference, slowBase32(bytes, 24))
    assert.ok(looksLikeReference(reference))
  }
})

it('references: a reference of other lengths takes the first bits first', () => {
  const bytes = randomBytes(20)
  for (const length of [8, 12, 16, 24, 32]) assert.equal(base32(bytes, length), slowBase32(bytes, length))
})

const NOT_OURS = ['', 'order-1', '0'.repeat(23), '0'.repeat(25), 'Z'.repeat(24), ...'ilou-_ \n'].map((text) =>
  text.length === 1 ? '0'.repeat(23) + text : text,
)
for (const name of NOT_OURS)
  it(`references: a reference is not recognised in ${JSON.stringify(name)}`, () =>
    assert.equal(looksLikeReference(name), false))

const random = (): Uint8Array => randomBytes(TIMED_REFERENCE_BYTES)

it('references: a reference that begins with the time has the form of any reference, and 80 random bits', () => {
  assert.equal(TIMED_REFERENCE_BYTES * 8, 80)
  const now = Date.UTC(2026, 10, 15)
  assert.ok(looksLikeReference(makeTimedReference(now, random())))
  assert.equal(makeTimedReference(now, Uint8Array.from(Array(10).fill(255))).slice(8), 'z'.repeat(16))
  assert.equal(new Set(Array.from({ length: 1_000 }, () => makeTimedReference(now, random()))).size, 1_000)
})

it('references: a reference that begins with the time sorts by its time, to the millisecond', () => {
  const times = [0, 1, 31, 32, 2 ** 20 - 1, 2 ** 20, 2 ** 30, Date.UTC(2026, 10, 15), Date.UTC(2026, 10, 15) + 1]
  const references = times.map((now) => makeTimedReference(now % 2 ** 40, random()))
  assert.deepEqual(references.toSorted(), sortedByTime(times, references))
})

const sortedByTime = (times: readonly number[], references: readonly string[]): string[] =>
  times
    .map((time, at) => [time % 2 ** 40, references[at] as string] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, reference]) => reference)

const VERSION_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

it('references: a reference as a UUID is of version 4, and can be read back, in capitals too', () => {
  const seen = new Set<string>()
  for (let number = 0; number < 2_000; number++) {
    const reference = makeReference(createHash('sha256').update(String(number)).digest().subarray(0, REFERENCE_BYTES))
    const uuid = uuidOfReference(reference)
    assert.match(uuid, VERSION_4)
    assert.deepEqual([referenceOfUuid(uuid), referenceOfUuid(uuid.toUpperCase())], [reference, reference])
    seen.add(uuid)
  }
  assert.equal(seen.size, 2_000)
})

it('references: a reference as a UUID is known for the smallest and the largest', () => {
  assert.equal(uuidOfReference('0'.repeat(24)), '00000000-0000-4000-8000-000000000000')
  assert.equal(uuidOfReference('z'.repeat(24)), 'ffffffff-ffff-4fff-8fff-ffffffffffff')
})

for (const other of ['', 'x', '00000000-0000-1000-8000-000000000000', '00000000-0000-4000-9000-000000000000'])
  it(`references: a reference as a UUID is not ${JSON.stringify(other)}`, () =>
    assert.equal(referenceOfUuid(other), undefined))
