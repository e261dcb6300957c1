// Tables for people: a heading row, and columns as wide as their widest cell. On a terminal they have colours, and free text is truncated
// to the terminal's width; elsewhere they are plain and complete.
import { styleText } from 'node:util'
import { colourOf, type Style } from './state-colours.ts'
import { cutTo, plain, widthOf } from './terminal-text.ts'

export interface Column<Row> {
  heading: string
  cell(row: Row): string
  /** Numbers are aligned right, states have colours, free text may be truncated on a terminal. */
  is?: 'number' | 'state' | 'time' | 'free text'
}

/** The output that a table is formatted for. */
export interface Screen {
  /** Undefined where lines may have any length. */
  width: number | undefined
  paint(style: Style, text: string): string
}

const GAP = '  '
/** Free text is not truncated to less. */
const LEAST_CUT = 12

export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  screen: Screen = screenOf(process.stdout),
): string[] {
  const cells = rows.map((row) => columns.map(({ cell }) => plain(cell(row))))
  const natural = columns.map(({ heading }, at) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[at] as string)), widthOf(heading)),
  )
  const widths = fit(columns, natural, screen.width)
  const heading = columns.map((column, at) => formatCell(column, column.heading, widths[at] as number, screen, 'bold'))
  const lines = cells.map((row) =>
    columns.map((column, at) => {
      const text = row[at] as string
      return formatCell(column, text, widths[at] as number, screen, styleOf(column, text))
    }),
  )
  return [heading, ...lines].map((line) => line.join(GAP).trimEnd())
}

/** Node's own rules: a terminal, NO_COLOR, FORCE_COLOR. */
const screenOf = (stream: NodeJS.WriteStream): Screen => ({
  width: stream.isTTY ? stream.columns : undefined,
  paint: (style, text) => styleText(style, text, { stream }),
})

/** Narrows columns of free text until the line fits, the last column first. */
function fit<Row>(columns: readonly Column<Row>[], natural: readonly number[], width: number | undefined): number[] {
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
