// Every checkout page in both languages on a small phone: axe finds no faults, nothing is cut off
// at 320 pixels or at twice the text size, the content security policy refuses nothing, and the
// page is small enough for a slow network.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { posterPage } from '../../src/dashboard-api/poster-page.ts'
import type { Language } from '../../src/domain/texts/language.ts'
import { browserTests, openBrowser } from '../kit/browser.ts'
import { everyPage, LANGUAGES, type NamedPage, POSTERS } from './every-page.ts'
import { type Findings, findBarriers, inspect, putAxeIntoNextPages } from './inspect-page.ts'
import { type PageServer, servePages } from './serve-pages.ts'

/**
 * With the other headers of an answer it stays within the first 14 KB that a connection sends at
 * once.
 */
const MOST_BYTES = 11.5 * 1024
const PHONE = { width: 360, height: 740 }
/** A usual phone, the narrowest ones, and the first with everything twice as large. */
const WIDTHS = [PHONE.width, 320, 180]
const NOTHING: Findings = { barriers: [], cutOff: [], tooSmall: [] }
let server: PageServer
let browser: Browser
const addressOf = (page: NamedPage): string => {
  const path = `/${page.name}-${page.language}`
  server.put(path, page)
  return server.url + path
}

/**
 * Elements and colours are the same in all languages, and the reasons of failures differ by one
 * sentence: axe looks at each page in French, at one page in English, and at one of the reasons.
 */
const isUnlikeOthers = ({ name, language }: NamedPage): boolean =>
  language === 'fr'
    ? !name.startsWith('open-after') || name === 'open-after-declined'
    : name === 'open-any-amount'

/** Looks at page after page in one tab, at every width and in the dark. */
async function inspector(
  language: Language,
): Promise<(page: NamedPage) => Promise<[Findings, string[]]>> {
  const context = await browser.newContext({ viewport: PHONE, reducedMotion: 'reduce' })
  const tab = await context.newPage()
  if (language === 'fr') await putAxeIntoNextPages(tab)
  // A page that waits asks again after a while; on a slow machine that would be in the middle of a
  // look.
  await tab.route('**/*', (route) =>
    route.request().isNavigationRequest() ? route.continue() : undefined,
  )
  let complaints: string[] = []
  let widths = WIDTHS
  tab.on('console', (message) => complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(error.message))

  async function inspectDark(): Promise<Findings> {
    await tab.emulateMedia({ colorScheme: 'dark' })
    const found = await inspect(tab, 'colours')
    await tab.emulateMedia({ colorScheme: 'light' })
    return found
  }

  return async (page) => {
    complaints = []
    await tab.goto(addressOf(page))
    const found: Findings[] = []
    for (const width of widths) {
      await tab.setViewportSize({ ...PHONE, width })
      const isWhole = width === PHONE.width && isUnlikeOthers(page)
      found.push(await inspect(tab, isWhole ? 'whole' : 'size'))
      if (isWhole) found.push(await inspectDark())
    }
    // The next page begins at the width of this one: a change of size costs a quarter of a load.
    widths = widths.toReversed()
    const all = (what: keyof Findings): string[] => found.flatMap((each) => each[what])
    return [
      { barriers: all('barriers'), cutOff: all('cutOff'), tooSmall: all('tooSmall') },
      complaints,
    ]
  }
}

describe('checkout pages on a small phone', browserTests, async () => {
  server = await servePages()
  browser = await openBrowser({ withoutFrames: true })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  /** In each language at once: a machine with two cores has something to do for both. */
  describe('every page', { concurrency: true }, () => {
    for (const language of LANGUAGES)
      describe(`in ${language}`, { concurrency: false }, async () => {
        const open = await inspector(language)
        for (const page of everyPage(language))
          it(`${page.name}: ${Buffer.byteLength(page.html)} bytes, axe finds no faults and nothing is cut off`, async () => {
            assert.ok(Buffer.byteLength(page.html) <= MOST_BYTES)
            const [found, complaints] = await open(page)
            assert.deepEqual([found, complaints], [NOTHING, []])
          })
      })
  })

  const scriptedParts = ({ html }: NamedPage): string =>
    String(html)
      .match(/data-(do|tab|elsewhere)\b[^>]*|http-equiv="?refresh|<form[^>]*hidden/g)
      ?.join() ?? ''

  it('without JavaScript no control needs it, and a waiting page refreshes itself', async () => {
    const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false })
    const tab = await context.newPage()
    const pages = new Map(everyPage('fr').map((page) => [scriptedParts(page), page]))
    for (const page of pages.values()) {
      await tab.goto(addressOf(page))
      const seen = await tab.evaluate(() => {
        // @ts-expect-error this runs in the browser.
        const { document } = globalThis
        const isShown = (each: { getClientRects(): unknown[] }): boolean =>
          each.getClientRects().length > 0
        const count = (what: string): number =>
          [...document.querySelectorAll(what)].filter(isShown).length
        return [
          count('h1'),
          count('[data-do]'),
          document.querySelectorAll('meta[http-equiv=refresh]').length,
        ]
      })
      const refreshes = /^(waiting.*|succeeded)$/.test(page.name) ? 1 : 0
      assert.deepEqual(seen, [1, 0, refreshes], page.name)
    }
  })

  it('the field of the number shows a whole number of Benin on phones of 360 and 320 pixels', async () => {
    const tab = await browser.newPage({ viewport: PHONE })
    const page = everyPage('fr').find(({ name }) => name === 'open') as NamedPage
    await tab.goto(addressOf(page))
    await tab.locator('select[name=country]').selectOption('BJ')
    const cut: string[] = []
    for (const width of [360, 320])
      for (const number of ['01 97 12 34 56', '+229 01 97 12 34 56']) {
        await tab.setViewportSize({ width, height: 740 })
        await tab.locator('input[type=tel]').fill(number)
        const isCut = await tab
          .locator('input[type=tel]')
          .evaluate((field) => field.scrollWidth > field.clientWidth)
        if (isCut) cut.push(`${width}: ${number}`)
      }
    assert.deepEqual(cut, [])
    await tab.close()
  })

  it('posters: axe finds no faults, a poster prints on one sheet, and its button is not on the sheet', async (t) => {
    const clickable = await openBrowser()
    t.after(() => clickable.close())
    const context = await clickable.newContext({ viewport: PHONE, isMobile: true })
    await context.addInitScript('globalThis.print = () => { globalThis.hasPrinted = true }')
    const tab = await context.newPage()
    const refused: string[] = []
    tab.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refused.push(message.text())
    })
    for (const [name, poster] of Object.entries(POSTERS)) {
      server.put(`/${name}`, posterPage(poster))
      await tab.goto(`${server.url}/${name}`)
      assert.deepEqual([await findBarriers(tab), refused], [[], []], name)
      await tab.getByRole('button').click()
      assert.equal(await tab.evaluate('hasPrinted'), true, name)
      const sheets = (await tab.pdf({ preferCSSPageSize: true }))
        .toString('latin1')
        .match(/\/Type\s*\/Page\b/g)
      assert.equal(sheets?.length, 1, name)
      await tab.emulateMedia({ media: 'print' })
      assert.equal(await tab.getByRole('button').isVisible(), false, name)
      await tab.emulateMedia({ media: 'screen' })
    }
  })

  it('each page is one request', async () => {
    const tab = await browser.newPage()
    const [page] = everyPage('fr')
    const before = server.requests.length
    await tab.goto(addressOf(page as NamedPage), { waitUntil: 'networkidle' })
    assert.equal(server.requests.length, before + 1)
  })
})
