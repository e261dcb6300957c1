// The secrets of an endpoint: what a real receiver gets is verified by the library that receivers use, a change-over fails at nobody,
// and no secret lies in the database, the log or the metrics in a form that could be read (D-27, D-45).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { makeLog } from '../../src/observability/log.ts'
import { listDeliveryAttempts } from '../../src/store/webhooks/delivery-log.ts'
import { dumped } from '../kit/dumped.ts'
import { openReceiver, type Received, type Receiver } from '../kit/receiver.ts'
import { HOST, LOOK_EVERY_MS, openWebhookService, type WebhookService } from '../kit/scripted-receivers.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { type AddedEndpoint, change, deliveries, newEndpoint, upTo, writeEvents } from '../kit/webhooks.ts'

const OVERLAP_MS = 3_600_000
const OLD = 'the old one of the shop'
const NEW = 'the new one of the shop'

function verifies(secret: string, { body, headers }: Pick<Received, 'body' | 'headers'>): boolean {
  try {
    new Webhook(secret).verify(body.toString(), headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

describe('what a real receiver gets', () => {
  let service: TestService
  let receiver: Receiver
  let accountId: string
  let endpoint: AddedEndpoint

  before(async () => {
    service = await openTestService()
    receiver = await openReceiver()
    accountId = (await service.merchant()).accounts.sandbox.accountId
    endpoint = await newEndpoint(service, accountId, `${receiver.url}/hook?shop=7`, {
      secretHash: 'static-of-the-shop',
    })
  })
  after(async () => {
    await service.remove()
    await receiver.close()
  })

  async function next(): Promise<Received> {
    const nth = receiver.got.length + 1
    await writeEvents(service, accountId, [nth])
    return receiver.nth(nth)
  }

  it('is a POST with the headers of D-27, and verified by the receivers’ library', async () => {
    const received = await next()
    const { id } = received.event
    assert.equal(received.path, '/hook?shop=7')
    assert.match(id, /^evt_[0-9a-z]{24}$/)
    assert.equal(received.headers['webhook-id'], id)
    assert.equal(received.headers['secret-hash'], 'static-of-the-shop')
    assert.equal(received.headers['content-type'], 'application/json')
    assert.equal(received.headers.accept, 'application/json')
    assert.match(received.headers['user-agent'] as string, /^Karba/)
    assert.ok(verifies(endpoint.signingSecret, received))
    const changed = Buffer.from(received.body.toString().replace('1500', '1501'))
    assert.notDeepEqual(changed, received.body)
    assert.ok(!verifies(endpoint.signingSecret, { ...received, body: changed }))
  })

  it('is verified by the old and by the new signing secret while a change-over lasts', async () => {
    const rolled = (await change(service, endpoint, { to: 'new signing secret', keepOldMs: OVERLAP_MS })) as string
    const event = await next()
    assert.ok(verifies(rolled, event))
    assert.ok(verifies(endpoint.signingSecret, event))
  })

  it('is verified by the new one alone when there is no change-over', async () => {
    const rolled = (await change(service, endpoint, { to: 'new signing secret', keepOldMs: 0 })) as string
    const event = await next()
    assert.ok(verifies(rolled, event))
    assert.ok(!verifies(endpoint.signingSecret, event))
  })
})

describe('a change-over', () => {
  let service: WebhookService
  let accountId: string
  let endpoint: AddedEndpoint

  before(async () => {
    service = await openWebhookService(SQLITE)
  })
  after(() => service.remove())

  async function begin(knows: string, refusal: number): Promise<void> {
    accountId = (await service.merchant()).accounts.sandbox.accountId
    endpoint = await newEndpoint(service, accountId, `${HOST}/${accountId}`, { secretHash: OLD })
    service.receivers.answer = ({ headers }) => (headers['secret-hash'] === knows ? 200 : refusal)
    service.sent.length = 0
    await change(service, endpoint, { to: 'new secret hash', secretHash: NEW, keepOldMs: OVERLAP_MS })
  }

  async function hashesSent(): Promise<(string | undefined)[]> {
    service.sent.length = 0
    await writeEvents(service, accountId, [1])
    await service.clock.advance(LOOK_EVERY_MS)
    return service.sent.map(({ headers }) => headers['secret-hash'])
  }

  for (const refusal of [401, 403]) {
    it(`of the Secret-Hash: a receiver that answers ${refusal} to the new one gets the old one in the same attempt`, async () => {
      await begin(OLD, refusal)
      assert.deepEqual(await hashesSent(), [NEW, OLD])
      const [row] = await deliveries(service, accountId)
      assert.ok(row)
      assert.deepEqual([row.status, row.attempts], ['delivered', 1])
      assert.deepEqual(
        (await listDeliveryAttempts(service.db, row)).map(({ statusCode }) => statusCode),
        [200],
      )
    })
  }

  it('of the Secret-Hash: a receiver that knows the new one is sent nothing else', async () => {
    await begin(NEW, 401)
    assert.deepEqual(await hashesSent(), [NEW])
  })

  it('of the Secret-Hash: another refusal is no reason to show the old one', async () => {
    await begin('nothing', 404)
    assert.deepEqual(await hashesSent(), [NEW])
  })

  it('of the Secret-Hash that is over: the old one is not sent any more', async () => {
    await begin(OLD, 401)
    await service.clock.sleep(OVERLAP_MS)
    assert.deepEqual(await hashesSent(), [NEW])
    const [row] = await deliveries(service, accountId)
    assert.equal(row?.status, 'waiting')
  })

  it('of the signing secret that is over: one signature is left', async () => {
    await begin(NEW, 401)
    await change(service, endpoint, { to: 'new signing secret', keepOldMs: OVERLAP_MS })
    for (const signatures of [2, 1]) {
      await hashesSent()
      assert.equal(service.sent[0]?.headers['webhook-signature']?.split(' ').length, signatures)
      await service.clock.sleep(OVERLAP_MS)
    }
  })
})

it('no secret of an endpoint can be read from the tables, the log or the metrics', async (t) => {
  const lines: string[] = []
  const log = makeLog('debug', { write: (line) => void lines.push(line) })
  const service = await openTestService(SQLITE, {}, { log })
  t.after(() => service.remove())
  const receiver = await openReceiver()
  t.after(() => receiver.close())
  // It says back what it was told, as a page for debugging does.
  receiver.handle = ({ headers }) => ({
    status: headers['secret-hash'] === 'canary-of-new-0002' ? 401 : 500,
    text: JSON.stringify(headers),
  })
  const { accountId } = (await service.merchant()).accounts.sandbox
  const endpoint = await newEndpoint(service, accountId, receiver.url, { secretHash: 'canary-of-old-0001' })
  const rolled = await change(service, endpoint, { to: 'new signing secret', keepOldMs: OVERLAP_MS })
  await change(service, endpoint, { to: 'new secret hash', secretHash: 'canary-of-new-0002', keepOldMs: OVERLAP_MS })
  await writeEvents(service, accountId, upTo(3))
  await receiver.nth(6)
  const noted = async () => (await service.db.rows('select attempt from webhook_attempts')).length
  await until('note of three attempts', async () => (await noted()) >= 3)
  // A fault of ours is logged with all that is known of it.
  await service.db.change(`update webhook_endpoints set signing_secret = 'AAAA'`)
  await writeEvents(service, accountId, [4])
  await until('line about it in the log', () => lines.some((line) => line.includes('delivering failed')))

  const dump = await dumped(service)
  const metrics = (await service.app.inject({ url: '/metrics' })).body
  const secrets = ['canary-of-old-0001', 'canary-of-new-0002', endpoint.signingSecret, rolled as string]
  const forms = secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('base64'), secret.slice(6)])
  for (const [place, text] of Object.entries({ dump, metrics, log: lines.join('') })) {
    for (const form of forms) assert.ok(!text.includes(form), `${form} is in the ${place}`)
  }
  assert.match(dump, /webhook-signature/, 'the receiver’s words are kept')
  assert.match(metrics, /karba_webhook_attempts_total\{outcome="not_delivered"\} 3/)
})
