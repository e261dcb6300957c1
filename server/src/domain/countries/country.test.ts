// Operators as payers know them: every operator of country.ts has a name and a readable colour.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LEAST_CONTRAST, luminance } from '../merchants/brand.ts'
import { connectionName, OPERATORS, operatorName } from './country.ts'

function contrast(one: string, other: string): number {
  const long = [one, other].map((colour) =>
    colour.length === 4 ? colour.replace(/[0-9a-f]/g, '$&$&') : colour,
  )
  const [light, dark] = long.map(luminance).sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

it('operators: contrast is that of WCAG', () =>
  assert.deepEqual(
    [contrast('#fff', '#000000'), contrast('#767676', '#fff').toFixed(2)],
    [21, '4.54'],
  ))

it('operators: no two operators have the same name, and no country two operators of one prefix', () => {
  const names = OPERATORS.map(({ operator }) => operator)
  assert.deepEqual([...new Set(names)], names)
  const routed = OPERATORS.flatMap(({ country, prefixes }) =>
    prefixes.map((prefix) => `${country}:${prefix}`),
  )
  assert.deepEqual([...new Set(routed)], routed)
})

for (const { operator, name, colour, textColour } of OPERATORS)
  it(`operators: the badge of ${operator} is short and can be read: ${name}`, () => {
    assert.ok(name.length <= 14)
    assert.match(`${colour} ${textColour}`, /^#[0-9a-f]{6} #(?:[0-9a-f]{3}){1,2}$/)
    assert.ok(
      contrast(colour, textColour) >= LEAST_CONTRAST,
      contrast(colour, textColour).toFixed(2),
    )
  })

it('operators: an operator that is not in the table has its plain name', () => {
  for (const operator of ['orange_ne', 'toString', '__proto__'])
    assert.equal(operatorName(operator), operator)
})

it('operators: a method and an operator of two countries have words in both languages', () => {
  const names = ['bank_card', 'moov_bj'].map((each) => [
    operatorName(each),
    operatorName(each, 'en'),
  ])
  assert.deepEqual(names, [
    ['Carte bancaire', 'Bank card'],
    ['Moov Money Bénin', 'Moov Money Benin'],
  ])
})

// What people call a connection, in both languages.

const NAMES: [connection: string, label: string | null, fr: string, en: string][] = [
  ['con_0123456789abcdef', 'MTN de la boutique', 'MTN de la boutique', 'MTN de la boutique'],
  ['mtn_bj', null, 'MTN MoMo (Bénin)', 'MTN MoMo (Benin)'],
  ['moov_ne', null, 'Moov Money (Niger)', 'Moov Money (Niger)'],
  ['bank_card', null, 'Carte bancaire', 'Bank card'],
  ['mtn-benin', null, 'MTN MoMo (Bénin)', 'MTN MoMo (Benin)'],
  ['pawapay-benin-2', null, 'pawaPay 2 (Bénin)', 'pawaPay 2 (Benin)'],
  ['airtel-money-ne', null, 'Airtel Money (Niger)', 'Airtel Money (Niger)'],
  ['pawapay-niger-benin', null, 'pawaPay (Niger, Bénin)', 'pawaPay (Niger, Benin)'],
  ['mtn-constructor', null, 'MTN MoMo constructor', 'MTN MoMo constructor'],
  ['fedapay', null, 'FedaPay', 'FedaPay'],
  ['mtn-momo', null, 'MTN MoMo', 'MTN MoMo'],
  ['mtnx', null, 'mtnx', 'mtnx'],
  ['caisse-2', null, 'caisse-2', 'caisse-2'],
  ['constructor', null, 'constructor', 'constructor'],
]

it('connection names: the merchant’s label, else the network with its country, else the installation’s name', () => {
  for (const [connection, connectionLabel, fr, en] of NAMES) {
    const named = { connection, connectionLabel }
    assert.deepEqual([connectionName(named, 'fr'), connectionName(named, 'en')], [fr, en])
  }
})
