// The rules of fedapay that no other network has: every-network.test.ts has those that all share.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe } from 'node:test'
import type { WireCallback } from '../../../simulators/src/network.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { OperatorAnswer } from '../../src/domain/operator-report.ts'
import type { CheckLine } from '../../src/operators/connector.ts'
import { LAST_ERRORS, STATUSES } from '../../src/operators/connectors/fedapay/translate.ts'
import { readToken } from '../../src/operators/connectors/fedapay/wire.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { rulesOf } from '../kit/rules-of.ts'
import { get, order, post } from '../kit/service.ts'
import { STORES } from '../kit/stores.ts'
import { byPhone, newLink, onPage, pay, send, stateOf } from '../links/payer.ts'
import {
  collection,
  DEADLINE_MS,
  DECIDE_AFTER_MS,
  FEDAPAY_UNDER_TEST,
  type FedapaySetting,
  openFedapay,
  REFERENCE,
  session,
} from './fedapay.ts'
import { openServiceOnNetwork, type ServiceOnNetwork, withBlamedKind } from './harness.ts'

const { rule, about } = rulesOf('fedapay')

describe('fedapay: prompts', () => {
  const pathsOf = (calls: { method: string; path: string }[]): string[] =>
    calls.map(({ method, path }) => `${method} ${path.replace(REFERENCE, '{reference}').replace(/\d{9}/, '{id}')}`)

  about('a prompt through FedaPay', () => {
    rule('is a transaction, a token and a prompt, and succeeds when the payer approves', async () => {
      const { connection, clock, network, calls, run } = openFedapay()
      assert.deepEqual(await run(connection.operator.request(collection())), { is: 'accepted' })
      assert.deepEqual(pathsOf(calls), [
        'POST /v1/transactions',
        'POST /v1/transactions/{id}/token',
        'POST /v1/mtn_open',
      ])
      assert.deepEqual(await run(connection.operator.status(REFERENCE)), { is: 'accepted' })
      await clock.advance(DECIDE_AFTER_MS)
      const answer = await run(connection.operator.status(REFERENCE))
      assert.equal(answer.is, 'succeeded')
      assert.equal(answer.is === 'succeeded' && answer.amountXof, 1_500)
      assert.match(answer.is === 'succeeded' ? answer.operatorReference : '', /^trx_/)
      assert.equal(network.books()[0]?.debits, 1)
    })

    rule('is sent only once its id is kept, and is then asked about by that id', async () => {
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

    rule(
      'whose id is kept is looked up by our reference when the id shows nothing, and a missing route hides nothing',
      async () => {
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
      },
    )

    rule('whose creation is refused as taken, and is not shown yet, was not sent and is made later', async () => {
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

    rule('sends whole francs, our reference, the payer’s number with its country, and a name for us', async () => {
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
      rule(`goes to ${mode} for ${operator}, and to momo_test in sandbox`, async () => {
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

    rule('goes to the mode that an option names', async () => {
      const { connection, calls, run } = openFedapay({
        options: { modes: { mtn_bj: 'mtn' } },
        simulator: { modes: ['mtn'] },
      })
      assert.equal((await run(connection.operator.request(collection()))).is, 'accepted')
      assert.equal(calls[2]?.path, '/v1/mtn')
    })

    rule('of an operator that FedaPay does not have is never sent', async () => {
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
      rule(`that breaks off ${about} was never sent, is not known, and is made again with one debit`, async () => {
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

    rule('that a process died after, before it was written down, is not sent again', async () => {
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

    rule('is gone on with as well when FedaPay refuses the second creation with 400', async () => {
      const { connection, network, run } = openFedapay()
      network.faults.on('refuses_with_400')
      network.faults.on('token_cut', 1)
      await run(connection.operator.request(collection()))
      assert.deepEqual(await run(connection.operator.request(collection())), { is: 'accepted' })
    })

    for (const fault of ['prompt_cut', 'prompt_silent', 'prompt_timeout_body']) {
      rule(`whose answer is lost (${fault}) may have been sent: only the status tells`, async () => {
        const { connection, clock, network, run } = openFedapay()
        network.faults.on(fault, 1)
        const answer = await run(connection.operator.request(collection()))
        assert.deepEqual([answer.is, answer.is === 'unknown' && answer.neverLeft], ['unknown', undefined])
        await clock.advance(DECIDE_AFTER_MS)
        assert.equal((await run(connection.operator.status(REFERENCE))).is, 'succeeded')
        assert.equal(network.books()[0]?.debits, 1)
      })
    }

    rule('counts as under way without a mode, when an option says that the mode proves nothing', async () => {
      const { connection, network, run } = openFedapay({ options: { modeTellsPrompt: false } })
      network.faults.on('token_cut', 1)
      await run(connection.operator.request(collection()))
      assert.deepEqual(await run(connection.operator.status(REFERENCE)), { is: 'accepted' })
      assert.deepEqual(await run(connection.operator.request(collection())), { is: 'accepted' })
    })

    rule('ends within its deadline, however slow each call is', async () => {
      const { connection, clock, network, run } = openFedapay()
      network.faults.on('slow_prompts')
      const began = clock.now()
      const answer = await run(connection.operator.request(collection()))
      assert.equal(answer.is, 'unknown')
      assert.ok(clock.now() - began <= DEADLINE_MS + 1_000)
    })

    rule('is not sent when hardly any time is left for it', async () => {
      const { connection, network, calls, run } = openFedapay()
      network.faults.on('slow_tokens')
      const answer = await run(connection.operator.request(collection()))
      assert.deepEqual([answer.is, answer.is === 'unknown' && answer.neverLeft], ['unknown', true])
      assert.equal(calls.length, 2)
      assert.equal(network.books()[0]?.msisdn, '')
    })

    rule('of another amount under the same reference is no answer', async () => {
      const { connection, run } = openFedapay()
      await run(connection.operator.request(collection()))
      assert.equal((await run(connection.operator.request(collection({ amountXof: 900 })))).is, 'unknown')
    })
  })

  about('a prompt that FedaPay refuses', () => {
    rule('because the operator is not activated is an error of the operator, with its words', async () => {
      const { connection, network, run } = openFedapay()
      network.faults.on('mode_not_activated')
      const answer = await run(connection.operator.request(collection()))
      const told = { is: 'declined', reason: 'operator_error', code: 'Opération non autorisée', misconfigured: 'form' }
      assert.deepEqual(withBlamedKind(answer), told)
    })

    rule('because the payer is already being asked is under way', async () => {
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
      rule(`for ${about} is ${reason}, and nothing is created`, async () => {
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
      rule(`by ${fault} was never sent${misconfigured ? ', and somebody must mend the connection' : ''}`, async () => {
        const { connection, network, run } = openFedapay()
        network.faults.on(fault)
        const answer = await run(connection.operator.request(collection()))
        assert.ok(answer.is === 'unknown')
        assert.deepEqual([answer.neverLeft, answer.misconfigured], [true, misconfigured])
      })
    }
  })
})

describe('fedapay: statuses', () => {
  const told = (fields: object): { code: number; headers: object; body: unknown } => ({
    code: 200,
    headers: {},
    body: {
      'v1/transaction': {
        klass: 'v1/transaction',
        id: 113_000_001,
        reference: 'trx_abc_1',
        merchant_reference: REFERENCE,
        amount: 1_500,
        mode: 'mtn_open',
        currency_id: 1,
        custom_metadata: { karba: 'prompt' },
        ...fields,
      },
    },
  })

  const answerTo = async (body: ReturnType<typeof told> | object, options = {}): Promise<OperatorAnswer> => {
    const { connection, run } = openFedapay({ options, instead: () => body as never })
    return run(connection.operator.status(REFERENCE))
  }

  const paid = { amountXof: 1_500, operatorReference: 'trx_abc_1' }

  const ROWS: [about: string, fields: object, answer: OperatorAnswer][] = [
    ['pending', { status: 'pending' }, { is: 'accepted' }],
    ['approved', { status: 'approved' }, { is: 'succeeded', ...paid }],
    ['transferred', { status: 'transferred' }, { is: 'succeeded', ...paid }],
    ['approved_partially_refunded', { status: 'approved_partially_refunded' }, { is: 'succeeded', ...paid }],
    ['transferred_partially_refunded', { status: 'transferred_partially_refunded' }, { is: 'succeeded', ...paid }],
    ['refunded', { status: 'refunded' }, { is: 'refunded', ...paid }],
    ['declined', { status: 'declined' }, { is: 'declined', reason: 'declined', mayChange: true, code: 'declined' }],
    ['canceled', { status: 'canceled' }, { is: 'declined', reason: 'cancelled', mayChange: true, code: 'canceled' }],
    ['expired', { status: 'expired' }, { is: 'declined', reason: 'expired', code: 'expired' }],
    [
      'canceled with INSUFFICIENT_FUND_ERROR',
      { status: 'canceled', last_error_code: 'INSUFFICIENT_FUND_ERROR' },
      { is: 'declined', reason: 'insufficient_funds', mayChange: true, code: 'INSUFFICIENT_FUND_ERROR' },
    ],
    [
      'declined with API_ERROR',
      { status: 'declined', last_error_code: 'API_ERROR' },
      { is: 'declined', reason: 'operator_error', mayChange: true, code: 'API_ERROR' },
    ],
    [
      'declined with a code that no document names',
      { status: 'declined', last_error_code: 'SOMETHING_ELSE' },
      { is: 'declined', reason: 'declined', mayChange: true, code: 'SOMETHING_ELSE' },
    ],
    [
      'declined with a code that is an object',
      { status: 'declined', last_error_code: { code: 'X' } },
      { is: 'declined', reason: 'declined', mayChange: true, code: 'declined' },
    ],
    [
      'declined with a name that every object has',
      { status: 'declined', last_error_code: 'constructor' },
      { is: 'declined', reason: 'declined', mayChange: true, code: 'constructor' },
    ],
    [
      'pending with API_ERROR',
      { status: 'pending', last_error_code: 'API_ERROR' },
      { is: 'accepted', code: 'API_ERROR' },
    ],
    [
      'pending and nobody asked',
      { status: 'pending', mode: null, last_error_code: 'NO_ERROR' },
      { is: 'not_known', notAsked: true },
    ],
    ['pending on a page', { status: 'pending', mode: null, custom_metadata: null }, { is: 'accepted' }],
    ['pending with a payment method', { status: 'pending', mode: null, payment_method_id: 9 }, { is: 'accepted' }],
    [
      'approved without a reference of its own',
      { status: 'approved', reference: null },
      { is: 'succeeded', amountXof: 1_500, operatorReference: '113000001' },
    ],
    ['approved, with the amount as text', { status: 'approved', amount: '1,500.00' }, { is: 'succeeded', ...paid }],
    ['approved, with less', { status: 'approved', amount: 1_495 }, { is: 'succeeded', ...paid, amountXof: 1_495 }],
    [
      'approved, with a fraction',
      { status: 'approved', amount: '1500.5' },
      { is: 'unknown', why: 'approved, with an amount that is not understood' },
    ],
    [
      'approved, with no amount',
      { status: 'approved', amount: null },
      { is: 'unknown', why: 'approved, with an amount that is not understood' },
    ],
    [
      'approved in another currency',
      { status: 'approved', currency: { iso: 'GNF' } },
      { is: 'contradicts', told: 'approved in GNF' },
    ],
    [
      'approved in a currency with another number',
      { status: 'approved', currency_id: 3 },
      { is: 'contradicts', told: 'approved in the currency 3' },
    ],
    [
      'a status that no document names',
      { status: 'settling' },
      { is: 'unknown', why: 'a status that is not known: settling' },
    ],
    ['no status', { status: undefined }, { is: 'unknown', why: 'a status that is not known: undefined' }],
    [
      'another reference',
      { status: 'approved', merchant_reference: 'x' },
      { is: 'unknown', why: 'FedaPay answers about another reference' },
    ],
  ]

  about('a transaction that FedaPay tells as', () => {
    for (const [about, fields, answer] of ROWS) {
      rule(`${about} is ${answer.is}`, async () => assert.deepEqual(await answerTo(told(fields)), answer))
    }

    rule('any status or error of the tables is held by a row of this test', () => {
      const statuses = ROWS.map(([, fields]) => (fields as { status?: string }).status)
      const codes = ROWS.map(([, fields]) => (fields as { last_error_code?: unknown }).last_error_code)
      assert.deepEqual(
        Object.keys(STATUSES).filter((status) => !statuses.includes(status)),
        [],
      )
      assert.deepEqual(
        Object.keys(LAST_ERRORS).filter((code) => !codes.includes(code)),
        [],
      )
    })
  })

  const OTHERS: [about: string, result: object, answer: Partial<OperatorAnswer>][] = [
    [
      '404 with a message',
      { code: 404, headers: {}, body: { message: 'Transaction introuvable' } },
      { is: 'not_known' },
    ],
    ['404 of a web server', { code: 404, headers: {}, body: { status: 404, error: 'Not Found' } }, { is: 'unknown' }],
    ['404 with a page', { code: 404, headers: {}, body: '<html>' }, { is: 'unknown', misconfigured: true }],
    ['401', { code: 401, headers: {}, body: { message: 'x' } }, { is: 'unknown', misconfigured: true }],
    ['403 with a page', { code: 403, headers: {}, body: '<html>' }, { is: 'unknown', misconfigured: true }],
    ['500', { code: 500, headers: {}, body: '' }, { is: 'unknown' }],
    ['429', { code: 429, headers: {}, body: { message: 'x' } }, { is: 'unknown' }],
    ['200 with a page', { code: 200, headers: {}, body: '<html>' }, { is: 'unknown', misconfigured: true }],
    ['200 with a list', { code: 200, headers: {}, body: [] }, { is: 'unknown' }],
    [
      'a broken connection',
      { failed: 'no answer: UND_ERR_SOCKET' },
      { is: 'unknown', why: 'no answer: UND_ERR_SOCKET' },
    ],
  ]

  about('a status call that is answered with', () => {
    for (const [about, result, expected] of OTHERS) {
      rule(`${about} is ${expected.is}`, async () => assert.partialDeepStrictEqual(await answerTo(result), expected))
    }
  })

  about('the status of a payment', () => {
    const DAY_MS = 86_400_000
    const FATES: [msisdn: string, waitMs: number, answer: Partial<OperatorAnswer>][] = [
      ['2290166000002', DECIDE_AFTER_MS, { is: 'declined', reason: 'declined', mayChange: true }],
      ['2290166000003', DECIDE_AFTER_MS, { is: 'declined', reason: 'insufficient_funds' }],
      ['2290166000004', DECIDE_AFTER_MS, { is: 'accepted' }],
      ['2290166000004', DAY_MS, { is: 'declined', reason: 'expired' }],
      ['2290166000005', DECIDE_AFTER_MS + 600_000, { is: 'succeeded' }],
      ['2290166000006', DECIDE_AFTER_MS, { is: 'accepted', code: 'API_ERROR' }],
      ['2290166000007', DECIDE_AFTER_MS, { is: 'refunded' }],
      ['2290166000008', DECIDE_AFTER_MS, { is: 'succeeded' }],
      ['2290166000009', DECIDE_AFTER_MS, { is: 'declined', reason: 'cancelled' }],
      ['2290166000001', 4 * DAY_MS, { is: 'succeeded' }],
    ]
    for (const [msisdn, waitMs, expected] of FATES) {
      rule(`of ${msisdn} after ${waitMs / 1_000} s is ${expected.is}`, async () => {
        const { connection, clock, run } = openFedapay()
        await run(connection.operator.request(collection({ msisdn })))
        await clock.advance(waitMs)
        assert.partialDeepStrictEqual(await run(connection.operator.status(REFERENCE)), expected)
      })
    }

    rule('asks for the currency, and trusts its number where the network leaves it out', async () => {
      const { connection, calls, run } = openFedapay()
      await run(connection.operator.status(REFERENCE))
      assert.match(calls[0]?.path ?? '', /\?include=currency$/)
      assert.equal((await answerTo(told({ status: 'approved', currency_id: 4 }), { xofCurrencyId: 4 })).is, 'succeeded')
    })
  })

  about('a refund', () => {
    const reversal = (operator: string) => ({
      refundReference: 'r'.repeat(24),
      reference: REFERENCE,
      operatorReference: 'trx_abc_1',
      networkId: null,
      operator,
      amountXof: 1_500,
    })

    rule('waits for a person, who is told where', async () => {
      const { connection, run } = openFedapay()
      for (const ask of [connection.operator.refund, connection.operator.refundStatus]) {
        const answer = await run(ask(reversal('mtn_bj')))
        assert.equal(answer.is, 'by_hand')
        assert.match(answer.is === 'by_hand' ? answer.why : '', /trx_abc_1 in the FedaPay dashboard/)
      }
    })

    rule('of anything but MTN cannot be made in the dashboard either', async () => {
      const { connection, run } = openFedapay()
      const answer = await run(connection.operator.refund(reversal('moov_bj')))
      assert.match(answer.is === 'by_hand' ? answer.why : '', /nothing but MTN/)
    })

    rule('that was made in the dashboard has succeeded', async () => {
      const { connection, run } = openFedapay({ instead: () => told({ status: 'refunded' }) as never })
      assert.deepEqual(await run(connection.operator.refundStatus(reversal('mtn_bj'))), { is: 'succeeded', ...paid })
    })
  })
})

describe('fedapay: webhooks', () => {
  const received = ({ headers, body }: Pick<WireCallback, 'headers' | 'body'>) => ({
    method: 'POST' as const,
    path: '',
    headers,
    body: Buffer.from(body),
  })

  async function paidWith(fault?: string, setting: FedapaySetting = {}) {
    const opened = openFedapay(setting)
    if (fault !== undefined) opened.network.faults.on(fault)
    await opened.run(opened.connection.operator.request(collection()))
    await opened.clock.advance(DECIDE_AFTER_MS)
    return opened
  }

  about('a webhook of FedaPay', () => {
    rule('is genuine and names our reference', async () => {
      const { connection, callbacks } = await paidWith()
      assert.equal(callbacks.length, 1)
      const [first] = callbacks as [WireCallback]
      assert.equal(JSON.parse(first.body).name, 'transaction.approved')
      assert.match(first.headers['x-fedapay-signature'] ?? '', /^t=\d+,s=[0-9a-f]{64}$/)
      assert.deepEqual(connection.operator.parseCallback(received(first)), { reference: REFERENCE, isGenuine: true })
      assert.deepEqual(connection.hosted?.parseCallback(received(first)), { reference: REFERENCE, isGenuine: true })
    })

    const REFUSED: [fault: string, about: string][] = [
      ['webhooks_signed_wrongly', 'is signed with another secret'],
      ['webhooks_signed_long_ago', 'was signed ten minutes ago'],
    ]
    for (const [fault, about] of REFUSED) {
      rule(`that ${about} says nothing`, async () => {
        const { connection, callbacks } = await paidWith(fault)
        assert.equal(connection.operator.parseCallback(received(callbacks[0] as WireCallback)), undefined)
      })
    }

    rule('that does not have our reference is answered, and the payment is polled', async () => {
      const { connection, callbacks } = await paidWith('webhooks_without_merchant_reference')
      const read = connection.operator.parseCallback(received(callbacks[0] as WireCallback))
      assert.deepEqual(read, { reference: null, isGenuine: true })
    })

    rule('is taken until it is 300 seconds old', async () => {
      const { connection, callbacks, clock } = await paidWith()
      const [first] = callbacks as [WireCallback]
      await clock.advance(299_000)
      assert.ok(connection.operator.parseCallback(received(first)))
      await clock.advance(2_000)
      assert.equal(connection.operator.parseCallback(received(first)), undefined)
    })

    rule('whose body was changed says nothing', async () => {
      const { connection, callbacks } = await paidWith()
      const [first] = callbacks as [WireCallback]
      const changed = { ...first, body: first.body.replace('1500', '9500') }
      assert.equal(connection.operator.parseCallback(received(changed)), undefined)
    })

    rule('is only a hint without the webhook’s secret', async () => {
      const { connection, callbacks } = await paidWith(undefined, { options: { webhookSecret: undefined } })
      assert.deepEqual(connection.operator.parseCallback(received(callbacks[0] as WireCallback)), {
        reference: REFERENCE,
        isGenuine: false,
      })
    })

    rule(
      'that is genuine and about nothing of ours is answered and left; without its signature it says nothing',
      () => {
        const { connection, network, clock } = openFedapay()
        const seconds = Math.floor(clock.now() / 1_000)
        const sign = (body: string): string =>
          `t=${seconds},s=${createHmac('sha256', network.credentials.webhookSecret ?? '')
            .update(`${seconds}.${body}`)
            .digest('hex')}`
        const bodies = [
          '',
          'null',
          '[]',
          '"x"',
          '{',
          '{"entity":null}',
          '{"entity":"{"}',
          '{"entity":{"merchant_reference":7}}',
        ]
        for (const body of [
          ...bodies,
          '{"entity":{"merchant_reference":"not-ours"}}',
          '{"name":"customer.created","entity":{"id":1}}',
        ]) {
          const headers = { 'x-fedapay-signature': sign(body) }
          const read = connection.operator.parseCallback(received({ headers, body }))
          assert.deepEqual(read, { reference: null, isGenuine: true }, body)
        }
        const body = JSON.stringify({ entity: { merchant_reference: REFERENCE } })
        for (const signature of [
          '',
          't=',
          's=',
          't=x,s=y',
          `t=${seconds}`,
          `s=${'0'.repeat(64)}`,
          `t=${seconds},s=zz`,
          ',,=,',
        ]) {
          const headers = { 'x-fedapay-signature': signature }
          assert.equal(connection.operator.parseCallback(received({ headers, body })), undefined, signature)
        }
        assert.ok(connection.operator.parseCallback(received({ headers: { 'x-fedapay-signature': sign(body) }, body })))
      },
    )

    rule('with the transaction as text is read too', () => {
      const { connection, network, clock } = openFedapay()
      const seconds = Math.floor(clock.now() / 1_000)
      const body = JSON.stringify({ entity: JSON.stringify({ merchant_reference: REFERENCE }) })
      const secret = network.credentials.webhookSecret ?? ''
      const hex = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
      const headers = { 'x-fedapay-signature': `t=${seconds},s=${hex}` }
      assert.ok(connection.operator.parseCallback(received({ headers, body })))
    })
  })

  about('the webhooks of the simulator', () => {
    rule('are sent again ten times in all, each signed anew, and switched off after the tenth error', async () => {
      const { callbacks, clock, connection, run } = await paidWith(undefined, { answerCallback: () => 500 })
      await clock.advance(20 * 60_000)
      assert.equal(callbacks.length, 10)
      assert.equal(new Set(callbacks.map(({ headers }) => headers['x-fedapay-signature'])).size, 10)
      await run(connection.operator.request(collection({ reference: REFERENCE.replace('0', '9') })))
      await clock.advance(DECIDE_AFTER_MS)
      assert.equal(callbacks.length, 10)
    })

    rule('end when the network is reset: nobody is told of what it has forgotten', async () => {
      const { callbacks, clock, connection, network, run } = openFedapay()
      network.faults.on('pending_webhooks_repeated')
      await run(connection.operator.request(collection({ msisdn: '2290166000004' })))
      await clock.advance(60_000)
      const before = callbacks.length
      network.reset()
      assert.deepEqual(network.books(), [])
      await clock.advance(25 * 3_600_000)
      assert.deepEqual([before, callbacks.length], [3, 3])
    })

    rule('stop with the first answer that is a success', async () => {
      let left = 3
      const { callbacks, clock } = await paidWith(undefined, { answerCallback: () => (--left > 0 ? undefined : 204) })
      await clock.advance(20 * 60_000)
      assert.equal(callbacks.length, 3)
    })

    rule('tell of each move that was wanted, and of no other', async () => {
      const all = openFedapay({ simulator: { webhookEvents: [] } })
      await all.run(all.connection.operator.request(collection()))
      await all.clock.advance(80 * 3_600_000)
      const names = all.callbacks.map(({ body }) => JSON.parse(body).name)
      assert.deepEqual(names, ['transaction.created', 'transaction.approved', 'transaction.transferred'])
    })
  })
})

describe('fedapay: hosted page', () => {
  const tokenOf = (url: string | undefined): string => new URL(url ?? '').pathname

  about('the hosted page', () => {
    rule('is opened for a transaction that knows where the payer comes back to', async () => {
      const { hosted, connection, calls, network, run } = openFedapay()
      const url = await run(hosted.open(session()))
      assert.match(url ?? '', /^https:\/\/process\.fedapay\.test\/process\/ey/)
      assert.deepEqual(JSON.parse(calls[0]?.body ?? ''), {
        description: 'Boutique Awa: Commande 12',
        amount: 2_500,
        currency: { iso: 'XOF' },
        merchant_reference: REFERENCE,
        callback_url: 'https://karba.test/pay/abc',
      })
      for (const { status } of [hosted, connection.operator]) {
        assert.deepEqual(await run(status(REFERENCE)), { is: 'accepted' })
      }
      assert.deepEqual(
        await run(hosted.request({ ...session(), operator: 'bank_card', msisdn: '', networkId: null })),
        {
          is: 'accepted',
        },
      )
      assert.equal(network.books()[0]?.debits, 0)
    })

    rule('has an address that a Location header can carry, or none', () => {
      const urlOf = (url: unknown): string | undefined => readToken({ token: 'ey', url })?.url
      assert.equal(
        urlOf('https://p.example/a\r\nSet-Cookie: x\0é€'),
        'https://p.example/aSet-Cookie:%20x%00%C3%A9%E2%82%AC',
      )
      for (const none of ['javascript:alert(1)', 'data:text/html,x', '//p.example', '/p', 'https://', '', 1, null]) {
        assert.equal(urlOf(none), undefined)
      }
    })

    rule('that is opened twice is the same page', async () => {
      const { hosted, network, run } = openFedapay()
      const first = await run(hosted.open(session()))
      assert.equal(await run(hosted.open(session())), first)
      assert.equal(network.books().length, 1)
    })

    rule('shows what is to be paid, takes the payer’s decision, and sends the browser back', async () => {
      const { hosted, network, run } = openFedapay()
      const path = tokenOf(await run(hosted.open(session())))
      const query = new URLSearchParams()
      const page = network.handle({ method: 'GET', path, query, headers: {}, body: '' })
      assert.match('body' in page ? String(page.body) : '', /Boutique Awa: Commande 12.*2500 F CFA/s)
      const back = network.handle({ method: 'POST', path, query, headers: {}, body: 'decision=approve' })
      const id = network.books()[0]?.id ?? ''
      assert.deepEqual(back, {
        code: 303,
        headers: { location: `https://karba.test/pay/abc?id=${id}&status=approved` },
      })
      assert.equal((await run(hosted.status(REFERENCE))).is, 'succeeded')
      assert.equal(network.books()[0]?.debits, 1)
    })

    rule('can be paid after a card was refused there, and is under way until then', async () => {
      const { hosted, connection, network, run } = openFedapay()
      await run(hosted.open(session()))
      const id = network.books()[0]?.id ?? ''
      assert.ok(network.decide(id, 'decline'))
      for (const { status } of [hosted, connection.operator]) {
        assert.deepEqual(await run(status(REFERENCE)), { is: 'accepted', code: 'declined' })
      }
      assert.ok(network.decide(id, 'approve'))
      assert.equal((await run(hosted.status(REFERENCE))).is, 'succeeded')
      assert.equal(network.decide(id, 'approve'), false)
    })

    for (const fault of ['unavailable', 'key_refused', 'create_cut', 'token_cut']) {
      rule(`has no address when FedaPay gives none (${fault})`, async () => {
        const { hosted, network, run } = openFedapay()
        network.faults.on(fault, 1)
        if (fault === 'unavailable' || fault === 'key_refused') network.faults.on(fault)
        assert.equal(await run(hosted.open(session())), undefined)
      })
    }

    rule('has no address when FedaPay’s is none', async () => {
      for (const url of ['javascript:alert(1)', 'not an address', 7]) {
        const body = { token: 't', url }
        const { hosted, run } = openFedapay({
          instead: ({ path }) => (path.endsWith('/token') ? { code: 200, headers: {}, body } : undefined),
        })
        assert.equal(await run(hosted.open(session())), undefined)
      }
    })
  })

  about('a page whose payer gives up', () => {
    rule('is deleted when nobody tried to pay there, and can no longer be paid', async () => {
      const { hosted, network, run } = openFedapay()
      const path = tokenOf(await run(hosted.open(session())))
      const answer = await run(hosted.cancel(REFERENCE))
      assert.deepEqual(answer, { is: 'declined', reason: 'cancelled', mayChange: true, code: 'deleted' })
      const page = network.handle({ method: 'GET', path, query: new URLSearchParams(), headers: {}, body: '' })
      assert.equal('code' in page && page.code, 404)
      assert.equal(network.books()[0]?.status, 'deleted')
    })

    rule('is not deleted while somebody is trying to pay: what is under way is told', async () => {
      const { hosted, network, run } = openFedapay()
      await run(hosted.open(session()))
      network.decide(REFERENCE, 'ignore')
      assert.deepEqual(await run(hosted.cancel(REFERENCE)), { is: 'accepted' })
      assert.equal(network.books()[0]?.status, 'pending')
    })

    rule('is declined when no card was taken there', async () => {
      const { hosted, network, run } = openFedapay()
      await run(hosted.open(session()))
      network.decide(REFERENCE, 'decline')
      assert.partialDeepStrictEqual(await run(hosted.cancel(REFERENCE)), { is: 'declined', mayChange: true })
      assert.equal(network.books()[0]?.status, 'declined')
    })

    rule('is deleted although nobody heard so', async () => {
      const { hosted, network, run } = openFedapay({ lost: ({ method }) => method === 'DELETE' })
      await run(hosted.open(session()))
      assert.partialDeepStrictEqual(await run(hosted.cancel(REFERENCE)), { is: 'declined', code: 'deleted' })
      assert.equal(network.books()[0]?.status, 'deleted')
    })

    rule('that was paid meanwhile has succeeded', async () => {
      const { hosted, network, run } = openFedapay()
      await run(hosted.open(session()))
      network.decide(REFERENCE, 'approve')
      assert.equal((await run(hosted.cancel(REFERENCE))).is, 'succeeded')
    })

    rule('that was never opened is not known', async () => {
      const { hosted, run } = openFedapay()
      assert.deepEqual(await run(hosted.cancel(REFERENCE)), { is: 'not_known' })
    })

    rule('stays as it is when an option says so', async () => {
      const { hosted, network, run } = openFedapay({ options: { cancelByDelete: false } })
      await run(hosted.open(session()))
      assert.deepEqual(await run(hosted.cancel(REFERENCE)), { is: 'accepted' })
      assert.equal(network.books()[0]?.status, 'pending')
    })
  })
})

describe('fedapay: check of a connection', () => {
  async function checked(setting: FedapaySetting = {}, ...faults: string[]): Promise<CheckLine[]> {
    const { connection, network, run } = openFedapay({ environment: 'sandbox', ...setting })
    await run(connection.operator.request(collection()))
    for (const fault of faults) network.faults.on(fault)
    return run(connection.check())
  }

  const wrongOf = (lines: CheckLine[]): string[] =>
    lines.filter(({ is }) => is !== 'right').map(({ mend }) => mend ?? '')

  about('the check of a connection to FedaPay', () => {
    rule('finds nothing to mend where everything is right', async () => {
      const lines = await checked()
      assert.deepEqual(wrongOf(lines), [])
      assert.equal(lines.length, 8)
    })

    const WRONG: [about: string, setting: FedapaySetting, faults: string[], mend: RegExp][] = [
      ['a key that is refused', {}, ['key_refused'], /copy the secret key.*HTTP 401/],
      ['a gateway that blocks us', {}, ['gateway_page'], /HTTP 403 and no JSON/],
      ['an outage', {}, ['unavailable'], /could not be asked.*HTTP 503/],
      ['a key of the other environment', { environment: 'live' }, [], /begins with sk_live_/],
      ['a public key', { options: { secretKey: 'pk_sandbox_simulated-public-key' } }, [], /begins with sk_sandbox_/],
      [
        'look-ups by our reference that find nothing',
        {},
        ['no_route_by_reference'],
        /no route GET.*merchant.*followed by/,
      ],
      ['look-ups that find nothing at all', {}, ['not_found'], /lists a transaction that GET/],
      ['a clock that is off', {}, ['clock_behind'], /by 600 s/],
      ['another number for XOF', { options: { xofCurrencyId: 9 } }, [], /set xofCurrencyId to 1/],
      ['no public address', { callbackUrl: null }, [], /public https address/],
      ['a public address without https', { callbackUrl: 'http://karba.test/x' }, [], /public https address/],
      [
        'no webhook for it',
        { simulator: { webhookUrl: 'https://other.test' } },
        [],
        /create one for https:\/\/karba\.test/,
      ],
      ['no secret for the webhook', { options: { webhookSecret: undefined } }, [], /set webhookSecret/],
    ]
    for (const [about, setting, faults, mend] of WRONG) {
      rule(`says what to mend about ${about}`, async () => {
        assert.match(wrongOf(await checked(setting, ...faults)).join('\n'), mend)
      })
    }

    rule('cannot tell about look-ups before the account has a transaction, unless the route is missing', async () => {
      const fresh = openFedapay({ environment: 'sandbox' })
      const unsure = (await fresh.run(fresh.connection.check())).filter(({ is }) => is === 'not_known')
      assert.deepEqual(
        unsure.map(({ about }) => about),
        ['transactions are found by FedaPay’s id', 'transactions are found by our reference'],
      )
      const { connection, run } = openFedapay({
        environment: 'sandbox',
        instead: ({ path }) =>
          path.includes('/merchant/')
            ? { code: 404, headers: {}, body: { status: 404, error: 'Not Found' } }
            : undefined,
      })
      assert.match(wrongOf(await run(connection.check())).join(), /has no route GET/)
    })

    rule('says that FedaPay has switched the webhook off', async () => {
      const { connection, network, run } = openFedapay({ environment: 'sandbox' })
      const headers = { authorization: `Bearer ${network.credentials.secretKey}` }
      const body = '{"enabled":false}'
      network.handle({ method: 'PUT', path: '/v1/webhooks/1', query: new URLSearchParams(), headers, body })
      assert.match(wrongOf(await run(connection.check())).join(), /switched it off/)
    })
  })
})

describe('fedapay: kept ids', () => {
  const MINUTE_MS = 60_000
  const MTN = { ...byPhone('66000001'), country: 'BJ' }

  for (const store of STORES) {
    describe(`fedapay: kept ids on ${store.name}`, () => {
      let service: ServiceOnNetwork
      let secretKey: string
      before(async () => {
        service = await openServiceOnNetwork(FEDAPAY_UNDER_TEST, store)
        secretKey = (await service.merchant()).accounts.sandbox.secretKey
      })
      after(() => service.remove())

      const idsIn = async (table: 'payments' | 'payment_attempts'): Promise<(string | null)[]> => {
        const newest = table === 'payments' ? 'number' : 'created_at'
        const sql = `select network_id as id from ${table} order by ${newest} desc limit 1`
        return (await service.db.rows<{ id: string | null }>(sql)).map(({ id }) => id)
      }
      const bookedId = (): string | undefined => service.network.books().at(-1)?.id
      const anomalies = () => service.db.rows('select kind from payment_anomalies')

      /** Minute by minute. */
      async function pass(minutes: number): Promise<void> {
        for (let left = minutes; left > 0; left--) {
          await service.clock.sleep(MINUTE_MS - 1_000)
          await service.clock.advance(1_000)
        }
      }

      async function without(fault: string | undefined, ...others: [name: string, times?: number][]): Promise<void> {
        service.network.reset()
        if (fault !== undefined) assert.ok(service.network.faults.on(fault))
        for (const [name, times] of others) assert.ok(service.network.faults.on(name, times))
      }

      rule('kept ids: a payment is followed, and its refund by hand is seen, by its id alone', async () => {
        await without('no_route_by_reference', ['prompt_cut', 1], ['webhooks_never_come'])
        const { body } = await post(service, secretKey, order({ msisdn: '66000001', country: 'BJ' }))
        await service.clock.advance(MINUTE_MS)
        const { status } = (await get(service, secretKey, body.reference as string)).body
        assert.deepEqual([status, await idsIn('payments')], ['succeeded', [bookedId()]])
        granted(await refundPayment(service, TESTER, { name: body.reference as string }))
        await service.clock.advance(5_000)
        const [refund] = await service.db.rows<{ why: string }>('select by_hand_why as why from refunds')
        assert.match(refund?.why ?? '', /in the FedaPay dashboard/)
      })

      rule('kept ids: an attempt on a link by phone is followed by its id alone', async () => {
        await without('no_route_by_reference', ['prompt_cut', 1], ['webhooks_never_come'])
        const link = await newLink(service, secretKey)
        await pay(service, link, MTN)
        await service.clock.advance(MINUTE_MS)
        assert.match(await stateOf(service, link), /^succeeded/)
        assert.deepEqual([await idsIn('payments'), await idsIn('payment_attempts')], [[bookedId()], [bookedId()]])
      })

      rule('kept ids: a hosted page is followed by its id, and a 404 of both routes does not end it', async () => {
        await without('not_found', ['webhooks_never_come'])
        const link = await newLink(service, secretKey, { shouldExpire: false })
        const { code, goTo } = await pay(service, link, onPage('bank_card'))
        assert.deepEqual([code, /^https:\/\/process\.fedapay\.test/.test(goTo)], [303, true])
        assert.deepEqual([await idsIn('payments'), await idsIn('payment_attempts')], [[bookedId()], [bookedId()]])
        await pass(20)
        assert.deepEqual(
          [await stateOf(service, link), await anomalies()],
          ['waiting:1', [{ kind: 'forgotten_by_operator' }]],
        )
        service.network.faults.off('not_found')
        service.network.faults.on('no_route_by_reference')
        assert.ok(service.network.decide(bookedId() ?? '', 'approve'))
        await pass(2)
        assert.match(await stateOf(service, link), /^succeeded/)
      })

      rule('kept ids: a page that its payer gave up is deleted, and nobody is asked to look for it', async () => {
        await service.db.change('delete from payment_anomalies', [])
        await without(undefined)
        const link = await newLink(service, secretKey, { shouldExpire: false })
        await pay(service, link, onPage('bank_card'))
        await send(service, `/pay/${link}/abandon`, {})
        assert.equal(await stateOf(service, link), 'open:1')
        await pass(60)
        assert.deepEqual([service.network.books().at(-1)?.status, await anomalies()], ['deleted', []])
        await pay(service, link, { ...MTN, attempt: '1' })
        await service.clock.advance(MINUTE_MS)
        assert.match(await stateOf(service, link), /^succeeded/)
      })
    })
  }
})
