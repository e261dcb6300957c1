// What somebody who has a link and is not its payer can do with it: open it and pay it. Not close it, not end what another browser began, not
// learn whose number is being asked (D-60). And texts on its pages are what they look like, and whose they are (D-57).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { createMerchant, type NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { WORDS } from '../../src/checkout/words.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { postTo } from '../kit/service.ts'
import { signOrder } from '../kit/sign-order.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { byPhone, ELSEWHERE, look, newLink, onPage, pay, send, stateOf, toProvider } from './payer.ts'

const SHOP = 'https://shop.example'

describe('a stranger with a link', () => {
  let service: VirtualService
  let account: NewAccount

  before(async () => {
    service = await openVirtualService(SQLITE)
    account = (await service.merchant()).accounts.sandbox
    granted(await changeCheckoutSettings(service, TESTER, { accountId: account.accountId, origins: [SHOP] }))
  })
  after(() => service.remove())

  const makeLink = (change = {}) => newLink(service, account.secretKey, change)

  async function linkOfPage(body: object): Promise<string> {
    const headers = {
      ...{ 'content-type': 'application/json', authorization: `Bearer ${account.publicKey}`, origin: SHOP },
    }
    return (await postTo(service, '/checkout/links', headers, body)).body.reference as string
  }

  it('cannot close it: leaving leads back to the merchant, and the link stays open', async () => {
    const link = await makeLink({ on_failed_redirection_url: `${SHOP}/no?a=1` })
    assert.equal((await send(service, `/pay/${link}/cancel`, {})).code, 404)
    const { text } = await look(service, `/pay/${link}`)
    const way = /href="(https:\/\/shop\.example[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    const { searchParams } = new URL(way as string)
    assert.deepEqual([searchParams.get('status'), searchParams.get('reference')], ['cancelled', link])
    assert.equal(await stateOf(service, link), 'open:0')
    assert.doesNotMatch((await look(service, `/pay/${link}?embed=${SHOP}`)).text, /href="https:\/\/shop\.example/)
  })

  it('cannot end what another browser began, and is not offered it', async () => {
    const link = await makeLink()
    await toProvider(service, link, onPage('bank_card'))
    const theirs = await look(service, `/pay/${link}`)
    const elsewhere = await look(service, `/pay/${link}`, ELSEWHERE)
    assert.match(theirs.text, /\/abandon"/)
    assert.doesNotMatch(elsewhere.text, /\/abandon"/)
    assert.ok(elsewhere.text.includes(WORDS.fr.begunElsewhere))
    for (const cookie of ['', 'karba_attempt=', 'karba_attempt=00000000000000000000000000', 'x=y']) {
      await send(service, `/pay/${link}/abandon`, {}, { 'sec-fetch-site': 'same-origin', cookie })
      assert.equal(await stateOf(service, link), 'waiting:1')
    }
    await send(service, `/pay/${link}/abandon`, {})
    assert.equal(await stateOf(service, link), 'open:1')
  })

  it('has no use for the cookie of an earlier attempt of theirs', async () => {
    const link = await makeLink()
    const first = await pay(service, link, onPage('wallet'))
    const cookie = String(first.headers['set-cookie']).split(';')[0] as string
    await send(service, `/pay/${link}/abandon`, {}, { 'sec-fetch-site': 'same-origin', cookie })
    await pay(service, link, onPage('wallet', 1))
    await send(service, `/pay/${link}/abandon`, {}, { 'sec-fetch-site': 'same-origin', cookie })
    assert.equal(await stateOf(service, link), 'waiting:2')
  })

  it('the cookie is for that link alone, no script reads it, and no address carries it', async () => {
    const link = await makeLink()
    const { headers, goTo } = await pay(service, link, onPage('wallet'))
    const cookie = String(headers['set-cookie'])
    const [, token] = /^karba_attempt=([0-9a-z]{26}); /.exec(cookie) ?? []
    assert.equal(cookie, `karba_attempt=${token}; Path=/pay/${link}; Max-Age=7776000; HttpOnly; SameSite=Lax`)
    assert.ok(!goTo.includes(token as string))
  })

  it('in a frame, where there is no cookie, the page’s own value does the same', async () => {
    const [browser, other] = ['0123456789abcdef'.repeat(2), 'f'.repeat(32)]
    const link = await makeLink()
    const begun = await pay(service, link, { ...onPage('wallet'), embed: SHOP, browser })
    assert.equal(begun.headers['set-cookie'], undefined)
    assert.ok(!begun.goTo.includes(browser))
    for (const sent of [other, '', browser.slice(1)]) {
      await send(service, `/pay/${link}/abandon`, { embed: SHOP, browser: sent }, ELSEWHERE)
      assert.equal(await stateOf(service, link), 'waiting:1')
    }
    await send(service, `/pay/${link}/abandon`, { embed: SHOP, browser }, ELSEWHERE)
    assert.equal(await stateOf(service, link), 'open:1')
  })

  it('sees two digits of the number that is being asked, and no more', async () => {
    for (const msisdn of ['40410000008', '+227 96 99 88 17', '96.99.88.27']) {
      const link = await makeLink()
      await pay(service, link, byPhone(msisdn))
      const { text } = await look(service, `/pay/${link}`, ELSEWHERE)
      assert.ok(text.includes(`•• •• •• ${msisdn.slice(-2)}`))
      assert.doesNotMatch(text.replace(/<style>[\s\S]*/, ''), new RegExp(`\\d[ .]?\\d[ .]?${msisdn.slice(-2)}<`))
    }
  })

  it('names and titles are isolated, so that none changes the text around it', async () => {
    // As names were before they were refused.
    await service.db.change('update merchants set name = $1', ['Boutique \u202eawA'])
    const page = { ...ELSEWHERE }
    const link = await makeLink({ title: 'متجر 12' })
    for (const rest of ['', '/share']) {
      const { text } = await look(service, `/pay/${link}${rest}`, page)
      assert.ok(text.includes('<bdi>Boutique \u202eawA</bdi>') && text.includes('<bdi>متجر 12</bdi>'))
    }
    const body = (await look(service, `/pay/${link}`, page)).text.replace(/[\s\S]*<body/, '')
    assert.deepEqual(body.replaceAll(/<bdi>[^<]*<\/bdi>/g, '').match(/\u202e|متجر/g), null)
    await service.db.change('update merchants set name = $1', ['Boutique Awa'])
  })

  it('a merchant’s name that hides or turns something is refused', async () => {
    for (const name of ['Bou\u200btique', '\u202eawA', '\u3164', '\u00ad']) {
      const refused = await createMerchant(service, TESTER, { name, validateLive: false })
      assert.deepEqual(refused, { refused: 'merchant_name_not_valid' })
    }
  })

  it('an unsigned page’s words are shown as the page’s, beside the account’s own, or not at all', async () => {
    const TITLE = 'Facture SONIBANK'
    const set = async (change: object) =>
      granted(await changeCheckoutSettings(service, TESTER, { accountId: account.accountId, ...change }))
    const link = await linkOfPage({ amount: 500, title: TITLE, description: 'Dernier rappel' })
    const pages = async () =>
      Promise.all(['', '/share'].map(async (rest) => (await look(service, `/pay/${link}${rest}`)).text))

    for (const text of await pages()) {
      assert.ok(text.includes(`${WORDS.fr.pageSays} <bdi>${TITLE}</bdi>`))
      assert.equal(text.split(TITLE).length, 2, 'nowhere without a word about whose it is')
    }
    assert.match((await pages())[0] as string, /og:title" content="Paiement en ligne"/)

    await set({ wording: 'Tissus wax, Niamey' })
    for (const text of await pages()) {
      assert.ok(text.includes('<b><bdi>Tissus wax, Niamey</bdi></b>') && text.includes(`<bdi>${TITLE}</bdi>`))
    }
    await set({ pageTitles: 'hidden' })
    for (const text of await pages()) {
      assert.ok(text.includes('Tissus wax, Niamey'))
      assert.doesNotMatch(text, /SONIBANK|Dernier rappel/)
    }
    await set({ wording: '' })
    for (const text of await pages()) assert.ok(text.includes(`<b>${WORDS.fr.onlinePayment}</b>`))

    const order = signOrder(account.secretKey, {
      amount: 500,
      title: 'Commande 12',
      expires_at: '2099-01-01T00:00:00Z',
    })
    const signed = await look(service, `/pay/${await linkOfPage({ order })}`)
    assert.ok(signed.text.includes('<b><bdi>Commande 12</bdi></b>'))
    const refused = await changeCheckoutSettings(service, TESTER, { accountId: account.accountId, wording: '\u200b' })
    assert.deepEqual(refused, { refused: 'wording_not_valid', longest: 120 })
    await set({ wording: '', pageTitles: 'shown' })
  })
})
