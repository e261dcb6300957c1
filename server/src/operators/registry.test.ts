// Which operator a number is routed to: by the table, by a setting, and past those not connected
// (D-43).
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { prompting } from '../../test/kit/direct-operators.ts'
import type { Country } from '../domain/countries/country.ts'
import type { Operator } from './operator.ts'
import { type Connected, operatorRegistry, type PrefixRoute } from './registry.ts'

const OVERRIDES: PrefixRoute[] = [
  { country: 'NE', prefix: '93', operator: 'airtel_ne' },
  { country: 'BJ', prefix: '40', operator: 'moov_bj' },
  { country: 'BJ', prefix: '49', operator: 'celtiis_bj' },
]

const ALL = [
  'airtel_ne',
  'zamani_ne',
  'moov_ne',
  'niger_telecoms_ne',
  'mtn_bj',
  'moov_bj',
  'celtiis_bj',
]

const ROWS: [
  about: string,
  connected: string[],
  country: Country,
  prefix: string,
  routedTo: string | undefined,
][] = [
  ['a prefix of the table', ALL, 'NE', '90', 'zamani_ne'],
  ['a prefix of the table in the other country', ALL, 'BJ', '90', 'mtn_bj'],
  ['a prefix without an operator', ALL, 'NE', '73', 'airtel_ne'],
  ['a prefix without an operator in Benin', ALL, 'BJ', '92', 'mtn_bj'],
  ['a test number', ALL, 'NE', '', 'airtel_ne'],
  ['a prefix that a setting moves', ALL, 'NE', '93', 'airtel_ne'],
  ['a prefix that a setting adds', ALL, 'BJ', '49', 'celtiis_bj'],
  ['a prefix that a setting moves in the other country alone', ALL, 'BJ', '93', 'mtn_bj'],
  ['an operator that is not connected', ['moov_ne', 'airtel_ne'], 'NE', '90', 'airtel_ne'],
  [
    'an operator that is not connected, nor the country’s default',
    ['moov_ne', 'zamani_ne'],
    'NE',
    '83',
    'moov_ne',
  ],
  ['the same, connected in another order', ['zamani_ne', 'moov_ne'], 'NE', '83', 'zamani_ne'],
  ['a setting whose operator is not connected', ['mtn_bj', 'celtiis_bj'], 'BJ', '40', 'mtn_bj'],
  ['a test number where the default is not connected', ['mtn_bj', 'moov_ne'], 'NE', '', 'moov_ne'],
  [
    'a prefix without an operator where the default is not connected',
    ['mtn_bj', 'moov_ne'],
    'NE',
    '73',
    'moov_ne',
  ],
  ['a country without a connected operator', ['mtn_bj'], 'NE', '96', undefined],
  ['a test number of a country without a connected operator', ['mtn_bj'], 'NE', '', undefined],
]

describe('operator registry: a number is routed', () => {
  for (const [about, connected, country, prefix, routedTo] of ROWS)
    it(`to ${routedTo ?? 'no operator'} with ${about}`, () => {
      const operators = operatorRegistry(connected.map(inSandbox), OVERRIDES)
      assert.equal(operators.operatorFor('sandbox', country, prefix, 'acc_1')?.operator, routedTo)
    })

  it('to no operator in an environment where none is connected', () =>
    assert.equal(
      operatorRegistry(ALL.map(inSandbox)).operatorFor('live', 'NE', '96', 'acc_1'),
      undefined,
    ))

  it('to the table’s operator without a setting', () => {
    const route = operatorRegistry(ALL.map(inSandbox)).operatorFor('sandbox', 'NE', '93', 'acc_1')
    assert.deepEqual(route, { operator: 'niger_telecoms_ne', connection: 'niger_telecoms_ne' })
  })
})

describe('operator registry: the operators of a country', () => {
  it('are those whose customers a connection prompts, in the order of the table', () => {
    const operators = operatorRegistry(['moov_bj', 'mtn_bj'].map(inSandbox))
    assert.deepEqual(operators.operatorsIn('sandbox', 'BJ', 'acc_1'), ['mtn_bj', 'moov_bj'])
    assert.deepEqual(
      [
        operators.operatorsIn('sandbox', 'NE', 'acc_1'),
        operators.operatorsIn('live', 'BJ', 'acc_1'),
      ],
      [[], []],
    )
  })

  it('leave out those whose connections take no payments now', () => {
    const operators = operatorRegistry(
      ALL.map(inSandbox),
      [],
      ({ connection }) => connection !== 'mtn_bj',
    )
    assert.deepEqual(operators.operatorsIn('sandbox', 'BJ', 'acc_1'), ['moov_bj', 'celtiis_bj'])
  })
})

const inSandbox = (name: string): Connected => prompting('sandbox', { name } as Operator)
