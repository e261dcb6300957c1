// How many statements a process imports at once.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { importSlots } from './shop-deps.ts'

it('import slots: a process imports two statements at once, and one of each owner', () => {
  const take = importSlots()
  const release = take('acc_1')
  assert.ok(release)
  assert.equal(take('acc_1'), undefined, 'a second import of one owner')
  assert.ok(take('acc_2'))
  assert.equal(take('acc_3'), undefined, 'a third import of the process')
  release()
  assert.ok(take('acc_3'))
  assert.equal(take('acc_1'), undefined)
})
