// Promise 28, quick form: one fail-over to a synchronous standby under load.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runFailOver } from './fail-over.ts'

const LONGEST_AWAY_MS = 15_000

it('a service with two PostgreSQL hosts goes on with the standby when the primary is killed', async (t) => {
  const { acknowledged, awayMs, answers } = await runFailOver(1)
  for (const ms of awayMs) assert.ok(ms < LONGEST_AWAY_MS, `creates were answered again after ${ms} ms`)
  const after = awayMs.map((ms) => `${Math.round(ms)} ms`).join(', ')
  t.diagnostic(`${acknowledged} payments checked, away for ${after}; answers ${JSON.stringify([...answers])}`)
})
