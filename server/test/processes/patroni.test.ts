// Three PostgreSQL nodes under Patroni with etcd, two APIs and two workers under load, and one
// fault after the other (promise 34). The operator's books show what was sent.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { canMakeNetworkNamespaces } from '../../../scripts/network-namespaces.ts'
import {
  isPatroniMissing,
  type PatroniCluster,
  startPatroniCluster,
} from '../kit/patroni-cluster.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import {
  type Load,
  makePlaceWithAccount,
  moreAcknowledged,
  openOperatorWithBooks,
  startLoad,
} from '../kit/several-processes.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { SCALE, showInProof, tried, tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'

const DEPLOY = fileURLToPath(new URL('../../../deploy/cluster/', import.meta.url))
const WORKS_AGAIN_WITHIN_MS = 30_000
/** Longer than `ttl`: another node is leader by then. */
const LONG_MS = 30_000
/** Longer than `ttl`: no leader is elected meanwhile. */
const WITHOUT_QUORUM_MS = 22_000
const SETTLED_WITHIN_MS = 90_000
const ACKNOWLEDGED_BETWEEN = 50
/**
 * The long form has four processes and more load. At 150 payments a second these took half of the
 * test's CPU.
 */
const IS_LONG_FORM = process.env[SCALE] !== undefined
const LOAD = IS_LONG_FORM ? { inFlight: 4, pauseMs: 50 } : { inFlight: 2, pauseMs: 100 }
const ROLES = IS_LONG_FORM ? ['api', 'api', 'worker', 'worker'] : ['all', 'all']
const CAN_CUT = canMakeNetworkNamespaces()

const NODES = ['node1', 'node2', 'node3']

interface Fault {
  name: string
  cutsNetwork?: true
  /** Resolves when the fault is over; the cluster may still recover. */
  make(cluster: PatroniCluster, leader: string): Promise<unknown>
}

/** One command about a node, and the other some time later. */
const betweenCommands =
  (first: string, second: string, ms = LONG_MS): Fault['make'] =>
  async ({ command }, node) => {
    await command(`${first} ${node}`)
    await pause(ms)
    await command(`${second} ${node}`)
  }

/** The quick form has the first two, which take seconds. */
const FAULTS: readonly Fault[] = [
  { name: 'switchover', make: ({ command }) => command('switchover') },
  {
    name: 'kill -9 of the leader’s PostgreSQL alone',
    make: ({ command }, leader) => command(`kill-postgres ${leader}`),
  },
  { name: 'kill -9 of the leader’s node', make: betweenCommands('kill', 'start') },
  {
    name: 'the leader’s node is frozen, and wakes after its ttl',
    make: betweenCommands('freeze', 'wake'),
  },
  {
    name: 'the leader is cut off from every network',
    cutsNetwork: true,
    make: betweenCommands('cut', 'mend'),
  },
  {
    name: 'the leader is cut off from the other nodes, not from its clients',
    cutsNetwork: true,
    make: betweenCommands('cut-from-nodes', 'mend'),
  },
  { name: 'kill -9 of the leader’s etcd', make: betweenCommands('kill-etcd', 'start') },
  {
    name: 'kill -9 of every etcd',
    async make({ command }) {
      for (const node of NODES) await command(`kill-etcd ${node}`)
      await pause(LONG_MS)
      for (const node of NODES) await command(`start ${node}`)
    },
  },
  {
    name: 'the leader’s node is frozen for less than its ttl',
    make: betweenCommands('freeze', 'wake', 8_000),
  },
  {
    name: 'the synchronous standby is frozen',
    make: async (cluster) =>
      betweenCommands('freeze', 'wake')(cluster, await cluster.command('sync-standby')),
  },
]

const possible = FAULTS.filter(({ cutsNetwork }) => cutsNetwork !== true || CAN_CUT)
const PLAN = Array.from(
  { length: tries(2, 50) },
  (_, at) => possible[at % possible.length] as Fault,
)

/** How long a count stood still at most, since `begin`. */
function watchStandstill(count: () => number) {
  let [last, since, longestMs] = [count(), performance.now(), 0]
  const timer = setInterval(() => {
    const now = performance.now()
    longestMs = Math.max(longestMs, now - since)
    if (count() !== last) [last, since] = [count(), now]
  }, 50)
  timer.unref()
  return {
    begin: () => ([since, longestMs] = [performance.now(), 0]),
    longestMs: () => longestMs,
    end: () => clearInterval(timer),
  }
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1)

/**
 * One row for each kind of fault: how often, and the median and the longest time without an
 * acknowledged payment.
 */
function tableOf(
  recoveries: readonly { name: string; createsMs: number; sendsMs: number }[],
): string {
  const range = (times: readonly number[]): string => {
    const sorted = times.toSorted((a, b) => a - b)
    return `${seconds(sorted[Math.floor((sorted.length - 1) / 2)] as number)} | ${seconds(sorted.at(-1) as number)}`
  }
  const rows = [...Map.groupBy(recoveries, ({ name }) => name)].map(
    ([name, each]) =>
      `| ${name} | ${each.length} | ${range(each.map(({ createsMs }) => createsMs))} | ${range(each.map(({ sendsMs }) => sendsMs))} |`,
  )
  return [
    'Seconds without an acknowledged payment, and without a payment sent to its network: median and longest.',
    '',
    '| fault | tries | creates | longest | sends | longest |',
    '|---|---:|---:|---:|---:|---:|',
    ...rows,
  ].join('\n')
}

const skip = isPatroniMissing
  ? { skip: 'run `apt-get install patroni python3-etcd etcd-server postgresql`' }
  : {}

describe('deploy/cluster', skip, () => {
  const read = (file: string) => {
    const toJson =
      'import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)'
    return JSON.parse(
      execFileSync('python3', ['-c', toJson, join(DEPLOY, file)], { encoding: 'utf8' }),
    )
  }

  it('compose file: three nodes and three etcd under their own names, and no secret in it', () => {
    const { services } = read('compose.yaml')
    const names = Object.keys(services)
    assert.deepEqual(names, ['etcd1', 'etcd2', 'etcd3', ...NODES, 'api', 'worker'])
    for (const name of NODES) {
      const { environment, volumes } = services[name]
      assert.equal(environment.PATRONI_NAME, name)
      assert.equal(environment.PATRONI_POSTGRESQL_CONNECT_ADDRESS, `${name}:5432`)
      assert.deepEqual(volumes, [`${name}:/data`])
    }
    for (const { environment } of Object.values<{ environment: Record<string, string> }>(
      services,
    )) {
      for (const [setting, value] of Object.entries(environment)) {
        if (/PASSWORD|MASTER_KEY/.test(setting)) assert.match(value, /^\$\{/, setting)
      }
    }
    assert.match(services.api.environment.DATABASE_URL, /@node1:5432,node2:5432,node3:5432\/karba$/)
  })

  it('compose file: the nodes get every variable that the local cluster gives them', () => {
    const { services } = read('compose.yaml')
    const script = readFileSync(
      new URL('../../../tools/cluster/cluster.ts', import.meta.url),
      'utf8',
    )
    const given = [...script.matchAll(/^ +((?:PATRONI|ETCD|KARBA)_\w+): /gm)].map(
      ([, name]) => name as string,
    )
    assert.ok(given.length > 20)
    for (const name of given) {
      const { environment } = services[name.startsWith('ETCD_') ? 'etcd1' : 'node1']
      assert.ok(Object.hasOwn(environment, name), name)
    }
  })

  it('Patroni’s settings: ttl leaves room for two retries, and commits wait for a standby', () => {
    const { ttl, loop_wait, retry_timeout, ...dcs } = read('patroni.yml').bootstrap.dcs
    assert.ok(ttl >= 20 && loop_wait + 2 * retry_timeout <= ttl)
    assert.deepEqual(
      [dcs.synchronous_mode, dcs.synchronous_mode_strict, dcs.primary_start_timeout],
      [true, true, 0],
    )
    assert.equal(dcs.synchronous_node_count, NODES.length - 1)
  })
})

describe('promise 34: three PostgreSQL nodes under Patroni', {
  ...skip,
  timeout: (PLAN.length + 3) * 200_000,
}, () => {
  let cluster: PatroniCluster
  let operator: Awaited<ReturnType<typeof openOperatorWithBooks>>
  let place: StorePlace
  const servers: RunningServer[] = []
  let loads: Load[] = []
  const watches: ReturnType<typeof watchStandstill>[] = []
  /** How many acknowledged payments of each load were checked. */
  let checked = [0, 0]
  const countAcknowledged = (): number =>
    loads.reduce((sum, load) => sum + load.acknowledged.size, 0)
  const recoveries: { name: string; createsMs: number; sendsMs: number }[] = []

  before(async () => {
    cluster = await startPatroniCluster()
    operator = await openOperatorWithBooks()
    const settings = {
      DATABASE_URL: cluster.url,
      KARBA_SIMULATOR_URL: operator.url,
      KARBA_LOG_LEVEL: 'error',
    }
    const made = await makePlaceWithAccount(SQLITE, settings)
    place = made.place
    for (const KARBA_ROLE of ROLES) {
      servers.push(await startProcess({ ...place.env, KARBA_ROLE }))
    }
    loads = servers.slice(0, 2).map(({ url }) => startLoad(url, made.secretKey, LOAD))
    watches.push(
      ...loads.map((load) => watchStandstill(() => load.acknowledged.size)),
      watchStandstill(() => operator.requests.size),
    )
  })
  after(async () => {
    for (const watch of watches) watch.end()
    await Promise.all(loads.map((load) => load.stop()))
    for (const server of servers) await server.end('SIGKILL')
    operator?.close()
    await place?.remove()
    await cluster?.stop()
  })

  /** In the leader's database: a session of the test itself. */
  async function ask<Row extends pg.QueryResultRow>(
    sql: string,
    values: unknown[] = [],
  ): Promise<Row[]> {
    const client = new pg.Client(cluster.urlOf(await cluster.command('leader')))
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Row>(sql, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Everything acknowledged since the last call is recorded, settled, and sent once. */
  async function assertKept(): Promise<void> {
    const recent = loads.flatMap((load, at) => [...load.acknowledged].slice(checked[at]))
    checked = loads.map((load) => load.acknowledged.size)
    const names = recent.map(([transactionId]) => transactionId)
    const found = await until(
      'outcome of every payment',
      async () => {
        // A leader that is replaced at this moment ends the test's own session.
        const rows = await ask<{ name: string; reference: string; status: string }>(
          `select external_reference as name, reference, status from payments
           where external_reference = any($1)`,
          [names],
        ).catch(() => undefined)
        return rows !== undefined && !rows.some(({ status }) => status === 'pending') && rows
      },
      SETTLED_WITHIN_MS,
      500,
    )
    const byName = new Map(found.map((row) => [row.name, row]))
    const lost = names.filter((name) => !byName.has(name))
    assert.equal(
      lost.length,
      0,
      `${lost.length} of ${names.length} acknowledged payments are lost: ${lost[0]}, …`,
    )
    for (const [name, reference] of recent) {
      assert.equal(byName.get(name)?.reference, reference)
      assert.equal(byName.get(name)?.status, 'succeeded', name)
      assert.equal(operator.requests.get(reference), 1, `${reference} was sent`)
    }
  }

  for (const [at, { name, make }] of PLAN.entries()) {
    it(`${at + 1}. ${name}: nothing is lost or sent twice, and payments work again within 30 s`, async (t) => {
      await cluster.command('whole')
      await Promise.all(loads.map((load) => moreAcknowledged(load, ACKNOWLEDGED_BETWEEN)))
      const leader = await cluster.command('leader')
      for (const watch of watches) watch.begin()
      const madeAt = performance.now()
      await make(cluster, leader)
      const overAt = performance.now()
      await cluster.command('whole')
      const wholeAt = performance.now()
      await Promise.all(loads.map((load) => moreAcknowledged(load, ACKNOWLEDGED_BETWEEN)))
      const away = watches.map((watch) => Math.round(watch.longestMs()))
      await assertKept()
      const next = await cluster.command('leader')
      t.diagnostic(
        `${name}: ${leader} to ${next}; creates away ${away.slice(0, 2).map(seconds).join(' and ')} s, sends ${seconds(away[2] as number)} s; ` +
          `fault ${seconds(overAt - madeAt)} s, whole after ${seconds(wholeAt - overAt)} s; ${countAcknowledged()} acknowledged`,
      )
      recoveries.push({
        name,
        createsMs: Math.max(...away.slice(0, 2)),
        sendsMs: away[2] as number,
      })
      for (const ms of away) assert.ok(ms < WORKS_AGAIN_WITHIN_MS, `away for ${away.join(', ')} ms`)
      tried(1)
    })
  }

  for (const { name } of FAULTS.filter((fault) => !possible.includes(fault))) {
    it(name, { skip: 'this user may not make network namespaces' }, () => {})
  }

  it('two of three machines are gone: nothing is acknowledged until one returns, and nothing is lost', async (t) => {
    await cluster.command('whole')
    const leader = await cluster.command('leader')
    const [first, second] = NODES.filter((node) => node !== leader)
    for (const node of [first, second]) await cluster.command(`kill ${node}`)
    // Answers that were on their way.
    await pause(1_000)
    const before = countAcknowledged()
    await pause(WITHOUT_QUORUM_MS)
    assert.equal(countAcknowledged(), before)
    const startedAt = performance.now()
    await cluster.command(`start ${first}`)
    await Promise.all(loads.map((load) => moreAcknowledged(load, ACKNOWLEDGED_BETWEEN)))
    t.diagnostic(
      `payments again ${seconds(performance.now() - startedAt)} s after a machine returned`,
    )
    await cluster.command(`start ${second}`)
    await cluster.command('whole')
    await assertKept()
  })

  it('at the end no payment exists twice, and every one has its event', async (t) => {
    await Promise.all(loads.map((load) => load.stop()))
    checked = [0, 0]
    await assertKept()
    for (const load of loads) assert.deepEqual(load.wrongs, [])
    const [counts] =
      await ask(`select count(*)::int as payments, count(distinct external_reference)::int as names,
      count(*) filter (where status = 'succeeded')::int as succeeded,
      (select count(*)::int from events where event = 'payment.succeeded') as events from payments`)
    const { payments, names, succeeded, events } = counts as Record<string, number>
    assert.equal(names, payments)
    assert.equal(events, succeeded)
    for (const [reference, times] of operator.requests) assert.equal(times, 1, reference)
    showInProof(tableOf(recoveries))
    showInProof(
      `\n${payments} payments, ${countAcknowledged()} of them acknowledged; two API processes and two workers.`,
    )
    t.diagnostic(
      `${payments} payments, ${countAcknowledged()} acknowledged; answers ${loads.map((load) => JSON.stringify([...load.answers])).join(' ')}`,
    )
  })
})
