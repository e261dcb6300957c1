// Saturation of the real event loop, busy and idle.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { watchEventLoop } from './event-loop.ts'

it('event loop: a process is busy only while its event loop is never idle and many requests begin', {
  timeout: 60_000,
}, async () => {
  let requests = 0
  const isBusy = watchEventLoop(() => requests)
  assert.equal(isBusy(), false)
  for (; !isBusy(); requests++) await nextTurn()
  while (isBusy()) await nextTurn()
  for (; !isBusy(); requests++) await nextTurn()
  for (; isBusy(); requests++) await pause(10)
})
