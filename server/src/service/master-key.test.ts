// The master key's file: synced before it is used, complete whenever it has its name, and created
// once.
import assert from 'node:assert/strict'
import fs, { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, it } from 'node:test'
import { findMasterKey, loadMasterKey } from './master-key.ts'
import { realRandom } from './runtime.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'karba-key-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const load = (): string => loadMasterKey('', folder, realRandom).derive('test').toString('hex')

it('master key: the key and its name are on disk before it is used', (t) => {
  const synced: number[] = []
  const { fsyncSync } = fs
  t.mock.method(fs, 'fsyncSync', (descriptor: number) => {
    synced.push(fs.fstatSync(descriptor).ino)
    fsyncSync(descriptor)
  })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  load()
  assert.deepEqual(synced, [statSync(join(folder, 'master.key')).ino, statSync(folder).ino])
})

it('master key: the file is created once, and no temporary file is left', () => {
  assert.equal(findMasterKey('', folder), undefined)
  const first = load()
  assert.deepEqual(
    [load(), findMasterKey('', folder)?.derive('test').toString('hex')],
    [first, first],
  )
  assert.deepEqual(readdirSync(folder), ['master.key'])
  assert.equal(statSync(join(folder, 'master.key')).mode & 0o777, 0o600)
})
