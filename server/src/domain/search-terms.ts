// What people look for a payment by: a payer's number however it is written or its last digits, a name, digits of an
// order's reference, an amount. Of several words all are meant. Terms are compared whole, never by their order: engines
// sort texts in different ways.
import { COUNTRIES } from './country.ts'
import { readMsisdn } from './msisdn.ts'

export type SearchedPayer = { msisdn: string | null; customerName: string | null }

export interface Searched extends SearchedPayer {
  externalReference: string
  clientReference: string | null
  amountXof: number
}

/** Enough to find a name among many, and few enough that a payment costs little. */
const LETTERS = 3
const MOST_WORDS = 4
const MARKS = /\p{M}/gu
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u
const ONLY_DIGITS = /^\d+$/

/** Without accents and capitals: “Aïssa MAÏGA” is `aissa`, `maiga`. */
const plainText = (text: string): string => text.normalize('NFD').replace(MARKS, '').toLowerCase()

/** Digits alone are no name. */
const wordsOf = (name: string): string[] =>
  plainText(name)
    .split(BETWEEN_WORDS)
    .filter((word) => word.length > 1 && !ONLY_DIGITS.test(word))

// Digits are found by groups: the last four and the last six of a number, and each four in a row of an order's
// reference. Of a million payments, some hundred share four digits, which takes 3 ms to read; six are one payer's.

const GROUP = 4
const LONG_GROUP = 6
/** The shortest number in an order's reference that is searched by itself. */
const SHORTEST_ORDER = 3
/** The last digits of an order's reference that are searched: five terms at most. */
const ORDER_DIGITS = 8

/** The term of a number's last digits. */
export const endTerm = (digits: string): string =>
  digits.length < LONG_GROUP ? `~${digits.slice(-GROUP)}` : `~${digits.slice(-LONG_GROUP)}`
const orderTerm = (digits: string): string => `.${digits.slice(-GROUP)}`
const amountTerm = (digits: string): string => `=${digits}`

/** The last number of a reference: `021999` of CMD-021999-2. */
const orderNumberOf = (reference: string | null): string | undefined =>
  reference?.match(/\d+/g)?.findLast((digits) => digits.length >= SHORTEST_ORDER)

function orderTermsOf(reference: string | null): string[] {
  const digits = orderNumberOf(reference)?.slice(-ORDER_DIGITS)
  if (digits === undefined) return []
  const groups = Math.max(1, digits.length - GROUP + 1)
  return Array.from({ length: groups }, (_, at) => orderTerm(digits.slice(at, at + GROUP)))
}

const endTermsOf = (msisdn: string): string[] => [endTerm(msisdn.slice(-GROUP)), endTerm(msisdn)]

export function payerTermsOf({ msisdn, customerName }: SearchedPayer): string[] {
  const words = customerName === null ? [] : wordsOf(customerName).slice(0, MOST_WORDS)
  const terms = words.map((word) => word.slice(0, LETTERS))
  // A masked number is not searched.
  return [...new Set(msisdn !== null && ONLY_DIGITS.test(msisdn) ? [...endTermsOf(msisdn), ...terms] : terms)]
}

export const searchTermsOf = (payment: Searched): string[] => [
  ...payerTermsOf(payment),
  ...new Set([payment.externalReference, payment.clientReference].flatMap(orderTermsOf)),
  amountTerm(String(payment.amountXof)),
]

/** A payment has both. */
export interface WantedTerm {
  term: string
  also?: string
}

export interface Search {
  /** A payment without any of these does not match. */
  terms: WantedTerm[]
  matches(payment: Searched): boolean
}

/** A word of a name, or digits that stand together: `12 500` is an amount, `96 12 34 56` a number. */
type Wanted = { word: string } | { digits: string[] }

/** Letters and digits next to each other are two words: CMD021999. */
const BETWEEN_KINDS = /(?<=\p{L})(?=\d)|(?<=\d)(?=\p{L})/u

function wantedIn(written: string): Wanted[] {
  const wanted: Wanted[] = []
  for (const word of plainText(written)
    .split(BETWEEN_WORDS)
    .flatMap((each) => each.split(BETWEEN_KINDS))) {
    const last = wanted.at(-1)
    if (!ONLY_DIGITS.test(word)) wanted.push({ word })
    else if (last !== undefined && 'digits' in last) last.digits.push(word)
    else wanted.push({ digits: [word] })
  }
  return wanted.filter((each) => ('word' in each ? each.word : each.digits.join('')).length > 1)
}

/** Undefined for a text that is neither a number nor a name. */
export function readSearch(written: string): Search | undefined {
  const wanted = wantedIn(written)
  const groups = wanted.flatMap((each) => ('digits' in each ? [each.digits] : []))
  const words = wanted.flatMap((each) => ('word' in each ? [each.word] : []))
  const [longest = []] = groups.toSorted((a, b) => b.join('').length - a.join('').length)
  const [longestWord] = words.toSorted((a, b) => b.length - a.length)
  const isByDigits = groups.length > 0
  if (!isByDigits && longestWord === undefined) return undefined
  return {
    // Digits are rarer than the first letters of a name.
    terms: isByDigits ? termsOfDigits(longest) : [{ term: (longestWord as string).slice(0, LETTERS) }],
    matches: (payment) =>
      groups.every((group) => hasDigits(payment, group)) &&
      words.every((word) => hasWord(payment, word) || (isByDigits && isInReference(payment, word))),
  }
}

/** Together one number, or each one by itself: `12 500` is an amount, `21999 5000` an order and an amount. */
const asWritten = (group: readonly string[]): [string, ...string[]] =>
  group.length === 1 ? [group[0] as string] : [group.join(''), ...group]

function termsOfDigits(group: readonly string[]): WantedTerm[] {
  const [together, ...apart] = asWritten(group)
  const [longest] = apart.toSorted((a, b) => b.length - a.length)
  return [together, longest].flatMap((digits) => (digits === undefined ? [] : termsOfNumber(digits)))
}

const termsOfNumber = (digits: string): WantedTerm[] => [
  ...(digits.length >= GROUP ? [{ term: endTerm(digits) }] : []),
  ...(digits.length >= SHORTEST_ORDER ? [wantedOrder(digits)] : []),
  { term: amountTerm(digits) },
]

/** More than four digits are found by their first and last four. */
const wantedOrder = (digits: string): WantedTerm =>
  digits.length <= GROUP
    ? { term: orderTerm(digits) }
    : { term: orderTerm(digits), also: orderTerm(digits.slice(-ORDER_DIGITS).slice(0, GROUP)) }

const hasDigits = (payment: Searched, group: readonly string[]): boolean => {
  const [together, ...apart] = asWritten(group)
  return isIn(payment, together) || (apart.length > 0 && apart.every((digits) => isIn(payment, digits)))
}

const isIn = (payment: Searched, digits: string): boolean =>
  isNumberOf(payment, digits) ||
  [payment.externalReference, payment.clientReference].some((reference) => isOrderOf(reference, digits)) ||
  String(payment.amountXof) === digits

function isNumberOf({ msisdn }: Searched, digits: string): boolean {
  if (msisdn === null || digits.length < GROUP || !ONLY_DIGITS.test(msisdn)) return false
  return msisdn.endsWith(digits) || COUNTRIES.some((each) => readMsisdn(digits, each, 'sandbox')?.msisdn === msisdn)
}

function isOrderOf(reference: string | null, digits: string): boolean {
  const own = orderNumberOf(reference)
  if (own === undefined || digits.length < SHORTEST_ORDER) return false
  if (digits.length < GROUP) return own === digits
  return own.slice(-ORDER_DIGITS).includes(digits) || own.endsWith(digits)
}

const hasWord = ({ customerName }: Searched, word: string): boolean =>
  wordsOf(customerName ?? '').some((each) => each.startsWith(word))

const isInReference = ({ externalReference, clientReference }: Searched, word: string): boolean =>
  [externalReference, clientReference].some((reference) => reference !== null && plainText(reference).includes(word))
