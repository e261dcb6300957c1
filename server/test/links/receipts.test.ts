// Whose the receipt of a paid link is: the browser that paid sees it, everybody else with the link sees that it is paid, and nothing of the
// payer, the operator or the time (D-117). On both stores, by phone and on a provider's page, in a frame, and for late money.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { WORDS } from '../../src/checkout/words.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { get } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import {
  byPhone,
  decide,
  ELSEWHERE,
  type Fields,
  look,
  newLink,
  onPage,
  pay,
  type Shown,
  SUCCEEDS,
  send,
  stateOf,
  toProvider,
} from './payer.ts'

const SHOP = 'https://shop.example'
const BACK = { on_success_redirection_url: `${SHOP}/ok` }
const textOf = ({ text }: Shown): string => text.replace(/<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>/g, '')
/** Of the payer, the operator or the time. */
const OF_THE_PAYER = /<time|SIM-|PSP-|badge|Mobile money|Carte bancaire|Bank card|Wallet|Portefeuille|shop\.example/

describe('the receipt of a link', () => {
  let service: VirtualService
  let account: NewAccount

  before(async () => {
    service = await openVirtualService(SQLITE)
    account = (await service.merchant()).accounts.sandbox
    granted(await changeCheckoutSettings(service, TESTER, { accountId: account.accountId, origins: [SHOP] }))
  })
  after(() => service.remove())

  const WAYS: [about: string, payAll: (link: string) => Promise<void>][] = [
    [
      'by phone',
      async (link) => {
        await pay(service, link, byPhone(SUCCEEDS))
        await service.clock.advance(5_000)
      },
    ],
    [
      'on a provider’s page',
      async (link) => decide(service, await toProvider(service, link, onPage('bank_card')), 'approve'),
    ],
  ]

  for (const [about, payAll] of WAYS) {
    it(`paid ${about} is for the browser that paid; the next visitor sees that it is paid`, async () => {
      const link = await newLink(service, account.secretKey, BACK)
      await payAll(link)
      for (const [language, words] of Object.entries(WORDS)) {
        const mine = await look(service, `/pay/${link}?lang=${language}`)
        assert.ok(textOf(mine).includes(`<h1>${words.succeeded}</h1>`))
        assert.match(textOf(mine), /<time|-\w{10}/)
        const theirs = await look(service, `/pay/${link}?lang=${language}`, ELSEWHERE)
        assert.ok(textOf(theirs).includes(`<h1>${words.paid}</h1>`))
        for (const shown of ['Boutique Awa', 'Commande 12', words.paidHint]) assert.ok(textOf(theirs).includes(shown))
        assert.match(textOf(theirs), /15[\s\u00a0,]000/)
        assert.doesNotMatch(textOf(theirs), OF_THE_PAYER)
        const sheet = await look(service, `/pay/${link}/share?lang=${language}`, ELSEWHERE)
        assert.doesNotMatch(textOf(sheet), /<time/)
      }
      assert.equal(await stateOf(service, link), 'succeeded:0')
      assert.match((await look(service, `/pay/${link}/status`, ELSEWHERE)).text, /"succeeded:0"/)
    })
  }

  it('is not for a visitor who tried before the payer did', async () => {
    const link = await newLink(service, account.secretKey)
    const tried = await send(service, `/pay/${link}`, onPage('wallet'), ELSEWHERE)
    const cookie = String(tried.headers['set-cookie']).split(';')[0] as string
    await decide(service, new URL(tried.goTo).pathname, 'decline')
    await send(service, `/pay/${link}`, byPhone(SUCCEEDS, 1), ELSEWHERE)
    await service.clock.advance(5_000)
    const theirs = await look(service, `/pay/${link}`, { cookie })
    assert.ok(textOf(theirs).includes(`<h1>${WORDS.fr.paid}</h1>`))
  })

  it('after a refund says no more to others than that the money went back', async () => {
    const link = await newLink(service, account.secretKey)
    await pay(service, link, byPhone(SUCCEEDS))
    await service.clock.advance(5_000)
    const { reference } = (await get(service, account.secretKey, link)).body
    granted(await refundPayment(service, TESTER, { name: reference as string }))
    await service.clock.advance(20_000)
    assert.match(textOf(await look(service, `/pay/${link}`)), /badge[\s\S]*<time/)
    const theirs = textOf(await look(service, `/pay/${link}`, ELSEWHERE))
    assert.ok(theirs.includes(`<h1>${WORDS.fr.refunded}</h1>`))
    assert.doesNotMatch(theirs, OF_THE_PAYER)
  })

  it('is for whom the provider sends back, in another browser too; a made-up return is nobody’s', async () => {
    const link = await newLink(service, account.secretKey)
    const page = await toProvider(service, link, onPage('wallet'))
    const { goTo } = await send(service, page, { decision: 'approve' })
    const { pathname, search } = new URL(goTo)
    const back = await look(service, pathname + search, ELSEWHERE)
    assert.deepEqual([back.code, back.goTo], [303, `/pay/${link}?lang=fr`])
    const cookie = String(back.headers['set-cookie']).split(';')[0] as string
    assert.ok(textOf(await look(service, back.goTo, { cookie })).includes(WORDS.fr.succeeded))
    for (const query of [
      'returned=1',
      `returned=1&payer=${'0'.repeat(64)}`,
      'payer=',
      'payer=null',
      'payer=1&payer=2',
    ]) {
      const stranger = await look(service, `/pay/${link}?${query}`, ELSEWHERE)
      assert.equal(stranger.headers['set-cookie'], undefined)
      assert.ok(textOf(stranger).includes(`<h1>${WORDS.fr.paid}</h1>`), query)
    }
  })

  it('in a frame is shown to the page that sends what it kept, and one try is offered', async () => {
    const [browser, other] = ['0123456789abcdef'.repeat(2), 'f'.repeat(32)]
    const link = await newLink(service, account.secretKey)
    const embed = { embed: SHOP, lang: 'en' }
    await send(service, `/pay/${link}`, { ...byPhone(SUCCEEDS), ...embed, browser }, ELSEWHERE)
    await service.clock.advance(5_000)
    const first = textOf(await look(service, `/pay/${link}?${new URLSearchParams(embed)}`, ELSEWHERE))
    assert.ok(first.includes(WORDS.en.paid))
    assert.match(first, new RegExp(`<form method="post" action="/pay/${link}/receipt" data-proof hidden>`))
    const prove = async (fields: Fields): Promise<string> =>
      textOf(await send(service, `/pay/${link}/receipt`, fields, ELSEWHERE))
    assert.match(await prove({ ...embed, browser }), /<h1>Payment successful<\/h1>[\s\S]*<time/)
    for (const sent of [other, '']) {
      const refused = await prove({ ...embed, browser: sent })
      assert.ok(refused.includes(WORDS.en.paid))
      assert.doesNotMatch(refused, /data-proof/)
    }
    assert.doesNotMatch(textOf(await look(service, `/pay/${link}`, ELSEWHERE)), /data-proof/)
  })

  it('of a payment at a poster is for its payer alone, and the poster stays open', async () => {
    const poster = await newLink(service, account.secretKey, { reusable: true })
    const { goTo } = await pay(service, poster, byPhone(SUCCEEDS))
    await service.clock.advance(5_000)
    assert.ok(textOf(await look(service, goTo)).includes(WORDS.fr.succeeded))
    assert.ok(textOf(await look(service, goTo, ELSEWHERE)).includes(WORDS.fr.paid))
    assert.equal(await stateOf(service, poster), 'open:0')
  })
})
