// Simulated networks as processes: within the service, next to it, and connected by an operators
// file. Each ends soon after SIGTERM.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Agent } from 'undici'
import { sender } from '../../src/operators/http-call.ts'
import { openService } from '../../src/service/compose.ts'
import { isStartRefusal, keepAliveClock } from '../../src/service/runtime.ts'
import { column } from '../kit/callers.ts'
import { commandsOn, runKarba } from '../kit/karba.ts'
import { freePort, type RunningServer, startProcess, startSimulator } from '../kit/process.ts'
import { get, head, newMerchant, openTestService, order, post } from '../kit/service.ts'
import { openTestRuntime, shared } from '../kit/shared.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { FIRST_TRY, openConnection, referenceOf } from '../networks/harness.ts'
import { MTN } from '../networks/networks.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

describe('simulated network', () => {
  const PAYMENTS = 300
  /** Seed 7 makes this number fail for insufficient funds; without a seed it would succeed. */
  const SETTINGS = { KARBA_SANDBOX_DELAY_MS: '200', KARBA_SANDBOX_SEED: '7' }
  const FAILS = '96000011'
  const SUCCEEDS = '96000000'
  const SUCCEEDS_LATER = '96000183'
  const ENDED_BY_CALLBACK = `kind = 'callback' and detail like '%"succeeded"%'`

  it('the simulated network within the service calls back without an HTTP request to the service itself', async () => {
    const service = await openTestService(undefined, SETTINGS)
    const { secretKey } = (await service.merchant()).accounts.sandbox
    let connections = 0
    service.app.server.on('connection', () => connections++)
    await service.app.listen({ port: 0, host: '127.0.0.1' })
    const { reference } = (await post(service, secretKey, order({ msisdn: SUCCEEDS }))).body
    await until(
      'success',
      async () => (await get(service, secretKey, String(reference))).body.status === 'succeeded',
    )
    const callbacks = await service.db.read(
      `select 1 from payment_story where ${ENDED_BY_CALLBACK}`,
    )
    assert.deepEqual([callbacks.length, connections], [1, 0])
    await service.remove()
  })

  // On SQLite, where two processes write to one file.
  describe('karba simulator next to a service', () => {
    let service: RunningServer
    let simulator: RunningServer
    let port: string
    let secretKey: string
    let env: Record<string, string>
    after(async () => {
      assert.equal(await simulator.end('SIGINT'), 0)
      await service.end('SIGTERM')
    })
    const runtime = shared(() => openTestRuntime(SQLITE, SETTINGS))
    const start = () => startSimulator(['--port', port, '--callbacks-to', service.url], env)

    before(async () => {
      secretKey = (await newMerchant(runtime)).accounts.sandbox.secretKey
      env = runtime.place.env
      // Each must know the other's address.
      port = String(await freePort())
      service = await startProcess({ ...env, KARBA_SIMULATOR_URL: `http://127.0.0.1:${port}` })
      simulator = await start()
    })

    it('prints one line when it is ready, with the address for callbacks', () => {
      const line = `simulated network ready at http://127.0.0.1:${port} (callbacks go to ${service.url})\n`
      assert.equal(simulator.printed(), line)
    })

    it('refuses requests without its token', async () => {
      assert.equal((await fetch(`${simulator.url}/payments/x`)).status, 401)
    })

    it('reports a port in use in one sentence', async () => {
      const { code, stderr } = await runKarba(
        ['simulator', '--port', port, '--callbacks-to', service.url],
        env,
      )
      const sentence = `karba: Port ${port} is already in use. Stop what uses it, or choose another with --port.\n`
      assert.deepEqual([code, stderr], [1, sentence])
    })

    it(`${PAYMENTS} payments get the outcome of the seed by callbacks, while both processes write`, async () => {
      const numbers = Array.from({ length: PAYMENTS }, (_, n) => (n % 3 === 0 ? FAILS : SUCCEEDS))
      await Promise.all(numbers.map(pay))
      await untilThereAre(0, `payments where status = 'pending'`)
      assert.equal(await count(`payments where status = 'succeeded'`), (PAYMENTS * 2) / 3)
      assert.equal(
        await count(`payments where failure_reason = 'insufficient_funds'`),
        PAYMENTS / 3,
      )
      assert.equal(await count('simulated_payments'), PAYMENTS)
      // On a busy machine polling finds most outcomes first.
      assert.ok((await count(`payment_story where ${ENDED_BY_CALLBACK}`)) > 0)
    })

    it('a restart loses only its callbacks: the payment stays pending, and polling finds the outcome', async () => {
      await pay(SUCCEEDS_LATER)
      // The other payments are settled: the pending one is this one, and the network has accepted
      // it.
      await untilThereAre(1, `payments where status = 'pending' and accepted_at is not null`)
      assert.equal(await simulator.end('SIGTERM'), 0)
      assert.equal(await count(`payments where status = 'pending'`), 1)
      simulator = await start()
      await untilThereAre(0, `payments where status = 'pending'`)
      assert.equal(await count(`payments where status = 'failed'`), PAYMENTS / 3)
      assert.equal(await count('simulated_payments'), PAYMENTS + 1)
    })

    async function pay(msisdn: string): Promise<void> {
      const request = {
        method: 'POST',
        headers: head(secretKey),
        body: JSON.stringify(order({ msisdn })),
      }
      const answer = await fetch(`${service.url}/api/v1/payments`, request)
      assert.equal(answer.status, 200, await answer.text())
    }

    async function count(what: string): Promise<number> {
      const [row] = await runtime.db.read<{ n: number }>(`select count(*) as n from ${what}`)
      return Number(row?.n)
    }

    const untilThereAre = (wanted: number, what: string): Promise<true> =>
      until(`count of ${wanted} ${what}`, async () => (await count(what)) === wanted)
  })

  it('karba simulator exits with a code and a reason for invalid arguments', async () => {
    const place = await SQLITE.makePlace()
    await runKarba(['migrate'], place.env)
    for (const [args, code, says] of [
      ['--port 65536', 2, /It must be a whole number from 0 to 65535/],
      ['--callbacks-to pay.example', 2, /It must be an http or https address/],
      ['--port 0', 1, /PORT is 0: give the address of the service with --callbacks-to\./],
    ] as const) {
      const ran = await runKarba(['simulator', ...args.split(' ')], place.env)
      assert.deepEqual([ran.code, ran.stdout], [code, ''], args)
      assert.match(ran.stderr, says)
    }
    await place.remove()
  })
})

/** The server as a production installation has it: no package of this repository next to it. */
function installServerAlone(folder: string): string {
  cpSync(join(ROOT, 'server'), join(folder, 'server'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@karba')
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  return join(folder, 'server/src/cli/karba.ts')
}

it('simulator --network without the simulators of the repository: exit code 1 and a line that says where they are', () => {
  const folder = mkdtempSync(join(tmpdir(), 'karba-alone-'))
  const command = installServerAlone(folder)
  const ran = spawnSync(process.execPath, [command, 'simulator', '--network', 'mtn-momo'], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  rmSync(folder, { recursive: true, force: true })
  assert.equal(ran.status, 1, ran.stderr)
  assert.match(ran.stderr, /^karba: The simulators of real networks are not installed here\. .+\n$/)
})

describe('network simulators', () => {
  /** A quiet machine takes a second, a busy one several. The timers are five minutes long. */
  const ENDS_WITHIN_MS = 30_000

  const place = shared(() => SQLITE.makePlace())
  async function openSocket(url: string, text: string): Promise<Socket> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(text)
    return socket
  }

  /** A request for a payment whose payer takes five minutes: its callback waits until then. */
  async function requestPayment(url: string): Promise<void> {
    const agent = new Agent()
    const instead = sender(agent, url, { clock: keepAliveClock, timeoutMs: ENDS_WITHIN_MS })
    const { operator } = openConnection(MTN, { instead })
    const payment = {
      ...FIRST_TRY,
      reference: referenceOf(1),
      publicReference: 'KB-1042',
      amountXof: 1_500,
    }
    const answer = await operator.request({
      ...payment,
      operator: 'mtn_bj',
      msisdn: '2290197000004',
    })
    assert.equal(answer.is, 'accepted')
    await agent.close()
  }

  for (const network of ['mtn-momo', 'airtel-money', 'fedapay', 'pawapay', undefined]) {
    it(`simulator ${network ?? 'of the service'}: SIGTERM ends it despite open connections and pending timers`, async () => {
      if (network === undefined) assert.equal((await runKarba(['migrate'], place.env)).code, 0)
      const args =
        network === undefined ? ['--callbacks-to', 'http://127.0.0.1:9'] : ['--network', network]
      const simulator = await startSimulator(
        [...args, '--port', '0', '--decide-after', '600000'],
        place.env,
      )
      const half = 'POST /collection/token/ HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf'
      const sockets = [await openSocket(simulator.url, ''), await openSocket(simulator.url, half)]
      if (network === 'mtn-momo') await requestPayment(simulator.url)
      const begun = performance.now()
      try {
        assert.equal(await simulator.end('SIGTERM'), 0)
        const took = Math.round(performance.now() - begun)
        assert.ok(took < ENDS_WITHIN_MS, `it took ${took} ms`)
      } finally {
        simulator.child.kill('SIGKILL')
        for (const socket of sockets) socket.destroy()
      }
    })
  }
})

describe('connected network', () => {
  const KEY = 'simulated-collection-token'
  const CREDENTIALS = {
    MTN_KEY: '6b61726b-6101-4c00-8000-0000000000c1',
    MTN_USER: 'c2ltdWxhdGVkLWNvbGxlY3Rpb24tdXNlcg==',
    MTN_API_KEY: KEY,
  }

  let network: RunningServer
  let server: RunningServer
  let secretKey: string
  let env: Record<string, string>
  let json: ReturnType<typeof commandsOn>['json']

  function writeFile(address: string, change: object = {}): string {
    const file = join(place.config.dataDir, 'operators.json')
    const connection = {
      name: 'mtn-benin',
      connector: 'mtn-momo',
      address,
      options: {
        subscriptionKey: { env: 'MTN_KEY' },
        apiUser: { env: 'MTN_USER' },
        apiKey: { env: 'MTN_API_KEY' },
      },
      ...change,
    }
    const routes = [{ operator: 'mtn_bj', connection: 'mtn-benin' }]
    writeFileSync(file, JSON.stringify({ live: { connections: [connection], routes } }))
    return file
  }

  after(() => Promise.all([server.end('SIGTERM'), network.end('SIGTERM')]))
  const place = shared(() => SQLITE.makePlace())
  before(async () => {
    // Commands run in this process, and the operators file names environment variables of the
    // process.
    Object.assign(process.env, CREDENTIALS)
    network = await startSimulator(
      ['--network', 'mtn-momo', '--port', '0', '--decide-after', '100'],
      place.env,
    )
    env = { ...place.env, ...CREDENTIALS, KARBA_OPERATORS_FILE: writeFile(network.url) }
    server = await startProcess(env)
    json = commandsOn(env).json
    secretKey = (await json('merchant', 'create', '--name', 'Boutique Awa', '--validate-live')).live
      .secret_key
  })

  async function create(): Promise<{ status: number; reference: string }> {
    const body = JSON.stringify(order({ country: 'BJ', msisdn: '97123456' }))
    const answer = await fetch(`${server.url}/api/v1/payments`, {
      method: 'POST',
      headers: head(secretKey),
      body,
    })
    const { reference } = (await answer.json()) as { reference: string }
    return { status: answer.status, reference }
  }
  async function statusOf(reference: string): Promise<string> {
    const answer = await fetch(`${server.url}/api/v1/payments/${reference}`, {
      headers: head(secretKey),
    })
    return ((await answer.json()) as { status: string }).status
  }

  it('a check prints no secret', async () => {
    const { code, stdout } = await runKarba(['operators', 'check', 'live/mtn-benin'], env)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /✔ Collection: the network gave an access token/)
    for (const secret of Object.values(CREDENTIALS)) assert.ok(!stdout.includes(secret))
  })

  it('collects, shows the network’s own reference, and leaves the refund to staff', async () => {
    const { status, reference } = await create()
    assert.equal(status, 200)
    await until('outcome', async () => (await statusOf(reference)) === 'succeeded')
    const books = (await (await fetch(`${network.url}/control/payments`)).json()) as {
      debits: number
    }[]
    assert.deepEqual(column(books, 'debits'), [1])
    const shown = await json('payment', reference)
    assert.equal(shown.connection, 'mtn-benin')
    assert.match(String(shown.operator_reference), /^\d+$/)
    await json('refund', reference)
    const tasks = () => json('refund', 'tasks')
    await until('task', async () => (await tasks()).length === 1)
    const [task] = await tasks()
    await json('refund', 'confirm', task.refund_reference, '--proof', 'partner portal, refund 8812')
    assert.equal(await statusOf(reference), 'refunded')
  })

  it('while paused accepts no payment, within two seconds, and accepts them once resumed', async () => {
    await json('operators', 'pause', 'live/mtn-benin', '--reason', 'an outage was announced')
    await until('refusal', async () => (await create()).status === 403)
    const [listed] = await json('operators', 'list')
    assert.equal(listed.pause.reason, 'an outage was announced')
    await json('operators', 'resume', 'live/mtn-benin', '--reason', 'it is over')
    await until('create', async () => (await create()).status === 200)
    const rows: { action: string }[] = await json('audit', 'live/mtn-benin')
    assert.deepEqual(column(rows, 'action'), ['connection.resume', 'connection.pause'])
  })

  it('keeps payments pending while its credentials are refused, reports the reason, and creates continue', async () => {
    await fetch(`${network.url}/control/reset`, { method: 'POST' })
    await fetch(`${network.url}/control/faults`, {
      method: 'POST',
      body: '{"name":"token_refused"}',
    })
    const { status, reference } = await create()
    assert.equal(status, 200)
    const isRefused = async () => {
      const [{ health }] = await json('operators', 'list')
      return health.misconfigured === true && !String(health.why).includes(KEY)
    }
    await until('health that says why', isRefused)
    assert.equal(await statusOf(reference), 'pending')
    const { code, stdout } = await runKarba(['operators', 'check'], env)
    assert.equal(code, 1)
    assert.match(stdout, /✖/)
    await fetch(`${network.url}/control/faults`, { method: 'DELETE' })
    await until('outcome', async () => (await statusOf(reference)) === 'succeeded')
  })

  it('with an error in the operators file stops the start with a sentence, and no secret', async () => {
    const file = join(place.config.dataDir, 'wrong.json')
    const connections = [{ name: 'mtn-benin', connector: 'mtn' }]
    writeFileSync(file, JSON.stringify({ live: { connections, routes: [] } }))
    const other = await SQLITE.makePlace({ KARBA_OPERATORS_FILE: file })
    await assert.rejects(openService(other.config), (error: Error) => {
      assert.ok(isStartRefusal(error))
      assert.match(
        error.message,
        /live\.connections\[0\]\.connector is “mtn”; there are: mtn-momo, airtel-money, fedapay/,
      )
      return true
    })
    await other.remove()
  })

  it('with no listener at its address keeps payments pending, and creates continue', async () => {
    const alone = await openTestService(SQLITE, {
      KARBA_OPERATORS_FILE: writeFile('http://127.0.0.1:9'),
    })
    try {
      const { env: lost } = alone.place
      const { stdout } = await runKarba(
        ['merchant', 'create', '--name', 'Chez Ali', '--validate-live', '--json'],
        lost,
      )
      const { live } = JSON.parse(stdout) as { live: { secret_key: string } }
      const { code, body } = await post(
        alone,
        live.secret_key,
        order({ country: 'BJ', msisdn: '97123456' }),
      )
      assert.equal(code, 200, JSON.stringify(body))
      const { code: checked, stdout: said } = await runKarba(['operators', 'check'], lost)
      assert.equal(checked, 1, said)
    } finally {
      await alone.remove()
    }
  })
})
