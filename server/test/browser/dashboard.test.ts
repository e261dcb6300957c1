// Every page of the dashboard in a browser, with fixtures in the server's place and the policy that the server sends: nobody is kept out, nothing is
// cut off, nothing complains. And what the first load weighs.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page as Tab } from 'playwright-core'
import { browserTests, openBrowser } from '../kit/browser.ts'
import { buildDashboard, FIXTURE_NOW, type FixtureServer, serveFixtures } from '../kit/dashboard-page.ts'
import { DASHBOARD_PAGES, type DashboardPage } from './dashboard-pages.ts'
import { PUT_INTO_PAGES } from './inspect-page.ts'

const LANGUAGES = ['fr', 'en'] as const
const MOST_BYTES = 300 * 1024
const PHONE = { width: 360, height: 740 }
const DESK = { width: 1280, height: 860 }

let folder: string
let server: FixtureServer
let browser: Browser

interface Visit {
  open(page: DashboardPage, amount: string): Promise<void>
  tab: Tab
  complaints: string[]
}

async function visit(language: string, colorScheme: 'light' | 'dark', viewport = DESK): Promise<Visit> {
  const context = await browser.newContext({ viewport, colorScheme, locale: language, reducedMotion: 'reduce' })
  await context.addInitScript(PUT_INTO_PAGES)
  await context.clock.setFixedTime(FIXTURE_NOW)
  const tab = await context.newPage()
  const complaints: string[] = []
  // The answer to whoever is not signed in, which the browser notes by itself.
  const isExpected = (text: string): boolean => text.includes('401')
  tab.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) complaints.push(message.text())
  })
  tab.on('pageerror', (error) => complaints.push(error.message))
  return {
    tab,
    complaints,
    async open({ path, who }, amount) {
      await context.addCookies([{ name: 'karba-fixtures', value: `${amount}.${who}`, url: server.url }])
      // A change behind the # alone would load nothing.
      await tab.goto('about:blank')
      await tab.goto(`${server.url}/dashboard${path}`)
      await tab.locator('h1').waitFor()
      await tab.waitForFunction('document.querySelector(".mantine-Skeleton-root") === null')
    },
  }
}

/** Serious ones, as lines that say where. */
function barriers(tab: Tab): Promise<string[]> {
  return tab.evaluate(async () => {
    // @ts-expect-error axe was put into the page.
    const { violations } = await globalThis.axe.run({ resultTypes: ['violations'] })
    type Found = { id: string; impact: string; nodes: { html: string }[] }
    return (violations as Found[]).map(({ id, impact, nodes }) => `${impact}: ${id}: ${nodes[0]?.html}`)
  })
}

/** Whether the page can be moved sideways, which on a phone means that something is cut off. */
const isTooWide = (tab: Tab): Promise<boolean> =>
  tab.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

describe('the dashboard in a browser', browserTests, () => {
  before(async () => {
    folder = await buildDashboard()
    server = await serveFixtures()
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  for (const [language, colours] of [
    ['fr', 'light'],
    ['en', 'dark'],
  ] as const) {
    it(`every page in ${language}, ${colours}: axe finds nothing, nothing is too wide for a phone, nothing complains`, async () => {
      const { tab, open, complaints } = await visit(language, colours)
      const found: Record<string, unknown> = {}
      for (const page of DASHBOARD_PAGES) {
        await tab.setViewportSize(DESK)
        await open(page, 'some')
        const barred = await barriers(tab)
        await tab.setViewportSize(PHONE)
        const tooWide = await isTooWide(tab)
        if (barred.length > 0 || tooWide) found[page.name] = { barred, tooWide }
      }
      assert.deepEqual(found, {})
      assert.deepEqual(complaints, [])
    })
  }

  it('pages with nothing yet, and with a year of data, fit a phone and complain of nothing', async () => {
    const { tab, open, complaints } = await visit('fr', 'dark', PHONE)
    const tooWide: string[] = []
    for (const amount of ['none', 'year'])
      for (const page of DASHBOARD_PAGES.filter(({ who }) => who !== 'nobody')) {
        await open(page, amount)
        if (await isTooWide(tab)) tooWide.push(`${page.name} ${amount}`)
      }
    assert.deepEqual(tooWide, [])
    assert.deepEqual(complaints, [])
  })

  it('dialogs and menus work under the policy and keep nobody out', async () => {
    const { tab, open, complaints } = await visit('en', 'light')
    const page = (name: string): DashboardPage => DASHBOARD_PAGES.find((each) => each.name === name) as DashboardPage
    const openings: [page: string, button: RegExp][] = [
      ['links', /^New link/],
      ['keys', /^New key/],
      ['webhooks', /^Add an address/],
      ['deliveries', /^payment\.succeeded/],
      ['team', /^Invite/],
      ['home', /^My account/],
      ['payments', /^Filters/],
      ['connections', /^Pause mtn-bj/],
      ['tasks', /^Reject/],
    ]
    const found: string[] = []
    for (const [name, button] of openings) {
      await open(page(name), 'some')
      await tab.getByRole('button', { name: button }).first().click()
      await tab.locator('[role=dialog], [role=menu], .filter-fields').first().waitFor()
      found.push(...(await barriers(tab)).map((line) => `${name}: ${line}`))
    }
    assert.deepEqual(found, [])
    assert.deepEqual(complaints, [])
  })

  it('a session that has ended leads to the sign-in page, and back to where the person was', async () => {
    const { tab, complaints } = await visit('en', 'light')
    const wanted = `${server.url}/dashboard/a/acc_live0001/payments?status=failed`
    await tab.context().addCookies([{ name: 'karba-fixtures', value: 'some.nobody', url: server.url }])
    await tab.goto(wanted)
    await tab.getByText('Your session has ended.').waitFor()
    await tab.context().addCookies([{ name: 'karba-fixtures', value: 'some.owner', url: server.url }])
    await tab.getByLabel('Email address').fill('awa@boutique.example')
    await tab.locator('input[type=password]').fill('un mot de passe')
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('heading', { name: 'Payments', exact: true }).waitFor()
    assert.equal(tab.url(), wanted)
    assert.deepEqual(complaints, [])
  })

  it('a role sees no button for what it may not do', async () => {
    const { tab, open } = await visit('en', 'light')
    const page = (name: string, who: DashboardPage['who']): DashboardPage => ({
      ...(DASHBOARD_PAGES.find((each) => each.name === name) as DashboardPage),
      who,
    })
    const seen = (name: RegExp): Promise<number> => tab.getByRole('button', { name }).count()
    const path = `/a/acc_live0001/payments/${DASHBOARD_PAGES.find((each) => each.name === 'payment')
      ?.path.split('/')
      .at(-1)}`
    assert.ok(path)
    await open(page('links', 'cashier'), 'some')
    assert.equal(await seen(/^New link/), 1)
    await open(page('links', 'viewer'), 'some')
    assert.equal(await seen(/^New link/), 0)
    await open(page('keys', 'cashier'), 'some')
    assert.equal(await seen(/^New key/), 0)
    await open(page('team', 'cashier'), 'some')
    assert.equal(await seen(/^Invite/), 0)
  })

  it('the first load is at most 300 KB compressed, in either language', () => {
    const index = readFileSync(`${folder}index.html`, 'utf8')
    const first = [...index.matchAll(/(?:src|href)="\/dashboard\/(assets\/[^"]+)"/g)].map(([, name]) => name as string)
    const words = readdirSync(`${folder}assets`).filter((name) => /^all-.*\.js\.br$/.test(name))
    assert.equal(words.length, LANGUAGES.length)
    const size = (name: string): number => {
      for (const ending of ['.br', '']) {
        try {
          return readFileSync(`${folder}${name}${ending}`).length
        } catch {
          // A small file is not compressed.
        }
      }
      throw new Error(`${name} is not built`)
    }
    const home = readdirSync(`${folder}assets`).find((name) => /^home-.*\.js$/.test(name)) as string
    const largest = Math.max(...words.map((name) => readFileSync(`${folder}assets/${name}`).length))
    const total = first.reduce((sum, name) => sum + size(name), size(`assets/${home}`) + largest)
    assert.ok(first.length >= 3 && total <= MOST_BYTES, `${total} bytes`)
  })
})
