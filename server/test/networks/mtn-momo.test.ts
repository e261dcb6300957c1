// The rules of mtn-momo that no other network has: every-network.test.ts has those that all share.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { WireCallback } from '../../../simulators/src/network.ts'
import { uuidOfReference } from '../../src/domain/reference.ts'
import type { CheckLine } from '../../src/operators/connector.ts'
import type { CallbackRequest } from '../../src/operators/operator.ts'
import { rulesOf } from '../kit/rules-of.ts'
import { withBlamedKind } from './harness.ts'
import {
  CALLBACK_ADDRESS,
  DEADLINE_MS,
  DECIDED_AFTER_MS,
  inTestEnvironment,
  openMtn,
  order,
  reversalOf,
  type Wanted,
} from './mtn-momo.ts'

const { rule, about } = rulesOf('mtn-momo')

describe('mtn-momo: payments', () => {
  about('a request to pay', () => {
    rule('is accepted with 202, and the status says when it has succeeded', async () => {
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

    rule('carries what the network wants, in its form', async () => {
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

    rule(
      'sends the subscription key, the target environment and our name with every call, the token’s too',
      async () => {
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
      },
    )

    rule('never has an empty text: one without a usable character is replaced', async () => {
      const { operator, sent } = openMtn()
      await operator.request(order({ publicReference: '&&&' }))
      const { payerMessage, payeeNote } = JSON.parse(sent.at(-1)?.body ?? '')
      assert.deepEqual([payerMessage, payeeNote], ['Paiement', 'Paiement'])
    })

    rule('cuts texts to 160 characters', async () => {
      const { operator, sent } = openMtn()
      assert.equal((await operator.request(order({ publicReference: 'a'.repeat(500) }))).is, 'accepted')
      assert.equal(JSON.parse(sent.at(-1)?.body ?? '').payerMessage.length, 160)
    })

    rule('writes the eight digits of before 2024 where the option says so', async () => {
      const { operator, sent, network } = openMtn({ options: () => ({ msisdnDigits: 8 }) })
      await operator.request(order({ msisdn: '2290197000000' }))
      assert.equal(JSON.parse(sent.at(-1)?.body ?? '').payer.partyId, '22997000000')
      assert.equal(network.books()[0]?.msisdn, '22997000000')
    })

    rule('is sent in euros to the network’s own test environment, and compared in euros', async () => {
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
      rule(`names no callback address in live when ${about}`, async () => {
        const { operator, sent } = openMtn(wanted)
        assert.equal((await operator.request(order())).is, 'accepted')
        assert.ok(!('x-callback-url' in sent.at(-1)!.headers))
      })
    }

    rule('names any callback address in our sandbox', async () => {
      const { operator, sent } = openMtn({ environment: 'sandbox', callbackUrl: () => 'http://127.0.0.1:8080/c' })
      await operator.request(order())
      assert.equal(sent.at(-1)?.headers['x-callback-url'], 'http://127.0.0.1:8080/c')
    })

    rule('with a callback host that is not registered is declined, and nothing is created', async () => {
      const { operator, network } = openMtn({ network: { callbackHost: 'other.example.bj' } })
      assert.deepEqual(withBlamedKind(await operator.request(order())), {
        is: 'declined',
        reason: 'operator_error',
        code: 'INVALID_CALLBACK_URL_HOST',
        misconfigured: 'settings',
      })
      assert.deepEqual(network.books(), [])
    })

    rule('in a currency that is not the market’s is declined, and nothing is created', async () => {
      const { operator, network } = openMtn({ options: () => ({ currency: 'EUR' }) })
      const told = { is: 'declined', reason: 'operator_error', code: 'INVALID_CURRENCY', misconfigured: 'settings' }
      assert.deepEqual(withBlamedKind(await operator.request(order())), told)
      assert.deepEqual(network.books(), [])
    })

    rule('that the network cannot read is declined, and nothing is created', async () => {
      const { operator, network } = openMtn()
      const answer = await operator.request(order({ amountXof: 0 }))
      const told = { is: 'declined', reason: 'operator_error', code: 'BAD_REQUEST', misconfigured: 'form' }
      assert.deepEqual(withBlamedKind(answer), told)
      assert.deepEqual(network.books(), [])
    })
  })

  about('a request whose answer is lost', () => {
    rule('counts as accepted when the network knows the reference and does not show the payment yet', async () => {
      const { operator, network } = openMtn()
      network.faults.on('cut_after_taking', 1)
      network.faults.on('hidden_for_a_minute', 1)
      const collection = order()
      await operator.request(collection)
      assert.deepEqual(await operator.request(collection), { is: 'accepted', code: 'RESOURCE_ALREADY_EXIST' })
    })
  })

  about('a network that is unavailable', () => {
    rule('is sent the same reference once more after two seconds', async () => {
      const { operator, network, answer } = openMtn()
      network.faults.on('unavailable_503', 1)
      assert.deepEqual(await answer(operator.request(order())), { is: 'accepted' })
      assert.equal(network.books()[0]?.requests, 2)
    })

    rule('leaves the payment unknown when it stays so', async () => {
      const { operator, network, answer } = openMtn()
      network.faults.on('unavailable_503')
      const told = { is: 'unknown', why: 'HTTP 503 SERVICE_UNAVAILABLE', code: 'SERVICE_UNAVAILABLE' }
      assert.deepEqual(await answer(operator.request(order())), told)
    })

    rule('may have taken the first request, although the second was turned away', async () => {
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

  about('a status', () => {
    rule('that is 404 in the gateway’s own form says nothing about the payment', async () => {
      const { operator, network } = openMtn()
      const { reference } = await requested(operator)
      network.faults.on('gateway_404')
      assert.deepEqual(await operator.status(reference), { is: 'unknown', why: 'HTTP 404', misconfigured: true })
    })

    rule('CREATED is accepted, like PENDING', async () => {
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
      rule(`with ${fault} is a success of ${told} francs`, async () => {
        const { operator, network, clock } = openMtn()
        const { reference } = await requested(operator)
        await clock.advance(DECIDED_AFTER_MS)
        network.faults.on(fault)
        const answer = await operator.status(reference)
        assert.equal(answer.is === 'succeeded' && answer.amountXof, told)
      })
    }

    rule('in another currency contradicts what was asked for', async () => {
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
      rule(`with ${fault} leaves the payment unknown`, async () => {
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
})

describe('mtn-momo: refunds', () => {
  async function paid(wanted?: Parameters<typeof openMtn>[0]) {
    const opened = openMtn(wanted)
    const collection = order()
    await opened.operator.request(collection)
    await opened.clock.advance(DECIDED_AFTER_MS)
    assert.equal((await opened.operator.status(collection.reference)).is, 'succeeded')
    return { ...opened, collection }
  }

  rule('a refund is accepted, and its own status says when it has succeeded', async () => {
    const { operator, clock, network, collection, sent } = await paid()
    const reversal = reversalOf(collection)
    assert.deepEqual(await operator.refund(reversal), { is: 'accepted' })
    const { path, headers, body } = sent.at(-1)!
    assert.equal(path, '/disbursement/v1_0/refund')
    assert.equal(headers['x-reference-id'], uuidOfReference(reversal.refundReference))
    assert.ok(!('x-callback-url' in headers))
    assert.deepEqual(JSON.parse(body ?? ''), {
      amount: '1500',
      currency: 'XOF',
      externalId: reversal.refundReference,
      payerMessage: 'Remboursement',
      payeeNote: 'Remboursement',
      referenceIdToRefund: uuidOfReference(collection.reference),
    })
    assert.deepEqual(await operator.refundStatus(reversal), { is: 'accepted' })
    await clock.advance(DECIDED_AFTER_MS)
    const answer = await operator.refundStatus(reversal)
    assert.equal(answer.is === 'succeeded' && answer.amountXof, 1_500)
    assert.equal(network.books()[0]?.refunds, 1)
  })

  rule('a refund that the network never received is not_known', async () => {
    const { operator, collection } = await paid()
    assert.deepEqual(await operator.refundStatus(reversalOf(collection)), { is: 'not_known' })
  })

  rule('a refund whose answer is lost and that is sent again is made once', async () => {
    const { operator, network, clock, collection } = await paid()
    const reversal = reversalOf(collection)
    network.faults.on('refund_cut_after_taking', 1)
    assert.equal((await operator.refund(reversal)).is, 'unknown')
    assert.equal((await operator.refund(reversal)).is, 'accepted')
    await clock.advance(DECIDED_AFTER_MS)
    assert.equal((await operator.refund(reversal)).is, 'succeeded')
    assert.equal(network.books()[0]?.refunds, 1)
  })

  rule('a refund that our account has no funds for is accepted and then declined', async () => {
    const { operator, network, clock, collection } = await paid()
    network.faults.on('no_float_for_refunds')
    const reversal = reversalOf(collection)
    assert.equal((await operator.refund(reversal)).is, 'accepted')
    await clock.advance(DECIDED_AFTER_MS)
    const told = { is: 'declined', reason: 'insufficient_funds', code: 'NOT_ENOUGH_FUNDS' }
    assert.deepEqual(await operator.refundStatus(reversal), told)
  })

  rule('a refund that was not enabled is for somebody to mend, and nothing was taken', async () => {
    const { operator, network, collection } = await paid()
    network.faults.on('refunds_forbidden')
    const told = { is: 'unknown', why: 'HTTP 403', neverLeft: true, misconfigured: true }
    assert.deepEqual(await operator.refund(reversalOf(collection)), told)
  })

  rule('the products have tokens of their own', async () => {
    const { operator, sent, collection } = await paid()
    await operator.refund(reversalOf(collection))
    const tokens = sent.filter(({ path }) => path.endsWith('/token/')).map(({ path }) => path)
    assert.deepEqual(tokens, ['/collection/token/', '/disbursement/token/'])
  })

  rule('without credentials of the Disbursement product a refund is made by hand', async () => {
    const { operator, collection, sent } = await paid({ options: () => ({ disbursement: undefined }) })
    const before = sent.length
    assert.equal((await operator.refund(reversalOf(collection))).is, 'by_hand')
    assert.equal((await operator.refundStatus(reversalOf(collection))).is, 'by_hand')
    assert.equal(sent.length, before)
  })
})

describe('mtn-momo: callbacks', () => {
  /** As our door gives it to the connector. */
  const received = ({ method, url, headers, body }: WireCallback): CallbackRequest => ({
    method,
    path: url.slice(CALLBACK_ADDRESS.length + 1),
    headers,
    body: Buffer.from(body),
  })

  async function calledBack(wanted: Parameters<typeof openMtn>[0], faults: string[] = [], afterMs = DECIDED_AFTER_MS) {
    const opened = openMtn(wanted)
    for (const fault of faults) assert.ok(opened.network.faults.on(fault), fault)
    const collection = order()
    const answered = opened.operator.request(collection)
    await opened.clock.advance(afterMs)
    await answered
    return { ...opened, reference: collection.reference }
  }

  about('a callback', () => {
    rule('has the status as its body, no reference of ours but externalId, and is found by its path', async () => {
      const { callbacks, operator, reference } = await calledBack({})
      assert.equal(callbacks.length, 1)
      const callback = callbacks[0]!
      assert.equal(callback.method, 'POST')
      assert.equal(callback.url, `${CALLBACK_ADDRESS}/${reference}`)
      const { status, amount, externalId } = JSON.parse(callback.body)
      assert.deepEqual([status, amount, externalId], ['SUCCESSFUL', '1500', reference])
      assert.ok(!callback.body.includes(uuidOfReference(reference)))
      assert.deepEqual(operator.parseCallback(received(callback)), { reference, isGenuine: false })
    })

    rule('without externalId is found by its path', async () => {
      const { callbacks, operator, reference } = await calledBack({}, ['callback_without_external_id'])
      assert.ok(!callbacks[0]!.body.includes('externalId'))
      assert.equal(operator.parseCallback(received(callbacks[0]!))?.reference, reference)
    })

    rule('without a path is found by externalId', async () => {
      const { callbacks, operator, reference } = await calledBack({ callbackUrl: () => CALLBACK_ADDRESS })
      assert.equal(operator.parseCallback(received(callbacks[0]!))?.reference, reference)
    })

    rule('with a path of 16 KiB of slashes costs no more than a few of any other path', async () => {
      const { operator } = openMtn({})
      const cost = (path: string): number => {
        const began = performance.now()
        for (let nth = 0; nth < 3; nth++) {
          const sent: CallbackRequest = { method: 'POST', path, headers: {}, body: Buffer.from('{}') }
          assert.equal(operator.parseCallback(sent)?.reference, undefined)
        }
        return performance.now() - began
      }
      cost(`a${'/b'.repeat(8_000)}`)
      const [plain, slashes] = [cost(`a${'/b'.repeat(8_000)}`), cost(`a${'/'.repeat(16_000)}b`)]
      // With a pattern that looks for the end from every slash, it was 1,000 times as much.
      assert.ok(slashes < plain * 50, `${slashes} ms instead of ${plain} ms`)
    })

    rule('by PUT is read like one by POST', async () => {
      const { callbacks, operator, reference } = await calledBack({}, ['callback_by_put'])
      assert.deepEqual(
        callbacks.map((each) => [each.method, operator.parseCallback(received(each))?.reference]),
        [
          ['PUT', reference],
          ['POST', reference],
        ],
      )
    })

    rule('may come before the request is answered', async () => {
      const opened = openMtn()
      opened.network.faults.on('callback_before_answer', 1)
      const answered = opened.operator.request(order())
      await opened.clock.advance(1_000)
      assert.equal(opened.callbacks.length, 1)
      assert.equal((await opened.answer(answered)).is, 'accepted')
    })

    rule('is not sent without an address, or where there are none', async () => {
      assert.equal((await calledBack({ callbackUrl: () => undefined })).callbacks.length, 0)
      assert.equal((await calledBack({}, ['no_callbacks'])).callbacks.length, 0)
    })

    rule('may come twenty times and more', async () => {
      const { callbacks } = await calledBack({}, ['callback_twenty_times'], 15 * 60_000)
      assert.equal(callbacks.length, 25)
    })

    rule('may come while the payment is PENDING', async () => {
      const opened = openMtn()
      opened.network.faults.on('pending_callbacks')
      await opened.operator.request(order({ msisdn: '2290197000008' }))
      await opened.clock.advance(16_000)
      assert.deepEqual(
        opened.callbacks.map(({ body }) => JSON.parse(body).status),
        ['PENDING', 'PENDING', 'PENDING'],
      )
    })

    rule('may claim the opposite of the status, which is what counts', async () => {
      const { callbacks, operator, reference } = await calledBack({}, ['callback_says_otherwise'])
      assert.equal(JSON.parse(callbacks[0]!.body).status, 'FAILED')
      assert.equal((await operator.status(reference)).is, 'succeeded')
    })
  })

  about('a callback that nobody answers', () => {
    rule('is sent once by version A', async () => {
      const { callbacks } = await calledBack({ callbackAnswer: () => undefined }, [], 3_600_000)
      assert.equal(callbacks.length, 1)
    })

    rule(
      'is sent by version B twenty times a second apart, then thirty times two minutes apart, then every hour',
      async () => {
        const { callbacks, clock } = await calledBack({
          network: { callbackVersion: 'B' },
          callbackAnswer: () => 503,
        })
        await clock.advance(20_000)
        assert.equal(callbacks.length, 21)
        await clock.advance(30 * 120_000)
        assert.equal(callbacks.length, 51)
        await clock.advance(2 * 3_600_000)
        assert.equal(callbacks.length, 53)
      },
    )

    rule('is no longer sent by version B once somebody has answered', async () => {
      const answers = [undefined, 500, 200]
      const { callbacks } = await calledBack(
        { network: { callbackVersion: 'B' }, callbackAnswer: () => answers.shift() },
        [],
        60_000,
      )
      assert.equal(callbacks.length, 3)
    })
  })

  about('reading a callback', () => {
    const { operator } = openMtn()
    const { reference } = order()
    const read = (wanted: Partial<CallbackRequest>) =>
      operator.parseCallback({ method: 'POST', path: '', headers: {}, body: Buffer.alloc(0), ...wanted })?.reference

    for (const [about, callback, told] of [
      ['a reference in the path', { path: reference }, reference],
      ['a path that ends with a slash', { path: `${reference}/` }, reference],
      ['a UUID of ours in the path', { path: uuidOfReference(reference).toUpperCase() }, reference],
      [
        'the path before externalId',
        { path: reference, body: Buffer.from(JSON.stringify({ externalId: order().reference })) },
        reference,
      ],
      ['a header of the network', { headers: { 'x-reference-id': uuidOfReference(reference) } }, reference],
      [
        'a referenceId in the body',
        { body: Buffer.from(JSON.stringify({ referenceId: uuidOfReference(reference) })) },
        reference,
      ],
      ['nothing', {}, undefined],
      ['no JSON', { body: Buffer.from('{') }, undefined],
      ['JSON that is no object', { body: Buffer.from('[null]') }, undefined],
      ['null', { body: Buffer.from('null') }, undefined],
      ['a name of somebody else', { path: '../x', body: Buffer.from('{"externalId":"order 5"}') }, undefined],
    ] as const) {
      rule(`${about} gives ${told === undefined ? 'nothing' : 'the reference'}`, () =>
        assert.equal(read(callback), told),
      )
    }
  })
})

describe('mtn-momo: tokens', () => {
  const mints = (sent: readonly { path: string }[]): number =>
    sent.filter(({ path }) => path.endsWith('/token/')).length

  rule('ten calls at once share one token', async () => {
    const { operator, sent } = openMtn()
    const answers = await Promise.all(Array.from({ length: 10 }, () => operator.request(order())))
    assert.deepEqual(new Set(answers.map(({ is }) => is)), new Set(['accepted']))
    assert.equal(mints(sent), 1)
  })

  rule('ten calls at once that find the token refused share one new token, and send the same references', async () => {
    const { operator, sent, network } = openMtn()
    await operator.request(order())
    network.faults.on('forgets_tokens', 1)
    const orders = Array.from({ length: 10 }, () => order())
    const answers = await Promise.all(orders.map((each) => operator.request(each)))
    assert.deepEqual(new Set(answers.map(({ is }) => is)), new Set(['accepted']))
    assert.equal(mints(sent), 2)
    assert.equal(network.books().length, 11)
  })

  rule('a network on which a new token ends the old one loses no payment', async () => {
    const { operator, network, clock } = openMtn()
    network.faults.on('new_token_ends_the_old')
    await operator.request(order())
    await clock.advance(51 * 60_000)
    const answers = await Promise.all(Array.from({ length: 10 }, () => operator.request(order())))
    assert.deepEqual(new Set(answers.map(({ is }) => is)), new Set(['accepted']))
  })

  rule('a token is renewed ten minutes before its end, while calls still use the old one', async () => {
    const { operator, sent, clock } = openMtn()
    await operator.request(order())
    await clock.advance(49 * 60_000)
    await operator.request(order())
    assert.equal(mints(sent), 1)
    await clock.advance(2 * 60_000)
    await operator.request(order())
    await clock.settle()
    assert.equal(mints(sent), 2)
    await operator.request(order())
    assert.equal(mints(sent), 2)
  })

  rule('a token whose life is told as text, and short, is renewed in time', async () => {
    const { operator, sent, clock, network } = openMtn()
    network.faults.on('short_tokens')
    await operator.request(order())
    await clock.advance(200_000)
    assert.equal((await operator.request(order())).is, 'accepted')
    assert.equal(mints(sent), 2)
  })

  rule(
    'a token that takes 20 seconds makes the first call give up in time, as never sent, and serves the next',
    async () => {
      const { operator, network, clock, answer, sent } = openMtn()
      network.faults.on('slow_token')
      const began = clock.now()
      const first = await answer(operator.request(order()))
      assert.deepEqual(first, { is: 'unknown', why: 'no access token in time', neverLeft: true })
      assert.ok(clock.now() - began <= DEADLINE_MS)
      await clock.advance(20_000)
      assert.equal((await operator.request(order())).is, 'accepted')
      assert.equal(mints(sent), 1)
    },
  )

  rule('a refused token is renewed once and no more: the request was never taken', async () => {
    const { operator, network, sent } = openMtn()
    network.faults.on('forgets_tokens')
    const answer = await operator.request(order())
    assert.deepEqual(answer, {
      is: 'unknown',
      why: 'HTTP 401 invalid_token',
      code: 'invalid_token',
      neverLeft: true,
      misconfigured: true,
    })
    assert.equal(mints(sent), 2)
    assert.deepEqual(network.books(), [])
  })

  rule('a request that was taken and answered with 401 is known by its reference', async () => {
    const { operator, network } = openMtn()
    network.faults.on('refuses_token_after_taking', 1)
    assert.equal((await operator.request(order())).is, 'accepted')
    assert.deepEqual(
      network.books().map(({ requests }) => requests),
      [2],
    )
  })

  for (const [about, platform, fault] of [
    ['refused credentials', 'new', 'token_refused'],
    ['a 500 of the old platform', 'old', 'token_500'],
    ['a page of the gateway', 'new', 'gateway_403_page'],
  ] as const) {
    rule(`${about} instead of a token leave the payment unsent, for somebody to mend`, async () => {
      const { operator, network } = openMtn({ network: { platform } })
      network.faults.on(fault)
      const answer = await operator.request(order())
      assert.equal(answer.is === 'unknown' && answer.neverLeft && answer.misconfigured, true)
      assert.deepEqual(network.books(), [])
    })
  }

  rule('credentials of any form are sent as they are: on the new platform a User ID is base64', async () => {
    const { operator, sent, network } = openMtn({ network: { platform: 'new' } })
    await operator.request(order())
    const { apiUser, apiKey } = network.credentials
    assert.match(apiUser as string, /=$/)
    assert.equal(sent[0]?.headers.authorization, `Basic ${btoa(`${apiUser}:${apiKey}`)}`)
  })
})

describe('mtn-momo: check of a connection', () => {
  async function checked(wanted: Wanted = {}, faults: string[] = []): Promise<CheckLine[]> {
    const { connection, network, answer } = openMtn(wanted)
    for (const fault of faults) assert.ok(network.faults.on(fault), fault)
    return answer(connection.check())
  }

  const wrong = (lines: readonly CheckLine[]): CheckLine[] => lines.filter(({ is }) => is !== 'right')

  rule('a connection in order has no line to mend', async () => {
    const lines = await checked()
    assert.deepEqual(wrong(lines), [])
    assert.deepEqual(
      lines.map(({ about }) => about),
      [
        'Collection: the network gave an access token',
        'Collection: the account is readable',
        'the clocks of the network and of this machine agree',
        'Disbursement: the network gave an access token',
        'Disbursement: the account is readable',
        'callbacks: at pay.example.bj, which must be the callback host registered with the API user',
      ],
    )
  })

  rule('a slow token is waited for', async () => {
    assert.deepEqual(wrong(await checked({}, ['slow_token'])), [])
  })

  for (const [about, wanted, faults, mend] of [
    ['wrong credentials', { options: () => ({ apiKey: 'wrong' }) }, [], /System credentials .*momoapi\.momo\.africa/],
    [
      'wrong credentials of the old platform',
      { network: { platform: 'old' }, options: () => ({ apiKey: 'wrong' }) },
      [],
      /API user and API key/,
    ],
    ['a wrong subscription key', { options: () => ({ subscriptionKey: 'wrong' }) }, [], /subscription key/],
    ['a wrong target environment', { options: () => ({ targetEnvironment: 'mtnghana' }) }, [], /targetEnvironment/],
    ['a gateway that refuses us', {}, ['gateway_403_page'], /IP address, or change the option userAgent/],
    ['a currency that is not the account’s', { options: () => ({ currency: 'EUR' }) }, [], /currency to XOF/],
    ['an address without https', { callbackUrl: () => 'http://pay.example.bj' }, [], /https/],
    ['an address that is an IP address', { callbackUrl: () => 'https://192.0.2.1' }, [], /host name/],
  ] as const satisfies readonly [string, Wanted, readonly string[], RegExp][]) {
    rule(`${about} is said, with what to mend`, async () => {
      const lines = wrong(await checked(wanted, [...faults]))
      assert.ok(lines.length > 0)
      assert.equal(lines[0]?.is, 'wrong')
      assert.match(lines.map((line) => line.mend).join('\n'), mend)
    })
  }

  rule('no public address is not known to be wrong: payments are polled', async () => {
    const lines = wrong(await checked({ callbackUrl: () => undefined }))
    assert.deepEqual(
      lines.map(({ is }) => is),
      ['not_known'],
    )
  })

  rule('callbacks that are switched off, and refunds by hand, are in order', async () => {
    const lines = await checked({ options: () => ({ sendsCallbackUrl: false, disbursement: undefined }) })
    assert.deepEqual(wrong(lines), [])
    assert.match(lines.map(({ about }) => about).join('\n'), /refunds: by hand/)
  })

  rule('a network that is away is not known to be wrong', async () => {
    const lines = wrong(await checked({}, ['token_500']))
    assert.equal(lines[0]?.is, 'not_known')
  })
})
