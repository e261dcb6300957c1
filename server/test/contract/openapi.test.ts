// Every answer of the service is documented in docs/openapi.json: status, media type, body and
// headers, for every documented status of an operation. The examples, which people copy, are valid
// under their schemas.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { replayEvents } from '../../src/actions/webhooks/deliveries.ts'
import { testEndpoint } from '../../src/actions/webhooks/endpoints.ts'
import { deliveryName } from '../../src/domain/webhooks/webhook-event.ts'
import {
  EXISTING_REFERENCE_HEADER,
  generalErrorsOf,
  OPERATIONS,
} from '../../src/merchant-api/contract.ts'
import { errorText, GENERAL_ERRORS } from '../../src/wire/error.ts'
import { WIRE_ERRORS } from '../../src/wire/refusals.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { head, openTestService, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { newEndpoint } from '../kit/webhooks.ts'
import { byPhone, DECLINES, LINK, onPage, openShop, SUCCEEDS } from '../links/payer.ts'
import {
  askPlainly,
  askWhileStopping,
  openTroubled,
  TRIED,
  tryGeneralError,
} from './general-errors.ts'
import { readDescription } from './interface-description.ts'
import { ask, openWorld, type RawAnswer, walk } from './refusal-walk.ts'

const REFUNDED = '40410000117'
const LINK_LIFE_MS = 30 * 60_000
const description = readDescription()

it('openapi.json has the operations of the contract, at their paths', () => {
  const contract = Object.values(OPERATIONS).map(
    ({ id, method, base, path }) => `${id} ${method} ${base}${path}`,
  )
  const documented = description.operations
    .filter(({ method }) => method !== 'OPTIONS')
    .map(({ id, method, address }) => `${id} ${method} ${address}`)
  assert.deepEqual(documented.sort(), contract.sort())
})

// A request starts with every fault and is repaired one fault at a time. The refusals are those of
// its list in contract.ts, in that order, and then 200.
describe('openapi.json: requests repaired fault by fault', async () => {
  const world = await openWorld(SQLITE)
  after(() => world.service.remove())

  for (const { id, method, base, path, refusals } of Object.values(OPERATIONS))
    it(`${method} ${base}${path} gives ${refusals.length} refusals in the order of its list and a 200, as documented`, async () => {
      const seen: string[] = []
      for await (const { refusal, sent, answer } of walk(world, id)) {
        seen.push(refusalOf(answer))
        description.holdAnswer(id, answer)
        if (refusal === undefined && sent.body) description.holdRequest(id, sent.body)
      }
      const listed = refusals.map((refusal) => {
        const isTaken =
          refusal === 'external_reference_taken' || refusal === 'order_reference_taken'
        const isNamed = isTaken ? id !== 'createLinkFromPage' : refusal === 'endpoint_url_taken'
        const names = isNamed ? NAMES_FIRST : ''
        return `${WIRE_ERRORS[refusal].http} ${errorText(WIRE_ERRORS[refusal])} ${refusal}${names}`
      })
      assert.deepEqual(seen, [...listed, '200'])
    })
})

/** A taken name has the same body as an invalid one (D-16); of an address, the endpoint (D-217). */
const NAMES_FIRST = ', and names what was first'

function refusalOf({ code, text, headers }: RawAnswer): string {
  const names = EXISTING_REFERENCE_HEADER in headers ? NAMES_FIRST : ''
  return (code === 200 ? '200' : `${code} ${text} ${headers['svc-error-code']}`) + names
}

describe('openapi.json: merchant reads', async () => {
  const { service, clock, account, newLink, pay, decide, toProvider } = await openShop()
  const key = account.secretKey

  /** Validates the answer against the document; returns its body. */
  async function read(
    id: 'readPayment' | 'readLink' | 'listEvents',
    asked: { reference?: string } = {},
  ) {
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
  for (const [msisdn, status] of PAYMENTS)
    it(`a payment that is pending and then ${status} is as documented`, async () => {
      const { body } = await post(service, key, order({ msisdn }))
      const asked = { reference: body.reference as string }
      assert.equal((await read('readPayment', asked)).status, 'pending')
      await clock.advance(10_000)
      assert.equal((await read('readPayment', asked)).status, status)
    })

  it('a link that is paid by phone, by card, or never is as documented at every stage', async () => {
    const change = { description: 'Deux pagnes', transaction_id: 'cmd-12' }
    const [byNumber, byCard, unpaid, endless] = await Promise.all([
      newLink(change),
      newLink(),
      newLink(),
      newLink({ shouldExpire: false }),
    ])
    await pay(byNumber, byPhone(SUCCEEDS))
    await decide(await toProvider(byCard, onPage('bank_card')), 'approve')
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
    await clock.advance(5_000)
    await clock.sleep(LINK_LIFE_MS)
    await clock.advance(5_000)
    const paid = 'succeeded succeeded succeeded succeeded'
    assert.equal(await statuses(), `${paid} failed failed initiated initiated`)
  })

  it('the feed of these events is as documented', async () => {
    const { events } = await read('listEvents')
    const names = new Set(events.map(({ event }: { event: string }) => event))
    assert.deepEqual([...names].sort(), ['payment.failed', 'payment.refunded', 'payment.succeeded'])
    assert.ok(events.some(({ data }: { data: object }) => 'external_payment_reference' in data))
  })
})

it('openapi.json: the feed with a test event and a replay is as documented', async (t) => {
  const send = async () => ({
    status: 200,
    durationMs: 1,
    answer: '',
    error: null,
    retryAfterMs: null,
  })
  const service = await openTestService(SQLITE, {}, { sender: { send, close: async () => {} } })
  t.after(() => service.remove())
  const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
  const endpoint = await newEndpoint(service, accountId, 'https://shop.example.com/hook')
  const delivery = granted(await testEndpoint(service, TESTER, endpoint))
  granted(await replayEvents(service, TESTER, { delivery: deliveryName(delivery) }))
  const query = { replays_after: '0' }
  const answer = await ask(service, OPERATIONS.listEvents, { headers: head(secretKey), query })
  description.holdAnswer('listEvents', answer)
  const { events, replays } = JSON.parse(answer.text)
  assert.deepEqual([events.length, replays.length, replays[0].event], [1, 1, 'webhook.test'])
})

describe('openapi.json: answers that belong to no operation', async () => {
  const troubled = await openTroubled()
  after(() => troubled.remove())

  for (const operation of Object.values(OPERATIONS))
    for (const name of TRIED) {
      const { http, message } = GENERAL_ERRORS[name]
      const gives = generalErrorsOf(operation).includes(name)
      it(`${operation.id} ${gives ? 'gives' : 'never gives'} ${http} ${message}, as documented`, async () => {
        const answer = await tryGeneralError(troubled, name, operation)
        const isGiven = answer.code === http && answer.text === errorText(GENERAL_ERRORS[name])
        assert.equal(isGiven, gives, `${answer.code} ${answer.text}`)
        description.holdAnswer(operation.id, answer)
      })
    }

  for (const { address } of description.operations) {
    const url = address.replace('{reference}', 'x')
    it(`another method of ${address}, and an unknown path next to it, are as documented`, async () => {
      description.holdShared('method_not_allowed', 405, await askPlainly(troubled, 'DELETE', url))
      description.holdShared('not_found', 404, await askPlainly(troubled, 'GET', `/v2${url}`))
    })
  }

  it('a CORS preflight is as documented', async () => {
    description.holdAnswer(
      'askBeforeLinkFromPage',
      await askPlainly(troubled, 'OPTIONS', '/checkout/links'),
    )
  })

  it('every operation is as documented while the service stops', async () => {
    const { service } = await openTroubled().then(({ world }) => world)
    const answers = await askWhileStopping(service, Object.values(OPERATIONS))
    for (const [id, answer] of answers) {
      assert.equal(answer.code, 503)
      description.holdAnswer(id, answer)
    }
    await service.place.remove()
  })
})

it('openapi.json: the validator rejects an undocumented body or header', () => {
  const answer: RawAnswer = {
    code: 404,
    text: '{"message":"Payment Not Found"}',
    headers: {
      'content-type': 'application/json',
      'x-request-id': 'req_1',
      'svc-error-code': 'payment_not_found',
      'svc-error-hint': 'Check it.',
      link: '</docs/errors#payment_not_found>; rel="help"',
    },
  }
  description.holdAnswer('readPayment', answer)
  const FAULTS: [what: string, change: Partial<RawAnswer>][] = [
    ['a status', { code: 410 }],
    ['another message', { text: '{"message":"Gone"}' }],
    ['one more field', { text: '{"message":"Payment Not Found","status":"failed"}' }],
    ['another media type', { headers: { ...answer.headers, 'content-type': 'text/plain' } }],
    ['no request id', { headers: { ...answer.headers, 'x-request-id': undefined } }],
    ['no hint', { headers: { ...answer.headers, 'svc-error-hint': undefined } }],
    ['another code', { headers: { ...answer.headers, 'svc-error-code': 'gone' } }],
    ['one more header', { headers: { ...answer.headers, 'access-control-allow-origin': '*' } }],
  ]
  for (const [what, change] of FAULTS)
    assert.throws(
      () => description.holdAnswer('readPayment', { ...answer, ...change }),
      assert.AssertionError,
      what,
    )
  assert.throws(
    () => description.holdRequest('createLinkFromPage', { ...LINK, title: 12 }),
    assert.AssertionError,
  )
})

it('openapi.json: every documented status of every operation was observed', (t) => {
  const held = new Set(description.held)
  const missing = description.operations.flatMap(({ id, statuses }) =>
    statuses.map((status) => `${id} ${status}`).filter((name) => !held.has(name)),
  )
  assert.deepEqual(missing, [])
  t.diagnostic(
    `${description.held.length} answers were held against the document, of ${held.size} kinds`,
  )
})

describe('examples of openapi.json', () => {
  interface Content {
    schema: { $ref?: string }
    example?: unknown
  }

  const DOCUMENT = JSON.parse(
    readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'),
  )

  function contents(part: unknown): Content[] {
    if (typeof part !== 'object' || part === null) return []
    const own = Object.entries(part).flatMap(([name, value]) =>
      name === 'application/json' ? [value as Content] : [],
    )
    return [...own, ...Object.values(part).flatMap(contents)]
  }

  const judge = new Ajv2020({ strict: false })
  addFormats.default(judge)
  judge.addSchema(DOCUMENT, 'openapi.json')

  it('every named body has an example that its schema accepts', () => {
    const named = contents([DOCUMENT.paths, DOCUMENT.webhooks]).filter(
      ({ schema }) => schema.$ref !== undefined && !/(Error|Failure)$/.test(schema.$ref),
    )
    assert.ok(named.length > 8)
    for (const { schema, example } of named) {
      const validate = judge.compile({ $ref: `openapi.json${schema.$ref}` })
      assert.ok(validate(example), `${schema.$ref}: ${judge.errorsText(validate.errors)}`)
    }
  })

  it('only additions to the contract are marked as additions', () => {
    const operations = Object.values(DOCUMENT.paths).flatMap((item) =>
      Object.values(item as object).filter((each) => each.operationId !== undefined),
    )
    const contract = operations
      .filter((each) => each['x-addition'] === undefined)
      .map((each) => each.operationId)
    assert.deepEqual(contract, ['createPayment', 'readPayment', 'createLink', 'readLink'])
    const fields = Object.values(DOCUMENT.components.schemas).flatMap((schema) =>
      Object.entries((schema as { properties?: object }).properties ?? {}),
    )
    const marked = fields.filter(([, field]) => field['x-addition']).map(([name]) => name)
    assert.ok(marked.includes('failure_reason') && !marked.includes('transaction_id'))
  })
})
