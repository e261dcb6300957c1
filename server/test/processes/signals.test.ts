// SIGHUP (a terminal or an SSH session that closes) and SIGQUIT (Ctrl+\) stop servers and commands that run until they are stopped as SIGTERM
// does: in order, with exit code 0.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type RunningServer, startProcess, startSimulator } from '../kit/process.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'

describe('signals that stop a process', { skip: process.platform === 'win32' }, () => {
  const places: StorePlace[] = []
  let server: RunningServer
  let env: Record<string, string>
  before(async () => {
    const place = await makePlace()
    server = await startProcess(place.env)
    env = place.env
  })
  after(async () => {
    await server.end('SIGKILL')
    for (const place of places) await place.remove()
  })

  async function makePlace(settings: Record<string, string> = {}): Promise<StorePlace> {
    const place = await SQLITE.makePlace({ KARBA_LOG_LEVEL: 'info', ...settings })
    places.push(place)
    return place
  }

  const STARTS: [what: string, start: () => Promise<RunningServer>, says?: RegExp][] = [
    ['a server', async () => startProcess((await makePlace()).env), /"signal":"(SIGHUP|SIGQUIT)".*stopping/],
    ['a worker', async () => startProcess((await makePlace({ KARBA_ROLE: 'worker' })).env), /"signal".*stopping/],
    ['karba simulator', () => startSimulator(['--port', '0', '--callbacks-to', server.url], env)],
  ]
  for (const [what, start, says = /^/] of STARTS) {
    for (const signal of ['SIGHUP', 'SIGQUIT'] as const) {
      it(`${signal}: ${what} stops in order`, async () => {
        const started = await start()
        assert.equal(await started.end(signal), 0)
        assert.match(started.printed(), says)
      })
    }
  }
})
