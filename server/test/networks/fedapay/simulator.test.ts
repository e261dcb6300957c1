// What the simulated FedaPay refuses, so that a client that gets by with it gets by with FedaPay.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ConformanceNetwork, WireReaction } from '../../../../simulators/src/network.ts'
import { DECIDE_AFTER_MS, openFedapay } from './opened-fedapay.ts'

interface Asked {
  method?: string
  path: string
  body?: unknown
  authorization?: string | undefined
}

function ask(network: ConformanceNetwork, { method = 'POST', path, body, ...rest }: Asked): Answered {
  const authorization = 'authorization' in rest ? rest.authorization : `Bearer ${network.credentials.secretKey}`
  const { pathname, searchParams: query } = new URL(path, 'http://localhost')
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const reaction = network.handle({ method, path: pathname, query, headers: { authorization }, body: text })
  return answered(reaction)
}

interface Answered {
  code: number
  body: Record<string, unknown> & { message?: string; errors?: Record<string, string[]> }
}

function answered(reaction: WireReaction): Answered {
  assert.ok('code' in reaction)
  return { code: reaction.code, body: (reaction.body ?? {}) as Answered['body'] }
}

const WANTED = { description: 'Panier', amount: 1_000, currency: { iso: 'XOF' }, merchant_reference: 'order-1' }

function create(network: ConformanceNetwork, changes: object = {}): { id: number; token: string } {
  const made = ask(network, { path: '/v1/transactions', body: { ...WANTED, ...changes } })
  assert.equal(made.code, 200)
  const { id } = made.body['v1/transaction'] as { id: number }
  return { id, token: String(ask(network, { path: `/v1/transactions/${id}/token` }).body.token) }
}

const PHONE = { number: '+2290166000001', country: 'bj' }

describe('the simulated FedaPay refuses', () => {
  const KEYS: [about: string, authorization: string | undefined, code: number][] = [
    ['no key', undefined, 401],
    ['an unknown key', 'Bearer sk_sandbox_other', 401],
    ['a key without Bearer', 'sk_sandbox_simulated-secret-key', 401],
    ['the key by another scheme', 'Basic sk_sandbox_simulated-secret-key', 401],
    ['the public key', 'Bearer pk_sandbox_simulated-public-key', 403],
  ]
  for (const [about, authorization, code] of KEYS) {
    it(`${about} with ${code} and a message`, () => {
      const { network } = openFedapay()
      const refused = ask(network, { path: '/v1/transactions', body: WANTED, authorization })
      assert.equal(refused.code, code)
      assert.ok(refused.body.message)
      assert.deepEqual(network.books(), [])
    })
  }

  const FIELDS: [about: string, changes: object, field: string][] = [
    ['no description', { description: '' }, 'description'],
    ['no amount', { amount: undefined }, 'amount'],
    ['an amount with a fraction', { amount: 100.5 }, 'amount'],
    ['an amount as text', { amount: '1000' }, 'amount'],
    ['an amount below one', { amount: 0 }, 'amount'],
    ['no currency', { currency: undefined }, 'currency'],
    ['a currency as text', { currency: 'XOF' }, 'currency'],
    ['an unknown currency', { currency: { iso: 'USD' } }, 'currency'],
    ['an address that is none', { callback_url: 'boutique' }, 'callback_url'],
    ['a reference that is too long', { merchant_reference: 'x'.repeat(256) }, 'merchant_reference'],
    ['a customer that is none', { customer: 7 }, 'customer.'],
    ['a customer that there is not', { customer: { id: 1 } }, 'customer'],
    ['an e-mail address that is none', { customer: { email: 'awa' } }, 'customer.email'],
    [
      'a number with too few digits',
      { customer: { phone_number: { number: '6600', country: 'bj' } } },
      'customer.phone_number.number',
    ],
    [
      'a number of another country',
      { customer: { phone_number: { number: '+22796000001', country: 'bj' } } },
      'customer.phone_number.number',
    ],
    [
      'a number without a country',
      { customer: { phone_number: { number: '66000001' } } },
      'customer.phone_number.number',
    ],
  ]
  for (const [about, changes, field] of FIELDS) {
    it(`${about} with 422, and names ${field}`, () => {
      const { network } = openFedapay()
      const refused = ask(network, { path: '/v1/transactions', body: { ...WANTED, ...changes } })
      assert.equal(refused.code, 422)
      assert.deepEqual(Object.keys(refused.body.errors ?? {}), [field])
      assert.deepEqual(network.books(), [])
    })
  }

  it('a second transaction with the same merchant_reference, and counts it', () => {
    const { network } = openFedapay()
    create(network)
    const refused = ask(network, { path: '/v1/transactions', body: WANTED })
    assert.deepEqual([refused.code, Object.keys(refused.body.errors ?? {})], [422, ['merchant_reference']])
    assert.deepEqual(
      network.books().map(({ requests }) => requests),
      [2],
    )
  })

  it('a body that is no JSON object', () => {
    const { network } = openFedapay()
    for (const body of ['{', '[]', '"x"', 'amount=1000']) {
      assert.equal(ask(network, { path: '/v1/transactions', body }).code, 400)
    }
  })

  const NO_PATHS: [method: string, path: string][] = [
    ['POST', '/v1/orange_bj'],
    ['POST', '/v1/transactions/'],
    ['POST', '/transactions'],
    ['POST', '/v2/transactions'],
    ['GET', '/v1/mtn_open'],
    ['PUT', '/v1/balances'],
    ['POST', '/v1/mtn_open/1'],
  ]
  for (const [method, path] of NO_PATHS) {
    it(`${method} ${path}, which is no address, with 404 and no message`, () => {
      const { network } = openFedapay()
      const refused = ask(network, { method, path, body: {} })
      assert.deepEqual([refused.code, refused.body.message], [404, undefined])
    })
  }

  it('a transaction that there is not, with 404 and a message', () => {
    const { network } = openFedapay()
    for (const path of ['/v1/transactions/7', '/v1/transactions/merchant/order-9']) {
      const refused = ask(network, { method: 'GET', path })
      assert.deepEqual([refused.code, refused.body.message], [404, 'Transaction introuvable'])
    }
  })

  it('a prompt without a token of a transaction, without a number, or for a mode that is not activated', () => {
    const { network } = openFedapay({ simulator: { modes: ['mtn_open'] } })
    const { token } = create(network)
    assert.equal(ask(network, { path: '/v1/mtn_open', body: { token: 'x', phone_number: PHONE } }).code, 400)
    assert.equal(ask(network, { path: '/v1/mtn_open', body: { token } }).code, 422)
    assert.equal(
      ask(network, { path: '/v1/mtn_open', body: { token, phone_number: { number: '12', country: 'bj' } } }).code,
      422,
    )
    const refused = ask(network, { path: '/v1/moov', body: { token, phone_number: PHONE } })
    assert.deepEqual([refused.code, refused.body.message], [400, 'Opération non autorisée'])
    assert.equal(network.books()[0]?.msisdn, '')
  })

  it('to take a token, a prompt, a change or a deletion for a transaction that is paid', async () => {
    const { network, clock } = openFedapay()
    const { id, token } = create(network)
    ask(network, { path: '/v1/mtn_open', body: { token, phone_number: PHONE } })
    await clock.advance(DECIDE_AFTER_MS)
    const late: Asked[] = [
      { path: `/v1/transactions/${id}/token` },
      { path: '/v1/mtn_open', body: { token, phone_number: PHONE } },
      { method: 'PUT', path: `/v1/transactions/${id}`, body: { amount: 5 } },
      { method: 'DELETE', path: `/v1/transactions/${id}` },
    ]
    for (const each of late) assert.equal(ask(network, each).code, 400, each.path)
    assert.deepEqual(
      network.books().map(({ status, debits }) => [status, debits]),
      [['approved', 1]],
    )
  })
})

describe('the simulated FedaPay', () => {
  it('debits a payer twice who is prompted twice: that is the client’s mistake', async () => {
    const { network, clock } = openFedapay()
    const { token } = create(network)
    ask(network, { path: '/v1/mtn_open', body: { token, phone_number: PHONE } })
    ask(network, { path: '/v1/mtn_open', body: { token, phone_number: PHONE } })
    await clock.advance(DECIDE_AFTER_MS)
    assert.equal(network.books()[0]?.debits, 2)
  })

  it('fails every number but two by momo_test', async () => {
    for (const [number, status] of [
      ['64000001', 'approved'],
      ['66000001', 'approved'],
      ['97000000', 'declined'],
    ]) {
      const { network, clock } = openFedapay()
      const { token } = create(network)
      ask(network, { path: '/v1/momo_test', body: { token, phone_number: { number, country: 'BJ' } } })
      await clock.advance(DECIDE_AFTER_MS)
      assert.equal(network.books()[0]?.status, status, number)
    }
  })

  it('takes the number beside the token, and the customer’s where there is none', () => {
    const { network } = openFedapay()
    const { token } = create(network, { customer: { email: 'awa@boutique.test', phone_number: PHONE } })
    assert.equal(ask(network, { path: '/v1/mtn_open', body: { token } }).code, 200)
    const flat = create(network, { merchant_reference: 'order-2' })
    assert.equal(
      ask(network, { path: '/v1/moov', body: { token: flat.token, number: '64000001', country: 'bj' } }).code,
      200,
    )
    assert.deepEqual(
      network.books().map(({ msisdn }) => msisdn),
      ['2290166000001', '22964000001'],
    )
  })

  it('knows a customer by the e-mail address', () => {
    const { network } = openFedapay()
    create(network, { customer: { email: 'awa@boutique.test', firstname: 'Awa' } })
    create(network, { customer: { email: 'awa@boutique.test', lastname: 'Diallo' }, merchant_reference: 'order-2' })
    const { body } = ask(network, { method: 'GET', path: '/v1/customers' })
    assert.partialDeepStrictEqual(body['v1/customers'], [{ firstname: 'Awa', lastname: 'Diallo' }])
  })

  it('lists what there is in pages', () => {
    const { network } = openFedapay()
    for (const at of [1, 2, 3]) create(network, { merchant_reference: `order-${at}` })
    const { body } = ask(network, { method: 'GET', path: '/v1/transactions?per_page=2' })
    assert.partialDeepStrictEqual(body, { meta: { current_page: 1, next_page: 2, total_pages: 2, total_count: 3 } })
    assert.partialDeepStrictEqual(body['v1/transactions'], [
      { merchant_reference: 'order-3' },
      { merchant_reference: 'order-2' },
    ])
  })

  it('expires what nobody paid within a day, and transfers what was paid after three', async () => {
    const { network, clock } = openFedapay()
    create(network)
    const { token } = create(network, { merchant_reference: 'order-2' })
    ask(network, { path: '/v1/mtn_open', body: { token, phone_number: PHONE } })
    await clock.advance(24 * 3_600_000)
    assert.deepEqual(
      network.books().map(({ status }) => status),
      ['expired', 'approved'],
    )
    await clock.advance(49 * 3_600_000)
    assert.deepEqual(
      network.books().map(({ status }) => status),
      ['expired', 'transferred'],
    )
  })

  it('lets nobody decide who was never asked, and nothing that is decided', () => {
    const { network } = openFedapay()
    ask(network, { path: '/v1/transactions', body: WANTED })
    assert.equal(network.decide('order-1', 'approve'), false)
    ask(network, { path: `/v1/transactions/${network.books()[0]?.id}/token` })
    assert.equal(network.decide('order-1', 'approve'), true)
    assert.equal(network.decide('order-1', 'decline'), false)
    assert.equal(network.decide('order-9', 'approve'), false)
  })
})
