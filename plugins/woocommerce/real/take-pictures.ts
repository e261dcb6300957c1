// node plugins/woocommerce/real/take-pictures.ts FOLDER: photographs the plugin in a real shop, in
// French: both checkouts, on a phone too, the page that waits, an order with its refund, and the
// settings.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from '../../../server/test/kit/browser.ts'
import { until } from '../../../server/test/kit/waiting.ts'
import { PLAIN, whatIsMissing } from './open-shop.ts'
import { type MadeOrder, openStand, STAYS_OPEN, SUCCEEDS } from './stand.ts'

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof openBrowser>>['newPage']>>

const DESKTOP = { width: 1200, height: 900 }
const PHONE = { width: 360, height: 740 }
/** The first answer of WordPress after its installation compiles everything. */
const PATIENCE_MS = 120_000

const missing = whatIsMissing()
if (missing !== undefined) {
  process.stdout.write(`NOT RUN: ${missing}.\n`)
  process.exit(0)
}
const folder = process.argv[2] ?? 'pictures'
mkdirSync(folder, { recursive: true })

const stand = await openStand({
  ...PLAIN,
  woocommerce: process.env.KARBA_WOOCOMMERCE as string,
  checkout: 'blocks',
  locale: 'fr_FR',
})
const { shop } = stand
const browser = await openBrowser()

async function photograph(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  process.stdout.write(`${name}.png\n`)
}

/** A new guest with something in the cart. */
async function guest(viewport: { width: number; height: number }): Promise<Page> {
  const context = await browser.newContext({ viewport, locale: 'fr-FR' })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(`${shop.url}/?add-to-cart=${product}`)
  return page
}

async function signIn(): Promise<Page> {
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'fr-FR' })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(`${shop.url}/wp-login.php`)
  await page.fill('#user_login', 'awa')
  await page.fill('#user_pass', shop.password)
  await page.click('#wp-submit')
  await page.waitForURL(/wp-admin/)
  return page
}

const addressOf = async (name: string): Promise<string> =>
  shop.probe('run', { call: 'wc_get_page_permalink', arguments: [name] })

const [row] = await shop.probe('sql', {
  sql: "select ID id from {prefix}posts where post_type = 'product' order by ID limit 1",
})
const product = Number(row.id)
const blocks = await addressOf('checkout')

try {
  for (const [size, viewport] of [
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ] as const) {
    const classic = await guest(viewport)
    await classic.goto(`${shop.url}/classic-checkout/`)
    await classic.waitForSelector('#karba-number')
    await classic.fill('#karba-number', STAYS_OPEN)
    await photograph(classic, `checkout-classic-${size}`)
    if (size === 'phone') await placeClassic(classic)
    await classic.context().close()

    const modern = await guest(viewport)
    await modern.goto(blocks)
    await modern.waitForSelector('#karba-number')
    await photograph(modern, `checkout-blocks-${size}`)
    if (size === 'desktop') await placeInBlocks(modern)
    await modern.context().close()
  }
  await photographOrder(await signIn())
} finally {
  await browser.close()
  await stand.close()
}

async function placeClassic(page: Page): Promise<void> {
  await page.fill('#billing_first_name', 'Awa')
  await page.fill('#billing_last_name', 'Diallo')
  await page.fill('#billing_address_1', 'Rue 1')
  await page.fill('#billing_city', 'Niamey')
  await page.fill('#billing_state', 'Niamey')
  await page.fill('#billing_postcode', '8001')
  await page.fill('#billing_phone', '90123456')
  await page.fill('#billing_email', 'awa@customer.example')
  // The address has changed, and the fields of the payment were made anew.
  await page.waitForLoadState('networkidle')
  const number = await page.inputValue('#karba-number')
  if (number !== STAYS_OPEN) throw new Error(`the typed number became ${number}`)
  await page.click('#place_order')
  await page.waitForSelector('[data-karba-waiting]')
  await photograph(page, 'waiting-phone')
}

async function placeInBlocks(page: Page): Promise<void> {
  await page.fill('#email', 'awa@customer.example')
  for (const [field, value] of Object.entries({
    first_name: 'Awa',
    last_name: 'Diallo',
    address_1: 'Rue 1',
    city: 'Niamey',
    state: 'Niamey',
    postcode: '8001',
    phone: '90123456',
  })) {
    const input = page.locator(`#billing-${field}`)
    if ((await input.count()) > 0) await input.fill(value)
  }
  await page.fill('#karba-number', SUCCEEDS)
  await page.locator('#karba-number').blur()
  await page.click('.wc-block-components-checkout-place-order-button')
  await page.waitForURL(/order-pay|order-received/).catch(async (error: Error) => {
    await photograph(page, 'not-placed')
    throw error
  })
  await page.waitForURL(/order-received/)
  await photograph(page, 'received-blocks')
}

async function photographOrder(page: Page): Promise<void> {
  await page.goto(`${shop.url}/wp-admin/admin.php?page=wc-settings&tab=checkout&section=karba`)
  await page.waitForSelector('.karba-facts')
  await photograph(page, 'settings')
  const [order] = (await stand.orders(1, { number: SUCCEEDS })) as [MadeOrder]
  await until('paid order', async () => (await stand.count([order])).settled === 1)
  await page.goto(`${shop.url}/wp-admin/admin.php?page=wc-orders&action=edit&id=${order.id}`)
  page.on('dialog', (dialog) => dialog.accept())
  await page.click('button.refund-items')
  await page.fill('#refund_amount', '500')
  await page.press('#refund_amount', 'Tab')
  await photograph(page, 'order-before-refund')
  // The page loads itself again.
  const loaded = page.waitForEvent('load')
  await page.click('button.do-api-refund')
  await loaded
  await page.waitForSelector('.karba-attempts')
  await photograph(page, 'order-after-refund')
}
