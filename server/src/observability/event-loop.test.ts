// The real event loop, kept busy and left alone.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { watchEventLoop } from './event-loop.ts'

it('a process is busy while its event loop is never idle, and no longer busy once it is idle', {
  timeout: 60_000,
}, async () => {
  const isLoopBusy = watchEventLoop()
  assert.equal(isLoopBusy(), false)
  while (!isLoopBusy()) await nextTurn()
  while (isLoopBusy()) await pause(10)
})
