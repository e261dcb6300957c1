// The site's pages in a browser: no barriers, nothing cut off on a small phone, nothing asked of another address; and an operation that is
// tried in the reference is answered by the sandbox.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { browserTests, openBrowser } from '../kit/browser.ts'
import { openTestService, type TestService } from '../kit/service.ts'
import { inspect, PUT_INTO_PAGES } from './inspect-page.ts'

describe('the site’s pages in a browser', browserTests, () => {
  let service: TestService
  let browser: Browser
  let address: string
  let key: string

  before(async () => {
    service = await openTestService()
    address = await service.app.listen({ host: '127.0.0.1', port: 0 })
    key = (await service.merchant()).accounts.sandbox.secretKey
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await service.remove()
  })

  for (const path of ['/', '/docs']) {
    it(`${path} has no barriers on a small phone, and asks nobody else for anything`, async () => {
      const tab = await browser.newPage({ viewport: { width: 360, height: 740 } })
      await tab.addInitScript(PUT_INTO_PAGES)
      const asked: string[] = []
      const complaints: string[] = []
      tab.on('request', (request) => asked.push(request.url()))
      tab.on('console', (message) => complaints.push(message.text()))
      tab.on('pageerror', (error) => complaints.push(error.message))
      await tab.goto(address + path)
      for (const colorScheme of ['light', 'dark'] as const) {
        await tab.emulateMedia({ colorScheme })
        const { barriers } = await inspect(tab, colorScheme === 'light' ? 'whole' : 'colours')
        assert.deepEqual(barriers, [], colorScheme)
      }
      const widths = await tab.evaluate('[document.documentElement.scrollWidth, innerWidth]')
      assert.deepEqual(widths, [360, 360])
      assert.deepEqual(
        [asked.filter((url) => !url.startsWith(address) && !url.startsWith('data:')), complaints],
        [[], []],
      )
      await tab.close()
    })
  }

  it('an operation is tried in sandbox, and only there', async () => {
    const tab = await browser.newPage()
    await tab.goto(`${address}/docs`)
    const form = tab.locator('#createPayment form.try')
    const output = form.locator('output')
    await tab.fill('input[name=key]', key.replace('sandbox', 'live'))
    await form.locator('button').click()
    await output.filter({ hasText: 'Type a sandbox secret key' }).waitFor()
    await tab.fill('input[name=key]', key)
    await form.locator('button').click()
    await output.filter({ hasText: '"status": "pending"' }).waitFor()
    const reading = tab.locator('#readPayment form.try')
    await reading.locator('input[name=reference]').fill('order-2026-0001')
    await reading.locator('button').click()
    await reading.locator('output').filter({ hasText: '200 OK' }).waitFor()
    await tab.close()
  })
})
