// Amounts are integers of whole XOF francs, in the API and as people's files write them. No code
// divides one.
import type { Environment } from '../environment.ts'
import type { Language } from '../texts/language.ts'

export const CURRENCY = 'XOF'

/** spec §8: 25 in live, 50 in sandbox. */
export const MINIMUM_XOF: Readonly<Record<Environment, number>> = { sandbox: 50, live: 25 }

/** D-07 */
export const MAXIMUM_XOF = 999_999_999

/**
 * A text that can only be a whole number of francs: most clients of the contract send digits, and
 * those in PHP often `5000.00` (D-07). One or two zeros and no more: a dot before three digits
 * separates thousands.
 */
export const AMOUNT_DIGITS = /^[1-9][0-9]{0,8}(?:\.0{1,2})?$/

/**
 * `15 000` with a space that does not break a line, in English `15,000`. Not by Intl, which changes
 * with its data.
 */
export const grouped = (whole: number, language: Language): string =>
  String(whole).replace(/\B(?=(\d{3})+$)/g, language === 'fr' ? '\u00a0' : ',')

/** `15 000 F CFA` */
export const writeAmount = (amountXof: number, language: Language): string =>
  `${grouped(amountXof, language)}\u00a0F\u00a0CFA`

/**
 * A JSON integer or its digits as text, also with `.00` (D-07). Undefined for all else: we do not
 * guess.
 */
export function readAmountXof(value: unknown, environment: Environment): number | undefined {
  const amount = typeof value === 'string' && AMOUNT_DIGITS.test(value) ? Number(value) : value
  if (!Number.isInteger(amount)) return undefined
  return (amount as number) >= MINIMUM_XOF[environment] && (amount as number) <= MAXIMUM_XOF
    ? (amount as number)
    : undefined
}

// In people's files: with separators, signs and the currency's name. A franc has no fraction, so a
// single point or comma before three digits separates thousands. Text with two meanings is refused.

/** Longer than any amount with separators, sign and currency. */
const LONGEST_AMOUNT = 40
/** A trillion francs: far above any wallet. */
const MOST_DIGITS = 12

const CURRENCY_NAME =
  /^(?:XOF|F[ .]?CFA|CFA)(?![A-Z])\.?|(?<![A-Z])(?:XOF|F[ .]?CFA|CFA|FRS?|F)\.?$/i
const BLANKS = /[ \t\u00a0\u2007\u2009\u202f]+/g
const MINUS_SIGNS = /[\u2010-\u2014\u2212]/g
/** Digits alone, or groups of three with one separator. */
const DIGITS = /^\d+$/
const GROUPS = /^[1-9]\d{0,2}([ .,'’])\d{3}(?:\1\d{3})*$/
/** Three zeros after a separator may also be a group of thousands. */
const ZERO_FRACTION = /([.,])(?:0{1,2}|0{4,})$/

/** Undefined for everything that is not certainly a whole number of francs. */
export function readFrancs(written: string): number | undefined {
  if (written.length > LONGEST_AMOUNT) return undefined
  let text = written.replace(BLANKS, ' ').replace(MINUS_SIGNS, '-').trim()
  let sign = ''
  let hasCurrency = false
  // Each is taken off once, in any order: `-500 F`, `XOF -500`, `(500) F` and `(500 F)`.
  for (let before = ''; before !== text; ) {
    before = text
    if (sign === '') ({ sign, text } = signOf(text))
    const bare: string = hasCurrency ? text : text.replace(CURRENCY_NAME, '').trim()
    hasCurrency ||= bare !== text
    text = bare
  }
  const number = wholeNumber(text)
  return sign === '-' && number !== undefined && number !== 0 ? -number : number
}

/** Accountants write a negative amount in parentheses, and some systems with the sign last. */
function signOf(text: string): { sign: '' | '+' | '-'; text: string } {
  if (/^\(.*\)$/.test(text)) return { sign: '-', text: text.slice(1, -1).trim() }
  if (text.startsWith('-') || text.startsWith('+'))
    return { sign: text.startsWith('-') ? '-' : '+', text: text.slice(1).trim() }
  if (text.endsWith('-')) return { sign: '-', text: text.slice(0, -1).trim() }
  return { sign: '', text }
}

function wholeNumber(text: string): number | undefined {
  const fraction = ZERO_FRACTION.exec(text)
  const whole = fraction === null ? text : text.slice(0, fraction.index)
  const groups = GROUPS.exec(whole)
  if (groups === null && !DIGITS.test(whole)) return undefined
  if (groups !== null && groups[1] === fraction?.[1]) return undefined
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '')
  return digits.length <= MOST_DIGITS ? Number(digits) : undefined
}
