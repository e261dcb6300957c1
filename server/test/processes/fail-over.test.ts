// Promise 28: fail-over to a synchronous standby under load.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { tried, tries } from '../kit/tries.ts'
import { runFailOver } from './fail-over.ts'

const LONGEST_AWAY_MS = 15_000
const ROUNDS = tries(1, 10)

it('a service with two PostgreSQL hosts goes on with the standby when the primary is killed', async (t) => {
  const { acknowledged, awayMs, answers } = await runFailOver(ROUNDS)
  for (const ms of awayMs) assert.ok(ms < LONGEST_AWAY_MS, `creates were answered again after ${ms} ms`)
  tried(awayMs.length)
  const after = awayMs.map((ms) => `${Math.round(ms)} ms`).join(', ')
  t.diagnostic(`${acknowledged} payments checked, away for ${after}; answers ${JSON.stringify([...answers])}`)
})
