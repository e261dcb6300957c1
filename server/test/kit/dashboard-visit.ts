// A visit to the dashboard's page in a browser, with fixtures in the server's place. From page to page it goes as the
// page's own links do, without loading everything again: that is most of what a visit costs.
import type { Browser, Page as Tab } from 'playwright-core'
import type { Amount } from '../../../dashboard/dev/fixture-world.ts'
import type { DashboardPage } from '../browser/dashboard-pages.ts'
import { PUT_INTO_PAGES } from '../browser/inspect-page.ts'
import { FIXTURE_NOW, type FixtureServer } from './dashboard-page.ts'

export const PHONE = { width: 360, height: 740 }
export const DESK = { width: 1280, height: 860 }

export interface DashboardVisit {
  tab: Tab
  /** What the browser's console and the policy had to say. */
  complaints: string[]
  open(page: DashboardPage, amount: Amount): Promise<void>
  /** What axe finds, as lines that say where. */
  barriers(rules?: readonly string[]): Promise<string[]>
  /** Whether the page can be moved sideways, which on a phone means that something is cut off. */
  isTooWide(): Promise<boolean>
}

export interface VisitOptions {
  language: 'fr' | 'en'
  colours: 'light' | 'dark'
  viewport?: { width: number; height: number }
}

export async function visitDashboard(
  browser: Browser,
  server: FixtureServer,
  { language, colours, viewport = DESK }: VisitOptions,
): Promise<DashboardVisit> {
  const context = await browser.newContext({
    viewport,
    colorScheme: colours,
    locale: language,
    reducedMotion: 'reduce',
  })
  await context.addInitScript(PUT_INTO_PAGES)
  await context.addInitScript(`localStorage.setItem('karba-language', '${language}')`)
  await context.clock.setFixedTime(FIXTURE_NOW)
  const tab = await context.newPage()
  const complaints: string[] = []
  // The browser notes by itself that whoever is not signed in gets a 401.
  const isExpected = (text: string): boolean => text.includes('401')
  tab.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) complaints.push(message.text())
  })
  tab.on('pageerror', (error) => complaints.push(error.message))
  let world = ''

  async function open({ path, who }: DashboardPage, amount: Amount): Promise<void> {
    const wanted = `${amount}.${who}`
    const address = `${server.url}/dashboard${path}`
    if (wanted !== world || who === 'nobody') {
      world = wanted
      await context.addCookies([{ name: 'karba-fixtures', value: wanted, url: server.url }])
      await tab.goto(address)
    } else {
      // The page that is left is marked, to see when it is gone.
      await tab.evaluate(
        `document.querySelector('main > :last-child').dataset.left = ''; history.pushState(null, '', '${address}')`,
      )
      await tab.locator('[data-left]').waitFor({ state: 'detached' })
    }
    await tab.locator('h1').waitFor()
    await tab.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  }

  const barriers = (rules?: readonly string[]): Promise<string[]> =>
    tab.evaluate(async (only) => {
      const options = { resultTypes: ['violations'], ...(only && { runOnly: only }) }
      // @ts-expect-error axe was put into the page.
      const { violations } = await globalThis.axe.run(options)
      type Found = { id: string; impact: string; nodes: { html: string }[] }
      return (violations as Found[]).map(({ id, impact, nodes }) => `${impact}: ${id}: ${nodes[0]?.html}`)
    }, rules)

  const isTooWide = (): Promise<boolean> =>
    tab.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

  return { tab, complaints, open, barriers, isTooWide }
}
