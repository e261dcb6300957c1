// Which texts are a whole number of francs, and which have two meanings.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { grouped, readFrancs } from './money.ts'

const READ: readonly [written: string, francs: number][] = [
  ['0', 0],
  ['500', 500],
  ['00500', 500],
  ['12 500', 12_500],
  ['12\u00a0500', 12_500],
  ['12\u202f500', 12_500],
  ['1 234 567', 1_234_567],
  ['12.500', 12_500],
  ['12,500', 12_500],
  ['1.234.567', 1_234_567],
  ['1,234,567', 1_234_567],
  ["1'234'567", 1_234_567],
  ['12.500,00', 12_500],
  ['12,500.00', 12_500],
  ['12 500,00', 12_500],
  ['12 500.0', 12_500],
  ['5000.00', 5_000],
  ['5000,00', 5_000],
  ['1000.0000', 1_000],
  ['0.00', 0],
  ['(500)', -500],
  ['( 12 500 )', -12_500],
  ['-500', -500],
  ['- 500', -500],
  ['\u2212500', -500],
  ['500-', -500],
  ['+500', 500],
  ['-0', 0],
  ['(0.00)', 0],
  ['XOF 500', 500],
  ['XOF500', 500],
  ['500 XOF', 500],
  ['500XOF', 500],
  ['500 FCFA', 500],
  ['500 F CFA', 500],
  ['500 F\u00a0CFA', 500],
  ['500 f cfa', 500],
  ['500 CFA', 500],
  ['500F', 500],
  ['F CFA 500', 500],
  ['-500 FCFA', -500],
  ['XOF -500', -500],
  ['-XOF 500', -500],
  ['(500) F', -500],
  ['(500 F)', -500],
  ['-12.500,00 F CFA', -12_500],
  ['  500\t', 500],
  ['999 999 999 999', 999_999_999_999],
]

const REFUSED: readonly [about: string, written: string][] = [
  ['nothing', ''],
  ['a blank', ' '],
  ['a sign alone', '-'],
  ['a currency alone', 'XOF'],
  ['a word', 'gratuit'],
  ['a fraction with a point', '12.50'],
  ['a fraction with a comma', '12,5'],
  ['a fraction after groups', '12 500,50'],
  ['a fraction that would be a group of thousands', '0.500'],
  ['three zeros that may be a fraction or thousands', '5000.000'],
  ['three zeros after nothing', '0.000'],
  ['a fraction by the separator of the groups', '12.500.00'],
  ['groups of two', '12,50,000'],
  ['groups of four', '1 2345'],
  ['two kinds of separators for groups', '1.234 567'],
  ['a group without digits', '12..500'],
  ['a separator first', '.500'],
  ['a separator last', '500.'],
  ['two signs', '-500-'],
  ['a sign in parentheses', '(-500)'],
  ['two currencies', 'XOF 500 FCFA'],
  ['another currency', '500 EUR'],
  ['a percentage', '1.8%'],
  ['an exponent', '1.25E7'],
  ['hexadecimal', '0x1F4'],
  ['other digits', '\u0665\u0660\u0660'],
  ['a formula', '=500'],
  ['a number and a word', '500 francs suisses'],
  ['two numbers', '500 / 600'],
  ['a trillion', '1 000 000 000 000'],
  ['a text of a megabyte', '1'.repeat(1_000_000)],
]

for (const [written, francs] of READ) {
  it(`written amounts: ${JSON.stringify(written)} is ${francs} francs`, () => {
    assert.equal(readFrancs(written), francs)
  })
}

for (const [about, written] of REFUSED) {
  it(`written amounts: ${about} is refused: ${JSON.stringify(written.slice(0, 30))}`, () => {
    assert.equal(readFrancs(written), undefined)
  })
}

const francs = fc.integer({ min: -999_999_999_999, max: 999_999_999_999 })
it('written amounts: any amount is read back from any form that people write', () => {
  const form = fc.record({
    separator: fc.constantFrom('', ' ', '\u00a0', '\u202f', '.', ',', "'"),
    zeros: fc.constantFrom('', '0', '00', '0000'),
    sign: fc.constantFrom('before', 'after', 'parentheses'),
    currency: fc.constantFrom('', 'XOF', 'FCFA', 'F CFA', 'CFA'),
    isFirst: fc.boolean(),
  })
  fc.assert(
    fc.property(francs, form, (amount, { separator, zeros, sign, currency, isFirst }) => {
      const point = separator === '.' ? ',' : '.'
      const number =
        grouped(Math.abs(amount), 'fr').replaceAll('\u00a0', separator) +
        (zeros === '' ? '' : point + zeros)
      const signed = { before: `-${number}`, after: `${number}-`, parentheses: `(${number})` }[sign]
      const text = amount < 0 ? signed : number
      const written = isFirst ? `${currency} ${text}` : `${text} ${currency}`
      assert.equal(readFrancs(written), amount, written)
    }),
    { numRuns: 2_000, seed: 1 },
  )
})

it('written amounts: no text with a fraction is an amount', () => {
  const fraction = fc
    .stringMatching(/^[0-9]{1,8}$/)
    .filter((digits) => Number(digits) > 0 && digits.length !== 3)
  fc.assert(
    fc.property(francs, fraction, fc.constantFrom('.', ','), (amount, digits, point) => {
      assert.equal(readFrancs(`${amount}${point}${digits}`), undefined)
    }),
    { numRuns: 1_000, seed: 1 },
  )
})

it('written amounts: any text gives a whole number within the limit, or nothing', () => {
  const likely = fc.string({
    unit: fc.constantFrom(...'0123456789 .,-+()XOFCA\u00a0'),
    maxLength: 20,
  })
  fc.assert(
    fc.property(fc.oneof(likely, fc.string()), (text) => {
      const amount = readFrancs(text)
      if (amount === undefined) return
      assert.ok(
        Number.isSafeInteger(amount) && Math.abs(amount) < 1e12 && !Object.is(amount, -0),
        text,
      )
      // Every digit that is no zero counts.
      assert.equal(String(Math.abs(amount)).replaceAll('0', ''), text.replace(/[^1-9]/g, ''), text)
    }),
    { numRuns: 5_000, seed: 1 },
  )
})
