// Starts, refused starts, stops and signals of a server; its log; and how commands find a running
// server.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join, relative } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { type Config, readConfig } from '../../src/config.ts'
import { openService } from '../../src/service/compose.ts'
import { isStartRefusal, openRuntime, type Runtime } from '../../src/service/runtime.ts'
import { isThereAMerchant } from '../../src/store/merchants/accounts.ts'
import { runKarba } from '../kit/karba.ts'
import {
  MAIN,
  type Ran,
  type RunningServer,
  runServer,
  spawnKarba,
  startProcess,
  startSimulator,
} from '../kit/process.ts'
import { head, newMerchant, order } from '../kit/service.ts'
import { SQLITE, STORES, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

describe('start and stop', () => {
  const CANARY = 'canary-4f1e9c'
  const LONGEST_STOP_MS = 15_000
  const LONGEST_START_MS = 60_000
  /** Gives a process its own mounts. */
  const UNSHARE: string = 'unshare'

  let place: StorePlace
  let servers: RunningServer[]

  async function open(settings: Record<string, string> = {}): Promise<void> {
    place = await SQLITE.makePlace(settings)
  }

  async function start(settings: Record<string, string> = {}): Promise<RunningServer> {
    const server = await startProcess({ ...place.env, ...settings })
    servers.push(server)
    return server
  }

  /** Resolves when all of its output has been read, too. */
  async function stop(server: RunningServer): Promise<number | null> {
    const closed = once(server.child, 'close')
    const code = await server.end('SIGTERM')
    await closed
    return code
  }

  async function inStore<T>(
    work: (runtime: Runtime) => Promise<T>,
    settings: Record<string, string> = {},
    env = place.env,
  ): Promise<T> {
    const runtime = await openRuntime(readConfig({ ...env, ...settings }))
    return work(runtime).finally(() => runtime.close())
  }

  /**
   * The sentence of a start with these settings, in this process: a process of its own costs a
   * second of CPU.
   */
  async function refusalOf(
    settings: Record<string, string>,
    env = place.env,
    open: (config: Config) => Promise<{ close(): Promise<void> }> = openRuntime,
  ): Promise<string> {
    const start = async (): Promise<void> =>
      (await open(readConfig({ ...env, ...settings }))).close()
    const error = await start().then(
      () => assert.fail('it started'),
      (refused: Error) => refused,
    )
    assert.ok(isStartRefusal(error), String(error))
    assert.ok(!error.message.includes('\n'), error.message)
    return error.message
  }

  function assertOneSentence({ code, stdout, stderr }: Ran, names: RegExp): void {
    assert.match(stderr, /^Karba cannot start: [^\n]+\n$/)
    assert.match(stderr, names)
    assert.deepEqual([code, stdout], [1, ''])
  }

  beforeEach(() => {
    servers = []
  })
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.end('SIGKILL')))
    await place?.remove()
  })

  describe('the first start on a store', () => {
    let kept: StorePlace
    let first: RunningServer
    before(async () => {
      kept = await SQLITE.makePlace()
      first = await startProcess(kept.env)
    })
    after(async () => {
      await first.end('SIGKILL')
      await kept.remove()
    })

    it('prints keys, with a first payment that works as printed', async () => {
      const printed = first.printed()
      for (const kind of ['pk_sandbox', 'sk_sandbox', 'pk_live', 'sk_live']) {
        const keys = printed.match(new RegExp(`${kind}_[0-9A-Za-z]{40}`, 'g')) ?? []
        assert.equal(new Set(keys).size, 1, kind)
      }
      const [, url = '', rest = ''] = /curl -s (\S+) ([\s\S]+)/.exec(printed) ?? []
      const headers = [...rest.matchAll(/-H '([^:']+): ([^']*)'/g)].map(([, ...header]) => header)
      const body = /-d '([^']*)'/.exec(rest)?.[1] as string
      const answer = await fetch(url, {
        method: 'POST',
        headers: Object.fromEntries(headers),
        body,
      })
      assert.deepEqual(
        [answer.status, ((await answer.json()) as { status: string }).status],
        [200, 'pending'],
      )
    })

    it('makes all files readable by its own user only', () => {
      const folder = kept.config.dataDir
      assert.equal(statSync(join(folder, 'master.key')).mode & 0o777, 0o600)
      for (const file of readdirSync(folder))
        assert.equal(statSync(join(folder, file)).mode & 0o077, 0, file)
    })

    it('takes its port: another server is refused it in one sentence', async () => {
      const { port } = new URL(first.url)
      const other = await SQLITE.makePlace({ PORT: port })
      assertOneSentence(await runServer(other.env), new RegExp(`Port ${port} .*PORT`))
      await other.remove()
    })

    it('gives the store its master key: a later start with another is refused', async () => {
      assert.equal(await first.end('SIGTERM'), 0)
      const refusal = await refusalOf({ KARBA_MASTER_KEY: 'ab'.repeat(32) }, kept.env)
      assert.match(refusal, /another master key.*KARBA_MASTER_KEY/)
      assert.ok(!refusal.includes('abab'))
    })

    it('is the only one that prints keys: a later start says how to get new ones', async () => {
      first = await startProcess({ ...kept.env, KARBA_LOG_LEVEL: 'info' })
      assert.doesNotMatch(first.printed(), /[sp]k_(sandbox|live)_/)
      assert.match(first.printed(), /keys roll/)
    })

    it('SIGHUP of a closed terminal stops the server gracefully', {
      skip: process.platform === 'win32',
    }, async () => {
      assert.equal(await first.end('SIGHUP'), 0)
      assert.match(first.printed(), /"signal":"SIGHUP".*stopping/)
    })
  })

  describe('start of a server', () => {
    beforeEach(() => open())

    it('creates no merchant and prints no key in production', async () => {
      const server = await start({ KARBA_MODE: 'production', PUBLIC_URL: 'https://pay.example' })
      assert.doesNotMatch(server.printed(), /[sp]k_(sandbox|live)_/)
      assert.equal(await stop(server), 0)
      assert.equal(await inStore(({ db }) => isThereAMerchant(db)), false)
    })

    it('is refused on an SQLite store in use, through any path; a copy is another store', async () => {
      const first = await start()
      const file = join(place.config.dataDir, 'karba.db')
      const folder = join(place.config.dataDir, 'other')
      const [link, hardLink] = [join(folder, 'link.db'), join(folder, 'hard.db')]
      mkdirSync(folder)
      symlinkSync(file, link)
      symlinkSync(place.config.dataDir, join(folder, 'data'))
      const inUse = /Another Karba is already running on .*karba\.db/
      assertOneSentence(await runServer(place.env), inUse)
      const ways: [path: string, said: RegExp, before?: () => void][] = [
        [relative(process.cwd(), file), inUse],
        [link, inUse],
        [join(folder, 'data', 'karba.db'), inUse],
        [hardLink, /2 names \(hard links\).*remove all but one/, () => linkSync(file, hardLink)],
      ]
      for (const [path, said, before] of ways) {
        before?.()
        assert.match(
          await refusalOf({ DATABASE_URL: `sqlite:${path}` }, place.env, openService),
          said,
        )
      }
      for (const name of readdirSync(folder))
        assert.doesNotMatch(name, /-wal|-shm/, 'no second log was begun')
      rmSync(hardLink)
      assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
      const copied = join(folder, 'copy.db')
      assert.equal((await runKarba(['backup', copied], place.env)).code, 0)
      await inStore(({ db }) => isThereAMerchant(db), { DATABASE_URL: `sqlite:${copied}` })
    })

    it('says of a worker where its health is, and offers no page and no API', async () => {
      const publicUrl = 'https://pay.example'
      const server = await start({ KARBA_ROLE: 'worker', PUBLIC_URL: publicUrl })
      const printed = server.printed()
      assert.match(printed, /Karba’s worker is ready at http:\/\/127\.0\.0\.1:\d+\n/)
      const offered = [...printed.matchAll(/https?:\/\/\S+/g)].map(([address]) => address)
      assert.ok(!printed.includes(publicUrl) && offered.length >= 4, printed)
      for (const address of offered.slice(1))
        assert.notEqual((await fetch(address)).status, 404, address)
      assert.doesNotMatch(printed, /api\/v1|dashboard|docs|emails|curl/)
    })

    const cannotMount =
      process.platform !== 'linux' || spawnSync(UNSHARE, ['-m', 'true']).status !== 0

    it('is refused on an SQLite file that is mounted alone: its write-ahead log would be elsewhere', {
      skip: cannotMount,
    }, () => {
      const [file, mounted] = [
        join(place.config.dataDir, 'karba.db'),
        join(place.config.dataDir, 'mounted.db'),
      ]
      for (const path of [file, mounted]) writeFileSync(path, '')
      const mount = `mount --bind "${file}" "${mounted}" && exec "$0" "$@"`
      const ran = spawnSync(UNSHARE, ['-m', 'sh', '-c', mount, process.execPath, MAIN], {
        env: { PATH: process.env.PATH, ...place.env, DATABASE_URL: `sqlite:${mounted}` },
        encoding: 'utf8',
        timeout: LONGEST_START_MS,
      })
      assertOneSentence(
        { code: ran.status, stdout: ran.stdout, stderr: ran.stderr },
        /Mount its folder instead/,
      )
    })

    it('works on an SQLite store behind a symbolic link, also before the file exists', async () => {
      const [folder, link] = [
        join(place.config.dataDir, 'disk'),
        join(place.config.dataDir, 'link.db'),
      ]
      mkdirSync(folder)
      symlinkSync(join(folder, 'karba.db'), link)
      for (let time = 1; time <= 2; time++)
        await inStore(({ db }) => isThereAMerchant(db), { DATABASE_URL: `sqlite:${link}` })
      assert.ok(statSync(join(folder, 'karba.db')).size > 0)
    })

    const REFUSED_HOSTS = /PostgreSQL .*\(ECONNREFUSED\)/
    const REFUSED: [what: string, settings: Record<string, string>, names: RegExp][] = [
      ['a port that is not a number', { PORT: 'abc' }, /PORT .*"abc"/],
      ['a setting that does not exist', { KARBA_X: CANARY }, /KARBA_X /],
      [
        'a mode that does not exist',
        { KARBA_MODE: 'prod' },
        /KARBA_MODE .*development, production/,
      ],
      ['a master key of the wrong form', { KARBA_MASTER_KEY: CANARY }, /KARBA_MASTER_KEY /],
      [
        'a database of another kind',
        { DATABASE_URL: `mysql://awa:${CANARY}@127.0.0.1/x` },
        /DATABASE_URL /,
      ],
      [
        'an invalid PostgreSQL address',
        { DATABASE_URL: `postgres://awa:${CANARY}@127.0.0.1:x/x` },
        /DATABASE_URL/,
      ],
      [
        'an unreachable PostgreSQL',
        { DATABASE_URL: `postgres://awa:${CANARY}@127.0.0.1:1/x` },
        /PostgreSQL/,
      ],
      [
        'several such hosts',
        { DATABASE_URL: `postgres://awa:${CANARY}@127.0.0.1:1,127.0.0.1:2/x` },
        REFUSED_HOSTS,
      ],
      [
        'a file that cannot be made',
        { DATABASE_URL: 'sqlite:/dev/null/x/karba.db' },
        /DATABASE_URL|\/dev\/null/,
      ],
      [
        'a data folder that cannot be made',
        { KARBA_DATA_DIR: '/dev/null/x' },
        /KARBA_DATA_DIR|\/dev\/null/,
      ],
    ]
    for (const [what, settings, names] of REFUSED) {
      it(`refuses ${what} in one sentence without a secret`, async () => {
        const refusal = await refusalOf(settings)
        assert.match(refusal, names)
        assert.ok(!refusal.includes(CANARY))
      })
    }

    it('refuses a host of another machine in one sentence', async () => {
      assertOneSentence(await runServer({ ...place.env, HOST: '203.0.113.9' }), /HOST/)
    })

    it('refuses a file that is not a database in one sentence', async () => {
      mkdirSync(place.config.dataDir, { recursive: true })
      writeFileSync(join(place.config.dataDir, 'karba.db'), 'not a database '.repeat(100))
      assert.match(await refusalOf({}), /karba\.db/)
    })

    it('SIGTERM: answers all in-flight requests, then exits with 0', {
      timeout: LONGEST_STOP_MS,
    }, async () => {
      const { secretKey } = (await inStore(newMerchant)).accounts.sandbox
      const server = await start()
      const agent = new Agent({ keepAlive: true })
      const underWay: ClientRequest[] = []
      const heads = Array.from({ length: 50 }, async () => {
        const call = request(`${server.url}/api/v1/payments`, {
          agent,
          method: 'POST',
          headers: { ...head(secretKey), expect: '100-continue', 'transfer-encoding': 'chunked' },
        })
        call.flushHeaders()
        underWay.push(call)
        // With this the server has the head, and waits for the body.
        await once(call, 'continue')
      })
      await Promise.all(heads)
      const closed = once(server.child, 'close')
      server.child.kill('SIGTERM')
      await until('refused connection', async () => !(await accepts(server.url)))
      // npm forwards it to a process that already got it.
      server.child.kill('SIGTERM')
      const answers = underWay.map(async (call) => {
        call.end(JSON.stringify(order()))
        const [answer] = (await once(call, 'response')) as [IncomingMessage]
        answer.resume()
        await once(answer, 'end')
        return answer.statusCode
      })
      assert.deepEqual(await Promise.all(answers), Array(50).fill(200))
      // The clients would keep their connections; a stopping server does not wait for them.
      assert.deepEqual(await closed, [0, null])
      agent.destroy()
      assert.equal((await inStore(({ db }) => db.read('select 1 from payments'))).length, 50)
    })
  })

  describe('a stop with connected clients', () => {
    beforeEach(() => open({ KARBA_STOP_WITHIN_MS: '6000' }))

    it('ends within its limit, with any kind of connection', async (t) => {
      const server = await start()
      const port = Number(new URL(server.url).port)
      const sockets = Array.from({ length: 3 }, () =>
        connect({ port, host: '127.0.0.1' }).on('error', () => {}),
      )
      t.after(() => sockets.map((socket) => socket.destroy()))
      await Promise.all(sockets.map((socket) => once(socket, 'connect')))
      const [, half, unread] = sockets as [Socket, Socket, Socket]
      half.write('POST /api/v1/payments HTTP/1.1\r\nhost: karba\r\ncontent-length: 100\r\n\r\n{')
      unread.pause()
      unread.write('GET /api/v1/openapi.json HTTP/1.1\r\nhost: karba\r\n\r\n'.repeat(30))
      const stopping = performance.now()
      assert.equal(await server.end('SIGTERM'), 0)
      assert.ok(performance.now() - stopping < 6_000)
    })
  })

  async function accepts(url: string): Promise<boolean> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const isConnected = await once(socket, 'connect').catch(() => false)
    socket.destroy()
    return isConnected !== false
  }

  describe('the log of a server', () => {
    beforeEach(() => open())

    it('has one line for each request, with the X-Request-Id of its answer, and no secret', async () => {
      const { sandbox, live } = (await inStore(newMerchant)).accounts
      const token = `${CANARY}-token`
      const server = await start({
        KARBA_LOG_LEVEL: 'debug',
        KARBA_METRICS_TOKEN: token,
        KARBA_MASTER_KEY: '',
      })
      const taken = order()
      const calls: [
        path: string,
        key: string,
        body: unknown,
        change: Record<string, string>,
        code: number,
      ][] = [
        ['/api/v1/payments', sandbox.secretKey, taken, {}, 200],
        ['/api/v1/payments', sandbox.secretKey, taken, {}, 422],
        ['/api/v1/payments', live.secretKey, order({ customer_name: live.secretKey }), {}, 200],
        ['/api/v1/payments', live.secretKey, `{"amount":"${sandbox.secretKey}`, {}, 400],
        ['/api/v1/payments', sandbox.secretKey, order(), { 'svc-target-environment': 'live' }, 401],
        ['/api/v1/payments', sandbox.secretKey, order(), { authorization: sandbox.secretKey }, 400],
        ['/api/v1/payments', sandbox.secretKey, 'x'.repeat(70_000), {}, 413],
        [
          `/api/v1/payments/${taken.transaction_id}?key=${sandbox.secretKey}`,
          sandbox.secretKey,
          undefined,
          {},
          200,
        ],
        [`/api/v1/payments/${live.secretKey}`, sandbox.secretKey, undefined, {}, 404],
        [`/${live.secretKey}`, live.secretKey, undefined, {}, 404],
        ['/metrics', live.secretKey, undefined, { authorization: `Bearer ${token}` }, 200],
        ['/healthz', live.secretKey, order(), {}, 405],
      ]
      const expected = new Map<string | null, number>()
      for (const [path, key, body, change, code] of calls) {
        const answer = await fetch(`${server.url}${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: head(key, change),
          ...(body !== undefined && {
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }),
        })
        await answer.text()
        assert.equal(answer.status, code, path)
        expected.set(answer.headers.get('x-request-id'), code)
      }
      assert.equal(expected.size, calls.length)
      assert.equal(await stop(server), 0)
      const lines = server.printed().match(/^\{.*\}$/gm) ?? []
      const ofRequests = lines
        .map((line) => JSON.parse(line))
        .filter((line) => line.request !== undefined)
      const logged = ofRequests.map(({ request, status }) => [request, status])
      assert.deepEqual(logged, [...expected])
      for (const secret of [
        'sk_',
        'Bearer',
        CANARY,
        sandbox.secretKey.slice(-40),
        live.secretKey.slice(-40),
      ]) {
        assert.ok(!server.printed().includes(secret), secret)
      }
    })

    for (const role of ['all', 'worker'])
      it(`has one line for the start and one for the stop of role ${role}, with version, role, mode and pid`, async () => {
        const server = await start({ KARBA_LOG_LEVEL: 'info', KARBA_ROLE: role })
        assert.equal(await stop(server), 0)
        const lines = (server.printed().match(/^\{.*\}$/gm) ?? []).map((line) => JSON.parse(line))
        const { version } = JSON.parse(
          readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
        )
        const expected = { version, role, mode: 'development', pid: server.child.pid }
        for (const [message, more] of [
          ['started', { address: server.url }],
          ['stopping', { signal: 'SIGTERM' }],
        ] as const) {
          const found = lines.filter(({ msg }) => msg === message)
          assert.equal(found.length, 1, message)
          assert.partialDeepStrictEqual(found[0], { ...expected, ...more })
        }
      })

    it('that is no longer read delays neither an answer nor a stop', async () => {
      const server = await start({ KARBA_LOG_LEVEL: 'info' })
      server.child.stdout?.pause()
      // Several times the buffers of a pipe and its reader.
      for (let nth = 0; nth < 1_500; nth++)
        await (await fetch(`${server.url}/api/v1/payments/none`)).text()
      assert.equal(await server.end('SIGTERM'), null)
      assert.equal(server.child.signalCode, 'SIGKILL')
    })
  })
})

// SIGHUP (a closed terminal or SSH session) and SIGQUIT (Ctrl+\\) stop servers and commands as
// SIGTERM does: gracefully, with exit code 0.
describe('signals that stop a process', { skip: process.platform === 'win32' }, () => {
  const places: StorePlace[] = []
  after(() => Promise.all(places.map((place) => place.remove())))

  async function makePlace(settings: Record<string, string> = {}): Promise<Record<string, string>> {
    const place = await SQLITE.makePlace({ KARBA_LOG_LEVEL: 'info', ...settings })
    places.push(place)
    return place.env
  }
  async function startMigratedSimulator(): Promise<RunningServer> {
    const env = await makePlace()
    assert.equal((await runKarba(['migrate'], env)).code, 0)
    return startSimulator(['--port', '0', '--callbacks-to', 'http://127.0.0.1:9'], env)
  }

  const STARTS: [
    what: string,
    signal: NodeJS.Signals,
    start: () => Promise<RunningServer>,
    says?: RegExp,
  ][] = [
    [
      'a worker',
      'SIGQUIT',
      async () => startProcess(await makePlace({ KARBA_ROLE: 'worker' })),
      /"SIGQUIT".*stopping/,
    ],
    ['karba simulator', 'SIGHUP', startMigratedSimulator],
  ]
  for (const [what, signal, start, says = /^/] of STARTS) {
    it(`${signal}: ${what} stops gracefully`, async () => {
      const started = await start()
      assert.equal(await started.end(signal), 0)
      assert.match(started.printed(), says)
    })
  }
})

it('start and stop: commands find a server on a random port, and none once it has stopped or died', async () => {
  const place = await SQLITE.makePlace()
  const file = join(place.env.KARBA_DATA_DIR as string, 'server.json')
  try {
    const server = await startProcess(place.env)
    const printed = server.printed()
    const account = /acc_\w+/.exec(printed)?.[0] as string
    const create = [
      'link',
      'create',
      account,
      '--amount',
      '15000',
      '--title',
      'Commande 12',
      '--json',
    ]
    const made = await runKarba(create, place.env)
    assert.ok(made.stdout.includes(`${server.url}/pay/`), made.stdout + made.stderr)
    assert.match(printed, new RegExp(`webhook add ${account} --url`))
    assert.equal(await server.end('SIGTERM'), 0)
    assert.equal(existsSync(file), false)
    const killed = await startProcess(place.env)
    await killed.end('SIGKILL')
    assert.equal(existsSync(file), true)
    const none = await runKarba(create, place.env)
    assert.equal(JSON.parse(none.stderr).error.code, 'page_address_not_known')
  } finally {
    await place.remove()
  }
})

for (const store of STORES) {
  it(`start and stop: a read-only command creates no store on ${store.name}; the first merchant does`, async () => {
    const place = await store.makePlace()
    try {
      for (const command of [['merchant', 'list'], ['payment', 'x'], ['doctor'], ['verify']]) {
        const { code, stderr } = await runKarba(command, place.env)
        assert.deepEqual(
          [code, /^karba: There is no store at .*\n$/.test(stderr)],
          [1, true],
          stderr,
        )
      }
      assert.deepEqual(readdirSync(place.env.KARBA_DATA_DIR as string), [])
      const create = ['merchant', 'create', '--name', 'Boutique Awa']
      const made = await spawnKarba(create, place.env)
      const { databaseUrl } = place.config
      const name =
        store === SQLITE
          ? databaseUrl.slice('sqlite:'.length)
          : new URL(databaseUrl).pathname.slice(1)
      assert.match(
        made.stderr,
        /^karba: There was no store: a new, empty one was made \(.*\)\. .*DATABASE_URL.*\n$/,
      )
      assert.ok(made.stderr.includes(name), made.stderr)
      const { password } = store === SQLITE ? { password: '' } : new URL(databaseUrl)
      assert.ok(password === '' || !made.stderr.includes(password), 'it quotes a password')
      assert.deepEqual([made.code, (await spawnKarba(create, place.env)).stderr], [0, ''])
      assert.equal((await runKarba(['merchant', 'list'], place.env)).code, 0)
    } finally {
      await place.remove()
    }
  })

  it(`start and stop: a database of an unreleased build is named as such by the server and every command, on ${store.name}`, async () => {
    const place = await store.makePlace()
    try {
      const runtime = await openRuntime(place.config)
      await runtime.db.change(
        `update migrations set name = '0002_books', needs = null where name = '0002_search'`,
      )
      await runtime.db.change(
        `update migrations set name = '0020_packed_search', needs = null
         where name = '0006_refund_lists_and_journals'`,
      )
      await runtime.close()
      const said =
        /of another build of Karba.* \(it has 0002_books, 0020_packed_search, .*not its 0002_search, 0006_.*\).*set DATABASE_URL to an empty database\.\n$/
      const server = await runServer(place.env)
      assert.deepEqual([server.code, server.stderr.split('\n').length], [1, 2])
      assert.match(server.stderr, said)
      for (const command of [['migrate'], ['merchant', 'list'], ['verify'], ['doctor']]) {
        const { code, stdout, stderr } = await spawnKarba(command, place.env)
        assert.equal(code, 1)
        assert.match(stdout + stderr, said, command.join(' '))
      }
    } finally {
      await place.remove()
    }
  })
}
