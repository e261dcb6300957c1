// The code a customer reads out on the phone: it names one payment, and a mistyped code names none (D-11).
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { numberOfPublicReference, publicReferenceOf } from './public-reference.ts'

const KEY = '000102030405060708090a0b0c0d0e0f'
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** How many payments one database can number: about 1.1 million million. */
const NUMBERS = 2 ** 40
const FORM = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]$/

describe('a public reference', () => {
  const EDGES = [0, 1, 2, 31, 32, 999, 2 ** 20 - 1, 2 ** 20, 2 ** 31, 2 ** 32, 2 ** 39, NUMBERS - 2, NUMBERS - 1]
  for (const number of EDGES) {
    it(`of the number ${number} leads back to it`, () => {
      const code = publicReferenceOf(number, KEY)
      assert.match(code, FORM)
      assert.equal(numberOfPublicReference(code, KEY), number)
    })
  }

  it('is different for each of 50,000 numbers, and leads back to each', () => {
    const codes = new Set<string>()
    for (let number = 0; number < 50_000; number++) {
      const code = publicReferenceOf(number, KEY)
      codes.add(code)
      if (number % 10 === 0) assert.equal(numberOfPublicReference(code, KEY), number)
    }
    assert.equal(codes.size, 50_000)
  })

  it('with one character changed names no payment', () => {
    for (const number of [0, 1, 12_345, 2 ** 35 + 7, NUMBERS - 1]) {
      const code = publicReferenceOf(number, KEY)
      for (let at = 0; at < code.length; at++) {
        if (code[at] === '-') continue
        for (const other of ALPHABET) {
          if (other === code[at]) continue
          const changed = code.slice(0, at) + other + code.slice(at + 1)
          assert.equal(numberOfPublicReference(changed, KEY), undefined, changed)
        }
      }
    }
  })

  it('with two different neighbours swapped names no payment, but for 0 and Z', () => {
    for (let number = 0; number < 2_000; number++) {
      const code = publicReferenceOf(number, KEY).replaceAll('-', '')
      for (let at = 0; at < code.length - 1; at++) {
        const [left, right] = [code[at] as string, code[at + 1] as string]
        if (left === right || (left + right).match(/^(0Z|Z0)$/)) continue
        const swapped = code.slice(0, at) + right + left + code.slice(at + 2)
        assert.equal(numberOfPublicReference(swapped, KEY), undefined, `${code} ${swapped}`)
      }
    }
  })

  const CODE = publicReferenceOf(4_711, KEY)
  const SPOKEN: [about: string, spoken: string][] = [
    ['as it is', CODE],
    ['without dashes', CODE.replaceAll('-', '')],
    ['in small letters', CODE.toLowerCase()],
    ['with spaces for dashes', CODE.replaceAll('-', ' ')],
    ['with spaces around it', `  ${CODE} `],
    ['with dashes in other places', CODE.replaceAll('-', '').replace(/(.{3})/g, '$1-')],
  ]
  for (const [about, spoken] of SPOKEN) {
    it(`read out ${about} is understood`, () => assert.equal(numberOfPublicReference(spoken, KEY), 4_711))
  }

  it('read out with O for 0 and with I or L for 1 is understood, in both cases', () => {
    let replaced = 0
    for (let number = 0; number < 300; number++) {
      const code = publicReferenceOf(number, KEY)
      for (const [digit, letters] of [
        ['0', 'Oo'],
        ['1', 'IiLl'],
      ] as const) {
        for (const letter of letters) {
          assert.equal(numberOfPublicReference(code.replaceAll(digit, letter), KEY), number)
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
    it(`is not recognised in ${JSON.stringify(spoken)}`, () => {
      assert.equal(numberOfPublicReference(spoken, KEY), undefined)
    })
  }

  it('cannot be guessed from the one before: consecutive codes share no more characters than random ones', () => {
    let same = 0
    for (let number = 0; number < 2_000; number++) {
      const [one, next] = [publicReferenceOf(number, KEY), publicReferenceOf(number + 1, KEY)]
      for (const at of [0, 1, 2, 3, 5, 6, 7, 8]) if (one[at] === next[at]) same++
    }
    // 16,000 positions with 32 characters: 500 expected for random codes, and 5 standard deviations of 22 on each side.
    assert.ok(same > 390 && same < 610, `${same}`)
  })

  it('differs under another key', () => {
    const other = KEY.replace('0f', '10')
    const same = Array.from({ length: 1_000 }, (_, number) => number).filter(
      (number) => publicReferenceOf(number, KEY) === publicReferenceOf(number, other),
    )
    assert.deepEqual(same, [])
  })
})
