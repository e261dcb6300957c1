// The payment button on a merchant's site: from the click to the site's callback. The site has a strict content security policy, and
// styles that would spoil every dialog and frame.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Page as Tab } from 'playwright-core'
import { browserTests } from '../kit/browser.ts'
import { inspect } from './inspect-page.ts'
import { DESK, openShopVisit, PHONE, type ShopVisit, type Told } from './shop-visit.ts'

describe('payment button on a merchant’s site', browserTests, () => {
  let site: ShopVisit
  before(async () => {
    site = await openShopVisit()
  })
  after(() => site?.close())
  beforeEach(() => site.visit(site.shop.origin))

  /** Opens the payer's way to the card and decides there. */
  async function payByCard(choose: () => Promise<void>): Promise<Tab> {
    const [provider] = await Promise.all([site.context.waitForEvent('page'), choose()])
    await provider.getByRole('button', { name: 'Approuver' }).click()
    await provider.getByRole('heading', { name: 'Paiement réussi' }).waitFor()
    return provider
  }

  it('a card payment in its own tab ends in the site’s callback', async () => {
    await site.tab.click('#modal')
    await site.inside().getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    await site.take('open-360')
    await payByCard(() => site.inside().getByRole('button', { name: 'Carte bancaire' }).click())
    await site.tab.bringToFront()
    await site.inside().getByRole('heading', { name: 'Paiement réussi' }).waitFor()
    const [first, second] = await site.toldTimes(2)
    assert.deepEqual([first?.by, second?.by].sort(), ['event', 'function'])
    for (const { outcome, detail } of [first, second] as Told[]) {
      assert.equal(outcome, 'success')
      assert.equal(detail.status, 'succeeded')
      assert.match(detail.reference as string, /^[0-9a-z]{32}$/)
      assert.match(detail.publicReference as string, /^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]$/)
    }
    await site.take('paid-360')
    // The receipt stays until the payer has seen it, and closing it is no second outcome.
    await site.tab.getByRole('button', { name: 'Fermer' }).click()
    await site.dialog().waitFor({ state: 'detached' })
    assert.equal((await site.told()).length, 2)
    assert.deepEqual(site.complaints, [])
  })

  it('a mobile money payment works on a desktop screen', async () => {
    await site.visit(site.shop.origin, DESK)
    await site.tab.click('#plain')
    await site.inside().getByLabel('Votre numéro mobile money').fill('40410000100')
    await site.take('open-1280')
    await site.inside().getByRole('button', { name: 'Payer' }).click()
    await site.inside().getByRole('heading', { name: 'Paiement réussi' }).waitFor()
    assert.equal((await site.toldTimes(2))[0]?.detail.status, 'succeeded')
    await site.take('paid-1280')
    await site.tab.evaluate('Karba.close()')
    await site.dialog().waitFor({ state: 'detached' })
    assert.deepEqual(site.complaints, [])
  })

  it('the modal traps focus and scrolling, and gives both back when it closes', async () => {
    await site.tab.focus('#plain')
    await site.tab.keyboard.press('Enter')
    await site.inside().getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    assert.equal(await site.dialog().getAttribute('aria-modal'), 'true')
    assert.equal(await site.dialog().getAttribute('aria-label'), 'Paiement')
    for (let pressed = 0; pressed < 25; pressed++) {
      await site.tab.keyboard.press('Tab')
      // Nothing of the page behind: the body is the browser's own, between the last and the first.
      assert.match(
        await site.tab.evaluate('document.activeElement.tagName + !!document.activeElement.closest("dialog")'),
        /^(BODYfalse|\w+true)$/,
      )
    }
    await site.tab.mouse.move(5, 300)
    await site.tab.mouse.wheel(0, 600)
    assert.equal(await site.tab.evaluate('getComputedStyle(document.documentElement).overflow'), 'hidden')
    assert.equal(await site.tab.evaluate('scrollY'), 0)
    const box = await site.tab.locator('dialog iframe').boundingBox()
    assert.deepEqual(box, { x: 0, y: 0, ...PHONE }, 'all of a phone’s screen, whatever the site’s style says')
    assert.equal(await site.tab.evaluate('getComputedStyle(document.querySelector("dialog iframe")).opacity'), '1')
    await site.tab.getByRole('button', { name: 'Fermer' }).first().click()
    await site.dialog().waitFor({ state: 'detached' })
    assert.equal(await site.tab.evaluate('document.activeElement.id'), 'plain')
    assert.equal(await site.tab.evaluate('document.documentElement.style.overflow'), '')
    assert.deepEqual(
      (await site.toldTimes(2)).map(({ outcome, detail }) => [outcome, detail.status]),
      [
        ['close', 'initiated'],
        ['close', 'initiated'],
      ],
    )
  })

  it('Esc closes the modal, while it loads and from within the frame', async () => {
    const { promise: closed, resolve: go } = Promise.withResolvers<void>()
    await site.context.route('**/checkout/links', async (route) => {
      await closed
      await route.continue()
    })
    await site.tab.click('#plain')
    await site.dialog().getByText('Un instant…').waitFor()
    await site.take('loading-360')
    await site.tab.keyboard.press('Escape')
    await site.dialog().waitFor({ state: 'detached' })
    go()
    await site.tab.click('#plain')
    await site.inside().getByLabel('Votre numéro mobile money').focus()
    await site.tab.keyboard.press('Escape')
    await site.dialog().waitFor({ state: 'detached' })
    assert.deepEqual(
      (await site.toldTimes(4)).map(({ outcome }) => outcome),
      ['close', 'close', 'close', 'close'],
    )
  })

  it('the modal can be closed when the network fails within the frame', async () => {
    await site.tab.click('#plain')
    await site.inside().getByLabel('Votre numéro mobile money').fill('40410000100')
    await site.context.setOffline(true)
    await site.inside().getByRole('button', { name: 'Payer' }).click()
    await site.until('document.querySelector("dialog iframe").contentDocument === null')
    await site.take('offline-360')
    await site.tab.locator('dialog button').click()
    await site.dialog().waitFor({ state: 'detached' })
    assert.equal((await site.toldTimes(2))[0]?.outcome, 'close')
  })

  it('two clicks, or leaving and coming back, begin one payment', async () => {
    const links = await site.countLinks()
    await site.tab.evaluate('for (let i = 0; i < 5; i++) document.querySelector("#plain").click()')
    await site.inside().getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    assert.equal(await site.tab.locator('dialog').count(), 1)
    const address = await site.tab.locator('dialog iframe').getAttribute('src')
    await site.tab.keyboard.press('Escape')
    await site.dialog().waitFor({ state: 'detached' })
    await site.tab.reload()
    await site.until('!!window.Karba')
    await site.tab.click('#plain')
    await site.inside().getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    assert.equal(await site.tab.locator('dialog iframe').getAttribute('src'), address)
    assert.equal(await site.countLinks(), links + 1)
  })

  it('a signed order shows its amount and title, and keeps its link after a reload', async () => {
    await site.tab.click('#signed')
    await site.inside().getByText('22 500').first().waitFor()
    assert.equal(await site.inside().getByText('Trois théières').isVisible(), true)
    assert.equal(await site.inside().getByText('Commande signed').count(), 0)
    const address = await site.tab.locator('dialog iframe').getAttribute('src')
    await site.tab.reload()
    await site.until('!!window.Karba')
    await site.tab.click('#signed')
    await site.inside().getByText('Trois théières').waitFor()
    assert.equal(await site.tab.locator('dialog iframe').getAttribute('src'), address)
  })

  it('a second click on a paid order shows its receipt', async () => {
    await site.tab.click('#modal')
    await site.inside().getByLabel('Votre numéro mobile money').fill('40410000100')
    await site.inside().getByRole('button', { name: 'Payer' }).click()
    await site.inside().getByRole('heading', { name: 'Paiement réussi' }).waitFor()
    const links = await site.countLinks()
    await site.tab.reload()
    await site.until('!!window.Karba')
    await site.tab.click('#modal')
    await site.inside().getByRole('heading', { name: 'Paiement réussi' }).waitFor()
    assert.equal(await site.countLinks(), links)
  })

  it('an order that another browser may have paid is never reported as not debited', async () => {
    for (const _ of ['made here or before', 'taken']) {
      await site.visit(site.shop.origin)
      await site.tab.click('#signed')
      // The first click makes its link, unless a test before did.
      await site.tab.locator('dialog iframe[src], dialog :text("déjà enregistrée")').first().waitFor()
    }
    await site.dialog().getByText('Cette commande est déjà enregistrée').waitFor()
    assert.equal(await site.tab.getByText('Rien n’a été débité').count(), 0)
  })

  it('a payer who leaves the provider’s page can choose another method in the same frame', async () => {
    await site.tab.click('#plain')
    const choose = () => site.inside().getByRole('button', { name: 'Carte bancaire' }).click()
    const [provider] = await Promise.all([site.context.waitForEvent('page'), choose()])
    await provider.getByRole('button', { name: 'Approuver' }).waitFor()
    await provider.close()
    await site.inside().getByRole('button', { name: 'Choisir un autre moyen' }).click()
    await site.inside().getByRole('button', { name: 'Carte bancaire' }).waitFor()
  })

  it('in tab mode the site gets the outcome, and learns that the tab was closed', async () => {
    const [first] = await Promise.all([site.context.waitForEvent('page'), site.tab.click('#tab')])
    await first.getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    assert.equal(await first.evaluate('window.opener'), null)
    assert.equal(await first.evaluate('document.documentElement.lang'), 'en')
    await first.close()
    const closed = await site.toldTimes(2)
    assert.deepEqual(
      closed.map(({ outcome, detail }) => [outcome, detail.status]),
      [
        ['close', 'initiated'],
        ['close', 'initiated'],
      ],
    )
    const [second] = await Promise.all([site.context.waitForEvent('page'), site.tab.click('#tab')])
    await second.getByLabel('Your mobile money number').fill('40410000100')
    await second.getByRole('button', { name: 'Pay ' }).click()
    await second.getByRole('heading', { name: 'Payment successful' }).waitFor()
    assert.deepEqual((await site.toldTimes(4))[3]?.detail.status, 'succeeded')
  })

  it('axe finds no faults in the modal', async () => {
    await site.tab.click('#plain')
    await site.inside().getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    const { barriers } = await inspect(site.tab, 'whole')
    assert.deepEqual(barriers, [])
  })
})
