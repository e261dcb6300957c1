// Every page of the dashboard in a browser, with fixtures and the server's content security policy: accessibility, width on a phone, console
// errors, and the size of the first load.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { after, describe, it } from 'node:test'
import { browserTests, openBrowser } from '../kit/browser.ts'
import { buildDashboard } from '../kit/dashboard-tabs.ts'
import { LIVE, SANDBOX } from './dashboard-fixtures.ts'
import { DASHBOARD_PAGES, type DashboardPage, DESK, PHONE, serveFixtures, visitDashboard } from './dashboard-visit.ts'
import { findBarriers } from './inspect-page.ts'

const MOST_BYTES = 300 * 1024

const page = (name: string, who?: DashboardPage['who']): DashboardPage => {
  const found = DASHBOARD_PAGES.find((each) => each.name === name)
  assert.ok(found, name)
  return { ...found, ...(who && { who }) }
}

describe('dashboard pages in a browser', browserTests, async () => {
  const folder = await buildDashboard()
  const server = await serveFixtures()
  const browser = await openBrowser()
  after(async () => {
    await browser.close()
    await server.close()
  })

  // Later runs check only what can differ there: colours and the width of words. The sandbox has its own colours.
  const inSandbox = DASHBOARD_PAGES.filter(({ path }) => path.startsWith(`/a/${LIVE}`)).map((each) => ({
    ...each,
    path: each.path.replace(LIVE, SANDBOX),
  }))
  for (const { language, colours, rules, pages } of [
    { language: 'fr', colours: 'light', rules: undefined, pages: DASHBOARD_PAGES },
    { language: 'en', colours: 'dark', rules: ['color-contrast'], pages: DASHBOARD_PAGES },
    { language: 'en', colours: 'light', rules: ['color-contrast'], pages: inSandbox },
    { language: 'fr', colours: 'dark', rules: ['color-contrast'], pages: inSandbox },
  ] as const) {
    const where = pages === inSandbox ? 'of the sandbox ' : ''
    it(`dashboard pages ${where}in ${language}, ${colours}: axe finds nothing, all fit a phone, no error in the console`, async () => {
      const { tab, open, isTooWide, complaints } = await visitDashboard(browser, server, { language, colours })
      const found: Record<string, string[]> = {}
      for (const each of pages) {
        await tab.setViewportSize(DESK)
        await open(each, 'full')
        const wrong = await findBarriers(tab, rules)
        await tab.setViewportSize(PHONE)
        if (await isTooWide()) wrong.push('too wide')
        if (wrong.length > 0) found[each.name] = wrong
      }
      assert.deepEqual([found, complaints], [{}, []])
    })
  }

  it('dashboard pages without any data fit a phone, with no error in the console', async () => {
    const visit = await visitDashboard(browser, server, { language: 'fr', colours: 'dark', viewport: PHONE })
    const tooWide: string[] = []
    for (const each of DASHBOARD_PAGES.filter(({ who }) => who !== 'visitor')) {
      await visit.open(each, 'none')
      if (await visit.isTooWide()) tooWide.push(each.name)
    }
    assert.deepEqual([tooWide, visit.complaints], [[], []])
  })

  it('dialogs and menus work under the content security policy and pass axe', async () => {
    const visit = await visitDashboard(browser, server, { language: 'en', colours: 'light' })
    const openings: [page: string, button: RegExp][] = [
      ['links', /^New link/],
      ['keys', /^New key/],
      ['webhooks', /^Add an address/],
      ['deliveries', /^payment\.succeeded/],
      ['team', /^Invite/],
      ['networks', /^Connect a network/],
      ['home', /^My account/],
      ['payments', /^Filters/],
      ['connections', /^Pause /],
      ['tasks', /^Reject/],
      ['settlement', /^Confirm the arrival/],
      ['money-settings', /^Restore the default/],
      ['differences', /^Close/],
      ['all-differences', /^Find the payment/],
    ]
    const found: string[] = []
    for (const [name, button] of openings) {
      await visit.open(page(name), 'full')
      await visit.tab.getByRole('button', { name: button }).first().click()
      await visit.tab.locator('[role=dialog], [role=menu], .filter-fields').first().waitFor()
      found.push(...(await findBarriers(visit.tab)).map((line) => `${name}: ${line}`))
      await visit.tab.keyboard.press('Escape')
      await visit.tab.locator('[role=dialog], [role=menu]').waitFor({ state: 'detached' })
    }
    assert.deepEqual([found, visit.complaints], [[], []])
  })

  it('the copy button covers no text, and the button that clears the filters shows all its words', async () => {
    const { tab, open } = await visitDashboard(browser, server, { language: 'fr', colours: 'light' })
    const wrong: string[] = []
    for (const viewport of [PHONE, DESK]) {
      await tab.setViewportSize(viewport)
      await open(page('keys'), 'full')
      const isCovered = await tab.locator('.code-frame').evaluate((frame) => {
        // @ts-expect-error this runs in the browser.
        const range = globalThis.document.createRange()
        range.selectNodeContents(frame.querySelector('pre'))
        const left = frame.querySelector('button').getBoundingClientRect().left
        return [...range.getClientRects()].some(({ right }) => right > left)
      })
      if (isCovered) wrong.push(`${viewport.width}: the copy button`)
      await tab.goto(`${server.url}/dashboard${page('payments').path}?status=failed`)
      const isClipped = await tab
        .locator('.clear .mantine-Button-label')
        .evaluate((label) => label.scrollWidth > label.clientWidth)
      if (isClipped) wrong.push(`${viewport.width}: the filters`)
    }
    assert.deepEqual(wrong, [])
  })

  it('an ended session leads to the sign-in page, then back to the same address', async () => {
    const { tab, become, complaints } = await visitDashboard(browser, server, { language: 'en', colours: 'light' })
    const wanted = `${server.url}/dashboard${page('payments').path}?status=failed`
    await become('visitor', 'full')
    await tab.goto(wanted)
    await tab.getByText('Your session has ended.').waitFor()
    await become('owner', 'full')
    await tab.getByLabel('Email address').fill('awa@boutique.example')
    await tab.locator('input[type=password]').fill('un mot de passe')
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('heading', { name: 'Payments', exact: true }).waitFor()
    assert.deepEqual([tab.url(), complaints], [wanted, []])
  })

  it('a role sees no button for an action that it may not take', async () => {
    const visit = await visitDashboard(browser, server, { language: 'en', colours: 'light' })
    const buttons: [page: string, who: DashboardPage['who'], button: RegExp, count: number][] = [
      ['links', 'cashier', /^New link/, 1],
      ['keys', 'cashier', /^New key/, 0],
      ['team', 'cashier', /^Invite/, 0],
      ['links', 'viewer', /^New link/, 0],
      ['settlement', 'viewer', /^Confirm the arrival/, 0],
      ['money-settings', 'viewer', /^Save/, 0],
      ['phone', 'viewer', /^Decline/, 1],
    ]
    for (const [name, who, button, count] of buttons) {
      await visit.open(page(name, who), 'full')
      assert.equal(await visit.tab.getByRole('button', { name: button }).count(), count, `${who} at ${name}`)
    }
    assert.ok(await visit.tab.getByRole('button', { name: /^Decline/ }).isDisabled())
  })

  it('a suspended account shows the reason on its pages; the merchant’s other accounts do not', async () => {
    const { tab, open } = await visitDashboard(browser, server, { language: 'en', colours: 'light' })
    const reason = tab.getByText(
      'This account is suspended (Live): it collects no payments. Reason: Trop de réclamations',
    )
    for (const [name, count] of [
      ['suspended-home', 1],
      ['suspended-payments', 1],
      ['payments', 0],
    ] as const) {
      await open(page(name), 'full')
      assert.equal(await reason.count(), count, name)
    }
  })

  it('the first load is at most 300 KB compressed', async () => {
    const index = await readFile(`${folder}index.html`, 'utf8')
    const named = [...index.matchAll(/(?:src|href)="\/dashboard\/(assets\/[^"]+)"/g)].map(([, name]) => name as string)
    const assets = readdirSync(`${folder}assets`).map((name) => `assets/${name}`)
    const sizeOf = (name: string): number =>
      statSync(existsSync(`${folder}${name}.br`) ? `${folder}${name}.br` : `${folder}${name}`).size
    // Each language has its table; a visit loads one.
    const words = assets.filter((name) => /\/(fr|en)-[^.]*\.js$/.test(name))
    const home = assets.filter((name) => /\/home-[^.]*\.js$/.test(name))
    assert.deepEqual([words.length, home.length], [2, 1])
    const total = [...named, ...home].reduce((sum, name) => sum + sizeOf(name), Math.max(...words.map(sizeOf)))
    assert.ok(named.length >= 3 && total <= MOST_BYTES, `${total} bytes`)
  })
})
