// The refusals of the simulated FedaPay, and FedaPay's own client for Node on it over HTTP, with only the base address
// changed.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import fedapay from 'fedapay'
import { column } from '../../server/test/kit/column.ts'
import { until } from '../../server/test/kit/waiting.ts'
import { fedapayNetwork } from '../src/fedapay/network.ts'
import type { Clock, ConformanceNetwork, WireCallback } from '../src/network.ts'
import { type NetworkServer, startNetworkServer } from '../src/network-server.ts'
import { type Answered, ask, DECIDE_AFTER_MS, openSimulator } from './open-simulator.ts'

interface Wanted {
  method?: string
  path: string
  body?: unknown
  authorization?: string | undefined
}

function call(network: ConformanceNetwork, { method = 'POST', path, body, ...rest }: Wanted): Answered {
  const authorization = 'authorization' in rest ? rest.authorization : `Bearer ${network.credentials.secretKey}`
  const answered = ask(network, `${method} ${path}`, { headers: { authorization }, body })
  return { ...answered, body: answered.body ?? {} }
}

const WANTED = { description: 'Panier', amount: 1_000, currency: { iso: 'XOF' }, merchant_reference: 'order-1' }

function create(network: ConformanceNetwork, changes: object = {}): { id: number; token: string } {
  const made = call(network, { path: '/v1/transactions', body: { ...WANTED, ...changes } })
  assert.equal(made.code, 200)
  const { id } = made.body['v1/transaction'] as { id: number }
  return { id, token: String(call(network, { path: `/v1/transactions/${id}/token` }).body.token) }
}

const PHONE = { number: '+2290166000001', country: 'bj' }

describe('fedapay simulator: refuses', () => {
  const KEYS: [about: string, authorization: string | undefined, code: number][] = [
    ['no key', undefined, 401],
    ['an unknown key', 'Bearer sk_sandbox_other', 401],
    ['a key without Bearer', 'sk_sandbox_simulated-secret-key', 401],
    ['the key by another scheme', 'Basic sk_sandbox_simulated-secret-key', 401],
    ['the public key', 'Bearer pk_sandbox_simulated-public-key', 403],
  ]
  for (const [about, authorization, code] of KEYS) {
    it(`${about} with ${code} and a message`, () => {
      const { network } = openSimulator(fedapayNetwork)
      const refused = call(network, { path: '/v1/transactions', body: WANTED, authorization })
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
    ['an invalid address', { callback_url: 'boutique' }, 'callback_url'],
    ['a reference that is too long', { merchant_reference: 'x'.repeat(256) }, 'merchant_reference'],
    ['an invalid customer', { customer: 7 }, 'customer.'],
    ['an unknown customer', { customer: { id: 1 } }, 'customer'],
    ['an invalid email address', { customer: { email: 'awa' } }, 'customer.email'],
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
      const { network } = openSimulator(fedapayNetwork)
      const refused = call(network, { path: '/v1/transactions', body: { ...WANTED, ...changes } })
      assert.equal(refused.code, 422)
      assert.deepEqual(Object.keys(refused.body.errors ?? {}), [field])
      assert.deepEqual(network.books(), [])
    })
  }

  it('a second transaction with the same merchant_reference, and counts it', () => {
    const { network } = openSimulator(fedapayNetwork)
    create(network)
    const refused = call(network, { path: '/v1/transactions', body: WANTED })
    assert.deepEqual([refused.code, Object.keys(refused.body.errors ?? {})], [422, ['merchant_reference']])
    assert.deepEqual(column(network.books(), 'requests'), [2])
  })

  it('a body that is not a JSON object', () => {
    const { network } = openSimulator(fedapayNetwork)
    for (const body of ['{', '[]', '"x"', 'amount=1000']) {
      assert.equal(call(network, { path: '/v1/transactions', body }).code, 400)
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
    it(`${method} ${path}, an unknown address, with 404 and no message`, () => {
      const { network } = openSimulator(fedapayNetwork)
      const refused = call(network, { method, path, body: {} })
      assert.deepEqual([refused.code, refused.body.message], [404, undefined])
    })
  }

  it('an unknown transaction, with 404 and a message', () => {
    const { network } = openSimulator(fedapayNetwork)
    for (const path of ['/v1/transactions/7', '/v1/transactions/merchant/order-9']) {
      const refused = call(network, { method: 'GET', path })
      assert.deepEqual([refused.code, refused.body.message], [404, 'Transaction introuvable'])
    }
  })

  it('a prompt without the transaction’s token, without a number, or for a mode that is not activated', () => {
    const { network } = openSimulator((deps) => fedapayNetwork(deps, { modes: ['mtn_open'] }))
    const { token } = create(network)
    assert.equal(call(network, { path: '/v1/mtn_open', body: { token: 'x', phone_number: PHONE } }).code, 400)
    assert.equal(call(network, { path: '/v1/mtn_open', body: { token } }).code, 422)
    assert.equal(
      call(network, { path: '/v1/mtn_open', body: { token, phone_number: { number: '12', country: 'bj' } } }).code,
      422,
    )
    const refused = call(network, { path: '/v1/moov', body: { token, phone_number: PHONE } })
    assert.deepEqual([refused.code, refused.body.message], [400, 'Opération non autorisée'])
    assert.equal(network.books()[0]?.msisdn, '')
  })

  it('a token, a prompt, a change or a deletion for a paid transaction', async () => {
    const { network, clock } = openSimulator(fedapayNetwork)
    const { id, token } = create(network)
    call(network, { path: '/v1/mtn_open', body: { token, phone_number: PHONE } })
    await clock.advance(DECIDE_AFTER_MS)
    const late: Wanted[] = [
      { path: `/v1/transactions/${id}/token` },
      { path: '/v1/mtn_open', body: { token, phone_number: PHONE } },
      { method: 'PUT', path: `/v1/transactions/${id}`, body: { amount: 5 } },
      { method: 'DELETE', path: `/v1/transactions/${id}` },
    ]
    for (const each of late) assert.equal(call(network, each).code, 400, each.path)
    assert.deepEqual(
      network.books().map(({ status, debits }) => [status, debits]),
      [['approved', 1]],
    )
  })
})

describe('fedapay simulator:', () => {
  it('debits a payer twice who is prompted twice: that is the client’s mistake', async () => {
    const { network, clock } = openSimulator(fedapayNetwork)
    const { token } = create(network)
    call(network, { path: '/v1/mtn_open', body: { token, phone_number: PHONE } })
    call(network, { path: '/v1/mtn_open', body: { token, phone_number: PHONE } })
    await clock.advance(DECIDE_AFTER_MS)
    assert.equal(network.books()[0]?.debits, 2)
  })

  it('fails all numbers except two in momo_test', async () => {
    for (const [number, status] of [
      ['64000001', 'approved'],
      ['66000001', 'approved'],
      ['97000000', 'declined'],
    ]) {
      const { network, clock } = openSimulator(fedapayNetwork)
      const { token } = create(network)
      call(network, { path: '/v1/momo_test', body: { token, phone_number: { number, country: 'BJ' } } })
      await clock.advance(DECIDE_AFTER_MS)
      assert.equal(network.books()[0]?.status, status, number)
    }
  })

  it('uses the prompt’s number, or the customer’s where the prompt has none', () => {
    const { network } = openSimulator(fedapayNetwork)
    const { token } = create(network, { customer: { email: 'awa@boutique.test', phone_number: PHONE } })
    assert.equal(call(network, { path: '/v1/mtn_open', body: { token } }).code, 200)
    const flat = create(network, { merchant_reference: 'order-2' })
    assert.equal(
      call(network, { path: '/v1/moov', body: { token: flat.token, number: '64000001', country: 'bj' } }).code,
      200,
    )
    assert.deepEqual(column(network.books(), 'msisdn'), ['2290166000001', '22964000001'])
  })

  it('identifies a customer by the email address', () => {
    const { network } = openSimulator(fedapayNetwork)
    create(network, { customer: { email: 'awa@boutique.test', firstname: 'Awa' } })
    create(network, { customer: { email: 'awa@boutique.test', lastname: 'Diallo' }, merchant_reference: 'order-2' })
    const { body } = call(network, { method: 'GET', path: '/v1/customers' })
    assert.partialDeepStrictEqual(body['v1/customers'], [{ firstname: 'Awa', lastname: 'Diallo' }])
  })

  it('lists in pages', () => {
    const { network } = openSimulator(fedapayNetwork)
    for (const at of [1, 2, 3]) create(network, { merchant_reference: `order-${at}` })
    const { body } = call(network, { method: 'GET', path: '/v1/transactions?per_page=2' })
    assert.partialDeepStrictEqual(body, { meta: { current_page: 1, next_page: 2, total_pages: 2, total_count: 3 } })
    assert.partialDeepStrictEqual(body['v1/transactions'], [
      { merchant_reference: 'order-3' },
      { merchant_reference: 'order-2' },
    ])
  })

  it('expires an unpaid transaction after a day, and transfers a paid one after three', async () => {
    const { network, clock } = openSimulator(fedapayNetwork)
    create(network)
    const { token } = create(network, { merchant_reference: 'order-2' })
    call(network, { path: '/v1/mtn_open', body: { token, phone_number: PHONE } })
    await clock.advance(24 * 3_600_000)
    assert.deepEqual(column(network.books(), 'status'), ['expired', 'approved'])
    await clock.advance(49 * 3_600_000)
    assert.deepEqual(column(network.books(), 'status'), ['expired', 'transferred'])
  })

  it('a payer without a prompt cannot decide, and a decision is final', () => {
    const { network } = openSimulator(fedapayNetwork)
    call(network, { path: '/v1/transactions', body: WANTED })
    assert.equal(network.decide('order-1', 'approve'), false)
    call(network, { path: `/v1/transactions/${network.books()[0]?.id}/token` })
    assert.equal(network.decide('order-1', 'approve'), true)
    assert.equal(network.decide('order-1', 'decline'), false)
    assert.equal(network.decide('order-9', 'approve'), false)
  })
})

/** Its timers keep no process alive: a transaction expires a day after the test has ended. */
const realClock: Clock = {
  now: () => Date.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms).unref()
    return () => clearTimeout(timer)
  },
}

const { Balance, Currency, Customer, FedaPay, Transaction, Webhook } = fedapay

describe('fedapay simulator with FedaPay’s own client:', () => {
  const callbacks: WireCallback[] = []
  let network: ConformanceNetwork
  let server: NetworkServer

  before(async () => {
    network = fedapayNetwork(
      {
        clock: realClock,
        random: { bytes: randomBytes },
        decideAfterMs: 20,
        sendCallback: async (callback) => {
          callbacks.push(callback)
          return 200
        },
      },
      { webhookUrl: 'https://boutique.test/webhook' },
    )
    server = await startNetworkServer(network, { clock: realClock })
    FedaPay.setApiKey(network.credentials.secretKey ?? '')
    FedaPay.setApiBase(server.url)
  })
  after(() => server.close())

  const wanted = (merchantReference: string) => ({
    description: 'Panier',
    amount: 1_000,
    currency: { iso: 'XOF' },
    callback_url: 'https://boutique.test/retour',
    merchant_reference: merchantReference,
    customer: {
      firstname: 'Awa',
      lastname: 'Diallo',
      email: 'awa@boutique.test',
      phone_number: { number: '+22997808080', country: 'bj' },
    },
  })

  it('creates a transaction, prompts for it, reads it, and verifies its webhook', async () => {
    const transaction = await Transaction.create(wanted('client-1'))
    assert.ok(transaction instanceof Transaction)
    assert.deepEqual([transaction.status, transaction.amount, transaction.mode], ['pending', 1_000, null])
    const sent = await transaction.sendNow('mtn_open', { phone_number: { number: '66000001', country: 'bj' } })
    assert.equal(sent.payment_intent.status, 'pending')
    const paid = await until('approval', async () => {
      const read = await Transaction.retrieve(transaction.id)
      return read.wasPaid() && read
    })
    assert.deepEqual([paid.status, paid.wasRefunded()], ['approved', false])
    const callback = await until('webhook', () => callbacks.at(-1))
    const signature = callback.headers['x-fedapay-signature']
    const event = Webhook.constructEvent(callback.body, signature, network.credentials.webhookSecret)
    assert.deepEqual([event.name, event.entity.merchant_reference], ['transaction.approved', 'client-1'])
    assert.throws(() => Webhook.constructEvent(callback.body, signature, 'another secret'))
  })

  it('requests the token, the page and the fees', async () => {
    const transaction = await Transaction.create(wanted('client-2'))
    const { token, url } = await transaction.generateToken()
    assert.equal(url, `${server.url}/process/${token}`)
    assert.match(await (await fetch(url)).text(), /1000 F CFA/)
    const costs = await transaction.getFees(token, 'mtn_open')
    assert.deepEqual([costs.amount_debited, costs.amount_transferred], [1_018, 1_000])
    await transaction.sendNowWithToken('moov', token, { number: '64000001', country: 'bj' })
    await until('approval', async () => (await Transaction.retrieve(transaction.id)).status === 'approved')
  })

  it('lists, changes and deletes transactions', async () => {
    const transaction = await Transaction.create(wanted('client-3'))
    const { transactions, meta } = await Transaction.all({ per_page: 1 })
    assert.ok(transactions[0] instanceof Transaction)
    assert.equal(meta.per_page, 1)
    const changed = await Transaction.update(transaction.id, { description: 'Autre panier' })
    assert.equal(changed.description, 'Autre panier')
    await transaction.delete()
    await assert.rejects(Transaction.retrieve(transaction.id), {
      httpStatus: 404,
      errorMessage: 'Transaction introuvable',
    })
  })

  it('gets the names of invalid fields, and an error for an invalid key', async () => {
    await Transaction.create(wanted('client-4'))
    await assert.rejects(Transaction.create(wanted('client-4')), (error: { httpStatus: number; errors: object }) => {
      assert.deepEqual([error.httpStatus, Object.keys(error.errors)], [422, ['merchant_reference']])
      return true
    })
    FedaPay.setApiKey('sk_sandbox_other')
    await assert.rejects(Transaction.all(), { httpStatus: 401 })
    FedaPay.setApiKey(network.credentials.secretKey ?? '')
  })

  it('reads customers, currencies and balances, and manages webhooks', async () => {
    const customer = await Customer.create({ firstname: 'Koffi', email: 'koffi@boutique.test' })
    assert.equal((await Customer.retrieve(customer.id)).firstname, 'Koffi')
    assert.ok((await Customer.all()).customers.length > 0)
    assert.equal((await Currency.all()).currencies[0].iso, 'XOF')
    assert.equal((await Currency.retrieve(1)).iso, 'XOF')
    const { balances } = await Balance.all()
    assert.ok((await Balance.retrieve(balances[0].id)).amount >= 1_000)
    const webhook = await Webhook.create({ url: 'https://boutique.test/autre' })
    assert.equal((await Webhook.retrieve(webhook.id)).enabled, true)
    await webhook.delete()
    assert.equal((await Webhook.all()).webhooks.length, 1)
  })
})
