// The files of SQLite are removed or replaced under a server that works: by a clean-up, a sync tool, a copy put back by hand. What it had
// acknowledged is there after kill -9 and a restart, and what it can no longer keep it does not acknowledge.
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

describe('a server whose files are taken away under load', () => {
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
  const sentence = (pattern: RegExp): Promise<true> =>
    until('sentence in the log', () => pattern.test(server.printed()))

  async function killAndStartAgain(): Promise<void> {
    await server.end('SIGKILL')
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
    it(`without ${what}: goes on, and has every acknowledged payment after a kill`, async (t) => {
      for (let round = 1; round <= 3; round++) {
        remove()
        await more()
      }
      await sentence(said)
      await killAndStartAgain()
      assert.deepEqual(await missing(), [])
      assert.deepEqual(load.wrongs, [])
      assert.equal(load.answers.get(503), undefined)
      t.diagnostic(`${load.acknowledged.size} acknowledged payments checked`)
    })
  }

  it('with another database in the place of its own: acknowledges nothing more, and all it had is in the copy it made', async () => {
    copyFileSync(file, `${file}.copy`)
    renameSync(`${file}.copy`, file)
    await sentence(/karba\.db was replaced under the server, which records nothing more/)
    const kept = load.acknowledged.size
    await until('503', () => (load.answers.get(503) ?? 0) > BETWEEN)
    assert.equal((await fetch(`${server.url}/readyz`)).status, 503)
    assert.equal(load.acknowledged.size, kept)
    await server.end('SIGKILL')
    await load.stop()
    const rescued = readdirSync(place.config.dataDir).find((name) => name.startsWith('karba.db.rescued-')) as string
    for (const beside of ['-wal', '-shm']) rmSync(`${file}${beside}`, { force: true })
    renameSync(`${place.config.dataDir}/${rescued}`, file)
    server = await startProcess(place.env)
    assert.deepEqual(await missing(), [])
  })
})
