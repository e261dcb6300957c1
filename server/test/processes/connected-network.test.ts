// As whoever runs the service: a network's simulator in a process of its own, an operators file, one check, a payment, a pause, a refund by hand. And
// what a start says to a file with a mistake, credentials that are refused, and an address where nobody is.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runKarba } from '../kit/karba.ts'
import { type RunningServer, runServer, startProcess, startSimulator } from '../kit/process.ts'
import { head, order } from '../kit/service.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

const KEY = 'simulated-collection-token'
const CREDENTIALS = {
  MTN_KEY: '6b61726b-6101-4c00-8000-0000000000c1',
  MTN_USER: 'c2ltdWxhdGVkLWNvbGxlY3Rpb24tdXNlcg==',
  MTN_API_KEY: KEY,
}

describe('a network that is connected by a file', () => {
  let place: StorePlace
  let network: RunningServer
  let server: RunningServer
  let secretKey: string
  let env: Record<string, string>

  function writeFile(address: string, change: object = {}): string {
    const file = join(place.config.dataDir, 'operators.json')
    const connection = {
      ...{ name: 'mtn-benin', connector: 'mtn-momo', address },
      options: { subscriptionKey: { env: 'MTN_KEY' }, apiUser: { env: 'MTN_USER' }, apiKey: { env: 'MTN_API_KEY' } },
      ...change,
    }
    const routes = [{ operator: 'mtn_bj', connection: 'mtn-benin' }]
    writeFileSync(file, JSON.stringify({ live: { connections: [connection], routes } }))
    return file
  }

  before(async () => {
    place = await SQLITE.makePlace()
    // Commands run in this process, and the operators file names variables of the process.
    Object.assign(process.env, CREDENTIALS)
    network = await startSimulator(['--network', 'mtn-momo', '--port', '0', '--decide-after', '100'], place.env)
    env = { ...place.env, ...CREDENTIALS, KARBA_OPERATORS_FILE: writeFile(network.url) }
    server = await startProcess(env)
    const made = await json('merchant', 'create', '--name', 'Boutique Awa', '--validate-live')
    secretKey = (made.live as { secret_key: string }).secret_key
  })
  after(async () => {
    await server.end('SIGTERM')
    await network.end('SIGTERM')
    await place.remove()
  })

  async function json(...args: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await runKarba([...args, '--json'], env)
    assert.deepEqual([code, stderr], [0, ''])
    return JSON.parse(stdout)
  }
  async function create(): Promise<{ status: number; reference: string }> {
    const body = JSON.stringify(order({ country: 'BJ', msisdn: '97123456' }))
    const answer = await fetch(`${server.url}/api/v1/payments`, { method: 'POST', headers: head(secretKey), body })
    const { reference } = (await answer.json()) as { reference: string }
    return { status: answer.status, reference }
  }
  async function statusOf(reference: string): Promise<string> {
    const answer = await fetch(`${server.url}/api/v1/payments/${reference}`, { headers: head(secretKey) })
    return ((await answer.json()) as { status: string }).status
  }

  it('is checked without a secret in what is said', async () => {
    const { code, stdout } = await runKarba(['operators', 'check', 'live/mtn-benin'], env)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /✔ Collection: the network gave an access token/)
    for (const secret of Object.values(CREDENTIALS)) assert.ok(!stdout.includes(secret))
  })

  it('collects, tells the network’s own reference, and leaves the refund to a person', async () => {
    const { status, reference } = await create()
    assert.equal(status, 200)
    await until('outcome', async () => (await statusOf(reference)) === 'succeeded')
    const books = (await (await fetch(`${network.url}/control/payments`)).json()) as { debits: number }[]
    assert.deepEqual(
      books.map(({ debits }) => debits),
      [1],
    )
    const shown = await json('payment', reference)
    assert.equal(shown.connection, 'mtn-benin')
    assert.match(String(shown.operator_reference), /^\d+$/)
    await json('refund', reference)
    const tasks = async () => (await json('refund', 'tasks')) as unknown as { refund_reference: string }[]
    await until('task', async () => (await tasks()).length === 1)
    const [task] = await tasks()
    await json('refund', 'confirm', task?.refund_reference as string, '--proof', 'partner portal, refund 8812')
    assert.equal(await statusOf(reference), 'refunded')
  })

  it('takes nothing while it is paused, within a second or two, and goes on when it is resumed', async () => {
    await json('operators', 'pause', 'live/mtn-benin', '--reason', 'an outage was announced')
    await until('refusal', async () => (await create()).status === 403)
    const [listed] = (await json('operators', 'list')) as unknown as { pause: { reason: string } }[]
    assert.equal(listed?.pause.reason, 'an outage was announced')
    await json('operators', 'resume', 'live/mtn-benin', '--reason', 'it is over')
    await until('create', async () => (await create()).status === 200)
    const { rows } = { rows: (await json('audit', 'live/mtn-benin')) as unknown as { action: string }[] }
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['connection.resume', 'connection.pause'],
    )
  })

  it('keeps payments pending while its credentials are refused, says why, and creates go on', async () => {
    await fetch(`${network.url}/control/faults`, { method: 'POST', body: '{"name":"token_refused"}' })
    await fetch(`${network.url}/control/reset`, { method: 'POST' })
    await fetch(`${network.url}/control/faults`, { method: 'POST', body: '{"name":"token_refused"}' })
    const { status, reference } = await create()
    assert.equal(status, 200)
    const isRefused = async () => {
      const [listed] = (await json('operators', 'list')) as unknown as {
        health: { misconfigured: boolean; why: string }
      }[]
      return listed?.health.misconfigured === true && !listed.health.why.includes(KEY)
    }
    await until('health that says why', isRefused)
    assert.equal(await statusOf(reference), 'pending')
    const { code, stdout } = await runKarba(['operators', 'check'], env)
    assert.equal(code, 1)
    assert.match(stdout, /✖/)
    await fetch(`${network.url}/control/faults`, { method: 'DELETE' })
    await until('outcome', async () => (await statusOf(reference)) === 'succeeded')
  })

  it('with a mistake in it stops the start with a sentence, and no secret', async () => {
    const file = join(place.config.dataDir, 'wrong.json')
    writeFileSync(
      file,
      JSON.stringify({ live: { connections: [{ name: 'mtn-benin', connector: 'mtn' }], routes: [] } }),
    )
    const other = await SQLITE.makePlace()
    const { code, stderr } = await runServer({ ...other.env, KARBA_OPERATORS_FILE: file })
    await other.remove()
    assert.notEqual(code, 0)
    assert.match(
      stderr,
      /live\.connections\[0\]\.connector is “mtn”; there are: mtn-momo, airtel-money, fedapay, pawapay\./,
    )
  })

  it('whose address nobody listens on keeps payments pending, and creates go on', async () => {
    const other = await SQLITE.makePlace()
    const lost = { ...other.env, ...CREDENTIALS, KARBA_OPERATORS_FILE: writeFile('http://127.0.0.1:9') }
    const alone = await startProcess(lost)
    try {
      const { stdout } = await runKarba(['merchant', 'create', '--name', 'Chez Ali', '--validate-live', '--json'], lost)
      const headers = head((JSON.parse(stdout) as { live: { secret_key: string } }).live.secret_key)
      const body = JSON.stringify(order({ country: 'BJ', msisdn: '97123456' }))
      const answer = await fetch(`${alone.url}/api/v1/payments`, { method: 'POST', headers, body })
      assert.equal(answer.status, 200, await answer.text())
      const { code, stdout: said } = await runKarba(['operators', 'check'], lost)
      assert.equal(code, 1, said)
    } finally {
      await alone.end('SIGTERM')
      await other.remove()
    }
  })
})
