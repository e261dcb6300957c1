// Card numbers in texts that people and machines send us: found, so that none is stored or logged (D-83). A card number is 13 to 19 digits of
// a known issuer with a right check digit, in one piece or in the groups that cards have. Digits within a longer word are none: references,
// UUIDs and hashes have such runs.

const FEWEST_DIGITS = 13
const MOST_DIGITS = 19

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

const ZERO = 48
const NINE = 57

/** Cards begin with 2 to 6. Days and times mostly do not, so no more is looked at. */
const isFirstOfIssuer = (code: number): boolean => code >= ZERO + 2 && code <= ZERO + 6
const isDigit = (code: number): boolean => code >= ZERO && code <= NINE
/** NaN, beyond the ends of a text, is neither. */
const isOfWord = (code: number): boolean => isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
/** One blank of any kind, dot, hyphen or underscore. */
const isSeparator = (code: number): boolean =>
  code === 32 || code === 45 || code === 46 || code === 95 || code === 0xa0 || code === 0x202f

export function holdsCardNumber(text: string): boolean {
  return findCard(text, 0) !== undefined
}

/** For addresses, in which a blank may be written as `%20` or `+`. */
export function addressHoldsCardNumber(address: string): boolean {
  if (!hasEnoughDigits(address)) return false
  return holdsCardNumber(address) || holdsCardNumber(decoded(address))
}

/** The text with the first six and last four digits of each card number left; the same text when it holds none. */
export function maskCardNumbers(text: string): string {
  let found = findCard(text, 0)
  if (found === undefined) return text
  let masked = ''
  let at = 0
  while (found !== undefined) {
    const { start, end, digits } = found
    masked += text.slice(at, start) + digits.slice(0, 6) + '*'.repeat(digits.length - 10) + digits.slice(-4)
    at = end
    found = findCard(text, at)
  }
  return masked + text.slice(at)
}

interface FoundCard {
  start: number
  end: number
  digits: string
}

function findCard(text: string, from: number): FoundCard | undefined {
  // Most texts end here: nothing has been allocated.
  if (text.length - from < FEWEST_DIGITS || !hasEnoughDigits(text)) return undefined
  for (let at = from; at <= text.length - FEWEST_DIGITS; at++) {
    if (!isDigit(text.charCodeAt(at))) continue
    const mayBegin = isFirstOfIssuer(text.charCodeAt(at)) && !isOfWord(text.charCodeAt(at - 1))
    const found = mayBegin ? cardAt(text, at) : undefined
    if (found !== undefined) return found
    at = endOfDigits(text, at)
  }
  return undefined
}

function hasEnoughDigits(text: string): boolean {
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    if (isDigit(text.charCodeAt(at)) && ++digits === FEWEST_DIGITS) return true
  }
  return false
}

function endOfDigits(text: string, from: number): number {
  let at = from
  while (isDigit(text.charCodeAt(at))) at++
  return at
}

/** The longest card number that begins with this group of digits. */
function cardAt(text: string, start: number): FoundCard | undefined {
  const separator = text.charCodeAt(endOfDigits(text, start))
  const groups: number[] = []
  let digits = ''
  let found: FoundCard | undefined
  for (let at = start; ; ) {
    const end = endOfDigits(text, at)
    digits += text.slice(at, end)
    groups.push(end - at)
    if (digits.length > MOST_DIGITS) return found
    const next = text.charCodeAt(end)
    if (!isOfWord(next) && arePrintedSo(groups) && isCardNumber(digits)) found = { start, end, digits }
    if (!isSeparator(next) || next !== separator || !isDigit(text.charCodeAt(end + 1))) return found
    at = end + 1
  }
}

/**
 * In groups of one size, of which the last may be shorter, or as American Express and Diners Club do. Other groups are an order and a time,
 * say: of numbers such as 412345-1763264000 one in thirty would pass for a card.
 */
function arePrintedSo(groups: readonly number[]): boolean {
  const [first = 0, second, third] = groups
  if (groups.length === 3 && first === 4 && second === 6) return third === 5 || third === 4
  return groups.every((size, at) => size === first || (at === groups.length - 1 && size < first))
}

function isCardNumber(digits: string): boolean {
  if (digits.length < FEWEST_DIGITS) return false
  const beginning = Number(digits.slice(0, 4))
  const isIssued = ISSUERS.some(
    ([first, last, lengths]) => beginning >= first && beginning <= last && lengths.includes(digits.length),
  )
  return isIssued && hasCheckDigit(digits) && !isTimeFirst(digits)
}

/** By Luhn's sum: every second digit from the right counts twice. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - ZERO
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** The year's last two digits, month, day, hour and minute of the years whose numbers could be Mastercard's: orders are named so. */
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
