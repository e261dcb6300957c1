// What people look for a payment by: a payer's number however it is written or its last digits, a
// name, digits of an order's reference, an amount, the operator's reference. Of several words all
// are meant. Terms are compared whole, never by their order: engines sort texts in different ways.
import { COUNTRIES } from '../countries/country.ts'
import { readMsisdn } from '../countries/msisdn.ts'
import { plainText } from '../texts/free-text.ts'

export type SearchedPayer = { msisdn: string | null; customerName: string | null }

export interface Searched extends SearchedPayer {
  externalReference: string
  clientReference: string | null
  /** Null until the operator has given one. */
  operatorReference: string | null
  amountXof: number
}

/** Enough to find a name among many, and few enough that a payment costs little. */
const LETTERS = 3
const MOST_WORDS = 4
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u
const ONLY_DIGITS = /^\d+$/

/** Of a plain text. Digits alone are no name. */
const wordsIn = (name: string): string[] =>
  name.split(BETWEEN_WORDS).filter((word) => word.length > 1 && !ONLY_DIGITS.test(word))

// Digits are found by groups of four: the last four of a number, and each four in a row of an
// order's reference. A payment is listed under a group with the two digits before it. Of a million
// payments, some hundred share four digits; six are one payer's.

const GROUP = 4
const BEFORE = 2
/** The shortest number in an order's reference that is searched by itself. */
const SHORTEST_ORDER = 3
/** The last digits of an order's reference that are searched: five groups at most. */
const ORDER_DIGITS = 8

/**
 * A payment is listed under the term with the digits before it. A search wants those whose digits
 * end with these.
 */
export interface Term {
  term: string
  before: string
}

const groupTerm = (mark: '~' | '.', digits: string): Term => ({
  term: mark + digits.slice(-GROUP),
  before: digits.slice(-GROUP - BEFORE, -GROUP),
})
export const endTerm = (digits: string): Term => groupTerm('~', digits)
const orderTerm = (digits: string): Term => groupTerm('.', digits)
const amountTerm = (digits: string): Term => ({ term: `=${digits}`, before: '' })
const wordTerm = (word: string): Term => ({ term: word.slice(0, LETTERS), before: '' })

// An operator's reference is found whole, in any writing: MP261115.0930.A00001, mp2611150930a00001.

const SHORTEST_OPERATOR_REFERENCE = 6
const OPERATOR_TERMS = 100_000

const lettersAndDigits = (text: string): string => plainText(text).replaceAll(/[^\p{L}\p{N}]/gu, '')

/**
 * Operators write references in many ways: a hash spreads all of them evenly over as many terms.
 */
function operatorTerm(reference: string): Term {
  let hash = 0
  for (const each of lettersAndDigits(reference))
    hash = (hash * 31 + (each.codePointAt(0) as number)) % OPERATOR_TERMS
  return { term: `#${hash}`, before: '' }
}

const mayBeOperatorReference = (written: string): boolean =>
  /\d/.test(written) && lettersAndDigits(written).length >= SHORTEST_OPERATOR_REFERENCE

const hasOperatorReference = ({ operatorReference }: Searched, wanted: string): boolean =>
  operatorReference !== null && lettersAndDigits(operatorReference) === wanted

/** The last number of a reference: `021999` of CMD-021999-2. */
const orderNumberOf = (reference: string | null): string | undefined =>
  reference?.match(/\d+/g)?.findLast((digits) => digits.length >= SHORTEST_ORDER)

function orderTermsOf(reference: string | null): Term[] {
  const digits = orderNumberOf(reference)
  if (digits === undefined) return []
  const groups = Math.max(1, Math.min(digits.length, ORDER_DIGITS) - GROUP + 1)
  return Array.from({ length: groups }, (_, at) => orderTerm(digits.slice(0, digits.length - at)))
}

export function payerTermsOf({ msisdn, customerName }: SearchedPayer): Term[] {
  const words = customerName === null ? [] : wordsIn(plainText(customerName)).slice(0, MOST_WORDS)
  // A masked number is not searched.
  return [
    ...(msisdn !== null && ONLY_DIGITS.test(msisdn) ? [endTerm(msisdn)] : []),
    ...words.map(wordTerm),
  ]
}

/** Some may be there twice. */
export const searchTermsOf = (payment: Searched): Term[] => [
  ...payerTermsOf(payment),
  ...[payment.externalReference, payment.clientReference].flatMap(orderTermsOf),
  ...(payment.operatorReference === null ? [] : [operatorTerm(payment.operatorReference)]),
  amountTerm(String(payment.amountXof)),
]

/** What a payment must have to match, in a form that a statement can test: few others pass. */
export interface RoughTest {
  /** One of these is in its number, in an order's reference or in its amount, */
  digits: readonly string[]
  /** or is its amount: shorter digits are nothing else, */
  amounts: readonly string[]
  /** or the operator's reference has these characters in this order. */
  operatorReference: string | undefined
}

export interface Search {
  /** A payment without any of these does not match. */
  terms: Term[]
  /** Undefined for names: people write their accents or not. */
  rough: RoughTest | undefined
  matches(payment: Searched): boolean
}

/**
 * A word of a name, or digits that stand together: `12 500` is an amount, `96 12 34 56` a number.
 */
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
  // Digits are rarer than the first letters of a name.
  const terms = isByDigits ? termsOfDigits(longest) : [wordTerm(longestWord as string)]
  const isOperators = mayBeOperatorReference(written)
  const operatorReference = lettersAndDigits(written)
  const digitTests = groups.map(digitTest)
  const alternatives = alternativesOf(longest)
  const rough = {
    digits: alternatives
      .filter(({ length }) => length >= SHORTEST_ORDER)
      .map((digits) => digits.slice(-GROUP)),
    amounts: alternatives.filter(({ length }) => length < SHORTEST_ORDER),
    operatorReference: isOperators ? operatorReference : undefined,
  }
  return {
    terms: isOperators ? [...terms, operatorTerm(written)] : terms,
    rough: isByDigits ? rough : undefined,
    // Words first: they exclude most of the payments that were found by their digits.
    matches: (payment) =>
      (words.every(
        (word) => hasWord(payment, word) || (isByDigits && isInReference(payment, word)),
      ) &&
        digitTests.every((has) => has(payment))) ||
      (isOperators && hasOperatorReference(payment, operatorReference)),
  }
}

/**
 * Together one number, or each one by itself: `12 500` is an amount, `21999 5000` an order and an
 * amount.
 */
const asWritten = (group: readonly string[]): [string, ...string[]] =>
  group.length === 1 ? [group[0] as string] : [group.join(''), ...group]

/** A payment that matches has one of these: all together, or at least the longest. */
function alternativesOf(group: readonly string[]): string[] {
  const [together, ...apart] = asWritten(group)
  const [longest] = apart.toSorted((a, b) => b.length - a.length)
  return longest === undefined ? [together] : [together, longest]
}

const termsOfDigits = (group: readonly string[]): Term[] =>
  alternativesOf(group).flatMap(termsOfNumber)

const termsOfNumber = (digits: string): Term[] => [
  ...(digits.length >= GROUP ? [endTerm(digits)] : []),
  ...(digits.length >= SHORTEST_ORDER ? [orderTerm(digits)] : []),
  amountTerm(digits),
]

/** Digits of a search, with the numbers that they are when they are written in full. */
interface Digits {
  digits: string
  msisdns: readonly string[]
}

const digitsOf = (digits: string): Digits => ({
  digits,
  msisdns: COUNTRIES.flatMap((each) => readMsisdn(digits, each, 'sandbox')?.msisdn ?? []),
})

/** Once for a search: it is asked of hundreds of payments. */
function digitTest(group: readonly string[]): (payment: Searched) => boolean {
  const [together, ...apart] = asWritten(group).map(digitsOf) as [Digits, ...Digits[]]
  return (payment) =>
    isIn(payment, together) || (apart.length > 0 && apart.every((digits) => isIn(payment, digits)))
}

const isIn = (payment: Searched, wanted: Digits): boolean =>
  isNumberOf(payment, wanted) ||
  [payment.externalReference, payment.clientReference].some((reference) =>
    isOrderOf(reference, wanted.digits),
  ) ||
  String(payment.amountXof) === wanted.digits

function isNumberOf({ msisdn }: Searched, { digits, msisdns }: Digits): boolean {
  if (msisdn === null || digits.length < GROUP || !ONLY_DIGITS.test(msisdn)) return false
  return msisdn.endsWith(digits) || msisdns.includes(msisdn)
}

function isOrderOf(reference: string | null, digits: string): boolean {
  const own = orderNumberOf(reference)
  if (own === undefined || digits.length < SHORTEST_ORDER) return false
  if (digits.length < GROUP) return own === digits
  return own.slice(-ORDER_DIGITS).includes(digits) || own.endsWith(digits)
}

function hasWord({ customerName }: Searched, word: string): boolean {
  const name = plainText(customerName ?? '')
  // Most names do not hold it: splitting them took half of the time of a check.
  return name.includes(word) && wordsIn(name).some((each) => each.startsWith(word))
}

const isInReference = ({ externalReference, clientReference }: Searched, word: string): boolean =>
  [externalReference, clientReference].some(
    (reference) => reference !== null && plainText(reference).includes(word),
  )
