// The rules specific to fedapay: every-network.test.ts has the shared ones.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe } from 'node:test'
import type { WireCallback } from '../../../simulators/src/network.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { goToOf } from '../../src/domain/methods/payer-step.ts'
import type { OperatorAnswer } from '../../src/domain/payments/operator-report.ts'
import type { FailureReason } from '../../src/domain/payments/payment-status.ts'
import type { CheckLine } from '../../src/operators/connector.ts'
import {
  LAST_ERRORS,
  readPageToken,
  STATUSES,
} from '../../src/operators/connectors/fedapay/translate.ts'
import type { CallResult } from '../../src/operators/http-call.ts'
import type { Collection } from '../../src/operators/operator.ts'
import { column, granted, TESTER } from '../kit/callers.ts'
import { get, post } from '../kit/service.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import { byPhone, newLink, onPage, pay, send, stateOf } from '../links/payer.ts'
import { accepted, declined, NOT_KNOWN, unknown, withBlamedKind } from './expected-answers.ts'
import {
  callbackUrlOf,
  DEADLINE_MS,
  DECIDE_AFTER_MS,
  openConnection,
  openServiceOnNetwork,
  orderOn,
  received,
  referenceOf,
  type Setting,
  sessionOf,
} from './harness.ts'
import { FEDAPAY, rulesOf } from './networks.ts'

const { rule, about } = rulesOf('fedapay')
/** In live, unless a test says otherwise: modes and numbers differ in FedaPay's sandbox. */
const open = (setting: Setting = {}) => openConnection(FEDAPAY, { environment: 'live', ...setting })
const REFERENCE = referenceOf(1)
const NOT_ASKED = { is: 'not_known', notAsked: true }
const answered = (code: number, body: unknown): CallResult => ({ code, headers: {}, body })

describe('fedapay: prompts', () => {
  const pathsOf = (calls: { method: string; path: string }[]): string[] =>
    calls.map(
      ({ method, path }) =>
        `${method} ${path.replace(REFERENCE, '{reference}').replace(/\d{9}/, '{id}')}`,
    )
  const CREATE = 'POST /v1/transactions'
  const BY_ID = 'GET /v1/transactions/{id}?include=currency'
  const BY_REFERENCE = 'GET /v1/transactions/merchant/{reference}?include=currency'

  about('a prompt through FedaPay', () => {
    rule(
      'is a transaction, a token and a prompt, in whole francs and with our reference and name',
      async () => {
        const { request, clock, status, calls } = open()
        assert.deepEqual(await request(), accepted())
        assert.deepEqual(pathsOf(calls), [
          CREATE,
          'POST /v1/transactions/{id}/token',
          'POST /v1/mtn_open',
        ])
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
        await clock.advance(DECIDE_AFTER_MS)
        const answer = await status()
        assert.match(answer.is === 'succeeded' ? answer.operatorReference : '', /^trx_/)
      },
    )

    rule('names the customer’s email address where the option has one', async () => {
      const { request, hosted, run, calls } = open({
        options: { customerEmail: 'awa@boutique.test' },
      })
      await request()
      await run(hosted.open(sessionOf(2)))
      const created = calls.filter(({ path }) => path === '/v1/transactions')
      assert.equal(created.length, 2)
      for (const { body } of created)
        assert.equal(JSON.parse(body ?? '').customer.email, 'awa@boutique.test')
    })

    rule('is sent only once its id is stored, and is then read by that id', async () => {
      const { request, status, network, calls } = open()
      const kept: string[] = []
      const keepNetworkId = async (networkId: string): Promise<boolean> => {
        kept.push(`${networkId} after ${calls.length} calls`)
        return kept.length > 1
      }
      assert.partialDeepStrictEqual(await request({ keepNetworkId }), {
        is: 'unknown',
        neverLeft: true,
      })
      assert.equal(calls.length, 2)
      assert.deepEqual(await request({ keepNetworkId }), accepted())
      const id = network.books()[0]?.id ?? ''
      // Creation, token; creation refused, look-up, token: each time before the prompt.
      assert.deepEqual(kept, [`${id} after 2 calls`, `${id} after 5 calls`])
      assert.deepEqual(await status(1, id), accepted())
      assert.deepEqual(pathsOf(calls.slice(-1)), [BY_ID])
      // An id that finds nothing: the route by our reference is the fallback, and a missing route
      // hides nothing.
      assert.deepEqual(await status(1, '999999999'), accepted())
      assert.deepEqual(pathsOf(calls.slice(-2)), [BY_ID, BY_REFERENCE])
      network.faults.on('no_route_by_reference')
      assert.deepEqual([await status(1, id), await status()], [accepted(), NOT_KNOWN])
    })

    rule(
      'whose creation is refused as a duplicate that look-ups miss was not sent, and is made later',
      async () => {
        const { request, clock, network } = open({
          faults: ['not_found_for_a_while', 'create_cut*1'],
        })
        await request()
        assert.partialDeepStrictEqual(await request(), { is: 'unknown', neverLeft: true })
        await clock.advance(40_000)
        assert.deepEqual([await request(), network.books().length], [accepted(), 1])
      },
    )

    for (const [operator, msisdn, mode] of [
      ['mtn_bj', '2290166000001', 'mtn_open'],
      ['moov_bj', '2290164000001', 'moov'],
      ['celtiis_bj', '2290140000001', 'sbin'],
      ['airtel_ne', '22796000001', 'airtel_ne'],
    ] as const) {
      rule(`goes to ${mode} for ${operator}, and to momo_test in sandbox`, async () => {
        const sent = async (environment: 'live' | 'sandbox') => {
          const { request, calls } = open({ environment })
          await request({ operator, msisdn })
          return [calls[2]?.path, JSON.parse(calls[2]?.body ?? '').phone_number.number]
        }
        assert.deepEqual(await sent('live'), [`/v1/${mode}`, `+${msisdn}`])
        assert.deepEqual(await sent('sandbox'), [
          '/v1/momo_test',
          `+${msisdn}`.replace('+22901', '+229'),
        ])
      })
    }

    rule(
      'uses the mode that an option names, and is not sent for an operator that FedaPay does not have',
      async () => {
        const { request, calls } = open({
          options: { modes: { mtn_bj: 'mtn' } },
          simulator: { modes: ['mtn'] },
        })
        assert.deepEqual([await request(), calls[2]?.path], [accepted(), '/v1/mtn'])
        const other = open()
        const answer = await other.request({ operator: 'zamani_ne' })
        assert.partialDeepStrictEqual(
          [answer, other.calls],
          [{ is: 'unknown', misconfigured: true }, []],
        )
      },
    )

    for (const [fault, about] of [
      ['create_cut', 'after the transaction was created'],
      ['create_silent', 'while its creation is not answered'],
      ['token_cut', 'before there is a token'],
    ] as const) {
      rule(
        `that is interrupted ${about} was not sent, is not known, and is made again with one debit`,
        async () => {
          const { request, status, clock, network } = open({ faults: [`${fault}*1`] })
          assert.partialDeepStrictEqual(await request(), { is: 'unknown', neverLeft: true })
          assert.deepEqual([await status(), await request()], [NOT_ASKED, accepted()])
          await clock.advance(DECIDE_AFTER_MS)
          assert.equal((await status()).is, 'succeeded')
          assert.deepEqual(column(network.books(), 'debits'), [1])
        },
      )
    }

    rule('that a process sent before it died is not sent again', async () => {
      const { request, clock, network, calls } = open()
      await request()
      calls.length = 0
      assert.deepEqual(await request(), accepted())
      assert.deepEqual(pathsOf(calls), [CREATE, BY_REFERENCE])
      await clock.advance(DECIDE_AFTER_MS)
      assert.equal((await request()).is, 'succeeded')
      assert.deepEqual([network.books()[0]?.debits, network.books()[0]?.requests], [1, 3])
    })

    rule('continues when FedaPay refuses the second creation with 400', async () => {
      const { request } = open({ faults: ['refuses_with_400', 'token_cut*1'] })
      await request()
      assert.deepEqual(await request(), accepted())
    })

    rule('that was answered with 408 may have been sent: only a status call shows it', async () => {
      const { request, status, clock, network } = open({ faults: ['prompt_timeout_body*1'] })
      const answer = await request()
      assert.ok(answer.is === 'unknown' && answer.neverLeft === undefined)
      await clock.advance(DECIDE_AFTER_MS)
      assert.deepEqual([(await status()).is, network.books()[0]?.debits], ['succeeded', 1])
    })

    rule(
      'counts as in progress without a mode, when an option says that the mode proves nothing',
      async () => {
        const { request, status } = open({
          options: { modeTellsPrompt: false },
          faults: ['token_cut*1'],
        })
        await request()
        assert.deepEqual([await status(), await request()], [accepted(), accepted()])
      },
    )

    rule('ends within its deadline, and is not sent when too little time is left', async () => {
      const slow = open({ faults: ['slow_prompts'] })
      const began = slow.clock.now()
      assert.equal((await slow.request()).is, 'unknown')
      assert.ok(slow.clock.now() - began <= DEADLINE_MS + 1_000)
      const late = open({ faults: ['slow_tokens'] })
      assert.partialDeepStrictEqual(await late.request(), { is: 'unknown', neverLeft: true })
      assert.deepEqual([late.calls.length, late.network.books()[0]?.msisdn], [2, ''])
    })

    rule('is not sent while FedaPay answers its creation with another amount', async () => {
      let isWrong = true
      const { request, hosted, run, network, calls } = open({
        hears: (call, result) => {
          if (!isWrong || call.path !== '/v1/transactions' || !('code' in result)) return result
          const { 'v1/transaction': made } = result.body as Record<string, object>
          return { ...result, body: { 'v1/transaction': { ...made, amount: 7 } } }
        },
      })
      const why = 'FedaPay has another amount under this reference'
      assert.deepEqual(await request(), { is: 'unknown', why, neverLeft: true })
      assert.deepEqual([calls.length, network.books()[0]?.msisdn], [1, ''])
      assert.equal(await run(hosted.open(sessionOf(2))), undefined)
      isWrong = false
      assert.deepEqual(await request(), accepted())
    })

    rule('for another amount under the same reference is not an answer', async () => {
      const { request } = open()
      await request()
      assert.equal((await request({ amountXof: 900 })).is, 'unknown')
    })
  })

  about('a prompt that FedaPay refuses', () => {
    rule('with a long text is recorded with 60 characters of it', async () => {
      const body = { message: 'm m '.repeat(400), errors: { description: [] } }
      const { request } = open({
        instead: ({ method }) => (method === 'POST' ? answered(422, body) : undefined),
      })
      const answer = await request()
      assert.ok(answer.is === 'declined' && answer.code?.length === 60)
    })

    rule('because the payer already has a prompt is in progress', async () => {
      let hidesMode = true
      const fedapay = open({
        faults: ['prompt_refused_when_repeated'],
        instead: ({ path, method }) => {
          if (method !== 'GET' || !path.startsWith('/v1/transactions/merchant') || !hidesMode)
            return undefined
          hidesMode = false
          const id = Number(fedapay.network.books()[0]?.id)
          const transaction = {
            merchant_reference: REFERENCE,
            amount: 1_500,
            status: 'pending',
            mode: null,
          }
          return answered(200, {
            'v1/transaction': { id, ...transaction, custom_metadata: { karba: 'prompt' } },
          })
        },
      })
      await fedapay.request()
      assert.deepEqual(await fedapay.request(), accepted())
      assert.equal(fedapay.network.books()[0]?.requests, 2)
    })

    const CREATION = 'La création de la transaction a échoué'
    const NOT_ACTIVATED = declined('operator_error', 'Opération non autorisée', 'form')
    const REFUSED: [
      about: string,
      faults: string[],
      changes: Partial<Collection>,
      answer: object,
      booked: number,
    ][] = [
      [
        'a number that cannot be',
        [],
        { msisdn: '22912' },
        declined('payer_not_found', CREATION),
        0,
      ],
      ['an amount of nothing', [], { amountXof: 0 }, declined('amount_not_allowed', CREATION), 0],
      [
        'no description',
        [],
        { publicReference: ' ' },
        declined('operator_error', CREATION, 'form'),
        0,
      ],
      ['an operator that is not activated', ['mode_not_activated'], {}, NOT_ACTIVATED, 1],
    ]
    for (const [about, faults, changes, answer, booked] of REFUSED) {
      rule(`for ${about} is declined`, async () => {
        const { request, network } = open({ faults })
        assert.deepEqual(withBlamedKind(await request(changes)), answer)
        assert.equal(network.books().length, booked)
      })
    }

    for (const [fault, misconfigured] of [
      ['key_refused', true],
      ['gateway_page', true],
      ['too_many_requests', undefined],
      ['unavailable', undefined],
    ] as const) {
      rule(
        `by ${fault} was not sent${misconfigured ? ', and the connection is misconfigured' : ''}`,
        async () => {
          const answer = await open({ faults: [fault] }).request()
          assert.ok(answer.is === 'unknown')
          assert.deepEqual([answer.neverLeft, answer.misconfigured], [true, misconfigured])
        },
      )
    }
  })
})

describe('fedapay: statuses', () => {
  type Fields = Record<string, unknown>
  const reported = (fields: Fields): CallResult =>
    answered(200, {
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
    })
  const answerTo = (result: CallResult, options = {}): Promise<OperatorAnswer> =>
    open({ options, instead: () => result }).status()
  const paid = { amountXof: 1_500, operatorReference: 'trx_abc_1' }

  const NOT_UNDERSTOOD = unknown('approved, with an amount that is not understood')
  const mayChange = (reason: FailureReason, code: string) => ({
    ...declined(reason, code),
    mayChange: true,
  })
  const paidAs = (changes: object = {}) => ({ is: 'succeeded', ...paid, ...changes })

  const contradicts = (reported: string) => ({ is: 'contradicts', reported })
  const NO_FUNDS = 'INSUFFICIENT_FUND_ERROR'

  /** The status, and other fields that differ from those of an ordinary transaction. */
  const ROWS: [status: string | undefined, fields: Fields, answer: { is: string }][] = [
    ['pending', {}, accepted()],
    ['approved', {}, paidAs()],
    ['transferred', {}, paidAs()],
    ['approved_partially_refunded', {}, paidAs()],
    ['transferred_partially_refunded', {}, paidAs()],
    ['refunded', {}, paidAs({ is: 'refunded' })],
    ['declined', {}, mayChange('declined', 'declined')],
    ['canceled', {}, mayChange('cancelled', 'canceled')],
    ['expired', {}, declined('expired', 'expired')],
    ['canceled', { last_error_code: NO_FUNDS }, mayChange('insufficient_funds', NO_FUNDS)],
    ['declined', { last_error_code: 'API_ERROR' }, mayChange('operator_error', 'API_ERROR')],
    // A code that no document names, one that is an object, and a name that every object has.
    ['declined', { last_error_code: 'SOMETHING_ELSE' }, mayChange('declined', 'SOMETHING_ELSE')],
    ['declined', { last_error_code: { code: 'X' } }, mayChange('declined', 'declined')],
    ['declined', { last_error_code: 'constructor' }, mayChange('declined', 'constructor')],
    ['pending', { last_error_code: 'API_ERROR' }, accepted('API_ERROR')],
    // No payer was prompted.
    ['pending', { mode: null, last_error_code: 'NO_ERROR' }, NOT_ASKED],
    // On a page, and with a payment method.
    ['pending', { mode: null, custom_metadata: null }, accepted()],
    ['pending', { mode: null, payment_method_id: 9 }, accepted()],
    ['approved', { reference: null }, paidAs({ operatorReference: '113000001' })],
    ['approved', { amount: '1,500.00' }, paidAs()],
    ['approved', { amount: 1_495 }, paidAs({ amountXof: 1_495 })],
    ['approved', { amount: '1500.5' }, NOT_UNDERSTOOD],
    ['approved', { amount: null }, NOT_UNDERSTOOD],
    ['approved', { currency: { iso: 'GNF' } }, contradicts('approved in GNF')],
    ['approved', { currency_id: 3 }, contradicts('approved in the currency 3')],
    ['settling', {}, unknown('a status that is not known: settling')],
    [undefined, {}, unknown('a status that is not known: undefined')],
    ['approved', { merchant_reference: 'x' }, unknown('the answer is about another payment')],
  ]

  about('a transaction that FedaPay reports as', () => {
    for (const [status, fields, answer] of ROWS) {
      rule(`${status} ${JSON.stringify(fields)} is ${answer.is}`, async () =>
        assert.deepEqual(await answerTo(reported({ status, ...fields })), answer),
      )
    }

    rule('every status and error of the tables has a row in this test', () => {
      const tested = new Set<unknown>(
        ROWS.flatMap(([status, { last_error_code: code }]) => [status, code]),
      )
      for (const word of [...Object.keys(STATUSES), ...Object.keys(LAST_ERRORS)])
        assert.ok(tested.has(word), word)
    })
  })

  for (const [about, result, expected] of [
    ['404 with a message', answered(404, { message: 'Transaction introuvable' }), NOT_KNOWN],
    ['404 of a web server', answered(404, { status: 404, error: 'Not Found' }), { is: 'unknown' }],
    ['404 with a page', answered(404, '<html>'), { is: 'unknown', misconfigured: true }],
    ['401', answered(401, { message: 'x' }), { is: 'unknown', misconfigured: true }],
    ['403 with a page', answered(403, '<html>'), { is: 'unknown', misconfigured: true }],
    ['500', answered(500, ''), { is: 'unknown' }],
    ['429', answered(429, { message: 'x' }), { is: 'unknown' }],
    ['200 with a page', answered(200, '<html>'), { is: 'unknown', misconfigured: true }],
    ['200 with a list', answered(200, []), { is: 'unknown' }],
    [
      'a broken connection',
      { failed: 'no answer: RESET' },
      { is: 'unknown', why: 'no answer: RESET' },
    ],
  ] as [string, CallResult, Partial<OperatorAnswer>][]) {
    rule(`a status call that is answered with ${about} is ${expected.is}`, async () =>
      assert.partialDeepStrictEqual(await answerTo(result), expected),
    )
  }

  const DAY_MS = 86_400_000
  for (const [number, waitMs, expected] of [
    ['02', DECIDE_AFTER_MS, { is: 'declined', reason: 'declined', mayChange: true }],
    ['03', DECIDE_AFTER_MS, { is: 'declined', reason: 'insufficient_funds' }],
    ['04', DECIDE_AFTER_MS, { is: 'accepted' }],
    ['04', DAY_MS, { is: 'declined', reason: 'expired' }],
    ['05', DECIDE_AFTER_MS + 600_000, { is: 'succeeded' }],
    ['06', DECIDE_AFTER_MS, { is: 'accepted', code: 'API_ERROR' }],
    ['07', DECIDE_AFTER_MS, { is: 'refunded' }],
    ['08', DECIDE_AFTER_MS, { is: 'succeeded' }],
    ['09', DECIDE_AFTER_MS, { is: 'declined', reason: 'cancelled' }],
    ['01', 4 * DAY_MS, { is: 'succeeded' }],
  ] as const) {
    rule(`the number 660000${number} after ${waitMs / 1_000} s is ${expected.is}`, async () => {
      const { request, status, clock } = open()
      await request({ msisdn: `22901660000${number}` })
      await clock.advance(waitMs)
      assert.partialDeepStrictEqual(await status(), expected)
    })
  }

  rule(
    'a status call includes the currency, and uses its number where the network omits it',
    async () => {
      const { status, calls } = open()
      await status()
      assert.match(calls[0]?.path ?? '', /\?include=currency$/)
      const approved = reported({ status: 'approved', currency_id: 4 })
      assert.equal((await answerTo(approved, { xofCurrencyId: 4 })).is, 'succeeded')
    },
  )

  rule(
    'a refund is left to staff with an instruction; one made in the dashboard has succeeded',
    async () => {
      const operatorReference = 'trx_abc_1'
      const { refund, refundStatus } = open()
      for (const ask of [refund, refundStatus]) {
        const answer = await ask({ operatorReference })
        assert.match(
          answer.is === 'by_hand' ? answer.why : '',
          /trx_abc_1 in the FedaPay dashboard/,
        )
      }
      const other = await refund({ operator: 'moov_bj' })
      assert.match(other.is === 'by_hand' ? other.why : '', /nothing but MTN/)
      const done = open({ instead: () => reported({ status: 'refunded' }) })
      assert.deepEqual(await done.refundStatus({ operatorReference }), { is: 'succeeded', ...paid })
    },
  )
})

describe('fedapay: webhooks', () => {
  const GENUINE = { reference: REFERENCE, isGenuine: true }
  const NO_REFERENCE = { reference: null, isGenuine: true }

  async function paidWith(setting: Setting = {}, msisdn = FEDAPAY.payer) {
    const opened = open(setting)
    await opened.request({ msisdn })
    await opened.clock.advance(DECIDE_AFTER_MS)
    const [first] = opened.callbacks as [WireCallback]
    const read = (changes = {}) => opened.operator.parseCallback(received({ ...first, ...changes }))
    return { ...opened, first, read }
  }

  rule(
    'a webhook is genuine and names our reference, until it is 300 seconds old or its body is changed',
    async () => {
      const { callbacks, first, read, hosted, clock } = await paidWith()
      assert.deepEqual([callbacks.length, JSON.parse(first.body).name], [1, 'transaction.approved'])
      assert.match(first.headers['x-fedapay-signature'] ?? '', /^t=\d+,s=[0-9a-f]{64}$/)
      assert.deepEqual([read(), hosted.parseCallback(received(first))], [GENUINE, GENUINE])
      assert.equal(read({ body: first.body.replace('1500', '9500') }), undefined)
      await clock.advance(299_000)
      assert.deepEqual(read(), GENUINE)
      await clock.advance(2_000)
      assert.equal(read(), undefined)
    },
  )

  for (const [about, setting, expected] of [
    ['signed with another secret is refused', { faults: ['webhooks_signed_wrongly'] }, undefined],
    ['signed ten minutes ago is refused', { faults: ['webhooks_signed_long_ago'] }, undefined],
    [
      'without our reference is answered',
      { faults: ['webhooks_without_merchant_reference'] },
      NO_REFERENCE,
    ],
    [
      'is only a hint without its secret',
      { options: { webhookSecret: undefined } },
      { ...GENUINE, isGenuine: false },
    ],
  ] as [string, Setting, object | undefined][]) {
    rule(`a webhook ${about}`, async () =>
      assert.deepEqual((await paidWith(setting)).read(), expected),
    )
  }

  rule(
    'a genuine webhook about nothing of ours is ignored; without its signature it is refused',
    () => {
      const { operator, network, clock } = open()
      const seconds = Math.floor(clock.now() / 1_000)
      const hmac = (text: string) =>
        createHmac('sha256', network.credentials.webhookSecret ?? '').update(text)
      const sign = (body: string): string =>
        `t=${seconds},s=${hmac(`${seconds}.${body}`).digest('hex')}`
      const read = (body: string, signature = sign(body)) => {
        const headers = { 'x-fedapay-signature': signature }
        return operator.parseCallback({
          method: 'POST',
          path: '',
          headers,
          body: Buffer.from(body),
        })
      }
      for (const body of [
        '',
        'null',
        '[]',
        '"x"',
        '{',
        '{"entity":null}',
        '{"entity":"{"}',
        '{"entity":{"merchant_reference":7}}',
        '{"entity":{"merchant_reference":"not-ours"}}',
        '{"name":"customer.created","entity":{"id":1}}',
      ])
        assert.deepEqual(read(body), NO_REFERENCE, body)
      const ours = { merchant_reference: REFERENCE }
      const body = JSON.stringify({ entity: ours })
      const zeros = `s=${'0'.repeat(64)}`
      for (const signature of [
        '',
        't=',
        's=',
        't=x,s=y',
        `t=${seconds}`,
        zeros,
        `t=${seconds},s=zz`,
        ',,=,',
      ])
        assert.equal(read(body, signature), undefined, signature)
      assert.deepEqual(read(body), GENUINE)
      assert.deepEqual(
        read(JSON.stringify({ entity: JSON.stringify(ours) })),
        GENUINE,
        'the transaction as text',
      )
    },
  )

  rule(
    'the simulator sends a webhook ten times, each newly signed, and disables it after the last',
    async () => {
      const { callbacks, clock, request } = await paidWith({ answerCallback: () => 500 })
      await clock.advance(20 * 60_000)
      assert.equal(new Set(callbacks.map(({ headers }) => headers['x-fedapay-signature'])).size, 10)
      await request({}, 9)
      await clock.advance(DECIDE_AFTER_MS)
      assert.equal(callbacks.length, 10)
    },
  )

  rule('the simulator sends no webhook after a success, and none after a reset', async () => {
    let left = 3
    const { callbacks, clock } = await paidWith({
      answerCallback: () => (--left > 0 ? undefined : 204),
    })
    await clock.advance(20 * 60_000)
    assert.equal(callbacks.length, 3)
    const reset = await paidWith({ faults: ['pending_webhooks_repeated'] }, '2290166000004')
    await reset.clock.advance(60_000 - DECIDE_AFTER_MS)
    const before = reset.callbacks.length
    reset.network.reset()
    assert.deepEqual(reset.network.books(), [])
    await reset.clock.advance(25 * 3_600_000)
    assert.deepEqual([before, reset.callbacks.length], [3, 3])
  })

  rule('the simulator sends only the subscribed events', async () => {
    const { callbacks, clock } = await paidWith({ simulator: { webhookEvents: [] } })
    await clock.advance(80 * 3_600_000)
    const names = callbacks.map(({ body }) => JSON.parse(body).name)
    assert.deepEqual(names, [
      'transaction.created',
      'transaction.approved',
      'transaction.transferred',
    ])
  })
})

describe('fedapay: hosted page', () => {
  async function opened(setting?: Setting) {
    const fedapay = open(setting)
    const url = goToOf(await fedapay.run(fedapay.hosted.open(sessionOf())))
    const path = url === undefined ? '' : new URL(url).pathname
    const ask = (method: string, body = '') =>
      fedapay.network.handle({ method, path, query: new URLSearchParams(), headers: {}, body })
    const cancel = () => fedapay.run(fedapay.hosted.cancel(REFERENCE))
    const booked = () => fedapay.network.books()[0]
    return { ...fedapay, url, ask, cancel, booked }
  }

  about('the hosted page', () => {
    rule('is opened once for a transaction with the payer’s return address', async () => {
      const { url, hosted, operator, calls, network, run } = await opened()
      assert.match(url ?? '', /^https:\/\/process\.fedapay\.test\/process\/ey/)
      assert.deepEqual(JSON.parse(calls[0]?.body ?? ''), {
        description: 'Boutique Awa: Commande 12',
        amount: 2_500,
        currency: { iso: 'XOF' },
        merchant_reference: REFERENCE,
        callback_url: 'https://karba.test/pay/abc',
      })
      for (const { status } of [hosted, operator])
        assert.deepEqual(await run(status(REFERENCE)), accepted())
      const attempt = { ...sessionOf(), operator: 'bank_card', msisdn: '', networkId: null }
      assert.deepEqual(await run(hosted.request(attempt)), accepted())
      assert.deepEqual(await run(hosted.open(sessionOf())), { goTo: url })
      assert.deepEqual([network.books().length, network.books()[0]?.debits], [1, 0])
    })

    rule('has an address that a Location header can carry, or none', async () => {
      const urlOf = (url: unknown): string | undefined => readPageToken({ token: 'ey', url })?.url
      const written = 'https://p.example/a\r\nSet-Cookie: x\0é€'
      assert.equal(urlOf(written), 'https://p.example/aSet-Cookie:%20x%00%C3%A9%E2%82%AC')
      for (const none of [
        'javascript:alert(1)',
        'data:text/html,x',
        '//p.example',
        '/p',
        'https://',
        '',
        1,
        null,
      ])
        assert.equal(urlOf(none), undefined)
      const token = answered(200, { token: 't', url: 'not an address' })
      const { url } = await opened({
        instead: ({ path }) => (path.endsWith('/token') ? token : undefined),
      })
      assert.equal(url, undefined)
    })

    rule(
      'shows the order, takes the payer’s decision, and redirects the browser back',
      async () => {
        const { ask, status, booked } = await opened()
        const page = ask('GET')
        assert.match(
          'body' in page ? String(page.body) : '',
          /Boutique Awa: Commande 12.*2500 F CFA/s,
        )
        const location = `https://karba.test/pay/abc?id=${booked()?.id}&status=approved`
        assert.deepEqual(ask('POST', 'decision=approve'), { code: 303, headers: { location } })
        assert.deepEqual([(await status()).is, booked()?.debits], ['succeeded', 1])
      },
    )

    rule('can be paid after a refused card, and is in progress until then', async () => {
      const { hosted, operator, network, run } = await opened()
      assert.ok(network.decide(REFERENCE, 'decline'))
      for (const { status } of [hosted, operator])
        assert.deepEqual(await run(status(REFERENCE)), accepted('declined'))
      assert.ok(network.decide(REFERENCE, 'approve'))
      assert.equal((await run(hosted.status(REFERENCE))).is, 'succeeded')
      assert.equal(network.decide(REFERENCE, 'approve'), false)
    })

    for (const fault of ['unavailable', 'key_refused', 'create_cut*1', 'token_cut*1']) {
      rule(`has no address when FedaPay gives none (${fault})`, async () =>
        assert.equal((await opened({ faults: [fault] })).url, undefined),
      )
    }
  })

  about('a page whose payer gives up', () => {
    rule('is deleted when the payer had not tried to pay, and can no longer be paid', async () => {
      const { cancel, ask, booked } = await opened()
      assert.deepEqual(await cancel(), { ...declined('cancelled', 'deleted'), mayChange: true })
      const page = ask('GET')
      assert.deepEqual(['code' in page && page.code, booked()?.status], [404, 'deleted'])
    })

    for (const [about, setting, decision, answer, status] of [
      ['is kept while a payer is trying to pay', {}, 'ignore', accepted(), 'pending'],
      [
        'is declined when every card was refused there',
        {},
        'decline',
        { is: 'declined', mayChange: true },
        'declined',
      ],
      ['has succeeded when it was paid meanwhile', {}, 'approve', { is: 'succeeded' }, 'approved'],
      [
        'is kept when an option says so',
        { options: { cancelByDelete: false } },
        undefined,
        accepted(),
        'pending',
      ],
    ] as const) {
      rule(about, async () => {
        const { cancel, network, booked } = await opened(setting)
        if (decision !== undefined) network.decide(REFERENCE, decision)
        assert.partialDeepStrictEqual(await cancel(), answer)
        assert.equal(booked()?.status, status)
      })
    }

    rule('is deleted although the answer is lost', async () => {
      const fedapay = await opened({
        instead: (call) => {
          if (call.method !== 'DELETE') return undefined
          fedapay.network.handle({ ...call, query: new URLSearchParams(), body: '' })
          return { failed: 'no answer' }
        },
      })
      assert.partialDeepStrictEqual(await fedapay.cancel(), { is: 'declined', code: 'deleted' })
      assert.equal(fedapay.booked()?.status, 'deleted')
    })

    rule('that was never opened is not known', async () => {
      const { hosted, run } = open()
      assert.deepEqual(await run(hosted.cancel(REFERENCE)), NOT_KNOWN)
    })
  })
})

describe('fedapay: check of a connection', () => {
  async function checked(setting: Setting = {}): Promise<CheckLine[]> {
    const { request, network, check, on, run } = open({
      environment: 'sandbox',
      ...setting,
      faults: [],
    })
    await request()
    network.faults.allOff()
    on(...(setting.faults ?? []))
    return run(check())
  }
  const remediesOf = (lines: CheckLine[]): string =>
    lines.flatMap(({ is, remedy = '' }) => (is === 'right' ? [] : [remedy])).join('\n')

  rule('finds nothing to correct where everything is right', async () => {
    const lines = await checked()
    assert.deepEqual([remediesOf(lines), lines.length], ['', 8])
  })

  const ROUTE = /no route GET.*merchant.*followed by/
  for (const [about, setting, remedy] of [
    ['a refused key', { faults: ['key_refused'] }, /copy the secret key.*HTTP 401/],
    ['a gateway that blocks us', { faults: ['gateway_page'] }, /HTTP 403 and no JSON/],
    ['an outage', { faults: ['unavailable'] }, /could not be asked.*HTTP 503/],
    ['a key of the other environment', { environment: 'live' }, /begins with sk_live_/],
    [
      'a public key',
      { options: { secretKey: 'pk_sandbox_simulated-public-key' } },
      /begins with sk_sandbox_/,
    ],
    ['look-ups by our reference that find nothing', { faults: ['no_route_by_reference'] }, ROUTE],
    [
      'look-ups that find nothing at all',
      { faults: ['not_found'] },
      /lists a transaction that GET/,
    ],
    ['a wrong clock', { faults: ['clock_behind'] }, /by 600 s/],
    ['another number for XOF', { options: { xofCurrencyId: 9 } }, /set xofCurrencyId to 1/],
    ['no public address', { callbackUrl: null }, /public https address/],
    [
      'a public address without https',
      { callbackUrl: 'http://karba.test/x' },
      /public https address/,
    ],
    [
      'no webhook for it',
      { simulator: { webhookUrl: 'https://other.test' } },
      /create one for https:\/\/karba\.e/,
    ],
    ['no secret for the webhook', { options: { webhookSecret: undefined } }, /set webhookSecret/],
  ] as [string, Setting, RegExp][]) {
    rule(`names a correction for ${about}`, async () =>
      assert.match(remediesOf(await checked(setting)), remedy),
    )
  }

  rule(
    'leaves look-ups open before the account has a transaction, unless the route is missing',
    async () => {
      const fresh = open({ environment: 'sandbox' })
      const unsure = (await fresh.run(fresh.check())).filter(({ is }) => is === 'not_known')
      assert.deepEqual(column(unsure, 'about'), [
        'transactions are found by FedaPay’s id',
        'transactions are found by our reference',
      ])
      const missing = answered(404, { status: 404, error: 'Not Found' })
      const { check, run } = open({
        instead: ({ path }) => (path.includes('/merchant/') ? missing : undefined),
      })
      assert.match(remediesOf(await run(check())), /has no route GET/)
    },
  )

  rule('reports that FedaPay has disabled the webhook', async () => {
    const disabled = answered(200, {
      'v1/webhooks': [{ url: callbackUrlOf(FEDAPAY), enabled: false }],
    })
    const { check, run } = open({
      instead: ({ path }) => (path === '/v1/webhooks' ? disabled : undefined),
    })
    assert.match(remediesOf(await run(check())), /switched it off/)
  })
})

describe('fedapay: kept ids', () => {
  const MINUTE_MS = 60_000
  const MTN = { ...byPhone('66000001'), country: 'BJ' }

  const service = sharedWithAccount(() => openServiceOnNetwork(FEDAPAY))

  /** The ids that the newest payment and its attempt keep. */
  const keptIds = async (): Promise<unknown[]> => {
    const newest = `select network_id as id from payments order by number desc limit 1`
    const attempt = `select network_id as id from payment_attempts order by created_at desc limit 1`
    return column(
      [...(await service.db.read<Kept>(newest)), ...(await service.db.read<Kept>(attempt))],
      'id',
    )
  }
  interface Kept {
    id: string | null
  }
  const bookedId = (): string | undefined => service.network.books().at(-1)?.id
  const anomalies = () => service.db.read('select kind from payment_anomalies')

  /** Minute by minute. */
  async function pass(minutes: number): Promise<void> {
    for (let left = minutes; left > 0; left--) {
      await service.clock.sleep(MINUTE_MS - 1_000)
      await service.clock.advance(1_000)
    }
  }

  async function without(
    fault: string | undefined,
    ...others: [name: string, times?: number][]
  ): Promise<void> {
    service.network.reset()
    if (fault !== undefined) assert.ok(service.network.faults.on(fault))
    for (const [name, times] of others) assert.ok(service.network.faults.on(name, times))
  }

  rule('kept ids: a payment and its manual refund are followed by the id alone', async () => {
    await without('no_route_by_reference', ['prompt_cut', 1], ['webhooks_never_come'])
    const name = (await post(service, service.secretKey, orderOn(FEDAPAY))).body.reference as string
    await service.clock.advance(MINUTE_MS)
    const { status } = (await get(service, service.secretKey, name)).body
    assert.deepEqual([status, await keptIds()], ['succeeded', [bookedId()]])
    granted(await refundPayment(service, TESTER, { name }))
    await service.clock.advance(5_000)
    const [refund] = await service.db.read<{ why: string }>(
      'select by_hand_why as why from refunds',
    )
    assert.match(refund?.why ?? '', /in the FedaPay dashboard/)
  })

  rule('kept ids: an attempt on a link by phone is followed by its id alone', async () => {
    await without('no_route_by_reference', ['prompt_cut', 1], ['webhooks_never_come'])
    const link = await newLink(service, service.secretKey)
    await pay(service, link, MTN)
    await service.clock.advance(MINUTE_MS)
    assert.match(await stateOf(service, link), /^succeeded/)
    assert.deepEqual(await keptIds(), [bookedId(), bookedId()])
  })

  rule(
    'kept ids: a hosted page is followed by its id, and a 404 of both routes does not end it',
    async () => {
      await without('not_found', ['webhooks_never_come'])
      const link = await newLink(service, service.secretKey, { shouldExpire: false })
      const { code, goTo } = await pay(service, link, onPage('bank_card'))
      assert.deepEqual([code, /^https:\/\/process\.fedapay\.test/.test(goTo)], [303, true])
      assert.deepEqual(await keptIds(), [bookedId(), bookedId()])
      await pass(20)
      assert.equal(await stateOf(service, link), 'waiting:1')
      assert.deepEqual(await anomalies(), [{ kind: 'forgotten_by_operator' }])
      service.network.faults.off('not_found')
      service.network.faults.on('no_route_by_reference')
      assert.ok(service.network.decide(bookedId() ?? '', 'approve'))
      await pass(2)
      assert.match(await stateOf(service, link), /^succeeded/)
    },
  )

  rule('kept ids: a page that its payer left is deleted, and not listed for staff', async () => {
    await service.db.change('delete from payment_anomalies')
    await without(undefined)
    const link = await newLink(service, service.secretKey, { shouldExpire: false })
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
