// Somebody locks the table of payments, as an ALTER TABLE or a VACUUM FULL does: creates and reads are answered with 503 before their
// clients have left, nothing is recorded of them, the process is not ready meanwhile, and goes on when the lock is gone.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Answer, get, openTestService, order, post } from '../kit/service.ts'
import { POSTGRES } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'

const HELD_MS = tries(12_000, 60_000)
/** Ten seconds by the time-outs, and room for a busy machine. Without the time-outs it was 42 seconds. */
const ANSWERED_WITHIN_MS = 20_000

it('a locked table: creates and reads get 503 in time, nothing is recorded, /readyz says so and recovers', async (t) => {
  const service = await openTestService(POSTGRES)
  t.after(() => service.remove())
  const { secretKey } = (await service.merchant()).accounts.sandbox
  const { body: known } = await post(service, secretKey, order())
  const ready = async (): Promise<string[]> =>
    (await service.app.inject({ method: 'GET', url: '/readyz' })).json().failing ?? []
  assert.deepEqual(await ready(), [])

  const refused: string[] = []
  const waits: number[] = []
  async function answered(asking: Promise<Answer>): Promise<void> {
    const begun = performance.now()
    const { code, headers } = await asking
    waits.push(performance.now() - begun)
    assert.deepEqual([code, headers['retry-after']], [503, '1'])
  }
  function ask(): Promise<void>[] {
    const orders = [order(), order(), order(), order({ order_reference: `cart-${refused.length}` })]
    refused.push(...orders.map(({ transaction_id: name }) => name as string))
    const creates = orders.map((body) => answered(post(service, secretKey, body)))
    return [...creates, answered(get(service, secretKey, known.reference as string))]
  }

  const locker = new pg.Client(service.config.databaseUrl)
  await locker.connect()
  t.after(() => locker.end())
  await locker.query('begin')
  await locker.query('lock table payments in access exclusive mode')
  const asked = Array.from({ length: 20 }, ask).flat()
  const heldUntil = performance.now() + HELD_MS
  for (; performance.now() < heldUntil; await pause(250)) asked.push(...ask())
  await until('word of /readyz that it cannot write', async () => (await ready()).includes('write'))
  await Promise.all(asked)
  await locker.query('rollback')

  await until('a /readyz without complaint', async () => (await ready()).length === 0)
  for (const name of refused) assert.equal((await get(service, secretKey, name)).code, 404)
  assert.equal((await post(service, secretKey, order())).code, 200)
  const longest = Math.max(...waits)
  assert.ok(longest < ANSWERED_WITHIN_MS, `${longest} ms`)
  tried(asked.length)
  t.diagnostic(`${asked.length} requests behind the lock, the longest waited ${Math.round(longest)} ms`)
})
