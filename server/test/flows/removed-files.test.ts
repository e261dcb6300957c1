// The files of SQLite are removed or replaced under a server that works: by a clean-up, a sync tool, a copy put back by hand. What it had
// acknowledged is there after kill -9 and a restart, and what it can no longer keep it does not acknowledge.
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import { newMerchant } from '../kit/merchant.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { head, order } from '../kit/service.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

const IN_FLIGHT = 16
const BETWEEN = 150
const LONGEST_ANSWER_MS = 10_000

interface Load {
  acknowledged: Set<string>
  /** How often each answer came; `cut` for a connection that ended without one. */
  answers: Map<number | 'cut', number>
  stop(): Promise<void>
}

function startLoad(url: string, secretKey: string): Load {
  const load: Load = { acknowledged: new Set(), answers: new Map(), stop }
  let stopping = false
  const workers = Array.from({ length: IN_FLIGHT }, async () => {
    while (!stopping) {
      const body = order()
      const code = await fetch(`${url}/api/v1/payments`, {
        method: 'POST',
        headers: head(secretKey),
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
      }).then(
        (answer) => answer.text().then(() => answer.status),
        () => 'cut' as const,
      )
      load.answers.set(code, (load.answers.get(code) ?? 0) + 1)
      if (code === 200) load.acknowledged.add(body.transaction_id as string)
    }
  })
  async function stop(): Promise<void> {
    stopping = true
    await Promise.all(workers)
  }
  return load
}

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
    await more(BETWEEN)
  })
  afterEach(async () => {
    await load.stop()
    await server.end('SIGKILL')
    await place.remove()
  })

  const more = (count: number): Promise<true> => {
    const enough = load.acknowledged.size + count
    return until('more acknowledged payments', () => load.acknowledged.size >= enough)
  }
  const sentence = (pattern: RegExp): Promise<true> =>
    until('sentence in the log', () => pattern.test(server.printed()))

  async function killAndStartAgain(): Promise<void> {
    await server.end('SIGKILL')
    await load.stop()
    server = await startProcess(place.env)
  }

  async function missing(): Promise<string[]> {
    const missed: string[] = []
    for (const transactionId of load.acknowledged) {
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
        await more(BETWEEN)
      }
      await sentence(said)
      await killAndStartAgain()
      assert.deepEqual(await missing(), [])
      assert.deepEqual([...load.answers.keys()].toSorted(), [200, 'cut'])
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
