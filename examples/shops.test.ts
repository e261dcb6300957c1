// The example shops against a running service: each delivers a paid order once and nothing else. PHP and Python run if
// the machine has them.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { replayEvents } from '../server/src/actions/webhooks/deliveries.ts'
import { deliveryName } from '../server/src/domain/webhook-event.ts'
import { programFor } from '../server/test/docs/printed-code.ts'
import { assertVerifiesSender } from '../server/test/docs/try-receiver.ts'
import { granted, TESTER } from '../server/test/kit/callers.ts'
import { freePort } from '../server/test/kit/process.ts'
import { openTestService, type TestService } from '../server/test/kit/service.ts'
import { SQLITE } from '../server/test/kit/stores.ts'
import { until } from '../server/test/kit/waiting.ts'
import { deliveries, newEndpoint, SECRET_HASH } from '../server/test/kit/webhooks.ts'

const SUCCEEDS = '40410000000'
const DECLINES = '40410000006'

const SHOPS: [name: string, language: string, args: (port: number) => string[]][] = [
  ['shop-node', 'js', () => [fileURLToPath(new URL('shop-node/shop.mjs', import.meta.url))]],
  [
    'shop-php',
    'php',
    (port) => ['-S', `127.0.0.1:${port}`, fileURLToPath(new URL('shop-php/shop.php', import.meta.url))],
  ],
  ['shop-python', 'python', () => [fileURLToPath(new URL('shop-python/shop.py', import.meta.url))]],
]

for (const [name, language, args] of SHOPS) {
  const program = programFor(language)
  describe(`examples/${name}`, program === undefined ? { skip: `${language} is not on this machine` } : {}, () => {
    let service: TestService
    let shop: ChildProcess
    let folder: string
    let url: string
    let accountId: string
    let signingSecret: string

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'karba-shop-'))
      const port = await freePort()
      url = `http://127.0.0.1:${port}`
      service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '100' })
      const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
      const account = (await service.merchant()).accounts.sandbox
      accountId = account.accountId
      signingSecret = (await newEndpoint(service, accountId, `${url}/hook`)).signingSecret
      const secrets = { SECRET_KEY: account.secretKey, SECRET_HASH, SIGNING_SECRET: signingSecret }
      const env = { PATH: process.env.PATH, KARBA_URL: address, PORT: String(port), DATA: folder, ...secrets }
      shop = spawn(program as string, args(port), { env, stdio: 'ignore' })
      await until('shop that listens', () =>
        fetch(url).then(
          ({ status }) => status === 200,
          () => false,
        ),
      )
    })
    after(async () => {
      const ended = once(shop, 'exit')
      shop.kill()
      await ended
      await service.remove()
      rmSync(folder, { recursive: true, force: true })
    })

    async function placeOrder(msisdn: string): Promise<string> {
      const body = new URLSearchParams({ name: 'Awa Diallo', msisdn })
      const answer = await fetch(`${url}/orders`, { method: 'POST', body, redirect: 'manual' })
      assert.equal(answer.status, 303)
      return answer.headers.get('location') as string
    }

    const ends = (order: string, as: string): Promise<string> =>
      until(`order that is ${as}`, async () => {
        const text = await (await fetch(url + order)).text()
        return text.includes(`<b>${as}</b>`) ? text : undefined
      })

    function delivered(): string[] {
      const file = join(folder, 'deliveries.log')
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    }

    it('example shop: delivers a paid order once, although the event arrives twice', async () => {
      const order = await placeOrder(SUCCEEDS)
      await ends(order, 'delivered')
      const [delivery] = await deliveries(service, accountId)
      granted(await replayEvents(service, TESTER, { delivery: deliveryName(delivery!) }))
      await until('second delivery of the event', async () => {
        const all = await deliveries(service, accountId)
        return all.length === 2 && all.every(({ status }) => status === 'delivered')
      })
      assert.deepEqual(delivered(), [order.replace('/orders/', '')])
    })

    it('example shop: accepts genuine events only', () =>
      assertVerifiesSender(`${url}/hook`, { secretHash: SECRET_HASH, signingSecret }))

    it('example shop: delivers no declined or refused order, and none of a forged event', async () => {
      const before = delivered()
      assert.match(await ends(await placeOrder(DECLINES), 'failed'), /declined/)
      assert.match(await ends(await placeOrder('12'), 'failed'), /Incorrect MSISDN/)
      const pending = await placeOrder('40410000008')
      const data = { external_reference: pending.replace('/orders/', ''), amount: 2500, status: 'succeeded' }
      const body = JSON.stringify({ id: 'evt_1', event: 'payment.succeeded', data })
      const forged = await fetch(`${url}/hook`, { method: 'POST', body, headers: { 'secret-hash': 'x' } })
      assert.equal(forged.status, 401)
      assert.match(await ends(pending, 'pending'), /pending/)
      assert.deepEqual(delivered(), before)
    })
  })
}
