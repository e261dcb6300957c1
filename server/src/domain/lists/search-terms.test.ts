// What a payment is found by, and what a search is read as.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  payerTermsOf,
  readSearch,
  type Search,
  type Searched,
  searchTermsOf,
  type Term,
} from './search-terms.ts'

const AISSA = {
  msisdn: '22796123456',
  customerName: 'Aïssa MAÏGA-Touré 2',
  externalReference: 'CMD-021999',
  clientReference: 'facture/77',
  amountXof: 12_500,
  operatorReference: 'MP261115.0930.A00001',
}
const NOTHING = {
  msisdn: null,
  customerName: null,
  externalReference: 'a',
  clientReference: null,
  amountXof: 5,
  operatorReference: null,
}

const written = (terms: readonly Term[]): string[] => terms.map(({ term, before }) => before + term)

it('search terms: a payment is found by number, name, order, operator’s reference and amount', () => {
  assert.deepEqual(written(searchTermsOf(AISSA)), [
    '12~3456',
    'ais',
    'mai',
    'tou',
    '02.1999',
    '0.2199',
    '.0219',
    '#43457',
    '=12500',
  ])
  assert.deepEqual(written(searchTermsOf(NOTHING)), ['=5'])
})

it('search terms: a payer’s terms are the number and the name, and none of a masked number', () => {
  assert.deepEqual(written(payerTermsOf(AISSA)), ['12~3456', 'ais', 'mai', 'tou'])
  assert.deepEqual(payerTermsOf({ msisdn: '******56', customerName: null }), [])
})

const isIndexed = (payment: Searched, search: Search | undefined): boolean => {
  const terms = searchTermsOf(payment)
  const isOf = (wanted: Term): boolean =>
    terms.some(({ term, before }) => term === wanted.term && before.endsWith(wanted.before))
  return search?.terms.some(isOf) === true
}

const FOUND = [
  '96123456',
  '96 12 34 56',
  '+227 96.12.34.56',
  '0022796123456',
  '3456',
  '34 56',
  '23456',
  '6123456',
  'aissa',
  'maï',
  'TOURE',
  'touré aï',
  'aissa 3456',
  'aïs 12 500',
  '3456 12500',
  '12 34 56 aissa',
  '21999',
  '021999',
  '0219',
  '2199',
  'cmd-021999',
  'cmd021999',
  'cmd 21999',
  'aissa 21999 12500',
  '12500',
  '12 500',
  '12.500',
  'MP261115.0930.A00001',
  'mp261115 0930 a00001',
  ' MP2611150930A00001 ',
]
for (const written of FOUND)
  it(`search terms: “${written}” finds the payment`, () => {
    const search = readSearch(written)
    assert.ok(search?.matches(AISSA))
    assert.ok(isIndexed(AISSA, search))
  })

const NOT_FOUND = [
  '96123457',
  'aissatou',
  'maiga awa',
  '+229 01 96 12 34 56',
  '6123',
  '2345',
  '456',
  '999',
  '1250',
  '125000',
  'aissa 3457',
  'awa 3456',
  'cmd',
  'abc 21999',
  '21999 5000',
  '22999',
  'MP261115.0930.A00002',
  'MP261115.0930',
  'A00001',
]
for (const written of NOT_FOUND)
  it(`search terms: “${written}” does not find it`, () =>
    assert.ok(!readSearch(written)?.matches(AISSA)))

for (const written of ['', ' ', '1', '!', 'a'])
  it(`search terms: “${written}” is neither a number nor a name`, () =>
    assert.equal(readSearch(written), undefined))

it('search terms: a short number of an order is found whole', () => {
  const short = { ...NOTHING, externalReference: 'CMD-042-2' }
  const search = readSearch('042')
  assert.ok(search?.matches(short) && isIndexed(short, search))
})

it('search terms: of a long number the last eight digits are indexed, and its end in any length', () => {
  const long = { ...NOTHING, externalReference: '1731859200123' }
  assert.equal(searchTermsOf(long).length, 6)
  for (const [written, isFound] of [
    ['59200123', true],
    ['0123', true],
    ['859200123', true],
    ['1731', false],
  ] as const)
    assert.deepEqual(
      [readSearch(written)?.matches(long), isIndexed(long, readSearch(written))],
      [isFound, isFound],
      written,
    )
})

it('search terms: operators’ references of any form spread over many terms', () => {
  const forms = [(n: number) => `MP261115.0930.A${n}`, (n: number) => String(2_350_345_200 + n)]
  for (const form of forms) {
    const of = (n: number): string | undefined =>
      searchTermsOf({ ...NOTHING, operatorReference: form(n) })[0]?.term
    const terms = new Set(Array.from({ length: 10_000 }, (_, n) => of(10_000 + n)))
    assert.ok(terms.size > 5_000, `${form(1)}: ${terms.size}`)
  }
})
