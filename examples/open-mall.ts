// An example shop, its service, and a proxy between them that loses what a test says.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Fault, openFaultyProxy } from '../sdk/test/faulty-proxy.ts'
import { replayEvents } from '../server/src/actions/webhooks/deliveries.ts'
import { deliveryName } from '../server/src/domain/webhooks/webhook-event.ts'
import { webhookHeaders } from '../server/src/webhooks/sign.ts'
import { granted, TESTER } from '../server/test/kit/callers.ts'
import { freePort } from '../server/test/kit/process.ts'
import { openTestService, type TestService } from '../server/test/kit/service.ts'
import { SQLITE } from '../server/test/kit/stores.ts'
import { until } from '../server/test/kit/waiting.ts'
import { deliveries, newEndpoint, SECRET_HASH } from '../server/test/kit/webhooks.ts'
import { type RunningShop, type ShopKind, startShop } from './run-shop.ts'

export interface Mall {
  service: TestService
  accountId: string
  folder: string
  /** Of the service itself, without the proxy. */
  address: string
  secretKey: string
  signingSecret: string
  shop: RunningShop
  /** Decides about the next request of the shop to the service. */
  faults: { next: (method: string) => Fault | Promise<Fault> }
  delivered(): string[]
  restart(): Promise<void>
  close(): Promise<void>
}

export const passes = (): Fault => 'passes'

/** A shop, its service, and a proxy between them that passes everything at first. */
export async function openMall(kind: ShopKind): Promise<Mall> {
  const folder = mkdtempSync(join(tmpdir(), 'karba-shop-'))
  const port = await freePort()
  const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '100' })
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
  const { signingSecret } = await newEndpoint(service, accountId, `http://127.0.0.1:${port}/hook`)
  const faults: Mall['faults'] = { next: passes }
  const proxy = await openFaultyProxy(address, (method) => faults.next(method), { readsToo: true })
  const settings = {
    folder,
    port,
    karbaUrl: proxy.url,
    secretKey,
    secretHash: SECRET_HASH,
    signingSecret,
  }
  const mall: Mall = {
    service,
    accountId,
    folder,
    address,
    secretKey,
    signingSecret,
    shop: await startShop(kind, settings),
    faults,
    delivered: () => kind.delivered(folder).sort(),
    restart: async () => {
      await mall.shop.end('SIGKILL')
      mall.shop = await startShop(kind, settings)
    },
    close: async () => {
      await mall.shop.end('SIGKILL')
      await proxy.close()
      await service.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return mall
}

/** The service sends all of its events again, and the shop takes them. */
export async function repeatEvents({ service, accountId }: Mall): Promise<void> {
  const sent = await deliveries(service, accountId)
  for (const delivery of sent)
    granted(await replayEvents(service, TESTER, { delivery: deliveryName(delivery) }))
  await until('second delivery of the events', async () => {
    const all = await deliveries(service, accountId)
    return all.length === 2 * sent.length && all.every(({ status }) => status === 'delivered')
  })
}

/** Posts an event as the service does; resolves with the status, or undefined without an answer. */
export async function postEvent(
  mall: Mall,
  id: string,
  event = 'payment.succeeded',
): Promise<number | undefined> {
  const data = { external_reference: id, amount: 2500 }
  const body = JSON.stringify({ id: `evt_${id}`, event, data })
  const posted = {
    eventId: `evt_${id}`,
    body,
    secretHash: SECRET_HASH,
    signingSecrets: [mall.signingSecret],
    replay: 0,
  }
  const headers = webhookHeaders(posted, Date.now())
  const answer = fetch(`${mall.shop.url}/hook`, { method: 'POST', headers, body })
  return answer.then(
    ({ status }) => status,
    () => undefined,
  )
}
