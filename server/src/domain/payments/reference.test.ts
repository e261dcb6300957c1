// The references of a payment: our own, of 120 bits; the merchant's, which may be almost any text
// (D-10, D-11); and the public one.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { it } from 'node:test'
import {
  base32,
  halfSipHash,
  looksLikeReference,
  makeReference,
  makeTimedReference,
  publicReferences,
  REFERENCE_BYTES,
  referenceOfUuid,
  TIMED_REFERENCE_BYTES,
  uuidOfReference,
} from './reference.ts'

const LOWER = '0123456789abcdefghjkmnpqrstvwxyz'

/** Base32 the slow way, by one big number. */
function slowBase32(bytes: Uint8Array, length: number): string {
  let value =
    BigInt(`0x${Buffer.from(bytes).toString('hex')}`) >> BigInt(bytes.length * 8 - length * 5)
  let text = ''
  for (let at = 0; at < length; at++) {
    text = LOWER[Number(value & 31n)] + text
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
  for (const length of [8, 12, 16, 24, 32])
    assert.equal(base32(bytes, length), slowBase32(bytes, length))
})

const NOT_OURS = [
  '',
  'order-1',
  '0'.repeat(23),
  '0'.repeat(25),
  'Z'.repeat(24),
  ...'ilou-_ \n',
].map((text) => (text.length === 1 ? '0'.repeat(23) + text : text))
for (const name of NOT_OURS)
  it(`references: a reference is not recognised in ${JSON.stringify(name)}`, () =>
    assert.equal(looksLikeReference(name), false))

const random = (): Uint8Array => randomBytes(TIMED_REFERENCE_BYTES)

it('references: a reference that begins with the time has the form of any reference, and 80 random bits', () => {
  assert.equal(TIMED_REFERENCE_BYTES * 8, 80)
  const now = Date.UTC(2026, 10, 15)
  assert.ok(looksLikeReference(makeTimedReference(now, random())))
  assert.equal(
    makeTimedReference(now, Uint8Array.from(Array(10).fill(255))).slice(8),
    'z'.repeat(16),
  )
  assert.equal(
    new Set(Array.from({ length: 1_000 }, () => makeTimedReference(now, random()))).size,
    1_000,
  )
})

it('references: a reference that begins with the time sorts by its time, to the millisecond', () => {
  const times = [
    0,
    1,
    31,
    32,
    2 ** 20 - 1,
    2 ** 20,
    2 ** 30,
    Date.UTC(2026, 10, 15),
    Date.UTC(2026, 10, 15) + 1,
  ]
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
    const reference = makeReference(
      createHash('sha256').update(String(number)).digest().subarray(0, REFERENCE_BYTES),
    )
    const uuid = uuidOfReference(reference)
    assert.match(uuid, VERSION_4)
    assert.deepEqual(
      [referenceOfUuid(uuid), referenceOfUuid(uuid.toUpperCase())],
      [reference, reference],
    )
    seen.add(uuid)
  }
  assert.equal(seen.size, 2_000)
})

it('references: a reference as a UUID is known for the smallest and the largest', () => {
  assert.equal(uuidOfReference('0'.repeat(24)), '00000000-0000-4000-8000-000000000000')
  assert.equal(uuidOfReference('z'.repeat(24)), 'ffffffff-ffff-4fff-8fff-ffffffffffff')
})

for (const other of [
  '',
  'x',
  '00000000-0000-1000-8000-000000000000',
  '00000000-0000-4000-9000-000000000000',
])
  it(`references: a reference as a UUID is not ${JSON.stringify(other)}`, () =>
    assert.equal(referenceOfUuid(other), undefined))

// The code a customer reads out on the phone: it names one payment, and a mistyped code names none
// (D-11).

const KEY = '000102030405060708090a0b0c0d0e0f'
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** How many payments one database can number: about 1.1 million million. */
const NUMBERS = 2 ** 40
const FORM = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]$/
const references = publicReferences(KEY)
const EDGES = [
  0,
  1,
  2,
  31,
  32,
  999,
  2 ** 20 - 1,
  2 ** 20,
  2 ** 31,
  2 ** 32,
  2 ** 39,
  NUMBERS - 2,
  NUMBERS - 1,
]
for (const number of EDGES)
  it(`public references: a public reference of the number ${number} leads back to it`, () => {
    const code = references.of(number)
    assert.match(code, FORM)
    assert.equal(references.numberOf(code), number)
  })

it('public references: existing codes never change', () => {
  assert.deepEqual([0, 1, 4_711, NUMBERS - 1].map(references.of), [
    'SEYV-QYCC-Y',
    'N4EK-AWAS-E',
    'HMYA-EZKQ-5',
    '3V3A-EGEX-Q',
  ])
})

it('public references: a public reference is different for each of 50,000 numbers, and leads back to each', () => {
  const codes = new Set<string>()
  for (let number = 0; number < 50_000; number++) {
    const code = references.of(number)
    codes.add(code)
    if (number % 10 === 0) assert.equal(references.numberOf(code), number)
  }
  assert.equal(codes.size, 50_000)
})

it('public references: a public reference with one character changed names no payment', () => {
  for (const number of [0, 1, 12_345, 2 ** 35 + 7, NUMBERS - 1]) {
    const code = references.of(number)
    for (let at = 0; at < code.length; at++) {
      if (code[at] === '-') continue
      for (const other of ALPHABET) {
        if (other === code[at]) continue
        const changed = code.slice(0, at) + other + code.slice(at + 1)
        assert.equal(references.numberOf(changed), undefined, changed)
      }
    }
  }
})

it('public references: a public reference with two different neighbours swapped names no payment, but for 0 and Z', () => {
  for (let number = 0; number < 2_000; number++) {
    const code = references.of(number).replaceAll('-', '')
    for (let at = 0; at < code.length - 1; at++) {
      const [left, right] = [code[at] as string, code[at + 1] as string]
      if (left === right || (left + right).match(/^(0Z|Z0)$/)) continue
      const swapped = code.slice(0, at) + right + left + code.slice(at + 2)
      assert.equal(references.numberOf(swapped), undefined, `${code} ${swapped}`)
    }
  }
})

const CODE = references.of(4_711)
const SPOKEN: [about: string, spoken: string][] = [
  ['as it is', CODE],
  ['without dashes', CODE.replaceAll('-', '')],
  ['in small letters', CODE.toLowerCase()],
  ['with spaces for dashes', CODE.replaceAll('-', ' ')],
  ['with spaces around it', `  ${CODE} `],
  ['with dashes in other places', CODE.replaceAll('-', '').replace(/(.{3})/g, '$1-')],
]
for (const [about, spoken] of SPOKEN)
  it(`public references: a public reference read out ${about} is understood`, () =>
    assert.equal(references.numberOf(spoken), 4_711))

it('public references: a public reference read out with O for 0 and with I or L for 1 is understood, in both cases', () => {
  let replaced = 0
  for (let number = 0; number < 300; number++) {
    const code = references.of(number)
    for (const [digit, letters] of [
      ['0', 'Oo'],
      ['1', 'IiLl'],
    ] as const) {
      for (const letter of letters) {
        assert.equal(references.numberOf(code.replaceAll(digit, letter)), number)
        if (code.includes(digit)) replaced++
      }
    }
  }
  assert.ok(replaced > 100)
})

for (const spoken of [
  '',
  '-',
  'U',
  CODE.slice(0, -1),
  `${CODE}0`,
  `${CODE.slice(0, -1)}U`,
  CODE.replace('-', '.'),
  'é',
]) {
  it(`public references: a public reference is not recognised in ${JSON.stringify(spoken)}`, () =>
    assert.equal(references.numberOf(spoken), undefined))
}

it('public references: a public reference cannot be guessed from the one before: consecutive codes share no more characters than random ones', () => {
  let same = 0
  for (let number = 0; number < 2_000; number++) {
    const [one, next] = [references.of(number), references.of(number + 1)]
    for (const at of [0, 1, 2, 3, 5, 6, 7, 8]) if (one[at] === next[at]) same++
  }
  // 16,000 positions with 32 characters: 500 expected for random codes, and 5 standard deviations
  // of 22 on each side.
  assert.ok(same > 390 && same < 610, `${same}`)
})

it('public references: a public reference differs under another key', () => {
  const other = publicReferences(KEY.replace('0f', '10'))
  const same = Array.from({ length: 1_000 }, (_, number) => number).filter(
    (number) => references.of(number) === other.of(number),
  )
  assert.deepEqual(same, [])
})

// The keyed function behind the codes that customers read out (D-11, ADR-0004).

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
