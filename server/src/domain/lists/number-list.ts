// A list of payment numbers as a short text, for the index of the search: each number as the
// letters of its distance from the first one, then the digits that it is listed with, or a dot.
// `A12C.` from the number 100 on is 100 with the digits 12, and 102. Entries are appended in any
// order, and may be repeated.

export interface Listed {
  number: number
  /** At most a few digits; may be empty. */
  digits: string
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const [UPPER_A, LOWER_A] = [65, 97]

const entryText = (first: number, { number, digits }: Listed): string =>
  lettersOf(number - first) + (digits || '.')

export const listText = (first: number, entries: readonly Listed[]): string =>
  entries.map((entry) => entryText(first, entry)).join('')

function lettersOf(distance: number): string {
  let letters = ''
  for (let rest = distance; rest > 0 || letters === ''; rest = Math.floor(rest / LETTERS.length))
    letters = LETTERS.charAt(rest % LETTERS.length) + letters
  return letters
}

/** Without a regular expression, which took half of the time of a search. */
export function readList(first: number, text: string): Listed[] {
  const entries: Listed[] = []
  let distance = 0
  for (let at = 0; at < text.length; ) {
    const value = letterValue(text.charCodeAt(at))
    if (value === undefined) {
      let end = at + 1
      while (end < text.length && letterValue(text.charCodeAt(end)) === undefined) end++
      const digits = text.slice(at, end)
      entries.push({ number: first + distance, digits: digits === '.' ? '' : digits })
      distance = 0
      at = end
    } else {
      distance = distance * LETTERS.length + value
      at++
    }
  }
  return entries
}

/** Undefined for what is no letter. */
const letterValue = (code: number): number | undefined => {
  if (code >= LOWER_A) return code - LOWER_A + 26
  return code >= UPPER_A ? code - UPPER_A : undefined
}

export type NumberList = { first: number; text: string }

/**
 * Long enough that a row costs little for each number, and short enough that one more number
 * rewrites little.
 */
export const LONGEST_LIST = 400

/**
 * Without repeated entries, in lists of about this length, in the order of their numbers. The first
 * is at `first`.
 */
export function splitList(first: number, entries: readonly Listed[]): NumberList[] {
  const lists: NumberList[] = []
  const seen = new Set<string>()
  let list = { first, text: '' }
  let before = first
  for (const entry of entries.toSorted((a, b) => a.number - b.number)) {
    const { number, digits } = entry
    const key = `${number} ${digits}`
    if (seen.has(key)) continue
    seen.add(key)
    // The entries of one number stay together: a list is read whole.
    if (list.text.length >= LONGEST_LIST && number !== before) {
      lists.push(list)
      list = { first: number, text: '' }
    }
    list.text += entryText(list.first, entry)
    before = number
  }
  return [...lists, list]
}
