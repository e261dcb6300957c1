// The command karba as a process: exit codes, outputs, standard input, file modes; and karba
// doctor. The commands themselves are tested in cli/.

import assert from 'node:assert/strict'
import { chmodSync, chownSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { findServerAddress } from '../../src/service/server-address.ts'
import { startServer } from '../../src/service/start.ts'
import { makeCertificate } from '../kit/certificate.ts'
import { runKarba } from '../kit/karba.ts'
import { listenLocally, runServer, spawnKarba, startProcess } from '../kit/process.ts'
import { head } from '../kit/service.ts'
import { shared } from '../kit/shared.ts'
import { SQLITE, STORES } from '../kit/stores.ts'

describe('karba as a process', () => {
  const place = shared(() => SQLITE.makePlace())
  before(async () => {
    const { code, stderr } = await spawnKarba(['migrate'], place.env)
    assert.deepEqual([code, stderr], [0, ''])
  })

  it('exit code 0: karba --version prints the version of the package', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
    )
    assert.deepEqual(await spawnKarba(['--version'], place.env), {
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    })
  })

  it('exit code 1: a refusal is one sentence on stderr', async () => {
    const sentence =
      'karba: acc_x: There is no such account. `karba merchant list` shows them all.\n'
    assert.deepEqual(await spawnKarba(['keys', 'list', 'acc_x'], place.env), {
      code: 1,
      stdout: '',
      stderr: sentence,
    })
  })

  it('exit code 2: a usage error is one object on stderr with --json', async () => {
    const { code, stdout, stderr } = await spawnKarba(['nothing', '--json'], place.env)
    assert.deepEqual([code, stdout, JSON.parse(stderr).error.code], [2, '', 'usage'])
  })

  it('a secret is read from standard input', async () => {
    const made = await spawnKarba(
      ['merchant', 'create', '--name', 'Boutique Awa', '--json'],
      place.env,
    )
    const { sandbox } = JSON.parse(made.stdout)
    const { code, stdout } = await spawnKarba(
      ['keys', 'revoke', '-', '--json'],
      place.env,
      `${sandbox.secret_key}\n`,
    )
    assert.deepEqual([code, JSON.parse(stdout)], [0, { revoked: 1 }])
  })

  it('karba master-key rotate prints its new key, and the store uses it', async () => {
    const own = await SQLITE.makePlace({ KARBA_MASTER_KEY: 'ab'.repeat(32) })
    assert.equal(
      (await spawnKarba(['merchant', 'create', '--name', 'Boutique Awa'], own.env)).code,
      0,
    )
    const { code, stdout } = await spawnKarba(['master-key', 'rotate'], own.env)
    const [, shown = ''] = /^([0-9a-f]{64})\n/.exec(stdout) ?? []
    assert.equal(code, 0)
    assert.equal(
      (await spawnKarba(['merchant', 'list'], { ...own.env, KARBA_MASTER_KEY: shown })).code,
      0,
    )
    assert.equal((await spawnKarba(['merchant', 'list'], own.env)).code, 1)
    await own.remove()
  })

  it('files that it writes are readable by its own user only', async () => {
    const folder = place.config.dataDir
    assert.equal((await spawnKarba(['backup', join(folder, 'copy.db')], place.env)).code, 0)
    for (const file of readdirSync(folder))
      assert.equal(statSync(join(folder, file)).mode & 0o077, 0, file)
  })
})

describe('karba doctor', () => {
  for (const store of STORES) {
    describe(`karba doctor on ${store.name}`, () => {
      const place = shared(() => store.makePlace())
      let printed: string
      const production = (): Record<string, string> => ({
        ...place.env,
        KARBA_MODE: 'production',
        PUBLIC_URL: 'https://pay.example',
        KARBA_TRUST_PROXY: '10.0.0.1',
        KARBA_METRICS_TOKEN: 'a-token-for-metrics',
        KARBA_SMTP_URL: 'smtps://mail.example',
        KARBA_CONNECTIONS: '100',
      })
      before(async () => {
        const server = await startProcess(place.env)
        printed = server.printed()
        await server.end('SIGTERM')
      })

      async function examine(env: Record<string, string>) {
        const { code, stdout } = await runKarba(['doctor', '--json'], env)
        const findings: { name: string; is: string; sentence: string }[] = JSON.parse(stdout)
        return [code, new Map(findings.map((each) => [each.name, each]))] as const
      }

      it('names corrections for a new installation, and finds nothing dangerous', async () => {
        const [code, findings] = await examine(place.env)
        const names = ['mode', 'clock', 'file_modes', 'file_owners', 'standby', 'backup', 'drill']
        const found = names.map((name) => findings.get(name)?.is)
        assert.deepEqual(
          [code, ...found],
          [0, 'warning', 'right', 'right', 'right', 'right', 'warning', 'warning'],
        )
      })

      it('calls demo people in production dangerous, and the start is refused until they are removed', async () => {
        assert.equal((await examine(place.env))[1].get('demo')?.is, 'warning')
        const [code, findings] = await examine(production())
        assert.deepEqual([code, findings.get('demo')?.is], [1, 'dangerous'])
        const named = /admin@karba\.example, awa@boutique\.example, 4 keys.*demo remove/
        assert.match(findings.get('demo')?.sentence ?? '', named)
        const start = await runServer(production())
        assert.equal(start.code, 1)
        assert.match(start.stderr, named)
        const removed = await runKarba(['demo', 'remove', '--json'], production())
        const people = ['admin@karba.example', 'awa@boutique.example']
        assert.deepEqual(JSON.parse(removed.stdout), { people, keys: 4 })
        const server = await startProcess(production())
        const url = findServerAddress(place.config.dataDir)
        for (const [key] of printed.matchAll(/sk_(sandbox|live)_\w+/g)) {
          assert.equal((await fetch(`${url}/api/v1/payments`, { headers: head(key) })).status, 401)
        }
        for (const [, email, password] of printed.matchAll(
          /(\S+@\S+\.example) +(\w{4}(?:-\w{4}){4})/g,
        )) {
          const headers = { origin: 'https://pay.example', 'content-type': 'application/json' }
          const body = JSON.stringify({ email, password })
          const signIn = await fetch(`${url}/dashboard/api/sign-in`, {
            method: 'POST',
            headers,
            body,
          })
          assert.equal(signIn.status, 401, email)
        }
        await server.end('SIGTERM')
      })

      it('finds nothing wrong in a well-configured production', async () => {
        if (store.name === 'SQLite') {
          assert.equal(
            (await runKarba(['drill', join(place.config.dataDir, 'copy.db')], place.env)).code,
            0,
          )
        }
        const [code, findings] = await examine(production())
        const wrong = [...findings.values()]
          .filter(({ is }) => is !== 'right')
          .map(({ name }) => name)
        // There is no such address and no operators file. PostgreSQL is that of the tests, without
        // pg_dump.
        const here = ['reachable', 'operators']
        const ofPostgres = ['reachable', 'autovacuum', 'operators', 'backup', 'drill']
        assert.deepEqual([code, wrong], [0, store.name === 'SQLite' ? here : ofPostgres])
      })

      if (store.name === 'PostgreSQL')
        it('judges PostgreSQL’s settings: autovacuum, and standbys of which none is synchronous', async () => {
          const [host] = /127\.0\.0\.1:\d+/.exec(place.env.DATABASE_URL as string) ?? []
          const twice = (place.env.DATABASE_URL as string).replace(`${host}`, `${host},${host}`)
          const [code, findings] = await examine({ ...place.env, DATABASE_URL: twice })
          const found = ['autovacuum', 'data_checksums', 'standby'].map(
            (name) => findings.get(name)?.is,
          )
          assert.deepEqual([code, ...found], [1, 'warning', 'right', 'dangerous'])
        })

      // These judge the process and its files, which do not depend on the store.
      if (store.name !== 'SQLite') return
      it('warns of a limit on open files below the configured number of connections', async () => {
        const { code, stdout } = await spawnKarba(
          ['doctor'],
          { ...place.env, KARBA_CONNECTIONS: '10000' },
          '',
          1_024,
        )
        assert.equal(code, 0)
        assert.match(
          stdout,
          /too few files for KARBA_CONNECTIONS \(514\/10000, ulimit -n 1024\): raise the limit/,
        )
      })

      it('calls a master key that others can read dangerous, and a production start is refused', async () => {
        const key = join(place.config.dataDir, 'master.key')
        chmodSync(key, 0o644)
        const [code, findings] = await examine(production())
        assert.deepEqual([code, findings.get('file_modes')?.is], [1, 'dangerous'])
        const sentence = /Other users of this machine can read .*master\.key: run chmod 600 on it\./
        await assert.rejects(startServer(readConfig(production())), sentence)
        chmodSync(key, 0o600)
      })

      it('warns of files of another owner than their folder', {
        skip: process.getuid?.() !== 0,
      }, async () => {
        const key = join(place.config.dataDir, 'master.key')
        chownSync(key, 65_534, 65_534)
        const [code, findings] = await examine(place.env)
        assert.deepEqual([code, findings.get('file_owners')?.is], [0, 'warning'])
        assert.match(
          findings.get('file_owners')?.sentence ?? '',
          /master\.key: the owner is another/,
        )
        chownSync(key, 0, 0)
      })

      it('a production start without https is refused', async () => {
        const config = readConfig({ ...production(), PUBLIC_URL: 'http://pay.example' })
        await assert.rejects(startServer(config), /PUBLIC_URL must be an https address/)
        const { code, stdout } = await runKarba(['doctor'], {
          ...place.env,
          KARBA_MODE: 'production',
        })
        assert.equal(code, 1)
        assert.match(stdout, /put a TLS proxy in front/)
      })
    })
  }

  it('asks the public address as a stranger: certificate, /healthz and /metrics', async () => {
    const place = await SQLITE.makePlace()
    await runKarba(['migrate'], place.env)
    const files = makeCertificate(place.config.dataDir, '127.0.0.1')
    let metrics = 401
    const site = createServer(
      { key: readFileSync(files.key), cert: readFileSync(files.cert) },
      (asked, answer) => answer.writeHead(asked.url === '/metrics' ? metrics : 200).end(),
    )
    const url = `https://127.0.0.1:${await listenLocally(site)}`
    const examine = async (more: Record<string, string>): Promise<string[]> => {
      // Only a new process reads NODE_EXTRA_CA_CERTS.
      const run = 'NODE_EXTRA_CA_CERTS' in more ? spawnKarba : runKarba
      const { stdout } = await run(['doctor', '--json'], { ...place.env, PUBLIC_URL: url, ...more })
      const findings = JSON.parse(stdout) as { name: string; is: string; sentence: string }[]
      return findings
        .filter(({ name }) => /reachable|metrics_closed/.test(name))
        .map(({ is, sentence }) => `${is} ${sentence}`)
    }
    const trusted = { NODE_EXTRA_CA_CERTS: files.cert }
    assert.deepEqual(await examine(trusted), [
      'right The public address answers, and its certificate is valid for 89 days.',
      'right /metrics is not open to strangers.',
    ])
    metrics = 200
    assert.match((await examine(trusted))[1] as string, /^warning \/metrics answers strangers/)
    assert.match(
      (await examine({}))[0] as string,
      /^warning .*does not answer from here \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    )
    site.close()
    const [closed] = await examine({})
    assert.match(closed as string, /^warning .*does not answer from here \(ECONNREFUSED\)/)
    await place.remove()
  })
})
