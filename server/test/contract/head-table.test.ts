// Request headers against D-01: every combination of the four headers, the keys and the operations,
// compared with a list written from D-01 alone. The test uses none of the service’s own tables.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { rollKeys } from '../../src/actions/keys/manage-keys.ts'
import { makeApiKey } from '../../src/domain/people/api-key.ts'
import { setAccountStatus } from '../../src/store/merchants/accounts.ts'
import { TESTER } from '../kit/callers.ts'
import { get, head, openTestService, order, post, type TestService } from '../kit/service.ts'
import { tried } from '../kit/tries.ts'
import { LINK, postLink } from '../links/payer.ts'

interface Sent {
  contentType: string | undefined
  environment: string | undefined
  paymentType: string | undefined
  authorization: string | undefined
}

interface Key {
  about: string
  key: string
  /** The environment in which this key is a valid secret key, if any. */
  validIn: 'sandbox' | 'live' | 'nowhere'
  accountValidated: boolean
}

const CONTENT_TYPES = [
  undefined,
  '',
  'application/json',
  'text/plain',
  'application/json; charset=utf-8',
]
const ENVIRONMENTS = [undefined, '', 'sandbox', 'live', 'LIVE', 'production']
const PAYMENT_TYPES = [undefined, '', 'mobile', 'card']
/** D-03 */
const LINK_PAYMENT_TYPES = ['external_payment', 'card', 'mobile']
const AUTHORIZATIONS: ((key: string) => string | undefined)[] = [
  () => undefined,
  () => '',
  (key) => key,
  () => 'Bearer',
  (key) => `bearer ${key}`,
  (key) => `Bearer  ${key}`,
  (key) => `Bearer ${key} ${key}`,
  (key) => `Bearer ${key}`,
]
const KEYS = [
  'a validated sandbox account',
  'a validated live account',
  'an unvalidated live account',
  'a suspended sandbox account',
  'a suspended live account',
  'a public sandbox key',
  'a public live key',
  'a well-formed unknown key',
  'a rolled key after its overlap',
  'a rolled key within its overlap',
  'a key with a wrong checksum',
  'a text that is no key',
] as const

/** D-01 rows 1 to 7 in order; the first match decides. */
const ORACLE: [
  holds: (sent: Sent, key: Key, types: string[]) => boolean,
  http: number,
  message: string,
][] = [
  [
    (sent) => Object.values(sent).some((value) => value === undefined || value === ''),
    400,
    'Missing params',
  ],
  [
    ({ environment }) => environment !== 'sandbox' && environment !== 'live',
    400,
    'Not Allowed Environment',
  ],
  [
    ({ paymentType }, _key, types) => !types.includes(paymentType ?? ''),
    400,
    'Not Allowed Payment Type',
  ],
  [
    ({ authorization }, { key }) => authorization !== `Bearer ${key}`,
    400,
    'Missing Authentication Key',
  ],
  [({ contentType }) => contentType !== 'application/json', 406, 'Invalid Content Type'],
  [({ environment }, { validIn }) => validIn !== environment, 401, 'No Valid Key'],
  [(_sent, { accountValidated }) => !accountValidated, 403, 'Environment Not Available'],
]
const REASONS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  406: 'Not Acceptable',
}

function expectedAnswer(sent: Sent, key: Key, types = ['mobile']): string | undefined {
  const row = ORACLE.find(([holds]) => holds(sent, key, types))
  return row && `${row[1]} ${JSON.stringify({ message: `${REASONS[row[1]]}: ${row[2]}` })}`
}

function* everyHead(
  key: Key,
  paymentTypes: readonly (string | undefined)[] = PAYMENT_TYPES,
): Generator<Sent> {
  for (const contentType of CONTENT_TYPES)
    for (const environment of ENVIRONMENTS)
      for (const paymentType of paymentTypes)
        for (const write of AUTHORIZATIONS)
          yield { contentType, environment, paymentType, authorization: write(key.key) }
}

const asHeaders = (sent: Sent): Record<string, string | undefined> => ({
  'content-type': sent.contentType,
  authorization: sent.authorization,
  'svc-target-environment': sent.environment,
  'svc-payment-type': sent.paymentType,
})

const service = await openTestService()
after(() => service.remove())
const keys = new Map((await makeKeys(service)).map((key) => [key.about, key]))

describe('request headers', () => {
  let cases = 0

  for (const about of KEYS) {
    it(`${about}: POST gets the first matching answer of D-01, and records nothing unless it is 200`, async () => {
      const key = keys.get(about) as Key
      let created = 0
      const before = await countPayments(service)
      for (const sent of everyHead(key)) {
        const expected = expectedAnswer(sent, key)
        const { code, body } = await post(service, key.key, order(), asHeaders(sent))
        if (expected === undefined)
          assert.equal(`${code} ${body.status}`, '200 pending', JSON.stringify(sent))
        else assert.equal(`${code} ${JSON.stringify(body)}`, expected, JSON.stringify(sent))
        cases++
        if (expected === undefined) created++
      }
      assert.equal((await countPayments(service)) - before, created)
      assert.equal(created > 0, key.accountValidated && key.validIn !== 'nowhere')
    })

    it(`${about}: GET gets the first matching answer of D-01`, async () => {
      const key = keys.get(about) as Key
      for (const sent of everyHead(key)) {
        const { code, body } = await get(service, key.key, 'unknown', asHeaders(sent))
        const expected = expectedAnswer(sent, key) ?? '404 {"message":"Payment Not Found"}'
        assert.equal(`${code} ${JSON.stringify(body)}`, expected, JSON.stringify(sent))
        cases++
      }
    })
  }

  for (const about of [
    'a validated sandbox account',
    'an unvalidated live account',
    'a public live key',
  ] as const)
    it(`${about}: POST of a link gets the first matching answer of D-01, with the payment types of D-03`, async () => {
      const key = keys.get(about) as Key
      for (const sent of everyHead(key, [
        undefined,
        ...LINK_PAYMENT_TYPES,
        'EXTERNAL_PAYMENT',
        'cash',
      ])) {
        const { code, body } = await postLink(service, key.key, LINK, asHeaders(sent))
        const expected = expectedAnswer(sent, key, LINK_PAYMENT_TYPES) ?? '200 initiated'
        const got = `${code} ${code === 200 ? body.status : JSON.stringify(body)}`
        assert.equal(got, expected, JSON.stringify(sent))
      }
    })

  it('the table covers more than 1,500 combinations', () => {
    const heads =
      CONTENT_TYPES.length * ENVIRONMENTS.length * PAYMENT_TYPES.length * AUTHORIZATIONS.length
    assert.equal(cases, heads * KEYS.length * 2)
    assert.ok(cases >= 1_500, `${cases}`)
    tried(cases)
  })
})

describe('request header syntax', async () => {
  const { secretKey } = (await service.merchant()).accounts.sandbox
  // Not while the suite is loaded: the suite above counts payments.
  before(() => post(service, secretKey, order({ transaction_id: 'known' })))

  const FORMS: [about: string, change: (key: string) => Record<string, string>, http: number][] = [
    ['Content-Type in capitals is accepted', () => ({ 'content-type': 'APPLICATION/JSON' }), 200],
    [
      'Content-Type with an empty parameter is 406',
      () => ({ 'content-type': 'application/json;' }),
      406,
    ],
    ['Content-Type of a near name is 406', () => ({ 'content-type': 'application/jsonp' }), 406],
    ['a tab after Bearer is 400', (key) => ({ authorization: `Bearer\t${key}` }), 400],
    ['two environments are 400', () => ({ 'svc-target-environment': 'sandbox, sandbox' }), 400],
    ['a payment type in capitals is 400', () => ({ 'svc-payment-type': 'MOBILE' }), 400],
    ['the payment type of links is 400', () => ({ 'svc-payment-type': 'external_payment' }), 400],
    ['unknown headers are ignored', () => ({ 'idempotency-key': '1', accept: 'text/html' }), 200],
  ]

  for (const [about, change, http] of FORMS)
    it(about, async () => {
      assert.equal((await post(service, secretKey, order(), change(secretKey))).code, http)
      assert.equal((await get(service, secretKey, 'known', change(secretKey))).code, http)
    })

  for (const payload of ['{}', 'not JSON', 'x'.repeat(100_000)])
    it(`a GET ignores a body of ${payload.length} bytes`, async () => {
      const url = '/api/v1/payments/known'
      const answer = await service.app.inject({
        method: 'GET',
        url,
        headers: head(secretKey),
        payload,
      })
      assert.deepEqual([answer.statusCode, answer.json().external_reference], [200, 'known'])
    })

  it('malformed headers and keys are refused without the store, also while it is closed', async () => {
    const closed = await openTestService()
    await closed.db.close()
    const heads: [Record<string, string | undefined>, number][] = [
      [{ 'svc-payment-type': undefined }, 400],
      [{ 'svc-target-environment': 'LIVE' }, 400],
      [{ 'svc-payment-type': 'card' }, 400],
      [{ authorization: 'Basic x' }, 400],
      [{ 'content-type': 'text/plain' }, 406],
      [{ authorization: 'Bearer x' }, 401],
    ]
    for (const [change, http] of heads) {
      assert.equal((await post(closed, secretKey, order(), change)).code, http)
      assert.equal((await get(closed, secretKey, 'x', change)).code, http)
    }
    await closed.app.close()
    await closed.place.remove()
  })
})

async function makeKeys(service: TestService): Promise<Key[]> {
  const validated = (await service.merchant()).accounts
  const unvalidated = (await service.merchant({ validateLive: false })).accounts
  const suspended = await service.merchant()
  for (const environment of ['sandbox', 'live'] as const)
    assert.ok(await setAccountStatus(service.db, suspended.merchantId, environment, 'suspended'))
  const over = (await service.merchant()).accounts.sandbox
  await rollKeys(service, TESTER, { accountId: over.accountId, keepOldMs: 0 })
  const overlapping = (await service.merchant()).accounts.sandbox
  await rollKeys(service, TESTER, { accountId: overlapping.accountId, keepOldMs: 72 * 3_600_000 })
  const unknown = makeApiKey('secret', 'sandbox', (count) => service.random.bytes(count))
  const { sandbox, live } = validated
  const rows: [key: string, validIn: Key['validIn'], accountValidated: boolean][] = [
    [sandbox.secretKey, 'sandbox', true],
    [live.secretKey, 'live', true],
    [unvalidated.live.secretKey, 'live', false],
    [suspended.accounts.sandbox.secretKey, 'sandbox', false],
    [suspended.accounts.live.secretKey, 'live', false],
    [sandbox.publicKey, 'nowhere', true],
    [live.publicKey, 'nowhere', true],
    [unknown, 'nowhere', true],
    [over.secretKey, 'nowhere', true],
    [overlapping.secretKey, 'sandbox', true],
    [
      `${sandbox.secretKey.slice(0, -1)}${sandbox.secretKey.endsWith('0') ? '1' : '0'}`,
      'nowhere',
      true,
    ],
    ['hello', 'nowhere', true],
  ]
  return rows.map(([key, validIn, accountValidated], at) => {
    const about = KEYS[at] as string
    return { about, key, validIn, accountValidated }
  })
}

async function countPayments(service: TestService): Promise<number> {
  const [row] = await service.db.read<{ count: number }>('select count(*) as count from payments')
  return Number(row?.count)
}
