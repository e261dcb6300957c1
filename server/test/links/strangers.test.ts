// A visitor with a link who is not its payer can only open it and pay it (D-57, D-60). And a page
// cannot send unlimited prompts to a phone (D-60).

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { createMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { WORDS } from '../../src/checkout/words.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { openTestService, order, post, postTo, signOrder } from '../kit/service.ts'
import { POSTGRES } from '../kit/stores.ts'
import { tries } from '../kit/tries.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import {
  address,
  byPhone,
  ELSEWHERE,
  linksOf,
  onPage,
  openShop,
  SHOP,
  type Shown,
  SUCCEEDS,
} from './payer.ts'

const { service, clock, account, newLink, look, send, pay, abandon, stateOf, toProvider, decide } =
  await openShop()

describe('visitors of a link', () => {
  async function linkOfPage(body: object): Promise<string> {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${account.publicKey}`,
      origin: SHOP,
    }
    return (await postTo(service, '/checkout/links', headers, body)).body.reference as string
  }

  it('cannot close it: leaving redirects to the merchant, and the link stays open', async () => {
    const link = await newLink({ on_failed_redirection_url: `${SHOP}/no?a=1` })
    assert.equal((await send(`/pay/${link}/cancel`, {})).code, 404)
    const { text } = await look(`/pay/${link}`)
    const way = /href="(https:\/\/shop\.example[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    const { searchParams } = new URL(way as string)
    assert.deepEqual(
      [searchParams.get('status'), searchParams.get('reference')],
      ['cancelled', link],
    )
    assert.equal(await stateOf(link), 'open:0')
    assert.doesNotMatch(
      (await look(`/pay/${link}?embed=${SHOP}`)).text,
      /href="https:\/\/shop\.example/,
    )
  })

  it('cannot abandon another browser’s attempt, and do not see the button', async () => {
    const link = await newLink()
    await toProvider(link, onPage('bank_card'))
    const theirs = await look(`/pay/${link}`)
    const elsewhere = await look(`/pay/${link}`, ELSEWHERE)
    assert.match(theirs.text, /\/abandon"/)
    assert.doesNotMatch(elsewhere.text, /\/abandon"/)
    assert.ok(elsewhere.text.includes(WORDS.fr.begunElsewhere))
    for (const cookie of [
      '',
      'karba_attempt=',
      'karba_attempt=00000000000000000000000000',
      'x=y',
    ]) {
      await send(`/pay/${link}/abandon`, {}, { 'sec-fetch-site': 'same-origin', cookie })
      assert.equal(await stateOf(link), 'waiting:1')
    }
    await abandon(link)
    assert.equal(await stateOf(link), 'open:1')
  })

  it('cannot abandon an attempt with the cookie of an earlier attempt', async () => {
    const link = await newLink()
    const first = await pay(link, onPage('wallet'))
    const cookie = String(first.headers['set-cookie']).split(';')[0] as string
    await send(`/pay/${link}/abandon`, {}, { 'sec-fetch-site': 'same-origin', cookie })
    await pay(link, onPage('wallet', 1))
    await send(`/pay/${link}/abandon`, {}, { 'sec-fetch-site': 'same-origin', cookie })
    assert.equal(await stateOf(link), 'waiting:2')
  })

  it('the attempt cookie has the link’s path and HttpOnly, and is in no URL', async () => {
    const link = await newLink()
    const { headers, goTo } = await pay(link, onPage('wallet'))
    const cookie = String(headers['set-cookie'])
    const [, token] = /^karba_attempt=([0-9a-z]{26}); /.exec(cookie) ?? []
    assert.equal(
      cookie,
      `karba_attempt=${token}; Path=/pay/${link}; Max-Age=7776000; HttpOnly; SameSite=Lax`,
    )
    assert.ok(!goTo.includes(token as string))
  })

  it('in a frame without cookies, the page’s own value replaces the cookie', async () => {
    const [browser, other] = ['0123456789abcdef'.repeat(2), 'f'.repeat(32)]
    const link = await newLink()
    const begun = await pay(link, { ...onPage('wallet'), embed: SHOP, browser })
    assert.equal(begun.headers['set-cookie'], undefined)
    assert.ok(!begun.goTo.includes(browser))
    for (const sent of [other, '', browser.slice(1)]) {
      await send(`/pay/${link}/abandon`, { embed: SHOP, browser: sent }, ELSEWHERE)
      assert.equal(await stateOf(link), 'waiting:1')
    }
    await send(`/pay/${link}/abandon`, { embed: SHOP, browser }, ELSEWHERE)
    assert.equal(await stateOf(link), 'open:1')
  })

  it('see two digits of the prompted number, and no more', async () => {
    for (const msisdn of ['40410000008', '+227 96 99 88 17', '96.99.88.27']) {
      const link = await newLink()
      await pay(link, byPhone(msisdn))
      const { text } = await look(`/pay/${link}`, ELSEWHERE)
      assert.ok(text.includes(`•• •• •• ${msisdn.slice(-2)}`))
      assert.doesNotMatch(
        text.replace(/<style>[\s\S]*/, ''),
        new RegExp(`\\d[ .]?\\d[ .]?${msisdn.slice(-2)}<`),
      )
    }
  })

  it('names and titles are isolated with bdi, so that none changes the text around it', async () => {
    // Such names are refused today, but older rows have them.
    await service.db.change('update merchants set name = :name', { name: 'Boutique \u202eawA' })
    const page = { ...ELSEWHERE }
    const link = await newLink({ title: 'متجر 12' })
    for (const rest of ['', '/share']) {
      const { text } = await look(`/pay/${link}${rest}`, page)
      assert.ok(
        text.includes('<bdi>Boutique \u202eawA</bdi>') && text.includes('<bdi>متجر 12</bdi>'),
      )
    }
    const body = (await look(`/pay/${link}`, page)).text.replace(/[\s\S]*<body/, '')
    assert.deepEqual(body.replaceAll(/<bdi>[^<]*<\/bdi>/g, '').match(/\u202e|متجر/g), null)
    await service.db.change('update merchants set name = :name', { name: 'Boutique Awa' })
  })

  it('a merchant’s name with invisible or bidirectional characters is refused', async () => {
    for (const name of ['Bou\u200btique', '\u202eawA', '\u3164', '\u00ad']) {
      const refused = await createMerchant(service, TESTER, { name, validateLive: false })
      assert.deepEqual(refused, { refused: 'merchant_name_not_valid' })
    }
  })

  it('an unsigned page’s texts are marked as the page’s, next to the account’s name, or hidden', async () => {
    const TITLE = 'Facture SONIBANK'
    const set = async (change: object) =>
      granted(
        await changeCheckoutSettings(service, TESTER, { accountId: account.accountId, ...change }),
      )
    const link = await linkOfPage({ amount: 500, title: TITLE, description: 'Dernier rappel' })
    const pages = async () =>
      Promise.all(['', '/share'].map(async (rest) => (await look(`/pay/${link}${rest}`)).text))

    for (const text of await pages()) {
      assert.ok(text.includes(`${WORDS.fr.pageSays} <bdi>${TITLE}</bdi>`))
      assert.equal(text.split(TITLE).length, 2, 'the title appears only with its mark')
    }
    assert.match((await pages())[0] as string, /og:title" content="Paiement en ligne"/)

    await set({ wording: 'Tissus wax, Niamey' })
    for (const text of await pages())
      assert.ok(
        text.includes('<b><bdi>Tissus wax, Niamey</bdi></b>') &&
          text.includes(`<bdi>${TITLE}</bdi>`),
      )
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
    const signed = await look(`/pay/${await linkOfPage({ order })}`)
    assert.ok(signed.text.includes('<b><bdi>Commande 12</bdi></b>'))
    const refused = await changeCheckoutSettings(service, TESTER, {
      accountId: account.accountId,
      wording: '\u200b',
    })
    assert.deepEqual(refused, { refused: 'wording_not_valid', longest: 120 })
    await set({ wording: '', pageTitles: 'shown' })
  })
})

// Limits per number, link and account, independent of the client’s address. Merchants’ own calls
// are not limited.
describe('prompt limits', () => {
  const MINUTE = 60_000
  const AT_ONCE = tries(90, 150)
  const DECLINED = () => ({ answer: { status: 'declined', reason: 'declined' } }) as const
  let numbers = 10_000
  const newNumber = (): string => `961${++numbers}`
  async function linkOfPage({ app }: Service, key: string): Promise<string> {
    const answer = await app.inject({
      method: 'POST',
      url: '/checkout/links',
      remoteAddress: address(),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, origin: SHOP },
      payload: JSON.stringify({ amount: 50, title: 'x' }),
    })
    assert.equal(answer.statusCode, 200)
    return answer.json<{ reference: string }>().reference
  }

  const codes = (shown: readonly Shown[]): Record<number, number> =>
    Object.fromEntries(
      [...Map.groupBy(shown, ({ code }) => code)].map(([code, all]): [number, number] => [
        code,
        all.length,
      ]),
    )

  describe('prompts from pages', () => {
    const makeLink = () => newLink({ shouldExpire: false })

    /** Begins an attempt, and advances the clock to its outcome. */
    async function tryToPay(link: string, msisdn: string, attempt = 0): Promise<Shown> {
      const answer = await pay(link, byPhone(msisdn, attempt))
      await clock.advance(0)
      return answer
    }

    /** Attempts that the payer declines; returns how many were allowed. */
    async function declined(msisdn: string, times: number): Promise<number> {
      let begun = 0
      service.network.change = DECLINED
      for (let time = 0; time < times; time++) {
        if ((await tryToPay(await makeLink(), msisdn)).code === 303) begun++
      }
      service.network.change = (reaction) => reaction
      return begun
    }

    it('69 at once to one number: one is sent, and the others get a polite refusal', async () => {
      const msisdn = newNumber()
      const links = await Promise.all(Array.from({ length: 69 }, makeLink))
      const sent = service.calls.request.length
      const answers = await Promise.all(links.map((link) => tryToPay(link, msisdn)))
      assert.deepEqual(
        [codes(answers), service.calls.request.length - sent],
        [{ 303: 1, 429: 68 }, 1],
      )
      const tooMany = answers.find(({ code }) => code === 429) as Shown
      assert.equal(tooMany.headers['retry-after'], '60')
      assert.match(
        tooMany.text,
        /Une demande attend déjà sur ce téléphone.*à partir de <time class="n" datetime="2026-11-15T09:3\d:00.000Z">10h3\d<\/time>/,
      )
      assert.match(tooMany.text, new RegExp(`value="${msisdn}"`))
      await clock.advance(5_000)
      assert.equal((await tryToPay(await makeLink(), msisdn)).code, 303, 'the first was approved')
    })

    it('three that were not approved block a number for ten minutes, in every notation', async () => {
      const msisdn = newNumber()
      assert.equal(await declined(msisdn, 5), 3)
      const link = await makeLink()
      const english = await pay(link, { ...byPhone(`+227 ${msisdn}`), lang: 'en' })
      assert.equal(english.code, 429)
      assert.match(
        english.text,
        /were not approved.*Try again from <time [^>]+>\d+:\d\d<\/time>, or pay another way/,
      )
      assert.ok(Number(english.headers['retry-after']) > 590)
      assert.equal(await stateOf(link), 'open:0')
      await clock.sleep(10 * MINUTE)
      assert.equal((await tryToPay(link, msisdn)).code, 303)
    })

    it('the block of a number grows with every three, and an approved prompt ends it', async () => {
      const msisdn = newNumber()
      for (const round of ['0 10', '10 20', '20 40', '40 80', '80 120']) {
        const [between, rest] = round.split(' ').map(Number) as [number, number]
        for (let time = 0; time < 3; time++) {
          if (time > 0) await clock.sleep(between * MINUTE)
          assert.equal(await declined(msisdn, 1), 1, `${between} minutes were enough`)
        }
        await clock.sleep((rest - 1) * MINUTE)
        assert.equal(await declined(msisdn, 1), 0, `${rest} minutes are not over`)
        await clock.sleep(MINUTE)
      }
      assert.equal((await tryToPay(await makeLink(), msisdn)).code, 303)
      await clock.advance(5_000)
      assert.equal(await declined(msisdn, 5), 3)
    })

    it('138 attempts on one link: ten are allowed, then one after each growing block, whose end the page shows', async () => {
      const link = await makeLink()
      service.network.change = DECLINED
      const tried: Shown[] = []
      for (let attempt = 0; attempt < 138; attempt++)
        tried.push(await tryToPay(link, newNumber(), Math.min(attempt, 10)))
      assert.deepEqual(codes(tried), { 303: 10, 429: 128 })
      const { text } = await look(`/pay/${link}`)
      assert.match(text, /Trop de tentatives.*à partir de <time /)
      assert.doesNotMatch(text, /name="msisdn"/)
      for (const [attempt, minutes] of [
        [10, 1],
        [11, 2],
        [12, 4],
      ] as const) {
        await clock.sleep(minutes * MINUTE - 1_000)
        assert.equal((await tryToPay(link, newNumber(), attempt)).code, 429)
        await clock.sleep(1_000)
        assert.equal((await tryToPay(link, newNumber(), attempt)).code, 303)
      }
      service.network.change = (reaction) => reaction
    })

    it('attempts on a provider’s page count for the link too', async () => {
      const link = await makeLink()
      for (let attempt = 0; attempt < 10; attempt++)
        await decide(await toProvider(link, onPage('wallet', attempt)), 'decline')
      assert.equal((await pay(link, onPage('wallet', 10))).code, 429)
      assert.equal(await stateOf(link), 'open:10')
    })

    it('200 from links that pages create, each with its own number and address: 60 are sent', async () => {
      const shop = (await service.merchant()).accounts.sandbox
      granted(
        await changeCheckoutSettings(service, TESTER, {
          accountId: shop.accountId,
          origins: [SHOP],
        }),
      )
      service.network.change = DECLINED
      const answers: Shown[] = []
      for (let time = 0; time < 10; time++) {
        const links = await Promise.all(
          Array.from({ length: 20 }, () => linkOfPage(service, shop.publicKey)),
        )
        answers.push(...(await Promise.all(links.map((link) => tryToPay(link, newNumber())))))
      }
      service.network.change = (reaction) => reaction
      assert.deepEqual(codes(answers), { 303: 60, 429: 140 })
      const own = await linksOf(service, shop).newLink()
      assert.equal(
        (await tryToPay(own, newNumber())).code,
        303,
        'the merchant’s own links are not limited',
      )
      await clock.sleep(10 * MINUTE)
      assert.equal(
        (await tryToPay(await linkOfPage(service, shop.publicKey), newNumber())).code,
        303,
      )
    })

    it('100 at one reusable link, each with its own number: 60 are sent', async () => {
      const shop = (await service.merchant()).accounts.sandbox
      const poster = await linksOf(service, shop).newLink({ reusable: true })
      const answers: Shown[] = []
      for (let time = 0; time < 5; time++)
        answers.push(
          ...(await Promise.all(Array.from({ length: 20 }, () => tryToPay(poster, newNumber())))),
        )
      assert.deepEqual(codes(answers), { 303: 60, 429: 40 })
    })

    it('a merchant’s secret key has no limit per number', async () => {
      const msisdn = newNumber()
      await declined(msisdn, 3)
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => post(service, account.secretKey, order({ msisdn }))),
      )
      assert.deepEqual([...new Set(answers.map(({ code }) => code))], [200])
    })

    it('sandbox test numbers have no limit', async () => {
      const links = await Promise.all(Array.from({ length: 12 }, makeLink))
      assert.deepEqual(codes(await Promise.all(links.map((link) => tryToPay(link, SUCCEEDS)))), {
        303: 12,
      })
    })
  })

  it('prompt limits: a stop with 60 callbacks outstanding completes', async () => {
    const service = await openVirtualService()
    const { newLink, pay } = linksOf(service, (await service.merchant()).accounts.sandbox)
    const poster = await newLink({ reusable: true })
    const tried = await Promise.all(
      Array.from({ length: 100 }, () => pay(poster, byPhone(newNumber()))),
    )
    assert.deepEqual(codes(tried), { 303: 60, 429: 40 })
    await service.clock.advance(1_500)
    await service.remove()
  })

  describe('prompts from the pages of two services on one PostgreSQL', async () => {
    const service = await openTestService(POSTGRES)
    const other = await openService(service.config)
    const account = (await service.merchant()).accounts.sandbox
    granted(
      await changeCheckoutSettings(service, TESTER, {
        accountId: account.accountId,
        origins: [SHOP],
      }),
    )
    after(async () => {
      await other?.close()
      await service?.remove()
    })

    const each = (at: number): Service => (at % 2 === 0 ? service : other)
    const payAt = (at: number, link: string, msisdn: string) =>
      linksOf(each(at), account).pay(link, byPhone(msisdn))

    it('60 at once to one number: one is sent, in every round', async () => {
      for (let round = 0; round < 5; round++) {
        const msisdn = newNumber()
        const links = await Promise.all(
          Array.from({ length: 60 }, () => linksOf(service, account).newLink()),
        )
        const answers = await Promise.all(links.map((link, at) => payAt(at, link, msisdn)))
        assert.deepEqual(codes(answers), { 303: 1, 429: 59 })
      }
    })

    it(`${AT_ONCE} at once by the pages of one account: 60 are sent`, async () => {
      const links: string[] = []
      while (links.length < AT_ONCE)
        links.push(await linkOfPage(each(links.length), account.publicKey))
      // All of them wait for one row. On a busy machine the last ones may time out and get 503,
      // which records nothing.
      const payUntilAnswered = async (link: string, at: number): Promise<Shown> => {
        const answer = await payAt(at, link, newNumber())
        return answer.code === 503 ? payUntilAnswered(link, at) : answer
      }
      const answers = await Promise.all(links.map(payUntilAnswered))
      assert.deepEqual(codes(answers), { 303: 60, 429: AT_ONCE - 60 })
    })
  })
})
