// Live requests have priority: while there is live traffic, sandbox requests begin a few at a time.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { liveFirst } from './serve-operation.ts'

function open() {
  const time = { now: 0 }
  const enter = liveFirst({ now: () => time.now })
  const gone: string[] = []
  return {
    time,
    gone,
    ask: (environment: 'live' | 'sandbox', name: string) =>
      enter(environment, () => gone.push(name)),
  }
}

it('live priority: without live traffic a sandbox request begins at once', () => {
  const { gone, ask } = open()
  for (let nth = 0; nth < 100; nth++) ask('sandbox', `s${nth}`)
  assert.equal(gone.length, 100)
})

it('live priority: during live traffic sandbox requests begin in order, four in a turn, and live ones at once', async () => {
  const { gone, ask } = open()
  ask('live', 'l1')
  for (let nth = 1; nth <= 10; nth++) ask('sandbox', `s${nth}`)
  ask('live', 'l2')
  assert.deepEqual(gone, ['l1', 'l2'])
  await turn()
  ask('live', 'l3')
  assert.deepEqual(gone, ['l1', 'l2', 's1', 's2', 's3', 's4', 'l3'])
  for (let turns = 0; turns < 3; turns++) await turn()
  assert.deepEqual(gone.slice(-6), ['s5', 's6', 's7', 's8', 's9', 's10'])
})

it('live priority: a second after the last live request, sandbox requests begin at once', () => {
  const { time, gone, ask } = open()
  ask('live', 'l1')
  time.now = 1_001
  ask('sandbox', 's1')
  assert.deepEqual(gone, ['l1', 's1'])
})
