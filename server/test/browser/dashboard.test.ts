// Every page of the dashboard in a browser, against a real server with a seeded store:
// accessibility, width on a phone, console errors, and the size of the first load.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { after, before, beforeEach, describe, it } from 'node:test'
import { browserTests, openBrowser } from '../kit/browser.ts'
import { buildDashboard } from '../kit/dashboard-tabs.ts'
import { PASSWORD } from '../kit/people.ts'
import { until } from '../kit/waiting.ts'
import { openEmptyService, openSeededService, SOUGHT } from './dashboard-seed.ts'
import {
  type DashboardPage,
  DESK,
  emptyPagesOf,
  PHONE,
  pagesOf,
  sandboxPagesOf,
  visitDashboard,
} from './dashboard-visit.ts'
import { findBarriers } from './inspect-page.ts'

const MOST_BYTES = 300 * 1024
const CONTRAST = ['color-contrast']
const COLOURS = [...CONTRAST, 'link-in-text-block']
/** Rules whose elements differ between the widths: the menu, and tables that show less. */
const BY_WIDTH = [
  'button-name',
  'link-name',
  'label',
  'list',
  'listitem',
  'heading-order',
  'region',
  'duplicate-id-aria',
]

describe('dashboard pages in a browser', browserTests, async () => {
  const folder = await buildDashboard()
  const server = await openSeededService()
  const allPages = pagesOf(server)
  const browser = await openBrowser({ withoutFrames: true })
  after(async () => {
    await browser.close()
    await server.close()
  })

  const page = (name: string, who?: DashboardPage['who']): DashboardPage => {
    const found = allPages.find((each) => each.name === name)
    assert.ok(found, name)
    return { ...found, ...(who && { who }) }
  }

  type Visit = Awaited<ReturnType<typeof visitDashboard>>
  let visit: Visit
  before(async () => {
    visit = await visitDashboard(browser, server, { language: 'en', colours: 'light' })
  })
  beforeEach(() => visit.startAgain())

  interface Look {
    viewport: typeof DESK
    colours: 'light' | 'dark'
    rules: readonly string[] | undefined
  }

  // Of one load: both widths and both themes. In the dark and on the phone only what can differ
  // there is checked again.
  const LOOKS: readonly Look[] = [
    { viewport: DESK, colours: 'light', rules: undefined },
    { viewport: DESK, colours: 'dark', rules: COLOURS },
    { viewport: PHONE, colours: 'dark', rules: CONTRAST },
    { viewport: PHONE, colours: 'light', rules: [...CONTRAST, ...BY_WIDTH] },
  ]

  async function assertAccessible(
    { tab, open, isTooWide, complaints }: Visit,
    pages: readonly DashboardPage[],
    looks: readonly Look[],
  ): Promise<void> {
    const found: Record<string, string[]> = {}
    let ordered = looks
    for (const each of pages) {
      await open(each)
      const wrong: string[] = []
      for (const { viewport, colours, rules } of ordered) {
        await tab.setViewportSize(viewport)
        await tab.emulateMedia({ colorScheme: colours })
        // The page's script follows the change with the next frame, perhaps while axe reads the
        // colours.
        await tab.evaluate(`document.documentElement.dataset.mantineColorScheme = '${colours}'`)
        wrong.push(
          ...(await findBarriers(tab, rules)).map(
            (line) => `${viewport.width} ${colours}: ${line}`,
          ),
        )
        if (viewport === PHONE && (await isTooWide())) wrong.push(`${colours}: too wide`)
      }
      if (wrong.length > 0) found[each.name] = wrong
      // The next page begins with the last look of this one: a change of size costs half as much as
      // a page.
      ordered = ordered.toReversed()
    }
    assert.deepEqual([found, complaints], [{}, []])
  }

  // The environments differ in their colours, which do not depend on the width: the sandbox's own
  // pages are below.
  it('dashboard: pages of an account in the sandbox, light and dark: axe finds no fault of colours', () => {
    const onDesk = LOOKS.filter(({ viewport }) => viewport === DESK)
    return assertAccessible(
      visit,
      sandboxPagesOf(server),
      onDesk.map((look) => ({ ...look, rules: COLOURS })),
    )
  })

  describe('in French', () => {
    let french: Visit
    before(async () => {
      french = await visitDashboard(browser, server, { language: 'fr', colours: 'light' })
    })
    beforeEach(() => french.startAgain())

    it('dashboard: all pages, light and dark, at 1280 and 360 pixels: axe finds nothing, all fit, no error in the console', () =>
      assertAccessible(french, allPages, LOOKS))

    it('dashboard pages without any data fit a phone, with no error in the console', async () => {
      const empty = await openEmptyService()
      try {
        const visit = await visitDashboard(browser, empty, { language: 'fr', colours: 'light' })
        await assertFitsPhone(visit, emptyPagesOf(empty))
        await visit.tab.context().close()
      } finally {
        await empty.close()
      }
    })

    it('the copy button covers no text, and the button that clears the filters shows all its words', async () => {
      const { tab, open } = french
      const wrong: string[] = []
      for (const viewport of [PHONE, DESK]) {
        await tab.setViewportSize(viewport)
        await open(page('keys'))
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

    it('sums of ten digits fit their cards at 360 and 1280 pixels', async () => {
      const { tab, open } = french
      const cut: string[] = []
      for (const name of ['home', 'link', 'payment', 'money', 'merchant']) {
        await open(page(name))
        for (const viewport of [DESK, PHONE]) {
          await tab.setViewportSize(viewport)
          const found = await tab.evaluate(() => {
            // @ts-expect-error this runs in the browser.
            const { document } = globalThis
            const sums = [
              ...document.querySelectorAll('.card .big, .card .facts dd, .card .money-rest b'),
            ]
            for (const sum of sums) sum.textContent = '9\u00a0999\u00a0999\u00a0999\u00a0F\u00a0CFA'
            const isCut = (sum: (typeof sums)[number]): boolean =>
              sum.scrollWidth > sum.clientWidth + 1 ||
              sum.getBoundingClientRect().right > sum.closest('.card').getBoundingClientRect().right
            return sums.filter(isCut).map((sum) => sum.outerHTML.slice(0, 80))
          })
          cut.push(...found.map((each) => `${name} ${viewport.width}: ${each}`))
        }
      }
      assert.deepEqual(cut, [])
    })
  })

  it('dashboard: all pages in English fit a phone, with no error in the console', () =>
    assertFitsPhone(visit, allPages))

  async function assertFitsPhone(
    { tab, open, isTooWide, complaints }: Visit,
    pages: readonly DashboardPage[],
  ): Promise<void> {
    await tab.setViewportSize(PHONE)
    const tooWide: string[] = []
    for (const each of pages) {
      await open(each)
      if (await isTooWide()) tooWide.push(each.name)
    }
    assert.deepEqual([tooWide, complaints], [[], []])
  }

  it('a role sees no button for an action that it may not take', async () => {
    const buttons: [page: string, who: DashboardPage['who'], button: RegExp, count: number][] = [
      ['links', 'cashier', /^New link/, 1],
      ['keys', 'cashier', /^New key/, 0],
      ['payments', 'cashier', /^Export/, 0],
      ['payments', 'viewer', /^Export/, 0],
      ['team', 'cashier', /^Invite/, 0],
      ['links', 'viewer', /^New link/, 0],
      ['money-settings', 'viewer', /^Save/, 0],
      ['phone', 'viewer', /^Decline/, 1],
    ]
    for (const [name, who, button, count] of buttons) {
      await visit.open(page(name, who))
      assert.equal(
        await visit.tab.getByRole('button', { name: button }).count(),
        count,
        `${who} at ${name}`,
      )
    }
    assert.ok(await visit.tab.getByRole('button', { name: /^Decline/ }).isDisabled())
  })

  it('cashiers and viewers see no turnover and no developers’ pages; accountants see turnover', async () => {
    const { tab, open } = visit
    for (const [who, turnover] of [
      ['cashier', 0],
      ['viewer', 0],
      ['accountant', 1],
    ] as const) {
      await open(page('home', who))
      const seen = [
        await tab.getByText('Collected today').count(),
        await tab.getByRole('link', { name: 'Developers' }).count(),
      ]
      assert.deepEqual(seen, [turnover, 0], who)
      await open(page('link', who))
      assert.equal(await tab.getByText('Collected', { exact: true }).count(), turnover, who)
      await open(page('keys', who))
      await tab.getByText('Roles that may: Owner, Developer.').waitFor()
    }
  })

  it('without a connection: a loaded page stays and says so, also after a reload', async () => {
    const { tab, open } = await visitDashboard(browser, server, {
      language: 'en',
      colours: 'light',
      serviceWorkers: 'allow',
    })
    await open(page('home'))
    await tab.evaluate('navigator.serviceWorker.ready')
    // The files of the first load came before the service worker.
    await tab.reload()
    await tab.getByText('Collected today').waitFor()
    await tab.context().setOffline(true)
    await tab.getByText('Offline. This page shows the latest data received.').waitFor()
    await tab.getByText('Collected today').waitFor()
    await tab.reload()
    await tab.getByText('Offline. This page shows the latest data received.').waitFor()
    await tab.getByText('Collected today').waitFor()
    await tab.context().close()
  })

  it('a suspended account shows the reason on its pages; the merchant’s other accounts do not', async () => {
    const { tab, open } = visit
    const reason = tab.getByText(
      'This account is suspended (Live): it collects no payments. Reason: Trop de réclamations',
    )
    for (const [name, count] of [
      ['suspended-home', 1],
      ['suspended-payments', 1],
      ['payments', 0],
    ] as const) {
      await open(page(name))
      assert.equal(await reason.count(), count, name)
    }
  })

  describe('with clicks', () => {
    let clicked: Awaited<ReturnType<typeof openBrowser>>
    let visit: Visit
    before(async () => {
      clicked = await openBrowser()
      visit = await visitDashboard(clicked, server, { language: 'en', colours: 'light' })
    })
    beforeEach(() => visit.startAgain())
    after(() => clicked.close())

    it('dialogs and menus work under the content security policy and pass axe', async () => {
      const openings: [page: string, button: RegExp][] = [
        ['links', /^New link/],
        ['keys', /^New key/],
        ['webhooks', /^Add an endpoint/],
        ['deliveries', /^payment\.succeeded/],
        ['team', /^Invite/],
        ['networks', /^Connect a network/],
        ['home', /^My account/],
        ['payments', /^Filters/],
        ['networks', /^Actions/],
        ['connections', /^Pause, /],
        ['tasks', /^Reject/],
        ['settlement', /^Confirm the arrival/],
        ['money-settings', /^Restore the default/],
        ['differences', /^Close/],
        ['all-differences', /^Find the payment/],
      ]
      const found: string[] = []
      for (const [name, button] of openings) {
        await visit.open(page(name))
        await visit.tab.getByRole('button', { name: button }).first().click()
        await visit.tab.locator('[role=dialog], [role=menu], .filter-fields').first().waitFor()
        found.push(...(await findBarriers(visit.tab)).map((line) => `${name}: ${line}`))
        await visit.tab.keyboard.press('Escape')
        await visit.tab.locator('[role=dialog], [role=menu]').waitFor({ state: 'detached' })
      }
      assert.deepEqual([found, visit.complaints], [[], []])
    })

    it('tabs: the current one is in view on a phone, from whichever tab a person comes', async () => {
      const visit = await visitDashboard(clicked, server, {
        language: 'fr',
        colours: 'light',
        viewport: PHONE,
      })
      const outside = `(() => {
        const tabs = document.querySelector('.tabs')
        const tab = tabs.querySelector('[aria-current]')
        const [all, one] = [tabs, tab].map((each) => each.getBoundingClientRect())
        return one.left < all.left - 1 || one.right > all.right + 1
      })()`
      for (const name of [
        'money',
        'statement-files',
        'money-settings',
        'settlements',
        'differences',
      ]) {
        await visit.open(page(name))
        await until(
          `tab of ${name} in view`,
          async () => !(await visit.tab.evaluate(outside)),
          5_000,
        )
      }
    })

    it('console search: a person who comes back from a payment finds the search again', async () => {
      const { open, tab } = visit
      await open(page('any-payment'))
      const search = tab.getByRole('searchbox', { name: /^Number, name/ })
      await search.fill(SOUGHT)
      await tab.getByRole('link', { name: /F CFA/ }).first().click()
      await tab.getByRole('link', { name: 'Search' }).first().waitFor()
      await tab.locator('a.back').click()
      await tab.getByRole('link', { name: /F CFA/ }).first().waitFor()
      assert.equal(await search.inputValue(), SOUGHT)
    })

    it('an ended session leads to the sign-in page, then back to the same address', async () => {
      const { tab, become, complaints } = visit
      const wanted = `${server.url}/dashboard${page('payments').path}?status=failed`
      await become('visitor')
      await tab.goto(wanted)
      await tab.getByText('Your session has ended.').waitFor()
      await tab.getByLabel('Email address').fill(server.people.owner.email)
      await tab.locator('input[type=password]').fill(PASSWORD)
      await tab.getByRole('button', { name: 'Sign in' }).click()
      await tab.getByRole('heading', { name: 'Payments', exact: true }).waitFor()
      assert.deepEqual([tab.url(), complaints], [wanted, []])
    })

    it('the menu keeps its place when the environment changes', async () => {
      const { tab, open } = visit
      const placesOf = async (): Promise<(number | undefined)[]> => {
        const names = ['Home', 'Payments', 'Payment links', 'Developers', 'Account']
        const boxes = names.map((name) =>
          tab.locator('.side').getByRole('link', { name, exact: true }).boundingBox(),
        )
        return (await Promise.all(boxes)).map((box) => box?.y)
      }
      await open(page('home'))
      const before = await placesOf()
      await tab.locator('.top').getByText('Sandbox').click()
      await tab.getByText('Sandbox: no real money is charged.').waitFor()
      assert.deepEqual(await placesOf(), before)
    })
  })

  it('the first load is at most 300 KB compressed', async () => {
    const index = await readFile(`${folder}index.html`, 'utf8')
    const named = [...index.matchAll(/(?:src|href)="\/dashboard\/(assets\/[^"]+)"/g)].map(
      ([, name]) => name as string,
    )
    const assets = readdirSync(`${folder}assets`).map((name) => `assets/${name}`)
    const sizeOf = (name: string): number =>
      statSync(existsSync(`${folder}${name}.br`) ? `${folder}${name}.br` : `${folder}${name}`).size
    // Each language has its table; a visit loads one.
    const words = assets.filter((name) => /\/(fr|en)-[^.]*\.js$/.test(name))
    const home = assets.filter((name) => /\/home-[^.]*\.js$/.test(name))
    assert.deepEqual([words.length, home.length], [2, 1])
    const total = [...named, ...home].reduce(
      (sum, name) => sum + sizeOf(name),
      Math.max(...words.map(sizeOf)),
    )
    assert.ok(named.length >= 3 && total <= MOST_BYTES, `${total} bytes`)
  })
})
