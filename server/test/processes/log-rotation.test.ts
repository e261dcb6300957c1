// The sample of deploy/ for logrotate, run by the real program on the log file of a server that
// takes requests.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { freePort, MAIN } from '../kit/process.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { until, within } from '../kit/waiting.ts'

const LOGROTATE = '/usr/sbin/logrotate'
const isMissing = !existsSync(LOGROTATE) && process.env.CI === undefined

describe(
  'logrotate with the sample of deploy/',
  isMissing ? { skip: 'run `apt-get install logrotate`' } : {},
  () => {
    let place: StorePlace
    let server: ChildProcess
    let url: string
    let log: string

    before(async () => {
      place = await SQLITE.makePlace({
        KARBA_LOG_LEVEL: 'info',
        KARBA_LOG_FORMAT: 'json',
        PORT: String(await freePort()),
      })
      url = `http://127.0.0.1:${place.env.PORT}`
      log = join(place.config.dataDir, 'karba.log')
      const file = openSync(log, 'a', 0o600)
      const env = { PATH: process.env.PATH ?? '', ...place.env }
      server = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', file, file] })
      closeSync(file)
      await until(
        'answer',
        () =>
          fetch(`${url}/healthz`)
            .then(({ ok }) => ok)
            .catch(() => false),
        60_000,
      )
    })
    after(async () => {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await within('end of the server', ended)
      await place.remove()
    })

    function rotate(): void {
      const sample = readFileSync(
        new URL('../../../deploy/logrotate.conf', import.meta.url),
        'utf8',
      )
      const config = join(place.config.dataDir, 'logrotate.conf')
      writeFileSync(config, sample.replace('/var/log/karba/*.log', log), { mode: 0o600 })
      execFileSync(LOGROTATE, ['--force', '--state', join(place.config.dataDir, 'state'), config])
    }
    /** The lines of requests, by the X-Request-Id of their answers. */
    const requestsIn = (text: string): string[] =>
      [...text.matchAll(/"request":"([^"]+)"/g)].map(([, id]) => id as string)
    /** Returns the ids of some requests when their lines are written. */
    async function ask(): Promise<string[]> {
      const ids: string[] = []
      while (ids.length < 20)
        ids.push((await fetch(`${url}/nothing`)).headers.get('x-request-id') as string)
      const areWritten = (): boolean => {
        const written = new Set(requestsIn(readFileSync(log, 'utf8')))
        return ids.every((id) => written.has(id))
      }
      await until('log lines', areWritten)
      return ids
    }

    it('a rotated log loses no line of a quiet server, which goes on at the beginning of the file', async () => {
      const asked: string[][] = []
      for (let times = 0; times < 3; times++) {
        asked.push(await ask())
        rotate()
      }
      const files = readdirSync(place.config.dataDir)
        .filter((file) => /^karba\.log\./.test(file))
        .sort()
        .reverse()
      assert.deepEqual(
        files.map((file) => file.endsWith('.gz')),
        [true, true, false],
        'all but the last are compressed',
      )
      const found = files.map((file) => {
        const bytes = readFileSync(join(place.config.dataDir, file))
        return requestsIn((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()).slice(-20)
      })
      assert.deepEqual(found, asked)
      await ask()
      assert.ok(!readFileSync(log).includes(0), 'no hole before the first line')
      assert.equal(server.exitCode, null)
    })
  },
)
