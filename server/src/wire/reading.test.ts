// What requests say: queries, bodies and signed orders, with each of their faults.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { dayOf } from '../domain/countries/business-day.ts'
import { orderKeyOf } from '../domain/people/api-key.ts'
import { MONTH, readPackageQuery, readStatementQuery } from './books.ts'
import { FEED_QUERY_FAULTS, readFeedQuery } from './event.ts'
import {
  dayIn,
  holdsNul,
  isJsonObject,
  isoTime,
  limitIn,
  optionalTime,
  parseObject,
  readFields,
} from './json.ts'
import { readLinkBody, readSignedOrder, signedOrderIn } from './link.ts'
import { LONGEST_WAIT_SECONDS, readOrderBody, readRefundBody, readWait } from './payment.ts'
import {
  ENTRY_QUERY,
  faultsOf,
  PAYMENT_QUERY,
  REFUND_QUERY,
  readQuery,
  SETTLEMENT_LINES_QUERY,
  SETTLEMENT_QUERY,
} from './queries.ts'
import { readReceiptBody, readSettlementList } from './settlement.ts'

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const DAY = dayOf(Date.parse('2026-11-15T12:00:00Z'))

describe('reading JSON', () => {
  it('only UTF-8 bytes of an object are one; anything else has no fields', () => {
    assert.deepEqual(parseObject(bytes({ a: 1 })), { a: 1 })
    assert.equal(isJsonObject(bytes({})), true)
    for (const raw of [
      bytes([1]),
      bytes(null),
      bytes('x'),
      bytes(5),
      Buffer.from('{'),
      Buffer.from([0x7b, 0xff, 0x7d]),
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
      '{}',
      undefined,
    ]) {
      assert.deepEqual(parseObject(raw), {})
      assert.equal(isJsonObject(raw), false)
    }
  })

  it('fields are read under the names of the code', () =>
    assert.deepEqual(readFields(bytes({ b_c: 1, other: 2 }), { bC: 'b_c', none: 'none' }), {
      bC: 1,
      none: undefined,
    }))

  it('NUL is found at any depth, in texts and in names', () => {
    for (const fields of [
      { a: 'x\0' },
      { 'a\0': 1 },
      { a: { b: ['\0'] } },
      { a: [{ 'b\0': 1 }] },
      { a: 'plain', b: { c: '\0' } },
    ])
      assert.equal(holdsNul(fields), true, JSON.stringify(fields))
    for (const fields of [{}, { a: 'x', b: { c: [null, 5, 'y', true] } }])
      assert.equal(holdsNul(fields), false, JSON.stringify(fields))
  })

  it('a time is written in UTC, and left out where there is none', () => {
    assert.equal(isoTime(0), '1970-01-01T00:00:00.000Z')
    assert.equal(optionalTime(0), '1970-01-01T00:00:00.000Z')
    assert.equal(optionalTime(null), undefined)
  })

  for (const [text, day] of [
    ['2026-11-15', DAY],
    ['2026-02-31', undefined],
    ['2026-13-01', undefined],
    ['2026-11-15T00:00:00Z', undefined],
    [' 2026-11-15', undefined],
    ['15/11/2026', undefined],
    ['', undefined],
    [undefined, undefined],
    [20261115, undefined],
  ] as const)
    it(`the day ${JSON.stringify(text)} is ${day}`, () => assert.equal(dayIn(text), day))

  for (const [limit, read] of [
    [undefined, 50],
    ['1', 1],
    ['1000', 1_000],
    ['1001', undefined],
    ['9999', undefined],
    ['10000', undefined],
    ['0', undefined],
    ['01', undefined],
    ['1x', undefined],
    ['x1', undefined],
    ['1.5', undefined],
    ['-1', undefined],
    [5, undefined],
    [['5'], undefined],
  ] as const)
    it(`the limit ${JSON.stringify(limit)} is ${read}`, () =>
      assert.equal(limitIn({ limit }, { usual: 50, most: 1_000 }), read))
})

const limitRefused = { refused: 'limit_not_valid' }
const startRefused = { refused: 'time_filter_not_valid', bound: 'start' }
const endRefused = { refused: 'time_filter_not_valid', bound: 'end' }
const NO_PAYMENT_QUERY = {
  status: undefined,
  operator: undefined,
  from: undefined,
  to: undefined,
  limit: 50,
  after: undefined,
  payment: undefined,
}
const TIME = '2026-11-15T09:30:00+01:00'

describe('reading queries', () => {
  const OF_PAYMENTS: [query: Record<string, unknown>, read: object][] = [
    [{}, NO_PAYMENT_QUERY],
    [{ status: 'pending' }, { ...NO_PAYMENT_QUERY, status: 'pending' }],
    [{ status: 'open' }, { refused: 'status_filter_not_valid' }],
    [{ status: ['pending'] }, { refused: 'status_filter_not_valid' }],
    [{ operator: 'mtn_bj' }, { ...NO_PAYMENT_QUERY, operator: 'mtn_bj' }],
    [{ operator: 'x'.repeat(40) }, { ...NO_PAYMENT_QUERY, operator: 'x'.repeat(40) }],
    [{ operator: 'x'.repeat(41) }, { refused: 'operator_filter_not_valid' }],
    [{ operator: 'MTN' }, { refused: 'operator_filter_not_valid' }],
    [{ operator: '' }, { refused: 'operator_filter_not_valid' }],
    [{ from: TIME }, { ...NO_PAYMENT_QUERY, from: Date.parse(TIME) }],
    [{ from: '2026-11-15' }, { ...NO_PAYMENT_QUERY, from: Date.parse('2026-11-15') }],
    [{ from: '2026-02-31T00:00:00Z' }, startRefused],
    [{ from: '2026-11-15T25:00:00Z' }, startRefused],
    [{ from: '2026-11-15T09:30:00' }, startRefused],
    [{ from: '15/11/2026', to: 'x' }, startRefused],
    [{ from: 5 }, startRefused],
    [{ to: 'x' }, endRefused],
    [{ to: 'x', limit: '0' }, endRefused],
    [{ limit: '0' }, limitRefused],
    [
      { limit: '7', after: 'c' },
      { ...NO_PAYMENT_QUERY, limit: 7, after: 'c' },
    ],
    [{ payment: ['a', 'b'] }, { ...NO_PAYMENT_QUERY, payment: 'a,b' }],
  ]
  for (const [query, read] of OF_PAYMENTS)
    it(`of payments: ${JSON.stringify(query)} is ${JSON.stringify(read)}`, () =>
      assert.deepEqual(readQuery(PAYMENT_QUERY, query), read))

  it('of refunds: by state, or all that have not ended', () => {
    assert.partialDeepStrictEqual(readQuery(REFUND_QUERY, { status: 'open' }), { status: 'open' })
    assert.deepEqual(readQuery(REFUND_QUERY, { status: 'refunded' }), {
      refused: 'refund_filter_not_valid',
    })
  })

  for (const [after, read] of [
    [undefined, { after: 0, limit: 50 }],
    ['0', { after: 0, limit: 50 }],
    ['9'.repeat(15), { after: 999_999_999_999_999, limit: 50 }],
    ['9'.repeat(16), { refused: 'after_not_valid', parameter: 'after' }],
    ['5x', { refused: 'after_not_valid', parameter: 'after' }],
    ['x5', { refused: 'after_not_valid', parameter: 'after' }],
    ['', { refused: 'after_not_valid', parameter: 'after' }],
  ] as const)
    it(`of entries: a position of ${JSON.stringify(after)} is ${JSON.stringify(read)}`, () =>
      assert.deepEqual(readQuery(ENTRY_QUERY, { after }), read))

  it('the faults of a query are in the order of its checks, each once', () => {
    assert.deepEqual(faultsOf(PAYMENT_QUERY), [
      'status_filter_not_valid',
      'operator_filter_not_valid',
      'time_filter_not_valid',
      'limit_not_valid',
    ])
    assert.deepEqual(faultsOf(SETTLEMENT_QUERY), [
      'day_filter_not_valid',
      'limit_not_valid',
      'cursor_not_valid',
    ])
    assert.deepEqual(readQuery(SETTLEMENT_LINES_QUERY, { after: ['a'] }), {
      refused: 'cursor_not_valid',
    })
    assert.deepEqual(readQuery(SETTLEMENT_LINES_QUERY, { after: 'a' }), { limit: 50, after: 'a' })
  })

  const settled = (read: object) => ({
    limit: 50,
    after: undefined,
    fromDay: undefined,
    toDay: undefined,
    ...read,
  })
  const dayRefused = (bound: string) => ({ refused: 'day_filter_not_valid', bound })
  for (const [query, read] of [
    [{}, settled({})],
    [{ from: '2026-11-15' }, settled({ fromDay: DAY })],
    [{ to: '2026-11-15' }, settled({ toDay: DAY })],
    [{ from: '2026-11-15', to: '2026-11-15' }, settled({ fromDay: DAY, toDay: DAY })],
    [{ from: '2026-11-15', to: '2026-11-14', limit: '0' }, dayRefused('end')],
    [{ from: 'x' }, dayRefused('start')],
    [{ to: 'x' }, dayRefused('end')],
    [{ limit: '0' }, limitRefused],
  ] as const)
    it(`of settlements: ${JSON.stringify(query)} is ${JSON.stringify(read)}`, () =>
      assert.deepEqual(readSettlementList(query), read))

  const feed = (read: object) => ({ after: '', limit: 100, replaysAfter: undefined, ...read })
  const afterRefused = (parameter: string) => ({ refused: 'after_not_valid', parameter })
  for (const [query, read] of [
    [{ limit: '100' }, feed({})],
    [{ limit: '100', after: '12' }, feed({ after: '12' })],
    [{ after: ['1'] }, afterRefused('after')],
    [{ after: 'x'.repeat(10_000) }, afterRefused('after')],
    [{ limit: '100', replays_after: '7' }, feed({ replaysAfter: 7 })],
    [{ limit: '100', replays_after: 'latest' }, feed({ replaysAfter: 'latest' })],
    [{ replays_after: 'x' }, afterRefused('replays_after')],
    [{ replays_after: 7 }, afterRefused('replays_after')],
    [{ limit: '0' }, limitRefused],
  ] as const)
    it(`of the feed: ${JSON.stringify(query).slice(0, 60)} is ${JSON.stringify(read)}`, () =>
      assert.deepEqual(readFeedQuery(query), read))

  it('of the feed: the faults are in the order of the checks', () =>
    assert.deepEqual(FEED_QUERY_FAULTS, ['after_not_valid', 'limit_not_valid']))

  const STATEMENT = { connection: 'mtn-benin', from: '2026-11-15', to: '2026-11-15' }
  const statement = (read: object) => ({
    connection: 'mtn-benin',
    fromDay: DAY,
    toDay: DAY,
    format: 'json',
    language: 'fr',
    ...read,
  })
  const statementRefused = (parameter: string) => ({
    refused: 'statement_query_not_valid',
    parameter,
  })
  for (const [change, read] of [
    [{}, statement({})],
    [{ format: 'csv', language: 'en' }, statement({ format: 'csv', language: 'en' })],
    [{ connection: undefined, format: 'csv' }, statement({ connection: undefined, format: 'csv' })],
    [{ connection: undefined }, statementRefused('connection')],
    [{ connection: '' }, statementRefused('connection')],
    [{ connection: 'a/b', format: 'csv' }, statementRefused('connection')],
    [{ connection: ' a' }, statementRefused('connection')],
    [{ connection: 'a ' }, statementRefused('connection')],
    [{ connection: 'c'.repeat(64) }, statement({ connection: 'c'.repeat(64) })],
    [{ connection: 'c'.repeat(65) }, statementRefused('connection')],
    [{ from: 'x', to: 'x' }, statementRefused('from')],
    [{ to: 'x', format: 'x' }, statementRefused('to')],
    [{ format: 'doc', language: 'x' }, statementRefused('format')],
    [{ language: 'x' }, statementRefused('language')],
  ] as const)
    it(`of a statement: ${JSON.stringify(change).slice(0, 60)} is ${JSON.stringify(read).slice(0, 60)}`, () =>
      assert.deepEqual(readStatementQuery({ ...STATEMENT, ...change }), read))

  for (const [query, read] of [
    [{ month: '2026-11' }, { month: '2026-11', language: 'fr' }],
    [
      { month: '2026-11', language: 'en' },
      { month: '2026-11', language: 'en' },
    ],
    [{ month: '2026-11', language: 'x' }, statementRefused('language')],
    [{ month: '2026-1' }, statementRefused('month')],
    [{ month: 5 }, statementRefused('month')],
    [{}, statementRefused('month')],
  ] as const)
    it(`of a month’s package: ${JSON.stringify(query)} is ${JSON.stringify(read)}`, () =>
      assert.deepEqual(readPackageQuery(query), read))

  it('a month is one of this century', () => {
    for (const month of ['2000-01', '2026-09', '2099-12', '2026-10']) assert.match(month, MONTH)
    for (const month of ['1999-01', '2026-00', '2026-13', '2026-20', '2026-011', 'x2026-01'])
      assert.doesNotMatch(month, MONTH)
  })

  for (const [wait, waitMs] of [
    [undefined, 0],
    ['0', 0],
    ['5', 5_000],
    ['60', 60_000],
    ['61', undefined],
    ['100', undefined],
    ['5s', undefined],
    ['s5', undefined],
    ['', undefined],
    [5, undefined],
  ] as const)
    it(`a wait of ${JSON.stringify(wait)} is ${waitMs} ms`, () => {
      assert.equal(LONGEST_WAIT_SECONDS, 60)
      const query = wait === undefined ? {} : { wait }
      assert.deepEqual(
        readWait(query),
        waitMs === undefined ? { refused: 'wait_not_valid' } : { waitMs },
      )
    })
})

describe('reading bodies', () => {
  it('of an order and of a link: each field by its name', () => {
    const order = readOrderBody(bytes({ transaction_id: 't', customer_name: 'n', amount: 5 }))
    assert.partialDeepStrictEqual(order, {
      externalReference: 't',
      customerName: 'n',
      amount: 5,
      msisdn: undefined,
    })
    const names = [
      'amount title description reference transaction_id customer_name shouldExpire',
      'on_success_redirection_url on_failed_redirection_url order_reference metadata',
      'minimum_amount suggested_amounts reusable expires_in_minutes',
    ].flatMap((line) => line.split(' '))
    const link = readLinkBody(bytes(Object.fromEntries(names.map((name) => [name, name]))))
    assert.deepEqual(link, {
      amount: 'amount',
      title: 'title',
      description: 'description',
      reference: 'reference',
      externalReference: 'transaction_id',
      customerName: 'customer_name',
      shouldExpire: 'shouldExpire',
      onSuccessUrl: 'on_success_redirection_url',
      onFailedUrl: 'on_failed_redirection_url',
      orderReference: 'order_reference',
      metadata: 'metadata',
      minimumAmount: 'minimum_amount',
      suggestedAmounts: 'suggested_amounts',
      reusable: 'reusable',
      expiresInMinutes: 'expires_in_minutes',
    })
    assert.equal(signedOrderIn(bytes({ order: 'o' })), 'o')
  })

  it('of a refund: none is the whole amount, and one that is no object is refused (D-154)', () => {
    const none = { amount: undefined, refundId: undefined }
    for (const raw of [undefined, null, Buffer.alloc(0), bytes({})])
      assert.deepEqual(readRefundBody(raw), none)
    assert.deepEqual(readRefundBody(bytes({ amount: 5, refund_id: 'r' })), {
      amount: 5,
      refundId: 'r',
    })
    for (const raw of [bytes([]), bytes('x'), Buffer.from('{'), 'x'])
      assert.deepEqual(readRefundBody(raw), { amount: null })
  })

  const received = (more: object) => ({
    receivedXof: 500,
    receivedDay: undefined,
    bankReference: '',
    ...more,
  })
  const NOT_VALID = { refused: 'receipt_not_valid' }
  for (const [body, read] of [
    [{ amount: 500 }, received({})],
    [{ amount: 500, received_on: '2026-11-15' }, received({ receivedDay: DAY })],
    [{ amount: 500, bank_reference: 'VIR 5' }, received({ bankReference: 'VIR 5' })],
    [{ amount: 500, received_on: 'x' }, NOT_VALID],
    [{ amount: 0 }, NOT_VALID],
    [{ amount: 500, bank_reference: 5 }, NOT_VALID],
    [{}, NOT_VALID],
  ] as const)
    it(`of a bank’s receipt: ${JSON.stringify(body)} is ${JSON.stringify(read)}`, () =>
      assert.deepEqual(readReceiptBody(bytes(body)), read))
})

describe('reading signed orders (D-57)', () => {
  const KEYS = [orderKeyOf('sk_old'), orderKeyOf('sk_new')]
  const signed = (order: unknown, key = KEYS[1] as Buffer): string => {
    const payload = bytes(order).toString('base64url')
    return `${payload}.${createHmac('sha256', key).update(payload).digest('hex')}`
  }
  const ORDER = { amount: 5, title: 't', expires_at: TIME }

  it('the order of one of the keys is read, with the time at which it expires', () => {
    const read = {
      amount: 5,
      title: 't',
      externalReference: 'x',
      orderReference: 'o',
      expiresAt: Date.parse(TIME),
    }
    const order = { ...ORDER, transaction_id: 'x', order_reference: 'o' }
    for (const key of KEYS) assert.deepEqual(readSignedOrder(signed(order, key), KEYS), read)
  })

  for (const [about, text] of [
    ['of another key', signed(ORDER, orderKeyOf('sk_other'))],
    ['without a time', signed({ amount: 5 })],
    ['with a time as a number', signed({ ...ORDER, expires_at: 5 })],
    ['with a time without its zone', signed({ ...ORDER, expires_at: '2026-11-15T09:30:00' })],
    ['with words after it', `${signed(ORDER)} `],
    ['with words before it', ` ${signed(ORDER)}`],
    ['without a signature', bytes(ORDER).toString('base64url')],
    ['that is no text', { text: signed(ORDER) }],
  ] as const)
    it(`an order ${about} is none`, () => assert.equal(readSignedOrder(text, KEYS), undefined))

  it('without a key nothing is an order', () =>
    assert.equal(readSignedOrder(signed(ORDER), []), undefined))
})
