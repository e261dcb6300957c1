// Promise 25: machines whose clocks are off, as real processes on one PostgreSQL.
import { it } from 'node:test'
import { tried, tries } from '../kit/tries.ts'
import { runSkewedClock } from './skewed-clocks.ts'

const PAYMENTS = 100
/** The quick form has the first two. */
const OFF: [who: 'api' | 'worker', minutes: number][] = [
  ['worker', 31],
  ['api', -60],
  ['worker', -1],
  ['worker', 1],
  ['worker', -31],
  ['worker', -60],
  ['worker', 60],
  ['api', -1],
  ['api', 1],
  ['api', -31],
  ['api', 31],
  ['api', 60],
]
const EFFECTS = {
  api: 'merchants are answered by it, and every payment gets its real outcome',
  worker: 'it claims nothing, and the others do its work',
}

for (const [who, minutes] of OFF.slice(0, tries(2, OFF.length))) {
  it(`one of three processes, ${who}, is off by ${minutes} minutes: ${EFFECTS[who]}`, async () => {
    await runSkewedClock(who, minutes, PAYMENTS)
    tried(1)
  })
}
