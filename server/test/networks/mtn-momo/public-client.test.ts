// A public client of MTN MoMo, written by others for the real network, drives the simulated one over HTTP with nothing changed but the base
// address: that the simulator and our connector agree with one another would prove little.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { create, type Payer, PayerType } from 'mtn-momo'
import { mtnMomoNetwork } from '../../../../simulators/src/mtn-momo/network.ts'
import type { ConformanceNetwork } from '../../../../simulators/src/network.ts'
import { type NetworkServer, startNetworkServer } from '../../../../simulators/src/network-server.ts'
import { seededRandom } from '../../kit/seeded-random.ts'
import { virtualClock } from '../../kit/virtual-clock.ts'

const HOST = 'shop.example'
const person = (partyId: string): Payer => ({ partyIdType: PayerType.MSISDN, partyId })
const MONEY = { amount: '50', currency: 'EUR', externalId: '123456', payerMessage: 'testing', payeeNote: 'hello' }

describe('the npm package mtn-momo', () => {
  const clock = virtualClock()
  let network: ConformanceNetwork
  let server: NetworkServer
  let momo: ReturnType<typeof create>

  before(async () => {
    const deps = { clock, random: seededRandom(1), decideAfterMs: 0, sendCallback: async () => 200 }
    // This client reads the reason of a failure as text alone.
    network = mtnMomoNetwork(deps, { reasonForm: 'text' })
    server = await startNetworkServer(network, { clock })
    momo = create({ baseUrl: server.url, callbackHost: HOST })
  })
  after(() => server.close())
  // The network takes ten reads a second, and these tests are faster.
  beforeEach(() => clock.advance(1_000))

  async function user(primaryKey: string) {
    const users = momo.Users({ primaryKey })
    const userId = await users.create(HOST)
    const { apiKey: userSecret } = await users.login(userId)
    return { primaryKey, userId, userSecret }
  }
  const collections = async () => momo.Collections(await user(network.credentials.subscriptionKey as string))
  const disbursements = async () =>
    momo.Disbursements(await user(network.credentials.disbursementSubscriptionKey as string))

  it('makes a user and a key, asks for a payment and reads that it succeeded', async () => {
    const client = await collections()
    const id = await client.requestToPay({ ...MONEY, payer: person('256774290781') })
    const payment = await client.getTransaction(id)
    assert.equal(payment.status, 'SUCCESSFUL')
    assert.equal(payment.amount, '50')
    assert.equal(payment.externalId, '123456')
    assert.match(payment.financialTransactionId, /^\d+$/)
    const balance = await client.getBalance()
    assert.equal(balance.currency, 'EUR')
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
    it(`understands ${number} as ${error}`, async () => {
      const client = await collections()
      const id = await client.requestToPay({ ...MONEY, payer: person(number) })
      await assert.rejects(client.getTransaction(id), { name: error })
    })
  }

  it('reads a payment that is still PENDING', async () => {
    const client = await collections()
    const id = await client.requestToPay({ ...MONEY, payer: person('46733123453') })
    assert.equal((await client.getTransaction(id)).status, 'PENDING')
  })

  it('is refused in its own words for a wrong currency, a wrong callback host and an unknown payment', async () => {
    const client = await collections()
    const payer = person('256774290781')
    await assert.rejects(client.requestToPay({ ...MONEY, currency: 'XOF', payer }), { name: 'InvalidCurrencyError' })
    const callbackUrl = 'https://other.example/c'
    await assert.rejects(client.requestToPay({ ...MONEY, payer, callbackUrl }), { name: 'InvalidCallbackUrlHostError' })
    await assert.rejects(client.getTransaction('5f4f2b1e-8a0a-4d6c-9d2e-0b7a3c1d2e3f'), {
      name: 'ResourceNotFoundError',
    })
  })

  it('transfers money and is refused a reference that was used', async () => {
    const client = await disbursements()
    const referenceId = 'b5a1c1de-1f51-4a77-8d6d-2f0f7d5f3a10'
    const transfer = { ...MONEY, payee: person('+256776564739'), referenceId }
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
