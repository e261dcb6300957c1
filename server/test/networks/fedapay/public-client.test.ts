// FedaPay's own client for Node drives the simulator over HTTP, with nothing changed but its base address. It was written by others, from the
// real service: what it cannot do with the simulator, the simulator does wrong.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fedapay from 'fedapay'
import { fedapayNetwork } from '../../../../simulators/src/fedapay/network.ts'
import type { ConformanceNetwork, WireCallback } from '../../../../simulators/src/network.ts'
import { type NetworkServer, startNetworkServer } from '../../../../simulators/src/network-server.ts'
import { realRandom } from '../../../src/service/real-random.ts'
import { until } from '../../kit/waiting.ts'
import { realClock } from './real-clock.ts'

const { Balance, Currency, Customer, FedaPay, Transaction, Webhook } = fedapay

describe('FedaPay’s own client', () => {
  const callbacks: WireCallback[] = []
  let network: ConformanceNetwork
  let server: NetworkServer

  before(async () => {
    network = fedapayNetwork(
      {
        clock: realClock,
        random: realRandom,
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

  it('creates a transaction, prompts for it, reads it, and verifies the webhook about it', async () => {
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

  it('asks for the token and the page by itself, and for what it costs', async () => {
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

  it('is told which fields are wrong, and that its key is', async () => {
    await Transaction.create(wanted('client-4'))
    await assert.rejects(Transaction.create(wanted('client-4')), (error: { httpStatus: number; errors: object }) => {
      assert.deepEqual([error.httpStatus, Object.keys(error.errors)], [422, ['merchant_reference']])
      return true
    })
    FedaPay.setApiKey('sk_sandbox_other')
    await assert.rejects(Transaction.all(), { httpStatus: 401 })
    FedaPay.setApiKey(network.credentials.secretKey ?? '')
  })

  it('reads customers, currencies and balances, and keeps webhooks', async () => {
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
