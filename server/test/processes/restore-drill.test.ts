// karba drill and karba backup on both stores, while a server takes payments: the restored copy
// equals the store at the moment of the backup. Damaged backups and backups without their master
// key are refused. PostgreSQL and its pg_dump are Debian's.
import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { openRuntime } from '../../src/service/runtime.ts'
import { runKarba } from '../kit/karba.ts'
import { makePostgres, type PostgresServer } from '../kit/postgres.ts'
import {
  type Ran,
  type RunningCommand,
  type RunningServer,
  spawnKarba,
  startKarba,
  startProcess,
} from '../kit/process.ts'
import { openReceiver, type Receiver } from '../kit/receiver.ts'
import { head, newMerchant, order } from '../kit/service.ts'
import { type Load, moreAcknowledged, startLoad } from '../kit/several-processes.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { newEndpoint } from '../kit/webhooks.ts'

const PACKAGES = '/usr/lib/postgresql'
const version = existsSync(PACKAGES)
  ? readdirSync(PACKAGES)
      .sort((a, b) => Number(a) - Number(b))
      .at(-1)
  : undefined
const isMissing = version === undefined && process.env.CI === undefined

const QUICK = { KARBA_SANDBOX_DELAY_MS: '0', KARBA_LOG_LEVEL: 'silent' }
const SUM_TABLES = [
  'payments',
  'payment_story',
  'events',
  'webhook_deliveries',
  'payment_links',
  'refunds',
]
const BOOKS = [
  'ledger_entries',
  'ledger_days',
  'audit_log',
  'migrations',
  'service_facts',
  'api_keys',
]

interface Stored {
  place: StorePlace
  secretKey: string
  accountId: string
}

for (const name of ['SQLite', 'PostgreSQL'] as const) {
  const skip =
    name === 'PostgreSQL' && isMissing ? { skip: 'run `apt-get install postgresql`' } : {}
  describe(`karba drill on ${name}`, skip, () => {
    const isSqlite = name === 'SQLite'
    let postgres: PostgresServer | undefined
    let stored: Stored
    let receiver: Receiver
    let server: RunningServer
    let load: Load
    let backup: string
    let kept: string

    before(async () => {
      postgres = isSqlite ? undefined : await makePostgres(join(PACKAGES, version as string, 'bin'))
      receiver = await openReceiver()
      stored = await makeStore(postgres, receiver)
      server = await startProcess(stored.place.env)
      await fillStore(stored, server, receiver)
      load = startLoad(server.url, stored.secretKey, { inFlight: 4, pauseMs: 20 })
      backup = join(stored.place.config.dataDir, isSqlite ? 'backup.db' : 'backup.dump')
      kept = join(stored.place.config.dataDir, 'kept.key')
      copyFileSync(join(stored.place.config.dataDir, 'master.key'), kept)
    })
    after(async () => {
      await load?.stop()
      await server?.end('SIGTERM')
      await receiver?.close()
      await stored?.place.remove()
      await postgres?.stop()
    })

    const drill = (args: string[], env = stored.place.env): Promise<Ran> =>
      runKarba(['drill', ...args], env)
    const databases = async (): Promise<string[]> => {
      if (isSqlite)
        return readdirSync(stored.place.config.dataDir).filter((file) => file.includes('.drill-'))
      const runtime = await openRuntime(stored.place.config)
      const rows = await runtime.db.read<{ name: string }>(
        "select datname as name from pg_database where datname like 'karba_drill%'",
      )
      await runtime.close()
      return rows.map((row) => row.name)
    }

    it('the copy of a store under load equals the original, and the server goes on', async (t) => {
      await moreAcknowledged(load, 100)
      const early = load.acknowledged.size
      const { code, stdout, stderr } = await spawnKarba(
        ['drill', backup, '--master-key', kept],
        stored.place.env,
      )
      const during = load.acknowledged.size - early
      assert.deepEqual(
        [code, stderr.match(/^\d of 4: /gm)],
        [0, ['1 of 4: ', '2 of 4: ', '3 of 4: ', '4 of 4: ']],
        stderr,
      )
      assert.match(
        stdout,
        /^The drill succeeded: \S+ can be restored\. All [\d,]+ rows of \d+ tables equal the store of \S+Z; every secret opens \(\d+\), and the check of its payments \([\d,]+\) found no fault\.\n$/,
      )
      assert.ok(during > 0, `${during} payments were taken meanwhile`)
      await moreAcknowledged(load, 10)
      await load.stop()
      assert.deepEqual([[...load.answers.keys()], load.wrongs, await databases()], [[200], [], []])
      const { tables } = JSON.parse(readFileSync(`${backup}.sums.json`, 'utf8'))
      for (const table of [...SUM_TABLES, ...BOOKS]) assert.ok(tables[table]?.rows > 0, table)
      t.diagnostic(`${during} payments were taken during the drill`)
      t.diagnostic(stdout)
    })

    it('karba doctor knows of the backup and the drill', async () => {
      const { stdout } = await runKarba(['doctor', '--json'], stored.place.env)
      const findings = JSON.parse(stdout) as { name: string; is: string }[]
      const judged = ['backup', 'drill'].map(
        (each) => findings.find((finding) => finding.name === each)?.is,
      )
      assert.deepEqual(judged, ['right', 'right'])
    })

    it('the same backup is tested later against the sums of its moment', async () => {
      const { code, stdout } = await drill(['--existing', backup, '--json'])
      const report = JSON.parse(stdout)
      assert.deepEqual([code, report.good, report.differences, report.unopened], [0, true, [], []])
      assert.ok(report.rows > 300 && report.secrets > 3, stdout)
    })

    it('a backup is never overwritten', async () => {
      const { code, stderr } = await drill([backup])
      assert.deepEqual([code, stderr.includes('is not overwritten')], [1, true])
    })

    const WRONG: [what: string, make: () => string, args: string[], says: RegExp][] = [
      ['a damaged backup', () => damaged(), [], /cannot be restored: /],
      ['a backup that was cut off', () => cut(), [], /cannot be restored: /],
      [
        'a file that is no backup',
        () => written('text', Buffer.from('no backup '.repeat(900))),
        [],
        /cannot be restored: /,
      ],
      ['a backup that is not there', () => `${backup}.none`, [], /There is no file/],
      [
        'another master key',
        () => backup,
        ['--master-key', 'other.key'],
        /belongs to another master key/,
      ],
      [
        'a master key that is not there',
        () => backup,
        ['--master-key', 'none.key'],
        /The master key is missing/,
      ],
    ]
    const written = (what: string, bytes: Buffer): string => {
      const path = `${backup}.${what}`
      writeFileSync(path, bytes)
      return path
    }
    function damaged(): string {
      const bytes = readFileSync(backup)
      const middle = Math.floor(bytes.length / 8_192) * 4_096
      return written('damaged', bytes.fill(255, middle, middle + 4_096))
    }
    const cut = (): string => {
      const bytes = readFileSync(backup)
      return written('cut', bytes.subarray(0, Math.floor(bytes.length * 0.6)))
    }

    for (const [what, make, args, says] of WRONG)
      it(`exits with 1 and one sentence on ${what}, and leaves no copy`, async () => {
        const { dataDir } = stored.place.config
        writeFileSync(join(dataDir, 'other.key'), `${'b'.repeat(64)}\n`)
        const named = args.map((each) => (each.endsWith('.key') ? join(dataDir, each) : each))
        const { code, stdout, stderr } = await drill(['--existing', make(), ...named])
        assert.deepEqual([code, stdout], [1, ''], stderr)
        assert.match(stderr.trimEnd().split('\n').at(-1) as string, says)
        assert.doesNotMatch(stderr, /\n\s+at /)
        assert.deepEqual(await databases(), [])
      })

    it('exits with 1 without the master key of the settings, and creates none', async () => {
      const empty = await SQLITE.makePlace()
      const { code, stderr } = await drill(['--existing', backup], {
        ...stored.place.env,
        KARBA_DATA_DIR: empty.config.dataDir,
      })
      assert.deepEqual([code, readdirSync(empty.config.dataDir)], [1, []])
      assert.match(stderr, /The master key is missing/)
      await empty.remove()
    })

    it('exits with 1 and names the table when one row of the backup was altered', async () => {
      const changed = `${backup}.changed`
      copyFileSync(backup, changed)
      copyFileSync(`${backup}.sums.json`, `${changed}.sums.json`)
      if (isSqlite) {
        const connection = new DatabaseSync(changed)
        connection.exec(
          `update merchants set name = 'Boutique Ali' where rowid = (select min(rowid)
           from merchants)`,
        )
        connection.close()
      } else {
        const sums = JSON.parse(readFileSync(`${changed}.sums.json`, 'utf8'))
        sums.tables.merchants.checksum = '0'.repeat(24)
        writeFileSync(`${changed}.sums.json`, JSON.stringify(sums))
      }
      const { code, stdout } = await drill(['--existing', changed])
      assert.equal(code, 1)
      assert.match(
        stdout,
        /^The table merchants differs from the original\.\n.*\nThe drill failed: do not rely on /,
      )
      assert.deepEqual(await databases(), [])
    })

    it('karba backup makes a file that a drill can test', async () => {
      const plain = join(stored.place.config.dataDir, 'plain.backup')
      const { code, stderr } = await runKarba(['backup', plain], stored.place.env)
      assert.deepEqual([code, stderr], [0, ''])
      const tested = await drill(['--existing', plain])
      assert.equal(tested.code, 0, tested.stderr)
      assert.match(
        tested.stdout,
        /There is no \S+plain\.backup\.sums\.json to compare its [\d,]+ rows with; every secret opens/,
      )
      for (const file of readdirSync(stored.place.config.dataDir))
        assert.doesNotMatch(basename(file), /unfinished/)
    })

    it('what a killed drill left is removed by the next one, and what a running one uses is not', async () => {
      const { env, config } = stored.place
      const files = (): string[] =>
        readdirSync(config.dataDir).filter((file) => /-karba-\w/.test(file))
      const inWork = async (name: string): Promise<RunningCommand> => {
        const running = startKarba(['drill', join(config.dataDir, `${name}.copy`)], env)
        await until(
          `copy of ${name}`,
          () => running.printed.stderr.includes('3 of 4') || running.child.exitCode !== null,
        )
        running.child.kill('SIGSTOP')
        return running
      }
      const before = await databases()
      const killed = await inWork('killed')
      const [left] = (await databases()).filter((each) => !before.includes(each))
      assert.ok(left, killed.printed.stderr)
      killed.child.kill('SIGKILL')
      await killed.closed
      const running = await inWork('running')
      assert.match(
        running.printed.stderr,
        new RegExp(`^Removed .*${left}, which a killed command had left\\.$`, 'm'),
      )
      const [used, ...others] = await databases()
      assert.deepEqual([used === left, others], [false, []])
      const plain = await runKarba(['drill', join(config.dataDir, 'other.copy')], env)
      assert.equal(plain.code, 0, plain.stderr)
      assert.doesNotMatch(plain.stderr, /Removed/)
      assert.deepEqual(await databases(), [used])
      running.child.kill('SIGCONT')
      // PostgreSQL has ended its transaction meanwhile: this drill fails, and removes its copy all
      // the same.
      const code = await running.closed
      if (isSqlite) assert.equal(code, 0, running.printed.stderr)
      assert.notEqual(code, null)
      assert.deepEqual([await databases(), files()], [[], []])
    })

    it('what a killed backup left is removed by the next one, also under another name', async () => {
      const { env, config } = stored.place
      const unfinished = (): string[] =>
        readdirSync(config.dataDir).filter((file) => file.includes('.unfinished-'))
      // A small store is copied in milliseconds: the signal may come too late.
      for (let tried = 0; unfinished().length === 0; tried++) {
        assert.ok(tried < 20, 'a backup was killed while it wrote')
        const killed = startKarba(['backup', join(config.dataDir, `first-${tried}.backup`)], env)
        const watcher = watch(config.dataDir, (_event, name) => {
          if (name?.includes('.unfinished-')) killed.child.kill('SIGKILL')
        })
        await killed.closed.finally(() => watcher.close())
      }
      const next = await runKarba(['backup', join(config.dataDir, 'second.backup')], env)
      assert.deepEqual([next.code, unfinished()], [0, []], next.stderr)
      assert.match(
        next.stderr,
        /^karba: Removed \S+first-\d+\.backup\.unfinished-\S+, which a killed command had left\.$/m,
      )
    })

    if (isSqlite) return
    it('of several hosts, the one that takes writes is backed up and gets the copy', async () => {
      const url = (stored.place.env.DATABASE_URL as string).replace('@', '@127.0.0.1:1,')
      const ran = await drill([`${backup}.hosts`, '--json'], {
        ...stored.place.env,
        DATABASE_URL: url,
      })
      assert.deepEqual(
        [ran.code, JSON.parse(ran.stdout).differences, await databases()],
        [0, [], []],
        ran.stderr,
      )
    })

    it('exits with 1 and says what is missing without pg_dump or the right to create databases', async () => {
      const dump = await spawnKarba(['drill', `${backup}.new`], {
        ...stored.place.env,
        PATH: '/nowhere',
      })
      assert.deepEqual(
        [dump.code, /pg_dump is not installed/.test(dump.stderr)],
        [1, true],
        dump.stderr,
      )
      rmSync(`${backup}.new`, { force: true })
      const runtime = await openRuntime(stored.place.config)
      await runtime.db.change('create role guest login')
      await runtime.close()
      const on = (stored.place.env.DATABASE_URL as string).replace('karba@', 'guest@')
      const refused = await runKarba(
        ['drill', '--existing', backup, '--on', '-'],
        stored.place.env,
        on,
      )
      assert.deepEqual(
        [refused.code, /needs the right CREATEDB/.test(refused.stderr)],
        [1, true],
        refused.stderr,
      )
    })
  })
}

async function makeStore(
  postgres: PostgresServer | undefined,
  receiver: Receiver,
): Promise<Stored> {
  const database =
    postgres === undefined ? {} : { DATABASE_URL: await postgres.createDatabase('karba') }
  const place = await SQLITE.makePlace({ ...QUICK, ...database })
  const runtime = await openRuntime(place.config)
  const { accountId, secretKey } = (await newMerchant(runtime)).accounts.sandbox
  await newEndpoint(runtime, accountId, `${receiver.url}/hook`)
  await runtime.close()
  return { place, accountId, secretKey }
}

/** Settled payments with delivered webhooks, a link and a refund. */
async function fillStore(
  { place, accountId, secretKey }: Stored,
  server: RunningServer,
  receiver: Receiver,
) {
  const karba = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await runKarba(args, place.env)
    assert.equal(code, 0, stderr)
  }
  await karba('link', 'create', accountId, '--amount', '15000', '--title', 'Commande 12')
  const request = { method: 'POST', headers: head(secretKey), body: JSON.stringify(order()) }
  const made = await fetch(`${server.url}/api/v1/payments`, request)
  const { reference } = (await made.json()) as { reference: string }
  await receiver.nth(1)
  await karba('refund', reference, '--amount', '500')
  await until('delivered webhook of the refund', () =>
    receiver.got.some(({ event }) => event.event.startsWith('refund.')),
  )
}
