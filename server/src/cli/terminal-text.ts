// Text for a terminal: how many cells it takes, truncation to fewer, and removal of control characters.

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const HALF_WIDTH = /^[\uff61-\uffdc]/
const TWO_CELLS =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u
/** Joiners are kept: without them some scripts and emoji fall apart. */
const COMMANDS = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Text from outside must not send escape sequences to the terminal: control characters are replaced. */
export const plain = (text: string): string => text.replace(COMMANDS, '\uFFFD')

export function widthOf(text: string): number {
  // The common case: plain ASCII takes one cell for each character.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  return graphemesOf(text).reduce((sum, grapheme) => sum + cellsOf(grapheme), 0)
}

/** Truncates to a width, with an ellipsis where something is missing. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let shown = ''
  let left = width - 1
  for (const grapheme of graphemesOf(text)) {
    left -= cellsOf(grapheme)
    if (left < 0) break
    shown += grapheme
  }
  return `${shown}…`
}

const graphemesOf = (text: string): string[] => Array.from(GRAPHEMES.segment(text), ({ segment }) => segment)

function cellsOf(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0
  return TWO_CELLS.test(grapheme) && !HALF_WIDTH.test(grapheme) ? 2 : 1
}
