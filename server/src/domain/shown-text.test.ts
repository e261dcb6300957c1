// Which texts payers may be shown.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isShownText } from './free-text.ts'

const SHOWN = [
  'Commande 12',
  'Deux pagnes «wax» à 7 500 F',
  'متجر عائشة',
  'Ƙarɓa Ɗan Jariri',
  '日本 12',
  'Thé 🧵 👨‍👩‍👧 ❤️ 👍🏽',
  '🏳️‍🌈',
  '12',
  '%',
]
const REFUSED: [about: string, text: unknown][] = [
  ['an override of direction', 'Facture \u202e05 F'],
  ['an isolate', '\u2067Boutique\u2069'],
  ['a mark of direction', 'Boutique\u200f'],
  ['an Arabic mark of direction', '\u061cBoutique'],
  ['a zero-width space', 'Bout\u200bique'],
  ['a joiner between letters', 'Bout\u200dique'],
  ['a joiner after an emoji and before a letter', '🧵\u200dx'],
  ['a soft hyphen', 'Bou\u00adtique'],
  ['a byte order mark', '\ufeffBoutique'],
  ['an invisible tag', 'Boutique\u{e0041}'],
  ['a Hangul filler', '\u3164'],
  ['an empty Braille cell', '\u2800'],
  ['spaces', '\u2003\u00a0 '],
  ['a zero-width space alone', '\u200b'],
  ['an accent over nothing', '\u0301'],
  ['a separator of lines', 'a\u2028b'],
  ['a line break', 'a\nb'],
  ['NUL', 'a\u0000'],
  ['nothing', ''],
  ['no string', 12],
  ['too much', 'x'.repeat(121)],
]

describe('a text that payers read', () => {
  for (const text of SHOWN) it(`may be ${text}`, () => assert.equal(isShownText(text, 120), true))
  for (const [about, text] of REFUSED) it(`is not ${about}`, () => assert.equal(isShownText(text, 120), false))
})
