// Draws growth as an SVG: stored payments on a logarithmic axis against relative speed. Readable on light and dark
// pages and without colours: each line has its own marks and dashes.

export interface GrowthPoint {
  size: number
  ratio: number
  perSecond: number
}

export interface GrowthLine {
  store: string
  kind: string
  points: readonly GrowthPoint[]
}

const WIDTH = 720
const HEIGHT = 446
const PLOT = { left: 64, right: 700, top: 60, bottom: 300 }
const STEP = 0.05
const AIM = 0.95

const MARKS: readonly ((x: number, y: number) => string)[] = [
  (x, y) => `<circle cx="${x}" cy="${y}" r="5"/>`,
  (x, y) => `<rect x="${x - 4.5}" y="${y - 4.5}" width="9" height="9"/>`,
  (x, y) => `<path d="M${x} ${y - 6}L${x + 6} ${y + 5}H${x - 6}Z"/>`,
  (x, y) => `<path d="M${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}L${x - 6} ${y}Z"/>`,
  (x, y) => `<path d="M${x - 6} ${y - 5}H${x + 6}L${x} ${y + 6}Z"/>`,
  (x, y) =>
    `<path d="M${x - 5} ${y - 2}H${x - 2}V${y - 5}H${x + 2}V${y - 2}H${x + 5}V${y + 2}H${x + 2}V${y + 5}H${x - 2}V${y + 2}H${x - 5}Z"/>`,
]
const DASHES = ['none', '9 4', '3 3', '12 3 3 3', '6 2', '2 5']

const STYLE = `
  .page { fill: #ffffff } text { fill: #24292f; font: 14px system-ui, sans-serif } .title { font-size: 17px; font-weight: 600 }
  .grid { stroke: #d0d7de } .aim { stroke: #57606a; stroke-dasharray: 2 4 } .line { fill: none; stroke-width: 2.5 }
  .s0 { --c: #0072b2 } .s1 { --c: #b04a00 } .s2 { --c: #00795a } .s3 { --c: #a03a7a } .s4 { --c: #6f5200 } .s5 { --c: #5b4fc4 }
  .s0, .s1, .s2, .s3, .s4, .s5 { stroke: var(--c) } .mark { fill: var(--c) }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } text { fill: #e6edf3 } .grid { stroke: #30363d } .aim { stroke: #9aa4af }
    .s0 { --c: #56b4e9 } .s1 { --c: #ff9d4d } .s2 { --c: #2fd3a5 } .s3 { --c: #f08cc6 } .s4 { --c: #e3c04f } .s5 { --c: #a9a0ff }
  }`

export function growthChart(lines: readonly GrowthLine[]): string {
  const points = lines.flatMap((line) => line.points)
  const sizes = [...new Set(points.map(({ size }) => size))].sort((a, b) => a - b)
  const [lowest, highest] = rangeOf(points.map(({ ratio }) => ratio))
  const x = scale(Math.log10(sizes[0] as number), Math.log10(sizes.at(-1) as number), PLOT.left + 24, PLOT.right - 24)
  const y = scale(lowest, highest, PLOT.bottom, PLOT.top)
  const place = ({ size, ratio }: GrowthPoint): [number, number] => [x(Math.log10(size)), y(ratio)]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title desc">`,
    '<title id="title">Speed by the number of stored payments</title>',
    `<desc id="desc">${lines.map(describe).join(' ')}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text class="title" x="${PLOT.left}" y="26">Speed with many stored payments, relative to few (1 = as fast)</text>`,
    `<text x="${PLOT.left}" y="46">The axis begins at ${lowest.toFixed(2)}. Dotted: the aim, ${AIM}.</text>`,
    ...levels(lowest, highest).map(
      (level) =>
        `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(level)}" y2="${y(level)}"/>` +
        `<text x="${PLOT.left - 8}" y="${y(level) + 5}" text-anchor="end">${level.toFixed(2)}</text>`,
    ),
    `<line class="aim" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(AIM)}" y2="${y(AIM)}"/>`,
    ...sizes.map(
      (size) =>
        `<text x="${x(Math.log10(size))}" y="${PLOT.bottom + 22}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    ),
    `<text x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 44}" text-anchor="middle">stored payments</text>`,
    ...lines.map((line, at) => drawLine(line.points.map(place), at)),
    ...lines.map(({ store, kind }, at) => legend(`${store}, ${kind}`, at)),
    '</svg>',
    '',
  ].join('\n')
}

function drawLine(places: readonly [number, number][], at: number): string {
  const path = places.map(([x, y], nth) => `${nth === 0 ? 'M' : 'L'}${x} ${y}`).join('')
  const marks = places.map(([x, y]) => MARKS[at]?.(x, y)).join('')
  return `<g class="s${at}"><path class="line" stroke-dasharray="${DASHES[at]}" d="${path}"/><g class="mark">${marks}</g></g>`
}

function legend(name: string, at: number): string {
  const left = PLOT.left + 24 + Math.floor(at / 3) * 320
  const y = PLOT.bottom + 74 + (at % 3) * 26
  return `${drawLine(
    [
      [left, y],
      [left + 34, y],
    ],
    at,
  )}<text x="${left + 44}" y="${y + 5}">${name}</text>`
}

const describe = ({ store, kind, points }: GrowthLine): string =>
  `${store}, ${kind}: ${points.map(({ size, ratio }) => `${ratio.toFixed(2)} with ${size.toLocaleString('en')}`).join(', ')}.`

/** Whole steps around all ratios, and at least 0.8 to 1.1, so that noise does not look like a cliff. */
function rangeOf(ratios: readonly number[]): [number, number] {
  const lowest = Math.floor(Math.min(0.8, ...ratios) / STEP) * STEP
  const highest = Math.ceil(Math.max(1.1, ...ratios) / STEP) * STEP
  return [lowest, highest]
}

function levels(lowest: number, highest: number): number[] {
  return Array.from({ length: Math.round((highest - lowest) / STEP) + 1 }, (_, at) => lowest + at * STEP)
}

function scale(from: number, to: number, first: number, last: number): (value: number) => number {
  return (value) => Math.round((first + ((value - from) / (to - from)) * (last - first)) * 10) / 10
}
