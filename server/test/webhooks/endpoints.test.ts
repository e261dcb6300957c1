// Merchants' endpoints: limits, addresses, event types and secrets (D-27, D-45), and the request
// that a receiver gets. Allowed addresses are tested in safe-address.test.ts.
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { replayEvents } from '../../src/actions/webhooks/deliveries.ts'
import {
  addEndpoint,
  type EndpointInput,
  testEndpoint,
  withoutSecrets,
} from '../../src/actions/webhooks/endpoints.ts'
import type { Refused } from '../../src/domain/refusals/refusal.ts'
import { deliveryName } from '../../src/domain/webhooks/webhook-event.ts'
import type { UrlFault } from '../../src/domain/webhooks/webhook-refusals.ts'
import { makeLog } from '../../src/observability/log.ts'
import { listDeliveryAttempts } from '../../src/store/webhooks/delivery-log.ts'
import { listEndpoints } from '../../src/store/webhooks/endpoints.ts'
import { TESTER } from '../kit/callers.ts'
import {
  HOST,
  LOOK_EVERY_MS,
  openReceiver,
  openWebhookService,
  type Received,
  sendEvents,
} from '../kit/receiver.ts'
import { dumped, head, openTestService, order } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import {
  type AddedEndpoint,
  change,
  deliveries,
  endpointDeps,
  newEndpoint,
  SECRET_HASH,
  upTo,
  writeEvents,
} from '../kit/webhooks.ts'

describe('webhook endpoints', async () => {
  let accountId: string
  const service = await openWebhookService(SQLITE)
  after(() => service.remove())

  beforeEach(async () => {
    accountId = (await service.merchant()).accounts.sandbox.accountId
    service.receivers.answer = () => 200
    service.sent.length = 0
  })

  let addresses = 0
  /** An account has one endpoint for an address. */
  const freshUrl = (): string => `${HOST}/${++addresses}`

  const asking = (input: Partial<EndpointInput>) => {
    const whole = { accountId, url: freshUrl(), secretHash: SECRET_HASH, events: [], ...input }
    return addEndpoint(endpointDeps(service), TESTER, whole)
  }

  const count = async (): Promise<number> => (await listEndpoints(service.db, { accountId })).length

  async function audit(endpointId: string): Promise<Record<string, unknown>[]> {
    const rows = await service.db.read<{
      action: string
      actor: string
      at: number
      detail: string
    }>(
      'select action, actor, at, detail from audit_log where subject = :endpointId order by entry',
      { endpointId },
    )
    return rows.map(({ detail, ...row }) => ({ ...row, ...JSON.parse(detail) }))
  }

  it('an account has five at most, also with concurrent requests', async () => {
    const answers = await Promise.all(upTo(12).map(() => asking({})))
    assert.equal(answers.filter((answer) => 'endpointId' in answer).length, 5)
    assert.equal(await count(), 5)
    assert.deepEqual(await asking({}), { refused: 'too_many_endpoints', most: 5 })
    const [first] = await listEndpoints(service.db, { accountId })
    assert.ok(first)
    await change(service, first, { to: 'removed' })
    assert.ok('endpointId' in (await asking({})))
  })

  it('the limit counts each account separately', async () => {
    const merchant = await service.merchant()
    for (const { accountId: each } of Object.values(merchant.accounts))
      for (const _endpoint of upTo(5)) await newEndpoint(service, each, freshUrl())
  })

  const urlFault = (fault: UrlFault): Refused => ({ refused: 'webhook_url_not_valid', fault })
  const noSuchEvent = (event: string): Refused => ({ refused: 'event_name_not_valid', event })
  const NOT_A_HEADER: Refused = { refused: 'secret_hash_not_valid', shortest: 16, longest: 255 }
  const REFUSED: [about: string, input: Partial<EndpointInput>, refusal: Refused][] = [
    ['plain http', { url: 'http://shop.example.com/hook' }, urlFault('not_https')],
    ['a private address', { url: 'https://10.0.0.7/hook' }, urlFault('address_not_public')],
    ['an internal host name', { url: 'https://db.internal/hook' }, urlFault('host_not_public')],
    ['a password', { url: 'https://me:pass@shop.example.com/' }, urlFault('has_user_name')],
    ['no address', { url: 'shop' }, urlFault('not_complete')],
    [
      'an unknown event',
      { events: ['payment.succeeded', 'payment.lost'] },
      noSuchEvent('payment.lost'),
    ],
    ['the test event', { events: ['webhook.test'] }, noSuchEvent('webhook.test')],
    ['an unknown account', { accountId: 'acc_nobody' }, { refused: 'account_not_found' }],
    ...[
      '',
      ' secret of the shop',
      'secret of the shop ',
      'secret of the shop\r\nx-other: 1',
      'sécret of the shop',
      's'.repeat(15),
      's'.repeat(256),
    ].map((secretHash): (typeof REFUSED)[number] => [
      `the Secret-Hash ${JSON.stringify(secretHash)}`,
      { secretHash },
      NOT_A_HEADER,
    ]),
  ]
  for (const [about, input, refusal] of REFUSED)
    it(`an endpoint with ${about} is refused with ${refusal.refused}, and nothing is added`, async () => {
      assert.deepEqual(await asking(input), refusal)
      assert.equal(await count(), 0)
    })

  it('a Secret-Hash may have 16 to 255 characters', async () => {
    for (const length of [16, 255])
      await newEndpoint(service, accountId, freshUrl(), { secretHash: 's'.repeat(length) })
    assert.equal(await count(), 2)
  })

  it('without a Secret-Hash, an endpoint gets a random one, so that its signature alone proves the sender', async () => {
    for (const _endpoint of upTo(2))
      assert.ok('endpointId' in (await asking({ secretHash: undefined })))
    await sendEvents(service, accountId, [1])
    const values = service.sent.map(({ headers }) => headers['secret-hash'])
    for (const value of values) assert.match(String(value), /^[0-9a-z]{32}$/)
    assert.deepEqual([values.length, new Set(values).size], [2, 2])
  })

  it('a Secret-Hash may have every printable ASCII character, and is sent unchanged', async () => {
    const secretHash = String.fromCharCode(...upTo(94, 0x21)).replace('B', 'B C')
    await newEndpoint(service, accountId, HOST, { secretHash })
    await sendEvents(service, accountId, [1])
    assert.equal(service.sent[0]?.headers['secret-hash'], secretHash)
  })

  it('an endpoint gets each subscribed event once, and no refunds by default', async () => {
    const inputs = [
      ['payment.failed'],
      ['payment.refunded', 'payment.succeeded', 'payment.refunded'],
      [],
    ]
    for (const [nth, events] of inputs.entries())
      await newEndpoint(service, accountId, `${HOST}/${nth}`, { events })
    for (const to of ['succeeded', 'failed', 'refunded'] as const)
      await writeEvents(service, accountId, [1], to)
    await service.clock.advance(LOOK_EVERY_MS)
    const got = (path: string): string[] =>
      service.sent.filter((sent) => sent.path === path).map(({ event }) => event.event)
    assert.deepEqual(
      [got('/0'), got('/1')],
      [['payment.failed'], ['payment.succeeded', 'payment.refunded']],
    )
    assert.deepEqual(got('/2'), ['payment.succeeded', 'payment.failed'])
  })

  it('an endpoint gets no earlier events and none of other accounts', async () => {
    await writeEvents(service, accountId, [1])
    await newEndpoint(service, accountId, HOST)
    const other = await service.merchant()
    await sendEvents(service, other.accounts.sandbox.accountId, [2])
    assert.deepEqual(service.sent, [])
  })

  it('a test event ignores the subscription, and is not sent while the endpoint is off', async () => {
    const endpoint = await newEndpoint(service, accountId, HOST, { events: ['payment.failed'] })
    for (const _test of upTo(2))
      assert.ok('sequence' in (await testEndpoint(service, TESTER, endpoint)))
    await service.clock.advance(LOOK_EVERY_MS)
    assert.deepEqual(
      service.sent.map(({ event }) => [event.event, event.data]),
      upTo(2).map(() => [
        'webhook.test',
        {
          endpoint: endpoint.endpointId,
          message: 'A test of your webhook: no payment has changed.',
        },
      ]),
    )
    await change(service, endpoint, { to: 'off' })
    assert.deepEqual(await testEndpoint(service, TESTER, endpoint), { refused: 'endpoint_off' })
  })

  it('each change has an audit entry without secrets', async () => {
    const endpoint = await newEndpoint(service, accountId, `${HOST}/hook`, {
      events: ['payment.failed'],
    })
    const rolled = await change(service, endpoint, { to: 'new signing secret', keepOldMs: 1_000 })
    await change(service, endpoint, {
      to: 'new secret hash',
      secretHash: 'another of the shop',
      keepOldMs: 0,
    })
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

  it('a removed endpoint gets nothing more: its waiting deliveries are given up and cannot be replayed', async () => {
    service.receivers.answer = () => 404
    const endpoint = await newEndpoint(service, accountId, HOST)
    const other = await newEndpoint(service, accountId, `${HOST}/other`)
    await sendEvents(service, accountId, upTo(3))
    await change(service, endpoint, { to: 'removed' })
    service.receivers.answer = () => 200
    service.sent.length = 0
    await writeEvents(service, accountId, [4])
    await service.clock.advance(10_000)
    const others = service.sent.filter(({ path }) => path !== '/other')
    assert.deepEqual([others, service.sent.length], [[], 4])
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

describe('webhook secrets', () => {
  const OVERLAP_MS = 3_600_000
  const OLD = 'the old one of the shop'
  const NEW = 'the new one of the shop'

  function verifies(secret: string, { body, headers }: Received): boolean {
    try {
      new Webhook(secret).verify(body.toString(), headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }

  describe('the request to a real receiver', async () => {
    const service = await openTestService()
    const receiver = await openReceiver()
    const accountId = (await service.merchant()).accounts.sandbox.accountId
    const endpoint = await newEndpoint(service, accountId, `${receiver.url}/hook?shop=7`, {
      secretHash: 'static-of-the-shop',
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

    it('is a POST with the headers of D-27, and the receivers’ library verifies it', async () => {
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
    })

    it('verifies with the old and the new signing secret during an overlap', async () => {
      const rolled = (await change(service, endpoint, {
        to: 'new signing secret',
        keepOldMs: OVERLAP_MS,
      })) as string
      const event = await next()
      assert.ok(verifies(rolled, event))
      assert.ok(verifies(endpoint.signingSecret, event))
    })

    it('verifies with the new secret only when there is no overlap', async () => {
      const rolled = (await change(service, endpoint, {
        to: 'new signing secret',
        keepOldMs: 0,
      })) as string
      const event = await next()
      assert.ok(verifies(rolled, event))
      assert.ok(!verifies(endpoint.signingSecret, event))
    })
  })

  describe('an overlap', async () => {
    let accountId: string
    let endpoint: AddedEndpoint
    const service = await openWebhookService(SQLITE)
    after(() => service.remove())

    async function begin(knows: string, refusal: number): Promise<void> {
      accountId = (await service.merchant()).accounts.sandbox.accountId
      endpoint = await newEndpoint(service, accountId, `${HOST}/${accountId}`, { secretHash: OLD })
      service.receivers.answer = ({ headers }) => (headers['secret-hash'] === knows ? 200 : refusal)
      service.sent.length = 0
      await change(service, endpoint, {
        to: 'new secret hash',
        secretHash: NEW,
        keepOldMs: OVERLAP_MS,
      })
    }

    async function hashesSent(): Promise<(string | undefined)[]> {
      service.sent.length = 0
      await sendEvents(service, accountId, [1])
      return service.sent.map(({ headers }) => headers['secret-hash'])
    }

    for (const refusal of [401, 403])
      it(`Secret-Hash: a receiver that answers ${refusal} to the new one gets the old one in the same attempt`, async () => {
        await begin(OLD, refusal)
        assert.deepEqual(await hashesSent(), [NEW, OLD])
        const [row] = await deliveries(service, accountId)
        assert.ok(row)
        assert.deepEqual([row.status, row.attempts], ['delivered', 1])
        const codes = (await listDeliveryAttempts(service.db, row)).map(
          ({ statusCode }) => statusCode,
        )
        assert.deepEqual(codes, [200])
      })

    it('Secret-Hash: a receiver that accepts the new one gets no other', async () => {
      await begin(NEW, 401)
      assert.deepEqual(await hashesSent(), [NEW])
    })

    it('Secret-Hash: other refusals do not send the old one', async () => {
      await begin('nothing', 404)
      assert.deepEqual(await hashesSent(), [NEW])
    })

    it('Secret-Hash: after the overlap the old one is not sent', async () => {
      await begin(OLD, 401)
      await service.clock.sleep(OVERLAP_MS)
      assert.deepEqual(await hashesSent(), [NEW])
      const [row] = await deliveries(service, accountId)
      assert.equal(row?.status, 'waiting')
    })

    it('signing secret: after the overlap one signature is left', async () => {
      await begin(NEW, 401)
      await change(service, endpoint, { to: 'new signing secret', keepOldMs: OVERLAP_MS })
      for (const signatures of [2, 1]) {
        await hashesSent()
        assert.equal(service.sent[0]?.headers['webhook-signature']?.split(' ').length, signatures)
        await service.clock.sleep(OVERLAP_MS)
      }
    })
  })

  it('no secret of an endpoint is in the tables, the log or the metrics', async (t) => {
    const lines: string[] = []
    const log = makeLog('debug', { write: (line) => void lines.push(line) })
    const service = await openTestService(SQLITE, {}, { log })
    t.after(() => service.remove())
    const receiver = await openReceiver()
    t.after(() => receiver.close())
    // The answer repeats the request, as a debugging page does.
    receiver.handle = ({ headers }) => ({
      status: headers['secret-hash'] === 'canary-of-new-0002' ? 401 : 500,
      text: JSON.stringify(headers),
    })
    const { accountId } = (await service.merchant()).accounts.sandbox
    const endpoint = await newEndpoint(service, accountId, receiver.url, {
      secretHash: 'canary-of-old-0001',
    })
    const rolled = await change(service, endpoint, {
      to: 'new signing secret',
      keepOldMs: OVERLAP_MS,
    })
    await change(service, endpoint, {
      to: 'new secret hash',
      secretHash: 'canary-of-new-0002',
      keepOldMs: OVERLAP_MS,
    })
    await writeEvents(service, accountId, upTo(3))
    await receiver.nth(6)
    const noted = async () => (await service.db.read('select attempt from webhook_attempts')).length
    await until('note of three attempts', async () => (await noted()) >= 3)
    // An internal error is logged with all its details.
    await service.db.change(`update webhook_endpoints set signing_secret = 'AAAA'`)
    await writeEvents(service, accountId, [4])
    await until('line about it in the log', () =>
      lines.some((line) => line.includes('delivering failed')),
    )

    const dump = await dumped(service)
    const metrics = (await service.app.inject({ url: '/metrics' })).body
    const secrets = [
      'canary-of-old-0001',
      'canary-of-new-0002',
      endpoint.signingSecret,
      rolled as string,
    ]
    const forms = secrets.flatMap((secret) => [
      secret,
      Buffer.from(secret).toString('base64'),
      secret.slice(6),
    ])
    for (const [place, text] of Object.entries({ dump, metrics, log: lines.join('') }))
      for (const form of forms) assert.ok(!text.includes(form), `${form} is in the ${place}`)
    assert.match(dump, /webhook-signature/, 'the receiver’s words are kept')
    assert.match(metrics, /karba_webhook_attempts_total\{outcome="not_delivered"\} 3/)
  })
})

// Most receivers compare the Secret-Hash, then read the payment before they trust the event (spec
// §6).
describe('webhook read-back', () => {
  const PAYMENTS = 200
  const AT_ONCE = 25

  // The first succeeds in the answer to the request. Three get their outcome by a callback: a
  // success and two failures.
  const NUMBERS = ['40410000100', '40410000000', '40410000004', '40410000002']

  it(`a read never lags behind the webhook: ${PAYMENTS} payments are read back during delivery`, async (t) => {
    const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '0' })
    t.after(() => service.remove())
    const receiver = await openReceiver()
    t.after(() => receiver.close())
    const url = await service.app.listen({ port: 0, host: '127.0.0.1' })
    const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
    const headers = head(secretKey)
    const lagging: unknown[] = []
    receiver.handle = async ({ headers: { 'secret-hash': secretHash }, event: { data } }) => {
      if (secretHash !== SECRET_HASH) return 401
      const answer = await fetch(`${url}/api/v1/payments/${data.reference}`, { headers })
      const read = await answer.json()
      if (answer.status !== 200 || JSON.stringify(read) !== JSON.stringify(data))
        lagging.push({ data, read })
      return 200
    }
    await newEndpoint(service, accountId, `${receiver.url}/hook`)

    const create = async (nth: number): Promise<void> => {
      const body = JSON.stringify(order({ msisdn: NUMBERS[nth % NUMBERS.length] }))
      const answer = await fetch(`${url}/api/v1/payments`, { method: 'POST', headers, body })
      assert.equal(answer.status, 200)
    }
    for (let done = 0; done < PAYMENTS; done += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => create(done + at)))
    const references = (): unknown[] => receiver.got.map(({ event }) => event.data.reference)
    // An acknowledged delivery has been read back.
    await until(`answer to ${PAYMENTS} events`, () => receiver.answered >= PAYMENTS)
    assert.deepEqual(lagging, [])
    assert.deepEqual(
      [references().length, new Set(references()).size],
      [PAYMENTS, PAYMENTS],
      'each came once',
    )
    const events = receiver.got.map(({ event }) => event.event)
    assert.deepEqual(new Set(events), new Set(['payment.succeeded', 'payment.failed']))
  })
})

const CASES: [about: string, secretHashes: string[], answer: string, kept: string][] = [
  ['a long one', ['a word of the shop'], 'got a word of the shop.', 'got [hidden].'],
  ['one shorter than is allowed today', ['abc'], 'got abc, xabcx', 'got [hidden], x[hidden]x'],
  ['one that is a part of its replacement', ['d', 'hid'], 'hid d', '[hidden] [hidden]'],
  [
    'one within JSON',
    ['with "quotes" in it'],
    '{"got":"with \\"quotes\\" in it"}',
    '{"got":"[hidden]"}',
  ],
  [
    'both of an overlap, the longer one whole',
    ['secret', 'secret-of-old'],
    'secret-of-old secret',
    '[hidden] [hidden]',
  ],
  ['signs that mean something in a pattern', ['.*(a|b)+$'], 'ab .*(a|b)+$', 'ab [hidden]'],
  ['one again and again, as one', ['x'], 'xxxx y', '[hidden] y'],
]
for (const [about, secretHashes, answer, kept] of CASES)
  it(`webhook secrets: a Secret-Hash is hidden in a kept answer: ${about}`, () =>
    assert.equal(
      withoutSecrets(answer, { url: '', hasFailed: false, secretHashes, signingSecrets: [] }),
      kept,
    ))
