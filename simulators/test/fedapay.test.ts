// The refusals of the simulated FedaPay, and FedaPay's own client for Node on it over HTTP, with
// only the base address changed.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import fedapay from 'fedapay'
import { column } from '../../server/test/kit/callers.ts'
import { until } from '../../server/test/kit/waiting.ts'
import { fedapayNetwork } from '../src/fedapay/network.ts'
import type { Clock, ConformanceNetwork, WireCallback } from '../src/network.ts'
import { type NetworkServer, startNetworkServer } from '../src/network-server.ts'
import { type Answered, ask, DECIDE_AFTER_MS, openSimulator } from './open-simulator.ts'

const WANTED = {
  description: 'Panier',
  amount: 1_000,
  currency: { iso: 'XOF' },
  merchant_reference: 'order-1',
}
const PHONE = { number: '+2290166000001', country: 'bj' }

function openFedapay(options: Parameters<typeof fedapayNetwork>[1] = {}) {
  const opened = openSimulator((deps) => fedapayNetwork(deps, options))
  const { network } = opened
  const own = `Bearer ${network.credentials.secretKey}`
  const call = (what: string, body?: unknown, authorization: string | null = own): Answered => {
    const headers = authorization === null ? {} : { authorization }
    const answered = ask(network, what, { headers, body })
    return { ...answered, body: answered.body ?? {} }
  }
  const create = (changes: object = {}): { id: number; token: string } => {
    const made = call('POST /v1/transactions', { ...WANTED, ...changes })
    assert.equal(made.code, 200)
    const { id } = made.body['v1/transaction']
    return { id, token: call(`POST /v1/transactions/${id}/token`).body.token }
  }
  /** By `mtn_open`, unless another mode is named. */
  const prompt = (
    token: string,
    changes: object = { phone_number: PHONE },
    mode = 'mtn_open',
  ): Answered => call(`POST /v1/${mode}`, { token, ...changes })
  const statuses = () => column(network.books(), 'status')
  return { ...opened, call, create, prompt, statuses }
}

describe('fedapay simulator: refuses', () => {
  const KEYS: [about: string, authorization: string | null, code: number][] = [
    ['no key', null, 401],
    ['an unknown key', 'Bearer sk_sandbox_other', 401],
    ['a key without Bearer', 'sk_sandbox_simulated-secret-key', 401],
    ['the key by another scheme', 'Basic sk_sandbox_simulated-secret-key', 401],
    ['the public key', 'Bearer pk_sandbox_simulated-public-key', 403],
  ]
  for (const [about, authorization, code] of KEYS) {
    it(`${about} with ${code} and a message`, () => {
      const { network, call } = openFedapay()
      const refused = call('POST /v1/transactions', WANTED, authorization)
      assert.ok(refused.body.message)
      assert.deepEqual([refused.code, network.books()], [code, []])
    })
  }

  const NUMBER = 'customer.phone_number.number'
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
    ['too few digits', { customer: { phone_number: { number: '6600', country: 'bj' } } }, NUMBER],
    [
      'another country',
      { customer: { phone_number: { number: '+22796000001', country: 'bj' } } },
      NUMBER,
    ],
    ['a number without a country', { customer: { phone_number: { number: '66000001' } } }, NUMBER],
  ]
  for (const [about, changes, field] of FIELDS) {
    it(`${about} with 422, and names ${field}`, () => {
      const { network, call } = openFedapay()
      const refused = call('POST /v1/transactions', { ...WANTED, ...changes })
      assert.deepEqual([refused.code, Object.keys(refused.body.errors ?? {})], [422, [field]])
      assert.deepEqual(network.books(), [])
    })
  }

  it('a second transaction with the same merchant_reference, and counts it', () => {
    const { network, call, create } = openFedapay()
    create()
    const refused = call('POST /v1/transactions', WANTED)
    assert.deepEqual(
      [refused.code, Object.keys(refused.body.errors ?? {})],
      [422, ['merchant_reference']],
    )
    assert.deepEqual(column(network.books(), 'requests'), [2])
  })

  it('a body that is not a JSON object', () => {
    const { call } = openFedapay()
    for (const body of ['{', '[]', '"x"', 'amount=1000'])
      assert.equal(call('POST /v1/transactions', body).code, 400)
  })

  it('an unknown address, with 404 and no message', () => {
    const { call } = openFedapay()
    for (const what of [
      'POST /v1/orange_bj',
      'POST /v1/transactions/',
      'POST /transactions',
      'POST /v2/transactions',
      'GET /v1/mtn_open',
      'PUT /v1/balances',
      'POST /v1/mtn_open/1',
    ]) {
      const { code, body } = call(what, {})
      assert.deepEqual([code, body.message], [404, undefined], what)
    }
  })

  it('an unknown transaction, with 404 and a message', () => {
    const { call } = openFedapay()
    for (const path of ['/v1/transactions/7', '/v1/transactions/merchant/order-9']) {
      const { code, body } = call(`GET ${path}`)
      assert.deepEqual([code, body.message], [404, 'Transaction introuvable'])
    }
  })

  it('a prompt without the transaction’s token, without a number, or for a mode that is not activated', () => {
    const { network, create, prompt } = openFedapay({ modes: ['mtn_open'] })
    const { token } = create()
    assert.equal(prompt('x').code, 400)
    assert.equal(prompt(token, {}).code, 422)
    assert.equal(prompt(token, { phone_number: { number: '12', country: 'bj' } }).code, 422)
    const { code, body } = prompt(token, { phone_number: PHONE }, 'moov')
    assert.deepEqual([code, body.message], [400, 'Opération non autorisée'])
    assert.equal(network.books()[0]?.msisdn, '')
  })

  it('a token, a prompt, a change or a deletion for a paid transaction', async () => {
    const { network, clock, call, create, prompt } = openFedapay()
    const { id, token } = create()
    prompt(token)
    await clock.advance(DECIDE_AFTER_MS)
    assert.equal(prompt(token).code, 400)
    for (const what of [`POST /v1/transactions/${id}/token`, `DELETE /v1/transactions/${id}`])
      assert.equal(call(what).code, 400, what)
    assert.equal(call(`PUT /v1/transactions/${id}`, { amount: 5 }).code, 400)
    assert.partialDeepStrictEqual(network.books(), [{ status: 'approved', debits: 1 }])
  })
})

describe('fedapay simulator:', () => {
  it('debits a payer twice who is prompted twice: that is the client’s mistake', async () => {
    const { network, clock, create, prompt } = openFedapay()
    const { token } = create()
    for (let twice = 0; twice < 2; twice++) prompt(token)
    await clock.advance(DECIDE_AFTER_MS)
    assert.equal(network.books()[0]?.debits, 2)
  })

  it('fails all numbers except two in momo_test', async () => {
    for (const [number, status] of Object.entries({
      64000001: 'approved',
      66000001: 'approved',
      97000000: 'declined',
    })) {
      const { statuses, clock, create, prompt } = openFedapay()
      prompt(create().token, { phone_number: { number, country: 'BJ' } }, 'momo_test')
      await clock.advance(DECIDE_AFTER_MS)
      assert.deepEqual(statuses(), [status], number)
    }
  })

  it('uses the prompt’s number, or the customer’s where the prompt has none', () => {
    const { network, create, prompt } = openFedapay()
    const { token } = create({ customer: { email: 'awa@boutique.test', phone_number: PHONE } })
    assert.equal(prompt(token, {}).code, 200)
    const flat = create({ merchant_reference: 'order-2' })
    assert.equal(prompt(flat.token, { number: '64000001', country: 'bj' }, 'moov').code, 200)
    assert.deepEqual(column(network.books(), 'msisdn'), ['2290166000001', '22964000001'])
  })

  it('identifies a customer by the email address', () => {
    const { create, call } = openFedapay()
    create({ customer: { email: 'awa@boutique.test', firstname: 'Awa' } })
    create({
      customer: { email: 'awa@boutique.test', lastname: 'Diallo' },
      merchant_reference: 'order-2',
    })
    const { body } = call('GET /v1/customers')
    assert.partialDeepStrictEqual(body['v1/customers'], [{ firstname: 'Awa', lastname: 'Diallo' }])
  })

  it('lists in pages', () => {
    const { create, call } = openFedapay()
    for (const at of [1, 2, 3]) create({ merchant_reference: `order-${at}` })
    const { body } = call('GET /v1/transactions?per_page=2')
    assert.partialDeepStrictEqual(body, {
      meta: { current_page: 1, next_page: 2, total_pages: 2, total_count: 3 },
    })
    const listed: Record<string, string>[] = body['v1/transactions']
    assert.deepEqual(column(listed, 'merchant_reference'), ['order-3', 'order-2'])
  })

  it('expires an unpaid transaction after a day, and transfers a paid one after three', async () => {
    const { statuses, clock, create, prompt } = openFedapay()
    create()
    prompt(create({ merchant_reference: 'order-2' }).token)
    await clock.advance(24 * 3_600_000)
    assert.deepEqual(statuses(), ['expired', 'approved'])
    await clock.advance(49 * 3_600_000)
    assert.deepEqual(statuses(), ['expired', 'transferred'])
  })

  it('a payer without a prompt cannot decide, and a decision is final', () => {
    const { network, call } = openFedapay()
    call('POST /v1/transactions', WANTED)
    assert.equal(network.decide('order-1', 'approve'), false)
    call(`POST /v1/transactions/${network.books()[0]?.id}/token`)
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
    assert.deepEqual(
      [transaction.status, transaction.amount, transaction.mode],
      ['pending', 1_000, null],
    )
    const sent = await transaction.sendNow('mtn_open', {
      phone_number: { number: '66000001', country: 'bj' },
    })
    assert.equal(sent.payment_intent.status, 'pending')
    const paid = await until('approval', async () => {
      const read = await Transaction.retrieve(transaction.id)
      return read.wasPaid() && read
    })
    assert.deepEqual([paid.status, paid.wasRefunded()], ['approved', false])
    const callback = await until('webhook', () => callbacks.at(-1))
    const signature = callback.headers['x-fedapay-signature']
    const event = Webhook.constructEvent(
      callback.body,
      signature,
      network.credentials.webhookSecret,
    )
    assert.deepEqual(
      [event.name, event.entity.merchant_reference],
      ['transaction.approved', 'client-1'],
    )
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
    await until(
      'approval',
      async () => (await Transaction.retrieve(transaction.id)).status === 'approved',
    )
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
    await assert.rejects(
      Transaction.create(wanted('client-4')),
      (error: { httpStatus: number; errors: object }) => {
        assert.deepEqual(
          [error.httpStatus, Object.keys(error.errors)],
          [422, ['merchant_reference']],
        )
        return true
      },
    )
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
