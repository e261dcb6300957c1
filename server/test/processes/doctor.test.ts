// karba doctor says of each thing that it is right or what to mend, and a production start refuses what is dangerous.
import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { findServerAddress } from '../../src/service/server-address.ts'
import { runKarba } from '../kit/karba.ts'
import { runServer, spawnKarba, startProcess } from '../kit/process.ts'
import { head } from '../kit/service.ts'
import { STORES, type StorePlace } from '../kit/stores.ts'

interface Told {
  name: string
  is: string
  sentence: string
}

for (const store of STORES) {
  describe(`karba doctor on ${store.name}`, () => {
    let place: StorePlace
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
      place = await store.makePlace()
      const server = await startProcess(place.env)
      printed = server.printed()
      await server.end('SIGTERM')
    })
    after(() => place.remove())

    async function examine(env: Record<string, string>): Promise<[code: number | null, told: Map<string, Told>]> {
      const { code, stdout } = await runKarba(['doctor', '--json'], env)
      return [code, new Map((JSON.parse(stdout) as Told[]).map((each) => [each.name, each]))]
    }

    it('names what to mend in a new installation, and finds nothing dangerous', async () => {
      const [code, told] = await examine(place.env)
      assert.equal(code, 0)
      assert.equal(told.get('mode')?.is, 'warning')
      assert.equal(told.get('clock')?.is, 'right')
      assert.equal(told.get('file_modes')?.is, 'right')
      assert.equal(told.get('backup')?.is, store.name === 'SQLite' ? 'warning' : 'right')
    })

    it('demo people in production: doctor calls them dangerous, and the start is refused until they are removed', async () => {
      assert.equal((await examine(place.env))[1].get('demo')?.is, 'warning')
      const [code, told] = await examine(production())
      assert.deepEqual([code, told.get('demo')?.is], [1, 'dangerous'])
      const named = /admin@karba\.example, awa@boutique\.example, 4 keys.*demo remove/
      assert.match(told.get('demo')?.sentence ?? '', named)
      const start = await runServer(production())
      assert.equal(start.code, 1)
      assert.match(start.stderr, named)
      const removed = await runKarba(['demo', 'remove', '--json'], production())
      assert.deepEqual(JSON.parse(removed.stdout), {
        people: ['admin@karba.example', 'awa@boutique.example'],
        keys: 4,
      })
      const server = await startProcess(production())
      const url = findServerAddress(place.config.dataDir)
      for (const [key] of printed.matchAll(/sk_(sandbox|live)_\w+/g)) {
        assert.equal((await fetch(`${url}/api/v1/payments`, { headers: head(key) })).status, 401)
      }
      for (const [, email, password] of printed.matchAll(/(\S+@\S+\.example) +(\w{4}(?:-\w{4}){4})/g)) {
        const headers = { origin: 'https://pay.example', 'content-type': 'application/json' }
        const body = JSON.stringify({ email, password })
        const signIn = await fetch(`${url}/dashboard/api/sign-in`, { method: 'POST', headers, body })
        assert.equal(signIn.status, 401, email)
      }
      await server.end('SIGTERM')
    })

    it('finds a production that is set up well', async () => {
      if (store.name === 'SQLite') {
        assert.equal((await runKarba(['backup', join(place.config.dataDir, 'copy.db')], place.env)).code, 0)
      }
      const [code, told] = await examine(production())
      const wrong = [...told.values()].filter(({ is }) => is !== 'right').map(({ name }) => name)
      // Real operators are connected by a file of their own; here there is none.
      assert.deepEqual([code, wrong], [0, ['operators']])
    })

    it('warns of a limit on open files that leaves no room for the connections of the settings', async () => {
      const { code, stdout } = await spawnKarba(['doctor'], { ...place.env, KARBA_CONNECTIONS: '10000' }, '', 1_024)
      assert.equal(code, 0)
      assert.match(stdout, /too few files for KARBA_CONNECTIONS \(514\/10000, ulimit -n 1024\): raise the limit/)
    })

    it('calls a key that others can read dangerous, and a production start is refused', async () => {
      const key = join(place.config.dataDir, 'master.key')
      chmodSync(key, 0o644)
      const [code, told] = await examine(production())
      assert.deepEqual([code, told.get('file_modes')?.is], [1, 'dangerous'])
      const start = await runServer(production())
      assert.equal(start.code, 1)
      assert.match(start.stderr, /Other users of this machine can read .*master\.key: run chmod 600 on it\./)
      chmodSync(key, 0o600)
    })

    it('does not start in production without https', async () => {
      const start = await runServer({ ...production(), PUBLIC_URL: 'http://pay.example' })
      assert.equal(start.code, 1)
      assert.match(start.stderr, /PUBLIC_URL must be an https address/)
      const { code, stdout } = await runKarba(['doctor'], {
        ...place.env,
        KARBA_MODE: 'production',
      })
      assert.equal(code, 1)
      assert.match(stdout, /put a TLS proxy in front/)
    })
  })
}
