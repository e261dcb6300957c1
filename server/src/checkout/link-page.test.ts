// The payer's pages as text: what they escape, show and link to; amounts and times; the text of an
// SMS; the language.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LINK_METHODS } from '../domain/methods/methods.ts'
import { writeAmount } from '../domain/payments/money.ts'
import { FAILURE_REASONS, type FailureReason } from '../domain/payments/payment-status.ts'
import type { Language } from '../domain/texts/language.ts'
import { policyHash } from '../http/html.ts'
import { linkPage } from './link-page.ts'
import type { LinkState, LinkView } from './link-view.ts'
import { messagePage, preferredLanguage, stateMark } from './page-frame.ts'
import { inSmsAlphabet, sharePage, smsText } from './share-page.ts'
import { isSameDay, largeAmount, WORDS, writeDay, writeTime } from './words.ts'

const NOW = Date.UTC(2026, 10, 15, 9, 30)
const LANGUAGES: readonly Language[] = ['fr', 'en']
const OPERATORS = { NE: ['airtel_ne', 'moov_ne'], BJ: ['mtn_bj'] }
const OPEN: LinkState = { is: 'open', methods: LINK_METHODS, operators: OPERATORS, attempts: 2 }

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
  { ...OPEN, problem: { refused: 'msisdn_not_valid' }, typed: { msisdn: BREAKING, country: 'BJ' } },
  { is: 'waiting', method: 'mobile', attempts: 2, msisdnShown: BREAKING, operator: BREAKING },
  {
    is: 'waiting',
    method: 'wallet',
    attempts: 2,
    payerStep: { goTo: `https://p.example/${BREAKING}` },
  },
  {
    is: 'succeeded',
    method: 'mobile',
    validatedAt: NOW,
    returnUrl: `https://awa.example.ne/${BREAKING}`,
    operator: BREAKING,
    operatorReference: BREAKING,
  },
  { is: 'paid', mayProve: true },
  { is: 'refunded', validatedAt: NOW, returnUrl },
  { is: 'closed', because: 'expired', returnUrl },
]

describe('link page: input of a merchant or a payer', () => {
  const hostile: Partial<LinkView> = {
    merchantName: BREAKING,
    title: BREAKING,
    description: BREAKING,
    reference: BREAKING,
    publicReference: BREAKING,
    pageUrl: `https://pay.example.ne/${BREAKING}`,
  }
  for (const state of STATES)
    it(`stays text: ${stateMark(state)}`, () => {
      for (const html of [
        htmlOf(state, hostile),
        String(sharePage(view(state, hostile), 'en').html),
      ]) {
        assert.doesNotMatch(html, /<img|alert\(1\)<|"'>/)
        assert.deepEqual([html.match(/<script/g)?.length, html.match(/<\/title>/g)?.length], [1, 1])
      }
    })

  for (const address of [
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,x',
    'intent://x',
    '/merci',
  ])
    it(`${address} never becomes a link`, () => {
      for (const state of [
        { is: 'succeeded', method: 'mobile', validatedAt: NOW, returnUrl: address },
        { is: 'closed', because: 'failed', returnUrl: address },
        { is: 'waiting', method: 'wallet', attempts: 1, payerStep: { goTo: address } },
      ] as LinkState[]) {
        assert.ok(!htmlOf(state).includes(address))
      }
    })

  for (const origin of ['*', 'null', 'https://awa.ne/page', "https://awa.ne' onload='x"])
    it(`${origin} is not accepted as the origin around a frame`, () =>
      assert.doesNotMatch(
        htmlOf(OPEN, { embeddedIn: origin }),
        /data-frame|name="embed"|formtarget/,
      ))
})

describe('open link page', () => {
  for (const language of LANGUAGES)
    for (const reason of Object.keys(FAILURE_REASONS) as FailureReason[])
      it(`says in ${language} what ${reason} means, with every method to try again`, () => {
        const html = htmlOf({ ...OPEN, lastFailure: reason }, {}, language)
        assert.ok(html.includes(WORDS[language].failures[reason]))
        for (const method of LINK_METHODS) assert.ok(html.includes(`value="${method}"`))
      })

  it('open link: asks for a number only with mobile money', () => {
    assert.match(htmlOf(), /name="msisdn"/)
    assert.doesNotMatch(
      htmlOf({ ...OPEN, methods: ['wallet'] }),
      /name="(msisdn|country)"|8 chiffres/,
    )
    assert.match(htmlOf({ ...OPEN, methods: [] }), /Aucun moyen de paiement/)
  })

  it('open link: shows its expiry, with the day if that is not today', () => {
    assert.match(htmlOf(OPEN, { expiresAt: NOW + 30 * 60_000 }), /Valable jusqu’à 11h00/)
    assert.match(
      htmlOf(OPEN, { expiresAt: NOW + 86_400_000 }),
      /Valable jusqu’au 16\u00a0novembre 2026 à 10h30/,
    )
    assert.doesNotMatch(htmlOf(), /Valable/)
  })

  it('open link: says that no real money moves with simulated operators', () => {
    assert.match(htmlOf(OPEN, { isSimulated: true }), /Test\u00a0: aucun argent réel/)
    assert.doesNotMatch(htmlOf(), /aucun argent réel/)
  })

  it('open link: its forms may lead only to the given providers', () => {
    const { contentSecurityPolicy } = linkPage(
      view(OPEN, { providerOrigins: ['https://cards.example'] }),
      'fr',
    )
    assert.match(contentSecurityPolicy, /form-action 'self' https:\/\/cards\.example;/)
    assert.match(
      linkPage(view(), 'fr').contentSecurityPolicy,
      /form-action 'self';.*frame-ancestors 'none'$/,
    )
  })
})

describe('link page: operators', () => {
  it('operators: are listed for each country that has any; another country is not offered', () => {
    assert.match(
      htmlOf(),
      /Niger, 8 chiffres\u00a0:<br><b class="badge n airtel_ne">Airtel Money<\/b> <b class="badge n moov_ne">/,
    )
    assert.match(htmlOf(), /Bénin, 10 chiffres\u00a0:<br><b class="badge n mtn_bj">MTN MoMo<\/b>/)
    const benin = htmlOf({ ...OPEN, operators: { NE: [], BJ: ['mtn_bj'] } })
    assert.doesNotMatch(benin, /Niger|value="NE"/)
  })

  it('operators: an unknown one has its plain name and no colour', () => {
    const waiting = htmlOf({ is: 'waiting', method: 'mobile', attempts: 1, operator: 'orange_ne' })
    assert.match(
      waiting,
      /<h1>Validez le paiement sur votre téléphone avec <b>orange_ne<\/b><\/h1>/,
    )
    assert.match(waiting, /<title>Validez le paiement sur votre téléphone avec orange_ne – /)
  })

  it('operators: each page has the colours of those that it names', () => {
    const paid: LinkState = {
      is: 'succeeded',
      method: 'mobile',
      validatedAt: NOW,
      operator: 'mtn_bj',
    }
    const waiting: LinkState = { is: 'waiting', method: 'mobile', attempts: 1, operator: 'mtn_bj' }
    for (const state of [OPEN, waiting, paid]) {
      assert.match(htmlOf(state), /\.mtn_bj\{color:#1d1a2b;background:#ffcb05\}/)
      assert.match(htmlOf(state), /<b class="badge n mtn_bj">MTN MoMo<\/b>/)
    }
  })

  it('operators: a receipt without one names none', () => {
    const html = htmlOf({ is: 'succeeded', method: 'mobile', validatedAt: NOW })
    assert.match(html, /Mobile money/)
    assert.doesNotMatch(html, /Opérateur|opérateur/)
  })
})

describe('link page: return to the merchant after a success', () => {
  const paid: LinkState = { is: 'succeeded', method: 'mobile', validatedAt: NOW, returnUrl }
  const refresh = `<meta http-equiv="refresh" content="8;url=https://awa.example.ne/merci?a=1&amp;b=2">`

  it('return: is automatic', () => assert.ok(htmlOf(paid).includes(refresh)))

  it('return: is only a link on a later visit and in a frame', () => {
    for (const change of [{ now: NOW + 3_600_000 }, { embeddedIn: 'https://awa.example.ne' }]) {
      assert.doesNotMatch(htmlOf(paid, change), /http-equiv="refresh"|data-back/)
      assert.match(htmlOf(paid, change), /href="https:\/\/awa\.example\.ne\/merci/)
    }
  })
})

it('link preview: has the amount and the merchant', () => {
  assert.match(
    htmlOf(),
    /og:description" content="15\u00a0000\u00a0F\u00a0CFA à payer à Boutique Awa"/,
  )
  assert.match(
    htmlOf(OPEN, {}, 'en'),
    /og:description" content="15,000\u00a0F\u00a0CFA to pay to Boutique Awa"/,
  )
})

it('link page: is in its language and links to the other language', () => {
  for (const language of LANGUAGES) {
    const other = language === 'fr' ? 'en' : 'fr'
    const pages = [
      ...STATES.map((state) => linkPage(view(state), language)),
      sharePage(view(), language),
    ]
    for (const page of [...pages, messagePage('too_many', language)]) {
      const html = String(page.html)
      assert.match(html, new RegExp(`<html lang="${language}">`))
      assert.match(html, new RegExp(`href="[^"]*\\?lang=${other}" hreflang="${other}"`))
    }
  }
})

it('link page script: is ES2017 and holds no closing tag', () => {
  const script = /<script>([\s\S]*)<\/script>/.exec(htmlOf())?.[1] as string
  assert.doesNotMatch(script, /\?\.|\?\?|<\/|^\s*\/\//m)
  assert.ok(script.length > 1_000)
})

it('share text: names amount, merchant, title and address', () => {
  const html = String(sharePage(view(), 'fr').html)
  const text = /wa\.me\/\?text=([^"]+)/.exec(html)?.[1] as string
  assert.equal(
    decodeURIComponent(text.replaceAll('&#39;', "'")),
    `Bonjour, voici le lien pour payer 15\u00a0000\u00a0F\u00a0CFA à Boutique Awa (Deux pagnes) : ${view().pageUrl}`,
  )
  const sms = /sms:\?&amp;body=([^"]+)/.exec(html)?.[1] as string
  const seen = decodeURIComponent(sms.replaceAll('&#39;', "'"))
  assert.equal(seen, `Payez 15 000 F CFA à Boutique Awa (Deux pagnes) : ${view().pageUrl}`)
})

describe('link page: brand of the merchant', () => {
  const brand = { colour: '#0a7d4f', logoUrl: '/logos/abc', phone: '+227 20 73 00 00' }

  it('brand: colour, logo and number are on the page of an open link', () => {
    const { html, contentSecurityPolicy } = linkPage(view(OPEN, { brand }), 'fr')
    const [style = ''] =
      /(?<=<style>):root\{--band:#0a7d4f;[^<]*(?=<\/style>)/.exec(String(html)) ?? []
    assert.ok(contentSecurityPolicy.includes(policyHash(style)))
    assert.match(String(html), /<img class="logo" src="\/logos\/abc" alt="">/)
    assert.match(String(html), /<a href="tel:\+22720730000">\+227 20 73 00 00<\/a>/)
  })

  it('brand: does not change the colours of an outcome', () =>
    assert.doesNotMatch(htmlOf({ is: 'refunded' }, { brand }), /#0a7d4f/))
})

const AMOUNTS: [amountXof: number, french: string, english: string][] = [
  [25, '25\u00a0F\u00a0CFA', '25\u00a0F\u00a0CFA'],
  [999, '999\u00a0F\u00a0CFA', '999\u00a0F\u00a0CFA'],
  [15_000, '15\u00a0000\u00a0F\u00a0CFA', '15,000\u00a0F\u00a0CFA'],
  [100_000, '100\u00a0000\u00a0F\u00a0CFA', '100,000\u00a0F\u00a0CFA'],
  [999_999_999, '999\u00a0999\u00a0999\u00a0F\u00a0CFA', '999,999,999\u00a0F\u00a0CFA'],
]

const TIMES: [utc: number, french: string, english: string][] = [
  [Date.UTC(2026, 10, 15, 9, 30), '15\u00a0novembre 2026 10h30', '15\u00a0November 2026 10:30'],
  [Date.UTC(2026, 0, 31, 23, 5), '1er\u00a0février 2026 0h05', '1\u00a0February 2026 0:05'],
  [Date.UTC(2026, 11, 31, 22, 59), '31\u00a0décembre 2026 23h59', '31\u00a0December 2026 23:59'],
  [Date.UTC(2026, 11, 31, 23, 0), '1er\u00a0janvier 2027 0h00', '1\u00a0January 2027 0:00'],
]

describe('amount format', () => {
  for (const [amountXof, french, english] of AMOUNTS)
    it(`of ${amountXof} is written ${french}`, () =>
      assert.deepEqual(
        [writeAmount(amountXof, 'fr'), writeAmount(amountXof, 'en')],
        [french, english],
      ))

  it('amount format: a long amount is smaller', () => {
    assert.match(`${largeAmount(999_999, 'fr')}`, /class="sum"/)
    assert.match(`${largeAmount(1_000_000, 'fr')}`, /class="sum long"/)
  })
})

describe('time format, one hour ahead of UTC all year', () => {
  for (const [utc, french, english] of TIMES)
    it(`is ${french}`, () => {
      assert.equal(`${writeDay(utc, 'fr')} ${writeTime(utc, 'fr')}`, french)
      assert.equal(`${writeDay(utc, 'en')} ${writeTime(utc, 'en')}`, english)
    })

  it('time format: the day changes at local midnight', () => {
    assert.equal(isSameDay(Date.UTC(2026, 10, 15, 22, 59), Date.UTC(2026, 10, 15, 23, 0)), false)
    assert.equal(isSameDay(Date.UTC(2026, 10, 15, 23, 0), Date.UTC(2026, 10, 16, 22, 59)), true)
  })
})

const URL = 'https://pay.example.ne/pay/k7m2x9qd4w8n5t3r6y1p0zbhgjcfvsae'

const textFor = (merchant: string, purpose: string, amountXof = 15_000, url = URL): string =>
  smsText((whom) => WORDS.fr.smsText(writeAmount(amountXof, 'fr'), whom), merchant, purpose, url)

describe('SMS text', () => {
  it('SMS text: has amount, merchant, title and address, with plain spaces', () =>
    assert.equal(
      textFor('Boutique Awa', 'Deux pagnes'),
      `Payez 15 000 F CFA à Boutique Awa (Deux pagnes) : ${URL}`,
    ))

  it('SMS text: drops the title when there is no room, then the end of the name', () => {
    assert.equal(
      textFor('Boutique Awa', 'x'.repeat(120)),
      `Payez 15 000 F CFA à Boutique Awa : ${URL}`,
    )
    const text = textFor(
      'Établissements Moussa & Fils — Quincaillerie générale de Zinder et de Maradi',
      'Ciment',
      999_999_999,
    )
    assert.match(
      text,
      /^Payez 999 999 999 F CFA à Établissements Moussa & Fils - Qu[a-zé ZM]* : https:/,
    )
    assert.ok(text.length <= 160 && text.endsWith(URL))
  })

  it('SMS text: is the address alone when there is no more room', () => {
    const url = `https://pay.example.ne/pay/${'a'.repeat(128)}`
    assert.equal(textFor('Boutique Awa', 'Deux pagnes', 15_000, url), url)
  })

  it('SMS text: has only characters that fit one message', () => {
    const seen = inSmsAlphabet('L’œuvre d’Aïcha, ça coûte 1\u202f500\u00a0F : « très » bien… 🎉')
    assert.equal(seen, `L'oeuvre d'Aicha, ca coute 1 500 F : " très " bien... `)
  })
})

const HEADERS: readonly [language: Language, headers: string[]][] = [
  [
    'fr',
    [
      '',
      'fr',
      'en;q=0.5, fr;q=0.9',
      'fr-NE, en',
      'en;q=0',
      'en;q=nothing',
      'de, *;q=0.5',
      'fra, eng',
    ],
  ],
  [
    'en',
    [
      'en',
      'en-GB,en;q=0.9',
      'fr;q=0.2,en;q=0.8',
      'ha, en;q=0.8, fr;q=0.6',
      'fr;q=0, en;q=0.1',
      'EN-us;q=0.7',
    ],
  ],
]

for (const [language, headers] of HEADERS)
  for (const header of headers)
    it(`link page: language is ${language} for "${header}"`, () =>
      assert.equal(preferredLanguage(header), language))
