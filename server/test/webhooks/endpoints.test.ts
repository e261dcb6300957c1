// Endpoints as a merchant asks for them: how many, where to, which events and under which secret; and that every change is in the audit log
// and in force at once (D-45). Where webhooks may go is a table of its own, in safe-address.test.ts.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { replayEvents } from '../../src/actions/webhooks/deliveries.ts'
import { addEndpoint, changeEndpoint, type EndpointInput, testEndpoint } from '../../src/actions/webhooks/endpoints.ts'
import type { Refused, UrlFault } from '../../src/domain/refusal.ts'
import { deliveryName } from '../../src/domain/webhook-event.ts'
import { listEndpoints } from '../../src/store/webhooks/endpoints.ts'
import { merchantKey, TESTER } from '../kit/callers.ts'
import { HOST, LOOK_EVERY_MS, openWebhookService, type WebhookService } from '../kit/scripted-receivers.ts'
import { SQLITE } from '../kit/stores.ts'
import { change, deliveries, endpointDeps, newEndpoint, SECRET_HASH, upTo, writeEvents } from '../kit/webhooks.ts'

describe('endpoints', () => {
  let service: WebhookService
  let accountId: string

  before(async () => {
    service = await openWebhookService(SQLITE)
  })
  after(() => service.remove())

  async function begin(): Promise<void> {
    accountId = (await service.merchant()).accounts.sandbox.accountId
    service.receivers.answer = () => 200
    service.sent.length = 0
  }

  const asking = (input: Partial<EndpointInput>) => {
    const whole = { accountId, url: HOST, secretHash: SECRET_HASH, events: [], ...input }
    return addEndpoint(endpointDeps(service), TESTER, whole)
  }

  const count = async (): Promise<number> => (await listEndpoints(service.db, { accountId })).length

  async function audit(endpointId: string): Promise<Record<string, unknown>[]> {
    const rows = await service.db.rows<{ action: string; actor: string; at: number; detail: string }>(
      'select action, actor, at, detail from audit_log where subject = $1 order by entry',
      [endpointId],
    )
    return rows.map(({ detail, ...row }) => ({ ...row, ...JSON.parse(detail) }))
  }

  it('are five at the most, however many are asked for at once', async () => {
    await begin()
    const answers = await Promise.all(upTo(12).map(() => asking({})))
    assert.equal(answers.filter((answer) => 'endpointId' in answer).length, 5)
    assert.equal(await count(), 5)
    assert.deepEqual(await asking({}), { refused: 'too_many_endpoints', most: 5 })
    const [first] = await listEndpoints(service.db, { accountId })
    assert.ok(first)
    await change(service, first, { to: 'removed' })
    assert.ok('endpointId' in (await asking({})))
  })

  it('are counted for each account alone', async () => {
    const merchant = await service.merchant()
    for (const { accountId: each } of Object.values(merchant.accounts)) {
      for (const _endpoint of upTo(5)) await newEndpoint(service, each, HOST)
    }
  })

  const urlFault = (fault: UrlFault): Refused => ({ refused: 'webhook_url_not_valid', fault })
  const noSuchEvent = (event: string): Refused => ({ refused: 'event_name_not_valid', event })
  const NOT_A_HEADER: Refused = { refused: 'secret_hash_not_valid', shortest: 16, longest: 255 }
  const REFUSED: [about: string, input: Partial<EndpointInput>, refusal: Refused][] = [
    ['plain http', { url: 'http://shop.example.com/hook' }, urlFault('not_https')],
    ['a private address', { url: 'https://10.0.0.7/hook' }, urlFault('address_not_public')],
    ['a name of the house', { url: 'https://db.internal/hook' }, urlFault('host_not_public')],
    ['a password', { url: 'https://me:pass@shop.example.com/' }, urlFault('has_user_name')],
    ['no address', { url: 'shop' }, urlFault('not_complete')],
    ['an event that there is not', { events: ['payment.succeeded', 'payment.lost'] }, noSuchEvent('payment.lost')],
    ['the test event', { events: ['webhook.test'] }, noSuchEvent('webhook.test')],
    ['an account that there is not', { accountId: 'acc_nobody' }, { refused: 'account_not_found' }],
    ['an empty Secret-Hash', { secretHash: '' }, NOT_A_HEADER],
    ['a Secret-Hash that begins with a space', { secretHash: ' secret of the shop' }, NOT_A_HEADER],
    ['a Secret-Hash that ends with a space', { secretHash: 'secret of the shop ' }, NOT_A_HEADER],
    ['a Secret-Hash of two lines', { secretHash: 'secret of the shop\r\nx-other: 1' }, NOT_A_HEADER],
    ['a Secret-Hash beyond ASCII', { secretHash: 'sécret of the shop' }, NOT_A_HEADER],
    ['a Secret-Hash of 15 characters', { secretHash: 's'.repeat(15) }, NOT_A_HEADER],
    ['a Secret-Hash of 256 characters', { secretHash: 's'.repeat(256) }, NOT_A_HEADER],
  ]
  for (const [about, input, refusal] of REFUSED) {
    it(`with ${about} are refused with ${refusal.refused}, and nothing is added`, async () => {
      await begin()
      assert.deepEqual(await asking(input), refusal)
      assert.equal(await count(), 0)
    })
  }

  it('take a Secret-Hash of 16 characters, and one of 255', async () => {
    await begin()
    for (const length of [16, 255]) await newEndpoint(service, accountId, HOST, { secretHash: 's'.repeat(length) })
    assert.equal(await count(), 2)
  })

  it('take every printable sign of ASCII as a Secret-Hash, and get it as it is', async () => {
    await begin()
    const secretHash = String.fromCharCode(...upTo(94, 0x21)).replace('B', 'B C')
    await newEndpoint(service, accountId, HOST, { secretHash })
    await writeEvents(service, accountId, [1])
    await service.clock.advance(LOOK_EVERY_MS)
    assert.equal(service.sent[0]?.headers['secret-hash'], secretHash)
  })

  it('get the events they asked for, each once, and no refunds when they named none', async () => {
    await begin()
    const inputs = [['payment.failed'], ['payment.refunded', 'payment.succeeded', 'payment.refunded'], []]
    for (const [nth, events] of inputs.entries()) await newEndpoint(service, accountId, `${HOST}/${nth}`, { events })
    for (const to of ['succeeded', 'failed', 'refunded'] as const) await writeEvents(service, accountId, [1], to)
    await service.clock.advance(LOOK_EVERY_MS)
    const got = (path: string): string[] =>
      service.sent.filter((sent) => sent.path === path).map(({ event }) => event.event)
    assert.deepEqual(got('/0'), ['payment.failed'])
    assert.deepEqual(got('/1'), ['payment.succeeded', 'payment.refunded'])
    assert.deepEqual(got('/2'), ['payment.succeeded', 'payment.failed'])
  })

  it('get nothing that happened before them, and nothing of other accounts', async () => {
    await begin()
    await writeEvents(service, accountId, [1])
    await newEndpoint(service, accountId, HOST)
    const other = await service.merchant()
    await writeEvents(service, other.accounts.sandbox.accountId, [2])
    await service.clock.advance(LOOK_EVERY_MS)
    assert.deepEqual(service.sent, [])
  })

  it('get a test event, whatever they asked for, and none while they are off', async () => {
    await begin()
    const endpoint = await newEndpoint(service, accountId, HOST, { events: ['payment.failed'] })
    for (const _test of upTo(2)) assert.ok('sequence' in (await testEndpoint(service, TESTER, endpoint)))
    await service.clock.advance(LOOK_EVERY_MS)
    assert.deepEqual(
      service.sent.map(({ event }) => [event.event, event.data]),
      upTo(2).map(() => [
        'webhook.test',
        { endpoint: endpoint.endpointId, message: 'A test of your webhook: no payment has changed.' },
      ]),
    )
    await change(service, endpoint, { to: 'off' })
    assert.deepEqual(await testEndpoint(service, TESTER, endpoint), { refused: 'endpoint_off' })
  })

  it('leave a line in the audit log for each change, without the secrets', async () => {
    await begin()
    const endpoint = await newEndpoint(service, accountId, `${HOST}/hook`, { events: ['payment.failed'] })
    const rolled = await change(service, endpoint, { to: 'new signing secret', keepOldMs: 1_000 })
    await change(service, endpoint, { to: 'new secret hash', secretHash: 'another of the shop', keepOldMs: 0 })
    for (const to of ['off', 'on', 'removed'] as const) await change(service, endpoint, { to })
    const line = { actor: 'shell tester@test', at: service.clock.now(), account: accountId }
    const rows = await audit(endpoint.endpointId)
    assert.deepEqual(rows, [
      { ...line, action: 'webhook.add', url: `${HOST}/hook`, events: 'payment.failed' },
      { ...line, action: 'webhook.roll-secret', keep_old_ms: 1_000 },
      { ...line, action: 'webhook.roll-secret-hash', keep_old_ms: 0 },
      { ...line, action: 'webhook.disable' },
      { ...line, action: 'webhook.enable' },
      { ...line, action: 'webhook.remove' },
    ])
    assert.notEqual(rolled, endpoint.signingSecret)
  })

  it('are changed by nobody who acts for another account', async () => {
    await begin()
    const endpoint = await newEndpoint(service, accountId, HOST)
    const other = (await service.merchant()).accounts.sandbox
    const caller = merchantKey(other.accountId)
    const removal = { endpointId: endpoint.endpointId, change: { to: 'removed' } } as const
    const refusal = { refused: 'endpoint_not_found' }
    assert.deepEqual(await changeEndpoint(endpointDeps(service), caller, removal), refusal)
    assert.deepEqual(await testEndpoint(service, caller, endpoint), refusal)
    assert.equal((await audit(endpoint.endpointId)).length, 1)
  })

  it('that are removed get nothing more: what waited is given up, and cannot be sent again', async () => {
    await begin()
    service.receivers.answer = () => 404
    const endpoint = await newEndpoint(service, accountId, HOST)
    const other = await newEndpoint(service, accountId, `${HOST}/other`)
    await writeEvents(service, accountId, upTo(3))
    await service.clock.advance(LOOK_EVERY_MS)
    await change(service, endpoint, { to: 'removed' })
    service.receivers.answer = () => 200
    service.sent.length = 0
    await writeEvents(service, accountId, [4])
    await service.clock.advance(10_000)
    assert.deepEqual(
      service.sent.filter(({ path }) => path !== '/other'),
      [],
    )
    assert.equal(service.sent.length, 4)
    const rows = await deliveries(service, accountId, endpoint.endpointId)
    assert.deepEqual(
      rows.map(({ status, dueAt, attempts }) => [status, dueAt, attempts]),
      upTo(3).map(() => ['failed', null, 1]),
    )
    const [first] = rows
    assert.ok(first)
    const again = await replayEvents(service, TESTER, { delivery: deliveryName(first) })
    assert.deepEqual(again, { refused: 'endpoint_removed' })
    assert.deepEqual(await replayEvents(service, TESTER, { accountId, failedSince: 0 }), {
      deliveries: 0,
      events: 0,
    })
    assert.equal((await deliveries(service, accountId, other.endpointId)).length, 4)
  })
})
