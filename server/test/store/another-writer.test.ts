// Another process that writes to the same SQLite file, as a command does: its lock is waited for, and this process goes on meanwhile.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { findAccountsInTurn, findPendingConnections } from '../../src/store/payments/pending-payments.ts'
import { listMovedSince } from '../../src/store/webhooks/events.ts'
import { get, openTestService, order, post } from '../kit/service.ts'
import { within } from '../kit/waiting.ts'

const HELD_MS = 1_000
/** Many clients leave after ten seconds. */
const LONGEST_WAIT_MS = 9_000

/** The service may be writing too, in this very process: its turn must come. */
async function takeLock(other: DatabaseSync): Promise<void> {
  for (;;) {
    try {
      other.exec('begin immediate')
      return
    } catch {
      await pause(1)
    }
  }
}

it('a write waits for another process’s lock without stopping this one: reads are answered meanwhile', async (t) => {
  const service = await openTestService()
  t.after(() => service.remove())
  const { secretKey } = (await service.merchant()).accounts.sandbox
  const { body } = await post(service, secretKey, order())
  const other = new DatabaseSync(service.config.databaseUrl.slice('sqlite:'.length))
  t.after(() => other.close())
  await takeLock(other)
  let isRecorded = false
  const recording = post(service, secretKey, order()).then((answer) => {
    isRecorded = true
    return answer
  })
  let reads = 0
  for (const until = performance.now() + HELD_MS; performance.now() < until; reads++) {
    assert.equal((await get(service, secretKey, body.reference as string)).code, 200)
    await pause(10)
  }
  assert.equal(isRecorded, false, 'nothing is acknowledged while it cannot be written')
  assert.ok(reads > 10, `${reads} reads were answered`)
  other.exec('rollback')
  assert.equal((await recording).code, 200)
})

it('a lock that is never given back is a 503, and nothing is recorded', async (t) => {
  const service = await openTestService()
  t.after(() => service.remove())
  const { secretKey } = (await service.merchant()).accounts.sandbox
  const other = new DatabaseSync(service.config.databaseUrl.slice('sqlite:'.length))
  t.after(() => other.close())
  await takeLock(other)
  const refused = order()
  assert.equal((await post(service, secretKey, refused)).code, 503)
  other.exec('rollback')
  assert.equal((await get(service, secretKey, refused.transaction_id as string)).code, 404)
  assert.equal((await post(service, secretKey, refused)).code, 200)
})

it('a lock that is never given back: creates that come while others wait for it do not wait as long again', async (t) => {
  const service = await openTestService()
  t.after(() => service.remove())
  const { secretKey } = (await service.merchant()).accounts.sandbox
  const other = new DatabaseSync(service.config.databaseUrl.slice('sqlite:'.length))
  t.after(() => other.close())
  await takeLock(other)
  const asked: Promise<{ code: number; ms: number }>[] = []
  for (const until = performance.now() + LONGEST_WAIT_MS; performance.now() < until; await pause(250)) {
    const begun = performance.now()
    asked.push(post(service, secretKey, order()).then(({ code }) => ({ code, ms: performance.now() - begun })))
  }
  const answers = await Promise.all(asked)
  assert.deepEqual(new Set(answers.map(({ code }) => code)), new Set([503]))
  const longest = Math.max(...answers.map(({ ms }) => ms))
  assert.ok(longest < LONGEST_WAIT_MS, `${longest} ms`)
  other.exec('rollback')
  assert.equal((await post(service, secretKey, order())).code, 200)
})

it('what only reads waits for no lock, also when its text begins with a list of its own', async (t) => {
  const service = await openTestService()
  t.after(() => service.remove())
  const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
  const { db } = service
  await post(service, secretKey, order())
  const other = new DatabaseSync(service.config.databaseUrl.slice('sqlite:'.length))
  t.after(() => other.close())
  await takeLock(other)
  const line = { environment: 'sandbox', connection: 'airtel_ne', kind: 'request' } as const
  const reads = [
    findAccountsInTurn(db, line, '', 10),
    findPendingConnections(db),
    listMovedSince(db, [{ accountId, sequence: 0 }]),
  ]
  await within('answers beside the lock', Promise.all(reads), 2_000)
  other.exec('rollback')
})
