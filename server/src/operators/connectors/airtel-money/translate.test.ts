// Every code of the table in codes.ts, in the place where it can come, over answers that are written here.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withBlamedKind } from '../../../../test/networks/harness.ts'
import type { OperatorAnswer } from '../../../domain/operator-report.ts'
import { isFailureReason } from '../../../domain/payment-status.ts'
import { CODES, type CodeRow, type Reply, readRefund, readRequest, readStatus } from './translate.ts'
import { wholeFrancs } from './wire.ts'

const REFERENCE = '0123456789abcdefghjkmnpq'

const reply = (body: unknown, code = 200): Reply => ({ code, headers: {}, body })

/** A refusal with this code, in the shape of the layer that gives it; with words that fit the row. */
function refused({ code, message }: CodeRow, http = 200, inner = '400'): Reply {
  const words = message === undefined ? 'Some words' : (MESSAGES.find((each) => message.test(each)) ?? '')
  if (/^(ROUTER|CONN)/.test(code)) return reply({ status_code: code, status_message: words }, http === 200 ? 400 : http)
  const field = code.startsWith('DP') ? 'response_code' : 'result_code'
  return reply({ status: { [field]: code, code: inner, success: false, message: words } }, http)
}

const MESSAGES = ['Msisdn Not Found', 'Invalid/Missing Currency']

const enquiry = (status: unknown, more: { code?: string; transaction?: object; success?: boolean } = {}): Reply =>
  reply({
    data: { transaction: { id: REFERENCE, status, ...more.transaction } },
    status: { code: '200', success: more.success ?? false, response_code: more.code ?? 'DP00800001001' },
  })

/** Country, currency and account are the same in all our requests. */
const ABOUT_US = /country|currency|not configured/i

describe('airtel-money translation: a request that is refused with', () => {
  for (const row of CODES) {
    it(`${row.code} (${row.about}): ${row.means}`, () => {
      const answer = readRequest(refused(row))
      if (isFailureReason(row.means)) {
        const blamed = ABOUT_US.test(row.about) ? { misconfigured: 'settings' } : {}
        assert.deepEqual(withBlamedKind(answer), { is: 'declined', reason: row.means, code: row.code, ...blamed })
      } else if (row.means === 'enquire') {
        assert.equal(answer, 'enquire')
      } else {
        const why = `${row.code}: ${row.about}`
        const misconfigured = row.means === 'misconfigured' ? { misconfigured: true } : {}
        assert.deepEqual(answer, { is: 'unknown', why, ...misconfigured, code: row.code })
      }
    })
  }
})

describe('airtel-money translation: a failure that an enquiry tells with', () => {
  for (const row of CODES.filter(({ code, message }) => code.startsWith('DP') && message === undefined)) {
    const reason = row.failed ?? (isFailureReason(row.means) ? row.means : 'operator_error')
    it(`TF and ${row.code}: ${reason}`, () => {
      const answer = readStatus(enquiry('TF', { code: row.code }), REFERENCE, 'XOF')
      assert.deepEqual(answer, { is: 'declined', reason, code: row.code })
    })
  }
})

it('airtel-money translation: no code of a refusal declines anything when the network’s own fault is told with it', () => {
  for (const row of CODES.filter(({ means }) => isFailureReason(means))) {
    for (const [http, inner] of [
      [500, '400'],
      [200, '500'],
      [200, '408'],
      [408, '400'],
    ] as const) {
      const isRouter = row.code.startsWith('ROUTER')
      if (isRouter && http === 200) continue
      assert.equal(
        (readRequest(refused(row, http, inner)) as OperatorAnswer).is,
        'unknown',
        `${row.code} ${http} ${inner}`,
      )
    }
  }
})

const NOTHING_SAID: [about: string, reply: Reply][] = [
  ['a page', reply('<html></html>', 502)],
  ['nothing', reply('')],
  ['null', reply(null)],
  ['a list', reply([])],
  ['an empty object', reply({})],
  ['a refusal without a code', reply({ status: { success: false, code: '400', message: 'No' } })],
  ['a code that is not known', reply({ status: { success: false, code: '400', response_code: 'DP00800009999' } })],
  ['a success with a code that is not known', reply({ status: { success: true, response_code: 'DP00800009999' } })],
  ['a success with the code of a refusal', reply({ status: { success: true, response_code: 'DP00800001007' } })],
  ['a success under HTTP 500', reply({ status: { success: true, response_code: 'DP00800001006' } }, 500)],
  ['the code of a refusal without a flag', reply({ status: { response_code: 'DP00800001007' } })],
]

describe('airtel-money translation: nothing is concluded from', () => {
  for (const [about, answer] of NOTHING_SAID) {
    it(about, () => {
      for (const read of [
        readRequest(answer),
        readStatus(answer, REFERENCE, 'XOF'),
        readRefund(answer, { amountXof: 1 }),
      ]) {
        assert.equal((read as OperatorAnswer).is, 'unknown')
      }
    })
  }
})

const STATUSES: [about: string, reply: Reply, answer: OperatorAnswer][] = [
  [
    'TS with the id',
    enquiry('TS', { transaction: { airtel_money_id: 'MP1' } }),
    { is: 'succeeded', operatorReference: 'MP1' },
  ],
  [
    'TS with an id that is a number',
    enquiry('TS', { transaction: { airtel_money_id: 133410367531 } }),
    { is: 'succeeded', operatorReference: '133410367531' },
  ],
  ['TS without an id', enquiry('TS'), { is: 'unknown', why: 'the enquiry tells a success without an airtel_money_id' }],
  [
    'TS about another payment',
    enquiry('TS', { transaction: { id: 'somebody-else', airtel_money_id: 'MP1' } }),
    { is: 'unknown', why: 'the enquiry answered about another payment' },
  ],
  [
    'TS with false for the id that is ours',
    enquiry('TS', { transaction: { id: false, airtel_money_id: 'MP1' } }),
    { is: 'succeeded', operatorReference: 'MP1' },
  ],
  [
    'TS with half a franc',
    enquiry('TS', { transaction: { airtel_money_id: 'MP1', amount: '1500.50' } }),
    { is: 'unknown', why: 'the enquiry tells an amount that is not understood' },
  ],
  ['TR', enquiry('TR', { transaction: { airtel_money_id: 'MP1' } }), { is: 'refunded', operatorReference: 'MP1' }],
  ['TE', enquiry('TE', { code: 'DP00800001029' }), { is: 'declined', reason: 'expired', code: 'DP00800001029' }],
  ['TE without a code', enquiry('TE'), { is: 'declined', reason: 'expired', code: 'TE' }],
  ['TA', enquiry('TA', { code: 'DP00800001000' }), { is: 'accepted', code: 'TA' }],
  ['TIP', enquiry('TIP'), { is: 'accepted', code: 'TIP' }],
  ['TI', enquiry('TI'), { is: 'accepted', code: 'TI' }],
  ['another word', enquiry('PAID'), { is: 'unknown', why: 'the enquiry has a status that is not understood' }],
  ...['', null, undefined].map((status): [string, Reply, OperatorAnswer] => [
    `nothing of how our payment stands (${status})`,
    enquiry(status, { success: true, transaction: { airtel_money_id: 'MP1' } }),
    { is: 'unknown', why: 'the enquiry tells of a payment without its status' },
  ]),
  [
    'that it is in process, without a payment',
    reply({ status: { response_code: 'DP00800001006', success: true, code: '200' } }),
    { is: 'unknown', why: 'the enquiry tells of a payment without its status' },
  ],
  ['no such payment', reply({ status: { result_code: 'ESB000045', success: false } }), { is: 'not_known' }],
  ['no such payment, with 404', reply({ status: { response_code: 'DP00800001025' } }, 404), { is: 'not_known' }],
  [
    'a refusal of the enquiry',
    reply({ status: { response_code: 'DP00800001008', success: false, code: '400' } }),
    { is: 'unknown', why: 'the enquiry was refused: Refused', code: 'DP00800001008' },
  ],
]

describe('airtel-money translation: an enquiry that says', () => {
  for (const [about, answer, expected] of STATUSES) {
    it(`${about}: ${expected.is}`, () => assert.deepEqual(readStatus(answer, REFERENCE, 'XOF'), expected))
  }
})

it('airtel-money translation: amounts are read in every form that was seen, and as whole francs alone', () => {
  const forms: [unknown, number | undefined][] = [
    [1000, 1000],
    ['1000', 1000],
    ['100.0', 100],
    ['1000.0000', 1000],
    ['37,600.00', 37_600],
    [0, 0],
    [100.5, undefined],
    ['100.01', undefined],
    ['-5', undefined],
    ['1e3', undefined],
    ['', undefined],
    [null, undefined],
    [true, undefined],
  ]
  for (const [form, francs] of forms) assert.equal(wholeFrancs(form), francs, String(form))
})
