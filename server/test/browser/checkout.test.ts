// Checkout in a real browser on a small phone, against the whole service: mobile money, card,
// wallet, with and without JavaScript, in two tabs, after a refusal, after the link expired.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import type { BrowserContextOptions, Page as Tab } from 'playwright-core'
import { keepAliveClock } from '../../src/service/runtime.ts'
import { browserTests, openBrowser } from '../kit/browser.ts'
import { get, openTestService } from '../kit/service.ts'
import { attemptsOf, newLink, SUCCEEDS } from '../links/payer.ts'
import { inspect } from './inspect-page.ts'

/** The first flight of a TCP connection: ten segments, one round trip. */
const FIRST_FLIGHT_BYTES = 14 * 1024
const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  locale: 'fr-NE',
  reducedMotion: 'reduce',
}
const HAS_TOO_LITTLE = '40410000004'

describe('checkout in a browser', browserTests, async () => {
  let aheadMs = 0
  const clock = { ...keepAliveClock, now: () => keepAliveClock.now() + aheadMs }
  const service = await openTestService(undefined, { KARBA_SANDBOX_DELAY_MS: '300' }, { clock })
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
  const secretKey = (await service.merchant()).accounts.sandbox.secretKey
  const browser = await openBrowser()
  const ownTab = await (await browser.newContext(PHONE)).newPage()
  after(async () => {
    await browser?.close()
    await service?.remove()
  })

  const makeLink = (change: object = {}): Promise<string> =>
    newLink(service, secretKey, { title: 'Commande 1042 : deux pagnes', ...change })

  /**
   * With options in another browser profile, which costs 0.4 s of CPU. What a tab keeps belongs to
   * its link.
   */
  async function openLink(reference: string, options?: BrowserContextOptions): Promise<Tab> {
    const tab = options
      ? await (await browser.newContext({ ...PHONE, ...options })).newPage()
      : ownTab
    if (options === undefined) await tab.context().clearCookies()
    await tab.goto(`${address}/pay/${reference}`)
    return tab
  }

  async function openNew(change?: object): Promise<[reference: string, tab: Tab]> {
    const reference = await makeLink(change)
    return [reference, await openLink(reference)]
  }

  const sees = (tab: Tab, text: RegExp) =>
    tab.locator('h1', { hasText: text }).waitFor({ timeout: 20_000 })
  const statusOf = async (reference: string) =>
    (await get(service, secretKey, reference)).body.status

  async function payByPhone(tab: Tab, msisdn: string): Promise<void> {
    await tab.getByLabel('Votre numéro mobile money').fill(msisdn)
    await tab.getByRole('button', { name: /^Payer/ }).click()
  }

  it('mobile money: the page waits, then shows the receipt by itself', async () => {
    const [reference, tab] = await openNew()
    await payByPhone(tab, SUCCEEDS)
    await sees(tab, /Validez le paiement sur votre téléphone/)
    await sees(tab, /Paiement réussi/)
    assert.deepEqual((await inspect(tab, 'whole')).barriers, [])
    const seen = (await tab.textContent('main')) as string
    assert.match(seen, /15\u00a0000\u00a0F\u00a0CFA[\s\S]*Boutique Awa[\s\S]*Mobile money/)
    assert.equal(await statusOf(reference), 'succeeded')
  })

  for (const [method, button, providerName] of [
    ['card', 'Carte bancaire', /Banque Factice/],
    ['wallet', 'Portefeuille', /PocheTest/],
  ] as const) {
    it(`${method}: the payer pays on the provider’s page and returns to the receipt`, async () => {
      const [reference, tab] = await openNew()
      await tab.getByRole('button', { name: button }).click()
      await tab.getByText(providerName).waitFor()
      assert.equal(
        await tab.locator('input:not([type=hidden])').count(),
        0,
        'there is no field for a card',
      )
      await tab.getByRole('button', { name: /Valider/ }).click()
      await sees(tab, /Paiement réussi/)
      assert.equal(await statusOf(reference), 'succeeded')
    })
  }

  it('a failed payment shows the reason, and the payer can choose another method', async () => {
    const [reference, tab] = await openNew()
    await payByPhone(tab, HAS_TOO_LITTLE)
    await tab.getByText(/solde de ce compte est insuffisant/).waitFor({ timeout: 20_000 })
    assert.deepEqual((await inspect(tab, 'whole')).barriers, [])
    await tab.getByRole('button', { name: 'Carte bancaire' }).click()
    await tab.getByRole('button', { name: /Refuser/ }).click()
    await tab
      .getByText('Votre banque a refusé le paiement. Essayez une autre carte ou payez autrement.')
      .waitFor()
    assert.equal(await statusOf(reference), 'pending')
    await payByPhone(tab, SUCCEEDS)
    await sees(tab, /Paiement réussi/)
  })

  it('an invalid number is corrected without typing the rest again', async () => {
    const tab = await openLink(await makeLink())
    await tab.getByLabel('Pays').selectOption('BJ')
    await payByPhone(tab, '123')
    await tab.getByText(/n’est pas valide/).waitFor()
    assert.equal(await tab.getByLabel('Pays').inputValue(), 'BJ')
    assert.equal(await tab.getByLabel('Votre numéro mobile money').inputValue(), '123')
    assert.deepEqual((await inspect(tab, 'whole')).barriers, [])
  })

  it('two browsers pay once: the second waits for the first and shows it as paid', async () => {
    const reference = await makeLink()
    const first = await openLink(reference)
    const second = await openLink(reference, {})
    await first.getByRole('button', { name: 'Carte bancaire' }).click()
    await first.getByText(/Banque Factice/).waitFor()
    await payByPhone(second, SUCCEEDS)
    await sees(second, /Terminez sur la page de paiement/)
    await first.getByRole('button', { name: /Valider/ }).click()
    await sees(first, /Paiement réussi/)
    await sees(second, /Déjà payé/)
    const statuses = (await attemptsOf(service, reference)).map(({ status }) => status)
    assert.deepEqual(statuses, ['succeeded'])
  })

  it('a payer who leaves the provider’s page can choose another method', async () => {
    const [reference, tab] = await openNew()
    await tab.getByRole('button', { name: 'Portefeuille' }).click()
    await tab.getByText(/PocheTest/).waitFor()
    await tab.goto(`${address}/pay/${reference}`)
    await sees(tab, /Terminez sur la page de paiement/)
    await tab.getByRole('button', { name: 'Choisir un autre moyen' }).click()
    await tab.getByText(/a été annulée/).waitFor()
    await payByPhone(tab, SUCCEEDS)
    await sees(tab, /Paiement réussi/)
  })

  it('card and mobile money work without JavaScript', async () => {
    const [byCard, byPhone] = [await makeLink(), await makeLink()]
    const tab = await openLink(byCard, { javaScriptEnabled: false })
    await tab.getByRole('button', { name: 'Carte bancaire' }).click()
    await tab.getByRole('button', { name: /Valider/ }).click()
    await sees(tab, /Paiement réussi/)
    await tab.goto(`${address}/pay/${byPhone}`)
    await payByPhone(tab, SUCCEEDS)
    await sees(tab, /Paiement réussi/)
  })

  it('the language is French by default, English by the browser or by choice', async () => {
    const reference = await makeLink()
    const french = await openLink(reference)
    assert.equal(await french.getAttribute('html', 'lang'), 'fr')
    await french.getByRole('link', { name: 'English' }).click()
    await french.getByText('Your mobile money number').waitFor()
    const english = await openLink(reference, { locale: 'en-GB' })
    assert.equal(await english.getAttribute('html', 'lang'), 'en')
  })

  it('an expired link says so and leads back to the shop', async () => {
    const tab = await openLink(
      await makeLink({ on_failed_redirection_url: 'https://shop.example/no?cart=7' }),
    )
    aheadMs += 31 * 60_000
    await tab.reload()
    await sees(tab, /Ce lien a expiré/)
    const back = await tab.getByRole('link', { name: /Retourner chez/ }).getAttribute('href')
    assert.match(
      back as string,
      /^https:\/\/shop\.example\/no\?cart=7&reference=\w+&status=failed&public_reference=/,
    )
    assert.deepEqual((await inspect(tab, 'whole')).barriers, [])
  })

  it('a payer who goes back to the shop leaves the link open', async () => {
    const [reference, tab] = await openNew({
      on_failed_redirection_url: 'https://shop.example/no?cart=7',
    })
    const back = await tab
      .getByRole('link', { name: 'Annuler et revenir à la boutique' })
      .getAttribute('href')
    const form =
      /^https:\/\/shop\.example\/no\?cart=7&reference=\w+&status=cancelled&public_reference=/
    assert.match(back as string, form)
    assert.equal(await statusOf(reference), 'initiated')
  })

  it('the first view needs one request and one round trip', async () => {
    const reference = await makeLink({
      description: 'À retirer à la boutique du Petit Marché, tous les jours.',
    })
    await ownTab.goto('about:blank')
    const asked: string[] = []
    ownTab.on('request', (request) => asked.push(request.url()))
    await ownTab.goto(`${address}/pay/${reference}`, { waitUntil: 'networkidle' })
    assert.deepEqual(asked, [`${address}/pay/${reference}`])
    assert.ok((await bytesOnTheWire(`/pay/${reference}`)) <= FIRST_FLIGHT_BYTES)
  })

  async function bytesOnTheWire(path: string): Promise<number> {
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: pay.example\r\nConnection: close\r\n\r\n`)
    await once(socket, 'end')
    assert.ok(bytes > 4_000, 'it is the page')
    return bytes
  }
})
