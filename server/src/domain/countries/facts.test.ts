// The facts of each country, written out once more: a prefix or a form of a number that changes by
// accident would send a payment to another operator.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  addMonths,
  dayOf,
  daysOfMonth,
  firstOfMonth,
  localDate,
  localDayText,
  monthOf,
  monthSpan,
  startOfDay,
  ZONE_TEXT,
} from './business-day.ts'
import {
  BOOKS_CLOCK,
  byCountry,
  COUNTRIES,
  citiesAt,
  countryName,
  countryOfOperator,
  factsOf,
  isCountry,
  OPERATORS,
  operatorNames,
  shownOperator,
} from './country.ts'
import { countryNamedIn, readMsisdn, withDigits } from './msisdn.ts'

const PREFIXES: Record<string, string> = {
  mtn_bj: '42 46 50 51 52 53 54 56 57 59 61 62 66 67 69 90 91 96 97',
  moov_bj: '45 55 58 60 63 64 65 68 94 95 98 99',
  celtiis_bj: '40 41 43 44 47 48',
  airtel_ne: '76 77 78 79 86 87 88 89 96 97 98 99',
  zamani_ne: '70 71 72 80 81 82 90 91 92',
  moov_ne: '74 75 84 85 94 95',
  niger_telecoms_ne: '83 93',
}
const BRANDS: Record<string, string> = {
  mtn_bj: 'MTN MoMo #ffcb05 #1d1a2b',
  moov_bj: 'Moov Money #00569d #fff',
  celtiis_bj: 'Celtiis Cash #5a2d82 #fff',
  airtel_ne: 'Airtel Money #c8102e #fff',
  zamani_ne: 'Zamani Cash #f28c28 #1d1a2b',
  moov_ne: 'Moov Money #00569d #fff',
  niger_telecoms_ne: 'Niger Telecoms #006b3f #fff',
}

it('countries: every operator has its prefixes, its name and its colours', () => {
  const byName = (row: (operator: (typeof OPERATORS)[number]) => string) =>
    Object.fromEntries(OPERATORS.map((each) => [each.operator, row(each)]))
  assert.deepEqual(
    byName(({ prefixes }) => prefixes.join(' ')),
    PREFIXES,
  )
  assert.deepEqual(
    byName(({ name, colour, textColour }) => `${name} ${colour} ${textColour}`),
    BRANDS,
  )
  for (const { operator, country } of OPERATORS) {
    assert.equal(country.toLowerCase(), operator.slice(-2))
    assert.equal(countryOfOperator(operator), country)
    assert.equal(shownOperator(operator)?.name, BRANDS[operator]?.split(' #')[0])
  }
  assert.equal(countryOfOperator('orange_ci'), undefined)
})

for (const [code, alpha3, fr, en, callingCode, digits, trunk, city] of [
  ['NE', 'NER', 'Niger', 'Niger', '227', 8, '', 'Niamey'],
  ['BJ', 'BEN', 'Bénin', 'Benin', '229', 10, '01', 'Porto-Novo'],
] as const)
  it(`countries: the code, names, numbers and clock of ${code}`, () => {
    const facts = factsOf(code)
    assert.deepEqual(
      [facts.code, facts.alpha3, facts.callingCode, facts.numbers.digits, facts.numbers.trunk],
      [code, alpha3, callingCode, digits, trunk],
    )
    assert.deepEqual(facts.clock, { utcOffsetMinutes: 60, city })
    assert.deepEqual([countryName(code, 'fr'), countryName(code, 'en')], [fr, en])
    assert.equal(isCountry(code), true)
    assert.deepEqual(
      operatorNames(code),
      Object.keys(PREFIXES).filter((name) => name.endsWith(code.toLowerCase())),
    )
  })

it('countries: the list, the clock of the books, and the cities of an offset', () => {
  assert.deepEqual([...COUNTRIES].sort(), ['BJ', 'NE'])
  for (const name of ['', 'ne', 'toString', 5, null]) assert.equal(isCountry(name), false)
  assert.equal(BOOKS_CLOCK, factsOf(COUNTRIES[0]).clock)
  const cities = COUNTRIES.map((country) => factsOf(country).clock.city)
  assert.equal(citiesAt(60, 'fr'), cities.join(' et '))
  assert.equal(citiesAt(60, 'en'), cities.join(' and '))
  assert.equal(citiesAt(0, 'en'), '')
  assert.deepEqual(
    byCountry((country) => `${country}!`),
    { NE: 'NE!', BJ: 'BJ!' },
  )
})

for (const [written, country] of [
  ['+227 96 12 34 56', 'NE'],
  ['0022996123456', 'BJ'],
  ['22796123456', 'NE'],
  ['2290197123456', 'BJ'],
  ['96123456', undefined],
  ['0197123456', undefined],
  ['2279612345', undefined],
  ['+33612345678', undefined],
  ['  +229 97 12 34 56', 'BJ'],
  ['96 00 22 9', undefined],
] as const)
  it(`numbers: “${written}” names ${country ?? 'no country'}`, () =>
    assert.equal(countryNamedIn(written), country))

for (const [msisdn, digits, sent] of [
  ['2290197123456', 8, '22997123456'],
  ['2290197123456', 10, '2290197123456'],
  ['22796123456', 8, '22796123456'],
  ['229019712345', 8, '229019712345'],
  ['22901971234567', 8, '22901971234567'],
  ['2290297123456', 8, '2290297123456'],
  ['40410000117', 8, '40410000117'],
] as const)
  it(`numbers: ${msisdn} with ${digits} digits is ${sent}`, () =>
    assert.equal(withDigits(msisdn, digits), sent))

it('numbers: a text of 41 characters is refused unread', () => {
  const padded = (length: number) => '96123456'.padEnd(length, ' ')
  assert.equal(readMsisdn(padded(40), 'NE', 'live')?.msisdn, '22796123456')
  assert.equal(readMsisdn(padded(41), 'NE', 'live'), undefined)
})

it('months: of a moment, added, and from their first moment to the next month', () => {
  assert.equal(monthOf(Date.UTC(2026, 2, 31, 22, 59)), '2026-03')
  assert.equal(monthOf(Date.UTC(2026, 2, 31, 23)), '2026-04')
  for (const [month, count, sum] of [
    ['2026-11', 0, '2026-11'],
    ['2026-11', 2, '2027-01'],
    ['2026-01', -1, '2025-12'],
  ] as const)
    assert.equal(addMonths(month, count), sum)
  assert.deepEqual(monthSpan('2026-12'), {
    from: Date.UTC(2026, 10, 30, 23),
    to: Date.UTC(2026, 11, 31, 23),
  })
  const { firstDay, lastDay } = daysOfMonth('2028-02')
  assert.deepEqual([localDayText(firstDay), localDayText(lastDay)], ['01/02/2028', '29/02/2028'])
  assert.equal(firstOfMonth(lastDay), firstDay)
  assert.equal(firstOfMonth(firstDay), firstDay)
  assert.equal(startOfDay(dayOf(0)), -3_600_000)
  assert.deepEqual([ZONE_TEXT, localDate(0).toISOString()], ['+01:00', '1970-01-01T01:00:00.000Z'])
})
