// What else the simulated MTN MoMo has: provisioning, account holders, balances, notifications, and the operations of Disbursement.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { mtnMomoNetwork } from '../../../../simulators/src/mtn-momo/network.ts'
import type { ConformanceNetwork } from '../../../../simulators/src/network.ts'
import { seededRandom } from '../../kit/seeded-random.ts'
import { type VirtualClock, virtualClock } from '../../kit/virtual-clock.ts'

type Product = 'collection' | 'disbursement'
type Body = Record<string, unknown>
const DECIDED_AFTER_MS = 1_000

function openNetwork(): { clock: VirtualClock; network: ConformanceNetwork } {
  const clock = virtualClock()
  const deps = { clock, random: seededRandom(5), decideAfterMs: DECIDED_AFTER_MS, sendCallback: async () => 200 }
  return { clock, network: mtnMomoNetwork(deps) }
}

const codeIn = ({ reason }: Body): unknown => (reason as { code: string } | undefined)?.code

interface Ask {
  headers?: Record<string, string>
  body?: object
}

function asked(
  network: ConformanceNetwork,
  what: string,
  { headers = {}, body }: Ask = {},
): { code: number; body: Body } {
  const [method = '', path = ''] = what.split(' ')
  const text = body === undefined ? '' : JSON.stringify(body)
  const reaction = network.handle({ method, path, query: new URLSearchParams(), headers, body: text })
  assert.ok('code' in reaction)
  return { code: reaction.code, body: (reaction.body ?? {}) as Body }
}

/** With a user of the network's test environment, made by the provisioning API. */
function provisioned(network: ConformanceNetwork, product: Product, host = 'shop.example') {
  const { subscriptionKey, disbursementSubscriptionKey } = network.credentials
  const key = {
    'ocp-apim-subscription-key': (product === 'collection' ? subscriptionKey : disbursementSubscriptionKey) as string,
  }
  const id = randomUUID()
  const reference = { ...key, 'x-reference-id': id }
  const made = asked(network, 'POST /v1_0/apiuser', { headers: reference, body: { providerCallbackHost: host } })
  assert.equal(made.code, 201)
  const { apiKey } = asked(network, `POST /v1_0/apiuser/${id}/apikey`, { headers: key }).body
  const authorization = `Basic ${btoa(`${id}:${apiKey}`)}`
  const environment = { ...key, 'x-target-environment': 'sandbox' }
  const login = (): Record<string, string> => {
    const { access_token: token } = asked(network, `POST /${product}/token/`, {
      headers: { ...environment, authorization },
    }).body
    return { ...environment, authorization: `Bearer ${token}` }
  }
  return { key, reference, headers: login() }
}

const MONEY = { amount: '100', currency: 'EUR', externalId: '1', payerMessage: 'm', payeeNote: 'n' }
const PERSON = { partyIdType: 'MSISDN', partyId: '256774290781' }

it('an API user is made once and gets a key', () => {
  const { network } = openNetwork()
  const { key, reference } = provisioned(network, 'collection')
  const body = { providerCallbackHost: 'shop.example' }
  assert.equal(asked(network, 'POST /v1_0/apiuser', { headers: reference, body }).code, 409)
  assert.equal(asked(network, `POST /v1_0/apiuser/${randomUUID()}/apikey`, { headers: key }).code, 404)
  const noUuid = { ...key, 'x-reference-id': 'me' }
  assert.equal(asked(network, 'POST /v1_0/apiuser', { headers: noUuid, body }).code, 400)
  assert.equal(asked(network, 'POST /v1_0/apiuser', { body }).code, 401)
})

it('an API user of the test environment pays in euros, calls back to its host alone, and belongs to one product', () => {
  const { network } = openNetwork()
  const { headers } = provisioned(network, 'collection')
  const send = (more: Body, callback?: string) =>
    asked(network, 'POST /collection/v1_0/requesttopay', {
      headers: { ...headers, 'x-reference-id': randomUUID(), ...(callback && { 'x-callback-url': callback }) },
      body: { ...MONEY, payer: PERSON, ...more },
    })
  assert.equal(send({}).code, 202)
  assert.equal(send({ amount: '12.50' }).code, 202)
  assert.equal(send({ currency: 'XOF' }).body.code, 'INVALID_CURRENCY')
  assert.equal(send({}, 'http://shop.example/c').code, 202)
  assert.equal(send({}, 'http://other.example/c').body.code, 'INVALID_CALLBACK_URL_HOST')
  const { disbursementSubscriptionKey } = network.credentials
  const other = { ...headers, 'ocp-apim-subscription-key': disbursementSubscriptionKey as string }
  assert.equal(asked(network, 'GET /disbursement/v1_0/account/balance', { headers: other }).code, 401)
})

it('an account holder is active or not', () => {
  const { network } = openNetwork()
  const { headers } = provisioned(network, 'collection')
  const ask = (path: string) => asked(network, `GET /collection/v1_0/accountholder/${path}`, { headers })
  assert.deepEqual(ask('msisdn/256774290781/active').body, { result: true })
  assert.deepEqual(ask('MSISDN/256774290781/active').body, { result: true })
  assert.equal(ask('phone/256774290781/active').code, 400)
})

it('the balance grows with payments, and shrinks with what goes out, through both products', async () => {
  const { network, clock } = openNetwork()
  const collection = provisioned(network, 'collection')
  const disbursement = provisioned(network, 'disbursement')
  const balance = (product: Product, { headers }: { headers: Record<string, string> }) =>
    asked(network, `GET /${product}/v1_0/account/balance`, { headers }).body
  assert.deepEqual(balance('collection', collection), { availableBalance: '1000000', currency: 'EUR' })
  const id = randomUUID()
  const reference = { 'x-reference-id': id }
  asked(network, 'POST /collection/v1_0/requesttopay', {
    headers: { ...collection.headers, ...reference },
    body: { ...MONEY, payer: PERSON },
  })
  const transfer = {
    headers: { ...disbursement.headers, ...reference },
    body: { ...MONEY, amount: '30', payee: PERSON },
  }
  assert.equal(asked(network, 'POST /disbursement/v1_0/transfer', transfer).code, 202)
  assert.equal(asked(network, 'POST /disbursement/v1_0/transfer', transfer).code, 409)
  await clock.advance(DECIDED_AFTER_MS)
  assert.equal(
    asked(network, `GET /disbursement/v1_0/transfer/${id}`, { headers: disbursement.headers }).body.status,
    'SUCCESSFUL',
  )
  assert.deepEqual(balance('disbursement', disbursement), { availableBalance: '1000070', currency: 'EUR' })
})

it('a payment is refunded once and whole, and a refund of nothing fails', async () => {
  const { network, clock } = openNetwork()
  const collection = provisioned(network, 'collection')
  const { headers } = provisioned(network, 'disbursement')
  const paid = randomUUID()
  asked(network, 'POST /collection/v1_0/requesttopay', {
    headers: { ...collection.headers, 'x-reference-id': paid },
    body: { ...MONEY, payer: PERSON },
  })
  await clock.advance(DECIDED_AFTER_MS)
  async function refund(referenceIdToRefund: string): Promise<unknown[]> {
    const id = randomUUID()
    const body = { ...MONEY, referenceIdToRefund }
    const { code } = asked(network, 'POST /disbursement/v1_0/refund', {
      headers: { ...headers, 'x-reference-id': id },
      body,
    })
    await clock.advance(DECIDED_AFTER_MS)
    const told = asked(network, `GET /disbursement/v1_0/refund/${id}`, { headers }).body
    return [code, told.status, codeIn(told)]
  }
  assert.deepEqual(await refund(paid), [202, 'SUCCESSFUL', undefined])
  assert.deepEqual(await refund(paid), [202, 'FAILED', 'NOT_ALLOWED'])
  assert.deepEqual(await refund(randomUUID()), [202, 'FAILED', 'TRANSACTION_NOT_FOUND'])
  assert.equal((await refund('order-1'))[0], 400)
  assert.equal(network.books()[0]?.refunds, 1)
})

it('a person can decide in the place of a payer, once', async () => {
  const { network, clock } = openNetwork()
  const { headers } = provisioned(network, 'collection')
  const ids = Array.from({ length: 4 }, () => randomUUID())
  for (const id of ids) {
    const payer = { ...PERSON, partyId: '46733123453' }
    asked(network, 'POST /collection/v1_0/requesttopay', {
      headers: { ...headers, 'x-reference-id': id },
      body: { ...MONEY, payer },
    })
  }
  for (const [at, decision] of (['approve', 'decline', 'no_funds', 'ignore'] as const).entries()) {
    assert.equal(network.decide(ids[at] as string, decision), true)
  }
  await clock.advance(5 * 60_000)
  assert.equal(network.decide(ids[0] as string, 'decline'), false)
  assert.equal(network.decide(randomUUID(), 'approve'), false)
  const told = ids.map((id) => asked(network, `GET /collection/v1_0/requesttopay/${id}`, { headers }).body)
  assert.deepEqual(
    told.map((each) => codeIn(each) ?? each.status),
    ['SUCCESSFUL', 'APPROVAL_REJECTED', 'NOT_ENOUGH_FUNDS', 'COULD_NOT_PERFORM_TRANSACTION'],
  )
  network.reset()
  assert.deepEqual(network.books(), [])
})
