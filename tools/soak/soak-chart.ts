// Draws samples as an SVG: one panel each for memory, descriptors, the write-ahead log and the
// database, over minutes. Readable on light and on dark pages, and without colours: each line has
// its own dashes and its name next to it.
import type { Column, Sample } from './samples.ts'

const WIDTH = 720
const PLOT = { left: 64, right: 560 }
const PANEL = { first: 66, height: 120, gap: 44 }

/** The columns of each panel, with their names. */
const PANELS: readonly [title: string, lines: Partial<Record<Column, string>>][] = [
  [
    'Memory, MB',
    {
      rssMb: 'resident',
      heapTotalMb: 'V8 heap',
      heapUsedMb: 'V8 heap in use',
      externalMb: 'buffers',
    },
  ],
  ['Open descriptors', { descriptors: 'descriptors' }],
  ['Write-ahead log, MB', { walMb: 'karba.db-wal' }],
  [
    'Database, MB, and payments in hundreds',
    { databaseMb: 'karba.db', payments: 'payments / 100' },
  ],
]
const SHOWN_AS: Partial<Record<Column, number>> = { payments: 1 / 100 }
const DASHES = ['none', '9 4', '3 3', '12 3 3 3']

const STYLE = `
  .page { fill: #ffffff } text { fill: #24292f; font: 13px system-ui, sans-serif } .title { font-size: 17px; font-weight: 600 } .panel { font-weight: 600 }
  .grid { stroke: #d0d7de } .line { fill: none; stroke-width: 1.6 }
  .s0 { stroke: #0072b2 } .s1 { stroke: #b04a00 } .s2 { stroke: #00795a } .s3 { stroke: #a03a7a }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } text { fill: #e6edf3 } .grid { stroke: #30363d }
    .s0 { stroke: #56b4e9 } .s1 { stroke: #ff9d4d } .s2 { stroke: #2fd3a5 } .s3 { stroke: #f08cc6 }
  }`

export function soakChart(samples: readonly Sample[], title: string): string {
  const last = samples.at(-1) as Sample
  const height = PANEL.first + PANELS.length * (PANEL.height + PANEL.gap) + 10
  const described = PANELS.flatMap(([, lines]) =>
    Object.entries(lines).map(
      ([column, name]) => `${name} ends at ${shown(last, column as Column).toFixed(1)}`,
    ),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${title}</title>`,
    `<desc id="desc">${described.join(', ')}.</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    `<text class="title" x="${PLOT.left}" y="28">${title}</text>`,
    ...PANELS.map((panel, nth) =>
      drawPanel(...panel, samples, PANEL.first + nth * (PANEL.height + PANEL.gap)),
    ),
    '</svg>',
    '',
  ].join('\n')
}

function drawPanel(title: string, lines: object, samples: readonly Sample[], top: number): string {
  const bottom = top + PANEL.height
  const longest = (samples.at(-1) as Sample).seconds
  const columns = Object.keys(lines) as Column[]
  const step = niceStep(
    Math.max(...columns.flatMap((column) => samples.map((each) => shown(each, column)))) / 4,
  )
  const highest = 4 * step
  const x = (seconds: number): number =>
    round(PLOT.left + (seconds / longest) * (PLOT.right - PLOT.left))
  const y = (value: number): number =>
    round(bottom - (Math.min(value, highest) / highest) * PANEL.height)
  const drawn = Object.entries(lines).map(([column, name], at) => {
    const points = samples.map(
      (sample) => `${x(sample.seconds)} ${y(shown(sample, column as Column))}`,
    )
    const nameY = top + 16 + at * 24
    return (
      `<path class="line s${at}" stroke-dasharray="${DASHES[at]}" d="M${points.join('L')}"/>` +
      `<path class="line s${at}" stroke-dasharray="${DASHES[at]}" d="M${PLOT.right + 12} ${nameY}h28"/>` +
      `<text x="${PLOT.right + 46}" y="${nameY + 4}">${name}</text>`
    )
  })
  return [
    `<text class="panel" x="${PLOT.left}" y="${top - 10}">${title}</text>`,
    ...[0, 1, 2, 3, 4].map(
      (nth) =>
        `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(nth * step)}" y2="${y(nth * step)}"/>` +
        `<text x="${PLOT.left - 8}" y="${y(nth * step) + 4}" text-anchor="end">${nth * step}</text>`,
    ),
    ...[0, 1, 2, 3, 4].map((nth) => {
      const seconds = (longest * nth) / 4
      return `<text x="${x(seconds)}" y="${bottom + 17}" text-anchor="middle">${round(seconds / 60)} min</text>`
    }),
    ...drawn,
  ].join('\n')
}

const shown = (sample: Sample, column: Column): number => sample[column] * (SHOWN_AS[column] ?? 1)
const round = (value: number): number => Math.round(value * 10) / 10

/** The next of 1, 2, 2.5, 5 times a power of ten. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-3)))
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= least) as number
}
