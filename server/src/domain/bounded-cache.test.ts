// A bounded cache: what it keeps, what it evicts, and what has expired.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { boundedCache } from './bounded-cache.ts'

const ALL = ['a', 'b', 'c', 'd', 'e']

/** +a sets a, ?a reads it, -a deletes it. */
function run(cache: ReturnType<typeof boundedCache<string>>, steps: string): void {
  for (const [does, key] of steps.split(' ') as Iterable<[string, string]>) {
    if (does === '+') cache.set(key, `value of ${key}`)
    else if (does === '-') cache.delete(key)
    else cache.get(key)
  }
}

const CASES: [about: string, steps: string, kept: string][] = [
  ['keeps all entries within its limit', '+a +b +c', 'abc'],
  ['evicts the oldest for a fourth', '+a +b +c +d', 'bcd'],
  ['evicts the least recently used', '+a +b +c ?a +d', 'acd'],
  ['counts setting a key again as a use', '+a +b +c +a +d', 'acd'],
  ['holds one entry for a key that is set again', '+a +b +a +a +c', 'abc'],
  ['is not changed by a miss', '+a +b +c ?d +d', 'bcd'],
  ['has room again after a delete', '+a +b +c -b +d', 'acd'],
  ['deletes the oldest, the newest and the only one', '+a +b +c -a -c +d -b -d', ''],
  ['ignores deleting a key that is not there', '+a -b -b +b', 'ab'],
  ['works after it has been emptied', '+a -a +b +c +d +e', 'cde'],
]

for (const [about, steps, kept] of CASES)
  it(`bounded cache: ${about}`, () => {
    const cache = boundedCache<string>(3)
    run(cache, steps)
    assert.equal(ALL.filter((key) => cache.get(key) === `value of ${key}`).join(''), kept)
  })

it('bounded cache: with room for one keeps the last', () => {
  const cache = boundedCache<string>(1)
  run(cache, '+a +b ?a +c')
  const kept = ALL.map((key) => cache.get(key))
  assert.deepEqual(kept, [undefined, undefined, 'value of c', undefined, undefined])
})

const TIMES: [expiresAt: number | undefined, now: number | undefined, isHit: boolean][] = [
  [1_000, 999, true],
  [1_000, 1_000, false],
  [1_000, 1_001, false],
  [1_000, undefined, true],
  [undefined, Number.MAX_SAFE_INTEGER, true],
  [undefined, undefined, true],
]
for (const [expiresAt, now, isHit] of TIMES)
  it(`bounded cache: an entry that expires at ${expiresAt ?? 'no time'}, read at ${now ?? 'no time'}: ${isHit ? 'hit' : 'miss'}`, () => {
    const cache = boundedCache<string>(3)
    cache.set('a', 'value', expiresAt)
    assert.equal(cache.get('a', now), isHit ? 'value' : undefined)
  })

it('bounded cache: returns an expired key that is set again, with its new value and expiry', () => {
  const cache = boundedCache<string>(3)
  cache.set('a', 'old', 1_000)
  assert.equal(cache.get('a', 1_000), undefined)
  cache.set('a', 'new', 2_000)
  assert.deepEqual([cache.get('a', 1_999), cache.get('a', 2_000)], ['new', undefined])
})

it('bounded cache: does not count reading an expired entry as a use', () => {
  const cache = boundedCache<string>(3)
  cache.set('a', 'short', 10)
  cache.set('b', 'long', 1_000)
  cache.set('c', 'long', 1_000)
  cache.get('a', 20)
  cache.set('d', 'long', 1_000)
  const kept = ['b', 'c', 'd'].map((key) => cache.get(key, 20))
  assert.deepEqual(kept, ['long', 'long', 'long'])
})

it('bounded cache: behaves like a list that is searched from end to end', () => {
  const step = fc.tuple(fc.constantFrom('+', '?', '-'), fc.constantFrom(...ALL))
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      (most, steps) => {
        const cache = boundedCache<number>(most)
        let list: [key: string, value: number][] = []
        for (const [at, [does, key]] of steps.entries()) {
          const known = list.find(([other]) => other === key)
          const others = list.filter((entry) => entry !== known)
          if (does === '?') {
            assert.equal(cache.get(key), known?.[1])
            if (known !== undefined) list = [...others, known]
          } else if (does === '-') {
            cache.delete(key)
            list = others
          } else {
            cache.set(key, at)
            list = [...others, [key, at] as [string, number]].slice(-most)
          }
        }
      },
    ),
  )
})
