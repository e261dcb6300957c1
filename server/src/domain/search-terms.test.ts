// What a payment is found by, and what a search is read as.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readSearch, searchTermsOf } from './search-terms.ts'

const AISSA = { msisdn: '22796123456', customerName: 'Aïssa MAÏGA-Touré 2' }

it('search terms: a payment is found by its number and by the first letters of each word of the name', () => {
  assert.deepEqual(searchTermsOf(AISSA), ['22796123456', 'ais', 'mai', 'tou'])
  assert.deepEqual(searchTermsOf({ msisdn: null, customerName: null }), [])
})

const FOUND = ['96123456', '96 12 34 56', '+227 96.12.34.56', '0022796123456', 'aissa', 'maï', 'TOURE', 'touré aï']
for (const written of FOUND)
  it(`search terms: “${written}” finds the payment`, () => {
    const search = readSearch(written)
    assert.ok(search?.matches(AISSA))
    assert.ok(search?.terms.some((term) => searchTermsOf(AISSA).includes(term)))
  })

for (const written of ['96123457', 'aissatou', 'maiga awa', '+229 01 96 12 34 56'])
  it(`search terms: “${written}” does not find it`, () => assert.ok(!readSearch(written)?.matches(AISSA)))

for (const written of ['', ' ', '12', '!', 'a'])
  it(`search terms: “${written}” is neither a number nor a name`, () => assert.equal(readSearch(written), undefined))
