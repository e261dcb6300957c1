// The real event loop, kept busy and left alone.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { watchEventLoop } from './event-loop.ts'

it('a process has no time to spare while its loop is never idle, and has it again when it is', {
  timeout: 60_000,
}, async () => {
  const isLoopBusy = watchEventLoop()
  assert.equal(isLoopBusy(), false)
  while (!isLoopBusy()) await nextTurn()
  while (isLoopBusy()) await pause(10)
})
