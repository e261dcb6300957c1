// The names of browsers and systems, by headers as they send them.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { browserOf } from './browser-name.ts'

const MOZILLA = 'Mozilla/5.0'
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'

const SENT: readonly [
  userAgent: string,
  browser: string | undefined,
  system: string | undefined,
][] = [
  [
    `${MOZILLA} (Linux; Android 13; SM-A145F) ${WEBKIT} Chrome/124.0 Mobile Safari/537.36`,
    'Chrome',
    'Android',
  ],
  [
    `${MOZILLA} (Linux; Android 13) ${WEBKIT} SamsungBrowser/24.0 Chrome/117.0 Safari/537.36`,
    'Samsung Internet',
    'Android',
  ],
  [
    `${MOZILLA} (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/124.0 Safari/537.36 Edg/124.0`,
    'Edge',
    'Windows',
  ],
  [
    `${MOZILLA} (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/124.0 Safari/537.36 OPR/109.0`,
    'Opera',
    'Windows',
  ],
  [
    `${MOZILLA} (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Version/17.4 Safari/604.1`,
    'Safari',
    'iPhone',
  ],
  [
    `${MOZILLA} (Macintosh; Intel Mac OS X 14.4; rv:125.0) Gecko/20100101 Firefox/125.0`,
    'Firefox',
    'macOS',
  ],
  [`${MOZILLA} (X11; CrOS x86_64) ${WEBKIT} Chrome/124.0 Safari/537.36`, 'Chrome', 'ChromeOS'],
  ['curl/8.5.0', undefined, undefined],
  ['', undefined, undefined],
]

for (const [userAgent, browser, system] of SENT)
  it(`browser names: ${browser ?? 'no browser'} on ${system ?? 'no system'} (${userAgent.length} letters)`, () =>
    assert.deepEqual(browserOf(userAgent), { browser, system }))
