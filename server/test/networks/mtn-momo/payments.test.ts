// Payments by MTN MoMo: what the connector sends, and what it makes of each answer of the network.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { uuidOfReference } from '../../../src/domain/reference.ts'
import { withBlamedKind } from '../blamed-kind.ts'
import { CALLBACK_ADDRESS, DEADLINE_MS, DECIDED_AFTER_MS, inTestEnvironment, openMtn, order } from './open-mtn.ts'

describe('a request to pay', () => {
  it('is accepted with 202, and the status says when it has succeeded', async () => {
    const { operator, clock, network } = openMtn()
    const collection = order()
    assert.deepEqual(await operator.request(collection), { is: 'accepted' })
    assert.deepEqual(await operator.status(collection.reference), { is: 'accepted' })
    await clock.advance(DECIDED_AFTER_MS)
    const answer = await operator.status(collection.reference)
    assert.equal(answer.is, 'succeeded')
    assert.equal(answer.is === 'succeeded' && answer.amountXof, 1_500)
    assert.match(answer.is === 'succeeded' ? answer.operatorReference : '', /^\d+$/)
    assert.deepEqual(
      network.books().map(({ id, clientReference, debits, requests }) => ({ id, clientReference, debits, requests })),
      [{ id: uuidOfReference(collection.reference), clientReference: collection.reference, debits: 1, requests: 1 }],
    )
  })

  it('carries what the network wants, in its form', async () => {
    const { operator, sent } = openMtn()
    const collection = order({ publicReference: `L’Été & "fils" 'n°5'` })
    await operator.request(collection)
    const { headers, body, path } = sent.at(-1)!
    assert.equal(path, '/collection/v1_0/requesttopay')
    assert.equal(headers['x-reference-id'], uuidOfReference(collection.reference))
    assert.equal(headers['x-callback-url'], `${CALLBACK_ADDRESS}/${collection.reference}`)
    assert.deepEqual(JSON.parse(body ?? ''), {
      amount: '1500',
      currency: 'XOF',
      externalId: collection.reference,
      payer: { partyIdType: 'MSISDN', partyId: '2290197000000' },
      payerMessage: 'L Ete fils n 5',
      payeeNote: 'L Ete fils n 5',
    })
  })

  it('sends the subscription key, the target environment and our name with every call, the token’s too', async () => {
    const { operator, sent, network } = openMtn()
    await operator.status((await requested(operator)).reference)
    assert.deepEqual(
      sent.map(({ path }) => path.replace(/[0-9a-f-]{36}$/, 'ID')),
      ['/collection/token/', '/collection/v1_0/requesttopay', '/collection/v1_0/requesttopay/ID'],
    )
    for (const { headers } of sent) {
      assert.equal(headers['x-target-environment'], 'mtnbenin')
      assert.equal(headers['ocp-apim-subscription-key'], network.credentials.subscriptionKey)
      assert.equal(headers['user-agent'], 'Karba/1.0')
    }
    assert.equal(sent[0]?.body, undefined)
  })

  it('never has an empty text: one without a usable character is replaced', async () => {
    const { operator, sent } = openMtn()
    await operator.request(order({ publicReference: '&&&' }))
    const { payerMessage, payeeNote } = JSON.parse(sent.at(-1)?.body ?? '')
    assert.deepEqual([payerMessage, payeeNote], ['Paiement', 'Paiement'])
  })

  it('cuts texts to 160 characters', async () => {
    const { operator, sent } = openMtn()
    assert.equal((await operator.request(order({ publicReference: 'a'.repeat(500) }))).is, 'accepted')
    assert.equal(JSON.parse(sent.at(-1)?.body ?? '').payerMessage.length, 160)
  })

  it('writes the eight digits of before 2024 where the option says so', async () => {
    const { operator, sent, network } = openMtn({ options: () => ({ msisdnDigits: 8 }) })
    await operator.request(order({ msisdn: '2290197000000' }))
    assert.equal(JSON.parse(sent.at(-1)?.body ?? '').payer.partyId, '22997000000')
    assert.equal(network.books()[0]?.msisdn, '22997000000')
  })

  it('is sent in euros to the network’s own test environment, and compared in euros', async () => {
    const { operator, clock } = openMtn({ options: inTestEnvironment })
    const { reference } = await requested(operator)
    await clock.advance(DECIDED_AFTER_MS)
    const answer = await operator.status(reference)
    assert.equal(answer.is === 'succeeded' && answer.amountXof, 1_500)
  })

  for (const [about, wanted] of [
    ['there is no address', { callbackUrl: () => undefined }],
    ['the address is empty', { callbackUrl: () => '' }],
    ['the option says so', { options: () => ({ sendsCallbackUrl: false }) }],
    ['the address is not https', { callbackUrl: () => 'http://pay.example.bj/c' }],
    ['the address has no host name', { callbackUrl: () => 'https://192.0.2.1/c' }],
    ['the address has a port', { callbackUrl: () => 'https://pay.example.bj:8443/c' }],
  ] as const) {
    it(`names no callback address in live when ${about}`, async () => {
      const { operator, sent } = openMtn(wanted)
      assert.equal((await operator.request(order())).is, 'accepted')
      assert.ok(!('x-callback-url' in sent.at(-1)!.headers))
    })
  }

  it('names any callback address in our sandbox', async () => {
    const { operator, sent } = openMtn({ environment: 'sandbox', callbackUrl: () => 'http://127.0.0.1:8080/c' })
    await operator.request(order())
    assert.equal(sent.at(-1)?.headers['x-callback-url'], 'http://127.0.0.1:8080/c')
  })

  it('with a callback host that is not registered is declined, and nothing is created', async () => {
    const { operator, network } = openMtn({ network: { callbackHost: 'other.example.bj' } })
    assert.deepEqual(withBlamedKind(await operator.request(order())), {
      is: 'declined',
      reason: 'operator_error',
      code: 'INVALID_CALLBACK_URL_HOST',
      misconfigured: 'settings',
    })
    assert.deepEqual(network.books(), [])
  })

  it('in a currency that is not the market’s is declined, and nothing is created', async () => {
    const { operator, network } = openMtn({ options: () => ({ currency: 'EUR' }) })
    const told = { is: 'declined', reason: 'operator_error', code: 'INVALID_CURRENCY', misconfigured: 'settings' }
    assert.deepEqual(withBlamedKind(await operator.request(order())), told)
    assert.deepEqual(network.books(), [])
  })

  it('that the network cannot read is declined, and nothing is created', async () => {
    const { operator, network } = openMtn()
    const answer = await operator.request(order({ amountXof: 0 }))
    const told = { is: 'declined', reason: 'operator_error', code: 'BAD_REQUEST', misconfigured: 'form' }
    assert.deepEqual(withBlamedKind(answer), told)
    assert.deepEqual(network.books(), [])
  })
})

describe('a request whose answer is lost', () => {
  it('and that is sent again gets the payment’s own state', async () => {
    const { operator, network, clock } = openMtn()
    network.faults.on('cut_after_taking', 1)
    const collection = order()
    assert.deepEqual(await operator.request(collection), { is: 'unknown', why: 'no answer: UND_ERR_SOCKET' })
    await clock.advance(DECIDED_AFTER_MS)
    assert.equal((await operator.request(collection)).is, 'succeeded')
    assert.deepEqual(
      network.books().map(({ debits, requests }) => [debits, requests]),
      [[1, 2]],
    )
  })

  it('counts as accepted when the network knows the reference and does not show the payment yet', async () => {
    const { operator, network } = openMtn()
    network.faults.on('cut_after_taking', 1)
    network.faults.on('hidden_for_a_minute', 1)
    const collection = order()
    await operator.request(collection)
    assert.deepEqual(await operator.request(collection), { is: 'accepted', code: 'RESOURCE_ALREADY_EXIST' })
  })

  it('ends within its deadline', async () => {
    const { operator, network, clock, answer } = openMtn()
    network.faults.on('silent_after_taking')
    const began = clock.now()
    const { is } = await answer(operator.request(order()))
    assert.equal(is, 'unknown')
    assert.ok(clock.now() - began <= DEADLINE_MS + 1_000)
  })
})

describe('a network that is unavailable', () => {
  it('is sent the same reference once more after two seconds', async () => {
    const { operator, network, answer } = openMtn()
    network.faults.on('unavailable_503', 1)
    assert.deepEqual(await answer(operator.request(order())), { is: 'accepted' })
    assert.equal(network.books()[0]?.requests, 2)
  })

  it('leaves the payment unknown when it stays so', async () => {
    const { operator, network, answer } = openMtn()
    network.faults.on('unavailable_503')
    const told = { is: 'unknown', why: 'HTTP 503 SERVICE_UNAVAILABLE', code: 'SERVICE_UNAVAILABLE' }
    assert.deepEqual(await answer(operator.request(order())), told)
  })

  it('may have taken the first request, although the second was turned away', async () => {
    const { operator, network, clock, answer } = openMtn()
    network.faults.on('unavailable_503', 1)
    const requesting = operator.request(order())
    await clock.advance(1_000)
    network.faults.on('gateway_403_page')
    const told = await answer(requesting)
    assert.equal(told.is, 'unknown')
    assert.ok(!('neverLeft' in told), 'it would be sent again without a question')
  })
})

describe('a status', () => {
  it('of a reference that the network does not know is not_known', async () => {
    const { operator } = openMtn()
    assert.deepEqual(await operator.status(order().reference), { is: 'not_known' })
  })

  it('that is 404 in the gateway’s own form says nothing about the payment', async () => {
    const { operator, network } = openMtn()
    const { reference } = await requested(operator)
    network.faults.on('gateway_404')
    assert.deepEqual(await operator.status(reference), { is: 'unknown', why: 'HTTP 404', misconfigured: true })
  })

  it('CREATED is accepted, like PENDING', async () => {
    const { operator, clock } = openMtn()
    const { reference } = await requested(operator, '2290197000009')
    assert.deepEqual(await operator.status(reference), { is: 'accepted' })
    await clock.advance(25_000)
    assert.equal((await operator.status(reference)).is, 'succeeded')
  })

  for (const [fault, told] of [
    ['amount_as_number', 1_500],
    ['amount_with_decimals', 1_500],
    ['amount_with_commas', 1_500],
    ['other_amount', 1_499],
  ] as const) {
    it(`with ${fault} is a success of ${told} francs`, async () => {
      const { operator, network, clock } = openMtn()
      const { reference } = await requested(operator)
      await clock.advance(DECIDED_AFTER_MS)
      network.faults.on(fault)
      const answer = await operator.status(reference)
      assert.equal(answer.is === 'succeeded' && answer.amountXof, told)
    })
  }

  it('in another currency contradicts what was asked for', async () => {
    const { operator, network, clock } = openMtn()
    const { reference } = await requested(operator)
    await clock.advance(DECIDED_AFTER_MS)
    network.faults.on('other_currency')
    assert.deepEqual(await operator.status(reference), { is: 'contradicts', told: 'SUCCESSFUL in USD' })
  })

  for (const [fault, answer] of [
    ['too_many_reads', { is: 'unknown', why: 'HTTP 429', neverLeft: true }],
    ['status_500', { is: 'unknown', why: 'HTTP 500 INTERNAL_PROCESSING_ERROR', code: 'INTERNAL_PROCESSING_ERROR' }],
    ['status_not_understood', { is: 'unknown', why: 'a status that is not understood: ON_HOLD' }],
    ['gateway_403_page', { is: 'unknown', why: 'HTTP 403', neverLeft: true, misconfigured: true }],
  ] as const) {
    it(`with ${fault} leaves the payment unknown`, async () => {
      const { operator, network } = openMtn()
      const { reference } = await requested(operator)
      network.faults.on(fault)
      assert.deepEqual(await operator.status(reference), answer)
    })
  }
})

async function requested(operator: ReturnType<typeof openMtn>['operator'], msisdn = '2290197000000') {
  const collection = order({ msisdn })
  assert.equal((await operator.request(collection)).is, 'accepted')
  return collection
}
