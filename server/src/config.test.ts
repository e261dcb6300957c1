// Settings: what is taken, what is refused, and in which words.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readConfig, SettingRefused } from './config.ts'

const REFUSED: [env: Record<string, string>, sentence: string][] = [
  [{ PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535. It is "abc".'],
  [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535. It is "65536".'],
  [{ PORT: '80.5' }, 'PORT must be a whole number from 0 to 65535. It is "80.5".'],
  [{ DATABASE_URL: 'mysql://root:hush@db' }, 'DATABASE_URL must begin with sqlite: or postgres://.'],
  [{ PUBLIC_URL: 'pay.example' }, 'PUBLIC_URL must be an http or https address without a path. It is "pay.example".'],
  [
    { PUBLIC_URL: 'https://a.example/b' },
    'PUBLIC_URL must be an http or https address without a path. It is "https://a.example/b".',
  ],
  [{ KARBA_MODE: 'prod' }, 'KARBA_MODE must be one of: development, production. It is "prod".'],
  [{ KARBA_MASTER_KEY: 'hush' }, 'KARBA_MASTER_KEY must be 64 hexadecimal digits.'],
  [{ KARBA_MOED: 'production' }, 'KARBA_MOED is not a setting of Karba. `npm run karba -- config` lists them all.'],
]

for (const [env, sentence] of REFUSED) {
  it(`${Object.keys(env)[0]}=${Object.values(env)[0]} is refused in one sentence`, () => {
    assert.throws(() => readConfig(env), new SettingRefused(sentence))
  })
}

it('the database is in the data folder unless it is named', () => {
  assert.equal(readConfig({ KARBA_DATA_DIR: '/srv/karba' }).databaseUrl, 'sqlite:/srv/karba/karba.db')
  assert.equal(readConfig({}).databaseUrl, 'sqlite:./data/karba.db')
  assert.equal(readConfig({ DATABASE_URL: 'postgres://db/karba' }).databaseUrl, 'postgres://db/karba')
})

it('an empty variable is a variable that is not set', () => {
  assert.equal(readConfig({ PORT: '' }).port, 8080)
})
