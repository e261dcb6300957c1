// The dashboard's page: how its files are served, how it formats texts and numbers, and its
// periods.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { formatPhone, formatShortCount, setLanguage } from '../../../dashboard/src/format.ts'
import { browserOf } from '../../../dashboard/src/parts/browser-name.ts'
import {
  momentsBefore,
  type Period,
  type Preset,
  periodOf,
} from '../../../dashboard/src/periods.ts'
import { words as english } from '../../../dashboard/src/words/en.ts'
import { words as french } from '../../../dashboard/src/words/fr.ts'
import { typeset, withoutInherited } from '../../../dashboard/src/words/table.ts'
import { dashboardPages } from '../../src/dashboard-api/static.ts'
import { INHERITED_NAMES } from '../kit/generated.ts'
import { seededRandom } from '../kit/seeded-random.ts'

const SCRIPT = 'export const page = 1\n'

describe('files of the dashboard', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'karba-page-'))
  const app = Fastify()
  dashboardPages(app, { random: seededRandom(1), folder })
  after(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.inject({ url: `/dashboard${path}`, headers })

  it('dashboard files: after a failed read the next request reads again', async () => {
    mkdirSync(join(folder, 'index.html'))
    assert.equal((await get('/')).statusCode, 500)
    rmSync(join(folder, 'index.html'), { recursive: true })
    assert.equal((await get('/')).statusCode, 503)
  })

  it('dashboard files: a missing build is explained, and a new build is served at once', async () => {
    const missing = await get('/')
    assert.equal(missing.statusCode, 503)
    assert.match(missing.body, /npm run build-dashboard/)
    mkdirSync(join(folder, 'assets'))
    writeFileSync(
      join(folder, 'index.html'),
      '<script nonce="{{nonce}}" src="/dashboard/assets/a-1.js"></script>',
    )
    writeFileSync(join(folder, 'assets/a-1.js'), SCRIPT)
    writeFileSync(join(folder, 'assets/a-1.js.br'), brotliCompressSync(SCRIPT))
    writeFileSync(join(folder, 'assets/a-1.js.gz'), gzipSync(SCRIPT))
    writeFileSync(join(folder, 'mark.svg'), '<svg/>')
    writeFileSync(join(folder, '.sources'), 'hash')
    assert.equal((await get('/')).statusCode, 200)
  })

  it('dashboard files: every page gets index.html, each time with a new nonce', async () => {
    const seen = new Set<string>()
    for (const path of ['/', '/a/acc_1/payments', '/console', '/sign-in?back=%2F']) {
      const { statusCode, headers, body } = await get(path)
      const nonce = /nonce="([^"]+)"/.exec(body)?.[1] ?? ''
      assert.deepEqual([statusCode, headers['cache-control']], [200, 'no-store'], path)
      assert.ok(String(headers['content-security-policy']).includes(`'nonce-${nonce}'`), path)
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe/)
      seen.add(nonce)
    }
    assert.equal(seen.size, 4)
  })

  it('dashboard files: a file with a hash in its name is immutable and compressed for the browser', async () => {
    const forms: [accepted: string, sent: string | undefined][] = [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', undefined],
    ]
    for (const [accepted, sent] of forms) {
      const { headers } = await get('/assets/a-1.js', { 'accept-encoding': accepted })
      assert.equal(headers['content-encoding'], sent)
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.deepEqual(
        [headers.vary, headers['x-content-type-options']],
        ['accept-encoding', 'nosniff'],
      )
    }
    assert.match(String((await get('/mark.svg')).headers['cache-control']), /max-age=3600$/)
  })

  it('dashboard files: no other file is served', async () => {
    for (const path of [
      '/assets/../../secret',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/assets/%2e%2e/.sources',
      '/.sources',
    ]) {
      const { statusCode, headers, body } = await get(path)
      assert.ok(statusCode === 404 || String(headers['content-type']).startsWith('text/html'), path)
      assert.doesNotMatch(body, /^hash|root:/)
    }
    assert.equal((await get('/assets/a-2.js')).statusCode, 404)
    assert.deepEqual(
      [(await get('')).statusCode, (await get('')).headers.location],
      [308, '/dashboard/'],
    )
  })
})

const plain = (text: string): string => text.replaceAll('\u00a0', ' ')

it('page texts: no French line begins with a punctuation mark or ends with an opening quote', () => {
  const words = typeset({
    help: 'Vide : le client choisit.',
    quoted: { help: '« Commande 118 »' },
    asks: (name: string) => `Fermer ${name} ?`,
    list: ['Merci !'],
    count: 3,
  })
  assert.equal(words.help, 'Vide\u00a0: le client choisit.')
  assert.equal(words.quoted.help, '«\u00a0Commande 118\u00a0»')
  assert.deepEqual(
    [words.asks('le lien'), words.list, words.count],
    ['Fermer le lien\u00a0?', ['Merci\u00a0!'], 3],
  )
})

it('page format: phone numbers are grouped in pairs without a single digit', () => {
  assert.equal(plain(formatPhone('22790123456')), '+227 90 12 34 56')
  assert.equal(plain(formatPhone('2290190123456')), '+229 01 90 12 34 56')
  assert.equal(plain(formatPhone('40410000127')), '404 10 00 01 27')
})

it('page format: the axis of a chart has few digits', () => {
  const values = [0, 750, 8_000, 40_000, 1_200_000, 4_000_000_000]
  const written = (language: 'fr' | 'en') => {
    setLanguage(language)
    return values.map((value) => plain(formatShortCount(value)))
  }
  assert.deepEqual(written('fr'), ['0', '750', '8 000', '40 k', '1,2 M', '4 Md'])
  assert.deepEqual(written('en'), ['0', '750', '8,000', '40 k', '1.2 M', '4 bn'])
})

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0'
const BROWSERS: [userAgent: string, browser: string | undefined, system: string | undefined][] = [
  [`Mozilla/5.0 (X11; Linux x86_64) ${CHROME} Safari/537.36`, 'Chrome', 'Linux'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, 'Chrome', 'Android'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/131.0.0.0`,
    'Edge',
    'Windows',
  ],
  [`Mozilla/5.0 (Linux; Android 9) ${CHROME} Mobile Safari/537.36 OPR/76.2`, 'Opera', 'Android'],
  [
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
    'Firefox',
    'Linux',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/604.1',
    'Safari',
    'iPhone',
  ],
  ['curl/8.5.0', undefined, undefined],
]
for (const [userAgent, browser, system] of BROWSERS)
  it(`sessions: ${userAgent} is ${browser} on ${system}`, () => {
    assert.deepEqual(browserOf(userAgent), { browser, system })
  })

it('activity: every recorded action has a text in both languages', () => {
  const folder = new URL('../../src/', import.meta.url)
  const actions = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap(
      (name) =>
        readFileSync(new URL(name, folder), 'utf8').match(
          /(?<=\baction: ')[a-z_-]+\.[a-z_-]+(?=')/g,
        ) ?? [],
    )
  assert.ok(actions.length > 40)
  for (const { activity } of [french, english])
    assert.deepEqual(
      actions.filter((action) => !Object.hasOwn(activity.actions, action)),
      [],
    )
})

it('page texts: an inherited name such as constructor finds no text in any table', () => {
  const check = (table: object, place: string): void => {
    for (const name of INHERITED_NAMES) assert.ok(!(name in table), `${name} in ${place}`)
    for (const [name, value] of Object.entries(table))
      if (typeof value === 'object' && !Array.isArray(value)) check(value, `${place}.${name}`)
  }
  check(withoutInherited(english), 'en')
  check(withoutInherited(french), 'fr')
})

// Periods of the list of payments, by name, and the period that each is compared with.

/** A Wednesday. */
const NOW = Date.parse('2026-03-04T10:30:00+01:00')

const at = (text: string): number => Date.parse(`${text}:00+01:00`)

const PERIODS: [preset: Preset, period: Period, before: [from: string, to: string]][] = [
  ['today', { from: '2026-03-04', to: '2026-03-04' }, ['2026-03-03T00:00', '2026-03-03T10:30']],
  ['yesterday', { from: '2026-03-03', to: '2026-03-03' }, ['2026-03-02T00:00', '2026-03-03T00:00']],
  ['week', { from: '2026-03-02', to: '2026-03-04' }, ['2026-02-23T00:00', '2026-02-25T10:30']],
  ['month', { from: '2026-03-01', to: '2026-03-04' }, ['2026-02-01T00:00', '2026-02-04T10:30']],
  ['lastMonth', { from: '2026-02-01', to: '2026-02-28' }, ['2026-01-01T00:00', '2026-02-01T00:00']],
]
for (const [preset, period, [from, to]] of PERIODS)
  it(`periods: ${preset} and the period before it`, () => {
    assert.deepEqual(periodOf(preset, NOW), period)
    assert.deepEqual(momentsBefore(period, NOW), { from: at(from), to: at(to) })
  })

it('periods: just after midnight in Niamey it is the new day', () => {
  assert.equal(periodOf('today', Date.parse('2026-03-03T23:01:00Z')).from, '2026-03-04')
})

it('periods: ten days are compared with the ten days before', () => {
  const before = momentsBefore({ from: '2026-02-05', to: '2026-02-14' }, NOW)
  assert.deepEqual(before, { from: at('2026-01-26T00:00'), to: at('2026-02-05T00:00') })
})
