// The runner knows the suite of a test without following every promise (each-process.ts).
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

describe('each process', async () => {
  await pause(1)
  let hasRun = false
  before(() => {
    hasRun = true
  })

  describe('a nested suite', async () => {
    await Promise.all([pause(1), import('./callers.ts')])
    it('after a wait, a test belongs to its suite and runs after the hooks of that suite', ({
      fullName,
    }) => {
      assert.match(fullName, /each process > a nested suite > after a wait, /)
      assert.ok(hasRun)
    })
  })
})
