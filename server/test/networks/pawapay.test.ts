// The rules specific to pawapay: every-network.test.ts has the shared ones.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe } from 'node:test'
import type { WireCallback } from '../../../simulators/src/network.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { uuidOfReference } from '../../src/domain/payments/reference.ts'
import { EVERY_ACCOUNT } from '../../src/domain/people/caller.ts'
import type { CheckLine } from '../../src/operators/connector.ts'
import {
  DEPOSIT_FAILED,
  DEPOSIT_REFUSED,
  REFUND_FAILED,
  REFUND_REFUSED,
} from '../../src/operators/connectors/pawapay/translate.ts'
import type { CallResult } from '../../src/operators/http-call.ts'
import { listRefundsByHand } from '../../src/store/payments/refunds.ts'
import { column, granted, TESTER } from '../kit/callers.ts'
import { get, post } from '../kit/service.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import {
  accepted,
  declined,
  NOT_KNOWN,
  notSent,
  refusedUs,
  unknown,
  withBlamedKind,
} from './expected-answers.ts'
import {
  callbackUrlOf,
  DEADLINE_MS,
  DECIDE_AFTER_MS,
  type Opened,
  openConnection,
  openServiceOnNetwork,
  orderOn,
  reactionTo,
  received,
  referenceOf,
  refundReferenceOf,
  type Setting,
} from './harness.ts'
import { PAWAPAY, rulesOf } from './networks.ts'

const { rule, about } = rulesOf('pawapay')
const open = (setting?: Setting): Opened => openConnection(PAWAPAY, setting)
const REFERENCE = referenceOf(1)
const depositIdOf = (number: number): string => uuidOfReference(referenceOf(number))
const depositId = depositIdOf(1)
const refundId = uuidOfReference(refundReferenceOf(1))
const CALLBACK_URL = callbackUrlOf(PAWAPAY)
const answer = (code: number, body: unknown): CallResult => ({ code, headers: {}, body })
const found = (data: object): CallResult => answer(200, { status: 'FOUND', data })

/** A connection whose network answers as the test says, by method and path; `*` for any path. */
const scripted = (answers: Record<string, CallResult>): Opened =>
  open({
    options: { callbacks: 'unsigned' },
    callbackUrl: null,
    instead: ({ method, path }) =>
      answers[`${method} ${path.split('?')[0]}`] ??
      answers[`${method} *`] ?? { failed: 'no answer: not scripted' },
  })

describe('pawapay: deposits', () => {
  rule('a deposit is accepted, in progress, and then paid', async () => {
    const { request, status, clock, network } = open()
    assert.deepEqual(await request(), accepted())
    assert.deepEqual(await status(), accepted('ACCEPTED'))
    await clock.advance(DECIDE_AFTER_MS / 2)
    assert.deepEqual(await status(), accepted('PROCESSING'))
    await clock.advance(DECIDE_AFTER_MS)
    assert.deepEqual(await status(), {
      is: 'succeeded',
      amountXof: 1_500,
      operatorReference: '0000000000',
    })
    assert.equal(network.books()[0]?.msisdn, '2290151345789')
  })

  const OWN = { msisdnDigits: 8, providers: { mtn_bj: 'MOOV_BEN' }, userAgent: 'Shop/2' }
  for (const [about, options, operator, phoneNumber, userAgent] of [
    ['as the documents want it', {}, 'moov_bj', '2290151345789', 'Karba/1.0'],
    [
      'with the digits, the provider’s code and the User-Agent of the options',
      OWN,
      'mtn_bj',
      '22951345789',
      'Shop/2',
    ],
  ] as const) {
    rule(`a deposit is sent ${about}`, async () => {
      const { request, calls } = open({ options })
      assert.deepEqual(await request({ publicReference: '7K3M-PQ2X-4', operator }), accepted())
      const { path, headers, body } = calls.find(({ method }) => method === 'POST')!
      const { authorization, 'user-agent': agent } = headers
      assert.deepEqual(
        [path, authorization, agent],
        ['/v2/deposits', 'Bearer simulated-pawapay-token', userAgent],
      )
      assert.deepEqual(JSON.parse(body as string), {
        depositId,
        amount: '1500',
        currency: 'XOF',
        payer: { type: 'MMO', accountDetails: { phoneNumber, provider: 'MOOV_BEN' } },
        customerMessage: '7K3MPQ2X4',
        clientReferenceId: '7K3M-PQ2X-4',
      })
    })
  }

  rule(
    'a deposit whose duplicate is not found counts neither as refused nor as unsent',
    async () => {
      const { request, network, on } = open()
      await request()
      on('not_found_at_first')
      assert.deepEqual(await request(), unknown('said to be a duplicate, and then not found'))
      network.faults.allOff()
      on('status_unavailable')
      assert.deepEqual(await request(), unknown('a duplicate, but HTTP 503'))
    },
  )

  rule('a deposit for an operator that pawaPay does not reach is not sent', async () => {
    const { request, calls } = open()
    assert.deepEqual(
      await request({ operator: 'celtiis_bj' }),
      refusedUs('no provider is set for celtiis_bj'),
    )
    assert.ok(calls.every(({ method }) => method === 'GET'))
  })

  for (const [subscriber, expected] of [
    ['51345019', declined('limit_reached', 'PAYER_LIMIT_REACHED')],
    ['51345029', declined('payer_not_found', 'PAYER_NOT_FOUND')],
    ['51345039', declined('declined', 'PAYMENT_NOT_APPROVED')],
    ['51345049', declined('insufficient_funds', 'INSUFFICIENT_BALANCE')],
    ['51345069', declined('operator_error', 'UNSPECIFIED_FAILURE')],
    ['51345129', accepted('SUBMITTED')],
    ['51345139', accepted('IN_RECONCILIATION')],
    ['51345149', declined('operator_error', 'PAYMENT_IN_PROGRESS')],
    ['51345169', declined('limit_reached', 'WALLET_LIMIT_REACHED')],
    ['51345179', declined('operator_error', 'A_CODE_OF_NEXT_YEAR')],
    ['95345679', declined('operator_error', 'UNSPECIFIED_FAILURE')],
    ['95345639', accepted('SUBMITTED')],
  ] as const) {
    rule(
      `the test number 229 ${subscriber} ends as documented, with ten digits and with eight`,
      async () => {
        for (const msisdnDigits of [10, 8]) {
          const { paid } = open({ options: { msisdnDigits } })
          assert.deepEqual(await paid({ msisdn: `22901${subscriber}` }), expected)
        }
      },
    )
  }

  rule('a deposit in reconciliation ends after an hour', async () => {
    const { paid, status, clock } = open()
    await paid({ msisdn: '2290151345139' })
    await paid({ msisdn: '2290151345159' }, 2)
    await clock.advance(3_600_000)
    assert.equal((await status()).is, 'succeeded')
    assert.deepEqual(await status(2), declined('operator_error', 'UNSPECIFIED_FAILURE'))
  })

  const NO_FUNDS = declined('insufficient_funds', 'INSUFFICIENT_BALANCE')
  const paidOf = (amountXof: number) => ({
    is: 'succeeded',
    amountXof,
    operatorReference: '0000000000',
  })
  for (const [about, faults, changes, expected] of [
    ['with four decimals', ['amounts_with_four_decimals'], { amountXof: 37_600 }, paidOf(37_600)],
    ['as a number', ['amounts_as_numbers'], { amountXof: 37_600 }, paidOf(37_600)],
    ['with separators', ['amounts_with_separators'], { amountXof: 37_600 }, paidOf(37_600)],
    ['of another amount', ['another_amount'], { amountXof: 1_000 }, paidOf(1_100)],
    [
      'in another currency',
      ['another_currency'],
      {},
      { is: 'contradicts', reported: 'COMPLETED in XAF' },
    ],
    // FAILED is final, for any reason.
    [
      'without a reason',
      ['reason_missing'],
      { msisdn: '2290151345049' },
      declined('operator_error', 'FAILED'),
    ],
    ['with its reason as text', ['reason_as_text'], { msisdn: '2290151345049' }, NO_FUNDS],
  ] as const) {
    rule(`a deposit reported ${about} is ${expected.is}`, async () =>
      assert.deepEqual(await open({ faults }).paid(changes), expected),
    )
  }

  rule('a disallowed amount is declined', async () => {
    assert.deepEqual(
      await open().request({ amountXof: 99 }),
      declined('amount_not_allowed', 'AMOUNT_OUT_OF_BOUNDS'),
    )
  })
})

describe('pawapay: refunds', () => {
  const service = sharedWithAccount(() => openServiceOnNetwork(PAWAPAY))
  async function paid(msisdn = PAWAPAY.payer) {
    const opened = open()
    await opened.paid({ msisdn })
    return opened
  }
  /** A partial refund by another client. */
  const refundElsewhere = ({ network }: Opened): void => {
    const body = { refundId: depositIdOf(77), depositId, amount: '400', currency: 'XOF' }
    const headers = {
      authorization: 'Bearer simulated-pawapay-token',
      'content-type': 'application/json',
    }
    reactionTo(network, {
      method: 'POST',
      path: '/v2/refunds',
      headers,
      body: JSON.stringify(body),
    })
  }

  rule(
    'a refund is accepted, in progress, and then done; it is not known before it was sent',
    async () => {
      const { refund, refundStatus, clock, network, calls } = await paid()
      assert.deepEqual(await refundStatus(), NOT_KNOWN)
      assert.deepEqual(await refund(), accepted())
      const sent = { refundId, depositId, amount: '1500', currency: 'XOF' }
      assert.deepEqual(JSON.parse(calls.at(-1)?.body as string), sent)
      assert.deepEqual(await refundStatus(), accepted('ACCEPTED'))
      await clock.advance(DECIDE_AFTER_MS)
      assert.partialDeepStrictEqual(await refundStatus(), { is: 'succeeded', amountXof: 1_500 })
      assert.equal(network.books()[0]?.refunds, 1)
    },
  )

  rule('a refund that is sent twice is made once: the second answer is its state', async () => {
    const { refund, clock, network, on } = await paid()
    on('cut_after_registering*1')
    assert.equal((await refund()).is, 'unknown')
    assert.deepEqual(await refund(), accepted('ACCEPTED'))
    await clock.advance(DECIDE_AFTER_MS)
    assert.deepEqual([(await refund()).is, network.books()[0]?.refunds], ['succeeded', 1])
  })

  rule('a refund waits for another one of the same deposit', async () => {
    const pawapay = await paid()
    refundElsewhere(pawapay)
    const why = 'another refund of the deposit is under way'
    const waits = { ...notSent(why, 'REFUND_IN_PROGRESS'), passesWithinMs: 86_400_000 }
    assert.deepEqual(await pawapay.refund({ amountXof: 1_100 }), waits)
    await pawapay.clock.advance(DECIDE_AFTER_MS)
    assert.deepEqual(await pawapay.refund({ amountXof: 1_100 }), accepted())
    await pawapay.clock.advance(DECIDE_AFTER_MS)
    assert.equal(pawapay.network.books()[0]?.refunds, 1)
  })

  rule('a refund of more than the remaining amount is left to staff', async () => {
    const pawapay = await paid()
    refundElsewhere(pawapay)
    await pawapay.clock.advance(DECIDE_AFTER_MS)
    const why = 'part of the deposit was refunded by another way (AMOUNT_TOO_LARGE)'
    assert.deepEqual(await pawapay.refund(), { is: 'by_hand', why })
  })

  const EMPTY = refusedUs(
    'the pawaPay wallet does not hold the amount: top it up',
    'PAWAPAY_WALLET_OUT_OF_FUNDS',
  )
  const NOT_ALLOWED = 'refunds are not enabled for the pawaPay account (REFUNDS_NOT_ALLOWED)'
  for (const [fault, first, second] of [
    ['refunded_elsewhere*1', { is: 'by_hand', why: 'the deposit was refunded by another way' }],
    ['wallet_empty*1', EMPTY, accepted()],
    ['refunds_not_allowed', { is: 'by_hand', why: NOT_ALLOWED }],
  ] as const) {
    rule(`a refund with ${fault} is ${first.is}`, async () => {
      const { refund, on } = await paid()
      on(fault)
      assert.deepEqual(await refund(), first)
      if (second !== undefined) assert.deepEqual(await refund(), second)
    })
  }

  rule(
    'a refund that pawaPay has already made is found, and not confused with another one',
    async () => {
      const { refund } = scripted({
        'POST *': answer(200, {
          status: 'REJECTED',
          failureReason: { failureCode: 'DEPOSIT_ALREADY_REFUNDED' },
        }),
        'GET *': found({ refundId, status: 'COMPLETED', amount: '1000.00', currency: 'XOF' }),
      })
      assert.deepEqual(await refund(), {
        is: 'succeeded',
        amountXof: 1_000,
        operatorReference: refundId,
      })
    },
  )

  rule('a refund waits while its provider is DELAYED', async () => {
    const { refund, refundStatus, clock, on } = await paid()
    on('provider_delayed')
    assert.deepEqual([await refund(), await refundStatus()], [accepted(), accepted('ENQUEUED')])
    await clock.advance(11 * 60_000)
    assert.equal((await refundStatus()).is, 'succeeded')
  })

  for (const [subscriber, expected] of [
    ['51345089', declined('payer_not_found', 'RECIPIENT_NOT_FOUND')],
    ['51345099', declined('limit_reached', 'WALLET_LIMIT_REACHED')],
    ['51345119', declined('operator_error', 'UNSPECIFIED_FAILURE')],
  ] as const) {
    rule(`a refund that was accepted fails later for 229 ${subscriber}`, async () => {
      const { refund, refundStatus, clock, network } = await paid(`22901${subscriber}`)
      assert.deepEqual(await refund(), accepted())
      await clock.advance(DECIDE_AFTER_MS)
      assert.deepEqual([await refundStatus(), network.books()[0]?.refunds], [expected, 0])
    })
  }

  rule(
    'a refund of a deposit that pawaPay does not finish is retried for a day, and then left to staff',
    async () => {
      const { clock, network, db, secretKey } = service
      const { body } = await post(service, secretKey, orderOn(PAWAPAY))
      const name = body.reference as string
      await clock.advance(10_000)
      network.faults.on('deposit_not_finished')
      granted(await refundPayment(service, TESTER, { name }))
      const byHand = async (): Promise<string[]> =>
        column(await listRefundsByHand(db, EVERY_ACCOUNT, 10), 'why')
      for (let hour = 0; hour < 23; hour++) await clock.sleep(3_600_000)
      await clock.advance(60_000)
      assert.deepEqual(await byHand(), [])
      await clock.sleep(3_600_000)
      await clock.advance(60_000)
      assert.deepEqual(await byHand(), [
        'pawaPay has not finished processing the deposit, for too long',
      ])
      const { status } = (await get(service, secretKey, name)).body
      assert.deepEqual([status, network.books()[0]?.refunds], ['succeeded', 0])
    },
  )
})

describe('pawapay: failures', () => {
  const DOWN = notSent(
    'the provider takes no payments at the moment',
    'PROVIDER_TEMPORARILY_UNAVAILABLE',
  )
  for (const [fault, expected] of [
    ['cut_before_registering', unknown('no answer: UND_ERR_SOCKET')],
    ['never_answers', unknown(`no answer within ${DEADLINE_MS} ms`)],
    ['answers_too_late', unknown(`no answer within ${DEADLINE_MS} ms`)],
    ['unknown_error', unknown('HTTP 500', 'UNKNOWN_ERROR')],
    ['unknown_error_after_registering', unknown('HTTP 500', 'UNKNOWN_ERROR')],
    ['unavailable', notSent('HTTP 503')],
    ['provider_closed', DOWN],
    ['provider_delayed', DOWN],
    [
      'deposits_not_allowed',
      refusedUs('deposits are not enabled for the account', 'DEPOSITS_NOT_ALLOWED'),
    ],
    ['token_refused', refusedUs('pawaPay refused the API token', 'AUTHENTICATION_ERROR')],
    ['gateway_refuses', refusedUs('HTTP 403 without JSON: a gateway refused the call')],
  ] as const) {
    rule(`a deposit is not declined with ${fault}`, async () =>
      assert.deepEqual(await open({ faults: [fault] }).request(), expected),
    )
  }

  // A gateway before the network answers 503 too, also for a refund that the network accepted.
  for (const [code, deposit, refunded] of [
    [429, notSent('HTTP 429'), notSent('HTTP 429')],
    [503, notSent('HTTP 503'), unknown('HTTP 503')],
  ] as const) {
    rule(
      `${code}: a deposit was not sent; a refund ${code === 503 ? 'may have been' : 'neither'}`,
      async () => {
        const { request, refund } = scripted({ 'POST *': answer(code, '<html>Bad Gateway</html>') })
        assert.deepEqual([await request(), await refund()], [deposit, refunded])
      },
    )
  }

  rule(
    'a deposit ends within its deadline, though configuration, request and status are all slow',
    async () => {
      const pawapay = open({
        options: { callbacks: 'unsigned' },
        instead: ({ method, timeoutMs = 0 }) =>
          new Promise<CallResult>((resolve) => {
            const silence = { failed: `no answer within ${timeoutMs} ms` }
            const isPost = method === 'POST'
            const result = isPost ? answer(200, { status: 'DUPLICATE_IGNORED' }) : silence
            pawapay.clock.after(isPost ? 5_000 : timeoutMs, () => resolve(result))
          }),
      })
      const began = pawapay.clock.now()
      const [said, tookMs] = await pawapay
        .request()
        .then((each) => [each, pawapay.clock.now() - began])
      assert.deepEqual(
        [said, tookMs],
        [unknown('a duplicate, but no answer within 1667 ms'), DEADLINE_MS],
      )
    },
  )

  const NOT_UNDERSTOOD = 'an answer that is not understood: HTTP'
  const FRACTION = found({ status: 'COMPLETED', amount: '1000.50', currency: 'XOF' })
  for (const [fault, why] of [
    ['status_unavailable', 'HTTP 503'],
    ['too_many_requests', `${NOT_UNDERSTOOD} 429`],
  ] as const) {
    rule(`a status call with ${fault} says nothing about the payment`, async () => {
      const { request, status, on } = open()
      await request()
      on(fault)
      assert.deepEqual(await status(), unknown(why))
    })
  }

  for (const [about, result, why] of [
    ['HTML', answer(200, '<html></html>'), `${NOT_UNDERSTOOD} 200`],
    ['a 404 of a gateway', answer(404, 'no such page'), `${NOT_UNDERSTOOD} 404`],
    [
      'NOT_FOUND and 400',
      answer(400, { status: 'NOT_FOUND' }),
      `${NOT_UNDERSTOOD} 400 with status NOT_FOUND`,
    ],
    ['no data', answer(200, { status: 'FOUND' }), `${NOT_UNDERSTOOD} 200 with status `],
    [
      'a state without a document',
      found({ status: 'REVERSED' }),
      `${NOT_UNDERSTOOD} 200 with status REVERSED`,
    ],
    ['a fraction of a franc', FRACTION, 'COMPLETED without an amount in whole francs'],
    [
      'another deposit',
      found({ depositId: depositIdOf(2), status: 'FAILED' }),
      'the answer is about another payment',
    ],
  ] as const) {
    rule(`a status call answered with ${about} is not understood`, async () =>
      assert.deepEqual(await scripted({ 'GET *': result }).status(), unknown(why)),
    )
  }

  /** HTTP codes of the network's own table; every other refusal has 200. */
  const HTTP: Record<string, number> = {
    NO_AUTHENTICATION: 401,
    AUTHENTICATION_ERROR: 403,
    AUTHORISATION_ERROR: 403,
    HTTP_SIGNATURE_ERROR: 403,
    DEPOSITS_NOT_ALLOWED: 403,
    REFUNDS_NOT_ALLOWED: 403,
    INVALID_INPUT: 400,
    MISSING_PARAMETER: 400,
    UNSUPPORTED_PARAMETER: 400,
    INVALID_PARAMETER: 400,
    DUPLICATE_METADATA_FIELD: 400,
  }

  /** The expected answer, from a line of the table alone. */
  function expectedOf(code: string, meaning: object): object {
    if ('declined' in meaning) {
      const blamed = 'misconfigured' in meaning ? { misconfigured: meaning.misconfigured } : {}
      return { is: 'declined', reason: meaning.declined, code, ...blamed }
    }
    if ('byHand' in meaning) return { is: 'by_hand', why: `${meaning.byHand} (${code})` }
    const { unknown: why, ...rest } = meaning as { unknown: string }
    return { is: 'unknown', why, code, ...rest }
  }

  const refusedWith = (failureCode: string): CallResult =>
    answer(HTTP[failureCode] ?? 200, {
      status: 'REJECTED',
      failureReason: { failureCode, failureMessage: 'said' },
    })
  const failedWith = (failureCode: string): CallResult =>
    found({ status: 'FAILED', failureReason: { failureCode } })

  const TABLES: [about: string, table: object, ask: (code: string) => Promise<{ is: string }>][] = [
    [
      'a deposit refused',
      DEPOSIT_REFUSED,
      (code) => scripted({ 'POST *': refusedWith(code) }).request(),
    ],
    [
      'a deposit that failed',
      DEPOSIT_FAILED,
      (code) => scripted({ 'GET *': failedWith(code) }).status(),
    ],
    [
      'a refund refused',
      REFUND_REFUSED,
      (code) => scripted({ 'POST *': refusedWith(code) }).refund(),
    ],
    [
      'a refund that failed',
      REFUND_FAILED,
      (code) => scripted({ 'GET *': failedWith(code) }).refundStatus(),
    ],
  ]
  for (const [about, table, ask] of TABLES) {
    for (const [name, meaning] of Object.entries(table).filter(
      ([, each]) => !('readState' in each),
    )) {
      const code = name === 'otherwise' ? 'SOMETHING_NEW' : name
      rule(`${about} with ${code}`, async () =>
        assert.deepEqual(withBlamedKind(await ask(code)), expectedOf(code, meaning)),
      )
    }
  }

  /** By pawaPay's documents, not by our table. */
  const KINDS: Readonly<Record<string, 'settings' | 'form' | undefined>> = {
    INVALID_INPUT: 'form',
    MISSING_PARAMETER: 'form',
    UNSUPPORTED_PARAMETER: 'form',
    INVALID_PARAMETER: 'form',
    DUPLICATE_METADATA_FIELD: 'form',
    INVALID_CURRENCY: 'settings',
    SOMETHING_NEW: 'form',
    INVALID_AMOUNT: undefined,
    AMOUNT_OUT_OF_BOUNDS: undefined,
    INVALID_PHONE_NUMBER: undefined,
  }
  for (const [code, kind] of Object.entries(KINDS)) {
    rule(`a refusal with ${code} blames ${kind ?? 'the payment alone'}`, async () => {
      const answer = await scripted({ 'POST *': refusedWith(code) }).request()
      assert.equal(answer.is === 'declined' && answer.misconfigured?.kind, kind)
    })
  }
})

describe('pawapay: callbacks', () => {
  const GENUINE = { reference: REFERENCE, isGenuine: true }
  const HINT = { reference: REFERENCE, isGenuine: false }
  const UNSIGNED = { options: { callbacks: 'unsigned' } }

  /** A connection with its first callback, which was sent and not read. */
  async function withCallback(setting: Setting = {}, number = 1) {
    const opened = open(setting)
    await opened.request({}, number)
    await opened.clock.advance(DECIDE_AFTER_MS)
    const callback = opened.callbacks[0] as WireCallback
    return {
      ...opened,
      callback,
      read: (changes = {}) => opened.operator.parseCallback(received(callback, changes)),
    }
  }

  about('a signed callback', () => {
    const old = { callbackUrls: { DEPOSIT: 'https://old.example/hooks/' } }
    for (const [about, setting, expected] of [
      ['is genuine', {}, GENUINE],
      [
        'is genuine in the standard’s encoding of ECDSA',
        { simulator: { encoding: 'ieee-p1363' } },
        GENUINE,
      ],
      [
        'is genuine at the address that the dashboard has, if it is not ours',
        { simulator: old },
        GENUINE,
      ],
      ['is refused when it is signed wrongly', { faults: ['callbacks_signed_wrongly'] }, undefined],
      [
        'is refused when it was signed long ago',
        { faults: ['callbacks_signed_long_ago'] },
        undefined,
      ],
      ['is refused with another body', { faults: ['callbacks_with_another_body'] }, undefined],
      ['is only a hint where signing is not set', UNSIGNED, HINT],
    ] as [string, Setting, object | undefined][]) {
      rule(about, async () => assert.deepEqual((await withCallback(setting)).read(), expected))
    }

    rule('names the deposit, and no reference of the merchant', async () => {
      const { callback } = await withCallback()
      assert.partialDeepStrictEqual(JSON.parse(callback.body), {
        depositId,
        status: 'COMPLETED',
        amount: '1500.00',
      })
      assert.ok(!callback.body.includes('clientReferenceId'))
    })

    rule(
      'is genuine behind a proxy, and refused without a part of its signature or by another method',
      async () => {
        const { read, callback } = await withCallback()
        assert.deepEqual(read({ headers: { ...callback.headers, host: 'inside:8080' } }), GENUINE)
        for (const name of ['signature', 'signature-input', 'content-digest', 'signature-date'])
          assert.equal(
            read({ headers: { ...callback.headers, [name]: undefined } }),
            undefined,
            name,
          )
        assert.equal(read({ method: 'PUT' }), undefined)
      },
    )

    rule('is refused for another address', async () => {
      const { operator } = await withCallback()
      const other = { callbackUrls: { DEPOSIT: 'https://other.example/callback' } }
      const { callback } = await withCallback({ simulator: other }, 2)
      assert.equal(operator.parseCallback(received(callback, { path: '' })), undefined)
    })

    rule(
      'is only a hint while its key is unknown; the keys are fetched for the next one',
      async () => {
        const { callback } = await withCallback()
        const fresh = open()
        assert.deepEqual(fresh.operator.parseCallback(received(callback)), HINT)
        await fresh.clock.settle()
        assert.deepEqual(fresh.operator.parseCallback(received(callback)), GENUINE)
      },
    )

    rule('with a new key is genuine once the new key is fetched', async () => {
      const { callbacks, operator, clock, request, on } = await withCallback()
      on('key_replaced')
      await clock.advance(60_000)
      await request({}, 2)
      await clock.advance(DECIDE_AFTER_MS)
      const replaced = received(callbacks.at(-1) as WireCallback)
      assert.deepEqual(operator.parseCallback(replaced), {
        reference: referenceOf(2),
        isGenuine: false,
      })
      await clock.settle()
      assert.deepEqual(operator.parseCallback(replaced), {
        reference: referenceOf(2),
        isGenuine: true,
      })
    })

    rule('with invented keys does not cause a call to pawaPay each time', async () => {
      const { read, callback, calls, clock } = await withCallback()
      const input = callback.headers['signature-input']?.replace('KEY:1', 'KEY:99')
      for (let at = 0; at < 50; at++)
        read({ headers: { ...callback.headers, 'signature-input': input } })
      await clock.settle()
      assert.ok(calls.filter(({ path }) => path === '/v2/public-key/http').length <= 2)
    })

    rule('is verified only with the configured key where there is one', async () => {
      const { network, callback } = await withCallback()
      const keys = reactionTo(network, { method: 'GET', path: '/v2/public-key/http', headers: {} })
      const [{ key }] = ('body' in keys ? keys.body : []) as unknown as [{ key: string }]
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const another = publicKey.export({ type: 'spki', format: 'pem' })
      const read = (callbackPublicKey: string | Buffer) =>
        open({ options: { callbackPublicKey } }).operator.parseCallback(received(callback))
      assert.deepEqual([read(key), read(another)], [GENUINE, undefined])
    })

    rule(
      'is genuine up to a quarter of an hour after its signature has expired: it may be a repetition',
      async () => {
        const { read, clock } = await withCallback()
        await clock.advance(15 * 60_000)
        assert.deepEqual(read(), GENUINE)
        await clock.advance(2 * 60_000)
        assert.equal(read(), undefined)
      },
    )
  })

  about('a callback where signing is not set', () => {
    rule('is a hint about its path, or is ignored', async () => {
      const { read, callback } = await withCallback({
        ...UNSIGNED,
        simulator: { signsCallbacks: false },
      })
      assert.deepEqual([read(), callback.headers.signature], [HINT, undefined])
      assert.deepEqual(
        [read({ path: REFERENCE }), read({ path: referenceOf(2) })],
        [HINT, undefined],
      )
    })

    rule('that names no deposit of ours is ignored', async () => {
      const { read } = await withCallback(UNSIGNED)
      const stranger = '{"depositId":"f4401bd2-1568-1140-bf2d-eb77d2b2b639"}'
      const bodies = [
        '',
        'null',
        '[]',
        '{"depositId":7}',
        '{"refundId":"x"}',
        '{"depositId":"not a uuid"}',
        '\u0000',
      ]
      for (const body of [...bodies, stranger])
        assert.equal(read({ body: Buffer.from(body) }), undefined, body)
    })
  })

  about('the network', () => {
    rule('repeats a callback for a quarter of an hour until it is answered with 200', async () => {
      let code = 503
      const { callbacks, request, clock } = await withCallback({ answerCallback: () => code })
      await clock.advance(3_600_000)
      assert.equal(callbacks.length, 7)
      code = 200
      await request({}, 2)
      await clock.advance(DECIDE_AFTER_MS + 3_600_000)
      assert.equal(callbacks.length, 8)
    })

    rule(
      'repeats callbacks, sends PROCESSING, or sends them before its answer, with the faults for that',
      async () => {
        const repeated = await withCallback({ faults: ['callbacks_repeated'] })
        await repeated.clock.advance(30_000)
        assert.equal(repeated.callbacks.length, 20)
        const pending = await withCallback({ faults: ['pending_callbacks'] })
        await pending.clock.advance(1_000)
        const statuses = pending.callbacks.map(({ body }) => JSON.parse(body).status)
        assert.deepEqual(statuses, ['PROCESSING', 'COMPLETED'])
        const early = open({ faults: ['callback_before_answer'] })
        const answered = early.request()
        await early.clock.settle()
        assert.equal(early.callbacks.length, 1)
        assert.deepEqual(await answered, accepted())
      },
    )

    rule('sends none when no address is set', async () => {
      assert.deepEqual((await withCallback({ simulator: { callbackUrls: {} } })).callbacks, [])
    })
  })
})

describe('pawapay: configuration', () => {
  const readsOf = ({ calls }: Opened): number =>
    calls.filter(({ path }) => path.startsWith('/v2/active-conf')).length

  about('the active configuration', () => {
    rule('is read once for ten concurrent payments, and again after ten minutes', async () => {
      const pawapay = open()
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) => pawapay.request({}, at)),
      )
      assert.ok(answers.every(({ is }) => is === 'accepted'))
      const counts = [readsOf(pawapay)]
      for (const [number, minutes] of [
        [11, 9],
        [12, 1],
      ] as const) {
        await pawapay.clock.advance(minutes * 60_000)
        await pawapay.request({}, number)
        counts.push(readsOf(pawapay))
      }
      assert.deepEqual(counts, [1, 1, 2])
    })

    rule('prevents payments through a provider that is not enabled, until it is', async () => {
      const pawapay = open({ faults: ['provider_not_enabled'] })
      const expected = refusedUs('MTN_MOMO_BEN is not enabled for deposits on the pawaPay account')
      assert.deepEqual(await pawapay.request(), expected)
      assert.ok(pawapay.calls.every(({ method }) => method === 'GET'))
      pawapay.network.faults.allOff()
      assert.deepEqual([await pawapay.request(), readsOf(pawapay)], [expected, 1])
      await pawapay.clock.advance(60_000)
      assert.deepEqual(await pawapay.request(), accepted())
    })

    rule('that cannot be read prevents no payment, and is not read for each', async () => {
      const pawapay = open({ faults: ['active_conf_unavailable'] })
      assert.deepEqual(
        [await pawapay.request(), await pawapay.request({}, 2)],
        [accepted(), accepted()],
      )
      assert.equal(readsOf(pawapay), 1)
    })

    rule(
      'may have its operation types in a list, as one page of the documents has them',
      async () => {
        const types = [
          { DEPOSIT: { status: 'OPERATIONAL' } },
          { operationType: 'PAYOUT', status: 'DELAYED' },
        ]
        const currencies = (operationTypes: object[]) => [{ currency: 'XOF', operationTypes }]
        const moov = { provider: 'MOOV_BEN', currencies: currencies(types.slice(1)) }
        const providers = [{ provider: 'MTN_MOMO_BEN', currencies: currencies(types) }, moov]
        const { request } = scripted({
          'GET /v2/active-conf': answer(200, {
            companyName: 'Demo',
            countries: [{ country: 'BEN', providers }],
          }),
          'POST *': answer(200, { status: 'ACCEPTED' }),
        })
        assert.deepEqual(await request(), accepted())
        const refused = refusedUs('MOOV_BEN is not enabled for deposits on the pawaPay account')
        assert.deepEqual(await request({ operator: 'moov_bj' }), refused)
      },
    )
  })

  about('check', () => {
    const checked = ({ check, run }: Opened): Promise<CheckLine[]> => run(check())
    const wrong = (about: string, remedy: string): CheckLine[] => [{ is: 'wrong', about, remedy }]
    const PROVIDERS = ['MTN_MOMO_BEN', 'MOOV_BEN']
    const operations = (remedy: string) =>
      PROVIDERS.flatMap((provider) =>
        ['deposits', 'refunds'].flatMap((what) => wrong(`${what} by ${provider}`, remedy)),
      )
    const callbackLines = (remedy: string) =>
      PROVIDERS.flatMap((each) => wrong(`the callback address for ${each}`, remedy))
    const TOKEN =
      'pawaPay answered HTTP 403 AUTHENTICATION_ERROR: make a token in the dashboard of this environment, and set apiToken to it'

    rule('finds everything right', async () => {
      assert.deepEqual(
        await checked(open()),
        [
          'the API token',
          'this machine’s clock',
          'deposits by MTN_MOMO_BEN',
          'refunds by MTN_MOMO_BEN',
          'deposits by MOOV_BEN',
          'refunds by MOOV_BEN',
          'the callback address for MTN_MOMO_BEN',
          'the callback address for MOOV_BEN',
          'the keys of signed callbacks',
          'the wallet that refunds are paid from holds 1000000 XOF',
          'numbers with 10 digits after 229',
        ].map((about) => ({ is: 'right', about })),
      )
    })

    const signsCallbacks = false
    const PLAIN = { options: { callbacks: 'unsigned' }, simulator: { signsCallbacks } }
    const requestKey = { id: 'K', publicPem: '', authority: '' }
    for (const [about, setting, expected] of [
      ['a refused token', { options: { apiToken: 'another' } }, wrong('the API token', TOKEN)],
      [
        'a wrong clock',
        { ...PLAIN, faults: ['clock_is_slow'] },
        wrong(
          'this machine’s clock',
          'it differs from the network’s by 600 s: set it by a time server',
        ),
      ],
      [
        'a provider that is closed',
        { ...PLAIN, faults: ['provider_closed'] },
        operations(
          'CLOSED at pawaPay: they are refused until it is OPERATIONAL; nothing to change here',
        ),
      ],
      [
        'providers that are not enabled',
        { ...PLAIN, faults: ['provider_not_enabled'] },
        operations('not enabled for the account: ask pawaPay to enable it'),
      ],
      [
        'another callback address in the dashboard',
        {
          ...PLAIN,
          simulator: { callbackUrls: { DEPOSIT: 'https://old.example/' }, signsCallbacks },
        },
        callbackLines(`set the callback URL of deposits in the dashboard to ${CALLBACK_URL}`),
      ],
      [
        'no public address',
        { ...PLAIN, callbackUrl: null },
        wrong(
          'the callback address',
          'the service has no public address: payments are only polled',
        ),
      ],
      [
        'a public address without TLS',
        { ...PLAIN, callbackUrl: 'http://karba.example' },
        wrong(
          'the callback address',
          'pawaPay calls https addresses only, not http://karba.example',
        ),
      ],
      [
        'signatures that are not verified',
        { options: { callbacks: 'unsigned' } },
        wrong(
          'signed callbacks',
          'pawaPay signs them: set callbacks to signed, so that they are verified',
        ),
      ],
      [
        'signatures that are not switched on',
        { simulator: { signsCallbacks } },
        wrong('signed callbacks', 'switch them on in the dashboard, or set callbacks to unsigned'),
      ],
      [
        'an account that takes signed requests only',
        { ...PLAIN, simulator: { signsCallbacks, requestKey } },
        wrong(
          'signed requests',
          'the account takes signed requests only: set signingKey and signingKeyId',
        ),
      ],
    ] as [string, Setting, CheckLine[]][]) {
      rule(`names a correction: ${about}`, async () => {
        const found = (await checked(open(setting))).filter(({ is }) => is === 'wrong')
        assert.deepEqual(found, expected)
      })
    }

    const other = 'pawaPay takes another form: set msisdnDigits to 8'
    for (const [prediction, is, remedy] of [
      [answer(200, { phoneNumber: '22951345789' }), 'wrong', other],
      [answer(400, { failureReason: { failureCode: 'INVALID_PARAMETER' } }), 'wrong', other],
      [answer(503, ''), 'not_known', 'pawaPay did not say in which form it takes numbers'],
    ] as const) {
      rule(`the format of numbers is ${is} with ${JSON.stringify(prediction)}`, async () => {
        const answers = {
          'GET /v2/active-conf': answer(200, { countries: [] }),
          'POST /v2/predict-provider': prediction,
        }
        const lines = await checked(scripted(answers))
        assert.deepEqual(lines.at(-1), { is, about: 'numbers with 10 digits after 229', remedy })
      })
    }

    rule('leaves results open while the network is unreachable, and does not throw', async () => {
      const remedy = 'pawaPay could not be reached: no answer: not scripted'
      assert.deepEqual(await checked(scripted({})), [
        { is: 'not_known', about: 'the API token', remedy },
      ])
    })
  })

  for (const signatureEncoding of ['der', 'ieee-p1363'] as const) {
    rule(
      `signed requests are accepted by an account that requires them: ${signatureEncoding}`,
      async () => {
        const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
        const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
        const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' })
        const simulator = {
          requestKey: { id: 'KARBA_1', publicPem, authority: 'api.sandbox.pawapay.io' },
        }
        const signed = open({
          simulator,
          options: { signingKey, signingKeyId: 'KARBA_1', signatureEncoding },
        })
        assert.equal((await signed.paid()).is, 'succeeded')
        const refused = refusedUs('the request’s signature was refused', 'HTTP_SIGNATURE_ERROR')
        assert.deepEqual(await open({ simulator }).request(), refused)
      },
    )
  }
})

describe('pawapay: documented exchanges', () => {
  /** A refusal as in the reference. */
  const rejected = (code: number, failureCode: string): CallResult =>
    answer(code, {
      depositId,
      status: 'REJECTED',
      failureReason: { failureCode, failureMessage: 'The text of it.' },
    })
  const TOKEN = refusedUs('pawaPay refused the API token', 'AUTHENTICATION_ERROR')
  const NO_RIGHT = refusedUs('the API token is not allowed to do this', 'AUTHORISATION_ERROR')
  const DOWN = notSent(
    'the provider takes no payments at the moment',
    'PROVIDER_TEMPORARILY_UNAVAILABLE',
  )
  const failureMessage = 'Unable to process request due to an unknown problem.'
  const UNKNOWN_ERROR = { failureReason: { failureCode: 'UNKNOWN_ERROR', failureMessage } }
  const created = '2025-05-15T07:38:56Z'

  for (const [about, result, expected] of [
    [
      'ACCEPTED',
      answer(200, { depositId, status: 'ACCEPTED', nextStep: 'FINAL_STATUS', created }),
      accepted(),
    ],
    [
      'its number',
      rejected(200, 'INVALID_PHONE_NUMBER'),
      declined('payer_not_found', 'INVALID_PHONE_NUMBER'),
    ],
    [
      'its amount',
      rejected(200, 'AMOUNT_OUT_OF_BOUNDS'),
      declined('amount_not_allowed', 'AMOUNT_OUT_OF_BOUNDS'),
    ],
    ['a provider that is down', rejected(200, 'PROVIDER_TEMPORARILY_UNAVAILABLE'), DOWN],
    [
      'an unreadable body',
      rejected(400, 'INVALID_INPUT'),
      declined('operator_error', 'INVALID_INPUT', 'form'),
    ],
    ['a wrong token, with 401 as in the reference', rejected(401, 'AUTHENTICATION_ERROR'), TOKEN],
    ['a token without the right', rejected(403, 'AUTHORISATION_ERROR'), NO_RIGHT],
    [
      'no status',
      answer(500, { depositId, ...UNKNOWN_ERROR }),
      unknown('HTTP 500', 'UNKNOWN_ERROR'),
    ],
    ...['REJECTED', 'PARKED'].map(
      (status) =>
        [
          `${status} and nothing more`,
          answer(200, { status }),
          unknown(`an answer that is not understood: HTTP 200 with status ${status}`),
        ] as const,
    ),
  ] as const) {
    rule(`the answer to a request: ${about}`, async () =>
      assert.deepEqual(
        withBlamedKind(await scripted({ 'POST /v2/deposits': result }).request()),
        expected,
      ),
    )
  }

  rule('DUPLICATE_IGNORED is followed by a status call with the same id', async () => {
    const { request, calls } = scripted({
      'POST /v2/deposits': answer(200, { depositId, status: 'DUPLICATE_IGNORED' }),
      [`GET /v2/deposits/${depositId}`]: shown('IN_RECONCILIATION'),
    })
    assert.deepEqual(await request(), accepted('IN_RECONCILIATION'))
    assert.deepEqual(
      calls.map(({ method, path }) => `${method} ${path}`),
      ['GET /v2/active-conf?country=BEN', 'POST /v2/deposits', `GET /v2/deposits/${depositId}`],
    )
  })

  /** As in the reference, except the id, the country and the currency. */
  function shown(status: string, more: object = {}): CallResult {
    const accountDetails = { phoneNumber: '22951345789', provider: 'MTN_MOMO_BEN' }
    return found({
      depositId,
      status,
      amount: '123.00',
      currency: 'XOF',
      country: 'BEN',
      payer: { type: 'MMO', accountDetails },
      customerMessage: 'To ACME company',
      clientReferenceId: 'REF-987654321',
      created: '2020-10-19T08:17:01Z',
      ...more,
      metadata: { orderId: 'ORD-123456789', customerId: 'customer@email.com' },
    })
  }
  const paidAs = (operatorReference: string) => ({
    is: 'succeeded',
    amountXof: 123,
    operatorReference,
  })
  const NOT_APPROVED = { failureReason: { failureCode: 'PAYMENT_NOT_APPROVED', failureMessage } }

  for (const [about, result, expected] of [
    ['COMPLETED', shown('COMPLETED', { providerTransactionId: '12356789' }), paidAs('12356789')],
    ['COMPLETED without the provider’s number', shown('COMPLETED'), paidAs(depositId)],
    ...['ACCEPTED', 'PROCESSING', 'ENQUEUED', 'SUBMITTED', 'IN_RECONCILIATION'].map(
      (status) => [status, shown(status), accepted(status)] as const,
    ),
    ['FAILED', shown('FAILED', NOT_APPROVED), declined('declined', 'PAYMENT_NOT_APPROVED')],
    [
      'FAILED without a reason',
      shown('FAILED', { failureReason: null }),
      declined('operator_error', 'FAILED'),
    ],
    ['NOT_FOUND', answer(200, { status: 'NOT_FOUND' }), NOT_KNOWN],
    ['a wrong token', rejected(401, 'AUTHENTICATION_ERROR'), TOKEN],
    ['an unknown problem', answer(500, UNKNOWN_ERROR), unknown('HTTP 500', 'UNKNOWN_ERROR')],
  ] as const) {
    rule(`the answer to a status call: ${about}`, async () =>
      assert.deepEqual(
        await scripted({ [`GET /v2/deposits/${depositId}`]: result }).status(),
        expected,
      ),
    )
  }

  for (const name of ['refundId', 'payoutId']) {
    rule(`the answer to a refund: ACCEPTED, with ${name}, as in one sample each`, async () => {
      const sample = answer(200, { [name]: refundId, status: 'ACCEPTED', created })
      assert.deepEqual(await scripted({ 'POST /v2/refunds': sample }).refund(), accepted())
    })
  }

  rule('the state of a refund has the payer as its recipient', async () => {
    const operatorReference = 'df0e9405-fb17-42c2-a264-440c239f67ed'
    const accountDetails = { phoneNumber: '22951345789', provider: 'MTN_MOMO_BEN' }
    const { refundStatus } = scripted({
      [`GET /v2/refunds/${refundId}`]: found({
        refundId,
        status: 'COMPLETED',
        amount: '30.00',
        currency: 'XOF',
        country: 'BEN',
        created,
        recipient: { type: 'MMO', accountDetails },
        customerMessage: null,
        providerTransactionId: operatorReference,
        failureReason: null,
      }),
    })
    assert.deepEqual(await refundStatus(), { is: 'succeeded', amountXof: 30, operatorReference })
  })
})
