// The simulated network within the service, and as a process of its own beside it and on its database: what it prints, how it stops, that
// payments come to their outcome through it, and that its absence fails none of them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import { runKarba } from '../kit/karba.ts'
import { newMerchant } from '../kit/merchant.ts'
import { type RunningServer, startProcess, startSimulator } from '../kit/process.ts'
import { get, head, openTestService, order, post } from '../kit/service.ts'
import { SQLITE, STORES, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

const PAYMENTS = 300
/** Seed 7 makes this number fail for insufficient funds; without a seed it would succeed. */
const SETTINGS = { KARBA_SANDBOX_DELAY_MS: '200', KARBA_SANDBOX_SEED: '7' }
const FAILS = '96000011'
const SUCCEEDS = '96000000'
const SUCCEEDS_LATER = '96000183'

describe('the simulated network within the service', () => {
  it('calls back without a request to ourselves', async () => {
    const service = await openTestService(undefined, SETTINGS)
    const { secretKey } = (await service.merchant()).accounts.sandbox
    let connections = 0
    service.app.server.on('connection', () => connections++)
    await service.app.listen({ port: 0, host: '127.0.0.1' })
    const { reference } = (await post(service, secretKey, order({ msisdn: SUCCEEDS }))).body
    await until('success', async () => (await get(service, secretKey, String(reference))).body.status === 'succeeded')
    const told = await service.db.rows(`select 1 from payment_story where kind = 'callback'`)
    assert.equal(told.length, 1)
    assert.equal(connections, 0)
    await service.remove()
  })
})

for (const store of STORES) {
  describe(`karba simulator beside a service on ${store.name}`, () => {
    let place: StorePlace
    let runtime: Runtime
    let service: RunningServer
    let simulator: RunningServer
    let port: string
    let secretKey: string

    before(async () => {
      place = await store.makePlace(SETTINGS)
      runtime = await openRuntime(place.config)
      const { accounts } = await newMerchant(runtime)
      secretKey = accounts.sandbox.secretKey
      // Each must know the other's address: the first simulator finds a free port, and the one that stays takes it over.
      const first = await startSimulator(['--port', '0', '--callbacks-to', 'http://127.0.0.1:9'], place.env)
      port = new URL(first.url).port
      service = await startProcess({ ...place.env, KARBA_SIMULATOR_URL: first.url })
      assert.equal(await first.end('SIGINT'), 0)
      simulator = await startSimulator(['--port', port, '--callbacks-to', service.url], place.env)
    })
    after(async () => {
      await service?.end('SIGTERM')
      await simulator?.end('SIGTERM')
      await runtime.close()
      await place.remove()
    })

    it('says in one line that it is ready and where callbacks go', () => {
      const line = `simulated network ready at http://127.0.0.1:${port} (callbacks go to ${service.url})\n`
      assert.equal(simulator.printed(), line)
    })

    it('lets in only who has its token', async () => {
      assert.equal((await fetch(`${simulator.url}/payments/x`)).status, 401)
    })

    it('a taken port is told in one sentence', async () => {
      const { code, stderr } = await runKarba(['simulator', '--port', port, '--callbacks-to', service.url], place.env)
      assert.equal(code, 1)
      assert.equal(stderr, `karba: Port ${port} is already in use. Stop what uses it, or choose another with --port.\n`)
    })

    it(`${PAYMENTS} payments come to the outcome of the seed, told by callbacks, while both processes write`, async () => {
      const numbers = Array.from({ length: PAYMENTS }, (_, n) => (n % 3 === 0 ? FAILS : SUCCEEDS))
      await Promise.all(numbers.map(pay))
      await untilThereAre(0, `payments where status = 'pending'`)
      assert.equal(await count(`payments where status = 'succeeded'`), (PAYMENTS * 2) / 3)
      assert.equal(await count(`payments where failure_reason = 'insufficient_funds'`), PAYMENTS / 3)
      assert.equal(await count('simulated_payments'), PAYMENTS)
      // On a busy machine polling finds most outcomes first.
      assert.ok((await count(`payment_story where kind = 'callback'`)) > 0)
    })

    it('a restart loses its callbacks and nothing else: the payment stays pending, and polling finds the outcome', async () => {
      await pay(SUCCEEDS_LATER)
      // The others are settled: the one that is pending is this one, and the network has taken it in.
      const taken = `s.kind = 'request' and s.detail like '%accepted%'`
      const story = 'payment_story s on s.account_id = p.account_id and s.number = p.number'
      await untilThereAre(1, `payments p join ${story} where p.status = 'pending' and ${taken}`)
      assert.equal(await simulator.end('SIGTERM'), 0)
      assert.equal(await count(`payments where status = 'pending'`), 1)
      simulator = await startSimulator(['--port', port, '--callbacks-to', service.url], place.env)
      await untilThereAre(0, `payments where status = 'pending'`)
      assert.equal(await count(`payments where status = 'failed'`), PAYMENTS / 3)
      assert.equal(await count('simulated_payments'), PAYMENTS + 1)
    })

    async function pay(msisdn: string): Promise<void> {
      const answer = await fetch(`${service.url}/api/v1/payments`, {
        method: 'POST',
        headers: head(secretKey),
        body: JSON.stringify(order({ msisdn })),
      })
      assert.equal(answer.status, 200, await answer.text())
    }

    async function count(what: string): Promise<number> {
      const [row] = await runtime.db.rows<{ n: number }>(`select count(*) as n from ${what}`)
      return Number(row?.n)
    }

    const untilThereAre = (wanted: number, what: string): Promise<true> =>
      until(`count of ${wanted} ${what}`, async () => (await count(what)) === wanted)
  })
}

describe('karba simulator called wrongly', () => {
  const WRONG: [args: string[], code: number, says: RegExp][] = [
    [['--port', '65536'], 2, /It must be a whole number from 0 to 65535/],
    [['--callbacks-to', 'pay.example'], 2, /It must be an http or https address/],
    [['--port', '0'], 1, /PORT is 0, so the service may be anywhere: say where with --callbacks-to\./],
  ]
  let place: StorePlace
  before(async () => {
    place = await SQLITE.makePlace()
    await runKarba(['migrate'], place.env)
  })
  after(() => place.remove())

  for (const [args, code, says] of WRONG) {
    it(`with ${args.join(' ')} leaves with ${code} and says why`, async () => {
      const ran = await runKarba(['simulator', ...args], place.env)
      assert.deepEqual([ran.code, ran.stdout], [code, ''])
      assert.match(ran.stderr, says)
    })
  }
})
