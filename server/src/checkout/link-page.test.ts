// The link's page as text: what every state shows, and that input cannot break out of its place. The tests in a browser are in
// test/browser/.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FAILURE_REASONS, type FailureReason } from '../domain/payment-status.ts'
import { policyHash } from '../http/html.ts'
import { linkPage } from './link-page.ts'
import type { Language, LinkState, LinkView } from './link-view.ts'
import { messagePage, stateMark } from './page-frame.ts'
import { sharePage } from './share-page.ts'
import { WORDS } from './words.ts'

const NOW = Date.UTC(2026, 10, 15, 9, 30)
const LANGUAGES: readonly Language[] = ['fr', 'en']
const METHODS = ['mobile', 'bank_card', 'wallet'] as const
const OPERATORS = { NE: ['airtel_ne', 'moov_ne'], BJ: ['mtn_bj'] }
const OPEN: LinkState = { is: 'open', methods: METHODS, operators: OPERATORS, attempts: 2 }

const view = (state: LinkState = OPEN, change: Partial<LinkView> = {}): LinkView => ({
  reference: 'k7m2x9qd4w8n5t3r6y1p0zbhgjcfvsae',
  publicReference: '7K2M-9QXD-4',
  merchantName: 'Boutique Awa',
  title: 'Deux pagnes',
  amountXof: 15_000,
  isSimulated: false,
  now: NOW,
  pageUrl: 'https://pay.example.ne/pay/k7m2x9qd4w8n5t3r6y1p0zbhgjcfvsae',
  state,
  ...change,
})

const htmlOf = (state?: LinkState, change?: Partial<LinkView>, language: Language = 'fr'): string =>
  String(linkPage(view(state, change), language).html)

const BREAKING = `"'><img src=x onerror=alert(1)></title></script><script>alert(1)</script>&amp;`
const returnUrl = 'https://awa.example.ne/merci?a=1&b=2'

const STATES: LinkState[] = [
  OPEN,
  { ...OPEN, problem: 'msisdn_not_valid', typed: { msisdn: BREAKING, country: 'BJ' } },
  { is: 'waiting', method: 'mobile', attempts: 2, msisdnShown: BREAKING, operator: BREAKING },
  { is: 'waiting', method: 'wallet', attempts: 2, providerUrl: `https://p.example/${BREAKING}` },
  {
    ...{ is: 'succeeded', method: 'mobile', validatedAt: NOW, returnUrl: `https://awa.example.ne/${BREAKING}` },
    ...{ operator: BREAKING, operatorReference: BREAKING },
  },
  { is: 'paid', mayProve: true },
  { is: 'refunded', validatedAt: NOW, returnUrl },
  { is: 'closed', because: 'expired', returnUrl },
]

describe('input of a merchant or a payer', () => {
  const hostile: Partial<LinkView> = {
    merchantName: BREAKING,
    title: BREAKING,
    description: BREAKING,
    pageUrl: `https://pay.example.ne/${BREAKING}`,
    reference: BREAKING,
    publicReference: BREAKING,
  }
  for (const state of STATES) {
    it(`stays text: ${stateMark(state)}`, () => {
      for (const html of [htmlOf(state, hostile), String(sharePage(view(state, hostile), 'en').html)]) {
        assert.doesNotMatch(html, /<img|alert\(1\)<|"'>/)
        assert.equal(html.match(/<script/g)?.length, 1)
        assert.equal(html.match(/<\/title>/g)?.length, 1)
      }
    })
  }

  for (const address of ['javascript:alert(1)', 'JAVASCRIPT:alert(1)', 'data:text/html,x', 'intent://x', '/merci']) {
    it(`${address} never becomes a link`, () => {
      for (const state of [
        { is: 'succeeded', method: 'mobile', validatedAt: NOW, returnUrl: address },
        { is: 'closed', because: 'failed', returnUrl: address },
        { is: 'waiting', method: 'wallet', attempts: 1, providerUrl: address },
      ] as LinkState[]) {
        assert.ok(!htmlOf(state).includes(address))
      }
    })
  }

  for (const origin of ['*', 'null', 'https://awa.ne/page', "https://awa.ne' onload='x"]) {
    it(`${origin} is not accepted as the origin around a frame`, () => {
      assert.doesNotMatch(htmlOf(OPEN, { embeddedIn: origin }), /data-frame|name="embed"|formtarget/)
    })
  }
})

describe('the open link', () => {
  for (const language of LANGUAGES) {
    for (const reason of Object.keys(FAILURE_REASONS) as FailureReason[]) {
      it(`says in ${language} what ${reason} means, with every method to try again`, () => {
        const html = htmlOf({ ...OPEN, lastFailure: reason }, {}, language)
        assert.ok(html.includes(WORDS[language].failures[reason]))
        for (const method of METHODS) assert.ok(html.includes(`value="${method}"`))
      })
    }
  }

  it('asks for a number only where mobile money is offered', () => {
    assert.match(htmlOf(), /name="msisdn"/)
    assert.doesNotMatch(htmlOf({ ...OPEN, methods: ['wallet'] }), /name="(msisdn|country)"|8 chiffres/)
    assert.match(htmlOf({ ...OPEN, methods: [] }), /Aucun moyen de paiement/)
  })

  it('says when it expires, with the day if that is not today', () => {
    assert.match(htmlOf(OPEN, { expiresAt: NOW + 30 * 60_000 }), /Valable jusqu’à 11h00/)
    assert.match(htmlOf(OPEN, { expiresAt: NOW + 86_400_000 }), /Valable jusqu’au 16\u00a0novembre 2026 à 10h30/)
    assert.doesNotMatch(htmlOf(), /Valable/)
  })

  it('says that no real money moves where operators are simulated', () => {
    assert.match(htmlOf(OPEN, { isSimulated: true }), /Test\u00a0: aucun argent réel/)
    assert.doesNotMatch(htmlOf(), /aucun argent réel/)
  })

  it('lets a form lead to the given providers and to no other origin', () => {
    const { contentSecurityPolicy } = linkPage(view(OPEN, { providerOrigins: ['https://cards.example'] }), 'fr')
    assert.match(contentSecurityPolicy, /form-action 'self' https:\/\/cards\.example;/)
    assert.match(linkPage(view(), 'fr').contentSecurityPolicy, /form-action 'self';.*frame-ancestors 'none'$/)
  })
})

describe('operators', () => {
  it('are named for each country that has any, and another country is not offered', () => {
    assert.match(
      htmlOf(),
      /Niger, 8 chiffres\u00a0:<br><b class="badge n airtel_ne">Airtel Money<\/b> <b class="badge n moov_ne">/,
    )
    assert.match(htmlOf(), /Bénin, 10 chiffres\u00a0:<br><b class="badge n mtn_bj">MTN MoMo<\/b>/)
    const benin = htmlOf({ ...OPEN, operators: { NE: [], BJ: ['mtn_bj'] } })
    assert.doesNotMatch(benin, /Niger|value="NE"/)
  })

  it('without an entry in the table of names have their plain name, and no colour', () => {
    const waiting = htmlOf({ is: 'waiting', method: 'mobile', attempts: 1, operator: 'orange_ne' })
    assert.match(waiting, /<h1>Validez le paiement sur votre téléphone avec <b>orange_ne<\/b><\/h1>/)
    assert.match(waiting, /<title>Validez le paiement sur votre téléphone avec orange_ne – /)
  })

  it('have a rule for their colour in each page that names them', () => {
    const paid: LinkState = { is: 'succeeded', method: 'mobile', validatedAt: NOW, operator: 'mtn_bj' }
    const waiting: LinkState = { is: 'waiting', method: 'mobile', attempts: 1, operator: 'mtn_bj' }
    for (const state of [OPEN, waiting, paid]) {
      assert.match(htmlOf(state), /\.mtn_bj\{color:#1d1a2b;background:#ffcb05\}/)
      assert.match(htmlOf(state), /<b class="badge n mtn_bj">MTN MoMo<\/b>/)
    }
  })

  it('are not named on a receipt that knows none', () => {
    const html = htmlOf({ is: 'succeeded', method: 'mobile', validatedAt: NOW })
    assert.match(html, /Mobile money/)
    assert.doesNotMatch(html, /Opérateur|opérateur/)
  })
})

describe('the return to the merchant after a success', () => {
  const paid: LinkState = { is: 'succeeded', method: 'mobile', validatedAt: NOW, returnUrl }
  const refresh = `<meta http-equiv="refresh" content="8;url=https://awa.example.ne/merci?a=1&amp;b=2">`

  it('is automatic', () => assert.ok(htmlOf(paid).includes(refresh)))

  it('is only a link when the receipt is opened later, and in a frame', () => {
    for (const change of [{ now: NOW + 3_600_000 }, { embeddedIn: 'https://awa.example.ne' }]) {
      assert.doesNotMatch(htmlOf(paid, change), /http-equiv="refresh"|data-back/)
      assert.match(htmlOf(paid, change), /href="https:\/\/awa\.example\.ne\/merci/)
    }
  })
})

it('a messenger sees the amount and the merchant', () => {
  assert.match(htmlOf(), /og:description" content="15\u00a0000\u00a0F CFA à payer à Boutique Awa"/)
  assert.match(htmlOf(OPEN, {}, 'en'), /og:description" content="15,000\u00a0F CFA to pay to Boutique Awa"/)
})

it('every page is in its language and links to the other language', () => {
  for (const language of LANGUAGES) {
    const other = language === 'fr' ? 'en' : 'fr'
    const pages = [...STATES.map((state) => linkPage(view(state), language)), sharePage(view(), language)]
    for (const page of [...pages, messagePage('too_many', language)]) {
      const html = String(page.html)
      assert.match(html, new RegExp(`<html lang="${language}">`))
      assert.match(html, new RegExp(`href="[^"]*\\?lang=${other}" hreflang="${other}"`))
    }
  }
})

it('the script is ES2017 and holds no closing tag', () => {
  const script = /<script>([\s\S]*)<\/script>/.exec(htmlOf())?.[1] as string
  assert.doesNotMatch(script, /\?\.|\?\?|<\/|^\s*\/\//m)
  assert.ok(script.length > 1_000)
})

it('the text of a share names amount, merchant, title and address', () => {
  const html = String(sharePage(view(), 'fr').html)
  const text = /wa\.me\/\?text=([^"]+)/.exec(html)?.[1] as string
  assert.equal(
    decodeURIComponent(text.replaceAll('&#39;', "'")),
    `Bonjour, voici le lien pour payer 15\u00a0000\u00a0F CFA à Boutique Awa (Deux pagnes) : ${view().pageUrl}`,
  )
  const sms = /sms:\?&amp;body=([^"]+)/.exec(html)?.[1] as string
  assert.equal(
    decodeURIComponent(sms.replaceAll('&#39;', "'")),
    `Payez 15 000 F CFA à Boutique Awa (Deux pagnes) : ${view().pageUrl}`,
  )
})

describe('the look of the shop', () => {
  const brand = { colour: '#0a7d4f', logoUrl: '/logos/abc', phone: '+227 20 73 00 00' }

  it('is its colour, its logo and its number, on the page of an open link', () => {
    const { html, contentSecurityPolicy } = linkPage(view(OPEN, { brand }), 'fr')
    const [style = ''] = /(?<=<style>):root\{--band:#0a7d4f;[^<]*(?=<\/style>)/.exec(String(html)) ?? []
    assert.ok(contentSecurityPolicy.includes(policyHash(style)))
    assert.match(String(html), /<img class="logo" src="\/logos\/abc" alt="">/)
    assert.match(String(html), /<a href="tel:\+22720730000">\+227 20 73 00 00<\/a>/)
  })

  it('leaves the colours of an outcome as they are', () => {
    assert.doesNotMatch(htmlOf({ is: 'refunded' }, { brand }), /#0a7d4f/)
  })
})
