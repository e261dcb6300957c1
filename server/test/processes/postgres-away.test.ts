// Promise 2, quick form: PostgreSQL is killed under load and comes back. What was acknowledged is there, what was
// refused with 503 was not recorded (D-05), nothing is ever a 500, and nobody has to restart the service.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { IN_FLIGHT, startLoad } from '../kit/create-load.ts'
import { makePostgres, type PostgresServer } from '../kit/postgres.ts'
import { get, openTestService, order, post, type TestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'

const OUTAGES = tries(3, 25)
const ACKNOWLEDGED_BETWEEN = 150
const LONGEST_WAIT_MS = 30_000

/** The killed server's last sessions may hold its memory for a moment; until they end, it refuses to start. */
async function startAgain(postgres: PostgresServer): Promise<void> {
  let failure: Error | undefined
  await until('start of PostgreSQL', async () => {
    failure = await postgres.start().then(
      () => undefined,
      (error: Error) => error,
    )
    // A client that knocks too early is FATAL in its log as well: that server is on its way.
    return failure === undefined || /starting up|not yet accepting|recovery/.test(failure.message)
  })
}

describe('a service whose PostgreSQL is killed under load', () => {
  let postgres: PostgresServer
  let service: TestService
  let url: string

  before(async () => {
    postgres = await makePostgres()
    // A place like SQLite's, led to our own PostgreSQL: the one of the whole run must live.
    service = await openTestService(SQLITE, { DATABASE_URL: await postgres.createDatabase('away') })
    url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  })
  after(async () => {
    await service?.remove()
    await postgres?.stop()
  })

  const ready = async (): Promise<number> => {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(LONGEST_WAIT_MS) })
    await answer.text()
    return answer.status
  }

  const countPayments = async (accountId: string): Promise<number> => {
    const sql = 'select reference from payments where account_id = $1'
    return (await service.db.rows(sql, [accountId])).length
  }

  it('answers 503 meanwhile, recovers by itself, and has kept every payment it acknowledged', async (t) => {
    const { secretKey, accountId } = (await service.merchant()).accounts.sandbox
    const load = startLoad(url, secretKey)
    const more = (count: number): Promise<true> => {
      const enough = load.acknowledged.size + count
      return until('acknowledgement of more payments', () => load.acknowledged.size >= enough)
    }
    try {
      for (let outage = 1; outage <= OUTAGES; outage++) {
        await more(ACKNOWLEDGED_BETWEEN)
        assert.equal(await ready(), 200)
        await postgres.kill()
        await until('503 of /readyz', async () => (await ready()) === 503)
        // A create may wait a while, to find out what became of a write; a read is told at once.
        await until('read that is refused', async () => {
          const { code, headers } = await get(service, secretKey, 'any')
          assert.equal(headers['retry-after'] !== undefined, code === 503)
          return code === 503
        })
        await startAgain(postgres)
        await until('200 of /readyz', async () => (await ready()) === 200)
      }
      await more(ACKNOWLEDGED_BETWEEN)
    } finally {
      await load.stop()
    }
    assert.deepEqual(load.wrongs, [])
    for (const [transactionId, reference] of load.acknowledged) {
      for (const name of [reference, transactionId]) {
        const { code, body } = await get(service, secretKey, name)
        assert.deepEqual([code, body.reference], [200, reference], name)
      }
    }
    tried(OUTAGES)
    const recorded = await countPayments(accountId)
    // Only what had been cut off when the load stopped may be there without an acknowledgement.
    assert.ok(recorded >= load.acknowledged.size && recorded <= load.acknowledged.size + IN_FLIGHT, `${recorded}`)
    t.diagnostic(
      `${load.acknowledged.size} acknowledged payments checked; answers: ${JSON.stringify([...load.answers])}`,
    )
  })
  it('records each payment once when sessions are killed in the middle of its write', async (t) => {
    const { secretKey, accountId } = (await service.merchant()).accounts.sandbox
    const bodies = Array.from({ length: 20 }, () => order())
    const holder = await connectTo(service.place.config.databaseUrl)
    const watcher = await connectTo(service.place.config.databaseUrl)
    await post(service, secretKey, order())
    await holder.query('begin')
    // Whoever writes a payment now stands in the middle of it.
    await holder.query('lock table payments in share mode')
    const answers = Promise.all(bodies.map((body) => post(service, secretKey, body)))
    const stuck = await until('write in its middle', async () => {
      const sql = `select pid from pg_stat_activity where application_name = 'karba' and wait_event_type = 'Lock'`
      const { rows } = await watcher.query<{ pid: number }>(sql)
      return rows.length > 0 && rows
    })
    // PostgreSQL ends all sessions when one is killed, so the others may be gone already.
    for (const { pid } of stuck) killIfThere(pid)
    const codes = (await answers).map(({ code }) => code)
    assert.deepEqual(
      codes.filter((code) => code !== 200 && code !== 503),
      [],
    )
    await until('200 of /readyz', async () => (await ready()) === 200)
    for (const [at, body] of bodies.entries()) {
      if (codes[at] === 503) assert.equal((await post(service, secretKey, body)).code, 200)
      assert.equal((await get(service, secretKey, body.transaction_id as string)).code, 200)
    }
    assert.equal(await countPayments(accountId), bodies.length + 1)
    await Promise.allSettled([holder.end(), watcher.end()])
    t.diagnostic(`${stuck.length} sessions killed; ${codes.filter((code) => code === 200).length} of 20 answered 200`)
  })
})

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    assert.equal((error as { code: string }).code, 'ESRCH')
  }
}

/** A session of the test's own; that it is cut off with the others is no fault. */
async function connectTo(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client(databaseUrl)
  client.on('error', () => {})
  await client.connect()
  return client
}
