// Takes a screenshot of every page of the dashboard into screenshots/, by language, colours, width and amount of data. Run it with node;
// arguments choose: `home some fr light wide`. Without an argument of a kind, it takes all of that kind.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../kit/browser.ts'
import { buildDashboard, FIXTURE_NOW, serveFixtures } from '../kit/dashboard-page.ts'
import { AMOUNTS, DASHBOARD_PAGES } from './dashboard-pages.ts'

const FOLDER = fileURLToPath(new URL('screenshots/dashboard/', import.meta.url))
mkdirSync(FOLDER, { recursive: true })

const WIDTHS = { wide: { width: 1280, height: 860 }, narrow: { width: 360, height: 740 } }
const wanted = process.argv.slice(2)
const chosen = <T extends string>(all: readonly T[]): readonly T[] => {
  const named = all.filter((each) => wanted.includes(each))
  return named.length === 0 ? all : named
}

await buildDashboard()
const server = await serveFixtures()
const browser = await openBrowser()
const names = chosen(DASHBOARD_PAGES.map(({ name }) => name))
try {
  for (const language of chosen(['fr', 'en'] as const))
    for (const colours of chosen(['light', 'dark'] as const))
      for (const width of chosen(Object.keys(WIDTHS) as (keyof typeof WIDTHS)[])) {
        const context = await browser.newContext({
          viewport: WIDTHS[width],
          colorScheme: colours,
          locale: language,
          reducedMotion: 'reduce',
        })
        await context.addInitScript(
          `if (location.origin !== 'null') localStorage.setItem('karba-language', '${language}')`,
        )
        await context.clock.setFixedTime(FIXTURE_NOW)
        const tab = await context.newPage()
        tab.on('console', (message) => message.type() === 'error' && process.stdout.write(`  ${message.text()}\n`))
        tab.on('pageerror', (error) => process.stdout.write(`  ${error.stack}\n`))
        for (const amount of chosen(AMOUNTS))
          for (const { name, path, who } of DASHBOARD_PAGES.filter((page) => names.includes(page.name))) {
            await context.addCookies([{ name: 'karba-fixtures', value: `${amount}.${who}`, url: server.url }])
            await tab.goto('about:blank')
            await tab.goto(`${server.url}/dashboard${path}`)
            await tab.locator('h1').waitFor()
            await tab.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
            await tab.screenshot({
              path: `${FOLDER}${name}.${amount}.${language}.${colours}.${width}.png`,
              fullPage: true,
            })
          }
        await context.close()
      }
} finally {
  await browser.close()
  await server.close()
}
