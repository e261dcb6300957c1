// One of three processes on a machine whose clock is off: no payment is told failed that the operator debited, none is sent twice, none is
// left unasked, and the process itself says that it is not ready.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { startSeveralProcesses } from '../kit/several-processes.ts'
import { until } from '../kit/waiting.ts'

const SKEW = fileURLToPath(new URL('../kit/skewed-clock.mjs', import.meta.url))
const MINUTE_MS = 60_000

/** `api` or one of the workers is off by so many minutes. */
export async function runSkewedClock(who: 'api' | 'worker', minutes: number, payments: number): Promise<void> {
  const skewed = { NODE_OPTIONS: `--import ${SKEW}`, CLOCK_AHEAD_MS: String(minutes * MINUTE_MS) }
  const settings = who === 'api' ? [skewed, {}, {}] : [{}, skewed, {}]
  const several = await startSeveralProcesses({ settings })
  try {
    const { api, workers, operator } = several
    const wrong = who === 'api' ? api : workers[0]
    assert.ok(wrong)
    const { code, failing } = await several.ready(wrong)
    assert.deepEqual([code, failing.includes('clock')], [503, true])
    await until('word of the wrong clock in its log', () => /clock differs/.test(wrong.printed()))
    const references = await several.create(payments)
    await several.settled('payments', references)
    const notOnce = references.filter((reference) => operator.requests.get(reference) !== 1)
    assert.deepEqual(notOnce, [])
  } finally {
    await several.close()
  }
}
