// Prints the figures of a run as a table, with a bar for each that shows its value and its target.

export interface Figure {
  what: string
  value: number
  detail?: string
  atLeast?: number
  atMost?: number
}

const WIDTH = 24

/** Prints the figures; true when every target is met. */
export function printFigures(figures: readonly Figure[]): boolean {
  const widest = Math.max(...figures.map(({ what }) => what.length))
  const lines = figures.map((figure) => {
    const { what, value, detail = '' } = figure
    const shown = figure.atMost === undefined || figure.atMost < 10 ? value.toFixed(2) : value.toFixed(0)
    return `${isMet(figure) ? 'ok  ' : 'MISS'} ${what.padEnd(widest)} ${shown.padStart(5)} ${bar(figure)} ${aim(figure)} ${detail}`
  })
  process.stdout.write(`${lines.join('\n')}\n`)
  return figures.every(isMet)
}

function isMet({ value, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }: Figure): boolean {
  return value >= atLeast && value <= atMost
}

function aim({ atLeast, atMost }: Figure): string {
  if (atLeast === undefined && atMost === undefined) return 'no aim yet'
  return atMost === undefined ? `aim ≥ ${atLeast}` : `aim ≤ ${atMost}`
}

function bar({ value, atLeast, atMost }: Figure): string {
  const scale = atMost === undefined ? 1 : atMost * 1.25
  const place = (of: number) => Math.min(WIDTH - 1, Math.round((of / scale) * WIDTH))
  const cells: string[] = Array.from({ length: WIDTH }, (_, at) => (at < place(value) ? '█' : '·'))
  const aimedAt = atLeast ?? atMost
  if (aimedAt !== undefined) cells[place(aimedAt)] = '|'
  return cells.join('')
}
