// The rules specific to airtel-money: every-network.test.ts has the shared ones.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe } from 'node:test'
import { z } from 'zod'
import type { FailureReason } from '../../src/domain/payments/payment-status.ts'
import type { CheckLine } from '../../src/operators/connector.ts'
import { keyLastsMs } from '../../src/operators/connectors/airtel-money/calls.ts'
import { airtelMoney } from '../../src/operators/connectors/airtel-money/connector.ts'
import type { CallbackRequest, ReadCallback } from '../../src/operators/operator.ts'
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
  type Opened,
  openConnection,
  received,
  referenceOf,
  type Setting,
} from './harness.ts'
import { AIRTEL, rulesOf } from './networks.ts'

const { rule, about } = rulesOf('airtel-money')
const open = (setting?: Setting) => openConnection(AIRTEL, setting)
const REFERENCE = referenceOf(1)
const PAYMENTS = '/merchant/v1/payments/'
const COMMON = { accept: '*/*', 'user-agent': 'Karba/1.0', 'content-type': 'application/json' }
const countOf = ({ calls }: Opened, path: string): number =>
  calls.filter((call) => call.path === path).length

describe('airtel-money: payments', () => {
  rule(
    'a request has the number without its country code, a number as amount, and our reference as id',
    async () => {
      const { request, status, clock, calls, network } = open()
      assert.deepEqual(await request(), accepted('DP00800001006'))
      const { path, headers, body } = calls[1]!
      const { authorization = '', ...others } = headers
      assert.match(authorization, /^Bearer \S+$/)
      assert.deepEqual(
        [path, others],
        [PAYMENTS, { ...COMMON, 'x-country': 'NE', 'x-currency': 'XOF' }],
      )
      assert.deepEqual(JSON.parse(body ?? ''), {
        reference: 'KB1042',
        subscriber: { country: 'NE', currency: 'XOF', msisdn: '97000000' },
        transaction: { amount: 1_500, country: 'NE', currency: 'XOF', id: REFERENCE },
      })
      assert.deepEqual(await status(), accepted('TIP'))
      await clock.advance(DECIDE_AFTER_MS)
      assert.deepEqual(await status(), {
        is: 'succeeded',
        operatorReference: 'MP261115.0930.L00001',
      })
      const booked = {
        id: REFERENCE,
        clientReference: 'KB1042',
        msisdn: '97000000',
        amountXof: 1_500,
        status: 'TS',
      }
      assert.deepEqual(network.books(), [{ ...booked, debits: 1, refunds: 0, requests: 1 }])
    },
  )

  rule(
    'the public reference that the payer reads has 4 to 64 ASCII letters and digits',
    async () => {
      const texts = { 7: '0007', 'é-1/2': '0012', ['A'.repeat(80)]: 'A'.repeat(64) }
      for (const [publicReference, text] of Object.entries(texts)) {
        const { request, network } = open()
        assert.equal((await request({ publicReference })).is, 'accepted')
        assert.equal(network.books()[0]?.clientReference, text)
      }
    },
  )

  rule('a number of another country is never sent', async () => {
    const { request, calls } = open()
    assert.deepEqual(
      await request({ msisdn: '2290197000000' }),
      refusedUs('the number is of another country'),
    )
    assert.deepEqual(calls, [])
  })

  rule('country, currency and calling code are options', async () => {
    const there = { country: 'TD', currency: 'XAF' }
    const { request, calls } = open({ options: { ...there, callingCode: '235' }, simulator: there })
    assert.equal((await request({ msisdn: '23597000000' })).is, 'accepted')
    assert.equal(calls[1]?.headers['x-country'], 'TD')
  })

  const REASONS: Record<string, FailureReason> = {
    '02': 'declined',
    '03': 'limit_reached',
    '04': 'amount_not_allowed',
    '05': 'expired',
    '29': 'expired',
    '07': 'insufficient_funds',
    '08': 'declined',
    '09': 'operator_error',
    '10': 'payer_not_allowed',
  }
  /**
   * Each number of the simulated network, with the answer to the request and the status after the
   * payer's decision.
   */
  const NUMBERS: [msisdn: string, request: string, later: { is: string }][] = [
    ...['00', '31', '32'].map((end): Numbered => [`970000${end}`, 'accepted', { is: 'succeeded' }]),
    ...Object.entries(REASONS).map(([end, reason]): Numbered => {
      return [`970000${end}`, 'accepted', declined(reason, `DP008000010${end}`)]
    }),
    ['97000030', 'accepted', accepted('TIP')],
    ['97000033', 'accepted', declined('operator_error', 'TF')],
    // Two lists of codes explain 03 differently, so it ends nothing at the request.
    ['97000103', 'unknown', NOT_KNOWN],
    ...['02', '04', '05', '07', '08', '09', '10', '12', '13'].map((end): Numbered => {
      return [`970001${end}`, 'declined', NOT_KNOWN]
    }),
  ]
  type Numbered = (typeof NUMBERS)[number]

  for (const [msisdn, first, later] of NUMBERS) {
    rule(`the number ${msisdn} is ${first}, then ${later.is}`, async () => {
      const { request, status, clock } = open()
      assert.equal((await request({ msisdn: `227${msisdn}` })).is, first)
      await clock.advance(180_000)
      assert.partialDeepStrictEqual(await status(), later)
    })
  }

  rule('each number of the simulated network is in the table above', () => {
    assert.deepEqual(
      NUMBERS.map(([msisdn]) => msisdn).sort(),
      Object.keys(open().network.numbers).sort(),
    )
  })

  rule('an enquiry reports TA or TI while the payment is pending', async () => {
    for (const [end, code] of Object.entries({ 31: 'TA', 32: 'TI' })) {
      const { request, status } = open()
      await request({ msisdn: `227970000${end}` })
      assert.deepEqual(await status(), accepted(code))
    }
  })

  rule('a second request with the same id is answered by an enquiry', async () => {
    const airtel = open()
    await airtel.request()
    assert.deepEqual(await airtel.request(), accepted('TIP'))
    assert.equal(countOf(airtel, `/standard/v1/payments/${REFERENCE}`), 1)
    airtel.on('forgets_payments')
    const why = 'the network says that it has the payment, and does not find it'
    assert.deepEqual(await airtel.request(), unknown(why))
  })

  for (const fault of [
    'answer_takes_30_seconds',
    'gateway_times_out',
    'router_times_out',
    'answers_timed_out',
    'answers_something_wrong',
  ]) {
    rule(
      `an accepted payment is neither declined nor reported as unsent with ${fault}`,
      async () => {
        const { request, status, clock } = open({ faults: [`${fault}*1`] })
        const answer = await request()
        assert.ok(
          answer.is === 'unknown' && !('neverLeft' in answer) && !('misconfigured' in answer),
        )
        await clock.advance(DECIDE_AFTER_MS)
        assert.equal((await status()).is, 'succeeded')
      },
    )
  }

  const MISSING = 'ESB000008: Field or header missing or not valid'
  const LOST_HEADER = { ...unknown(MISSING, 'ESB000008'), misconfigured: true }
  /** The answer to a request under a fault, and to the status after the payer's decision. */
  const UNDER_FAULTS: [fault: string, request: object, status?: object][] = [
    // The gateway repeats the request by itself, and finds the id in use.
    ['asks_itself_twice*1', accepted('TIP')],
    ['id_is_false', { is: 'accepted' }],
    ['success_with_code_in_process', { is: 'accepted' }, { is: 'succeeded' }],
    ['tells_amount_with_decimals', { is: 'accepted' }, { is: 'succeeded', amountXof: 1_500 }],
    ['tells_another_amount', { is: 'accepted' }, { is: 'succeeded', amountXof: 1_501 }],
    ['tells_another_currency', { is: 'accepted' }, { is: 'contradicts', reported: 'paid in XAF' }],
    [
      'enquiry_fails',
      { is: 'accepted' },
      unknown('ESB000014: Error while fetching the status', 'ESB000014'),
    ],
    // A success without a payment.
    ['enquiry_has_no_data', { is: 'accepted' }, NOT_KNOWN],
    ['address_not_allowed', refusedUs('no access token: HTTP 403')],
    ['unavailable', notSent('no access token: HTTP 503')],
    ['payments_unavailable', unknown('HTTP 503 with an answer that is not understood')],
    ['country_not_allowed', declined('operator_error', 'ROUTER007', 'settings')],
    ['currency_header_is_lost', LOST_HEADER],
  ]
  for (const [fault, first, later] of UNDER_FAULTS) {
    rule(`a payment with ${fault} gets the expected answer`, async () => {
      const { request, status, clock } = open({ faults: [fault] })
      const answer = withBlamedKind(await request()) as object
      if (later === undefined && Object.keys(first).length > 1) assert.deepEqual(answer, first)
      else assert.partialDeepStrictEqual(answer, first)
      await clock.advance(DECIDE_AFTER_MS)
      if (later !== undefined) assert.partialDeepStrictEqual(await status(), later)
    })
  }

  rule(
    'an accepted request counts as sent, although the following enquiry was not sent',
    async () => {
      const { request } = open({
        faults: ['asks_itself_twice'],
        instead: ({ method }) =>
          method === 'GET' ? { failed: 'no answer: ECONNREFUSED', neverLeft: true } : undefined,
      })
      assert.deepEqual(await request(), unknown('sent, and then: no answer: ECONNREFUSED'))
    },
  )

  rule(
    'an HTML page or a rate limit of the gateway means that the request was not accepted',
    async () => {
      const { request, status, network, on } = open()
      await status()
      on('address_not_allowed')
      assert.deepEqual(await request(), refusedUs('HTTP 403: is our address allowed there?'))
      network.faults.allOff()
      on('too_many_calls')
      assert.deepEqual(await request(), notSent('HTTP 429: too many calls'))
      assert.deepEqual(network.books(), [])
    },
  )
})

describe('airtel-money: refunds', () => {
  const operatorReference = 'MP261115.0930.L00001'
  const REFUND_ID = 'CI261115.0930.L00001'
  const BY_HAND = {
    is: 'by_hand',
    why: `look in the Airtel portal whether ${operatorReference} was refunded`,
  }
  const DONE = { is: 'succeeded', amountXof: 1_500, operatorReference: REFUND_ID }

  async function paid(setting?: Setting) {
    const airtel = open(setting)
    assert.partialDeepStrictEqual(await airtel.paid(), { is: 'succeeded', operatorReference })
    return airtel
  }

  const TIMEOUT = unknown(
    'CONNECTION_TIMEOUT: The gateway had no answer in time',
    'CONNECTION_TIMEOUT',
  )
  /** The answers to a refund and to its status call, and the number of refunds made. */
  const OUTCOMES: [fault: string | undefined, first: object, later: object, refunds: number][] = [
    [undefined, DONE, BY_HAND, 1],
    ['refund_success_is_false', DONE, BY_HAND, 1],
    ['refund_without_float', declined('insufficient_funds', 'DP00900001007'), BY_HAND, 0],
    // An enquiry about the payment proves nothing about the refund.
    ['refund_is_cut', unknown('no answer: UND_ERR_SOCKET'), BY_HAND, 1],
    ['refund_times_out', TIMEOUT, BY_HAND, 1],
    ['tells_reversals', DONE, { is: 'succeeded', operatorReference }, 1],
  ]
  for (const [fault, first, later, refunds] of OUTCOMES) {
    rule(
      `a refund${fault === undefined ? '' : ` with ${fault}`} is answered as expected, and made once`,
      async () => {
        const { refund, refundStatus, network, on, calls } = await paid()
        if (fault !== undefined) on(fault)
        assert.deepEqual(await refund({ operatorReference }), first)
        assert.deepEqual(JSON.parse(calls.at(-1)?.body ?? ''), {
          transaction: { airtel_money_id: operatorReference },
        })
        assert.deepEqual(await refundStatus({ operatorReference }), later)
        assert.equal(network.books()[0]?.refunds, refunds)
      },
    )
  }

  rule('a payment that an enquiry reports as reversed was refunded', async () => {
    const { refund, status, on } = await paid()
    await refund({ operatorReference })
    on('tells_reversals')
    assert.deepEqual(await status(), { is: 'refunded', operatorReference })
  })

  rule(
    'a refund that the network already has is never made twice, and is left to staff',
    async () => {
      const { refund, network } = await paid()
      await refund({ operatorReference })
      assert.deepEqual(
        [await refund({ operatorReference }), network.books()[0]?.refunds],
        [BY_HAND, 1],
      )
    },
  )

  rule('a sent refund counts as sent, also when the following enquiry fails', async () => {
    const status = {
      response_code: 'DP00800001000',
      result_code: 'ESB000041',
      success: false,
      code: '500',
    }
    const answers = { POST: { code: 200, body: { status } }, GET: { code: 429, body: '' } }
    let refuses = false
    const { refund } = await paid({
      instead: ({ method }) =>
        refuses ? { headers: {}, ...answers[method as 'GET' | 'POST'] } : undefined,
    })
    refuses = true
    assert.deepEqual(
      await refund({ operatorReference }),
      unknown('sent, and then: HTTP 429: too many calls'),
    )
  })

  rule('a refund of a payment unknown to the network is refused', async () => {
    const answer = await open().refund({ operatorReference: 'MP000000.0000.L00000' })
    assert.deepEqual(answer, declined('operator_error', 'ESB000045'))
  })

  rule('while enquiries fail, a refund is unknown and not yet left to staff', async () => {
    const { refundStatus } = open({ faults: ['enquiry_fails'] })
    assert.equal((await refundStatus({ operatorReference })).is, 'unknown')
  })
})

describe('airtel-money: callbacks', () => {
  const ANSWER = '{"code":200,"status":"SUCCESS"}'
  const GENUINE: ReadCallback = { reference: REFERENCE, isGenuine: true, answer: ANSWER }

  async function calledBack(
    setting: Setting = {},
    msisdn = AIRTEL.payer,
    afterMs = DECIDE_AFTER_MS,
  ) {
    const airtel = open(setting)
    await airtel.request({ msisdn })
    await airtel.clock.advance(afterMs)
    const [callback] = airtel.callbacks
    return {
      ...airtel,
      callback,
      read: callback && airtel.operator.parseCallback(received(callback)),
    }
  }

  rule(
    'a decided payment has one callback, with a hash that only the network can make',
    async () => {
      const { callbacks, callback, read, operator } = await calledBack({}, AIRTEL.payer, 3_600_000)
      assert.deepEqual([callbacks.length, callback?.url, read], [1, callbackUrlOf(AIRTEL), GENUINE])
      const parsed = JSON.parse(callback?.body ?? '')
      assert.deepEqual(parsed.transaction, {
        id: REFERENCE,
        message:
          'Paid XOF 1,500 to SIMULATED MERCHANT Charge XOF 0, Trans ID MP261115.0930.L00001.',
        status_code: 'TS',
        airtel_money_id: 'MP261115.0930.L00001',
      })
      const spaced = received({ ...callback!, body: JSON.stringify(parsed, null, 2) })
      assert.deepEqual(
        operator.parseCallback(spaced),
        GENUINE,
        'white space does not change the hash',
      )
    },
  )

  const header = { callbackHashHeader: 'X-Auth-Hash' }
  const READ: [about: string, setting: Setting, read: ReadCallback | undefined][] = [
    ['the hash in a header is genuine', { simulator: header, options: header }, GENUINE],
    ['a key and no hash is refused', { faults: ['callbacks_without_hash'] }, undefined],
    ['a key and a wrong hash is refused', { faults: ['callbacks_with_wrong_hash'] }, undefined],
    ['no payment is not read', { faults: ['callbacks_without_id'] }, undefined],
    [
      'no key is only a hint, since any client may have sent it',
      { options: { callbackKey: undefined }, simulator: { hashesCallbacks: false } },
      { ...GENUINE, isGenuine: false },
    ],
  ]
  for (const [about, setting, expected] of READ) {
    rule(`a callback with ${about}`, async () =>
      assert.deepEqual((await calledBack(setting)).read, expected),
    )
  }

  const posted = (body: string): CallbackRequest => ({
    method: 'POST',
    path: '',
    headers: {},
    body: Buffer.from(body),
  })

  rule(
    'the documents’ sample callback is accepted, and refused with another status under the same hash',
    () => {
      const { operator, network } = open()
      const transaction = {
        id: REFERENCE,
        message:
          'Paid UGX 5,000 to TECHNOLOGIES LIMITED Charge UGX 140, Trans ID MP210603.1234.L06941.',
        status_code: 'TS',
        airtel_money_id: 'MP210603.1234.L06941',
      }
      const key = network.credentials.callbackKey as string
      const hash = createHmac('sha256', key).update(JSON.stringify(transaction)).digest('base64')
      assert.deepEqual(
        operator.parseCallback(posted(JSON.stringify({ transaction, hash }))),
        GENUINE,
      )
      const another = { transaction: { ...transaction, status_code: 'TF' }, hash }
      assert.equal(operator.parseCallback(posted(JSON.stringify(another))), undefined)
    },
  )

  rule('a body that is not a callback of Airtel is ignored', () => {
    const { operator } = open({ options: { callbackKey: undefined } })
    const ids = ['null', '[]', '{}', '{"id":7}', '{"id":"BBZMiscxy"}'].map(
      (sent) => `{"transaction":${sent}}`,
    )
    for (const body of ['', 'null', '[]', '{', '{}', ...ids])
      assert.equal(operator.parseCallback(posted(body)), undefined, body)
  })

  const WAITING = [...Array(17).fill('TIP'), 'TS']
  const SENT: [
    about: string,
    fault: string,
    msisdn: string,
    afterMs: number,
    statuses: string[],
  ][] = [
    ['one about a failure', 'id_is_false', '22797000007', DECIDE_AFTER_MS, ['TF']],
    ['none', 'no_callbacks', AIRTEL.payer, 60_000, []],
    ['the same one twenty times', 'callbacks_repeated', AIRTEL.payer, 60_000, Array(20).fill('TS')],
    [
      'several while the payer has not decided',
      'callbacks_in_progress',
      '22797000031',
      200_000,
      WAITING,
    ],
  ]
  for (const [about, fault, msisdn, afterMs, statuses] of SENT) {
    rule(`callbacks: ${about}`, async () => {
      const { callbacks } = await calledBack({ faults: [fault] }, msisdn, afterMs)
      const sent = callbacks.map(({ body }) => JSON.parse(body).transaction.status_code)
      assert.deepEqual(sent, statuses)
    })
  }

  rule('a person can decide instead of the payer, once', async () => {
    const { network, clock, callbacks, status } = await calledBack({}, '22797000030', 0)
    const decisions = [network.decide(REFERENCE, 'no_funds'), network.decide(REFERENCE, 'approve')]
    assert.deepEqual([...decisions, network.decide('unknown', 'approve')], [true, false, false])
    await clock.advance(1)
    assert.equal(callbacks.length, 1)
    assert.deepEqual(await status(), declined('insufficient_funds', 'DP00800001007'))
  })

  rule('an ignored prompt expires', async () => {
    const { request, status, network, clock } = open()
    await request()
    network.decide(REFERENCE, 'ignore')
    await clock.advance(179_000)
    assert.equal((await status()).is, 'accepted')
    await clock.advance(1_000)
    assert.deepEqual(await status(), declined('expired', 'DP00800001029'))
    assert.equal(network.books()[0]?.debits, 0)
  })
})

describe('airtel-money: tokens', () => {
  const TOKEN = '/auth/oauth2/token'
  const ten = ({ status }: Opened) => Promise.all(Array.from({ length: 10 }, () => status()))

  rule('ten concurrent calls share one token, and one new token when it is refused', async () => {
    const airtel = open()
    assert.ok((await ten(airtel)).every(({ is }) => is === 'not_known'))
    assert.equal(countOf(airtel, TOKEN), 1)
    airtel.on('token_ends_early*10')
    assert.ok((await ten(airtel)).every(({ is }) => is === 'not_known'))
    assert.equal(countOf(airtel, TOKEN), 2)
  })

  rule('the credentials are sent as JSON, without an application header', async () => {
    const { status, calls } = open()
    await status()
    assert.deepEqual(JSON.parse(calls[0]?.body ?? ''), {
      client_id: 'simulated-airtel-client',
      client_secret: 'simulated-airtel-secret',
      grant_type: 'client_credentials',
    })
    assert.deepEqual(calls[0]?.headers, COMMON)
  })

  for (const fault of ['id_is_false', 'token_life_is_text']) {
    rule(`a token is renewed before its end, with ${fault}`, async () => {
      const airtel = open({ faults: [fault] })
      const counts: number[] = []
      for (const ms of [0, 140_000, 15_000, 100_000]) {
        await airtel.clock.advance(ms)
        assert.deepEqual(await airtel.status(), NOT_KNOWN)
        await airtel.clock.settle()
        counts.push(countOf(airtel, TOKEN))
      }
      assert.deepEqual(counts, [1, 1, 2, 2])
    })
  }

  for (const faults of [['token_ends_early*1'], ['expired_token_is_403', 'token_ends_early*1']]) {
    rule(
      `a refused token is renewed once, and the request sent with the same id: ${faults}`,
      async () => {
        const airtel = open({ faults })
        assert.equal((await airtel.request()).is, 'accepted')
        const sent = airtel.calls.filter(({ path }) => path === PAYMENTS)
        const ids = sent.map(({ body }) => JSON.parse(body ?? '').transaction.id)
        assert.deepEqual(ids, [REFERENCE, REFERENCE])
        assert.deepEqual([countOf(airtel, TOKEN), airtel.network.books()[0]?.requests], [2, 1])
      },
    )
  }

  rule(
    'a network that refuses every token is called twice, and the request was not accepted',
    async () => {
      const airtel = open({ faults: ['token_ends_early'] })
      const why = 'HTTP 401: the network refuses the access tokens that it gives us'
      assert.deepEqual(await airtel.request(), refusedUs(why))
      assert.equal(countOf(airtel, PAYMENTS), 2)
    },
  )

  rule('calls continue when a new token ends the old one', async () => {
    const { status, clock } = open({ faults: ['new_token_ends_the_old'] })
    for (let nth = 0; nth < 10; nth++) {
      assert.deepEqual(await Promise.all([status(), status()]), [NOT_KNOWN, NOT_KNOWN])
      await clock.advance(50_000)
    }
  })

  rule(
    'refused credentials are a misconfiguration, and the network is not called for a second',
    async () => {
      const airtel = open({ options: { clientSecret: 'another' } })
      const refused = refusedUs('no access token: HTTP 400 invalid_client')
      assert.deepEqual([await airtel.request(), await airtel.request()], [refused, refused])
      assert.equal(countOf(airtel, TOKEN), 1)
    },
  )

  rule('a failed token call is the network’s fault', async () => {
    assert.deepEqual(
      await open({ faults: ['token_answers_500'] }).request(),
      notSent('no access token: HTTP 500'),
    )
  })

  rule(
    'a token call of 20 seconds lets the first call end in time, and serves the next',
    async () => {
      const airtel = open({ faults: ['token_takes_20_seconds*1'] })
      const begun = airtel.clock.now()
      assert.deepEqual(
        await airtel.request(),
        notSent('the network gave no access token within 5000 ms'),
      )
      assert.ok(airtel.clock.now() - begun <= DEADLINE_MS)
      await airtel.clock.advance(20_000)
      assert.deepEqual([(await airtel.request()).is, countOf(airtel, TOKEN)], ['accepted', 1])
    },
  )

  rule('a request ends within its deadline, including the token and a renewal', async () => {
    const airtel: Opened = open({
      instead: ({ path, timeoutMs = DEADLINE_MS }) =>
        new Promise((resolve) => {
          // The token comes after 4 s, a refusal of it after 5 s: too little is left for a second
          // request.
          const [afterMs, result] =
            path === TOKEN
              ? [
                  4_000,
                  { code: 200, headers: {}, body: { access_token: 'token', expires_in: 180 } },
                ]
              : [5_000, { code: 401, headers: {}, body: {} }]
          const isLate = afterMs > timeoutMs
          airtel.clock.after(Math.min(afterMs, timeoutMs), () =>
            resolve(isLate ? { failed: 'no answer' } : result),
          )
        }),
    })
    const begun = airtel.clock.now()
    assert.deepEqual(
      await airtel.request(),
      notSent('the network gave no access token within 1000 ms'),
    )
    assert.ok(airtel.clock.now() - begun <= DEADLINE_MS)
  })
})

describe('airtel-money: signing', () => {
  const KEYS = '/v1/rsa/encryption-keys'
  const SIGNED = { simulator: { requiresSigning: true }, options: { version: 2 } } as const
  const V2_PAYMENTS = '/merchant/v2/payments/'

  for (const padding of ['pkcs1', 'oaep-sha256'] as const) {
    rule(`a payment and a refund are signed with ${padding}, and an enquiry is not`, async () => {
      const airtel = open({
        simulator: { requiresSigning: true, padding },
        options: { version: 2, padding },
      })
      const paid = await airtel.paid()
      assert.ok(paid.is === 'succeeded')
      assert.equal(airtel.calls.at(-1)?.headers['x-signature'], undefined)
      const { operatorReference } = paid
      assert.equal((await airtel.refund({ operatorReference })).is, 'succeeded')
      for (const path of [
        V2_PAYMENTS,
        '/standard/v2/payments/refund',
        `/standard/v1/payments/${REFERENCE}`,
      ])
        assert.equal(countOf(airtel, path), 1, path)
    })
  }

  rule(
    'ten concurrent payments fetch the network’s key once, in an hour again, and use their own key each',
    async () => {
      const airtel = open(SIGNED)
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) => airtel.request({}, at)),
      )
      assert.ok(answers.every(({ is }) => is === 'accepted'))
      const keys = airtel.calls
        .filter(({ path }) => path === V2_PAYMENTS)
        .map(({ headers }) => headers['x-key'])
      assert.deepEqual([countOf(airtel, KEYS), new Set(keys).size], [1, 10])
      await airtel.clock.advance(3_600_000)
      assert.deepEqual([(await airtel.request({}, 11)).is, countOf(airtel, KEYS)], ['accepted', 2])
    },
  )

  rule(
    'a key that was replaced early is fetched again, and the same request sent again',
    async () => {
      const airtel = open(SIGNED)
      await airtel.request()
      airtel.on('signing_key_is_replaced*1')
      assert.equal((await airtel.request({}, 2)).is, 'accepted')
      assert.equal(countOf(airtel, KEYS), 2)
      assert.deepEqual(column(airtel.network.books(), 'requests'), [1, 1])
    },
  )

  /** How often the payment is sent until the answer. */
  const REFUSED: [about: string, setting: Setting, answer: object, sent: number][] = [
    [
      'a signature that the network never takes, after one new key',
      { simulator: { requiresSigning: true, padding: 'oaep-sha256' }, options: { version: 2 } },
      refusedUs('DP00800001026: Signature and body do not match', 'DP00800001026'),
      2,
    ],
    [
      'a key that is too short for its padding',
      { options: { version: 2, padding: 'oaep-sha256' } },
      refusedUs('the network’s key cannot be used with the padding oaep-sha256'),
      0,
    ],
    [
      'an unsigned payment where signing is on',
      { simulator: { requiresSigning: true } },
      {
        ...unknown('ROUTER003: Header or body parameters missing', 'ROUTER003'),
        misconfigured: true,
      },
      0,
    ],
  ]
  for (const [about, setting, answer, sent] of REFUSED) {
    rule(`${about} is a misconfiguration`, async () => {
      const airtel = open(setting)
      assert.deepEqual(await airtel.request(), answer)
      assert.equal(countOf(airtel, V2_PAYMENTS), sent)
    })
  }

  rule('the expiry of a key, which has no time zone, can only shorten an hour', () => {
    const now = Date.UTC(2024, 7, 12, 21, 0, 0)
    const lifetimes: [string | undefined, number][] = [
      ['12-08-2024 21:29:26', 29 * 60_000 + 26_000],
      ['13-08-2024 21:29:26', 3_600_000],
      ['12-08-2024 20:29:26', 60_000],
      ['2024-08-12', 3_600_000],
      [undefined, 3_600_000],
    ]
    for (const [validUpTo, lastsMs] of lifetimes)
      assert.equal(keyLastsMs(validUpTo, now), lastsMs, validUpTo)
  })
})

describe('airtel-money: check of a connection', () => {
  const right = (about: string): CheckLine => ({ is: 'right', about })
  const CALLBACK = {
    is: 'not_known',
    about: `callback address: the portal must have ${callbackUrlOf(AIRTEL)}`,
  }
  const checked = (setting: Setting = {}): Promise<CheckLine[]> => {
    const { check, run } = open(setting)
    return run(check())
  }

  rule(
    'a working connection has its token, balance and clock right, and its key in version 2',
    async () => {
      const lines = [
        right('access token'),
        right('balance: 37600 XOF'),
        right('this machine’s clock'),
      ]
      assert.deepEqual(await checked(), [...lines, CALLBACK])
      const signed = await checked({
        options: { version: 2 },
        faults: ['balance_success_is_false'],
      })
      assert.deepEqual(signed, [...lines, right('key for signing messages'), CALLBACK])
    },
  )

  for (const [about, setting, line, remedy] of [
    ['a wrong secret', { options: { clientSecret: 'another' } }, /invalid_client/, /clientSecret/],
    ['no callback address', { callbackUrl: null }, /callback address: none/, /portal/],
    ['no https', { callbackUrl: 'http://karba.example' }, /is not https/, /https/],
    ['a wrong clock', { faults: ['clock_is_off'] }, /clock/, /by -?600 s.*time server/],
    [
      'a disallowed address',
      { faults: ['address_not_allowed'] },
      /HTTP 403/,
      /address is on its list/,
    ],
    ['another country', { options: { country: 'TD' } }, /ROUTER007/, /approved for TD/],
  ] as [string, Setting, RegExp, RegExp][]) {
    rule(`${about} has its line, with a correction`, async () => {
      const found = (await checked(setting)).find(({ is }) => is === 'wrong')
      assert.match(found?.about ?? '', line)
      assert.match(found?.remedy ?? '', remedy)
    })
  }

  rule('an unreachable network leaves the result open', async () => {
    const lines = await checked({
      instead: () => ({ failed: 'no answer: ECONNREFUSED', neverLeft: true }),
    })
    const about = 'access token and balance: no access token: no answer: ECONNREFUSED'
    assert.deepEqual(lines, [{ is: 'not_known', about }, CALLBACK])
  })
})

about('options', () => {
  const options = airtelMoney.options(z.string().min(1))
  const CREDENTIALS = { clientId: 'id', clientSecret: 'secret' }

  rule(
    'need only two credentials: the defaults are Niger’s, whose address is not published',
    () => {
      assert.deepEqual(options.parse(CREDENTIALS), {
        ...CREDENTIALS,
        version: 1,
        padding: 'pkcs1',
        country: 'NE',
        currency: 'XOF',
        callingCode: '227',
        userAgent: 'Karba/1.0',
      })
      assert.deepEqual(airtelMoney.addresses, {})
    },
  )

  for (const wrong of [
    { clientSecret: undefined },
    { version: 3 },
    { version: '2' },
    { padding: 'none' },
    { country: 'Niger' },
    { currency: 'xof' },
    { callingCode: '+227' },
    { callbackHashHeader: 'x hash' },
    { userAgent: '' },
    { host: 'openapi.airtel.africa' },
  ]) {
    rule(`refuse ${JSON.stringify(wrong)}`, () =>
      assert.equal(options.safeParse({ ...CREDENTIALS, ...wrong }).success, false),
    )
  }

  rule('have a description each', () => {
    const { properties = {} } = z.toJSONSchema(options, { io: 'input' })
    assert.equal(Object.keys(properties).length, 10)
    for (const [name, property] of Object.entries(properties))
      assert.match((property as { description?: string }).description ?? '', /^[A-Z0-9].*\.$/, name)
  })
})
