// The rules of pawapay that no other network has: every-network.test.ts has those that all share.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe } from 'node:test'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { EVERY_ACCOUNT } from '../../src/domain/caller.ts'
import { uuidOfReference } from '../../src/domain/reference.ts'
import type { CheckLine } from '../../src/operators/connector.ts'
import {
  DEPOSIT_FAILED,
  DEPOSIT_REFUSED,
  REFUND_FAILED,
  REFUND_REFUSED,
} from '../../src/operators/connectors/pawapay/translate.ts'
import type { CallResult } from '../../src/operators/http-call.ts'
import { listRefundsByHand } from '../../src/store/payments/refunds.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { rulesOf } from '../kit/rules-of.ts'
import { get, order, post } from '../kit/service.ts'
import { virtualClock } from '../kit/virtual-clock.ts'
import { openServiceOnNetwork, withBlamedKind } from './harness.ts'
import {
  answer,
  ask,
  CALLBACK_URL,
  collection,
  DEADLINE_MS,
  DECIDED_AFTER_MS,
  depositIdOf,
  type OpenOptions,
  openPawapay,
  PAWAPAY_UNDER_TEST,
  received,
  reference,
  reversal,
  scriptedPawapay,
} from './pawapay.ts'

const { rule, about } = rulesOf('pawapay')

describe('pawapay: deposits', () => {
  about('a deposit', () => {
    rule('is accepted, under way, and then paid', async () => {
      const { operator, clock, done, network } = openPawapay()
      assert.deepEqual(await done(operator.request(collection(1))), { is: 'accepted' })
      assert.deepEqual(await done(operator.status(reference(1))), { is: 'accepted', code: 'ACCEPTED' })
      await clock.advance(2_000)
      assert.deepEqual(await done(operator.status(reference(1))), { is: 'accepted', code: 'PROCESSING' })
      await clock.advance(DECIDED_AFTER_MS)
      const paid = await done(operator.status(reference(1)))
      assert.deepEqual(paid, { is: 'succeeded', amountXof: 1_000, operatorReference: '0000000000' })
      const [booked] = network.books()
      assert.deepEqual([booked?.debits, booked?.requests, booked?.msisdn], [1, 1, '2290151345789'])
    })

    rule('is asked for as the documents want it', async () => {
      const { operator, done, calls } = openPawapay()
      await done(operator.request(collection(1, { operator: 'moov_bj', msisdn: '2290195345789' })))
      const { path, headers, body } = calls.find(({ method }) => method === 'POST') as (typeof calls)[number]
      assert.equal(path, '/v2/deposits')
      assert.equal(headers.authorization, 'Bearer simulated-pawapay-token')
      assert.equal(headers['user-agent'], 'Karba/1.0')
      assert.deepEqual(JSON.parse(body as string), {
        depositId: depositIdOf(1),
        amount: '1000',
        currency: 'XOF',
        payer: { type: 'MMO', accountDetails: { phoneNumber: '2290195345789', provider: 'MOOV_BEN' } },
        customerMessage: '7K3MPQ2X4',
        clientReferenceId: '7K3M-PQ2X-4',
      })
    })

    rule('is sent with eight digits, another provider’s code and another User-Agent where these are set', async () => {
      const options = { msisdnDigits: 8, providers: { mtn_bj: 'MOOV_BEN' }, userAgent: 'Shop/2' }
      const { operator, done, calls } = openPawapay({ options })
      assert.deepEqual(await done(operator.request(collection(1))), { is: 'accepted' })
      const { headers, body } = calls.find(({ method }) => method === 'POST') as (typeof calls)[number]
      const { phoneNumber, provider } = JSON.parse(body as string).payer.accountDetails
      assert.deepEqual([phoneNumber, provider, headers['user-agent']], ['22951345789', 'MOOV_BEN', 'Shop/2'])
    })

    rule('whose duplicate is not found has not been refused, nor was it never sent', async () => {
      const { operator, done, network } = openPawapay()
      await done(operator.request(collection(1)))
      network.faults.on('not_found_at_first')
      const why = 'said to be a duplicate, and then not found'
      assert.deepEqual(await done(operator.request(collection(1))), { is: 'unknown', why })
      network.faults.allOff()
      network.faults.on('status_unavailable')
      const again = await done(operator.request(collection(1)))
      assert.deepEqual(again, { is: 'unknown', why: 'a duplicate, but HTTP 503' })
    })

    rule('for a network that pawaPay does not reach is not sent', async () => {
      const { operator, done, calls } = openPawapay()
      const answer = await done(operator.request(collection(1, { operator: 'celtiis_bj' })))
      const why = 'no provider is set for celtiis_bj'
      assert.deepEqual(answer, { is: 'unknown', why, neverLeft: true, misconfigured: true })
      assert.deepEqual(calls, [])
    })
  })

  const ENDS: [subscriber: string, expected: object][] = [
    ['51345019', { is: 'declined', reason: 'limit_reached', code: 'PAYER_LIMIT_REACHED' }],
    ['51345029', { is: 'declined', reason: 'payer_not_found', code: 'PAYER_NOT_FOUND' }],
    ['51345039', { is: 'declined', reason: 'declined', code: 'PAYMENT_NOT_APPROVED' }],
    ['51345049', { is: 'declined', reason: 'insufficient_funds', code: 'INSUFFICIENT_BALANCE' }],
    ['51345069', { is: 'declined', reason: 'operator_error', code: 'UNSPECIFIED_FAILURE' }],
    ['51345129', { is: 'accepted', code: 'SUBMITTED' }],
    ['51345139', { is: 'accepted', code: 'IN_RECONCILIATION' }],
    ['51345149', { is: 'declined', reason: 'operator_error', code: 'PAYMENT_IN_PROGRESS' }],
    ['51345169', { is: 'declined', reason: 'limit_reached', code: 'WALLET_LIMIT_REACHED' }],
    ['51345179', { is: 'declined', reason: 'operator_error', code: 'A_CODE_OF_NEXT_YEAR' }],
    ['95345679', { is: 'declined', reason: 'operator_error', code: 'UNSPECIFIED_FAILURE' }],
    ['95345639', { is: 'accepted', code: 'SUBMITTED' }],
  ]

  about('the test numbers', () => {
    for (const [subscriber, expected] of ENDS) {
      rule(`229 ${subscriber} ends as the documents say, with ten digits and with eight`, async () => {
        for (const msisdnDigits of [10, 8]) {
          const { paid } = openPawapay({ options: { msisdnDigits } })
          assert.deepEqual(await paid(1, { msisdn: `22901${subscriber}` }), expected)
        }
      })
    }

    rule('a deposit in reconciliation ends after an hour', async () => {
      const { paid, clock, done, operator } = openPawapay()
      await paid(1, { msisdn: '2290151345139' })
      await paid(2, { msisdn: '2290151345159' })
      await clock.advance(3_600_000)
      assert.equal((await done(operator.status(reference(1)))).is, 'succeeded')
      const failed = { is: 'declined', reason: 'operator_error', code: 'UNSPECIFIED_FAILURE' }
      assert.deepEqual(await done(operator.status(reference(2))), failed)
    })
  })

  about('what the network makes of amounts', () => {
    const forms = ['amounts_with_four_decimals', 'amounts_as_numbers', 'amounts_with_separators']
    for (const fault of forms) {
      rule(`a paid amount is read in whole francs: ${fault}`, async () => {
        const { paid, network } = openPawapay()
        network.faults.on(fault)
        const expected = { is: 'succeeded', amountXof: 37_600, operatorReference: '0000000000' }
        assert.deepEqual(await paid(1, { amountXof: 37_600 }), expected)
      })
    }

    rule('another amount is told as it is, and another currency contradicts', async () => {
      const { paid, network } = openPawapay()
      network.faults.on('another_amount')
      assert.deepEqual(await paid(1), { is: 'succeeded', amountXof: 1_100, operatorReference: '0000000000' })
      network.faults.allOff()
      network.faults.on('another_currency')
      assert.deepEqual(await paid(2), { is: 'contradicts', told: 'COMPLETED in XAF' })
    })

    rule('an amount that is not allowed is declined', async () => {
      const { operator, done } = openPawapay()
      const answer = await done(operator.request(collection(1, { amountXof: 99 })))
      assert.deepEqual(answer, { is: 'declined', reason: 'amount_not_allowed', code: 'AMOUNT_OUT_OF_BOUNDS' })
    })
  })

  about('a failure without a reason, or with a reason as text', () => {
    rule('is declined all the same: FAILED is final', async () => {
      const { paid, network } = openPawapay()
      network.faults.on('reason_missing')
      const bare = { is: 'declined', reason: 'operator_error', code: 'FAILED' }
      assert.deepEqual(await paid(1, { msisdn: '2290151345049' }), bare)
      network.faults.allOff()
      network.faults.on('reason_as_text')
      const told = { is: 'declined', reason: 'insufficient_funds', code: 'INSUFFICIENT_BALANCE' }
      assert.deepEqual(await paid(2, { msisdn: '2290151345049' }), told)
    })
  })
})

describe('pawapay: refunds', () => {
  about('a refund', () => {
    rule('is accepted, under way, and then done; it is not known before it was sent', async () => {
      const { operator, clock, done, paid, network, calls } = openPawapay()
      await paid(1)
      assert.deepEqual(await done(operator.refundStatus(reversal(1))), { is: 'not_known' })
      assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'accepted' })
      assert.deepEqual(JSON.parse(calls.at(-1)?.body as string), {
        refundId: uuidOfReference(reversal(1).refundReference),
        depositId: depositIdOf(1),
        amount: '1000',
        currency: 'XOF',
      })
      assert.deepEqual(await done(operator.refundStatus(reversal(1))), { is: 'accepted', code: 'ACCEPTED' })
      await clock.advance(DECIDED_AFTER_MS)
      const refunded = await done(operator.refundStatus(reversal(1)))
      assert.deepEqual([refunded.is, 'amountXof' in refunded && refunded.amountXof], ['succeeded', 1_000])
      assert.equal(network.books()[0]?.refunds, 1)
    })

    rule('that is asked for twice is made once: the second answer is its state', async () => {
      const { operator, clock, done, paid, network } = openPawapay()
      await paid(1)
      network.faults.on('cut_after_registering', 1)
      assert.equal((await done(operator.refund(reversal(1)))).is, 'unknown')
      assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'accepted', code: 'ACCEPTED' })
      await clock.advance(DECIDED_AFTER_MS)
      assert.equal((await done(operator.refund(reversal(1)))).is, 'succeeded')
      assert.equal(network.books()[0]?.refunds, 1)
    })

    rule('waits for another one of the same deposit', async () => {
      const { operator, clock, done, paid, network } = openPawapay()
      await paid(1)
      ask(network, 'POST', '/v2/refunds', {
        body: { refundId: depositIdOf(77), depositId: depositIdOf(1), amount: '400', currency: 'XOF' },
      })
      assert.deepEqual(await done(operator.refund(reversal(1, { amountXof: 600 }))), {
        is: 'unknown',
        why: 'another refund of the deposit is under way',
        code: 'REFUND_IN_PROGRESS',
        neverLeft: true,
        passesWithinMs: 86_400_000,
      })
      await clock.advance(DECIDED_AFTER_MS)
      assert.deepEqual(await done(operator.refund(reversal(1, { amountXof: 600 }))), { is: 'accepted' })
      await clock.advance(DECIDED_AFTER_MS)
      assert.equal(network.books()[0]?.refunds, 1)
    })

    rule('of more than is left, or of what somebody refunded in the dashboard, is for a person', async () => {
      const { operator, clock, done, paid, network } = openPawapay()
      await paid(1)
      const body = { refundId: depositIdOf(77), depositId: depositIdOf(1), amount: '400', currency: 'XOF' }
      ask(network, 'POST', '/v2/refunds', { body })
      await clock.advance(DECIDED_AFTER_MS)
      const why = 'part of the deposit was refunded by another way (AMOUNT_TOO_LARGE)'
      assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'by_hand', why })
      await paid(2)
      network.faults.on('refunded_elsewhere', 1)
      const elsewhere = { is: 'by_hand', why: 'the deposit was refunded by another way' }
      assert.deepEqual(await done(operator.refund(reversal(2))), elsewhere)
    })

    rule('that pawaPay has done already is read, not taken for another’s', async () => {
      const refundId = uuidOfReference(reversal(1).refundReference)
      const data = { refundId, status: 'COMPLETED', amount: '1000.00', currency: 'XOF' }
      const { operator } = scriptedPawapay({
        'POST *': answer(200, { status: 'REJECTED', failureReason: { failureCode: 'DEPOSIT_ALREADY_REFUNDED' } }),
        'GET *': answer(200, { status: 'FOUND', data }),
      })
      const expected = { is: 'succeeded', amountXof: 1_000, operatorReference: refundId }
      assert.deepEqual(await operator.refund(reversal(1)), expected)
    })

    rule('waits for money in the wallet, and goes through once somebody has topped it up', async () => {
      const { operator, done, paid, network } = openPawapay()
      await paid(1)
      network.faults.on('wallet_empty', 1)
      assert.deepEqual(await done(operator.refund(reversal(1))), {
        is: 'unknown',
        why: 'the pawaPay wallet does not hold the amount: top it up',
        code: 'PAWAPAY_WALLET_OUT_OF_FUNDS',
        neverLeft: true,
        misconfigured: true,
      })
      assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'accepted' })
    })

    rule('that the account may not make is for a person', async () => {
      const { operator, done, paid, network } = openPawapay()
      await paid(1)
      network.faults.on('refunds_not_allowed')
      const why = 'refunds are not enabled for the pawaPay account (REFUNDS_NOT_ALLOWED)'
      assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'by_hand', why })
    })

    rule('waits while its provider is DELAYED', async () => {
      const { operator, clock, done, paid, network } = openPawapay()
      await paid(1)
      network.faults.on('provider_delayed')
      assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'accepted' })
      assert.deepEqual(await done(operator.refundStatus(reversal(1))), { is: 'accepted', code: 'ENQUEUED' })
      await clock.advance(11 * 60_000)
      assert.equal((await done(operator.refundStatus(reversal(1)))).is, 'succeeded')
    })

    const LATER: [subscriber: string, expected: object][] = [
      ['51345089', { is: 'declined', reason: 'payer_not_found', code: 'RECIPIENT_NOT_FOUND' }],
      ['51345099', { is: 'declined', reason: 'limit_reached', code: 'WALLET_LIMIT_REACHED' }],
      ['51345119', { is: 'declined', reason: 'operator_error', code: 'UNSPECIFIED_FAILURE' }],
    ]
    for (const [subscriber, expected] of LATER) {
      rule(`that was accepted fails later for 229 ${subscriber}`, async () => {
        const { operator, clock, done, paid, network } = openPawapay()
        await paid(1, { msisdn: `22901${subscriber}` })
        assert.deepEqual(await done(operator.refund(reversal(1))), { is: 'accepted' })
        await clock.advance(DECIDED_AFTER_MS)
        assert.deepEqual(await done(operator.refundStatus(reversal(1))), expected)
        assert.equal(network.books()[0]?.refunds, 0)
      })
    }
  })

  rule('a refund of a deposit that pawaPay does not finish is tried for a day, and then left to a person', async () => {
    const service = await openServiceOnNetwork(PAWAPAY_UNDER_TEST)
    try {
      const { clock, network, db } = service
      const { secretKey } = (await service.merchant()).accounts.sandbox
      const { body } = await post(service, secretKey, order({ country: 'BJ', msisdn: PAWAPAY_UNDER_TEST.msisdn }))
      await clock.advance(10_000)
      network.faults.on('deposit_not_finished')
      granted(await refundPayment(service, TESTER, { name: body.reference as string }))
      const byHand = async (): Promise<string[]> =>
        (await listRefundsByHand(db, EVERY_ACCOUNT, 10)).map(({ why }) => why)
      for (let hour = 0; hour < 23; hour++) await clock.sleep(3_600_000)
      await clock.advance(60_000)
      assert.deepEqual(await byHand(), [])
      await clock.sleep(3_600_000)
      await clock.advance(60_000)
      assert.deepEqual(await byHand(), ['pawaPay has not finished processing the deposit, for too long'])
      assert.equal((await get(service, secretKey, body.reference as string)).body.status, 'succeeded')
      assert.equal(network.books()[0]?.refunds, 0)
    } finally {
      await service.remove()
    }
  })
})

describe('pawapay: failures', () => {
  const REQUESTS: [fault: string, expected: object][] = [
    ['cut_after_registering', { is: 'unknown', why: 'no answer: UND_ERR_SOCKET' }],
    ['cut_before_registering', { is: 'unknown', why: 'no answer: UND_ERR_SOCKET' }],
    ['never_answers', { is: 'unknown', why: `no answer within ${DEADLINE_MS} ms` }],
    ['answers_too_late', { is: 'unknown', why: `no answer within ${DEADLINE_MS} ms` }],
    ['unknown_error', { is: 'unknown', why: 'HTTP 500', code: 'UNKNOWN_ERROR' }],
    ['unknown_error_after_registering', { is: 'unknown', why: 'HTTP 500', code: 'UNKNOWN_ERROR' }],
    ['unavailable', { is: 'unknown', why: 'HTTP 503', neverLeft: true }],
    [
      'provider_closed',
      {
        is: 'unknown',
        why: 'the provider takes no payments at the moment',
        code: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
        neverLeft: true,
      },
    ],
    [
      'provider_delayed',
      {
        is: 'unknown',
        why: 'the provider takes no payments at the moment',
        code: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
        neverLeft: true,
      },
    ],
    [
      'deposits_not_allowed',
      {
        is: 'unknown',
        why: 'deposits are not enabled for the account',
        code: 'DEPOSITS_NOT_ALLOWED',
        neverLeft: true,
        misconfigured: true,
      },
    ],
    [
      'token_refused',
      {
        is: 'unknown',
        why: 'pawaPay refused the API token',
        code: 'AUTHENTICATION_ERROR',
        neverLeft: true,
        misconfigured: true,
      },
    ],
    [
      'gateway_refuses',
      {
        is: 'unknown',
        why: 'HTTP 403 without JSON: a gateway refused the call',
        neverLeft: true,
        misconfigured: true,
      },
    ],
  ]

  about('a request for a deposit', () => {
    for (const [fault, expected] of REQUESTS) {
      rule(`is not declined when the network has the fault ${fault}`, async () => {
        const { operator, done, network } = openPawapay()
        network.faults.on(fault)
        assert.deepEqual(await done(operator.request(collection(1))), expected)
      })
    }

    rule('that is turned away for there being too many was not sent', async () => {
      const { operator } = scriptedPawapay({ 'POST *': answer(429, '') })
      assert.deepEqual(await operator.request(collection(1)), { is: 'unknown', why: 'HTTP 429', neverLeft: true })
      assert.deepEqual(await operator.refund(reversal(1)), { is: 'unknown', why: 'HTTP 429', neverLeft: true })
    })

    rule(
      'that meets 503 was not sent; a refund may have been, for a gateway before the network says so too',
      async () => {
        const { operator } = scriptedPawapay({ 'POST *': answer(503, '<html>Bad Gateway</html>') })
        assert.deepEqual(await operator.request(collection(1)), { is: 'unknown', why: 'HTTP 503', neverLeft: true })
        assert.deepEqual(await operator.refund(reversal(1)), { is: 'unknown', why: 'HTTP 503' })
      },
    )

    rule(
      'ends within its deadline, though the configuration, the request and the state of a duplicate are all slow',
      async () => {
        const clock = virtualClock()
        const after = (ms: number, result: CallResult) =>
          new Promise<CallResult>((resolve) => void clock.after(ms, () => resolve(result)))
        const { operator } = openPawapay({
          deps: {
            clock,
            send: ({ method, timeoutMs = 0 }) =>
              method === 'POST'
                ? after(5_000, answer(200, { status: 'DUPLICATE_IGNORED' }))
                : after(timeoutMs, { failed: `no answer within ${timeoutMs} ms` }),
          },
        })
        const began = clock.now()
        const answered = operator.request(collection(1)).then((said) => ({ said, tookMs: clock.now() - began }))
        const { said, tookMs } = await clock.advanceUntil('answer', answered)
        assert.deepEqual(said, { is: 'unknown', why: 'a duplicate, but no answer within 1667 ms' })
        assert.equal(tookMs, DEADLINE_MS)
      },
    )
  })

  about('a status call', () => {
    const faults = { status_unavailable: 'HTTP 503', too_many_requests: 'an answer that is not understood: HTTP 429' }
    for (const [fault, why] of Object.entries(faults)) {
      rule(`says nothing about the payment when the network has the fault ${fault}`, async () => {
        const { operator, done, network } = openPawapay()
        await done(operator.request(collection(1)))
        network.faults.on(fault)
        assert.deepEqual(await done(operator.status(reference(1))), { is: 'unknown', why })
      })
    }

    const NOT_UNDERSTOOD: [about: string, result: CallResult, why: string][] = [
      ['HTML', answer(200, '<html></html>'), 'an answer that is not understood: HTTP 200'],
      ['a 404 of a gateway', answer(404, 'no such page'), 'an answer that is not understood: HTTP 404'],
      [
        'NOT_FOUND to a call that was refused',
        answer(400, { status: 'NOT_FOUND' }),
        'an answer that is not understood: HTTP 400 with status NOT_FOUND',
      ],
      ['no data', answer(200, { status: 'FOUND' }), 'an answer that is not understood: HTTP 200 with status '],
      [
        'a state that is not documented',
        answer(200, { status: 'FOUND', data: { status: 'REVERSED' } }),
        'an answer that is not understood: HTTP 200 with status REVERSED',
      ],
      [
        'a fraction of a franc',
        answer(200, { status: 'FOUND', data: { status: 'COMPLETED', amount: '1000.50', currency: 'XOF' } }),
        'COMPLETED without an amount in whole francs',
      ],
      [
        'another deposit',
        answer(200, { status: 'FOUND', data: { depositId: depositIdOf(2), status: 'FAILED' } }),
        'the answer is about another payment',
      ],
    ]
    for (const [about, result, why] of NOT_UNDERSTOOD) {
      rule(`that answers with ${about} is not understood`, async () => {
        const { operator } = scriptedPawapay({ 'GET *': result })
        assert.deepEqual(await operator.status(reference(1)), { is: 'unknown', why })
      })
    }
  })

  /** HTTP codes as the network's own table lists them; every other refusal has 200. */
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

  /** What an answer must be, from a line of the table alone. */
  function expectedOf(code: string, meaning: object): object {
    if ('declined' in meaning) {
      const blamed = 'blames' in meaning ? { misconfigured: meaning.blames } : {}
      return { is: 'declined', reason: meaning.declined, code, ...blamed }
    }
    if ('byHand' in meaning) return { is: 'by_hand', why: `${meaning.byHand} (${code})` }
    const { unknown: why, ...rest } = meaning as { unknown: string }
    return { is: 'unknown', why, code, ...rest }
  }

  const refusedWith = (failureCode: string): CallResult =>
    answer(HTTP[failureCode] ?? 200, { status: 'REJECTED', failureReason: { failureCode, failureMessage: 'said' } })
  const failedWith = (id: object, failureCode: string): CallResult =>
    answer(200, { status: 'FOUND', data: { ...id, status: 'FAILED', failureReason: { failureCode } } })

  about('every code of the tables', () => {
    const codes = (table: object): [string, object][] =>
      Object.entries(table).map(([code, meaning]) => [code === 'otherwise' ? 'SOMETHING_NEW' : code, meaning])

    for (const [code, meaning] of codes(DEPOSIT_REFUSED)) {
      rule(`a deposit refused with ${code}`, async () => {
        const { operator } = scriptedPawapay({ 'POST *': refusedWith(code) })
        assert.deepEqual(withBlamedKind(await operator.request(collection(1))), expectedOf(code, meaning))
      })
    }
    for (const [code, meaning] of codes(DEPOSIT_FAILED)) {
      rule(`a deposit that failed with ${code}`, async () => {
        const { operator } = scriptedPawapay({ 'GET *': failedWith({ depositId: depositIdOf(1) }, code) })
        assert.deepEqual(await operator.status(reference(1)), expectedOf(code, meaning))
      })
    }
    for (const [code, meaning] of codes(REFUND_REFUSED).filter(([, each]) => !('readState' in each))) {
      rule(`a refund refused with ${code}`, async () => {
        const { operator } = scriptedPawapay({ 'POST *': refusedWith(code) })
        assert.deepEqual(withBlamedKind(await operator.refund(reversal(1))), expectedOf(code, meaning))
      })
    }
    for (const [code, meaning] of codes(REFUND_FAILED)) {
      rule(`a refund that failed with ${code}`, async () => {
        const { operator } = scriptedPawapay({ 'GET *': failedWith({}, code) })
        assert.deepEqual(await operator.refundStatus(reversal(1)), expectedOf(code, meaning))
      })
    }
  })

  about('a refusal about our configuration', () => {
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
      rule(`${code} blames ${kind ?? 'the payment alone'}`, async () => {
        const { operator } = scriptedPawapay({ 'POST *': refusedWith(code) })
        const answer = await operator.request(collection(1))
        assert.equal(answer.is === 'declined' && answer.misconfigured?.kind, kind)
      })
    }
  })
})

describe('pawapay: callbacks', () => {
  const SIGNED = { options: { callbacks: 'signed' } }

  /** A connection with its first callback, which has been sent and not been read. */
  async function withCallback(open: OpenOptions = SIGNED, fault?: string) {
    const opened = openPawapay(open)
    if (fault !== undefined) opened.network.faults.on(fault)
    await opened.done(opened.operator.request(collection(1)))
    await opened.clock.advance(DECIDED_AFTER_MS)
    const [callback] = opened.callbacks
    assert.ok(callback)
    return { ...opened, callback, read: (changes = {}) => opened.operator.parseCallback(received(callback, changes)) }
  }

  const genuine = { reference: reference(1), isGenuine: true }
  const anybodys = { reference: reference(1), isGenuine: false }

  about('a signed callback', () => {
    rule('is genuine', async () => {
      const { read, callback } = await withCallback()
      assert.deepEqual(read(), genuine)
      const { depositId, status, amount } = JSON.parse(callback.body)
      assert.deepEqual([depositId, status, amount], [depositIdOf(1), 'COMPLETED', '1000.00'])
      assert.ok(!callback.body.includes('clientReferenceId'))
    })

    rule('is genuine in the standard’s encoding of ECDSA as well', async () => {
      const { read } = await withCallback({ ...SIGNED, network: { encoding: 'ieee-p1363' } })
      assert.deepEqual(read(), genuine)
    })

    rule('is genuine though a proxy shows another host, since the address is known', async () => {
      const { callback, operator } = await withCallback()
      assert.deepEqual(
        operator.parseCallback(received(callback, { headers: { ...callback.headers, host: 'inside:8080' } })),
        genuine,
      )
    })

    rule('is genuine at the address that the dashboard has, even if it is not the one we would give', async () => {
      const { read } = await withCallback({
        ...SIGNED,
        network: { callbackUrls: { DEPOSIT: 'https://old.example/hooks/' } },
      })
      assert.deepEqual(read(), genuine)
    })

    for (const fault of ['callbacks_signed_wrongly', 'callbacks_signed_long_ago', 'callbacks_with_another_body']) {
      rule(`is refused when it is wrong: ${fault}`, async () => {
        const { read } = await withCallback(SIGNED, fault)
        assert.equal(read(), undefined)
      })
    }

    rule('is refused without its signature, without its digest, or sent by another method', async () => {
      const { read, callback } = await withCallback()
      for (const name of ['signature', 'signature-input', 'content-digest', 'signature-date']) {
        assert.equal(read({ headers: { ...callback.headers, [name]: undefined } }), undefined, name)
      }
      assert.equal(read({ method: 'PUT' }), undefined)
    })

    rule('is refused when it was meant for another address', async () => {
      const { callbacks, operator } = await withCallback()
      const other = openPawapay({ network: { callbackUrls: { DEPOSIT: 'https://other.example/callback' } } })
      await other.done(other.operator.request(collection(2)))
      await other.clock.advance(DECIDED_AFTER_MS)
      const [foreign] = other.callbacks
      assert.ok(foreign && callbacks.length === 1)
      assert.equal(operator.parseCallback(received(foreign)), undefined)
    })

    rule(
      'makes us ask, and nothing more, while its key is not known; the keys are fetched for the next one',
      async () => {
        const { callback } = await withCallback()
        const fresh = openPawapay(SIGNED)
        assert.deepEqual(fresh.operator.parseCallback(received(callback)), anybodys)
        await fresh.clock.settle()
        assert.deepEqual(fresh.operator.parseCallback(received(callback)), genuine)
      },
    )

    rule('with a new key is taken as soon as the new key is fetched', async () => {
      const { network, callbacks, operator, clock, done } = await withCallback()
      network.faults.on('key_replaced')
      await clock.advance(60_000)
      await done(operator.request(collection(2)))
      await clock.advance(DECIDED_AFTER_MS)
      const replaced = callbacks.at(-1)
      assert.ok(replaced)
      const about = { reference: reference(2) }
      assert.deepEqual(operator.parseCallback(received(replaced)), { ...about, isGenuine: false })
      await clock.settle()
      assert.deepEqual(operator.parseCallback(received(replaced)), { ...about, isGenuine: true })
    })

    rule('with invented keys does not make us call pawaPay each time', async () => {
      const { operator, callback, calls, clock } = await withCallback()
      const input = callback.headers['signature-input']?.replace('KEY:1', 'KEY:99')
      for (let at = 0; at < 50; at++) {
        operator.parseCallback(received(callback, { headers: { ...callback.headers, 'signature-input': input } }))
      }
      await clock.settle()
      assert.ok(calls.filter(({ path }) => path === '/v2/public-key/http').length <= 2)
    })

    rule('is verified with the key of the settings where there is one, and with no other', async () => {
      const { network, callback } = await withCallback()
      const [{ key }] = ask(network, 'GET', '/v2/public-key/http').body as unknown as [{ key: string }]
      const pinned = openPawapay({ options: { callbacks: 'signed', callbackPublicKey: key } })
      assert.deepEqual(pinned.operator.parseCallback(received(callback)), genuine)
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const callbackPublicKey = publicKey.export({ type: 'spki', format: 'pem' })
      const wrong = openPawapay({ options: { callbacks: 'signed', callbackPublicKey } })
      assert.equal(wrong.operator.parseCallback(received(callback)), undefined)
    })

    rule('is taken up to a quarter of an hour after its signature has expired: it may be a repetition', async () => {
      const { read, clock } = await withCallback()
      await clock.advance(15 * 60_000)
      assert.deepEqual(read(), genuine)
      await clock.advance(2 * 60_000)
      assert.equal(read(), undefined)
    })
  })

  about('a callback where signing is not set', () => {
    rule('is anybody’s, signed or not', async () => {
      const { read } = await withCallback({})
      assert.deepEqual(read(), anybodys)
      const plain = await withCallback({ network: { signsCallbacks: false } })
      assert.deepEqual(plain.read(), anybodys)
      assert.equal(plain.callback.headers.signature, undefined)
    })

    rule('with a reference in the path is about that payment, or about none', async () => {
      const { read } = await withCallback({})
      assert.deepEqual(read({ path: reference(1) }), anybodys)
      assert.equal(read({ path: reference(2) }), undefined)
    })

    rule('that names no deposit of ours is about nothing', async () => {
      const { read } = await withCallback({})
      const bodies = ['', 'null', '[]', '{"depositId":7}', '{"refundId":"x"}', '{"depositId":"not a uuid"}', '\u0000']
      for (const body of bodies) assert.equal(read({ body: Buffer.from(body) }), undefined, body)
      const strangers = { depositId: 'f4401bd2-1568-1140-bf2d-eb77d2b2b639' }
      assert.equal(read({ body: Buffer.from(JSON.stringify(strangers)) }), undefined)
    })
  })

  about('the network', () => {
    rule('calls again for a quarter of an hour until it is answered with 200', async () => {
      const { callbacks, answerCallbacks, operator, clock, done } = openPawapay()
      answerCallbacks(503)
      await done(operator.request(collection(1)))
      await clock.advance(DECIDED_AFTER_MS + 3_600_000)
      assert.equal(callbacks.length, 7)
      answerCallbacks(200)
      await done(operator.request(collection(2)))
      await clock.advance(DECIDED_AFTER_MS + 3_600_000)
      assert.equal(callbacks.length, 8)
    })

    rule('repeats itself, says PROCESSING, or calls before it has answered, when it is told to', async () => {
      const repeated = await withCallback({}, 'callbacks_repeated')
      await repeated.clock.advance(30_000)
      assert.equal(repeated.callbacks.length, 20)
      const pending = await withCallback({}, 'pending_callbacks')
      await pending.clock.advance(1_000)
      const statuses = pending.callbacks.map(({ body }) => JSON.parse(body).status)
      assert.deepEqual(statuses, ['PROCESSING', 'COMPLETED'])
      const early = openPawapay()
      early.network.faults.on('callback_before_answer')
      const answered = early.operator.request(collection(1))
      await early.clock.settle()
      assert.equal(early.callbacks.length, 1)
      assert.deepEqual(await early.done(answered), { is: 'accepted' })
    })

    rule('sends none when no address is set', async () => {
      const { callbacks, operator, clock, done } = openPawapay({ network: { callbackUrls: {} } })
      await done(operator.request(collection(1)))
      await clock.advance(DECIDED_AFTER_MS)
      assert.equal(callbacks.length, 0)
    })
  })
})

describe('pawapay: configuration', () => {
  const configurationCalls = (calls: { path: string }[]): number =>
    calls.filter(({ path }) => path.startsWith('/v2/active-conf')).length

  about('the active configuration', () => {
    rule('is read once for ten payments at the same time, and again after ten minutes', async () => {
      const { operator, done, calls, clock } = openPawapay()
      const numbers = Array.from({ length: 10 }, (_, at) => at)
      const answers = await done(Promise.all(numbers.map((number) => operator.request(collection(number)))))
      assert.ok(answers.every(({ is }) => is === 'accepted'))
      assert.equal(configurationCalls(calls), 1)
      await clock.advance(9 * 60_000)
      await done(operator.request(collection(11)))
      assert.equal(configurationCalls(calls), 1)
      await clock.advance(60_000)
      await done(operator.request(collection(12)))
      assert.equal(configurationCalls(calls), 2)
    })

    rule('keeps a payment from being sent by a provider that is not enabled, until it is', async () => {
      const { operator, done, calls, clock, network } = openPawapay()
      network.faults.on('provider_not_enabled')
      const why = 'MTN_MOMO_BEN is not enabled for deposits on the pawaPay account'
      const expected = { is: 'unknown', why, neverLeft: true, misconfigured: true }
      assert.deepEqual(await done(operator.request(collection(1))), expected)
      assert.ok(calls.every(({ method }) => method === 'GET'))
      network.faults.allOff()
      assert.deepEqual(await done(operator.request(collection(1))), expected)
      assert.equal(configurationCalls(calls), 1)
      await clock.advance(60_000)
      assert.deepEqual(await done(operator.request(collection(1))), { is: 'accepted' })
    })

    rule('that cannot be read keeps no payment from being sent, and is not asked for at each', async () => {
      const { operator, done, calls, network } = openPawapay()
      network.faults.on('active_conf_unavailable')
      assert.deepEqual(await done(operator.request(collection(1))), { is: 'accepted' })
      assert.deepEqual(await done(operator.request(collection(2))), { is: 'accepted' })
      assert.equal(configurationCalls(calls), 1)
    })

    rule('is understood with its operation types in a list too, as one page of the documents has them', async () => {
      const operationTypes = [{ DEPOSIT: { status: 'OPERATIONAL' } }, { operationType: 'PAYOUT', status: 'DELAYED' }]
      const provider = (code: string, types: object[]) => ({
        provider: code,
        currencies: [{ currency: 'XOF', operationTypes: types }],
      })
      const countries = [
        {
          country: 'BEN',
          providers: [provider('MTN_MOMO_BEN', operationTypes), provider('MOOV_BEN', operationTypes.slice(1))],
        },
      ]
      const { operator } = scriptedPawapay({
        'GET /v2/active-conf': answer(200, { companyName: 'Demo', countries }),
        'POST *': answer(200, { status: 'ACCEPTED' }),
      })
      assert.deepEqual(await operator.request(collection(1)), { is: 'accepted' })
      const refused = await operator.request(collection(2, { operator: 'moov_bj' }))
      assert.equal(
        refused.is === 'unknown' && refused.why,
        'MOOV_BEN is not enabled for deposits on the pawaPay account',
      )
    })
  })

  const RIGHT = [
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
  ]

  about('check', () => {
    rule('finds everything right', async () => {
      const { check, done } = openPawapay({ options: { callbacks: 'signed' } })
      assert.deepEqual(
        await done(check()),
        RIGHT.map((about) => ({ is: 'right', about })),
      )
    })

    const WRONG: [about: string, arrange: () => ReturnType<typeof openPawapay>, expected: CheckLine[]][] = [
      [
        'a token that is refused',
        () => openPawapay({ options: { apiToken: 'another' } }),
        [
          {
            is: 'wrong',
            about: 'the API token',
            mend: 'pawaPay answered HTTP 403 AUTHENTICATION_ERROR: make a token in the dashboard of this environment, and set apiToken to it',
          },
        ],
      ],
      [
        'a clock that is off',
        () => withFault('clock_is_slow'),
        [
          {
            is: 'wrong',
            about: 'this machine’s clock',
            mend: 'it is 600 s apart from pawaPay’s: set it by a time server',
          },
        ],
      ],
      [
        'a provider that is closed',
        () => withFault('provider_closed'),
        ['MTN_MOMO_BEN', 'MOOV_BEN'].flatMap((provider) =>
          ['deposits', 'refunds'].map(
            (what): CheckLine => ({
              is: 'wrong',
              about: `${what} by ${provider}`,
              mend: 'CLOSED at pawaPay: they are refused until it is OPERATIONAL; nothing to change here',
            }),
          ),
        ),
      ],
      [
        'providers that are not enabled',
        () => withFault('provider_not_enabled'),
        ['MTN_MOMO_BEN', 'MOOV_BEN'].flatMap((provider) =>
          ['deposits', 'refunds'].map(
            (what): CheckLine => ({
              is: 'wrong',
              about: `${what} by ${provider}`,
              mend: 'not enabled for the account: ask pawaPay to enable it',
            }),
          ),
        ),
      ],
      [
        'another callback address in the dashboard',
        () => openPawapay({ network: { callbackUrls: { DEPOSIT: 'https://old.example/' }, signsCallbacks: false } }),
        ['MTN_MOMO_BEN', 'MOOV_BEN'].map((provider) => ({
          is: 'wrong' as const,
          about: `the callback address for ${provider}`,
          mend: `set the callback URL of deposits in the dashboard to ${CALLBACK_URL}`,
        })),
      ],
      [
        'no public address',
        () => openPawapay({ deps: { callbackUrl: () => undefined }, network: { signsCallbacks: false } }),
        [
          {
            is: 'wrong',
            about: 'the callback address',
            mend: 'the service has no public address: payments are only polled',
          },
        ],
      ],
      [
        'a public address without TLS',
        () =>
          openPawapay({
            deps: { callbackUrl: (each) => `http://karba.example/${each}` },
            network: { signsCallbacks: false },
          }),
        [
          {
            is: 'wrong',
            about: 'the callback address',
            mend: 'pawaPay calls https addresses only, not http://karba.example',
          },
        ],
      ],
      [
        'signatures that nobody verifies',
        () => openPawapay(),
        [
          {
            is: 'wrong',
            about: 'signed callbacks',
            mend: 'pawaPay signs them: set callbacks to signed, so that they are verified',
          },
        ],
      ],
      [
        'signatures that are not switched on',
        () => openPawapay({ options: { callbacks: 'signed' }, network: { signsCallbacks: false } }),
        [
          {
            is: 'wrong',
            about: 'signed callbacks',
            mend: 'switch them on in the dashboard, or set callbacks to unsigned',
          },
        ],
      ],
      [
        'an account that takes signed requests only',
        () =>
          openPawapay({ network: { signsCallbacks: false, requestKey: { id: 'K', publicPem: '', authority: '' } } }),
        [
          {
            is: 'wrong',
            about: 'signed requests',
            mend: 'the account takes signed requests only: set signingKey and signingKeyId',
          },
        ],
      ],
    ]
    for (const [about, arrange, expected] of WRONG) {
      rule(`says what to mend: ${about}`, async () => {
        const { check, done } = arrange()
        assert.deepEqual(
          (await done(check())).filter(({ is }) => is === 'wrong'),
          expected,
        )
      })
    }

    function withFault(fault: string) {
      const opened = openPawapay({ network: { signsCallbacks: false } })
      opened.network.faults.on(fault)
      return opened
    }

    rule('says which form of numbers the network takes, when it is another', async () => {
      const configuration = answer(200, { countries: [] })
      const lineOf = async (prediction: ReturnType<typeof answer>) => {
        const { check } = scriptedPawapay({
          'GET /v2/active-conf': configuration,
          'POST /v2/predict-provider': prediction,
        })
        return (await check()).at(-1)
      }
      const about = 'numbers with 10 digits after 229'
      const mend = 'pawaPay takes another form: set msisdnDigits to 8'
      assert.deepEqual(await lineOf(answer(200, { phoneNumber: '22951345789' })), { is: 'wrong', about, mend })
      const refused = answer(400, { failureReason: { failureCode: 'INVALID_PARAMETER' } })
      assert.deepEqual(await lineOf(refused), { is: 'wrong', about, mend })
      const silent = 'pawaPay did not say in which form it takes numbers'
      assert.deepEqual(await lineOf(answer(503, '')), { is: 'not_known', about, mend: silent })
    })

    rule('knows nothing while the network cannot be reached, and does not throw', async () => {
      const { check } = scriptedPawapay({})
      const mend = 'pawaPay could not be reached: no answer: not scripted'
      assert.deepEqual(await check(), [{ is: 'not_known', about: 'the API token', mend }])
    })
  })

  about('requests that are signed', () => {
    const keys = [
      ['der', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
      ['ieee-p1363', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ] as const
    for (const [signatureEncoding, { privateKey, publicKey }] of keys) {
      rule(`are taken by an account that takes no others: ${signatureEncoding}`, async () => {
        const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
        const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' })
        const network = { requestKey: { id: 'KARBA_1', publicPem, authority: 'api.sandbox.pawapay.io' } }
        const options = { signingKey, signingKeyId: 'KARBA_1', signatureEncoding }
        const signed = openPawapay({ network, options })
        assert.deepEqual(await signed.done(signed.operator.request(collection(1))), { is: 'accepted' })
        assert.equal(
          (await signed.paid(2)) && (await signed.done(signed.operator.status(reference(2)))).is,
          'succeeded',
        )
        const unsigned = openPawapay({ network })
        assert.deepEqual(await unsigned.done(unsigned.operator.request(collection(1))), {
          is: 'unknown',
          why: 'the request’s signature was refused',
          code: 'HTTP_SIGNATURE_ERROR',
          neverLeft: true,
          misconfigured: true,
        })
      })
    }
  })
})

describe('pawapay: documented exchanges', () => {
  const depositId = depositIdOf(1)
  const refundId = uuidOfReference(reversal(1).refundReference)
  const parsed = (code: number, json: string): CallResult => answer(code, JSON.parse(json))

  const INITIATION: [about: string, result: CallResult, expected: object][] = [
    [
      'ACCEPTED',
      parsed(
        200,
        `{"depositId":"${depositId}","status":"ACCEPTED","nextStep":"FINAL_STATUS","created":"2025-05-15T07:38:56Z"}`,
      ),
      { is: 'accepted' },
    ],
    [
      'REJECTED for its number',
      parsed(
        200,
        `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"INVALID_PHONE_NUMBER","failureMessage":"The phone number '2607634' seems to be invalid for the provider 'MTN_MOMO_ZMB'."}}`,
      ),
      { is: 'declined', reason: 'payer_not_found', code: 'INVALID_PHONE_NUMBER' },
    ],
    [
      'REJECTED for its amount',
      parsed(
        200,
        `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"AMOUNT_OUT_OF_BOUNDS","failureMessage":"The amount needs to be more than '1' and less than '20000' for provider 'MTN_MOMO_ZMB'."}}`,
      ),
      { is: 'declined', reason: 'amount_not_allowed', code: 'AMOUNT_OUT_OF_BOUNDS' },
    ],
    [
      'a provider that is down',
      parsed(
        200,
        `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"PROVIDER_TEMPORARILY_UNAVAILABLE","failureMessage":"The provider 'MTN_MOMO_BEN' is currently not able to process payments. Please consult our status page for downtime information on all providers. Programmatic access is also available, please consult our API docs."}}`,
      ),
      {
        is: 'unknown',
        why: 'the provider takes no payments at the moment',
        code: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
        neverLeft: true,
      },
    ],
    [
      'a body that cannot be parsed',
      parsed(
        400,
        `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"INVALID_INPUT","failureMessage":"We are unable to parse the body of the request. Please consult API documentation for valid request payload."}}`,
      ),
      { is: 'declined', reason: 'operator_error', code: 'INVALID_INPUT', misconfigured: 'form' },
    ],
    [
      'a wrong token, with 401 as in the reference',
      parsed(
        401,
        `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"AUTHENTICATION_ERROR","failureMessage":"The API token in the request is invalid."}}`,
      ),
      {
        is: 'unknown',
        why: 'pawaPay refused the API token',
        code: 'AUTHENTICATION_ERROR',
        neverLeft: true,
        misconfigured: true,
      },
    ],
    [
      'a token without the right',
      parsed(
        403,
        `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"AUTHORISATION_ERROR","failureMessage":"The API token in the request is not authorised for this endpoint."}}`,
      ),
      {
        is: 'unknown',
        why: 'the API token is not allowed to do this',
        code: 'AUTHORISATION_ERROR',
        neverLeft: true,
        misconfigured: true,
      },
    ],
    [
      'an unknown problem, without a status',
      parsed(
        500,
        `{"depositId":"${depositId}","failureReason":{"failureCode":"UNKNOWN_ERROR","failureMessage":"Unable to process request due to an unknown problem."}}`,
      ),
      { is: 'unknown', why: 'HTTP 500', code: 'UNKNOWN_ERROR' },
    ],
    [
      'REJECTED without a reason',
      parsed(200, '{"status":"REJECTED"}'),
      { is: 'unknown', why: notUnderstood('REJECTED') },
    ],
    ['a status of the future', parsed(200, '{"status":"PARKED"}'), { is: 'unknown', why: notUnderstood('PARKED') }],
  ]

  function notUnderstood(status: string): string {
    return `an answer that is not understood: HTTP 200 with status ${status}`
  }

  about('the answer to a request', () => {
    for (const [about, result, expected] of INITIATION) {
      rule(`${about}`, async () => {
        const { operator } = scriptedPawapay({ 'POST /v2/deposits': result })
        assert.deepEqual(withBlamedKind(await operator.request(collection(1))), expected)
      })
    }

    rule('DUPLICATE_IGNORED is followed by a status call with the same id', async () => {
      const { operator, calls } = scriptedPawapay({
        'POST /v2/deposits': parsed(200, `{"depositId":"${depositId}","status":"DUPLICATE_IGNORED"}`),
        [`GET /v2/deposits/${depositId}`]: parsed(
          200,
          `{"status":"FOUND","data":{"depositId":"${depositId}","status":"IN_RECONCILIATION","amount":"123.00","currency":"XOF"}}`,
        ),
      })
      assert.deepEqual(await operator.request(collection(1)), { is: 'accepted', code: 'IN_RECONCILIATION' })
      assert.deepEqual(
        calls.map(({ method, path }) => `${method} ${path}`),
        ['GET /v2/active-conf?country=BEN', 'POST /v2/deposits', `GET /v2/deposits/${depositId}`],
      )
    })
  })

  /** As in the reference, but for the id, the country and the currency. */
  const found = (status: string, more = ''): CallResult =>
    parsed(
      200,
      `{"status":"FOUND","data":{"depositId":"${depositId}","status":"${status}","amount":"123.00","currency":"XOF","country":"BEN","payer":{"type":"MMO","accountDetails":{"phoneNumber":"22951345789","provider":"MTN_MOMO_BEN"}},"customerMessage":"To ACME company","clientReferenceId":"REF-987654321","created":"2020-10-19T08:17:01Z"${more},"metadata":{"orderId":"ORD-123456789","customerId":"customer@email.com"}}}`,
    )

  const STATUS: [about: string, result: CallResult, expected: object][] = [
    [
      'COMPLETED',
      found('COMPLETED', ',"providerTransactionId":"12356789"'),
      { is: 'succeeded', amountXof: 123, operatorReference: '12356789' },
    ],
    [
      'COMPLETED without the provider’s number',
      found('COMPLETED'),
      { is: 'succeeded', amountXof: 123, operatorReference: depositId },
    ],
    ['ACCEPTED', found('ACCEPTED'), { is: 'accepted', code: 'ACCEPTED' }],
    ['PROCESSING', found('PROCESSING'), { is: 'accepted', code: 'PROCESSING' }],
    ['ENQUEUED', found('ENQUEUED'), { is: 'accepted', code: 'ENQUEUED' }],
    ['SUBMITTED', found('SUBMITTED'), { is: 'accepted', code: 'SUBMITTED' }],
    ['IN_RECONCILIATION', found('IN_RECONCILIATION'), { is: 'accepted', code: 'IN_RECONCILIATION' }],
    [
      'FAILED',
      found(
        'FAILED',
        ',"failureReason":{"failureCode":"PAYMENT_NOT_APPROVED","failureMessage":"The customer did not approve the authorisation for this payment"}',
      ),
      { is: 'declined', reason: 'declined', code: 'PAYMENT_NOT_APPROVED' },
    ],
    [
      'FAILED with a null for its reason',
      found('FAILED', ',"failureReason":null'),
      { is: 'declined', reason: 'operator_error', code: 'FAILED' },
    ],
    ['NOT_FOUND', parsed(200, '{"status":"NOT_FOUND"}'), { is: 'not_known' }],
    [
      'a wrong token',
      parsed(
        401,
        '{"status":"REJECTED","failureReason":{"failureCode":"AUTHENTICATION_ERROR","failureMessage":"The API token in the request is invalid."}}',
      ),
      {
        is: 'unknown',
        why: 'pawaPay refused the API token',
        code: 'AUTHENTICATION_ERROR',
        neverLeft: true,
        misconfigured: true,
      },
    ],
    [
      'an unknown problem',
      parsed(
        500,
        '{"failureReason":{"failureCode":"UNKNOWN_ERROR","failureMessage":"Unable to process request due to an unknown problem."}}',
      ),
      { is: 'unknown', why: 'HTTP 500', code: 'UNKNOWN_ERROR' },
    ],
  ]

  about('the answer to a status call', () => {
    for (const [about, result, expected] of STATUS) {
      rule(about, async () => {
        const { operator } = scriptedPawapay({ [`GET /v2/deposits/${depositId}`]: result })
        assert.deepEqual(await operator.status(reference(1)), expected)
      })
    }
  })

  const REFUNDS: [about: string, result: CallResult, expected: object][] = [
    [
      'ACCEPTED',
      parsed(200, `{"refundId":"${refundId}","status":"ACCEPTED","created":"2025-05-15T07:38:56Z"}`),
      { is: 'accepted' },
    ],
    [
      'ACCEPTED under the name that one sample has for the id',
      parsed(200, `{"payoutId":"${refundId}","status":"ACCEPTED","created":"2025-05-15T07:38:56Z"}`),
      { is: 'accepted' },
    ],
  ]

  about('the answer to a refund', () => {
    for (const [about, result, expected] of REFUNDS) {
      rule(about, async () => {
        const { operator } = scriptedPawapay({ 'POST /v2/refunds': result })
        assert.deepEqual(await operator.refund(reversal(1)), expected)
      })
    }

    rule('shows its state with the payer as its recipient', async () => {
      const { operator } = scriptedPawapay({
        [`GET /v2/refunds/${refundId}`]: parsed(
          200,
          `{"status":"FOUND","data":{"refundId":"${refundId}","status":"COMPLETED","amount":"30.00","currency":"XOF","country":"BEN","recipient":{"type":"MMO","accountDetails":{"phoneNumber":"22951345789","provider":"MTN_MOMO_BEN"}},"customerMessage":null,"created":"2025-05-15T07:38:56Z","providerTransactionId":"df0e9405-fb17-42c2-a264-440c239f67ed","failureReason":null}}`,
        ),
      })
      const operatorReference = 'df0e9405-fb17-42c2-a264-440c239f67ed'
      assert.deepEqual(await operator.refundStatus(reversal(1)), { is: 'succeeded', amountXof: 30, operatorReference })
    })
  })
})
