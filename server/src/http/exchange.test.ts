// One request and its answer, where their order in time matters.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type AnswerHeaders, Exchange, type ExchangeRoute } from './exchange.ts'
import type { NodeRequest } from './node-request.ts'

const exchange = (): Exchange =>
  new Exchange({} as ExchangeRoute, {} as NodeRequest, '1', {} as AnswerHeaders, () => {})

it('a caller who leaves while it is waited for is gone', async () => {
  const waiting = exchange()
  const isGone = waiting.waitFor(1_000, (gone) => new Promise((resolve) => gone.addEventListener('abort', resolve)))
  waiting.over()
  await isGone
})

it('a caller who left before it was waited for is gone from the start', async () => {
  const left = exchange()
  left.over()
  assert.equal(await left.waitFor(1_000, async (gone) => gone.aborted), true)
})
