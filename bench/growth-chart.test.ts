// The chart of growth: every point is drawn where it belongs, and said in words.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { growthChart } from './growth-chart.ts'

const point = (size: number, ratio: number) => ({ size, ratio, perSecond: 5_000 })
const chart = growthChart([
  { store: 'SQLite', kind: 'create', points: [point(10_000, 1), point(100_000, 0.97), point(1_000_000, 0.62)] },
  { store: 'PostgreSQL', kind: 'read', points: [point(10_000, 1.01), point(100_000, 0.99), point(1_000_000, 1)] },
])

it('the axis of sizes is logarithmic: powers of ten are equally far apart', () => {
  const path = /class="line"[^>]* d="([^"]+)"/.exec(chart)?.[1] as string
  const [a, b, c] = [...path.matchAll(/[ML]([\d.]+) /g)].map(([, x]) => Number(x)) as [number, number, number]
  assert.ok(Math.abs(b - a - (c - b)) < 0.2, `${a} ${b} ${c}`)
})

it('a slower point is drawn lower, and the axis reaches down to the slowest', () => {
  const path = /class="line"[^>]* d="([^"]+)"/.exec(chart)?.[1] as string
  const heights = [...path.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y)) as [number, number, number]
  assert.ok(heights[0] < heights[1] && heights[1] < heights[2], String(heights))
  assert.match(chart, /The axis begins at 0\.60/)
})

it('whoever cannot see it is told all figures', () => {
  const desc = /<desc[^>]*>([^<]+)</.exec(chart)?.[1]
  assert.equal(
    desc,
    'SQLite, create: 1.00 with 10,000, 0.97 with 100,000, 0.62 with 1,000,000. ' +
      'PostgreSQL, read: 1.01 with 10,000, 0.99 with 100,000, 1.00 with 1,000,000.',
  )
  assert.match(chart, /role="img" aria-labelledby="title desc"/)
})
