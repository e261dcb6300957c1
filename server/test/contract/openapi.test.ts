// Every answer that the service gives is one that docs/openapi.json describes: status, media type, body and headers,
// for every status that an operation documents. Successes and refusals on both stores, what belongs to no operation on
// one.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { replayEvents } from '../../src/actions/webhooks/deliveries.ts'
import { addEndpoint, testEndpoint } from '../../src/actions/webhooks/endpoints.ts'
import { targetRules } from '../../src/config.ts'
import { type DeliveryKey, deliveryName } from '../../src/domain/webhook-event.ts'
import { houseErrorsOf, OPERATIONS } from '../../src/merchant-api/contract.ts'
import { secretsBox } from '../../src/service/master-key.ts'
import type { WebhookSender } from '../../src/webhooks/send.ts'
import { errorText, HOUSE_ERRORS } from '../../src/wire/error.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { head, openTestService, order, post, type TestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { byPhone, DECLINES, decide, LINK, newLink, onPage, pay, SUCCEEDS, toProvider } from '../links/payer.ts'
import { ask, type RawAnswer } from './ask.ts'
import { askPlainly, askWhileStopping, openTroubled, TRIED, type Troubled, tryHouseError } from './house-answers.ts'
import { readDescription } from './interface-description.ts'
import { openWorld, type World, walk } from './refusal-walk.ts'

const REFUNDED = '40410000117'
const LINK_LIFE_MS = 30 * 60_000

const description = readDescription()

it('the document describes the operations of the contract, at their addresses', () => {
  const contract = Object.values(OPERATIONS).map(({ id, method, base, path }) => `${id} ${method} ${base}${path}`)
  const documented = description.operations
    .filter(({ method }) => method !== 'OPTIONS')
    .map(({ id, method, address }) => `${id} ${method} ${address}`)
  assert.deepEqual(documented.sort(), contract.sort())
})

describe('a request that is mended fault by fault', () => {
  let world: World

  before(async () => {
    world = await openWorld(SQLITE)
  })
  after(() => world.service.remove())

  for (const { id, refusals } of Object.values(OPERATIONS)) {
    it(`gets from ${id} ${refusals.length} refusals and a 200 as described`, async () => {
      for await (const { refusal, sent, answer } of walk(world, id)) {
        description.holdAnswer(id, answer)
        if (refusal === undefined && sent.body) description.holdRequest(id, sent.body)
      }
    })
  }
})

describe('what a merchant reads', () => {
  let service: VirtualService
  let key: string

  before(async () => {
    service = await openVirtualService(SQLITE)
    key = (await service.merchant()).accounts.sandbox.secretKey
  })
  after(() => service.remove())

  /** The answer, held against the document; its body. */
  async function read(id: 'readPayment' | 'readLink' | 'listEvents', asked: { reference?: string } = {}) {
    const answer = await ask(service, OPERATIONS[id], { headers: head(key), ...asked })
    assert.equal(answer.code, 200, answer.text)
    description.holdAnswer(id, answer)
    return JSON.parse(answer.text)
  }

  const PAYMENTS: [msisdn: string, status: string][] = [
    [SUCCEEDS, 'succeeded'],
    [DECLINES, 'failed'],
    [REFUNDED, 'refunded'],
  ]
  for (const [msisdn, status] of PAYMENTS) {
    it(`a payment that is pending and then ${status} is as described`, async () => {
      const { body } = await post(service, key, order({ msisdn }))
      const asked = { reference: body.reference as string }
      assert.equal((await read('readPayment', asked)).status, 'pending')
      await service.clock.advance(10_000)
      assert.equal((await read('readPayment', asked)).status, status)
    })
  }

  it('a link that is paid by phone, by card, or never is as described at every stage', async () => {
    const change = { description: 'Deux pagnes', transaction_id: 'cmd-12' }
    const [byNumber, byCard, unpaid, endless] = await Promise.all([
      newLink(service, key, change),
      newLink(service, key),
      newLink(service, key),
      newLink(service, key, { shouldExpire: false }),
    ])
    await pay(service, byNumber, byPhone(SUCCEEDS))
    await decide(service, await toProvider(service, byCard, onPage('bank_card')), 'approve')
    const statuses = async () => {
      const seen: string[] = []
      for (const reference of [byNumber, byCard, unpaid, endless]) {
        const link = await read('readLink', { reference })
        const payment = await read('readPayment', { reference })
        seen.push(link.status, payment.status)
      }
      return seen.join(' ')
    }
    assert.match(await statuses(), /^pending pending .* initiated initiated initiated initiated$/)
    await service.clock.advance(5_000)
    await service.clock.sleep(LINK_LIFE_MS)
    await service.clock.advance(5_000)
    const paid = 'succeeded succeeded succeeded succeeded'
    assert.equal(await statuses(), `${paid} failed failed initiated initiated`)
  })

  it('the feed of all that is as described', async () => {
    const { events } = await read('listEvents')
    const names = new Set(events.map(({ event }: { event: string }) => event))
    assert.deepEqual([...names].sort(), ['payment.failed', 'payment.refunded', 'payment.succeeded'])
    assert.ok(events.some(({ data }: { data: object }) => 'external_payment_reference' in data))
  })
})

it('the feed with a test event and a replay is as described', async () => {
  const sender: WebhookSender = {
    send: async () => ({ status: 200, durationMs: 1, answer: '', error: null, retryAfterMs: null }),
    close: async () => {},
  }
  const service = await openTestService(SQLITE, {}, { sender })
  try {
    const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
    const delivery = await sendTestEvent(service, accountId)
    granted(await replayEvents(service, TESTER, { delivery: deliveryName(delivery) }))
    const query = { replays_after: '0' }
    const answer = await ask(service, OPERATIONS.listEvents, { headers: head(secretKey), query })
    description.holdAnswer('listEvents', answer)
    const { events, replays } = JSON.parse(answer.text)
    assert.deepEqual([events.length, replays.length, replays[0].event], [1, 1, 'webhook.test'])
  } finally {
    await service.remove()
  }
})

async function sendTestEvent(service: TestService, accountId: string): Promise<DeliveryKey> {
  const { random, master, config } = service
  const deps = { ...service, box: secretsBox(master, random), rules: targetRules(config) }
  const wish = { accountId, url: 'https://shop.example.com/hook', secretHash: 'a word of the shop', events: [] }
  const { endpointId } = granted(await addEndpoint(deps, TESTER, wish))
  return granted(await testEndpoint(service, TESTER, { endpointId }))
}

describe('an answer that belongs to no operation', () => {
  let troubled: Troubled

  before(async () => {
    troubled = await openTroubled()
  })
  after(() => troubled.remove())

  for (const operation of Object.values(OPERATIONS)) {
    for (const name of TRIED) {
      const { http, message } = HOUSE_ERRORS[name]
      const gives = houseErrorsOf(operation).includes(name)
      it(`is as described: ${operation.id} ${gives ? 'gives' : 'never gives'} ${http} ${message}`, async () => {
        const answer = await tryHouseError(troubled, name, operation)
        const isGiven = answer.code === http && answer.text === errorText(HOUSE_ERRORS[name])
        assert.equal(isGiven, gives, `${answer.code} ${answer.text}`)
        description.holdAnswer(operation.id, answer)
      })
    }
  }

  for (const { address } of description.operations) {
    const url = address.replace('{reference}', 'x')
    it(`is as described for another method of ${address}, and for an address beside it`, async () => {
      description.holdShared('method_not_allowed', 405, await askPlainly(troubled, 'DELETE', url))
      description.holdShared('not_found', 404, await askPlainly(troubled, 'GET', `/v2${url}`))
    })
  }

  it('is as described when a browser asks before a page may', async () => {
    description.holdAnswer('askBeforeLinkFromPage', await askPlainly(troubled, 'OPTIONS', '/checkout/links'))
  })

  it('is as described for every operation while the service stops', async () => {
    const { service } = await openTroubled().then(({ world }) => world)
    const answers = await askWhileStopping(service, Object.values(OPERATIONS))
    for (const [id, answer] of answers) {
      assert.equal(answer.code, 503)
      description.holdAnswer(id, answer)
    }
    await service.place.remove()
  })
})

it('a body or a header that the document does not name would be found', () => {
  const answer: RawAnswer = {
    code: 404,
    text: '{"message":"Payment Not Found"}',
    headers: { 'content-type': 'application/json', 'x-request-id': 'req_1', 'svc-error-code': 'payment_not_found' },
  }
  description.holdAnswer('readPayment', answer)
  const FAULTS: [what: string, change: Partial<RawAnswer>][] = [
    ['a status', { code: 410 }],
    ['another message', { text: '{"message":"Gone"}' }],
    ['one more field', { text: '{"message":"Payment Not Found","status":"failed"}' }],
    ['another media type', { headers: { ...answer.headers, 'content-type': 'text/plain' } }],
    ['no request id', { headers: { ...answer.headers, 'x-request-id': undefined } }],
    ['another code', { headers: { ...answer.headers, 'svc-error-code': 'gone' } }],
    ['one more header', { headers: { ...answer.headers, 'access-control-allow-origin': '*' } }],
  ]
  for (const [what, change] of FAULTS) {
    assert.throws(() => description.holdAnswer('readPayment', { ...answer, ...change }), assert.AssertionError, what)
  }
  assert.throws(() => description.holdRequest('createLinkFromPage', { ...LINK, title: 12 }), assert.AssertionError)
})

it('every status that the document names for an operation was given', (t) => {
  const held = new Set(description.held)
  const missing = description.operations.flatMap(({ id, statuses }) =>
    statuses.map((status) => `${id} ${status}`).filter((name) => !held.has(name)),
  )
  assert.deepEqual(missing, [])
  t.diagnostic(`${description.held.length} answers were held against the document, of ${held.size} kinds`)
})
