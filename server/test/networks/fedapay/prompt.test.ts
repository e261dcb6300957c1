// A prompt through FedaPay takes three calls. Wherever the first try stops, a second goes on, and no payer is asked twice.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withBlamedKind } from '../blamed-kind.ts'
import { collection, DEADLINE_MS, DECIDE_AFTER_MS, openFedapay, REFERENCE } from './opened-fedapay.ts'

const pathsOf = (calls: { method: string; path: string }[]): string[] =>
  calls.map(({ method, path }) => `${method} ${path.replace(REFERENCE, '{reference}').replace(/\d{9}/, '{id}')}`)

describe('a prompt through FedaPay', () => {
  it('is a transaction, a token and a prompt, and succeeds when the payer approves', async () => {
    const { connection, clock, network, calls, run } = openFedapay()
    assert.deepEqual(await run(connection.operator.request(collection())), { is: 'accepted' })
    assert.deepEqual(pathsOf(calls), ['POST /v1/transactions', 'POST /v1/transactions/{id}/token', 'POST /v1/mtn_open'])
    assert.deepEqual(await run(connection.operator.status(REFERENCE)), { is: 'accepted' })
    await clock.advance(DECIDE_AFTER_MS)
    const answer = await run(connection.operator.status(REFERENCE))
    assert.equal(answer.is, 'succeeded')
    assert.equal(answer.is === 'succeeded' && answer.amountXof, 1_500)
    assert.match(answer.is === 'succeeded' ? answer.operatorReference : '', /^trx_/)
    assert.equal(network.books()[0]?.debits, 1)
  })

  it('is sent only once its id is kept, and is then asked about by that id', async () => {
    const { connection, network, calls, run } = openFedapay()
    const { operator } = connection
    const kept: string[] = []
    const keepNetworkId = async (networkId: string): Promise<boolean> => {
      kept.push(`${networkId} after ${calls.length} calls`)
      return kept.length > 1
    }
    const refused = await run(operator.request(collection({ keepNetworkId })))
    const id = network.books()[0]?.id ?? ''
    assert.deepEqual([refused.is, refused.is === 'unknown' && refused.neverLeft, calls.length], ['unknown', true, 2])
    assert.equal((await run(operator.request(collection({ keepNetworkId })))).is, 'accepted')
    // Creation, token; creation refused, look-up, token: each time before the prompt.
    assert.deepEqual(kept, [`${id} after 2 calls`, `${id} after 5 calls`])
    calls.length = 0
    assert.deepEqual(await run(operator.status(REFERENCE, id)), { is: 'accepted' })
    assert.deepEqual(pathsOf(calls), ['GET /v1/transactions/{id}?include=currency'])
  })

  it('whose id is kept is looked up by our reference when the id shows nothing, and a missing route hides nothing', async () => {
    const { connection, network, calls, run } = openFedapay()
    await run(connection.operator.request(collection()))
    const id = network.books()[0]?.id ?? ''
    assert.deepEqual(await run(connection.operator.status(REFERENCE, '999999999')), { is: 'accepted' })
    assert.deepEqual(pathsOf(calls.slice(-2)), [
      'GET /v1/transactions/{id}?include=currency',
      'GET /v1/transactions/merchant/{reference}?include=currency',
    ])
    network.faults.on('no_route_by_reference')
    assert.deepEqual(await run(connection.operator.status(REFERENCE, id)), { is: 'accepted' })
    assert.deepEqual(await run(connection.operator.status(REFERENCE)), { is: 'not_known' })
  })

  it('whose creation is refused as taken, and is not shown yet, was not sent and is made later', async () => {
    const { connection, clock, network, run } = openFedapay()
    network.faults.on('not_found_for_a_while')
    network.faults.on('create_cut', 1)
    await run(connection.operator.request(collection()))
    const hidden = await run(connection.operator.request(collection()))
    assert.deepEqual([hidden.is, hidden.is === 'unknown' && hidden.neverLeft], ['unknown', true])
    await clock.advance(40_000)
    assert.deepEqual(await run(connection.operator.request(collection())), { is: 'accepted' })
    assert.equal(network.books().length, 1)
  })

  it('sends whole francs, our reference, the payer’s number with its country, and a name for us', async () => {
    const { connection, calls, run } = openFedapay()
    await run(connection.operator.request(collection()))
    const phoneNumber = { number: '+2290166000001', country: 'bj' }
    assert.deepEqual(JSON.parse(calls[0]?.body ?? ''), {
      description: 'KB-1042',
      amount: 1_500,
      currency: { iso: 'XOF' },
      merchant_reference: REFERENCE,
      custom_metadata: { karba: 'prompt' },
      customer: { phone_number: phoneNumber },
    })
    assert.deepEqual(JSON.parse(calls[2]?.body ?? '').phone_number, phoneNumber)
    assert.equal(calls[0]?.headers['user-agent'], 'Karba/1.0')
  })

  const MODES: [operator: string, msisdn: string, live: string, number: string][] = [
    ['mtn_bj', '2290166000001', 'mtn_open', '+2290166000001'],
    ['moov_bj', '2290164000001', 'moov', '+2290164000001'],
    ['celtiis_bj', '2290140000001', 'sbin', '+2290140000001'],
    ['airtel_ne', '22796000001', 'airtel_ne', '+22796000001'],
  ]
  for (const [operator, msisdn, mode, number] of MODES) {
    it(`goes to ${mode} for ${operator}, and to momo_test in sandbox`, async () => {
      const live = openFedapay()
      await live.run(live.connection.operator.request(collection({ operator, msisdn })))
      assert.equal(live.calls[2]?.path, `/v1/${mode}`)
      assert.equal(JSON.parse(live.calls[2]?.body ?? '').phone_number.number, number)
      const sandbox = openFedapay({ environment: 'sandbox' })
      await sandbox.run(sandbox.connection.operator.request(collection({ operator, msisdn })))
      assert.equal(sandbox.calls[2]?.path, '/v1/momo_test')
      assert.equal(JSON.parse(sandbox.calls[2]?.body ?? '').phone_number.number, number.replace('+22901', '+229'))
    })
  }

  it('goes to the mode that an option names', async () => {
    const { connection, calls, run } = openFedapay({
      options: { modes: { mtn_bj: 'mtn' } },
      simulator: { modes: ['mtn'] },
    })
    assert.equal((await run(connection.operator.request(collection()))).is, 'accepted')
    assert.equal(calls[2]?.path, '/v1/mtn')
  })

  it('of an operator that FedaPay does not have is never sent', async () => {
    const { connection, calls, run } = openFedapay()
    const answer = await run(connection.operator.request(collection({ operator: 'zamani_ne' })))
    assert.deepEqual([answer.is, answer.is === 'unknown' && answer.misconfigured, calls.length], ['unknown', true, 0])
  })

  const STOPS: [fault: string, about: string][] = [
    ['create_cut', 'after the transaction was created'],
    ['create_silent', 'while its creation is not answered'],
    ['token_cut', 'before there is a token'],
  ]
  for (const [fault, about] of STOPS) {
    it(`that breaks off ${about} was never sent, is not known, and is made again with one debit`, async () => {
      const { connection, clock, network, run } = openFedapay()
      network.faults.on(fault, 1)
      const first = await run(connection.operator.request(collection()))
      assert.deepEqual([first.is, first.is === 'unknown' && first.neverLeft], ['unknown', true])
      assert.deepEqual(await run(connection.operator.status(REFERENCE)), { is: 'not_known', notAsked: true })
      assert.deepEqual(await run(connection.operator.request(collection())), { is: 'accepted' })
      await clock.advance(DECIDE_AFTER_MS)
      assert.equal((await run(connection.operator.status(REFERENCE))).is, 'succeeded')
      assert.deepEqual(
        network.books().map(({ debits }) => debits),
        [1],
      )
    })
  }

  it('that a process died after, before it was written down, is not sent again', async () => {
    const { connection, clock, network, calls, run } = openFedapay()
    await run(connection.operator.request(collection()))
    calls.length = 0
    assert.deepEqual(await run(connection.operator.request(collection())), { is: 'accepted' })
    assert.deepEqual(pathsOf(calls), [
      'POST /v1/transactions',
      'GET /v1/transactions/merchant/{reference}?include=currency',
    ])
    await clock.advance(DECIDE_AFTER_MS)
    assert.equal((await run(connection.operator.request(collection()))).is, 'succeeded')
    assert.deepEqual(
      network.books().map(({ debits, requests }) => [debits, requests]),
      [[1, 3]],
    )
  })

  it('is gone on with as well when FedaPay refuses the second creation with 400', async () => {
    const { connection, network, run } = openFedapay()
    network.faults.on('refuses_with_400')
    network.faults.on('token_cut', 1)
    await run(connection.operator.request(collection()))
    assert.deepEqual(await run(connection.operator.request(collection())), { is: 'accepted' })
  })

  for (const fault of ['prompt_cut', 'prompt_silent', 'prompt_timeout_body']) {
    it(`whose answer is lost (${fault}) may have been sent: only the status tells`, async () => {
      const { connection, clock, network, run } = openFedapay()
      network.faults.on(fault, 1)
      const answer = await run(connection.operator.request(collection()))
      assert.deepEqual([answer.is, answer.is === 'unknown' && answer.neverLeft], ['unknown', undefined])
      await clock.advance(DECIDE_AFTER_MS)
      assert.equal((await run(connection.operator.status(REFERENCE))).is, 'succeeded')
      assert.equal(network.books()[0]?.debits, 1)
    })
  }

  it('counts as under way without a mode, when an option says that the mode proves nothing', async () => {
    const { connection, network, run } = openFedapay({ options: { modeTellsPrompt: false } })
    network.faults.on('token_cut', 1)
    await run(connection.operator.request(collection()))
    assert.deepEqual(await run(connection.operator.status(REFERENCE)), { is: 'accepted' })
    assert.deepEqual(await run(connection.operator.request(collection())), { is: 'accepted' })
  })

  it('ends within its deadline, however slow each call is', async () => {
    const { connection, clock, network, run } = openFedapay()
    network.faults.on('slow_prompts')
    const began = clock.now()
    const answer = await run(connection.operator.request(collection()))
    assert.equal(answer.is, 'unknown')
    assert.ok(clock.now() - began <= DEADLINE_MS + 1_000)
  })

  it('is not sent when hardly any time is left for it', async () => {
    const { connection, network, calls, run } = openFedapay()
    network.faults.on('slow_tokens')
    const answer = await run(connection.operator.request(collection()))
    assert.deepEqual([answer.is, answer.is === 'unknown' && answer.neverLeft], ['unknown', true])
    assert.equal(calls.length, 2)
    assert.equal(network.books()[0]?.msisdn, '')
  })

  it('of another amount under the same reference is no answer', async () => {
    const { connection, run } = openFedapay()
    await run(connection.operator.request(collection()))
    assert.equal((await run(connection.operator.request(collection({ amountXof: 900 })))).is, 'unknown')
  })
})

describe('a prompt that FedaPay refuses', () => {
  it('because the operator is not activated is an error of the operator, with its words', async () => {
    const { connection, network, run } = openFedapay()
    network.faults.on('mode_not_activated')
    const answer = await run(connection.operator.request(collection()))
    const told = { is: 'declined', reason: 'operator_error', code: 'Opération non autorisée', misconfigured: 'form' }
    assert.deepEqual(withBlamedKind(answer), told)
  })

  it('because the payer is already being asked is under way', async () => {
    const { connection, network, run } = openFedapay({
      instead: ({ path, method }) =>
        method === 'GET' && path.startsWith('/v1/transactions/merchant') && hideMode ? unprompted() : undefined,
    })
    let hideMode = true
    const unprompted = () => {
      hideMode = false
      const [id = '0'] = network.books().map((each) => each.id)
      const transaction = {
        id: Number(id),
        merchant_reference: REFERENCE,
        amount: 1_500,
        status: 'pending',
        mode: null,
        custom_metadata: { karba: 'prompt' },
      }
      return { code: 200, headers: {}, body: { 'v1/transaction': transaction } }
    }
    network.faults.on('prompt_refused_when_repeated')
    await run(connection.operator.request(collection()))
    assert.deepEqual(await run(connection.operator.request(collection())), { is: 'accepted' })
    assert.equal(network.books()[0]?.requests, 2)
  })

  const REFUSED: [about: string, changes: object, reason: string, misconfigured?: 'form'][] = [
    ['a number that cannot be', { msisdn: '22912' }, 'payer_not_found'],
    ['an amount of nothing', { amountXof: 0 }, 'amount_not_allowed'],
    ['no description', { publicReference: ' ' }, 'operator_error', 'form'],
  ]
  for (const [about, changes, reason, misconfigured] of REFUSED) {
    it(`for ${about} is ${reason}, and nothing is created`, async () => {
      const { connection, network, run } = openFedapay()
      const answer = await run(connection.operator.request(collection(changes)))
      const code = 'La création de la transaction a échoué'
      assert.deepEqual(withBlamedKind(answer), {
        is: 'declined',
        reason,
        code,
        ...(misconfigured && { misconfigured }),
      })
      assert.deepEqual(network.books(), [])
    })
  }

  const NOT_SENT: [fault: string, misconfigured: true | undefined][] = [
    ['key_refused', true],
    ['gateway_page', true],
    ['too_many_requests', undefined],
    ['unavailable', undefined],
  ]
  for (const [fault, misconfigured] of NOT_SENT) {
    it(`by ${fault} was never sent${misconfigured ? ', and somebody must mend the connection' : ''}`, async () => {
      const { connection, network, run } = openFedapay()
      network.faults.on(fault)
      const answer = await run(connection.operator.request(collection()))
      assert.ok(answer.is === 'unknown')
      assert.deepEqual([answer.neverLeft, answer.misconfigured], [true, misconfigured])
    })
  }
})
