// Fetching statements over real HTTP on both stores: steps, faults of the network, hostile answers,
// two workers, kills between any two steps, catching up, and what a person asks for.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, afterEach, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { WireReaction, WireRequest } from '../../../simulators/src/network.ts'
import {
  type FetchDeps,
  fetchDueStatement,
  fetchNow,
  fetchPeriod,
  planFetches,
} from '../../src/actions/books/fetch-statements.ts'
import { importStatementFile } from '../../src/actions/books/import-file.ts'
import { dayOf, startOfDay } from '../../src/domain/countries/business-day.ts'
import type { ConnectionKey } from '../../src/domain/operators/connection-key.ts'
import type { ServiceItself } from '../../src/domain/people/caller.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { granted, merchantKey, TESTER } from '../kit/callers.ts'
import {
  type FetchedNetwork,
  movedTime,
  openFetchedNetwork,
  type RawAnswer,
  type Tamper,
} from '../kit/fetched-networks.ts'
import { STORES_IN_HALVES } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { until } from '../kit/waiting.ts'

const WORKER: ServiceItself = { is: 'service', part: 'statements' }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** 10:30 in Niamey. */
const START = Date.UTC(2026, 10, 15, 9, 30)
const SUNDAY = dayOf(START)

const isAbout = (part: 'request' | 'state' | 'file', { method, path }: WireRequest): boolean =>
  part === 'request'
    ? method === 'POST' && path === '/v2/statements'
    : path.startsWith(part === 'state' ? '/v2/statements/' : '/statement-files/')

const bodyOf = (reaction: WireReaction): Record<string, unknown> =>
  ('code' in reaction ? reaction.body : {}) as Record<string, unknown>

type Part = Parameters<typeof isAbout>[0]

/** The same answer with other fields in its data. */
const withData =
  (change: Record<string, unknown>) =>
  (reaction: WireReaction): WireReaction => ({
    code: 200,
    body: { ...bodyOf(reaction), data: { ...(bodyOf(reaction).data as object), ...change } },
  })

const withFile =
  (change: (bytes: Buffer) => Uint8Array) =>
  (reaction: WireReaction): WireReaction => ({
    code: 200,
    body: change(Buffer.from(bodyOf(reaction) as never)),
  })

const at = (downloadUrl: string) => withData({ status: 'COMPLETED', downloadUrl })
const HEADING = 'Creation Date,MSISDN,Transaction ID,Amount,Currency,Country,MNO,Type\n'
const DOLLARS = gzipSync(
  `${HEADING}2026-11-15T10:00:00Z,22997000000,x,100.00,USD,BEN,MTN,Deposit\n`,
)

type FaultRow = [
  about: string,
  part: Part,
  change: (reaction: WireReaction) => WireReaction,
  fault: string,
  why: RegExp,
]

const FAULTS: FaultRow[] = [
  [
    'answers 500 to the request',
    'request',
    () => ({ code: 500, body: {} }),
    'not_reached',
    /HTTP 500/,
  ],
  ['cuts the request off', 'request', () => ({ cut: true }), 'not_reached', /UND_ERR_SOCKET/],
  [
    'refuses the request',
    'request',
    () => ({
      code: 200,
      body: { status: 'REJECTED', failureReason: { failureCode: 'WALLET_NOT_FOUND' } },
    }),
    'request_refused',
    /WALLET_NOT_FOUND/,
  ],
  [
    'refuses the token',
    'request',
    () => ({ code: 403, body: {} }),
    'credentials_refused',
    /HTTP 403/,
  ],
  [
    'answers with a page',
    'request',
    () => ({ code: 200, body: '<html>' }),
    'answer_not_valid',
    /without JSON/,
  ],
  [
    'accepts with an id that is a path',
    'request',
    () => ({ code: 200, body: { status: 'ACCEPTED', statementId: '../deposits' } }),
    'answer_not_valid',
    /without an id/,
  ],
  ['answers 500 to a look', 'state', () => ({ code: 500, body: {} }), 'not_reached', /HTTP 500/],
  [
    'has forgotten it',
    'state',
    () => ({ code: 200, body: { status: 'NOT_FOUND' } }),
    'not_made',
    /any more/,
  ],
  ['cannot make it', 'state', withData({ status: 'FAILED' }), 'not_made', /FAILED/],
  ['never makes it', 'state', withData({ status: 'PROCESSING' }), 'not_made', /too long/],
  [
    'shows another statement',
    'state',
    withData({ statementId: 'x' }),
    'answer_not_valid',
    /another statement/,
  ],
  [
    'shows another wallet',
    'state',
    withData({ wallet: { country: 'ZMB', currency: 'ZMW' } }),
    'answer_not_valid',
    /another wallet/,
  ],
  [
    'shows another period',
    'state',
    withData({ startDate: '2020-01-01T00:00:00' }),
    'answer_not_valid',
    /another period/,
  ],
  [
    'names the cloud’s metadata',
    'state',
    at('http://169.254.169.254/latest'),
    'address_refused',
    /not_public/,
  ],
  ['names this machine', 'state', at('https://127.0.0.1/x.csv'), 'address_refused', /not_public/],
  ['names a local host', 'state', at('https://localhost/x.csv'), 'address_refused', /not_public/],
  [
    'names a private address',
    'state',
    at('https://[::ffff:10.0.0.1]/x'),
    'address_refused',
    /not_public/,
  ],
  [
    'names plain http',
    'state',
    at('http://files.pawapay.io/x.csv'),
    'address_refused',
    /not_https/,
  ],
  ['names a file', 'state', at('file:///etc/passwd'), 'address_refused', /not_complete/],
  ['names nothing', 'state', at(''), 'address_refused', /not_complete/],
  [
    'redirects',
    'file',
    () => ({ code: 302, headers: { location: 'http://169.254.169.254/' } }),
    'download_failed',
    /302/,
  ],
  [
    'has let the link expire',
    'file',
    () => ({ code: 403, body: '' }),
    'download_failed',
    /HTTP 403/,
  ],
  [
    'cuts the file off',
    'file',
    withFile((bytes) => bytes.subarray(0, -9)),
    'download_failed',
    /bytes/,
  ],
  ['cuts the connection', 'file', () => ({ cut: true }), 'download_failed', /UND_ERR_SOCKET/],
  [
    'sends garbage as GZIP',
    'file',
    withFile((bytes) =>
      Buffer.concat([bytes.subarray(0, 12), Buffer.alloc(bytes.length - 12, 0xff)]),
    ),
    'statement_refused',
    /file_not_readable/,
  ],
]

const OTHER_DAY = gzipSync(
  `${HEADING}2020-11-15T10:00:00Z,22997000000,x,100.00,XOF,BEN,MTN,Deposit\n`,
)

/** These files have another size than pawaPay says, so its answer says nothing about the size. */
const FILES: [about: string, file: () => Uint8Array | string, why: RegExp][] = [
  ['a page', () => '<html><body>maintenance</body></html>', /heading_not_found/],
  ['lines in dollars', () => DOLLARS, /Currency.*USD/],
  ['the file of another day', () => OTHER_DAY, /other_days/],
  ['an empty file', () => gzipSync(''), /file_not_readable/],
  ['a bomb', () => gzipSync(Buffer.alloc(201_000_000), { level: 1 }), /unpacks_too_large/],
]

/** Takes the download of the file and answers it in its own way. */
const onFile =
  (answer: (response: ServerResponse) => void): RawAnswer =>
  ({ url }, response) => {
    if (url?.startsWith('/statement-files/') !== true) return false
    answer(response)
    return true
  }

const ZEROS = Buffer.alloc(65_536)

/** Writes until the other side leaves. */
function endless(response: ServerResponse): void {
  const more = (): void => {
    while (response.write(ZEROS));
  }
  response.on('drain', more).on('error', () => {})
  more()
}

const FEDAPAY_ROWS = 100
const rowsFrom = (first: number): object[] =>
  Array.from({ length: FEDAPAY_ROWS }, (_, at) => ({
    id: first + at,
    reference: `x${first + at}`,
    created_at: '',
  }))

const isSearch = ({ path }: WireRequest): boolean => path === '/v1/transactions/search'
const pageIn = ({ query }: WireRequest): number => Number(query.get('page'))

/** What FedaPay's search answers instead. */
type FedapayRow = [about: string, change: Tamper, fault: string, why: RegExp]

const answers =
  (answer: WireReaction): Tamper =>
  (request, reaction) =>
    isSearch(request) ? answer : reaction

const FEDAPAY_FAULTS: FedapayRow[] = [
  [
    'repeats the first page for ever',
    (request, reaction) =>
      isSearch(request)
        ? { code: 200, body: { 'v1/transactions': rowsFrom(1), meta: { total_pages: 999_999 } } }
        : reaction,
    'answer_not_valid',
    /page 2 of the transactions has nothing new/,
  ],
  [
    'repeats the first page for ever, and does not say how many there are',
    (request, reaction) =>
      isSearch(request) ? { code: 200, body: { 'v1/transactions': rowsFrom(1) } } : reaction,
    'answer_not_valid',
    /page 2 of the transactions has nothing new/,
  ],
  [
    'has an empty page before the last',
    (request, reaction) =>
      isSearch(request)
        ? {
            code: 200,
            body: {
              'v1/transactions': pageIn(request) === 1 ? rowsFrom(1) : [],
              meta: { total_pages: 3 },
            },
          }
        : reaction,
    'answer_not_valid',
    /page 2 of the transactions has nothing new/,
  ],
  [
    'has pages without an end',
    (request, reaction) =>
      isSearch(request)
        ? { code: 200, body: { 'v1/transactions': rowsFrom(pageIn(request) * FEDAPAY_ROWS) } }
        : reaction,
    'answer_not_valid',
    /more than 50000 transactions/,
  ],
  [
    'redirects',
    answers({ code: 302, headers: { location: 'http://169.254.169.254/' } }),
    'answer_not_valid',
    /302/,
  ],
  [
    'answers with a page',
    answers({ code: 200, body: '<html>maintenance</html>' }),
    'answer_not_valid',
    /without JSON/,
  ],
  [
    'answers without an end',
    answers({ code: 200, body: Buffer.alloc(20_000_000, 0x20) }),
    'not_reached',
    /too long/,
  ],
]

for (const store of STORES_IN_HALVES) {
  describe(`fetched statements on ${store.name}`, () => {
    const time = movedTime(START)
    let service: VirtualService
    let pawapay: FetchedNetwork
    let fedapay: FetchedNetwork
    let deps: FetchDeps
    let connections = 0

    before(async () => {
      service = await openVirtualService(store)
      pawapay = await openFetchedNetwork('pawapay', { config: service.config, time })
      fedapay = await openFetchedNetwork('fedapay', { config: service.config, time })
      const { random, keptFiles, statementParser } = service
      const networkOf = ({ connection }: ConnectionKey) =>
        connection.startsWith('fedapay') ? fedapay : pawapay
      deps = {
        db: service.db,
        clock: time.real,
        random,
        keptFiles,
        statementParser,
        isConnected: () => true,
        connectorOf: ({ connection }) => connection.split('-')[0],
        statementsOf: (key) =>
          key.connection.startsWith('mtn') ? undefined : networkOf(key).statements,
      }
      for (let number = 1; number <= 3; number++)
        await pawapay.paid(`pay${number}`.padEnd(24, '0'), 1_000 * number)
      time.pass(DAY_MS)
    })
    after(async () => {
      await pawapay.close()
      await fedapay.close()
      await service.remove()
    })
    afterEach(() => {
      for (const { state } of [pawapay, fedapay]) {
        state.tamper = undefined
        state.raw = undefined
      }
    })

    /** A connection of its own for each test: the same wallet under another name. */
    const newConnection = (connector = 'pawapay'): ConnectionKey => ({
      environment: 'live',
      connection: `${connector}-${++connections}`,
    })

    const steps = async (by: FetchDeps = deps): Promise<void> => {
      while (await fetchDueStatement(by, WORKER));
    }

    /** Works until nothing is due in the next minutes. */
    async function work(by: FetchDeps = deps): Promise<void> {
      for (let times = 0; times < 4; times++) {
        await steps(by)
        time.pass(10_000)
      }
    }

    interface Row {
      state: string
      fault: string | null
      why: string | null
      dueAt: number | null
      failures: number
    }

    const rowsOf = ({ connection }: ConnectionKey): Promise<(Row & { day: number })[]> =>
      service.db.read(
        `select day, state, fault, why, due_at as "dueAt", failures from statement_fetches
          where connection = :connection order by day`,
        { connection },
      )
    const countOf = async (table: string, { connection }: ConnectionKey): Promise<number> =>
      (
        await service.db.read<{ count: number }>(
          `select count(*) as count from ${table} where connection = :connection`,
          { connection },
        )
      )[0]?.count as number
    const linesOf = async ({ connection }: ConnectionKey): Promise<string[]> =>
      (
        await service.db.read<{ line: string }>(
          `select type || ' ' || amount_xof || ' ' || our_reference as line from statement_lines
            where connection = :connection`,
          { connection },
        )
      )
        .map(({ line }) => line)
        .sort()
    const booksOf = async (key: ConnectionKey) => [
      await linesOf(key),
      await countOf('book_exceptions', key),
    ]

    it('a new connection’s last day is fetched in steps, kept, and imported once', async () => {
      const key = newConnection()
      await planFetches(deps, WORKER, { connections: [key] })
      assert.deepEqual(
        (await rowsOf(key)).map(({ day, state }) => [day, state]),
        [[SUNDAY, 'waiting']],
      )
      await work()
      assert.deepEqual(
        (await rowsOf(key)).map(({ state, dueAt }) => [state, dueAt]),
        [['fetched', null]],
      )
      const lines = await linesOf(key)
      assert.equal(lines.filter((line) => line.startsWith('collection')).length, 3)
      assert.equal(lines.filter((line) => line.startsWith('settlement')).length, 0)
      assert.equal(await countOf('kept_files', key), 1)
      const calls = pawapay.state.calls.length
      await planFetches(deps, WORKER, { connections: [key] })
      await work()
      assert.equal(pawapay.state.calls.length, calls)
      granted(
        await fetchPeriod({ ...deps, pause }, TESTER, {
          ...key,
          firstDay: SUNDAY,
          lastDay: SUNDAY,
          isDryRun: false,
        }),
      )
      assert.deepEqual(await linesOf(key), lines)
    })

    const pause = async (ms: number): Promise<void> => time.pass(ms)

    for (const [about, part, change, fault, why] of FAULTS)
      it(`a network that ${about}: nothing stays, the failure is named, and a later try succeeds`, async () => {
        const key = newConnection()
        await planFetches(deps, WORKER, { connections: [key] })
        pawapay.state.tamper = (request, reaction) =>
          isAbout(part, request) ? change(reaction) : reaction
        await work()
        if (about === 'never makes it')
          for (let hours = 0; hours < 7; hours++) {
            time.pass(HOUR_MS)
            await steps()
          }
        const [row] = await rowsOf(key)
        assert.deepEqual([row?.state, row?.fault], ['waiting', fault])
        assert.match(row?.why ?? '', why)
        assert.deepEqual(
          [await countOf('statement_lines', key), await countOf('kept_files', key)],
          [0, 0],
        )
        pawapay.state.tamper = undefined
        time.pass(31 * MINUTE_MS)
        await work()
        assert.deepEqual((await rowsOf(key)).map(({ day, state, why }) => [day, state, why])[0], [
          row?.day,
          'fetched',
          null,
        ])
      })

    for (const [about, file, why] of FILES)
      it(`a file that is ${about} is refused whole`, async () => {
        const key = newConnection()
        await planFetches(deps, WORKER, { connections: [key] })
        pawapay.state.tamper = (request, reaction) => {
          if (isAbout('state', request)) return withData({ fileSize: null })(reaction)
          return isAbout('file', request) ? { code: 200, body: file() } : reaction
        }
        await work()
        const [row] = await rowsOf(key)
        assert.equal(row?.fault, 'statement_refused')
        assert.match(row?.why ?? '', why)
        assert.deepEqual(
          [await countOf('statement_lines', key), await countOf('kept_files', key)],
          [0, 0],
        )
      })

    it('a file without an end is given up at the largest size, and nothing of it stays', async () => {
      const key = newConnection()
      await planFetches(deps, WORKER, { connections: [key] })
      let hasLeft = false
      pawapay.state.raw = onFile((response) => {
        response.on('close', () => (hasLeft = true))
        endless(response.writeHead(200))
      })
      await work()
      const [row] = await rowsOf(key)
      assert.equal(row?.fault, 'statement_refused')
      assert.match(row?.why ?? '', /file_too_large/)
      assert.deepEqual(
        [await countOf('statement_lines', key), await countOf('kept_files', key)],
        [0, 0],
      )
      await until('end of the connection', () => hasLeft)
    })

    it('a file that comes byte by byte is given up after five minutes, and so is one that never begins', async () => {
      const ways: [about: string, answer: (response: ServerResponse) => void][] = [
        [
          'bytes',
          (response) => {
            response.writeHead(200)
            const dripping = setInterval(() => response.write('a'), 5)
            response.on('close', () => clearInterval(dripping))
          },
        ],
        ['nothing', () => {}],
      ]
      for (const [about, answer] of ways) {
        const key = newConnection()
        await planFetches(deps, WORKER, { connections: [key] })
        let hasBegun = false
        let hasLeft = false
        pawapay.state.raw = onFile((response) => {
          response.on('close', () => (hasLeft = true))
          answer(response)
          hasBegun = true
        })
        const working = work()
        await until(`download of ${about}`, () => hasBegun)
        time.pass(5 * MINUTE_MS)
        await working
        const [row] = await rowsOf(key)
        assert.deepEqual([row?.fault, row?.why], ['download_failed', 'it took too long'], about)
        assert.deepEqual(
          [await countOf('statement_lines', key), await countOf('kept_files', key)],
          [0, 0],
          about,
        )
        await until('end of the connection', () => hasLeft)
      }
    })

    it('a day that always fails is given up after its tries, and a person has it fetched again', async () => {
      const key = newConnection()
      await planFetches(deps, WORKER, { connections: [key] })
      pawapay.state.tamper = (request, reaction) =>
        isAbout('request', request) ? { code: 503 } : reaction
      const calls = pawapay.state.calls.length
      for (let tries = 0; tries < 20; tries++) {
        await steps()
        time.pass(DAY_MS)
      }
      const [row] = await rowsOf(key)
      assert.deepEqual([row?.state, row?.dueAt, row?.failures], ['failed', null, 9])
      assert.equal(pawapay.state.calls.length - calls, 9)
      pawapay.state.tamper = undefined
      granted(await fetchNow(deps, TESTER, key))
      await work()
      assert.equal((await rowsOf(key))[0]?.state, 'fetched')
    })

    it('missed days are caught up for two weeks, and a connection that is gone is forgotten', async () => {
      const key = newConnection()
      await planFetches(deps, WORKER, { connections: [key] })
      await work()
      const [first] = await rowsOf(key)
      time.pass(30 * DAY_MS)
      await planFetches(deps, WORKER, { connections: [key] })
      const days = (await rowsOf(key)).map(({ day }) => day)
      assert.equal(days.length, 15)
      assert.deepEqual(days.slice(-2), [(first?.day ?? 0) + 29, (first?.day ?? 0) + 30])
      await planFetches(deps, WORKER, { connections: [] })
      assert.deepEqual(
        (await rowsOf(key)).map(({ day }) => day),
        [first?.day],
      )
    })

    it('two workers take different days, and each day is asked for once', async () => {
      const keys = Array.from({ length: 5 }, () => newConnection())
      await planFetches(deps, WORKER, { connections: keys })
      const asked = () =>
        pawapay.state.calls.filter((call) => call === 'POST /v2/statements').length
      const before = asked()
      for (let times = 0; times < 4; times++) {
        await Promise.all([steps(), steps(), steps()])
        time.pass(10_000)
      }
      assert.equal(asked() - before, keys.length)
      for (const key of keys) assert.equal((await rowsOf(key))[0]?.state, 'fetched')
    })

    it('a process that is killed between steps leaves the day to the next one, with the same books', async () => {
      const whole = newConnection()
      await planFetches(deps, WORKER, { connections: [whole] })
      let statements = 0
      await work({ ...deps, db: watched(service.db, () => void statements++) })
      const expected = await booksOf(whole)
      const stride = store.name === 'SQLite' ? 3 : 7
      for (let killedAt = 1; killedAt <= statements; killedAt += stride) {
        const key = newConnection()
        await planFetches(deps, WORKER, { connections: [key] })
        let count = 0
        const dying = watched(service.db, () => {
          if (++count >= killedAt) throw new Error('killed')
        })
        await work({ ...deps, db: dying }).catch(() => {})
        time.pass(11 * MINUTE_MS)
        // The lease of an import ends by the database's clock, which does not pass here.
        await service.db.change(
          'update statement_sources set importing_until = 0 where connection = :connection',
          { connection: key.connection },
        )
        await work()
        assert.deepEqual(await booksOf(key), expected, `killed at ${killedAt}`)
        assert.equal((await rowsOf(key))[0]?.state, 'fetched', `killed at ${killedAt}`)
      }
      assert.ok(statements > 15, `${statements} statements`)
    })

    it('a person has this day fetched as far as it is there, and the rest comes in the night', async () => {
      const key = newConnection()
      granted(await fetchNow(deps, TESTER, key))
      const today = dayOf(time.real.now())
      await work()
      const rows = await rowsOf(key)
      assert.deepEqual(
        rows.map(({ day, state }) => [day, state]),
        [
          [today - 1, 'fetched'],
          [today, 'waiting'],
        ],
      )
      assert.equal(rows[1]?.dueAt, startOfDay(today + 1) + 2 * HOUR_MS)
      const calls = pawapay.state.calls.length
      granted(await fetchNow(deps, TESTER, key))
      await steps()
      assert.equal(pawapay.state.calls.length, calls, 'not twice within a minute')
    })

    it('only those who may import a connection’s statements may have them fetched, and only where they are offered', async () => {
      const other = { ...deps, isOwnConnection: async () => false }
      assert.deepEqual(await fetchNow(other, merchantKey('acc_other'), newConnection()), {
        refused: 'caller_not_allowed',
      })
      assert.deepEqual(await fetchNow(deps, TESTER, newConnection('mtn')), {
        refused: 'statements_not_offered',
      })
      const period = { ...newConnection(), firstDay: SUNDAY, isDryRun: true }
      for (const lastDay of [SUNDAY - 1, SUNDAY + 31, 99_999])
        assert.equal(
          'refused' in (await fetchPeriod({ ...deps, pause }, TESTER, { ...period, lastDay })),
          true,
        )
    })

    it('a dry run shows the result and stores nothing', async () => {
      const key = newConnection()
      const period = { ...key, firstDay: SUNDAY, lastDay: SUNDAY + 1, isDryRun: true }
      const shown = granted(await fetchPeriod({ ...deps, pause }, TESTER, period))
      assert.ok('added' in shown && shown.added > 3)
      for (const table of ['statement_lines', 'statement_files', 'kept_files', 'statement_fetches'])
        assert.equal(await countOf(table, key), 0, table)
    })

    it('FedaPay is read page by page: payments, refunds and payouts, each once, and the export adds nothing', async () => {
      const firstDay = dayOf(time.real.now())
      const count = 110
      for (let number = 1; number <= count; number++)
        await fedapay.paid(
          `feda${number}`.padEnd(24, 'x'),
          500 + number,
          number % 50 === 0 ? '2290166000007' : undefined,
        )
      const key = newConnection('fedapay')
      time.pass(5 * DAY_MS)
      const lastDay = dayOf(time.real.now()) - 1
      const period = { ...key, firstDay, lastDay, isDryRun: false }
      const fetched = granted(await fetchPeriod({ ...deps, pause }, TESTER, period))
      assert.ok('added' in fetched)
      const lines = await linesOf(key)
      const ofType = (type: string): number =>
        lines.filter((line) => line.startsWith(`${type} `)).length
      assert.deepEqual([ofType('collection'), ofType('refund')], [count, 2])
      assert.ok(ofType('settlement') > 0)
      assert.ok(
        fedapay.state.calls.filter((call) => call === 'GET /v1/transactions/search').length >= 2,
      )
      const { bytes } = fedapay.network.statement({
        from: startOfDay(firstDay),
        to: startOfDay(lastDay + 1),
      })
      const open = async function* () {
        yield bytes
      }
      const file = { ...key, name: 'export.csv', open, isDryRun: false }
      const exported = granted(await importStatementFile(deps, TESTER, file))
      assert.deepEqual([exported.lines, exported.added], [count + 2, 0])
    })

    for (const [about, change, fault, why] of FEDAPAY_FAULTS)
      it(`FedaPay that ${about}: nothing stays, the failure is named, and a later try succeeds`, async () => {
        const key = newConnection('fedapay')
        await planFetches(deps, WORKER, { connections: [key] })
        fedapay.state.tamper = change
        await work()
        const [row] = await rowsOf(key)
        assert.deepEqual([row?.state, row?.fault], ['waiting', fault])
        assert.match(row?.why ?? '', why)
        assert.deepEqual(
          [await countOf('statement_lines', key), await countOf('kept_files', key)],
          [0, 0],
        )
        fedapay.state.tamper = undefined
        time.pass(31 * MINUTE_MS)
        await work()
        assert.equal((await rowsOf(key))[0]?.state, 'fetched')
      })

    it('FedaPay: pages that come slowly are given up before another process may begin the day', async () => {
      const key = newConnection('fedapay')
      await planFetches(deps, WORKER, { connections: [key] })
      const begunAt = time.real.now()
      fedapay.state.tamper = (request, reaction) => {
        if (!isSearch(request)) return reaction
        time.pass(5_000)
        return { code: 200, body: { 'v1/transactions': rowsFrom(pageIn(request) * FEDAPAY_ROWS) } }
      }
      await steps()
      const [row] = await rowsOf(key)
      assert.deepEqual([row?.fault, row?.why], ['download_failed', 'it took too long'])
      assert.ok(time.real.now() - begunAt < 10 * MINUTE_MS)
    })

    it('FedaPay: a page that fails leaves nothing of the day', async () => {
      const key = newConnection('fedapay')
      await planFetches(deps, WORKER, { connections: [key] })
      fedapay.state.tamper = ({ query }, reaction) =>
        query.get('page') === '2' ? { code: 502, body: '' } : reaction
      await work()
      assert.deepEqual(
        (await rowsOf(key)).map(({ fault }) => fault),
        ['not_reached'],
      )
      assert.deepEqual(
        [await countOf('statement_lines', key), await countOf('kept_files', key)],
        [0, 0],
      )
    })
  })
}

/** A store that calls `seen` before each statement. */
function watched(db: Database, seen: () => void): Database {
  return new Proxy(db, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        seen()
        return Reflect.apply(value, target, args)
      }
    },
  })
}
