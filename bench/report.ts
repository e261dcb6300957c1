// Prints the figures of a run as a table: what was measured, its aim, whether it is met, and a bar that shows both.

export interface Figure {
  what: string
  value: number
  detail?: string
  atLeast?: number
  atMost?: number
}

const WIDTH = 24

/** Prints the figures; true when every aim is met. */
export function printFigures(figures: readonly Figure[]): boolean {
  const rows = figures.map((figure) => [figure.what, shown(figure), aim(figure), verdict(figure), bar(figure)])
  const heads = ['', 'measured', 'aim', 'met', '']
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => (row[at] as string).length)))
  const line = (cells: readonly string[]) => cells.map((cell, at) => cell.padEnd(widths[at] as number)).join('  ')
  const lines = rows.map((row, at) => `${line(row)}  ${figures[at]?.detail ?? ''}`)
  process.stdout.write(`${[line(heads), ...lines].map((text) => text.trimEnd()).join('\n')}\n`)
  return figures.every(isMet)
}

function isMet({ value, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }: Figure): boolean {
  return value >= atLeast && value <= atMost
}

const shown = ({ value }: Figure): string => (value < 20 ? value.toFixed(2) : value.toFixed(0))

function verdict(figure: Figure): string {
  if (figure.atLeast === undefined && figure.atMost === undefined) return '-'
  return isMet(figure) ? 'yes' : 'NO'
}

function aim({ atLeast, atMost }: Figure): string {
  if (atLeast === undefined && atMost === undefined) return 'none'
  return atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`
}

function bar({ value, atLeast, atMost }: Figure): string {
  const aimedAt = atLeast ?? atMost
  if (aimedAt === undefined) return ''
  const scale = atMost === undefined ? Math.max(1, value) : atMost * 1.25
  const place = (of: number) => Math.min(WIDTH - 1, Math.round((of / scale) * WIDTH))
  const cells: string[] = Array.from({ length: WIDTH }, (_, at) => (at < place(value) ? '█' : '·'))
  cells[place(aimedAt)] = '|'
  return cells.join('')
}
