// A payer's number is found however it is written, and nothing else is taken for it.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Country } from '../countries/country.ts'
import { eraseInJson, nameEraser, numberEraser, type Payer, readPayer } from './personal-data.ts'

const NIGER: Payer = { country: 'NE', msisdn: '22796123456' }
const BENIN: Payer = { country: 'BJ', msisdn: '2290197123456' }

const WRITTEN: [written: string, country: Country | undefined, payer: Payer | undefined][] = [
  ['+227 96 12 34 56', undefined, NIGER],
  ['0022796123456', undefined, NIGER],
  ['96.12.34.56', 'NE', NIGER],
  ['22796123456', 'NE', NIGER],
  ['+229 01 97 12 34 56', undefined, BENIN],
  ['97123456', 'BJ', BENIN],
  ['40410000000', undefined, { country: 'NE', msisdn: '40410000000' }],
  ['96123456', undefined, undefined],
  ['+33 6 12 34 56 78', undefined, undefined],
  ['+227 96 12 34 56', 'BJ', undefined],
  ['Awa', 'NE', undefined],
]
for (const [written, country, payer] of WRITTEN)
  it(`personal data: ${written} ${country ?? 'alone'} is ${payer?.msisdn ?? 'no number'}`, () =>
    assert.deepEqual(readPayer(written, country), payer))

const IN_TEXTS: [payer: Payer, text: string, erased: string][] = [
  [NIGER, 'call 96123456 now', 'call ******56 now'],
  [NIGER, '+227 96 12 34 56', '******56'],
  [NIGER, '0022796123456/22796123456', '******56/******56'],
  [NIGER, '96-12-34-56.', '******56.'],
  [NIGER, 'order 961234567', 'order 961234567'],
  [NIGER, 'order 196123456', 'order 196123456'],
  [BENIN, '+229 01 97 12 34 56 and 97123456 and 0197123456', '******56 and ******56 and ******56'],
]
for (const [payer, text, erased] of IN_TEXTS)
  it(`personal data: ${payer.msisdn} in ${JSON.stringify(text)}`, () =>
    assert.equal(numberEraser(payer)(text), erased))

it('personal data: a name is erased as words of its own, in any case', () =>
  assert.equal(
    nameEraser('Awa D.')('for AWA D., not Awa Diallo or Mawa D.'),
    'for [erased], not Awa Diallo or Mawa D.',
  ))

it('personal data: in JSON only texts are touched, never an amount with the same digits', () => {
  const erase = numberEraser(NIGER)
  assert.equal(
    eraseInJson('{"amount":96123456,"of":["96123456"]}', erase),
    '{"amount":96123456,"of":["******56"]}',
  )
})
