// The last hour, minute by minute.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { minuteFigures } from './minute-figures.ts'

it('has sixty minutes, the oldest first, and forgets what is older', () => {
  let now = 60_000 * 1_000
  const figures = minuteFigures({ now: () => now })
  for (const seconds of [0.0004, 0.0009, 0.2]) figures.created(seconds)
  figures.settled('succeeded', 'airtel_ne')
  figures.settled('failed', 'airtel_ne')
  figures.backlog(7)
  const { minutes, operators } = figures.read()
  assert.equal(minutes.length, 60)
  assert.deepEqual(minutes.at(-1), {
    ...{ at: now, created: 3, settled: 1, failed: 1, webhookBacklog: 7, createP50: 1, createP99: 250 },
  })
  assert.deepEqual(operators, [{ name: 'airtel_ne', succeeded: 1, failed: 1 }])
  now += 59 * 60_000
  assert.equal(figures.read().minutes[0]?.created, 3)
  now += 60_000
  assert.ok(figures.read().minutes.every(({ created, createP50 }) => created === 0 && createP50 === null))
})
