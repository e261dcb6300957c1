// The payment button on a merchant's site: from the click to the site's callback; unlisted sites,
// foreign messages and secret keys in a page; and the pages of the documentation. The site
// has a strict content security policy, and styles that would spoil every dialog and frame.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'
import type { Page as Tab } from 'playwright-core'
import { browserTests } from '../kit/browser.ts'
import { inspect } from './inspect-page.ts'
import { DESK, openShopVisit, PHONE, type Report } from './shop-visit.ts'

const GUIDE = readFileSync(new URL('../../../docs/payment-links.md', import.meta.url), 'utf8')
const MOVING = readFileSync(new URL('../../../docs/guides/en/moving.md', import.meta.url), 'utf8')

describe('payment button on a merchant’s site', browserTests, async () => {
  const site = await openShopVisit()
  after(() => site?.close())
  beforeEach(() => site.visit(site.shop.origin))

  /** Opens the payer's way to the card and decides there. */
  async function payByCard(choose: () => Promise<void>): Promise<Tab> {
    const [provider] = await Promise.all([site.context.waitForEvent('page'), choose()])
    await provider.getByRole('button', { name: 'Valider' }).click()
    await provider.getByRole('heading', { name: 'Paiement réussi' }).waitFor()
    return provider
  }

  it('a card payment in its own tab ends in the site’s callback', async () => {
    await site.tab.click('#modal')
    await site.inside().getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    await payByCard(() => site.inside().getByRole('button', { name: 'Carte bancaire' }).click())
    await site.tab.bringToFront()
    await site.inside().getByRole('heading', { name: 'Paiement réussi' }).waitFor()
    const [first, second] = await site.reportsAfter(2)
    assert.deepEqual([first?.by, second?.by].sort(), ['event', 'function'])
    for (const { outcome, detail } of [first, second] as Report[]) {
      assert.deepEqual([outcome, detail.status], ['success', 'succeeded'])
      assert.match(detail.reference as string, /^[0-9a-z]{32}$/)
      assert.match(detail.publicReference as string, /^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]$/)
    }
    // The receipt stays until the payer has seen it, and closing it is no second outcome.
    await site.tab.getByRole('button', { name: 'Fermer' }).click()
    await site.dialog().waitFor({ state: 'detached' })
    assert.equal((await site.reports()).length, 2)
    assert.deepEqual(site.complaints, [])
  })

  it('a mobile money payment works on a desktop screen', async () => {
    await site.visit(site.shop.origin, DESK)
    await site.tab.click('#plain')
    await site.inside().getByLabel('Votre numéro mobile money').fill('40410000100')
    await site.inside().getByRole('button', { name: 'Payer' }).click()
    await site.inside().getByRole('heading', { name: 'Paiement réussi' }).waitFor()
    assert.equal((await site.reportsAfter(2))[0]?.detail.status, 'succeeded')
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
      const focus = 'document.activeElement.tagName + !!document.activeElement.closest("dialog")'
      assert.match(await site.tab.evaluate<string>(focus), /^(BODYfalse|\w+true)$/)
    }
    await site.tab.mouse.move(5, 300)
    await site.tab.mouse.wheel(0, 600)
    assert.equal(
      await site.tab.evaluate('getComputedStyle(document.documentElement).overflow'),
      'hidden',
    )
    assert.equal(await site.tab.evaluate('scrollY'), 0)
    const box = await site.tab.locator('dialog iframe').boundingBox()
    assert.deepEqual(
      box,
      { x: 0, y: 0, ...PHONE },
      'the whole screen of a phone, with any style of the site',
    )
    assert.equal(
      await site.tab.evaluate('getComputedStyle(document.querySelector("dialog iframe")).opacity'),
      '1',
    )
    await site.tab.getByRole('button', { name: 'Fermer' }).first().click()
    await site.dialog().waitFor({ state: 'detached' })
    assert.equal(await site.tab.evaluate('document.activeElement.id'), 'plain')
    assert.equal(await site.tab.evaluate('document.documentElement.style.overflow'), '')
    assert.deepEqual(
      (await site.reportsAfter(2)).map(({ outcome, detail }) => [outcome, detail.status]),
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
    await site.tab.keyboard.press('Escape')
    await site.dialog().waitFor({ state: 'detached' })
    go()
    await site.tab.click('#plain')
    await site.inside().getByLabel('Votre numéro mobile money').focus()
    await site.tab.keyboard.press('Escape')
    await site.dialog().waitFor({ state: 'detached' })
    const outcomes = (await site.reportsAfter(4)).map(({ outcome }) => outcome)
    assert.deepEqual(outcomes, ['close', 'close', 'close', 'close'])
  })

  it('the modal can be closed when the network fails within the frame', async () => {
    await site.tab.click('#plain')
    await site.inside().getByLabel('Votre numéro mobile money').fill('40410000100')
    await site.context.setOffline(true)
    await site.inside().getByRole('button', { name: 'Payer' }).click()
    await site.until('document.querySelector("dialog iframe").contentDocument === null')
    await site.tab.locator('dialog button').click()
    await site.dialog().waitFor({ state: 'detached' })
    assert.equal((await site.reportsAfter(2))[0]?.outcome, 'close')
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
      await site.tab
        .locator('dialog iframe[src], dialog :text("déjà enregistrée")')
        .first()
        .waitFor()
    }
    await site.dialog().getByText('Cette commande est déjà enregistrée').waitFor()
    assert.equal(await site.tab.getByText('Rien n’a été débité').count(), 0)
  })

  it('a payer who leaves the provider’s page can choose another method in the same frame', async () => {
    await site.tab.click('#plain')
    const choose = () => site.inside().getByRole('button', { name: 'Carte bancaire' }).click()
    const [provider] = await Promise.all([site.context.waitForEvent('page'), choose()])
    await provider.getByRole('button', { name: 'Valider' }).waitFor()
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
    const closed = await site.reportsAfter(2)
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
    assert.deepEqual((await site.reportsAfter(4))[3]?.detail.status, 'succeeded')
  })

  it('axe finds no faults in the modal', async () => {
    await site.tab.click('#plain')
    await site.inside().getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    const { barriers } = await inspect(site.tab, 'whole')
    assert.deepEqual(barriers, [])
  })

  it('ignores messages from another site, another frame or another link', async () => {
    await site.tab.click('#plain')
    await site.inside().getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    const reference = /pay\/(\w+)/.exec(
      (await site.tab.locator('dialog iframe').getAttribute('src')) ?? '',
    )?.[1]
    const word = { source: 'karba', reference, status: 'succeeded' }
    // A frame of another site within the merchant's page, as an advertisement would be.
    await site.tab.evaluate(`new Promise((loaded) => {
    const frame = document.createElement('iframe')
    frame.id = 'advertisement'
    frame.src = '${site.stranger.origin}'
    frame.onload = loaded
    document.body.append(frame)
  })`)
    const advertisement = site.tab
      .frames()
      .find((frame) => frame.url().startsWith(site.stranger.origin))
    await advertisement?.evaluate(`parent.postMessage(${JSON.stringify(word)}, '*')`)
    await advertisement?.evaluate(`parent.frames[0].postMessage(${JSON.stringify(word)}, '*')`)
    // Claims that a page can only make to itself, each wrong in one way.
    const forged = (data: object, source: string, origin: string): Promise<unknown> =>
      site.tab.evaluate(
        `dispatchEvent(new MessageEvent('message', { origin: '${origin}', source: ${source}, data: ${JSON.stringify(data)} }))`,
      )
    const frame = 'document.querySelector("dialog iframe").contentWindow'
    await forged(word, 'window', site.karba)
    await forged(word, 'document.querySelector("#advertisement").contentWindow', site.karba)
    await forged(word, frame, site.stranger.origin)
    await forged(word, frame, 'null')
    await forged({ ...word, reference: 'another' }, frame, site.karba)
    await forged({ ...word, source: 'another' }, frame, site.karba)
    await forged({ ...word, status: 'another' }, frame, site.karba)
    assert.deepEqual(await site.reports(), [])
    assert.equal(await site.dialog().count(), 1)
    await forged(word, frame, site.karba)
    await site.reportsAfter(2)
  })

  it('an unlisted site makes no link, and its console says what to do', async () => {
    await site.visit(site.stranger.origin)
    const links = await site.countLinks()
    await site.tab.click('#plain')
    await site
      .dialog()
      .getByText('Le paiement n’a pas pu commencer. Rien n’a été débité.')
      .waitFor()
    const [first] = await site.reportsAfter(2)
    assert.deepEqual([first?.outcome, first?.detail.status], ['failure', 'error'])
    const form = new RegExp(`karba merchant checkout <account> --origins ${site.stranger.origin}$`)
    assert.match(first?.detail.message ?? '', form)
    assert.ok(site.complaints.some((line) => line.startsWith('Karba: the payment did not begin. ')))
    assert.equal(await site.countLinks(), links)
  })

  it('payment button: an unlisted site cannot frame the page, with any claimed origin', async () => {
    await site.tab.click('#plain')
    await site.inside().getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    const address = (await site.tab.locator('dialog iframe').getAttribute('src')) as string
    await site.visit(site.stranger.origin)
    for (const embed of [site.shop.origin, site.stranger.origin, '*']) {
      const framed = address.replace(/embed=.*$/, `embed=${encodeURIComponent(embed)}`)
      // The browser's own refusal is the event: a frame's address is known to us only some time
      // after its load.
      const refusal = site.tab.waitForEvent('console', (message) =>
        message.text().includes('frame-ancestors'),
      )
      await site.tab.evaluate(
        `document.body.append(Object.assign(document.createElement('iframe'), { src: '${framed}' }))`,
      )
      const words = (await refusal).text()
      assert.match(
        words,
        /violates the following Content Security Policy directive: "?frame-ancestors/,
        embed,
      )
    }
  })

  it('Karba.pay returns a promise of the outcome and never sends a secret key', async () => {
    const pay = (wish: object): Promise<unknown> =>
      site.tab.evaluate(`void (paid = Karba.pay(${JSON.stringify(wish)}))`)
    await site.tab.evaluate('window.paid = undefined')
    await pay({ key: site.account.publicKey, amount: 5000, title: 'Don', lang: 'en' })
    await site.inside().getByLabel('Your mobile money number').fill('40410000100')
    await site.inside().getByRole('button', { name: 'Pay ' }).click()
    const outcome = (await site.tab.evaluate('paid')) as Report['detail']
    assert.equal(outcome.status, 'succeeded')
    await site.tab.evaluate('Karba.close()')

    const sent: string[] = []
    site.context.on('request', (request) => sent.push(request.url()))
    await pay({ key: site.account.secretKey, amount: 5000, title: 'Don' })
    const refused = (await site.tab.evaluate('paid')) as Report['detail']
    assert.match(refused.message ?? '', /^STOP! A SECRET key is in this page/)
    assert.deepEqual(sent, [])
    await pay({ key: site.account.publicKey, amount: 1, title: 'Don' })
    const tooLittle = (await site.tab.evaluate('paid')) as Report['detail']
    assert.deepEqual(
      [tooLittle.status, tooLittle.message],
      ['error', 'Bad Request: Amount Not Valid (amount)'],
    )
  })

  it('an amount that is not a number is reported in the console and on the button', async () => {
    await site.visit(site.shop.origin)
    await site.tab.evaluate("document.querySelector('#plain').dataset.amount = '15 000'")
    await site.tab.click('#plain')
    const [first] = await site.reportsAfter(2)
    assert.equal(first?.detail.message, 'Bad Request: Amount Not Valid (amount)')
    assert.match(
      await site.tab.locator('#plain').innerText(),
      /⚠ Bad Request: Amount Not Valid \(amount\)$/,
    )
    assert.ok(
      site.complaints.some((line) => line.endsWith('Bad Request: Amount Not Valid (amount)')),
    )
  })

  /** A page of a site of its own, which the account lists. */
  async function visitPage(page: string): Promise<{ origin: string; close: () => void }> {
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page),
    )
    server.listen(0, 'localhost')
    await once(server, 'listening')
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`
    await site.list(origin)
    await site.visit(origin)
    return {
      origin,
      close: () => {
        server.closeAllConnections()
        server.close()
      },
    }
  }

  async function payOnPage(button: string): Promise<void> {
    await site.tab.getByRole('button', { name: button }).click()
    await site.inside().getByLabel('Votre numéro mobile money').fill('40410000100')
    await site.inside().getByRole('button', { name: 'Payer' }).click()
  }

  it('the example page of the documentation works unchanged', async () => {
    const [, page = ''] = /```html\n(<!doctype[\s\S]*?)```/.exec(GUIDE) ?? []
    const shop = await visitPage(
      page
        .replace('http://127.0.0.1:8080', site.karba)
        .replace('pk_sandbox_…', site.account.publicKey),
    )
    await payOnPage('Payer 15 000 F')
    await site.tab
      .getByText(/^Merci ! Votre paiement \w{4}-\w{4}-\w est en cours de vérification\.$/)
      .waitFor()
    shop.close()
  })

  it('a button of another provider with the three changed lines leads to a payment and back', async () => {
    const [, page = ''] = /```html\n([\s\S]*?)```/.exec(MOVING) ?? []
    const shop = await visitPage(
      `<!doctype html><html lang="fr"><body>${page
        .replace('https://karba.example', site.karba)
        .replace('pk_live_…', site.account.publicKey)}</body></html>`,
    )
    const posted: string[] = []
    site.tab.on('request', (request) => {
      if (request.url().includes('/callback')) posted.push(request.url())
    })
    await payOnPage('Payer')
    await site.tab.waitForURL(`${shop.origin}/thanks`)
    assert.deepEqual(posted, [])
    shop.close()
  })
})
