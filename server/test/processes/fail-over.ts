// Promise 28: the PostgreSQL that is written to is killed under load and its synchronous standby takes over, as often as it is asked for.
// Nothing that was acknowledged is lost, nothing is there twice, and creates are answered again.
import assert from 'node:assert/strict'
import { openRuntime } from '../../src/service/runtime.ts'
import { IN_FLIGHT, type Load, moreAcknowledged, startLoad } from '../kit/create-load.ts'
import { newMerchant } from '../kit/merchant.ts'
import { makePostgresPair } from '../kit/postgres-pair.ts'
import { startProcess } from '../kit/process.ts'
import { head } from '../kit/service.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'

const ACKNOWLEDGED_BETWEEN = 150

export interface FailOvers {
  acknowledged: number
  /** For each fail-over: from the kill to the first payment that was acknowledged after it. */
  awayMs: number[]
  answers: Load['answers']
}

export async function runFailOver(rounds: number): Promise<FailOvers> {
  const pair = await makePostgresPair()
  const place = await SQLITE.makePlace({ DATABASE_URL: pair.url })
  try {
    const { secretKey, accountId } = await makeAccount(place)
    const server = await startProcess(place.env)
    const load = startLoad(server.url, secretKey)
    const awayMs: number[] = []
    try {
      for (let round = 1; round <= rounds; round++) {
        await moreAcknowledged(load, ACKNOWLEDGED_BETWEEN)
        const killedAt = performance.now()
        await pair.killPrimary()
        await pair.promote()
        await moreAcknowledged(load, 1)
        awayMs.push(performance.now() - killedAt)
        await moreAcknowledged(load, ACKNOWLEDGED_BETWEEN)
        if (round < rounds) await pair.rebuild()
      }
    } finally {
      await load.stop()
    }
    assert.deepEqual(load.wrongs, [])
    await assertReadable(server.url, secretKey, load)
    assert.equal(await server.end('SIGTERM'), 0)
    await assertOnce(place, accountId, load)
    return { acknowledged: load.acknowledged.size, awayMs, answers: load.answers }
  } finally {
    await place.remove()
    await pair.stop()
  }
}

async function makeAccount(place: StorePlace): Promise<{ secretKey: string; accountId: string }> {
  const runtime = await openRuntime(place.config)
  const { sandbox } = (await newMerchant(runtime)).accounts
  await runtime.close()
  return sandbox
}

/** By both of its names. */
async function assertReadable(url: string, secretKey: string, { acknowledged }: Load): Promise<void> {
  for (const [transactionId, reference] of acknowledged) {
    for (const name of [reference, transactionId]) {
      const answer = await fetch(`${url}/api/v1/payments/${name}`, { headers: head(secretKey) })
      const body = (await answer.json()) as { reference?: string }
      assert.deepEqual([answer.status, body.reference], [200, reference], name)
    }
  }
}

async function assertOnce({ config }: StorePlace, accountId: string, { acknowledged }: Load): Promise<void> {
  const runtime = await openRuntime(config)
  const rows = await runtime.db.rows<{ name: string }>(
    'select external_reference as name from payments where account_id = $1',
    [accountId],
  )
  await runtime.close()
  const names = new Set(rows.map(({ name }) => name))
  assert.equal(names.size, rows.length, 'no transaction_id twice')
  // Only what had been cut off when the load stopped may be there without an acknowledgement.
  const unanswered = rows.length - acknowledged.size
  assert.ok(unanswered >= 0 && unanswered <= IN_FLIGHT, `${unanswered} payments that nobody was told of`)
}
