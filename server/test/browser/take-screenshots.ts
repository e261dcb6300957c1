// Takes screenshots of every page into screenshots/. Run it with node. Arguments choose:
// `dashboard` or `checkout`, then the beginnings of page names, `fr` or `en`, `light` or `dark`:
// `take-screenshots.ts dashboard home payments fr`.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../kit/browser.ts'
import { buildDashboard } from '../kit/dashboard-tabs.ts'
import { openSeededService } from './dashboard-seed.ts'
import { DESK, PHONE, pagesOf, visitDashboard } from './dashboard-visit.ts'
import { everyPage, LANGUAGES } from './every-page.ts'
import { servePages } from './serve-pages.ts'

const FOLDER = fileURLToPath(new URL('screenshots/', import.meta.url))
const COLOURS = ['light', 'dark'] as const
const given = process.argv.slice(2)

const chosen = <T extends string>(all: readonly T[]): readonly T[] => {
  const named = all.filter((each) => given.includes(each))
  return named.length === 0 ? all : named
}
const kinds = chosen(['checkout', 'dashboard'])
const languages = chosen(LANGUAGES)
const colours = chosen(COLOURS)
const names = given.filter(
  (each) => ![...kinds, ...languages, ...colours].some((known) => known === each),
)
const isWanted = ({ name }: { name: string }): boolean =>
  names.length === 0 || names.some((start) => name.startsWith(start))

async function takeDashboard(browser: Browser): Promise<void> {
  await buildDashboard()
  const server = await openSeededService()
  for (const language of languages)
    for (const each of colours) {
      const { tab, open } = await visitDashboard(browser, server, { language, colours: each })
      for (const page of pagesOf(server).filter(isWanted)) {
        await open(page)
        for (const viewport of [DESK, PHONE]) {
          await tab.setViewportSize(viewport)
          const path = `${FOLDER}dashboard/${page.name}.${language}.${each}.${viewport.width}.png`
          await tab.screenshot({ path, fullPage: true })
        }
      }
      await tab.context().close()
    }
  await server.close()
}

async function takeCheckout(browser: Browser): Promise<void> {
  const server = await servePages()
  for (const colorScheme of colours) {
    const options = { viewport: PHONE, deviceScaleFactor: 2, colorScheme, bypassCSP: true }
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' })
    const tab = await context.newPage()
    for (const page of languages.flatMap(everyPage).filter(isWanted)) {
      server.put('/', page)
      await tab.goto(server.url)
      // The system-ui font of an Android phone, if this machine has it.
      await tab.addStyleTag({ content: 'body:not(:has(.tag)) { font-family: Roboto, system-ui }' })
      const path = `${FOLDER}checkout/${page.name}.${page.language}`
      await tab.screenshot({ path: `${path}.${colorScheme}.png`, fullPage: true })
      if (colorScheme === 'light' && /^(succeeded|share)/.test(page.name)) {
        await tab.emulateMedia({ media: 'print' })
        await tab.screenshot({ path: `${path}.print.png`, fullPage: true })
        await tab.emulateMedia({ media: 'screen' })
      }
    }
    await context.close()
  }
  await server.close()
}

mkdirSync(FOLDER, { recursive: true })
const browser = await openBrowser()
try {
  if (kinds.includes('dashboard')) await takeDashboard(browser)
  if (kinds.includes('checkout')) await takeCheckout(browser)
} finally {
  await browser.close()
}
