// Settings: accepted values, refused values, and the sentences of the refusals.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readConfig, SettingRefused } from './config.ts'

const [PREFIXES, URL_RULE] = [
  'KARBA_OPERATOR_PREFIXES',
  'PUBLIC_URL must be an http or https address without a path.',
]
const REFUSED: [env: Record<string, string>, sentence: string][] = [
  [{ PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535. It is "abc".'],
  [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535. It is "65536".'],
  [{ PORT: '80.5' }, 'PORT must be a whole number from 0 to 65535. It is "80.5".'],
  [
    { DATABASE_URL: 'mysql://root:hush@db' },
    'DATABASE_URL must begin with sqlite: or postgres://.',
  ],
  [{ PUBLIC_URL: 'pay.example' }, `${URL_RULE} It is "pay.example".`],
  [{ PUBLIC_URL: 'https://a.example/b' }, `${URL_RULE} It is "https://a.example/b".`],
  [{ KARBA_MODE: 'prod' }, 'KARBA_MODE must be one of: development, production. It is "prod".'],
  [
    { KARBA_OPERATORS: 'airtel_ne,mtn_ne' },
    'KARBA_OPERATORS may name these alone: airtel_ne, zamani_ne, moov_ne, niger_telecoms_ne, mtn_bj, moov_bj, celtiis_bj. It is "airtel_ne,mtn_ne".',
  ],
  [
    { [PREFIXES]: 'NE93=airtel_ne' },
    `${PREFIXES} must be written like NE:93=airtel_ne. It is "NE93=airtel_ne".`,
  ],
  [
    { [PREFIXES]: 'NE:9=airtel_ne' },
    `${PREFIXES} must be written like NE:93=airtel_ne. It is "NE:9=airtel_ne".`,
  ],
  [
    { [PREFIXES]: 'CI:93=airtel_ne' },
    `${PREFIXES} may name these countries alone: NE, BJ. It is "CI:93=airtel_ne".`,
  ],
  [
    { [PREFIXES]: 'BJ:40=airtel_ne' },
    `${PREFIXES} may name these in BJ alone: mtn_bj, moov_bj, celtiis_bj. It is "BJ:40=airtel_ne".`,
  ],
  [{ KARBA_MASTER_KEY: 'hush' }, 'KARBA_MASTER_KEY must be 64 hexadecimal digits.'],
  [
    { KARBA_MOED: 'production' },
    'KARBA_MOED is not a setting of Karba. `npm run karba -- config` lists them all.',
  ],
]

for (const [env, sentence] of REFUSED)
  it(`settings: ${Object.keys(env)[0]}=${Object.values(env)[0]} is refused in one sentence`, () =>
    assert.throws(() => readConfig(env), new SettingRefused(sentence)))

it('settings: KARBA_URL, which merchants’ tools read, is no setting and no fault', () =>
  assert.equal(readConfig({ KARBA_URL: 'http://127.0.0.1:8080' }).port, 8080))

it('settings: the database is in the data folder unless DATABASE_URL names it', () => {
  assert.equal(
    readConfig({ KARBA_DATA_DIR: '/srv/karba' }).databaseUrl,
    'sqlite:/srv/karba/karba.db',
  )
  assert.equal(readConfig({}).databaseUrl, 'sqlite:./data/karba.db')
  assert.equal(
    readConfig({ DATABASE_URL: 'postgres://db/karba' }).databaseUrl,
    'postgres://db/karba',
  )
})

it('settings: operators and prefixes are lists, with or without spaces', () => {
  const { operators, operatorPrefixes } = readConfig({
    KARBA_OPERATORS: 'mtn_bj, airtel_ne',
    KARBA_OPERATOR_PREFIXES: 'NE:93=airtel_ne, BJ:40=mtn_bj,',
  })
  assert.deepEqual(operators, ['mtn_bj', 'airtel_ne'])
  assert.deepEqual(operatorPrefixes, [
    { country: 'NE', prefix: '93', operator: 'airtel_ne' },
    { country: 'BJ', prefix: '40', operator: 'mtn_bj' },
  ])
})

it('settings: by default all operators are connected and no prefix is moved', () => {
  const { operators, operatorPrefixes } = readConfig({})
  assert.deepEqual([operators.length, operatorPrefixes], [7, []])
})

it('settings: an empty variable counts as not set', () =>
  assert.equal(readConfig({ PORT: '' }).port, 8080))
