// PostgreSQL is killed or fails over under load, processes freeze, connections go silent, clocks
// are wrong (promises 2, 24, 25 and 28), with real processes.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { makeLog } from '../../src/observability/log.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import {
  type BreakableWay,
  makePostgres,
  makePostgresPair,
  openBreakableWay,
  type PostgresServer,
} from '../kit/postgres.ts'
import { startProcess } from '../kit/process.ts'
import { get, openTestService, order, post, type TestService } from '../kit/service.ts'
import {
  assertReadable,
  assertRecordedOnce,
  makePlaceWithAccount,
  moreAcknowledged,
  type SeveralProcesses,
  startLoad,
  startSeveralProcesses,
} from '../kit/several-processes.ts'
import { SQLITE } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'

describe('promise 2: PostgreSQL is killed', () => {
  const OUTAGES = tries(2, 25)
  const ACKNOWLEDGED_BETWEEN = 50
  const LONGEST_WAIT_MS = 30_000

  /**
   * The killed server's last sessions may hold its memory for a moment; until they end, it refuses
   * to start.
   */
  async function startAgain(postgres: PostgresServer): Promise<void> {
    await until('start of PostgreSQL', async () => {
      const failure = await postgres.start().catch(({ message }: Error) => message)
      // A client that connects too early is FATAL in its log as well: that server is still
      // starting.
      return failure === undefined || /starting up|not yet accepting|recovery/.test(failure)
    })
  }

  function killIfThere(pid: number): void {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      assert.equal((error as { code: string }).code, 'ESRCH')
    }
  }

  /** A session of the test itself, which may be cut off with the others. */
  async function connectTo(databaseUrl: string): Promise<pg.Client> {
    const client = new pg.Client(databaseUrl)
    client.on('error', () => {})
    await client.connect()
    return client
  }

  let postgres: PostgresServer
  let service: TestService
  let url: string
  const lines: {
    time: number
    msg?: string
    seconds?: number
    count?: number
    err?: { type: string; message: string }
  }[] = []

  before(async () => {
    postgres = await makePostgres()
    // A configuration like SQLite's for a separate PostgreSQL: other tests of the run use the
    // shared one.
    const settings = { DATABASE_URL: await postgres.createDatabase('away') }
    const log = makeLog('info', { write: (line) => lines.push(JSON.parse(line)) })
    service = await openTestService(SQLITE, settings, { log })
    url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  })
  after(async () => {
    await service?.remove()
    await postgres?.stop()
  })

  const toldOf = (beginning: string): number =>
    lines.filter(({ msg }) => msg?.startsWith(beginning)).length

  const ready = async (): Promise<number> => {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(LONGEST_WAIT_MS) })
    await answer.text()
    return answer.status
  }

  it('creates get 503 meanwhile, the service recovers without a restart, and every acknowledged payment exists', async (t) => {
    const { secretKey, accountId } = (await service.merchant()).accounts.sandbox
    const load = startLoad(url, secretKey)
    try {
      for (let outage = 1; outage <= OUTAGES; outage++) {
        await moreAcknowledged(load, ACKNOWLEDGED_BETWEEN)
        assert.equal(await ready(), 200)
        await postgres.kill()
        await until('503 of /readyz', async () => (await ready()) === 503)
        // A create may wait to learn the outcome of a write; a read fails at once.
        await until('503 of a read', async () => {
          const { code, headers } = await get(service, secretKey, 'any')
          assert.equal(headers['retry-after'] !== undefined, code === 503)
          return code === 503
        })
        await until('line that the store is lost', () => toldOf('the store is lost') === outage)
        await startAgain(postgres)
        await until('200 of /readyz', async () => (await ready()) === 200)
        await until('line that the store is back', () => toldOf('the store is back') === outage)
      }
      await moreAcknowledged(load, ACKNOWLEDGED_BETWEEN)
    } finally {
      await load.stop()
    }
    await assertReadable(url, secretKey, load)
    await assertRecordedOnce(service, accountId, load)
    const back = lines.filter(({ msg }) => msg === 'the store is back')
    for (const { seconds = 0 } of back) assert.ok(seconds >= 2 && seconds < 60, `${seconds} s`)
    const failures = lines.filter(({ err }) => err?.type === 'StoreUnavailable')
    assert.ok(failures.length > 0)
    for (const [at, each] of Map.groupBy(
      failures,
      ({ msg, err, time }) => `${msg} ${err?.message} ${Math.floor(time / 1_000)}`,
    )) {
      assert.ok(each.length <= 2, `${each.length} lines within a second: ${at}`)
      for (const { count } of each) assert.ok(count !== undefined && count > 0, at)
    }
    tried(OUTAGES)
    t.diagnostic(
      `${load.acknowledged.size} payments checked; answers: ${JSON.stringify([...load.answers])}`,
    )
  })

  it('each payment is recorded once when sessions are killed during its write', async (t) => {
    const { secretKey, accountId } = (await service.merchant()).accounts.sandbox
    const bodies = Array.from({ length: 20 }, () => order())
    const holder = await connectTo(service.place.config.databaseUrl)
    const watcher = await connectTo(service.place.config.databaseUrl)
    await post(service, secretKey, order())
    await holder.query('begin')
    // Now every write of a payment blocks halfway.
    await holder.query('lock table payments in share mode')
    const answers = Promise.all(bodies.map((body) => post(service, secretKey, body)))
    const stuck = await until('blocked write', async () => {
      const sql = `select pid from pg_stat_activity
        where application_name = 'karba' and wait_event_type = 'Lock'`
      const { rows } = await watcher.query<{ pid: number }>(sql)
      return rows.length > 0 && rows
    })
    // PostgreSQL ends all sessions when one is killed, so the others may be gone already.
    for (const { pid } of stuck) killIfThere(pid)
    const codes = (await answers).map(({ code }) => code)
    for (const code of codes) assert.ok(code === 200 || code === 503, `${code}`)
    await until('200 of /readyz', async () => (await ready()) === 200)
    for (const [at, body] of bodies.entries()) {
      if (codes[at] === 503) assert.equal((await post(service, secretKey, body)).code, 200)
      assert.equal((await get(service, secretKey, body.transaction_id as string)).code, 200)
    }
    const recorded = await service.db.read('select 1 from payments where account_id = :accountId', {
      accountId,
    })
    assert.equal(recorded.length, bodies.length + 1)
    await Promise.allSettled([holder.end(), watcher.end()])
    t.diagnostic(
      `${stuck.length} sessions killed; ${codes.filter((code) => code === 200).length} of 20 answered 200`,
    )
  })
})

/** The primary PostgreSQL is killed under load, and its synchronous standby takes over. */
describe('promise 28: fail-over', () => {
  const ACKNOWLEDGED_BETWEEN = 50
  const LONGEST_AWAY_MS = 15_000
  const ROUNDS = tries(1, 10)

  it('creates continue on the standby when the primary is killed; nothing is lost or doubled', async (t) => {
    const pair = await makePostgresPair()
    t.after(() => pair.stop())
    const { place, secretKey, accountId } = await makePlaceWithAccount(SQLITE, {
      DATABASE_URL: pair.url,
    })
    t.after(() => place.remove())
    const server = await startProcess(place.env)
    const load = startLoad(server.url, secretKey)
    const awayMs: number[] = []
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        await moreAcknowledged(load, ACKNOWLEDGED_BETWEEN)
        const killedAt = performance.now()
        await pair.killPrimary()
        await pair.promote()
        await moreAcknowledged(load, 1)
        awayMs.push(performance.now() - killedAt)
        await moreAcknowledged(load, ACKNOWLEDGED_BETWEEN)
        if (round < ROUNDS) await pair.rebuild()
      }
    } finally {
      await load.stop()
    }
    await assertReadable(server.url, secretKey, load)
    assert.equal(await server.end('SIGTERM'), 0)
    const runtime = await openRuntime(place.config)
    await assertRecordedOnce(runtime, accountId, load)
    await runtime.close()
    for (const ms of awayMs)
      assert.ok(ms < LONGEST_AWAY_MS, `creates were answered again after ${ms} ms`)
    tried(ROUNDS)
    const after = awayMs.map((ms) => `${Math.round(ms)} ms`).join(', ')
    t.diagnostic(
      `${load.acknowledged.size} payments, away for ${after}; answers ${JSON.stringify([...load.answers])}`,
    )
  })
})

function assertSentOnce({ acknowledged, operator }: SeveralProcesses): void {
  for (const reference of acknowledged) assert.equal(operator.requests.get(reference), 1, reference)
}

describe('promise 24: frozen processes and silent connections', () => {
  const GOES_ON_WITHIN_MS = 15_000
  /** Longer than a claim lasts: by then other processes have claimed the frozen process's rows. */
  const FROZEN_FOR_MS = 17_000
  const ROUNDS = tries(1, 25)

  const ways: BreakableWay[] = []
  let several: SeveralProcesses
  before(async () => {
    several = await startSeveralProcesses([{}, {}, {}], async (url) => {
      const way = await openBreakableWay(url)
      ways.push(way)
      return way.url
    })
  })
  after(async () => {
    await several?.close()
    for (const way of ways) way.close()
  })

  it('a frozen worker delays no payment by more than 15 seconds, and sends nothing twice when it wakes', async () => {
    const { child } = several.workers[0] as (typeof several.workers)[0]
    for (let round = 0; round < ROUNDS; round++) {
      const before = several.create(100)
      // It freezes at another point of its work in each round.
      await pause(100 + 37 * round)
      child.kill('SIGSTOP')
      const frozenAt = performance.now()
      await before
      const during = await several.create(100)
      await several.settled(
        'payments that were made while a worker was frozen',
        during,
        GOES_ON_WITHIN_MS,
      )
      await pause(Math.max(0, FROZEN_FOR_MS - (performance.now() - frozenAt)))
      child.kill('SIGCONT')
    }
    await several.settled('payments', several.acknowledged)
    assertSentOnce(several)
    tried(ROUNDS)
  })

  it('creates are answered and sent within 15 seconds when all database connections go silent', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await several.create(50)
      for (const way of ways) way.silence()
      const limit = performance.now() + GOES_ON_WITHIN_MS
      const answered = () => several.create(1).catch(() => undefined)
      await until('create that is answered', answered, GOES_ON_WITHIN_MS)
      const since = await several.create(50)
      // Outcomes follow after the usual pause before a status call, which is several seconds.
      const areSent = () => since.every((reference) => several.operator.requests.has(reference))
      await until('request for each payment made since then', areSent, limit - performance.now())
    }
    await several.settled('payments', several.acknowledged)
    assertSentOnce(several)
    tried(ROUNDS)
  })
})

describe('promise 25: wrong clocks', () => {
  /** Loaded before the service: changes only the wall clock of its machine. */
  const SKEW =
    'data:text/javascript,const{now}=Date;Date.now=()=>now()+Number(process.env.CLOCK_AHEAD_MS)'
  const MINUTE_MS = 60_000
  const PAYMENTS = 100
  /** The quick form has the first two. */
  const OFF: [who: 'api' | 'worker', minutes: number][] = [
    ['worker', 31],
    ['api', -60],
    ...[-1, 1, -31, -60, 60].map((minutes): ['worker', number] => ['worker', minutes]),
    ...[-1, 1, -31, 31, 60].map((minutes): ['api', number] => ['api', minutes]),
  ]
  const EFFECTS = {
    api: 'it answers merchants, and every payment gets its real outcome',
    worker: 'it claims nothing, and the others do its work',
  }

  for (const [who, minutes] of OFF.slice(0, tries(2, OFF.length))) {
    it(`the clock of one ${who} of three processes is off by ${minutes} minutes: ${EFFECTS[who]}`, async () => {
      const skewed = {
        NODE_OPTIONS: `--import ${SKEW}`,
        CLOCK_AHEAD_MS: String(minutes * MINUTE_MS),
      }
      const several = await startSeveralProcesses(
        who === 'api' ? [skewed, {}, {}] : [{}, skewed, {}],
      )
      try {
        const wrong = who === 'api' ? several.api : several.workers[0]
        assert.ok(wrong)
        const { code, failing } = await several.ready(wrong)
        assert.deepEqual([code, failing.includes('clock')], [503, true])
        await until('log line about the wrong clock', () => /clock differs/.test(wrong.printed()))
        await several.settled('payments', await several.create(PAYMENTS))
        assertSentOnce(several)
        tried(1)
      } finally {
        await several.close()
      }
    })
  }
})
