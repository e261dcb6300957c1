// What the pages show of the countries: every country has a name, and every clock a name.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { byCountry, COUNTRIES, factsOf } from '../../server/src/dashboard-api/contract.ts'
import { CLOCKS, callingCodeOf, clockNames, countryNames } from './countries.ts'

for (const language of ['fr', 'en'] as const)
  it(`countries: every country and every clock has its name (${language})`, () => {
    assert.deepEqual(
      countryNames(language),
      byCountry((country) => factsOf(country).names[language]),
    )
    assert.equal(Object.values(clockNames(language)).filter(Boolean).length, CLOCKS.length)
  })

it('countries: UTC is among the clocks, and each clock is there once', () => {
  assert.ok(CLOCKS.includes(0))
  assert.equal(new Set(CLOCKS).size, CLOCKS.length)
  assert.match(clockNames('fr')[0] ?? '', /UTC/)
})

it('countries: a number of no country has no calling code', () => {
  assert.ok(COUNTRIES.length > 1)
  assert.equal(callingCodeOf('22790123456'), '227')
  assert.equal(callingCodeOf('40410000101'), undefined)
  assert.equal(callingCodeOf(''), undefined)
})
