// deploy/nginx-balancer.conf in a real nginx, in front of two real `api` processes on one
// PostgreSQL: one stops or is killed while payments are created. None is lost, none is made twice,
// and no POST is repeated that may be recorded.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import { makeCertificate } from '../kit/certificate.ts'
import { configureNginx, NGINX } from '../kit/nginx.ts'
import { freePort, type RunningServer, startProcess } from '../kit/process.ts'
import { head, newMerchant, order } from '../kit/service.ts'
import {
  assertReadable,
  assertRecordedOnce,
  IN_FLIGHT,
  type Load,
  makePlaceWithAccount,
  moreAcknowledged,
  openOperatorWithBooks,
  startLoad,
} from '../kit/several-processes.ts'
import { POSTGRES, type StorePlace } from '../kit/stores.ts'
import { until, within } from '../kit/waiting.ts'

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url))
const SAMPLE = readFileSync(join(DEPLOY, 'nginx-balancer.conf'), 'utf8')
/** In the sample. */
const ADDRESSES = ['10.0.0.11:8080', '10.0.0.12:8080'] as const
const WITH_EACH_STATE = 150
/** A name and not an address: clients do not say in the TLS handshake which address they want. */
const NAME = 'localhost'

const inPattern = (address: string): string => address.replaceAll('.', '\\.')

const isMissing = !existsSync(NGINX) && process.env.CI === undefined

describe('load balancer', isMissing ? { skip: `${NGINX} is not installed` } : {}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'karba-balancer-'))
  let operator: Awaited<ReturnType<typeof openOperatorWithBooks>>
  let place: StorePlace
  let runtime: Runtime
  /** Another one in each test. */
  let account: { accountId: string; secretKey: string }
  let settings: Record<string, string>[]
  let apis: RunningServer[]
  let worker: RunningServer
  let nginx: ChildProcess
  let url: string

  before(async () => {
    operator = await openOperatorWithBooks({ decidesAfterMs: 50 })
    const own = { KARBA_SIMULATOR_URL: operator.url, KARBA_LOG_LEVEL: 'error' }
    place = (await makePlaceWithAccount(POSTGRES, own, { isMigrated: true })).place
    runtime = await openRuntime(place.config)
    settings = await Promise.all(
      ADDRESSES.map(async () => ({
        ...place.env,
        KARBA_ROLE: 'api',
        PORT: String(await freePort()),
      })),
    )
    apis = await Promise.all(settings.map((each) => startProcess(each)))
    worker = await startProcess({ ...place.env, KARBA_ROLE: 'worker' })
    await startNginx()
  })
  beforeEach(async () => {
    account = (await newMerchant(runtime)).accounts.sandbox
  })
  after(async () => {
    await runtime.close()
    const ended = once(nginx, 'exit')
    nginx.kill('SIGTERM')
    await within('end of nginx', ended)
    for (const server of [...apis, worker]) await server.end('SIGKILL')
    operator.close()
    await place.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  async function startNginx(): Promise<void> {
    chmodSync(folder, 0o755)
    const { cert } = makeCertificate(folder, NAME)
    setDefaultCACertificates([readFileSync(cert, 'utf8')])
    const ports = { folder, name: NAME, plain: await freePort(), secure: await freePort() }
    url = `https://${NAME}:${ports.secure}`
    const sample = ADDRESSES.reduce((text, address, at) => {
      const real = `127.0.0.1:${settings[at]?.PORT}`
      return text.replaceAll(address, real).replaceAll(inPattern(address), inPattern(real))
    }, SAMPLE)
    nginx = spawn(NGINX, configureNginx(ports, sample), { stdio: 'ignore' })
    await until('nginx listening', () =>
      fetch(`${url}/healthz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    )
  }

  async function startAgain(at: number): Promise<void> {
    apis[at] = await startProcess(settings[at] as Record<string, string>)
  }

  const create = (body: object): Promise<Response> =>
    fetch(`${url}/api/v1/payments`, {
      method: 'POST',
      headers: head(account.secretKey),
      body: JSON.stringify(body),
    })

  /** Each acknowledged payment is there once, was debited once, and has succeeded. */
  async function assertBooks(load: Load): Promise<void> {
    await assertReadable(url, account.secretKey, load)
    await assertRecordedOnce(runtime, account.accountId, load)
    const sql = 'select reference, status from payments where account_id = :accountId'
    const rows = await until('outcome of every payment', async () => {
      const found = await runtime.db.read<{ reference: string; status: string }>(sql, {
        accountId: account.accountId,
      })
      return found.every(({ status }) => status !== 'pending') && found
    })
    assert.deepEqual([...new Set(rows.map(({ status }) => status))], ['succeeded'])
    const debits = rows.map(({ reference }) => operator.requests.get(reference))
    assert.deepEqual([...new Set(debits)], [1])
  }

  /** Creates payments with both processes, with one after the signal, and with both again. */
  async function createAround(signal: NodeJS.Signals): Promise<Load> {
    const load = startLoad(url, account.secretKey)
    await moreAcknowledged(load, WITH_EACH_STATE)
    await apis[0]?.end(signal)
    await moreAcknowledged(load, WITH_EACH_STATE)
    await startAgain(0)
    await moreAcknowledged(load, WITH_EACH_STATE)
    await load.stop()
    return load
  }

  const shown = ({ answers, acknowledged }: Load): string =>
    `${acknowledged.size} payments; answers: ${[...answers].map(([code, count]) => `${count} × ${code}`).join(', ')}`

  it('load balancer: a process that stops by SIGTERM costs no payment, and no request', async (t) => {
    const load = await createAround('SIGTERM')
    t.diagnostic(shown(load))
    await assertBooks(load)
    assert.deepEqual([...load.answers.keys()], [200])
  })

  it('load balancer: after kill -9 only requests in flight have no answer, and no payment is lost or doubled', async (t) => {
    const load = await createAround('SIGKILL')
    t.diagnostic(shown(load))
    await assertBooks(load)
    const {
      200: _made,
      422: _madeBefore,
      502: lost = 0,
      ...others
    } = Object.fromEntries(load.answers)
    assert.deepEqual(others, {})
    assert.ok(lost <= IN_FLIGHT, `${lost} requests without an answer`)
  })

  it('load balancer: a POST whose process was killed is not sent to the other; a GET is', async () => {
    const { reference } = (await (await create(order())).json()) as { reference: string }
    const [frozen] = apis as [RunningServer, RunningServer]
    frozen.child.kill('SIGSTOP')
    const bodies = Array.from({ length: 8 }, () => order())
    const statuses = { post: [] as number[], get: [] as number[] }
    const posts = bodies.map(async (body) => statuses.post.push((await create(body)).status))
    // nginx takes the processes in turn.
    await until('answers of the other process', () => statuses.post.length === bodies.length / 2)
    const gets = bodies.map(async () => {
      const answer = await fetch(`${url}/api/v1/payments/${reference}`, {
        headers: head(account.secretKey),
      })
      statuses.get.push(answer.status)
    })
    await until('answers of the other process', () => statuses.get.length === bodies.length / 2)
    await frozen.end('SIGKILL')
    await within('every answer', Promise.all([...posts, ...gets]))
    assert.deepEqual(statuses.post, [200, 200, 200, 200, 502, 502, 502, 502])
    assert.deepEqual(new Set(statuses.get), new Set([200]))
    const found = await Promise.all(
      bodies.map(({ transaction_id }) =>
        fetch(`${url}/api/v1/payments/${transaction_id}`, { headers: head(account.secretKey) }),
      ),
    )
    assert.deepEqual(
      found.map(({ status }) => status).sort(),
      [200, 200, 200, 200, 404, 404, 404, 404],
    )
    await startAgain(0)
  })

  it('load balancer: without any process a client gets 502, and payments again after the start', async () => {
    for (const server of apis) await server.end('SIGTERM')
    assert.equal((await create(order())).status, 502)
    await Promise.all(ADDRESSES.map((_, at) => startAgain(at)))
    assert.equal((await create(order())).status, 200)
  })

  it('load balancer: apart from balancing, the sample is that for one process', () => {
    const one = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8')
    const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim())
    const shared = new Set(linesOf(SAMPLE))
    const missing = linesOf(one).filter((line) => !shared.has(line) && !line.startsWith('#'))
    assert.deepEqual(missing, ['server 127.0.0.1:8080;'])
  })
})
