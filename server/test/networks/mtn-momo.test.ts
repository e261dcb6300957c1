// The rules specific to mtn-momo: every-network.test.ts has the shared ones.

import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { ConformanceNetwork } from '../../../simulators/src/network.ts'
import { uuidOfReference } from '../../src/domain/payments/reference.ts'
import type { CheckLine } from '../../src/operators/connector.ts'
import type { CallbackRequest } from '../../src/operators/operator.ts'
import { column } from '../kit/callers.ts'
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
  FIRST_TRY,
  openConnection,
  received,
  referenceOf,
  refundReferenceOf,
  type Setting,
} from './harness.ts'
import { MTN, rulesOf } from './networks.ts'

const { rule, about } = rulesOf('mtn-momo')
const open = (setting?: Setting) => openConnection(MTN, setting)
const REFERENCE = referenceOf(1)
const UUID = uuidOfReference(REFERENCE)
const HOST = 'https://pay.example.bj'

/** The options for the network's own test environment, with its euros. */
const inTestEnvironment = ({ credentials }: ConformanceNetwork): object => ({
  targetEnvironment: 'sandbox',
  currency: 'EUR',
  apiUser: credentials.sandboxApiUser,
  apiKey: credentials.sandboxApiKey,
})

describe('mtn-momo: payments', () => {
  about('a request to pay', () => {
    rule('has the headers and the body that the network requires', async () => {
      const { request, calls, network, paid } = open()
      const publicReference = `L’Été & "fils" 'n°5'`
      assert.deepEqual(await request({ publicReference }), accepted())
      const { headers, body, path } = calls.at(-1)!
      const sent = [path, headers['x-reference-id'], headers['x-callback-url']]
      assert.deepEqual(sent, [
        '/collection/v1_0/requesttopay',
        UUID,
        `${callbackUrlOf(MTN)}/${REFERENCE}`,
      ])
      const text = 'L Ete fils n 5'
      assert.deepEqual(JSON.parse(body ?? ''), {
        amount: '1500',
        currency: 'XOF',
        externalId: REFERENCE,
        payerMessage: text,
        payeeNote: text,
        payer: { partyIdType: 'MSISDN', partyId: '2290197000000' },
      })
      const answer = await paid()
      assert.match(answer.is === 'succeeded' ? answer.operatorReference : '', /^\d+$/)
      assert.deepEqual(
        [network.books()[0]?.id, network.books()[0]?.clientReference],
        [UUID, REFERENCE],
      )
    })

    rule(
      'has the subscription key, the target environment and our User-Agent in every call',
      async () => {
        const { request, status, calls, network } = open()
        await request()
        await status()
        const REQUEST = '/collection/v1_0/requesttopay'
        assert.deepEqual(column(calls, 'path'), [
          '/collection/token/',
          REQUEST,
          `${REQUEST}/${UUID}`,
        ])
        for (const { headers } of calls) {
          assert.equal(headers['x-target-environment'], 'mtnbenin')
          assert.equal(headers['ocp-apim-subscription-key'], network.credentials.subscriptionKey)
          assert.equal(headers['user-agent'], 'Karba/1.0')
        }
        assert.equal(calls[0]?.body, undefined)
      },
    )

    for (const [about, publicReference, text] of [
      ['a text without a usable character is replaced', '&&&', 'Paiement'],
      ['a long text is cut to 160 characters', 'a'.repeat(500), 'a'.repeat(160)],
    ] as const) {
      rule(about, async () => {
        const { request, calls } = open()
        assert.deepEqual(await request({ publicReference }), accepted())
        const { payerMessage, payeeNote } = JSON.parse(calls.at(-1)?.body ?? '')
        assert.deepEqual([payerMessage, payeeNote], [text, text])
      })
    }

    rule('uses the eight digits of before 2024 with the option', async () => {
      const { request, network } = open({ options: { msisdnDigits: 8 } })
      await request()
      assert.equal(network.books()[0]?.msisdn, '22997000000')
    })

    rule(
      'is sent in euros to the network’s own test environment, and compared in euros',
      async () => {
        const answer = await open({ options: inTestEnvironment }).paid()
        assert.partialDeepStrictEqual(answer, { is: 'succeeded', amountXof: 1_500 })
      },
    )

    const HERE = 'http://127.0.0.1:8080/c'
    for (const [about, setting, address] of [
      ['no callback address in live when there is none', { callbackUrl: null }],
      ['no callback address in live when it is empty', { callbackUrl: () => '' }],
      [
        'no callback address in live when the option says so',
        { options: { sendsCallbackUrl: false } },
      ],
      [
        'no callback address in live when it is not https',
        { callbackUrl: () => 'http://pay.example.bj/c' },
      ],
      [
        'no callback address in live when it has no host name',
        { callbackUrl: () => 'https://192.0.2.1/c' },
      ],
      [
        'no callback address in live when it has a port',
        { callbackUrl: () => 'https://pay.example.bj:8443/c' },
      ],
      [
        'any callback address in our sandbox',
        { environment: 'sandbox', callbackUrl: () => HERE },
        HERE,
      ],
    ] as [string, Setting, string?][]) {
      rule(`names ${about}`, async () => {
        const { request, calls } = open({ environment: 'live', ...setting })
        assert.deepEqual(await request(), accepted())
        assert.equal(calls.at(-1)?.headers['x-callback-url'], address)
      })
    }

    const OTHER_HOST = { simulator: { callbackHost: 'other.example.bj' } }
    for (const [about, setting, changes, code, kind] of [
      [
        'with a callback host that is not registered',
        OTHER_HOST,
        {},
        'INVALID_CALLBACK_URL_HOST',
        'settings',
      ],
      [
        'in a currency that is not the market’s',
        { options: { currency: 'EUR' } },
        {},
        'INVALID_CURRENCY',
        'settings',
      ],
      ['that the network cannot read', {}, { amountXof: 0 }, 'BAD_REQUEST', 'form'],
    ] as const) {
      rule(`${about} is declined, and nothing is created`, async () => {
        const { request, network } = open(setting)
        assert.deepEqual(
          withBlamedKind(await request(changes)),
          declined('operator_error', code, kind),
        )
        assert.deepEqual(network.books(), [])
      })
    }

    rule(
      'counts as accepted when the network knows the reference and look-ups miss the payment',
      async () => {
        const { request } = open({ faults: ['cut_after_taking*1', 'hidden_for_a_minute*1'] })
        await request()
        assert.deepEqual(await request(), accepted('RESOURCE_ALREADY_EXIST'))
      },
    )

    rule('is sent once more after two seconds when the network is unavailable', async () => {
      const { request, network } = open({ faults: ['unavailable_503*1'] })
      assert.deepEqual(await request(), accepted())
      assert.equal(network.books()[0]?.requests, 2)
      const answer = await open({ faults: ['unavailable_503'] }).request()
      assert.deepEqual(answer, unknown('HTTP 503 SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'))
    })

    rule('may have been accepted before a 503, although the second call was refused', async () => {
      const { request, clock, on, run } = open({ faults: ['unavailable_503*1'] })
      const requesting = request()
      await clock.advance(1_000)
      on('gateway_403_page')
      const answer = await run(requesting)
      assert.ok(
        answer.is === 'unknown' && !('neverLeft' in answer),
        'it would be sent again without a status call',
      )
    })
  })

  about('a status', () => {
    rule('CREATED is accepted, like PENDING', async () => {
      const { request, status, clock } = open()
      await request({ msisdn: '2290197000009' })
      assert.deepEqual(await status(), accepted())
      await clock.advance(25_000)
      assert.equal((await status()).is, 'succeeded')
    })

    for (const [fault, expected] of [
      ['amount_as_number', { is: 'succeeded', amountXof: 1_500 }],
      ['amount_with_decimals', { is: 'succeeded', amountXof: 1_500 }],
      ['amount_with_commas', { is: 'succeeded', amountXof: 1_500 }],
      ['other_amount', { is: 'succeeded', amountXof: 1_499 }],
      ['other_currency', { is: 'contradicts', reported: 'SUCCESSFUL in USD' }],
      ['too_many_reads', notSent('HTTP 429')],
      ['status_500', unknown('HTTP 500 INTERNAL_PROCESSING_ERROR', 'INTERNAL_PROCESSING_ERROR')],
      ['status_not_understood', unknown('a status that is not understood: ON_HOLD')],
      ['gateway_403_page', refusedUs('HTTP 403')],
      // About the address, and not about the payment.
      ['gateway_404', { ...unknown('HTTP 404'), misconfigured: true }],
    ] as const) {
      rule(`with ${fault} is ${expected.is}`, async () => {
        const { request, status, clock, on } = open()
        await request()
        await clock.advance(DECIDE_AFTER_MS)
        on(fault)
        const answer = await status()
        if (expected.is === 'succeeded') assert.partialDeepStrictEqual(answer, expected)
        else assert.deepEqual(answer, expected)
      })
    }
  })
})

describe('mtn-momo: refunds', () => {
  async function paid(setting?: Setting) {
    const opened = open(setting)
    assert.equal((await opened.paid()).is, 'succeeded')
    return opened
  }

  rule('a refund is accepted, and its own status reports the success', async () => {
    const { refund, refundStatus, clock, network, calls } = await paid()
    assert.deepEqual(await refundStatus(), NOT_KNOWN)
    assert.deepEqual(await refund(), accepted())
    const { path, headers, body } = calls.at(-1)!
    assert.equal(path, '/disbursement/v1_0/refund')
    assert.equal(headers['x-reference-id'], uuidOfReference(refundReferenceOf(1)))
    assert.ok(!('x-callback-url' in headers))
    assert.deepEqual(JSON.parse(body ?? ''), {
      amount: '1500',
      currency: 'XOF',
      externalId: refundReferenceOf(1),
      referenceIdToRefund: UUID,
      payerMessage: 'Remboursement',
      payeeNote: 'Remboursement',
    })
    assert.deepEqual(await refundStatus(), accepted())
    await clock.advance(DECIDE_AFTER_MS)
    assert.partialDeepStrictEqual(await refundStatus(), { is: 'succeeded', amountXof: 1_500 })
    assert.equal(network.books()[0]?.refunds, 1)
    const tokens = calls.map((call) => call.path).filter((each) => each.endsWith('/token/'))
    assert.deepEqual(tokens, ['/collection/token/', '/disbursement/token/'])
  })

  rule('a refund whose answer is lost and that is sent again is made once', async () => {
    const { refund, network, clock, on } = await paid()
    on('refund_cut_after_taking*1')
    const answers = [(await refund()).is, (await refund()).is]
    await clock.advance(DECIDE_AFTER_MS)
    assert.deepEqual([...answers, (await refund()).is], ['unknown', 'accepted', 'succeeded'])
    assert.equal(network.books()[0]?.refunds, 1)
  })

  rule('a refund without funds in our account is accepted and then declined', async () => {
    const { refund, refundStatus, clock, on } = await paid()
    on('no_float_for_refunds')
    assert.deepEqual(await refund(), accepted())
    await clock.advance(DECIDE_AFTER_MS)
    assert.deepEqual(await refundStatus(), declined('insufficient_funds', 'NOT_ENOUGH_FUNDS'))
  })

  rule(
    'a refund that is not enabled was not sent, and the connection is misconfigured',
    async () => {
      const { refund, on } = await paid()
      on('refunds_forbidden')
      assert.deepEqual(await refund(), refusedUs('HTTP 403'))
    },
  )

  rule('without credentials of the Disbursement product a refund is made by hand', async () => {
    const { refund, refundStatus, calls } = await paid({ options: { disbursement: undefined } })
    const before = calls.length
    assert.deepEqual(
      [(await refund()).is, (await refundStatus()).is, calls.length],
      ['by_hand', 'by_hand', before],
    )
  })
})

describe('mtn-momo: callbacks', () => {
  async function calledBack(setting: Setting = {}, afterMs = DECIDE_AFTER_MS) {
    const opened = open(setting)
    // A payer who never decides, where callbacks come before the decision.
    const msisdn = setting.faults?.includes('pending_callbacks') ? '2290197000008' : MTN.payer
    const payment = {
      ...FIRST_TRY,
      reference: REFERENCE,
      publicReference: 'KB-1042',
      amountXof: 1_500,
    }
    const answered = opened.operator.request({ ...payment, operator: 'mtn_bj', msisdn })
    await opened.clock.advance(afterMs)
    await opened.run(answered)
    const read = opened.callbacks.map(
      (each) => opened.operator.parseCallback(received(each))?.reference,
    )
    return { ...opened, read }
  }

  rule(
    'a callback has the status as its body, only externalId of our references, and a path',
    async () => {
      const { callbacks, operator } = await calledBack()
      const [callback, ...more] = callbacks as [(typeof callbacks)[number]]
      const url = `${callbackUrlOf(MTN)}/${REFERENCE}`
      assert.deepEqual([callback.method, callback.url, more], ['POST', url, []])
      const { status, amount, externalId } = JSON.parse(callback.body)
      assert.deepEqual([status, amount, externalId], ['SUCCESSFUL', '1500', REFERENCE])
      assert.ok(!callback.body.includes(UUID))
      assert.deepEqual(operator.parseCallback(received(callback)), {
        reference: REFERENCE,
        isGenuine: false,
      })
    },
  )

  rule(
    'a callback without externalId is matched by its path, and one without a path by externalId',
    async () => {
      const byPath = await calledBack({ faults: ['callback_without_external_id'] })
      assert.ok(!byPath.callbacks[0]?.body.includes('externalId'))
      assert.deepEqual(byPath.read, [REFERENCE])
      assert.deepEqual((await calledBack({ callbackUrl: () => `${HOST}/callback` })).read, [
        REFERENCE,
      ])
    },
  )

  rule('a path of 16 KiB of slashes costs about as much as any other path', async () => {
    const { operator } = open()
    const cost = (path: string): number => {
      const began = performance.now()
      for (let nth = 0; nth < 3; nth++)
        assert.equal(
          operator.parseCallback({ method: 'POST', path, headers: {}, body: Buffer.from('{}') }),
          undefined,
        )
      return performance.now() - began
    }
    cost(`a${'/b'.repeat(8_000)}`)
    const [plain, slashes] = [cost(`a${'/b'.repeat(8_000)}`), cost(`a${'/'.repeat(16_000)}b`)]
    // With a pattern that searches for the end from every slash, it was 1,000 times as much.
    assert.ok(slashes < plain * 50, `${slashes} ms instead of ${plain} ms`)
  })

  for (const [about, setting, afterMs, count] of [
    ['by PUT and by POST', { faults: ['callback_by_put'] }, DECIDE_AFTER_MS, 2],
    ['before the request is answered', { faults: ['callback_before_answer*1'] }, 1_000, 1],
    ['not without an address', { callbackUrl: null }, DECIDE_AFTER_MS, 0],
    ['not when the network sends none', { faults: ['no_callbacks'] }, DECIDE_AFTER_MS, 0],
    ['twenty times and more', { faults: ['callback_twenty_times'] }, 15 * 60_000, 25],
    ['while the payment is PENDING', { faults: ['pending_callbacks'] }, 16_000, 3],
    [
      'once by version A, also without an answer',
      { answerCallback: () => undefined },
      3_600_000,
      1,
    ],
  ] as [string, Setting, number, number][]) {
    rule(`callbacks come ${about}`, async () => {
      const { read, callbacks } = await calledBack(setting, afterMs)
      assert.deepEqual(read, Array(count).fill(REFERENCE))
      if (count === 2) assert.deepEqual(column(callbacks, 'method'), ['PUT', 'POST'])
      if (count === 3)
        assert.ok(callbacks.every(({ body }) => JSON.parse(body).status === 'PENDING'))
    })
  }

  rule('a callback may contradict the status, and the status counts', async () => {
    const { callbacks, status } = await calledBack({ faults: ['callback_says_otherwise'] })
    assert.equal(JSON.parse(callbacks[0]?.body ?? '').status, 'FAILED')
    assert.equal((await status()).is, 'succeeded')
  })

  rule(
    'version B sends 20 a second apart, 30 two minutes apart, then one an hour, until an answer',
    async () => {
      const simulator = { callbackVersion: 'B' }
      const { callbacks, clock } = await calledBack({ simulator, answerCallback: () => 503 })
      const counts: number[] = []
      for (const ms of [20_000, 30 * 120_000, 2 * 3_600_000]) {
        await clock.advance(ms)
        counts.push(callbacks.length)
      }
      assert.deepEqual(counts, [21, 51, 53])
      const answers = [undefined, 500, 200]
      const answered = await calledBack(
        { simulator, answerCallback: () => answers.shift() },
        60_000,
      )
      assert.equal(answered.callbacks.length, 3)
    },
  )

  const body = (fields: unknown) => ({
    body: Buffer.from(typeof fields === 'string' ? fields : JSON.stringify(fields)),
  })
  for (const [about, callback, reference] of [
    ['a reference in the path', { path: REFERENCE }, REFERENCE],
    ['a path that ends with a slash', { path: `${REFERENCE}/` }, REFERENCE],
    ['a UUID of ours in the path', { path: UUID.toUpperCase() }, REFERENCE],
    [
      'the path before externalId',
      { path: REFERENCE, ...body({ externalId: referenceOf(2) }) },
      REFERENCE,
    ],
    ['a header of the network', { headers: { 'x-reference-id': UUID } }, REFERENCE],
    ['a referenceId in the body', body({ referenceId: UUID }), REFERENCE],
    ['nothing', {}, undefined],
    ['no JSON', body('{'), undefined],
    ['JSON that is not an object', body('[null]'), undefined],
    ['null', body('null'), undefined],
    ['an unknown reference', { path: '../x', ...body({ externalId: 'order 5' }) }, undefined],
  ] as [string, Partial<CallbackRequest>, string | undefined][]) {
    rule(
      `a callback with ${about} gives ${reference === undefined ? 'nothing' : 'the reference'}`,
      () => {
        const sent: CallbackRequest = {
          method: 'POST',
          path: '',
          headers: {},
          body: Buffer.alloc(0),
          ...callback,
        }
        assert.equal(open().operator.parseCallback(sent)?.reference, reference)
      },
    )
  }
})

describe('mtn-momo: tokens', () => {
  const tokensOf = (calls: readonly { path: string }[]) =>
    calls.filter(({ path }) => path.endsWith('/token/')).length
  type Connection = ReturnType<typeof open>
  const ten = async ({ request }: Connection, from: number): Promise<Set<string>> =>
    new Set(
      (await Promise.all(Array.from({ length: 10 }, (_, at) => request({}, from + at)))).map(
        ({ is }) => is,
      ),
    )

  rule('ten concurrent calls share one token, and one new token when it is refused', async () => {
    const mtn = open()
    assert.deepEqual(await ten(mtn, 1), new Set(['accepted']))
    assert.equal(tokensOf(mtn.calls), 1)
    mtn.on('forgets_tokens*1')
    assert.deepEqual(await ten(mtn, 11), new Set(['accepted']))
    assert.deepEqual([tokensOf(mtn.calls), mtn.network.books().length], [2, 20])
  })

  rule('a network on which a new token ends the old one loses no payment', async () => {
    const mtn = open({ faults: ['new_token_ends_the_old'] })
    await mtn.request()
    await mtn.clock.advance(51 * 60_000)
    assert.deepEqual(await ten(mtn, 2), new Set(['accepted']))
  })

  rule(
    'a token is renewed ten minutes before its end, while calls still use the old one',
    async () => {
      const { request, calls, clock } = open()
      const counts: number[] = []
      for (const [number, minutes] of [0, 49, 2, 0].entries()) {
        await clock.advance(minutes * 60_000)
        await request({}, number)
        await clock.settle()
        counts.push(tokensOf(calls))
      }
      assert.deepEqual(counts, [1, 1, 2, 2])
    },
  )

  rule('a token with a short lifetime as text is renewed in time', async () => {
    const { request, calls, clock } = open({ faults: ['short_tokens'] })
    await request()
    await clock.advance(200_000)
    assert.deepEqual([await request({}, 2), tokensOf(calls)], [accepted(), 2])
  })

  rule(
    'a token call of 20 seconds lets the first call end in time, as not sent, and serves the next',
    async () => {
      const { request, clock, calls } = open({ faults: ['slow_token'] })
      const began = clock.now()
      assert.deepEqual(await request(), notSent('the network gave no access token within 5000 ms'))
      assert.ok(clock.now() - began <= DEADLINE_MS)
      await clock.advance(20_000)
      assert.deepEqual([await request(), tokensOf(calls)], [accepted(), 1])
    },
  )

  rule('a refused token is renewed only once: the request was not accepted', async () => {
    const { request, network, calls } = open({ faults: ['forgets_tokens'] })
    assert.deepEqual(await request(), refusedUs('HTTP 401 invalid_token', 'invalid_token'))
    assert.deepEqual([tokensOf(calls), network.books()], [2, []])
  })

  rule('an accepted request that was answered with 401 is found by its reference', async () => {
    const { request, network } = open({ faults: ['refuses_token_after_taking*1'] })
    assert.equal((await request()).is, 'accepted')
    assert.equal(network.books()[0]?.requests, 2)
  })

  for (const [about, platform, fault] of [
    ['refused credentials', 'new', 'token_refused'],
    ['a 500 of the old platform', 'old', 'token_500'],
    ['a page of the gateway', 'new', 'gateway_403_page'],
  ] as const) {
    rule(
      `${about} instead of a token: the payment was not sent, and the connection is misconfigured`,
      async () => {
        const { request, network } = open({
          simulator: { platform },
          options: { platform },
          faults: [fault],
        })
        assert.partialDeepStrictEqual(await request(), {
          is: 'unknown',
          neverLeft: true,
          misconfigured: true,
        })
        assert.deepEqual(network.books(), [])
      },
    )
  }

  rule(
    'credentials are sent unchanged in any format: on the new platform a User ID is base64',
    async () => {
      const { request, calls, network } = open()
      await request()
      const { apiUser, apiKey } = network.credentials
      assert.match(apiUser as string, /=$/)
      assert.equal(calls[0]?.headers.authorization, `Basic ${btoa(`${apiUser}:${apiKey}`)}`)
    },
  )
})

describe('mtn-momo: check of a connection', () => {
  const checked = (setting: Setting = {}): Promise<CheckLine[]> => {
    const { check, run } = open({ environment: 'live', callbackUrl: HOST, ...setting })
    return run(check())
  }
  const notRight = (lines: readonly CheckLine[]): CheckLine[] =>
    lines.filter(({ is }) => is !== 'right')

  rule('a working connection has nothing to correct, also with a slow token call', async () => {
    assert.deepEqual(notRight(await checked({ faults: ['slow_token'] })), [])
    assert.deepEqual(
      (await checked()).map(({ is, about }) => `${is} ${about}`),
      [
        'right Collection: the network gave an access token',
        'right Collection: the account is readable',
        'right this machine’s clock',
        'right Disbursement: the network gave an access token',
        'right Disbursement: the account is readable',
        'right callbacks: at pay.example.bj, which must be the callback host registered with the API user',
      ],
    )
  })

  const OLD = { simulator: { platform: 'old' }, options: { platform: 'old', apiKey: 'wrong' } }
  for (const [about, setting, remedy] of [
    [
      'wrong credentials',
      { options: { apiKey: 'wrong' } },
      /System credentials .*momoapi\.momo\.africa/,
    ],
    ['wrong credentials of the old platform', OLD, /API user and API key/],
    ['a wrong subscription key', { options: { subscriptionKey: 'wrong' } }, /subscription key/],
    [
      'a wrong target environment',
      { options: { targetEnvironment: 'mtnghana' } },
      /targetEnvironment/,
    ],
    [
      'a gateway that refuses us',
      { faults: ['gateway_403_page'] },
      /IP address, or change the option userAgent/,
    ],
    ['a currency that is not the account’s', { options: { currency: 'EUR' } }, /currency to XOF/],
    ['an address without https', { callbackUrl: 'http://pay.example.bj' }, /https/],
    ['an address that is an IP address', { callbackUrl: 'https://192.0.2.1' }, /host name/],
  ] as [string, Setting, RegExp][]) {
    rule(`${about} is reported, with a correction`, async () => {
      const lines = notRight(await checked(setting))
      assert.equal(lines[0]?.is, 'wrong')
      assert.match(lines.map((line) => line.remedy).join('\n'), remedy)
    })
  }

  rule('a missing public address and an unreachable network leave the result open', async () => {
    assert.deepEqual(column(notRight(await checked({ callbackUrl: null })), 'is'), ['not_known'])
    assert.equal(notRight(await checked({ faults: ['token_500'] }))[0]?.is, 'not_known')
  })

  rule('disabled callbacks and manual refunds are right', async () => {
    const lines = await checked({ options: { sendsCallbackUrl: false, disbursement: undefined } })
    assert.deepEqual(notRight(lines), [])
    assert.match(lines.map(({ about }) => about).join('\n'), /refunds: by hand/)
  })
})
