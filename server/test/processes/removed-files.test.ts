// The files of SQLite are removed or replaced under a working server: by a clean-up, a sync tool, a copy put back by hand. The server saves what it
// acknowledged, acknowledges nothing more, and ends with one sentence.
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import { type Load, moreAcknowledged, startLoad } from '../kit/create-load.ts'
import { newMerchant } from '../kit/merchant.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { head } from '../kit/service.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

const BETWEEN = 150

describe('a server whose files are removed under load', () => {
  let place: StorePlace
  let account: NewAccount
  let server: RunningServer
  let load: Load
  let file: string

  beforeEach(async () => {
    place = await SQLITE.makePlace({ KARBA_LOG_LEVEL: 'warn' })
    file = `${place.config.dataDir}/karba.db`
    const runtime = await openRuntime(place.config)
    account = (await newMerchant(runtime)).accounts.sandbox
    await runtime.close()
    server = await startProcess(place.env)
    load = startLoad(server.url, account.secretKey)
    await more()
  })
  afterEach(async () => {
    await load.stop()
    await server.end('SIGKILL')
    await place.remove()
  })

  const more = (): Promise<true> => moreAcknowledged(load, BETWEEN)
  async function hasEnded(pattern: RegExp): Promise<void> {
    await until('end of the server', () => server.child.exitCode !== null)
    assert.equal(server.child.exitCode, 1)
    const fatal = server
      .printed()
      .split('\n')
      .filter((line) => pattern.test(line))
    assert.equal(fatal.length, 1, server.printed())
  }

  async function startAgain(): Promise<void> {
    await load.stop()
    server = await startProcess(place.env)
  }

  async function missing(): Promise<string[]> {
    const missed: string[] = []
    for (const transactionId of load.acknowledged.keys()) {
      const answer = await fetch(`${server.url}/api/v1/payments/${transactionId}`, { headers: head(account.secretKey) })
      const { external_reference: found } = (await answer.json()) as { external_reference?: string }
      if (found !== transactionId) missed.push(transactionId)
    }
    return missed
  }

  const REMOVED: [what: string, remove: () => void, said: RegExp][] = [
    ['its write-ahead log', () => rmSync(`${file}-wal`), /karba\.db-wal or .* was removed/],
    ['its shared memory', () => rmSync(`${file}-shm`), /karba\.db-shm was removed/],
    ['its write-ahead log, for an older one', () => putBack(`${file}-wal`), /removed or replaced/],
    ['the database', () => rmSync(file), /karba\.db was removed/],
    ['everything', removeAll, /karba\.db was removed/],
  ]

  function removeAll(): void {
    for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path)
  }

  /** As a tool does that keeps copies: another file with the same name. */
  function putBack(path: string): void {
    copyFileSync(path, `${path}.copy`)
    renameSync(`${path}.copy`, path)
  }

  for (const [what, remove, said] of REMOVED) {
    it(`removed files: without ${what} the server ends, and every acknowledged payment is there after a restart`, async (t) => {
      remove()
      await hasEnded(said)
      await startAgain()
      assert.deepEqual(await missing(), [])
      assert.deepEqual(load.wrongs, [])
      t.diagnostic(`${load.acknowledged.size} acknowledged payments checked`)
    })
  }

  it('removed files: with another database in the place of its own the server ends, and its copy has all payments', async () => {
    putBack(file)
    await hasEnded(/Files of karba\.db were replaced under the server/)
    await load.stop()
    const rescued = readdirSync(place.config.dataDir).find((name) => name.startsWith('karba.db.rescued-')) as string
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    renameSync(`${place.config.dataDir}/${rescued}`, file)
    server = await startProcess(place.env)
    assert.deepEqual(await missing(), [])
    assert.deepEqual(load.wrongs, [])
  })
})
