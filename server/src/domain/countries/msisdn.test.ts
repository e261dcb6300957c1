// The ways people write a payer's number, and what each one means (D-09, D-20).
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { COUNTRIES } from './country.ts'
import { readMsisdn } from './msisdn.ts'

type Row = [country: 'NE' | 'BJ', msisdn: string, prefix: string, written: string[]]
const ACCEPTED: Row[] = [
  // Niger: 227 and eight digits that begin with 7, 8 or 9.
  [
    'NE',
    '22796123456',
    '96',
    ['96123456', '22796123456', '+22796123456', '0022796123456', '96 12 34 56'],
  ],
  [
    'NE',
    '22796123456',
    '96',
    ['96.12.34.56', '96-12-34-56', '+227 96 12 34 56', '00 227 96-12.34 56', ' 96123456 '],
  ],
  ['NE', '22796123456', '96', ['96\u00a012\u00a034\u00a056', '96\u202f12\u202f34\u202f56']],
  ...['90', '80', '94', '93', '73'].map(
    (prefix): Row => ['NE', `227${prefix}123456`, prefix, [`${prefix}123456`]],
  ),
  // Benin: 229 and ten digits that begin with 01, or the eight of before 30 November 2024.
  [
    'BJ',
    '2290197123456',
    '97',
    ['0197123456', '2290197123456', '+2290197123456', '002290197123456'],
  ],
  [
    'BJ',
    '2290197123456',
    '97',
    ['+229 01 97 12 34 56', '97123456', '22997123456', '+22997123456', '0022997123456'],
  ],
  ['BJ', '2290197123456', '97', ['97-12-34-56']],
  ['BJ', '2290122912345', '22', ['22912345']],
  ['BJ', '2290195123456', '95', ['0195123456', '95123456']],
  ['BJ', '2290140123456', '40', ['0140123456']],
  ['BJ', '2290149123456', '49', ['0149123456']],
]

const REFUSED: [about: string, country: 'NE' | 'BJ', written: unknown[]][] = [
  ['without digits', 'NE', ['', ' -.', '+', 'ninety-six', '٩٦١٢٣٤٥٦']],
  [
    'with other characters',
    'NE',
    ['96l23456', '96123456\n', '96\t123456', '(227)96123456', '96123456,97123456'],
  ],
  [
    'of a wrong length',
    'NE',
    ['+227', '9612345', '961234567', '2279612345', '227961234567', '22722796123456'],
  ],
  ['of 41 characters', 'NE', ['96123456'.padEnd(41)]],
  [
    'with a wrong prefix',
    'NE',
    ['+96123456', '0096123456', '++22796123456', '+0022796123456', '227+96123456'],
  ],
  ['of a fixed line', 'NE', ['20123456']],
  ['of Benin or France', 'NE', ['0197123456', '+2290197123456', '22997123456', '+33612345678']],
  ['of Niger', 'BJ', ['+22796123456', '22796123456']],
  ['of a wrong length', 'BJ', ['01971234', '22901971234', '019712345', '01971234567']],
  ['of ten digits that do not begin with 01', 'BJ', ['0297123456']],
  [
    'that is no string',
    'NE',
    [96123456, null, undefined, ['96123456'], { toString: () => '96123456' }],
  ],
]

const TEST_NUMBERS = [
  ...Array.from({ length: 10 }, (_, last) => `4041000000${last}`),
  '40410000100',
  '40410000142',
  '40410000199',
  '404 1000 0000',
]
const NO_TEST_NUMBERS = [
  '40410000010',
  '40410000200',
  '4041000000',
  '404100000000',
  '+40410000000',
  '40420000000',
]

for (const [country, msisdn, prefix, forms] of ACCEPTED)
  for (const written of forms)
    it(`msisdn: a payer’s number ${JSON.stringify(written)} in ${country} is ${msisdn} with the prefix ${prefix}, in both environments`, () => {
      for (const environment of ['sandbox', 'live'] as const)
        assert.deepEqual(readMsisdn(written, country, environment), { msisdn, prefix })
    })

for (const [about, country, all] of REFUSED)
  it(`msisdn: a payer’s number ${about} is refused in ${country}, in both environments`, () => {
    for (const written of all)
      for (const environment of ['sandbox', 'live'] as const)
        assert.equal(readMsisdn(written, country, environment), undefined, String(written))
  })

for (const written of [...TEST_NUMBERS, ...NO_TEST_NUMBERS]) {
  const isOne = TEST_NUMBERS.includes(written)
  it(`msisdn: a payer’s number ${written} is ${isOne ? 'a test number' : 'refused'} in sandbox, and refused in live`, () => {
    const msisdn = written.replaceAll(' ', '')
    for (const country of COUNTRIES) {
      assert.deepEqual(
        readMsisdn(written, country, 'sandbox'),
        isOne ? { msisdn, prefix: '' } : undefined,
      )
      assert.equal(readMsisdn(written, country, 'live'), undefined)
    }
  })
}

for (const [country, code] of [
  ['NE', '227'],
  ['BJ', '229'],
] as const) {
  it(`msisdn: a payer’s number that is a test number may carry the code of ${country}, and of no other country, in sandbox alone`, () => {
    const subscriber = { msisdn: '40410000002', prefix: '' }
    for (const before of ['', '+', '00']) {
      const written = `${before}${code} 404 100 000 02`
      assert.deepEqual(readMsisdn(written, country, 'sandbox'), subscriber, written)
      assert.equal(
        readMsisdn(written, country === 'NE' ? 'BJ' : 'NE', 'sandbox'),
        undefined,
        written,
      )
      assert.equal(readMsisdn(written, country, 'live'), undefined, written)
    }
  })
}

it('msisdn: a payer’s number of Niger is accepted with every prefix in 7, 8 and 9, and with no other', () => {
  for (let prefix = 0; prefix < 100; prefix++) {
    const written = `${`${prefix}`.padStart(2, '0')}123456`
    assert.equal(readMsisdn(written, 'NE', 'live') !== undefined, prefix >= 70, written)
  }
})

it('msisdn: a payer’s number of Benin is accepted with every prefix after 01', () => {
  for (let prefix = 0; prefix < 100; prefix++) {
    const eight = `${`${prefix}`.padStart(2, '0')}123456`
    assert.equal(readMsisdn(`01${eight}`, 'BJ', 'live')?.msisdn, `22901${eight}`)
  }
})
