// What people look for a payment by: a payer's number however it is written, or a name. Terms are compared whole, never
// by their order: engines sort texts in different ways.
import { COUNTRIES } from './country.ts'
import { readMsisdn } from './msisdn.ts'

export type Searched = { msisdn: string | null; customerName: string | null }

/** Enough to find a name among many, and few enough that a payment costs little. */
const LETTERS = 3
const MOST_WORDS = 4
const MARKS = /\p{M}/gu
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u
const ONLY_DIGITS = /^\d+$/

/** Without accents and capitals: “Aïssa MAÏGA” is `aissa`, `maiga`. Digits alone are no name. */
const wordsOf = (name: string): string[] =>
  name
    .normalize('NFD')
    .replace(MARKS, '')
    .toLowerCase()
    .split(BETWEEN_WORDS)
    .filter((word) => word.length > 1 && !ONLY_DIGITS.test(word))

export function searchTermsOf({ msisdn, customerName }: Searched): string[] {
  const words = customerName === null ? [] : wordsOf(customerName).slice(0, MOST_WORDS)
  const terms = words.map((word) => word.slice(0, LETTERS))
  return [...new Set(msisdn === null ? terms : [msisdn, ...terms])]
}

export interface Search {
  /** A payment without any of these does not match. */
  terms: string[]
  matches(payment: Searched): boolean
}

/** Undefined for a text that is neither a number nor a name. */
export function readSearch(written: string): Search | undefined {
  const numbers = COUNTRIES.map((country) => readMsisdn(written.trim(), country, 'sandbox')?.msisdn).filter(
    (msisdn) => msisdn !== undefined,
  )
  if (numbers.length > 0) {
    const terms = [...new Set(numbers)]
    return { terms, matches: ({ msisdn }) => msisdn !== null && terms.includes(msisdn) }
  }
  const words = wordsOf(written)
  const [longest] = words.toSorted((a, b) => b.length - a.length)
  if (longest === undefined) return undefined
  return { terms: [longest.slice(0, LETTERS)], matches: ({ customerName }) => hasWords(customerName, words) }
}

const hasWords = (name: string | null, words: readonly string[]): boolean => {
  const own = wordsOf(name ?? '')
  return words.every((word) => own.some((each) => each.startsWith(word)))
}
