// A payer at a merchant's site: a service, a site that is listed and one that is not, a browser, and what a test wants to know of them.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, FrameLocator, Locator, Page as Tab } from 'playwright-core'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { findCheckoutSettings, setCheckoutSettings } from '../../src/store/merchants/accounts.ts'
import { openBrowser } from '../kit/browser.ts'
import { openTestService } from '../kit/service.ts'
import { signOrder } from '../kit/sign-order.ts'
import { until as waitUntil } from '../kit/waiting.ts'
import { PUT_INTO_PAGES } from './inspect-page.ts'
import { openShop, type Shop, type Told } from './shop.ts'

const SCREENSHOTS = fileURLToPath(new URL('screenshots/', import.meta.url))

export const PHONE = { width: 360, height: 740 }
export const DESK = { width: 1280, height: 900 }

export interface ShopVisit {
  karba: string
  account: NewAccount
  shop: Shop
  /** Has the same button, and is not listed. */
  stranger: Shop
  /** Of the visit under way. */
  context: BrowserContext
  tab: Tab
  complaints: string[]
  /** Begins anew, in a browser that knows nothing. */
  visit(origin: string, viewport?: { width: number; height: number }): Promise<void>
  /** One more site of the account's. */
  list(origin: string): Promise<void>
  dialog(): Locator
  /** The page within the modal. */
  inside(): FrameLocator
  told(): Promise<Told[]>
  /** Waits until the site was told so often: once by its function and once by an event for each outcome. */
  toldTimes(count: number): Promise<Told[]>
  until(isSo: string): Promise<void>
  take(name: string): Promise<void>
  countLinks(): Promise<number>
  close(): Promise<void>
}

export async function openShopVisit(): Promise<ShopVisit> {
  mkdirSync(SCREENSHOTS, { recursive: true })
  const service = await openTestService(undefined, { KARBA_SANDBOX_DELAY_MS: '50' })
  const karba = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const account = (await service.merchant()).accounts.sandbox
  const order = signOrder(account.secretKey, { transaction_id: 'cmd-signed', amount: 22_500, title: 'Trois théières' })
  const shop = await openShop({ karba, key: account.publicKey, order })
  const stranger = await openShop({ karba, key: account.publicKey, order })
  const browser = await openBrowser()
  let context: BrowserContext | undefined
  let tab: Tab
  let complaints: string[] = []

  async function list(origin: string): Promise<void> {
    const settings = await findCheckoutSettings(service.db, account.accountId)
    await setCheckoutSettings(service.db, account.accountId, { ...settings, origins: [...settings.origins, origin] })
  }

  async function visit(origin: string, viewport = PHONE): Promise<void> {
    await context?.close()
    context = await browser.newContext({ viewport, reducedMotion: 'reduce', locale: 'fr-FR' })
    await context.addInitScript(PUT_INTO_PAGES)
    tab = await context.newPage()
    complaints = []
    tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    tab.on('pageerror', (error) => complaints.push(error.message))
    await tab.goto(origin)
    await until('!!window.Karba')
  }

  /** Asked from here: the site's policy lets nothing be evaluated in the page itself. */
  async function until(isSo: string): Promise<void> {
    await waitUntil(isSo, async () => (await tab.evaluate(isSo)) === true)
  }

  const told = (): Promise<Told[]> => tab.evaluate('told')

  await list(shop.origin)
  return {
    ...{ karba, account, shop, stranger, list, visit, until, told },
    get context() {
      return context as BrowserContext
    },
    get tab() {
      return tab
    },
    get complaints() {
      return complaints
    },
    dialog: () => tab.getByRole('dialog'),
    inside: () => tab.frameLocator('dialog iframe'),
    async toldTimes(count) {
      await until(`told.length >= ${count}`)
      const all = await told()
      assert.equal(all.length, count)
      return all
    },
    take: async (name) => void (await tab.screenshot({ path: `${SCREENSHOTS}button-${name}.png` })),
    async countLinks() {
      const [row] = await service.db.rows<{ links: number }>('select count(*) as links from payment_links')
      return Number(row?.links)
    },
    async close() {
      await browser.close()
      await shop.close()
      await stranger.close()
      await service.remove()
    },
  }
}
