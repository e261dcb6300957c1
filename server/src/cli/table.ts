// How output is formatted for people: tables, colours of states, and text that is safe on a
// terminal. On a terminal, tables have colours and free text is truncated to its width; elsewhere
// they are plain and complete.
import type { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

export interface Column<Row> {
  heading: string
  cell(row: Row): string
  /** Numbers are aligned right, states have colours, free text may be truncated on a terminal. */
  is?: 'number' | 'state' | 'time' | 'free text'
}

export interface Screen {
  /** Undefined where lines may have any length. */
  width: number | undefined
  paint(style: Style, text: string): string
}

const GAP = '  '
/** Free text is not truncated to less. */
const LEAST_CUT = 12

export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  screen: Screen,
): string[] {
  const cells = rows.map((row) => columns.map(({ cell }) => plain(cell(row))))
  const natural = columns.map(({ heading }, at) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[at] as string)), widthOf(heading)),
  )
  const widths = fit(columns, natural, screen.width)
  const heading = columns.map((column, at) =>
    formatCell(column, column.heading, widths[at] as number, screen, 'bold'),
  )
  const lines = cells.map((row) =>
    columns.map((column, at) => {
      const text = row[at] as string
      return formatCell(column, text, widths[at] as number, screen, styleOf(column, text))
    }),
  )
  return [heading, ...lines].map((line) => line.join(GAP).trimEnd())
}

/** Narrows columns of free text until the line fits, the last column first. */
function fit<Row>(
  columns: readonly Column<Row>[],
  natural: readonly number[],
  width: number | undefined,
): number[] {
  const widths = [...natural]
  const whole = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1))
  let tooMuch = width === undefined ? 0 : whole - width
  for (let at = widths.length - 1; at >= 0 && tooMuch > 0; at--) {
    if (columns[at]?.is !== 'free text') continue
    const taken = Math.max(0, Math.min(tooMuch, (widths[at] as number) - LEAST_CUT))
    widths[at] = (widths[at] as number) - taken
    tooMuch -= taken
  }
  return widths
}

/** Colours the text without its padding, so that spaces at the end of a line can be trimmed. */
function formatCell<Row>(
  { is }: Column<Row>,
  text: string,
  width: number,
  { paint }: Screen,
  style: Style | undefined,
): string {
  const shown = cutTo(text, width)
  const space = ' '.repeat(width - widthOf(shown))
  const painted = style === undefined || shown === '' ? shown : paint(style, shown)
  return is === 'number' ? space + painted : painted + space
}

function styleOf<Row>({ is }: Column<Row>, text: string): Style | undefined {
  if (is === 'time') return 'dim'
  return is === 'state' ? colourOf(text) : undefined
}

/**
 * By the first word of a state: succeeded is green, in progress yellow, failed red, no longer in
 * use grey.
 */
const COLOURS = {
  cyan: 'initiated open',
  yellow: 'pending under unvalidated waiting slow paused',
  green: 'succeeded validated valid on delivered working',
  red: 'failed suspended gone down refused',
  magenta: 'refunded',
  gray: 'closed ended off',
}

const COLOUR_OF = new Map(
  Object.entries(COLOURS).flatMap(([colour, states]) =>
    states.split(' ').map((state) => [state, colour as Style]),
  ),
)

const colourOf = (state: string): Style | undefined =>
  COLOUR_OF.get(/^[a-z]*/.exec(state)?.[0] ?? '')

export const MARKS = {
  right: ['green', '✔'],
  warning: ['yellow', '!'],
  not_known: ['yellow', '?'],
  dangerous: ['red', '✖'],
  wrong: ['red', '✖'],
} as const satisfies Readonly<Record<string, readonly [Style, string]>>

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const HALF_WIDTH = /^[\uff61-\uffdc]/
const TWO_CELLS =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u
/** Joiners are kept: without them some scripts and emoji fall apart. */
const COMMANDS = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Text from outside must not send escape sequences to the terminal: control characters are
 * replaced.
 */
export const plain = (text: string): string => text.replace(COMMANDS, '\uFFFD')

export function widthOf(text: string): number {
  // The common case: plain ASCII takes one cell for each character.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  return graphemesOf(text).reduce((sum, grapheme) => sum + cellsOf(grapheme), 0)
}

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

const graphemesOf = (text: string): string[] =>
  Array.from(GRAPHEMES.segment(text), ({ segment }) => segment)

function cellsOf(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0
  return TWO_CELLS.test(grapheme) && !HALF_WIDTH.test(grapheme) ? 2 : 1
}
