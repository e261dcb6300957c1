// The payment button against unlisted sites, foreign messages and secret keys in a page. And the example page of the documentation.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { browserTests } from '../kit/browser.ts'
import { openShopVisit, type ShopVisit, type Told } from './shop-visit.ts'

const GUIDE = readFileSync(new URL('../../../docs/payment-links.md', import.meta.url), 'utf8')

describe('payment button: unlisted sites and foreign messages', browserTests, () => {
  let site: ShopVisit
  before(async () => {
    site = await openShopVisit()
  })
  after(() => site?.close())
  beforeEach(() => site.visit(site.shop.origin))

  it('ignores messages from another site, another frame or another link', async () => {
    await site.tab.click('#plain')
    await site.inside().getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    const reference = /pay\/(\w+)/.exec((await site.tab.locator('dialog iframe').getAttribute('src')) ?? '')?.[1]
    const word = { source: 'karba', reference, status: 'succeeded' }
    // A frame of another site within the merchant's page, as an advertisement would be.
    await site.tab.evaluate(`new Promise((loaded) => {
    const frame = document.createElement('iframe')
    frame.id = 'advertisement'
    frame.src = '${site.stranger.origin}'
    frame.onload = loaded
    document.body.append(frame)
  })`)
    const advertisement = site.tab.frames().find((frame) => frame.url().startsWith(site.stranger.origin))
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
    assert.deepEqual(await site.told(), [])
    assert.equal(await site.dialog().count(), 1)
    await forged(word, frame, site.karba)
    await site.toldTimes(2)
  })

  it('an unlisted site makes no link, and its console says what to do', async () => {
    await site.visit(site.stranger.origin)
    const links = await site.countLinks()
    await site.tab.click('#plain')
    await site.dialog().getByText('Le paiement n’a pas pu commencer. Rien n’a été débité.').waitFor()
    await site.take('refused-360')
    const [first] = await site.toldTimes(2)
    assert.deepEqual([first?.outcome, first?.detail.status], ['failure', 'error'])
    assert.match(
      first?.detail.message ?? '',
      new RegExp(`karba merchant checkout <account> --origins ${site.stranger.origin}$`),
    )
    assert.ok(site.complaints.some((line) => line.startsWith('Karba: the payment did not begin. ')))
    assert.equal(await site.countLinks(), links)
  })

  it('an unlisted site cannot show the page in a frame, whatever origin it claims', async () => {
    await site.tab.click('#plain')
    await site.inside().getByRole('heading', { name: 'Boutique Awa' }).waitFor()
    const address = (await site.tab.locator('dialog iframe').getAttribute('src')) as string
    await site.visit(site.stranger.origin)
    for (const embed of [site.shop.origin, site.stranger.origin, '*']) {
      const framed = address.replace(/embed=.*$/, `embed=${encodeURIComponent(embed)}`)
      // The browser's own refusal is the event: a frame's address is known to us only some time after its load.
      const refusal = site.tab.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
      await site.tab.evaluate(
        `document.body.append(Object.assign(document.createElement('iframe'), { src: '${framed}' }))`,
      )
      const words = (await refusal).text()
      assert.match(words, /violates the following Content Security Policy directive: "?frame-ancestors/, embed)
    }
  })

  it('Karba.pay returns a promise of the outcome and never sends a secret key', async () => {
    const pay = (wish: object): Promise<unknown> =>
      site.tab.evaluate(`void (paid = Karba.pay(${JSON.stringify(wish)}))`)
    await site.tab.evaluate('window.paid = undefined')
    await pay({ key: site.account.publicKey, amount: 5000, title: 'Don', lang: 'en' })
    await site.inside().getByLabel('Your mobile money number').fill('40410000100')
    await site.inside().getByRole('button', { name: 'Pay ' }).click()
    const outcome = (await site.tab.evaluate('paid')) as Told['detail']
    assert.equal(outcome.status, 'succeeded')
    await site.tab.evaluate('Karba.close()')

    const sent: string[] = []
    site.context.on('request', (request) => sent.push(request.url()))
    await pay({ key: site.account.secretKey, amount: 5000, title: 'Don' })
    const refused = (await site.tab.evaluate('paid')) as Told['detail']
    assert.match(refused.message ?? '', /^STOP! A SECRET key is in this page/)
    assert.deepEqual(sent, [])
    await pay({ key: site.account.publicKey, amount: 1, title: 'Don' })
    const tooLittle = (await site.tab.evaluate('paid')) as Told['detail']
    assert.deepEqual([tooLittle.status, tooLittle.message], ['error', 'Bad Request: Amount Not Valid (amount)'])
  })

  it('an amount that is not a number is reported in the console and on the button', async () => {
    await site.visit(site.shop.origin)
    await site.tab.evaluate("document.querySelector('#plain').dataset.amount = '15 000'")
    await site.tab.click('#plain')
    const [first] = await site.toldTimes(2)
    assert.equal(first?.detail.message, 'Bad Request: Amount Not Valid (amount)')
    assert.match(await site.tab.locator('#plain').innerText(), /⚠ Bad Request: Amount Not Valid \(amount\)$/)
    assert.ok(site.complaints.some((line) => line.endsWith('Bad Request: Amount Not Valid (amount)')))
  })

  it('the example page of the documentation works unchanged', async () => {
    const [, page = ''] = /```html\n(<!doctype[\s\S]*?)```/.exec(GUIDE) ?? []
    const text = page.replace('http://127.0.0.1:8080', site.karba).replace('pk_sandbox_…', site.account.publicKey)
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(text),
    )
    server.listen(0, 'localhost')
    await once(server, 'listening')
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`
    await site.list(origin)
    await site.visit(origin)
    await site.tab.getByRole('button', { name: 'Payer 15 000 F' }).click()
    await site.inside().getByLabel('Votre numéro mobile money').fill('40410000100')
    await site.inside().getByRole('button', { name: 'Payer' }).click()
    await site.tab.getByText(/^Merci ! Votre paiement \w{4}-\w{4}-\w est en cours de vérification\.$/).waitFor()
    server.closeAllConnections()
    server.close()
  })
})
