// What the simulated MTN MoMo refuses, and how: expected by the network's documents and by what others measured, not by our connector.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type MtnMomoNetworkOptions, mtnMomoNetwork } from '../../../../simulators/src/mtn-momo/network.ts'
import { seededRandom } from '../../kit/seeded-random.ts'
import { virtualClock } from '../../kit/virtual-clock.ts'

type Headers = Record<string, string | undefined>
interface Reply {
  code: number
  body: Record<string, unknown> | string | undefined
}

const DECIDED_AFTER_MS = 1_000

/** A client that follows the documents to the letter, and does one thing otherwise where a test says so. */
function openClient(options: MtnMomoNetworkOptions = {}, product: 'collection' | 'disbursement' = 'collection') {
  const clock = virtualClock()
  const network = mtnMomoNetwork(
    { clock, random: seededRandom(3), decideAfterMs: DECIDED_AFTER_MS, sendCallback: async () => 200 },
    options,
  )
  const { credentials } = network
  const isCollection = product === 'collection'
  const key = isCollection ? credentials.subscriptionKey : credentials.disbursementSubscriptionKey
  const user = isCollection ? credentials.apiUser : credentials.disbursementApiUser
  const secret = isCollection ? credentials.apiKey : credentials.disbursementApiKey
  const common = { 'ocp-apim-subscription-key': key, 'x-target-environment': 'mtnbenin' }

  function call(method: string, path: string, headers: Headers = {}, body: object | string = ''): Reply {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const reaction = network.handle({ method, path: pathname, query: searchParams, headers: sent, body: text })
    assert.ok('code' in reaction)
    return { code: reaction.code, body: reaction.body as Reply['body'] }
  }

  const basic = (id = user, its = secret): string => `Basic ${btoa(`${id}:${its}`)}`
  const token = (headers: Headers = {}, body: object | string = ''): Reply =>
    call('POST', `/${product}/token/`, { ...common, authorization: basic(), ...headers }, body)
  const bearer = (): string => `Bearer ${(token().body as { access_token: string }).access_token}`
  const held = bearer()
  const post = (path: string, body: object | string, headers: Headers = {}): Reply =>
    call(
      'POST',
      `/${product}${path}`,
      {
        ...common,
        authorization: held,
        'x-reference-id': randomUUID(),
        'content-type': 'application/json',
        ...headers,
      },
      body,
    )
  const get = (path: string, headers: Headers = {}): Reply =>
    call('GET', `/${product}${path}`, { ...common, authorization: held, ...headers })
  return { clock, network, call, token, basic, post, get, common, credentials }
}

const BODY = {
  amount: '100',
  currency: 'XOF',
  externalId: 'order-1',
  payer: { partyIdType: 'MSISDN', partyId: '2290197000000' },
  payerMessage: 'message',
  payeeNote: 'note',
}
const codeOf = ({ body }: Reply): unknown => (typeof body === 'object' ? body.code : body)

describe('a request to pay', () => {
  it('is answered with 202 and no body', () => {
    assert.deepEqual(openClient().post('/v1_0/requesttopay', BODY), { code: 202, body: undefined })
  })

  for (const [about, body, headers, http, code] of [
    ['a reference that is no UUID', BODY, { 'x-reference-id': 'order-1' }, 400, undefined],
    ['a UUID of version 1', BODY, { 'x-reference-id': '5b5c1a30-95a4-11ee-b9d1-0242ac120002' }, 400, undefined],
    ['no reference', BODY, { 'x-reference-id': undefined }, 400, undefined],
    ['an apostrophe in a text', { ...BODY, payerMessage: "l'eau" }, {}, 400, undefined],
    ['a text of 161 characters', { ...BODY, payeeNote: 'x'.repeat(161) }, {}, 400, undefined],
    ['a space in externalId', { ...BODY, externalId: 'order 1' }, {}, 400, undefined],
    ['no body', '', {}, 400, undefined],
    ['no payer', { ...BODY, payer: undefined }, {}, 400, undefined],
    ['a payer of no known type', { ...BODY, payer: { partyIdType: 'PHONE', partyId: '1' } }, {}, 400, undefined],
    ['an amount that is none', { ...BODY, amount: 'ten' }, {}, 400, undefined],
    ['a fraction of a franc', { ...BODY, amount: '10.5' }, {}, 400, undefined],
    ['nothing', { ...BODY, amount: '0' }, {}, 400, undefined],
    ['an empty callback header', BODY, { 'x-callback-url': '' }, 400, undefined],
    ['a callback header that says null', BODY, { 'x-callback-url': 'null' }, 400, undefined],
    ['euros in Benin', { ...BODY, currency: 'EUR' }, {}, 500, 'INVALID_CURRENCY'],
    ['an empty text', { ...BODY, payerMessage: '' }, {}, 500, 'INTERNAL_PROCESSING_ERROR'],
    ['another target environment', BODY, { 'x-target-environment': 'mtnghana' }, 500, 'NOT_ALLOWED_TARGET_ENVIRONMENT'],
    ['no token', BODY, { authorization: undefined }, 401, undefined],
    ['a token without the word Bearer', BODY, { authorization: 'abc' }, 401, undefined],
    ['the key of no product', BODY, { 'ocp-apim-subscription-key': 'wrong' }, 401, undefined],
    ['no key', BODY, { 'ocp-apim-subscription-key': undefined }, 401, undefined],
  ] as const) {
    it(`with ${about} is refused with ${http}, and nothing is created`, () => {
      const { post, network } = openClient()
      const reply = post('/v1_0/requesttopay', body, headers)
      assert.deepEqual([reply.code, codeOf(reply)], [http, code])
      assert.deepEqual(network.books(), [])
    })
  }

  it('under a reference that was used is refused with 409, and the first one stays', () => {
    const { post, network } = openClient()
    const headers = { 'x-reference-id': randomUUID() }
    assert.equal(post('/v1_0/requesttopay', BODY, headers).code, 202)
    const again = post('/v1_0/requesttopay', { ...BODY, amount: '200' }, headers)
    assert.deepEqual([again.code, codeOf(again)], [409, 'RESOURCE_ALREADY_EXIST'])
    assert.deepEqual(
      network.books().map(({ amountXof, requests }) => [amountXof, requests]),
      [[100, 2]],
    )
  })

  it('with an ampersand in a text is accepted and never seen again', () => {
    const { post, get, network } = openClient()
    const id = randomUUID()
    assert.equal(post('/v1_0/requesttopay', { ...BODY, payeeNote: 'a & b' }, { 'x-reference-id': id }).code, 202)
    assert.equal(get(`/v1_0/requesttopay/${id}`).code, 404)
    assert.deepEqual(network.books(), [])
  })

  it('with another callback host than the registered one is refused with 500, and without one accepted', () => {
    const { post } = openClient({ callbackHost: 'shop.example' })
    const reply = post('/v1_0/requesttopay', BODY, { 'x-callback-url': 'https://other.example/c' })
    assert.deepEqual([reply.code, codeOf(reply)], [500, 'INVALID_CALLBACK_URL_HOST'])
    assert.equal(post('/v1_0/requesttopay', BODY, { 'x-callback-url': 'https://shop.example/c' }).code, 202)
    assert.equal(post('/v1_0/requesttopay', BODY).code, 202)
  })

  it('to a number that is not written with its country has no payer', async () => {
    const { post, get, clock } = openClient()
    const id = randomUUID()
    const payer = { partyIdType: 'MSISDN', partyId: '0197000000' }
    assert.equal(post('/v1_0/requesttopay', { ...BODY, payer }, { 'x-reference-id': id }).code, 202)
    await clock.advance(DECIDED_AFTER_MS)
    const { body } = get(`/v1_0/requesttopay/${id}`)
    assert.deepEqual(typeof body === 'object' && [body.status, body.reason], [
      'FAILED',
      { code: 'PAYER_NOT_FOUND', message: 'payer not found' },
    ])
  })
})

describe('a status', () => {
  it('of an unknown reference is 404 RESOURCE_NOT_FOUND', () => {
    const reply = openClient().get(`/v1_0/requesttopay/${randomUUID()}`)
    assert.deepEqual([reply.code, codeOf(reply)], [404, 'RESOURCE_NOT_FOUND'])
  })

  it('more than ten times in a second is 429', async () => {
    const { get, clock } = openClient()
    const codes = Array.from({ length: 12 }, () => get(`/v1_0/requesttopay/${randomUUID()}`).code)
    assert.deepEqual(codes, [...Array(10).fill(404), 429, 429])
    await clock.advance(1_000)
    assert.equal(get(`/v1_0/requesttopay/${randomUUID()}`).code, 404)
  })

  it('needs a token that has not ended', async () => {
    const { get, clock } = openClient()
    await clock.advance(3_600_000)
    assert.equal(get('/v1_0/account/balance').code, 401)
  })
})

describe('a token', () => {
  it('lasts an hour, and its address ends with a slash', () => {
    const { token, call, common, basic } = openClient()
    const { code, body } = token()
    assert.equal(code, 200)
    assert.ok(typeof body === 'object')
    assert.deepEqual([body.token_type, body.expires_in], ['access_token', 3600])
    assert.equal(call('POST', '/collection/token', { ...common, authorization: basic() }).code, 404)
  })

  it('is refused for wrong credentials', () => {
    const { token, basic } = openClient()
    assert.deepEqual(token({ authorization: basic(undefined, 'wrong') }), {
      code: 401,
      body: { error: 'login_failed' },
    })
    assert.deepEqual(token({ authorization: undefined }), { code: 401, body: { error: 'invalid_client' } })
  })

  it('needs the target environment on the new platform, and not on the old one', () => {
    const missing = { code: 400, body: { error: 'Invalid or missing X-Target-Environment header' } }
    assert.deepEqual(openClient({ platform: 'new' }).token({ 'x-target-environment': undefined }), missing)
    assert.deepEqual(openClient({ platform: 'new' }).token({ 'x-target-environment': 'mtnghana' }), missing)
    assert.equal(openClient({ platform: 'old' }).token({ 'x-target-environment': undefined }).code, 200)
    // As it is started by `karba simulator`.
    assert.deepEqual(openClient().token({ 'x-target-environment': undefined }), missing)
  })

  it('needs no target environment in the test environment, which has a host of its own', () => {
    const { token, basic, credentials } = openClient()
    const authorization = basic(credentials.sandboxApiUser, credentials.sandboxApiKey)
    assert.equal(token({ authorization, 'x-target-environment': undefined }).code, 200)
  })

  it('comes with subscription keys that are UUIDs', () => {
    const { subscriptionKey, disbursementSubscriptionKey } = openClient().credentials
    for (const key of [subscriptionKey, disbursementSubscriptionKey])
      assert.match(key ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  it('on the new platform is refused with 500 for URL-encoded credentials, and with invalid_client for unknown ones', () => {
    const { token, basic, credentials } = openClient({ platform: 'new' })
    assert.equal(token({ authorization: basic(encodeURIComponent(credentials.apiUser as string)) }).code, 500)
    assert.deepEqual(token({ authorization: basic('nobody') }), { code: 401, body: { error: 'invalid_client' } })
  })

  it('takes a body only where that is allowed', () => {
    assert.equal(openClient().token({}, { grant_type: 'client_credentials' }).code, 200)
    assert.equal(openClient({ refusesTokenBody: true }).token({}, { grant_type: 'client_credentials' }).code, 400)
  })

  it('is of one product: the other has its own key and token', () => {
    const { call, credentials, common, basic } = openClient()
    assert.equal(call('POST', '/disbursement/token/', { ...common, authorization: basic() }).code, 401)
    const key = { 'ocp-apim-subscription-key': credentials.disbursementSubscriptionKey }
    assert.equal(call('POST', '/disbursement/token/', { ...common, ...key, authorization: basic() }).code, 200)
  })
})

it('the new platform’s gateway answers clients of some names with a page', () => {
  const reply = openClient({ platform: 'new' }).token({ 'user-agent': 'python-requests/2.31' })
  assert.equal(reply.code, 403)
  assert.match(String(reply.body), /^<html>/)
})

it('the subscription key may be in the query', () => {
  const { call, credentials, basic } = openClient({ platform: 'old' })
  const path = `/collection/token/?subscription-key=${credentials.subscriptionKey}`
  assert.equal(call('POST', path, { authorization: basic() }).code, 200)
})

it('an address that the network does not have is 404 in the gateway’s form', () => {
  const reply = openClient().get('/v1_0/nothing')
  assert.deepEqual(reply, { code: 404, body: { statusCode: 404, message: 'Resource not found' } })
})
