// The home page and the API reference in a browser: no console error, no foreign request, usable on
// a phone and dark.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page as Tab } from 'playwright-core'
import { OPERATIONS } from '../../src/merchant-api/contract.ts'
import { browserTests, openBrowser } from '../kit/browser.ts'
import { buildDashboard } from '../kit/dashboard-tabs.ts'
import { openTestService } from '../kit/service.ts'
import { inspect } from './inspect-page.ts'

describe('public pages in a browser', browserTests, async () => {
  await buildDashboard()
  const service = await openTestService()
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const key = (await service.merchant()).accounts.sandbox.secretKey
  const browser = await openBrowser()
  after(async () => {
    await browser?.close()
    await service.remove()
  })

  type Visit = { tab: Tab; faults: string[] }

  async function visit(
    path: string,
    options: { width: number; colorScheme?: 'dark' | 'light' },
  ): Promise<Visit> {
    const { width, colorScheme = 'light' } = options
    const tab = await browser.newPage({ viewport: { width, height: 740 }, colorScheme })
    const faults: string[] = []
    tab.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${address}/`))
        faults.push(request.url())
    })
    tab.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text())
    })
    tab.on('pageerror', (error) => faults.push(error.message))
    await tab.goto(address + path)
    return { tab, faults }
  }

  const widths = (tab: Tab) => tab.evaluate('[document.documentElement.scrollWidth, innerWidth]')

  /** In light and dark, without a barrier. */
  async function assertFitsPhone({ tab, faults }: Visit): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.emulateMedia({ colorScheme })
      const { barriers } = await inspect(tab, colorScheme === 'light' ? 'whole' : 'colours')
      assert.deepEqual(barriers, [], colorScheme)
    }
    assert.deepEqual([await widths(tab), faults], [[360, 360], []])
  }

  it('home page: axe finds no barrier on a small phone, in light and dark', async () => {
    await assertFitsPhone(await visit('/', { width: 360 }))
  })

  describe('API reference', () => {
    // One load for all: it takes four seconds of CPU.
    let docs: Visit
    before(async () => {
      docs = await visit('/docs', { width: 1300, colorScheme: 'dark' })
    })
    after(() => docs.tab.close())

    it('API reference: shows every operation, and follows the dark mode', async () => {
      const { tab, faults } = docs
      await tab.locator('body.dark-mode').waitFor()
      const { paths } = (await service.app.inject('/api/v1/openapi.json')).json()
      for (const { path, method } of Object.values(OPERATIONS))
        await tab
          .getByText(paths[path][method.toLowerCase()].summary)
          .first()
          .waitFor({ state: 'attached' })
      assert.deepEqual(faults, [])
    })

    it('API reference: has the contract before the extensions, and samples in four languages', async () => {
      const { tab, faults } = docs
      await tab.getByText('API extensions', { exact: true }).first().waitFor()
      // The menu comes first.
      const words = await tab.locator('body').innerText()
      const order = [
        'Contract',
        'Payments',
        'Payment links',
        'Webhooks',
        'API extensions',
        'Refunds',
        'Money',
        'Account',
      ]
      const places = order.map((word) => words.search(new RegExp(`^${word}$`, 'im')))
      assert.deepEqual(
        places,
        places.toSorted((one, other) => one - other),
        words,
      )
      assert.ok(!places.includes(-1), words)
      await tab.getByText('curl -s').first().waitFor({ state: 'attached' })
      assert.deepEqual(faults, [])
    })

    it('API reference: axe finds no barrier on a small phone, in light and dark', async () => {
      await docs.tab.setViewportSize({ width: 360, height: 740 })
      await docs.tab
        .getByRole('heading', { name: 'Create a mobile money payment request' })
        .first()
        .waitFor()
      await assertFitsPhone(docs)
    })

    it('API reference: a request gets the answer of this service', async () => {
      const { tab, faults } = docs
      await tab.setViewportSize({ width: 1300, height: 740 })
      await tab.getByPlaceholder('Token').first().fill(key)
      await tab
        .getByRole('button', { name: /Test Request.*post \/payments\)/ })
        .first()
        .click()
      const answered = tab.waitForResponse(`${address}/api/v1/payments`)
      await tab.getByRole('button', { name: /Send post request/ }).click()
      assert.equal((await answered).status(), 200)
      assert.deepEqual(faults, [])
    })
  })

  it('page of errors: the help link of an answer leads to its section, and axe finds no barrier', async () => {
    const answer = await fetch(`${address}/api/v1/account`, {
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    const [, help = ''] = /^<([^>]+)>; rel="help"$/.exec(answer.headers.get('link') ?? '') ?? []
    const { tab, faults } = await visit(help, { width: 360 })
    assert.match(await tab.locator(':target').innerText(), /^header_missing/)
    await assertFitsPhone({ tab, faults })
  })
})
