// Takes a screenshot of every checkout page into screenshots/, by language and colour scheme. Run it with node; arguments choose pages
// by the beginning of their names.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../kit/browser.ts'
import { everyPage, LANGUAGES } from './every-page.ts'
import { servePages } from './serve-pages.ts'

const FOLDER = fileURLToPath(new URL('screenshots/', import.meta.url))
mkdirSync(FOLDER, { recursive: true })

const wanted = process.argv.slice(2)
const pages = LANGUAGES.flatMap(everyPage).filter(
  ({ name }) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)),
)
const server = await servePages()
const browser = await openBrowser()
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      viewport: { width: 360, height: 740 },
      deviceScaleFactor: 2,
      colorScheme,
      reducedMotion: 'reduce',
      bypassCSP: true,
    })
    const tab = await context.newPage()
    for (const page of pages) {
      server.put('/', page)
      await tab.goto(server.url)
      // What system-ui is on an Android phone, if this machine has it.
      await tab.addStyleTag({ content: 'body:not(:has(.tag)) { font-family: Roboto, system-ui }' })
      await tab.screenshot({ path: `${FOLDER}${page.name}.${page.language}.${colorScheme}.png`, fullPage: true })
      if (colorScheme === 'light' && /^(succeeded|share)/.test(page.name)) {
        await tab.emulateMedia({ media: 'print' })
        await tab.screenshot({ path: `${FOLDER}${page.name}.${page.language}.print.png`, fullPage: true })
        await tab.emulateMedia({ media: 'screen' })
      }
    }
    await context.close()
  }
} finally {
  await browser.close()
  await server.close()
}
