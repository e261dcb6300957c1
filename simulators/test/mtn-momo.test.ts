// The refusals of the simulated MTN MoMo, by the network's documents and published measurements;
// its other features; and the npm package mtn-momo, made for the real network, on it over HTTP with
// only the base address changed.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { create, type Payer, PayerType } from 'mtn-momo'
import { seededRandom } from '../../server/test/kit/seeded-random.ts'
import { virtualClock } from '../../server/test/kit/virtual-clock.ts'
import { type MtnMomoNetworkOptions, mtnMomoNetwork } from '../src/mtn-momo/network.ts'
import type { ConformanceNetwork } from '../src/network.ts'
import { type NetworkServer, startNetworkServer } from '../src/network-server.ts'
import { type Answered, ask, DECIDE_AFTER_MS, openSimulator } from './open-simulator.ts'

type Headers = Record<string, string | undefined>
type Reply = Pick<Answered, 'code' | 'body'>
type Product = 'collection' | 'disbursement'

/** A client that follows the documents exactly, except for the one change of a test. */
function openClient(options: MtnMomoNetworkOptions = {}) {
  const { clock, network } = openSimulator((deps) => mtnMomoNetwork(deps, options))
  const { credentials } = network
  const common = {
    'ocp-apim-subscription-key': credentials.subscriptionKey,
    'x-target-environment': 'mtnbenin',
  }

  const call = (
    method: string,
    path: string,
    headers: Headers = {},
    body: object | string = '',
  ): Reply => {
    const { code, body: answer } = ask(network, `${method} ${path}`, { headers, body })
    return { code, body: answer }
  }

  const basic = (id = credentials.apiUser, its = credentials.apiKey): string =>
    `Basic ${btoa(`${id}:${its}`)}`
  const token = (headers: Headers = {}, body: object | string = ''): Reply =>
    call('POST', '/collection/token/', { ...common, authorization: basic(), ...headers }, body)
  const authorization = `Bearer ${token().body.access_token}`
  const request = (body: object | string, headers: Headers = {}): Reply => {
    const own = {
      authorization,
      'x-reference-id': randomUUID(),
      'content-type': 'application/json',
    }
    return call('POST', '/collection/v1_0/requesttopay', { ...common, ...own, ...headers }, body)
  }
  const get = (path: string): Reply =>
    call('GET', `/collection/v1_0/${path}`, { ...common, authorization })
  return { clock, network, call, token, basic, request, get, common, credentials }
}

const BODY = {
  amount: '100',
  currency: 'XOF',
  externalId: 'order-1',
  payer: { partyIdType: 'MSISDN', partyId: '2290197000000' },
  payerMessage: 'message',
  payeeNote: 'note',
}
const codesOf = ({ code, body }: Reply): unknown[] => [
  code,
  typeof body === 'object' ? body.code : body,
]

describe('mtn-momo simulator: a request to pay', () => {
  it('is answered with 202 and no body', () => {
    assert.deepEqual(openClient().request(BODY), { code: 202, body: undefined })
  })

  for (const [about, body, headers, http, code] of [
    ['a reference that is not a UUID', BODY, { 'x-reference-id': 'order-1' }, 400, undefined],
    [
      'a UUID of version 1',
      BODY,
      { 'x-reference-id': '5b5c1a30-95a4-11ee-b9d1-0242ac120002' },
      400,
      undefined,
    ],
    ['no reference', BODY, { 'x-reference-id': undefined }, 400, undefined],
    ['an apostrophe in a text', { ...BODY, payerMessage: "l'eau" }, {}, 400, undefined],
    ['a text of 161 characters', { ...BODY, payeeNote: 'x'.repeat(161) }, {}, 400, undefined],
    ['a space in externalId', { ...BODY, externalId: 'order 1' }, {}, 400, undefined],
    ['no body', '', {}, 400, undefined],
    ['no payer', { ...BODY, payer: undefined }, {}, 400, undefined],
    [
      'a payer of an unknown type',
      { ...BODY, payer: { partyIdType: 'PHONE', partyId: '1' } },
      {},
      400,
      undefined,
    ],
    ['an invalid amount', { ...BODY, amount: 'ten' }, {}, 400, undefined],
    ['a fraction of a franc', { ...BODY, amount: '10.5' }, {}, 400, undefined],
    ['an amount of zero', { ...BODY, amount: '0' }, {}, 400, undefined],
    ['an empty callback header', BODY, { 'x-callback-url': '' }, 400, undefined],
    ['a callback header that says null', BODY, { 'x-callback-url': 'null' }, 400, undefined],
    ['euros in Benin', { ...BODY, currency: 'EUR' }, {}, 500, 'INVALID_CURRENCY'],
    ['an empty text', { ...BODY, payerMessage: '' }, {}, 500, 'INTERNAL_PROCESSING_ERROR'],
    [
      'another target environment',
      BODY,
      { 'x-target-environment': 'mtnghana' },
      500,
      'NOT_ALLOWED_TARGET_ENVIRONMENT',
    ],
    ['no token', BODY, { authorization: undefined }, 401, undefined],
    ['a token without the word Bearer', BODY, { authorization: 'abc' }, 401, undefined],
    ['an unknown key', BODY, { 'ocp-apim-subscription-key': 'wrong' }, 401, undefined],
    ['no key', BODY, { 'ocp-apim-subscription-key': undefined }, 401, undefined],
  ] as const) {
    it(`with ${about} is refused with ${http}, and nothing is created`, () => {
      const { request, network } = openClient()
      assert.deepEqual(codesOf(request(body, headers)), [http, code])
      assert.deepEqual(network.books(), [])
    })
  }

  it('with a used reference is refused with 409, and the first one stays', () => {
    const { request, network } = openClient()
    const headers = { 'x-reference-id': randomUUID() }
    assert.equal(request(BODY, headers).code, 202)
    assert.deepEqual(codesOf(request({ ...BODY, amount: '200' }, headers)), [
      409,
      'RESOURCE_ALREADY_EXIST',
    ])
    const [{ amountXof, requests } = {}, ...more] = network.books()
    assert.deepEqual([amountXof, requests, more], [100, 2, []])
  })

  it('with an ampersand in a text is accepted and then lost', () => {
    const { request, get, network } = openClient()
    const id = randomUUID()
    assert.equal(request({ ...BODY, payeeNote: 'a & b' }, { 'x-reference-id': id }).code, 202)
    assert.equal(get(`requesttopay/${id}`).code, 404)
    assert.deepEqual(network.books(), [])
  })

  it('with another callback host than the registered one is refused with 500, and without one accepted', () => {
    const { request } = openClient({ callbackHost: 'shop.example' })
    const refused = request(BODY, { 'x-callback-url': 'https://other.example/c' })
    assert.deepEqual(codesOf(refused), [500, 'INVALID_CALLBACK_URL_HOST'])
    assert.equal(request(BODY, { 'x-callback-url': 'https://shop.example/c' }).code, 202)
    assert.equal(request(BODY).code, 202)
  })

  it('to a number without its country code has no payer', async () => {
    const { request, get, clock } = openClient()
    const id = randomUUID()
    const payer = { partyIdType: 'MSISDN', partyId: '0197000000' }
    assert.equal(request({ ...BODY, payer }, { 'x-reference-id': id }).code, 202)
    await clock.advance(DECIDE_AFTER_MS)
    const { status, reason } = get(`requesttopay/${id}`).body
    assert.deepEqual(
      [status, reason],
      ['FAILED', { code: 'PAYER_NOT_FOUND', message: 'payer not found' }],
    )
  })
})

describe('mtn-momo simulator: a status', () => {
  it('of an unknown reference is 404 RESOURCE_NOT_FOUND', () => {
    assert.deepEqual(codesOf(openClient().get(`requesttopay/${randomUUID()}`)), [
      404,
      'RESOURCE_NOT_FOUND',
    ])
  })

  it('is refused with 429 above ten calls a second', async () => {
    const { get, clock } = openClient()
    const codes = Array.from({ length: 12 }, () => get(`requesttopay/${randomUUID()}`).code)
    assert.deepEqual(codes, [...Array(10).fill(404), 429, 429])
    await clock.advance(1_000)
    assert.equal(get(`requesttopay/${randomUUID()}`).code, 404)
  })

  it('needs a valid token', async () => {
    const { get, clock } = openClient()
    await clock.advance(3_600_000)
    assert.equal(get('account/balance').code, 401)
  })
})

describe('mtn-momo simulator: a token', () => {
  it('is valid for an hour, and its address ends with a slash', () => {
    const { token, call, common, basic } = openClient()
    const { code, body } = token()
    assert.deepEqual([code, body.token_type, body.expires_in], [200, 'access_token', 3600])
    assert.equal(call('POST', '/collection/token', { ...common, authorization: basic() }).code, 404)
  })

  it('is refused for wrong credentials', () => {
    const { token, basic } = openClient()
    const wrong = token({ authorization: basic(undefined, 'wrong') })
    assert.deepEqual(wrong, { code: 401, body: { error: 'login_failed' } })
    assert.deepEqual(token({ authorization: undefined }), {
      code: 401,
      body: { error: 'invalid_client' },
    })
  })

  it('needs the target environment on the new platform, and not on the old one', () => {
    const missing = { code: 400, body: { error: 'Invalid or missing X-Target-Environment header' } }
    assert.deepEqual(
      openClient({ platform: 'new' }).token({ 'x-target-environment': undefined }),
      missing,
    )
    assert.deepEqual(
      openClient({ platform: 'new' }).token({ 'x-target-environment': 'mtnghana' }),
      missing,
    )
    assert.equal(
      openClient({ platform: 'old' }).token({ 'x-target-environment': undefined }).code,
      200,
    )
    // As `karba simulator` starts it.
    assert.deepEqual(openClient().token({ 'x-target-environment': undefined }), missing)
  })

  it('needs no target environment in the test environment, which has its own host', () => {
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
    assert.equal(
      token({ authorization: basic(encodeURIComponent(credentials.apiUser as string)) }).code,
      500,
    )
    assert.deepEqual(token({ authorization: basic('unknown') }), {
      code: 401,
      body: { error: 'invalid_client' },
    })
  })

  it('may have a body only where that is allowed', () => {
    assert.equal(openClient().token({}, { grant_type: 'client_credentials' }).code, 200)
    assert.equal(
      openClient({ refusesTokenBody: true }).token({}, { grant_type: 'client_credentials' }).code,
      400,
    )
  })

  it('is valid for one product: the other has its own key and token', () => {
    const { call, credentials, common, basic } = openClient()
    assert.equal(
      call('POST', '/disbursement/token/', { ...common, authorization: basic() }).code,
      401,
    )
    const key = { 'ocp-apim-subscription-key': credentials.disbursementSubscriptionKey }
    assert.equal(
      call('POST', '/disbursement/token/', { ...common, ...key, authorization: basic() }).code,
      200,
    )
  })
})

it('mtn-momo simulator: the new platform’s gateway answers some User-Agents with an HTML page', () => {
  const reply = openClient({ platform: 'new' }).token({ 'user-agent': 'python-requests/2.31' })
  assert.equal(reply.code, 403)
  assert.match(String(reply.body), /^<html>/)
})

it('mtn-momo simulator: the subscription key may be in the query', () => {
  const { call, credentials, basic } = openClient({ platform: 'old' })
  const path = `/collection/token/?subscription-key=${credentials.subscriptionKey}`
  assert.equal(call('POST', path, { authorization: basic() }).code, 200)
})

it('mtn-momo simulator: an unknown address gets 404 in the gateway’s format', () => {
  assert.deepEqual(openClient().get('nothing'), {
    code: 404,
    body: { statusCode: 404, message: 'Resource not found' },
  })
})

const API_USER = { providerCallbackHost: 'shop.example' }

/** A client with a user of the network's test environment, made by the provisioning API. */
function provisioned(network: ConformanceNetwork, product: Product) {
  const { subscriptionKey, disbursementSubscriptionKey } = network.credentials
  const isCollection = product === 'collection'
  const key = {
    'ocp-apim-subscription-key': isCollection ? subscriptionKey : disbursementSubscriptionKey,
  }
  const id = randomUUID()
  const reference = { ...key, 'x-reference-id': id }
  assert.equal(ask(network, 'POST /v1_0/apiuser', { headers: reference, body: API_USER }).code, 201)
  const { apiKey } = ask(network, `POST /v1_0/apiuser/${id}/apikey`, { headers: key }).body
  const environment = { ...key, 'x-target-environment': 'sandbox' }
  const basic = { ...environment, authorization: `Basic ${btoa(`${id}:${apiKey}`)}` }
  const { access_token: token } = ask(network, `POST /${product}/token/`, { headers: basic }).body
  const headers = { ...environment, authorization: `Bearer ${token}` }
  const get = (path: string) => ask(network, `GET /${product}/v1_0/${path}`, { headers })
  const post = (path: string, body: object, own: Headers = { 'x-reference-id': randomUUID() }) =>
    ask(network, `POST /${product}/v1_0/${path}`, { headers: { ...headers, ...own }, body })
  return { key, reference, headers, get, post }
}

const MONEY = { amount: '100', currency: 'EUR', externalId: '1', payerMessage: 'm', payeeNote: 'n' }
const PERSON = { partyIdType: 'MSISDN', partyId: '256774290781' }

it('mtn-momo simulator: an API user is created once and gets a key', () => {
  const { network } = openSimulator(mtnMomoNetwork)
  const { key, reference } = provisioned(network, 'collection')
  const create = (headers: Headers) =>
    ask(network, 'POST /v1_0/apiuser', { headers, body: API_USER }).code
  assert.deepEqual(
    [create(reference), create({ ...key, 'x-reference-id': 'me' }), create({})],
    [409, 400, 401],
  )
  assert.equal(
    ask(network, `POST /v1_0/apiuser/${randomUUID()}/apikey`, { headers: key }).code,
    404,
  )
})

it('mtn-momo simulator: an API user of the test environment pays in euros, calls back only to its host, and has one product', () => {
  const { network } = openSimulator(mtnMomoNetwork)
  const { headers, post } = provisioned(network, 'collection')
  const send = (more: object, callback?: string) => {
    const own = { 'x-reference-id': randomUUID(), 'x-callback-url': callback }
    return post('requesttopay', { ...MONEY, payer: PERSON, ...more }, own)
  }
  assert.equal(send({}).code, 202)
  assert.equal(send({ amount: '12.50' }).code, 202)
  assert.equal(send({ currency: 'XOF' }).body.code, 'INVALID_CURRENCY')
  assert.equal(send({}, 'http://shop.example/c').code, 202)
  assert.equal(send({}, 'http://other.example/c').body.code, 'INVALID_CALLBACK_URL_HOST')
  const other = {
    ...headers,
    'ocp-apim-subscription-key': network.credentials.disbursementSubscriptionKey,
  }
  assert.equal(ask(network, 'GET /disbursement/v1_0/account/balance', { headers: other }).code, 401)
})

it('mtn-momo simulator: an account holder is active or not', () => {
  const { get } = provisioned(openSimulator(mtnMomoNetwork).network, 'collection')
  for (const type of ['msisdn', 'MSISDN'])
    assert.deepEqual(get(`accountholder/${type}/256774290781/active`).body, { result: true })
  assert.equal(get('accountholder/phone/256774290781/active').code, 400)
})

it('mtn-momo simulator: payments raise the balance, and transfers lower it, through both products', async () => {
  const { network, clock } = openSimulator(mtnMomoNetwork)
  const collection = provisioned(network, 'collection')
  const disbursement = provisioned(network, 'disbursement')
  assert.deepEqual(collection.get('account/balance').body, {
    availableBalance: '1000000',
    currency: 'EUR',
  })
  const reference = { 'x-reference-id': randomUUID() }
  collection.post('requesttopay', { ...MONEY, payer: PERSON }, reference)
  const transfer = () =>
    disbursement.post('transfer', { ...MONEY, amount: '30', payee: PERSON }, reference).code
  assert.deepEqual([transfer(), transfer()], [202, 409])
  await clock.advance(DECIDE_AFTER_MS)
  assert.equal(
    disbursement.get(`transfer/${reference['x-reference-id']}`).body.status,
    'SUCCESSFUL',
  )
  assert.deepEqual(disbursement.get('account/balance').body, {
    availableBalance: '1000070',
    currency: 'EUR',
  })
})

it('mtn-momo simulator: a payment is refunded once and in full, and a refund of an unknown payment fails', async () => {
  const { network, clock } = openSimulator(mtnMomoNetwork)
  const { get, post } = provisioned(network, 'disbursement')
  const paid = randomUUID()
  const own = { 'x-reference-id': paid }
  provisioned(network, 'collection').post('requesttopay', { ...MONEY, payer: PERSON }, own)
  await clock.advance(DECIDE_AFTER_MS)
  async function refund(referenceIdToRefund: string): Promise<unknown[]> {
    const id = randomUUID()
    const { code } = post('refund', { ...MONEY, referenceIdToRefund }, { 'x-reference-id': id })
    await clock.advance(DECIDE_AFTER_MS)
    const { status, reason } = get(`refund/${id}`).body
    return [code, status, reason?.code]
  }
  assert.deepEqual(await refund(paid), [202, 'SUCCESSFUL', undefined])
  assert.deepEqual(await refund(paid), [202, 'FAILED', 'NOT_ALLOWED'])
  assert.deepEqual(await refund(randomUUID()), [202, 'FAILED', 'TRANSACTION_NOT_FOUND'])
  assert.equal((await refund('order-1'))[0], 400)
  assert.equal(network.books()[0]?.refunds, 1)
})

it('mtn-momo simulator: a person can decide instead of the payer, once', async () => {
  const { network, clock } = openSimulator(mtnMomoNetwork)
  const { get, post } = provisioned(network, 'collection')
  const payer = { ...PERSON, partyId: '46733123453' }
  const ends = {
    approve: 'SUCCESSFUL',
    decline: 'APPROVAL_REJECTED',
    no_funds: 'NOT_ENOUGH_FUNDS',
    ignore: 'COULD_NOT_PERFORM_TRANSACTION',
  }
  for (const [decision, end] of Object.entries(ends)) {
    const id = randomUUID()
    post('requesttopay', { ...MONEY, payer }, { 'x-reference-id': id })
    assert.equal(network.decide(id, decision as keyof typeof ends), true)
    await clock.advance(5 * 60_000)
    assert.equal(network.decide(id, 'decline'), false)
    const { reason, status } = get(`requesttopay/${id}`).body
    assert.equal(reason?.code ?? status, end)
  }
  assert.equal(network.decide(randomUUID(), 'approve'), false)
  network.reset()
  assert.deepEqual(network.books(), [])
})

const person = (partyId: string): Payer => ({ partyIdType: PayerType.MSISDN, partyId })
const TEST_MONEY = {
  amount: '50',
  currency: 'EUR',
  externalId: '123456',
  payerMessage: 'testing',
  payeeNote: 'hello',
}

describe('mtn-momo simulator with the npm package mtn-momo', () => {
  const clock = virtualClock()
  let network: ConformanceNetwork
  let server: NetworkServer
  let momo: ReturnType<typeof create>

  before(async () => {
    const deps = { clock, random: seededRandom(1), decideAfterMs: 0, sendCallback: async () => 200 }
    // This client reads the reason of a failure only as text.
    network = mtnMomoNetwork(deps, { reasonForm: 'text' })
    server = await startNetworkServer(network, { clock })
    momo = create({ baseUrl: server.url, callbackHost: API_USER.providerCallbackHost })
  })
  after(() => server.close())
  // The network allows ten reads a second, and these tests are faster.
  beforeEach(() => clock.advance(1_000))

  async function user(primaryKey: string) {
    const users = momo.Users({ primaryKey })
    const userId = await users.create(API_USER.providerCallbackHost)
    const { apiKey: userSecret } = await users.login(userId)
    return { primaryKey, userId, userSecret }
  }
  const collections = async () =>
    momo.Collections(await user(network.credentials.subscriptionKey as string))
  const disbursements = async () =>
    momo.Disbursements(await user(network.credentials.disbursementSubscriptionKey as string))

  it('creates a user and a key, requests a payment and reads its success', async () => {
    const client = await collections()
    const id = await client.requestToPay({ ...TEST_MONEY, payer: person('256774290781') })
    const { status, amount, externalId, financialTransactionId } = await client.getTransaction(id)
    assert.deepEqual([status, amount, externalId], ['SUCCESSFUL', '50', '123456'])
    assert.match(financialTransactionId, /^\d+$/)
    assert.equal((await client.getBalance()).currency, 'EUR')
    assert.equal(JSON.stringify(await client.isPayerActive('256774290781')), '{"result":true}')
  })

  for (const [number, error] of [
    ['46733123450', 'InternalProcessingError'],
    ['46733123451', 'ApprovalRejectedError'],
    ['46733123452', 'ExpiredError'],
    ['46733123455', 'PayerNotFoundError'],
    ['46733123456', 'PayeeNotAllowedToReceiveError'],
    ['46733123457', 'NotAllowedError'],
    ['46733123458', 'NotAllowedTargetEnvironmentError'],
    ['46733123459', 'InvalidCallbackUrlHostError'],
    ['46733123460', 'InvalidCurrencyError'],
    ['46733123462', 'ServiceUnavailableError'],
  ] as const) {
    it(`reads ${number} as ${error}`, async () => {
      const client = await collections()
      const id = await client.requestToPay({ ...TEST_MONEY, payer: person(number) })
      await assert.rejects(client.getTransaction(id), { name: error })
    })
  }

  it('reads a payment that is still PENDING', async () => {
    const client = await collections()
    const id = await client.requestToPay({ ...TEST_MONEY, payer: person('46733123453') })
    assert.equal((await client.getTransaction(id)).status, 'PENDING')
  })

  it('reports a wrong currency, a wrong callback host and an unknown payment with its own errors', async () => {
    const client = await collections()
    const payer = person('256774290781')
    const wrong = [{ currency: 'XOF' }, { callbackUrl: 'https://other.example/c' }]
    for (const [at, name] of ['InvalidCurrencyError', 'InvalidCallbackUrlHostError'].entries())
      await assert.rejects(client.requestToPay({ ...TEST_MONEY, payer, ...wrong[at] }), { name })
    const unknown = client.getTransaction('5f4f2b1e-8a0a-4d6c-9d2e-0b7a3c1d2e3f')
    await assert.rejects(unknown, { name: 'ResourceNotFoundError' })
  })

  it('transfers money, and a used reference is refused', async () => {
    const client = await disbursements()
    const referenceId = 'b5a1c1de-1f51-4a77-8d6d-2f0f7d5f3a10'
    const transfer = { ...TEST_MONEY, payee: person('+256776564739'), referenceId }
    assert.equal(await client.transfer(transfer), referenceId)
    assert.equal((await client.getTransaction(referenceId)).status, 'SUCCESSFUL')
    await assert.rejects(client.transfer(transfer), { name: 'ResourceAlreadyExistError' })
    assert.equal((await client.getBalance()).currency, 'EUR')
    assert.equal(await client.isPayerActive('256776564739'), true)
  })

  it('is refused with a wrong secret', async () => {
    const { primaryKey, userId } = await user(network.credentials.subscriptionKey as string)
    const client = momo.Collections({ primaryKey, userId, userSecret: 'wrong' })
    await assert.rejects(client.getBalance(), { name: 'UnspecifiedError' })
  })
})
