// Free text that merchants, payers and machines send: which characters it may hold, and the card
// numbers in it.
export const LONGEST_EXTERNAL_REFERENCE = 255
export const LONGEST_CUSTOMER_NAME = 255
/** A note, reason or proof that a person writes. */
export const LONGEST_NOTE = 500

/**
 * D-08, D-10: opaque, not empty, without control characters, and such that it can be returned byte
 * for byte.
 */
export const isExternalReference = (value: unknown): value is string =>
  isPlainText(value, LONGEST_EXTERNAL_REFERENCE)

/** D-08 */
export const isCustomerName = (value: unknown): value is string =>
  isPlainText(value, LONGEST_CUSTOMER_NAME)

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

export function isPlainText(value: unknown, longest: number): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    fits(value, longest) &&
    !CONTROL.test(value) &&
    // A lone surrogate has no UTF-8 form: it would come back as another character.
    value.isWellFormed()
  )
}

/** Counts code points: an emoji outside the basic plane is one character. */
function fits(value: string, longest: number): boolean {
  if (value.length <= longest) return true
  return value.length <= 2 * longest && [...value].length <= longest
}

// Text that payers read: a link's title and description, a merchant's name, an account's own
// wording. It holds nothing that is invisible, changes the order of letters, or passes for a blank.

/** Joins emoji into one: the only invisible character that people type. */
const EMOJI_JOINER =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu
/** Chooses how the character before it is drawn. */
const EMOJI_STYLE = /(?<=\p{Emoji})[\ufe0e\ufe0f]/gu
/** Zero-width and bidi characters, fillers, tags, and the separators of lines and paragraphs. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2028\u2029]/u
/** A letter, digit, punctuation mark or symbol; U+2800 is a symbol without a dot. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

export function isShownText(value: unknown, longest: number): value is string {
  if (!isPlainText(value, longest)) return false
  const drawn = value.replace(EMOJI_JOINER, '').replace(EMOJI_STYLE, '')
  return !INVISIBLE.test(drawn) && VISIBLE.test(drawn.replaceAll('\u2800', ''))
}

// Card numbers are found, so that none is stored or logged (D-83). A card number is 13 to 19 digits
// of a known issuer with a right check digit, in one piece or in the groups that cards have. Digits
// within a longer word are none: references, UUIDs and hashes have such runs.

const FEWEST_DIGITS = 13

/** What numbers of the issuers begin with, and how long they are. */
const ISSUERS: readonly [first: number, last: number, lengths: readonly number[]][] = [
  [2221, 2720, [16]], // Mastercard
  [3000, 3059, [14]], // Diners Club
  [3400, 3499, [15]], // American Express
  [3528, 3589, [16, 17, 18, 19]], // JCB
  [3600, 3699, [14]], // Diners Club
  [3700, 3799, [15]], // American Express
  [3800, 3999, [14]], // Diners Club
  [4000, 4999, [13, 16, 19]], // Visa
  [5000, 5099, [13, 14, 15, 16, 17, 18, 19]], // Maestro
  [5100, 5599, [16]], // Mastercard
  [5600, 5899, [13, 14, 15, 16, 17, 18, 19]], // Maestro
  [6000, 6999, [13, 14, 15, 16, 17, 18, 19]], // Maestro, UnionPay, Discover
]

/** By the first four digits of a number: bit n is set where the issuer has numbers of n digits. */
const LENGTHS = new Int32Array(10_000)
for (const [first, last, lengths] of ISSUERS) {
  for (let beginning = first; beginning <= last; beginning++) {
    for (const length of lengths) LENGTHS[beginning] = (LENGTHS[beginning] ?? 0) | (1 << length)
  }
}

/** Lengths that are possible before the first four digits are read: up to 19 digits. */
const ANY_LENGTH = 0xffff0

const ZERO = 48
const NINE = 57

/**
 * Zero beyond the end of a text: with NaN there V8 calculates in floating point, in twice the time.
 */
const codeAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) : 0)
/** Cards begin with 2 to 6. Days and times mostly do not, so no more is looked at. */
const isFirstOfIssuer = (code: number): boolean => code >= ZERO + 2 && code <= ZERO + 6
const isDigit = (code: number): boolean => code >= ZERO && code <= NINE
const isOfWord = (code: number): boolean =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
/** One blank of any kind, dot, hyphen or underscore. */
const isSeparator = (code: number): boolean =>
  code === 32 || code === 45 || code === 46 || code === 95 || code === 0xa0 || code === 0x202f

export function holdsCardNumber(text: string): boolean {
  return hasEnoughDigits(text) && findCard(text, 0) !== undefined
}

/** For addresses, in which a blank may be written as `%20` or `+`. */
export function addressHoldsCardNumber(address: string): boolean {
  if (!hasEnoughDigits(address)) return false
  return holdsCardNumber(address) || holdsCardNumber(decoded(address))
}

/**
 * The text with the first six and last four digits of each card number left; the same text when it
 * holds none.
 */
export function maskCardNumbers(text: string): string {
  // Most texts end here: nothing has been allocated.
  if (!hasEnoughDigits(text)) return text
  let found = findCard(text, 0)
  if (found === undefined) return text
  let masked = ''
  let at = 0
  while (found !== undefined) {
    const { start, end } = found
    const digits = digitsOf(text, found)
    masked +=
      text.slice(at, start) + digits.slice(0, 6) + '*'.repeat(digits.length - 10) + digits.slice(-4)
    at = end
    found = findCard(text, at)
  }
  return masked + text.slice(at)
}

type FoundCard = { start: number; end: number }

function findCard(text: string, from: number): FoundCard | undefined {
  for (let at = from; at <= text.length - FEWEST_DIGITS; at++) {
    const code = codeAt(text, at)
    if (!isDigit(code)) continue
    const mayBegin = isFirstOfIssuer(code) && (at === 0 || !isOfWord(codeAt(text, at - 1)))
    const end = mayBegin ? endOfCard(text, at) : undefined
    if (end !== undefined) return { start: at, end }
    at = endOfDigits(text, at)
  }
  return undefined
}

function hasEnoughDigits(text: string): boolean {
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    if (isDigit(codeAt(text, at)) && ++digits === FEWEST_DIGITS) return true
  }
  return false
}

function endOfDigits(text: string, from: number): number {
  let at = from
  while (isDigit(codeAt(text, at))) at++
  return at
}

/**
 * Where the longest card number from this group on ends. Strangers choose the texts: it reads 20
 * digits at most.
 */
function endOfCard(text: string, start: number): number | undefined {
  let found: number | undefined
  let digits = 0
  let beginning = 0
  let lengths = ANY_LENGTH
  // Luhn's sum so far, with every second digit from the right doubled, and the same with the others
  // doubled.
  let sum = 0
  let sumOfOthers = 0
  let group = 1
  let size = 0
  let first = 0
  let second = 0
  let separator = 0
  for (let at = start; ; at++) {
    const code = codeAt(text, at)
    if (isDigit(code)) {
      const digit = code - ZERO
      size++
      digits++
      if (digits <= 4) beginning = beginning * 10 + digit
      if (digits === 4) lengths = LENGTHS[beginning] ?? 0
      if (lengths >> digits === 0) return found
      const next = sumOfOthers + digit
      sumOfOthers = sum + (digit < 5 ? digit * 2 : digit * 2 - 9)
      sum = next
      continue
    }
    if (group === 1) {
      first = size
      separator = code
    }
    if (group === 2) second = size
    if (size === 0 || !mayFollow(first, second, group, size)) return found
    const isCardNumber = ((lengths >> digits) & 1) === 1 && sum % 10 === 0
    if (isCardNumber && !isOfWord(code) && !isTimeFirst(digitsOf(text, { start, end: at })))
      found = at
    if (code !== separator || !isSeparator(code) || isLastGroup(first, second, group, size))
      return found
    group++
    size = 0
  }
}

/**
 * Groups of one size and a shorter last one, or 4 6 5 and 4 6 4 (American Express, Diners Club).
 * Others are an order and a time, say: of numbers such as 412345-1763264000 one in thirty would
 * pass for a card.
 */
function mayFollow(first: number, second: number, group: number, size: number): boolean {
  if (first === 4 && second === 6) return group === 2 || size === 5 || size === 4
  return size <= first
}

const isLastGroup = (first: number, second: number, group: number, size: number): boolean =>
  first === 4 && second === 6 ? group === 3 : size < first

const digitsOf = (text: string, { start, end }: FoundCard): string =>
  text.slice(start, end).replace(/\D/g, '')

/** A date and time, as orders are named, in the years whose digits could be Mastercard's. */
const TIME = /^2[2-7](?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d/
const isTimeFirst = (digits: string): boolean => TIME.test(digits)

function decoded(address: string): string {
  const spaced = address.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    // Not an encoding: escapes are boundaries all the same.
    return spaced.replace(/%[0-9a-f]{2}/gi, ' ')
  }
}

const MARKS = /\p{M}/gu
/**
 * Most texts have no accents. Looking for them took a quarter of the time of a check of a search.
 */
const WITHOUT_ACCENTS = /^[ -~]*$/

/** Without accents and capitals: “Aïssa MAÏGA” is “aissa maiga”. */
export const plainText = (text: string): string =>
  (WITHOUT_ACCENTS.test(text) ? text : text.normalize('NFD').replace(MARKS, '')).toLowerCase()

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For text and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] as string)

/** French has a space before : ; ? ! and » and after «, where no line may break. */
export const typesetText = (text: string, language: 'fr' | 'en'): string =>
  language === 'fr' ? text.replace(/ (?=[:;?!»])|(?<=«) /g, '\u00a0') : text

/** Looks a name from outside up in a table: `__proto__` and `toString` are names like any other. */
export const lookUp = <Value>(
  table: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined => (Object.hasOwn(table, name) ? table[name] : undefined)
