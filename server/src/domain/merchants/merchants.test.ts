// A merchant's own connections, changes of where money goes, environments and names of methods.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ENVIRONMENTS, isEnvironment } from '../environment.ts'
import { methodName } from '../methods/methods.ts'
import { countedFrom, requestReferenceOf, SENT_WITHIN_MS } from '../payments/operator-payment.ts'
import {
  CONNECTION_ID_BYTES,
  isLabel,
  isMerchantConnection,
  LONGEST_CREDENTIAL,
  LONGEST_LABEL,
  MOST_CONNECTIONS,
  makeConnectionId,
  servedBy,
} from './merchant-connection.ts'
import { detailOf, MONEY_CHANGE_KINDS, MONEY_CHANGE_WAIT_MS } from './money-change.ts'

it('own connections: an id begins with con_, which names of the operators file do not', () => {
  const id = makeConnectionId(new Uint8Array(CONNECTION_ID_BYTES))
  assert.equal(id, `con_${'0'.repeat(16)}`)
  assert.equal(isMerchantConnection(id), true)
  for (const name of ['mtn-benin', 'a-con_', 'con-5'])
    assert.equal(isMerchantConnection(name), false)
})

it('own connections: their limits, labels and operators', () => {
  assert.deepEqual(MOST_CONNECTIONS, { inUse: 20, ever: 60 })
  assert.deepEqual([LONGEST_LABEL, LONGEST_CREDENTIAL, CONNECTION_ID_BYTES], [60, 8_192, 10])
  for (const label of ['MTN', 'x'.repeat(60)]) assert.equal(isLabel(label), true)
  for (const label of ['', 'x'.repeat(61), '4111111111111111']) assert.equal(isLabel(label), false)
  assert.deepEqual(servedBy({ serves: 'mtn_bj,moov_bj' }), ['mtn_bj', 'moov_bj'])
})

it('money changes: they wait for a week, and say what changes', () => {
  assert.deepEqual(MONEY_CHANGE_KINDS, ['connection', 'credentials', 'pi_alias'])
  assert.equal(MONEY_CHANGE_WAIT_MS, 604_800_000)
  assert.deepEqual(detailOf({ detail: '{"kind":"credentials","label":"MTN"}' }), {
    kind: 'credentials',
    label: 'MTN',
  })
})

it('environments: sandbox and live, and nothing else', () => {
  assert.deepEqual(ENVIRONMENTS, ['sandbox', 'live'])
  for (const name of ENVIRONMENTS) assert.equal(isEnvironment(name), true)
  for (const name of ['', 'Live', 5, null]) assert.equal(isEnvironment(name), false)
})

it('methods: each has its name in both languages, and any other name has none', () => {
  const names = ['bank_card', 'wallet', 'mobile', 'toString'].map((method) => [
    methodName(method, 'fr'),
    methodName(method, 'en'),
  ])
  assert.deepEqual(names, [
    ['Carte bancaire', 'Bank card'],
    ['Portefeuille', 'Wallet'],
    ['Mobile money', 'Mobile money'],
    [undefined, undefined],
  ])
})

for (const [requestedAt, from, to, counted] of [
  [100_000, 100_000, 200_000, 200_000],
  [40_000, 100_000, 200_000, 200_000],
  [39_999, 100_000, 200_000, 39_999],
  [199_999, 100_000, 200_000, 200_000],
  [200_000, 100_000, 200_000, 200_000],
  [200_001, 100_000, 200_000, 200_001],
  [150_000, 200_000, 100_000, 150_000],
  [100_000, 150_000, 150_000, 100_000],
] as const)
  it(`sending: requested at ${requestedAt}, with a clock set from ${from} to ${to}, counts from ${counted}`, () =>
    assert.equal(countedFrom(requestedAt, { from, to }), counted))

it('sending: within 15 minutes, under the reference of the attempt or of the payment', () => {
  assert.equal(SENT_WITHIN_MS, 900_000)
  assert.equal(requestReferenceOf({ attemptReference: 'a', reference: 'r' }), 'a')
  assert.equal(requestReferenceOf({ attemptReference: null, reference: 'r' }), 'r')
})
