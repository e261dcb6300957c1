// What every page behind a link carries, whatever is written on it: its headers, its policy, texts that stay texts, the way back to the
// merchant, and whose frame may show it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import type { NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { openTestService } from '../kit/service.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import {
  byPhone,
  closeLink,
  decide,
  LINK,
  look,
  newLink,
  onPage,
  pay,
  readLink,
  type Shown,
  send,
  toProvider,
} from './payer.ts'

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;{{7*7}}`
const ESCAPED = `&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x onerror=alert(2)&gt;&amp;amp;{{7*7}}`
const UNUSUAL = 'متجر 🧵🇳🇪 日本 Zoé'
const UNKNOWN = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z'
const SHOP = 'https://shop.example'
const BACK = { on_success_redirection_url: `${SHOP}/ok?a=1&status=x`, on_failed_redirection_url: `${SHOP}/no#top` }

let service: VirtualService
let merchant: NewMerchant
const key = (): string => merchant.accounts.sandbox.secretKey

before(async () => {
  service = await openVirtualService()
  merchant = await service.merchant({ name: `${HOSTILE} ${UNUSUAL}` })
  const { accountId } = merchant.accounts.sandbox
  granted(await changeCheckoutSettings(service, TESTER, { accountId, origins: [SHOP, 'http://localhost:3000'] }))
})
after(() => service.remove())

const makeLink = (change: Record<string, unknown> = {}): Promise<string> => {
  const texts = { title: `${HOSTILE}${UNUSUAL}`.slice(0, 120), description: `${HOSTILE}\n${UNUSUAL}` }
  return newLink(service, key(), { ...texts, ...BACK, ...change })
}

/** Each state of a link, from one that is new. */
const STATES: [about: string, lead: (link: string) => Promise<unknown>][] = [
  ['open', async () => {}],
  ['waiting for a phone', (link) => pay(service, link, byPhone('40410000008'))],
  ['waiting for a provider', (link) => pay(service, link, onPage('bank_card'))],
  [
    'open after a failure',
    async (link) => decide(service, await toProvider(service, link, onPage('wallet')), 'decline'),
  ],
  ['succeeded', async (link) => decide(service, await toProvider(service, link, onPage('wallet')), 'approve')],
  ['cancelled', (link) => closeLink(service, link)],
]

/** Every page there is, with its code. */
const PAGES: [about: string, code: number, show: () => Promise<Shown>][] = [
  ...STATES.flatMap(([about, lead]): typeof PAGES => [
    [`the page of a link that is ${about}`, 200, () => lookAt(lead, '')],
    [`the sheet to share a link that is ${about}`, 200, () => lookAt(lead, '/share?lang=en')],
  ]),
  ['the page of an unknown link', 404, () => look(service, `/pay/${UNKNOWN}`)],
  ['the sheet of an unknown link', 404, () => look(service, `/pay/${UNKNOWN}/share`)],
  ['the state of an unknown link', 404, () => look(service, `/pay/${UNKNOWN}/status`)],
  ['a form for an unknown link', 404, () => pay(service, UNKNOWN, byPhone('40410000000'))],
  ['a number that is not understood', 200, async () => pay(service, await makeLink(), byPhone(HOSTILE))],
  [
    'a form of another site',
    200,
    async () => send(service, `/pay/${await makeLink()}`, onPage('wallet'), { 'sec-fetch-site': 'cross-site' }),
  ],
]

async function lookAt(lead: (link: string) => Promise<unknown>, rest: string): Promise<Shown> {
  const link = await makeLink()
  await lead(link)
  return look(service, `/pay/${link}${rest}`)
}

const policyOf = ({ headers }: Shown): Map<string, string> =>
  new Map(
    String(headers['content-security-policy'])
      .split('; ')
      .map((rule) => [rule.split(' ', 1)[0] as string, rule.slice(rule.indexOf(' ') + 1)]),
  )

function assertHeaders({ headers }: Shown): void {
  const carried = ['content-type', 'cache-control', 'referrer-policy', 'x-content-type-options'].map(
    (name) => headers[name],
  )
  assert.deepEqual(carried, ['text/html; charset=utf-8', 'no-store', 'no-referrer', 'nosniff'])
  assert.match(String(headers['x-request-id']), /^\S{8,}$/)
}

const hashOf = (text: string | undefined): string =>
  `'sha256-${createHash('sha256')
    .update(text ?? '')
    .digest('base64')}'`

/** Tags that none of our pages has, or that have more than our attributes: what stands in quotes is a value, whatever it says. */
function foreignTags(text: string): string[] {
  const tags = [...text.matchAll(/<\/?[a-z](?:"[^"]*"|[^">])*>/gi)].map(([tag]) => tag.replace(/"[^"]*"/g, '""'))
  assert.ok(tags.length > 10)
  return tags.filter((tag) => /^<(img|iframe|object|embed|base)\b|\son\w+\s*=|javascript:/i.test(tag))
}

describe('every page', () => {
  for (const [about, code, show] of PAGES) {
    it(`such as ${about} is ${code}, is kept by nobody, and runs nothing but its own script`, async () => {
      const page = await show()
      assert.equal(page.code, code)
      assertHeaders(page)
      const scripts = [...page.text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)]
      const styles = [...page.text.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)]
      assert.deepEqual([scripts.length, styles.length], [1, 1])
      assert.deepEqual(Object.fromEntries(policyOf(page)), {
        'default-src': "'none'",
        'style-src': hashOf(styles[0]?.[1]),
        'script-src': hashOf(scripts[0]?.[1]),
        'img-src': "'self' data:",
        'connect-src': "'self'",
        'form-action': "'self'",
        'base-uri': "'none'",
        'frame-ancestors': "'none'",
      })
      assert.deepEqual(foreignTags(page.text), [])
    })
  }

  for (const [about, lead] of STATES) {
    it(`of a link that is ${about} shows texts as texts, here and on the sheet to share`, async () => {
      for (const rest of ['', '/share']) {
        const { text } = await lookAt(lead, rest)
        assert.ok(text.includes(ESCAPED) && text.includes(UNUSUAL.slice(0, 8)))
        assert.equal(text.includes(HOSTILE.slice(0, 8)) && text.includes('alert(1)</script>'), false)
      }
    })
  }

  it('of the provider shows texts as texts, runs nothing, and may lead back to the link alone', async () => {
    const link = await makeLink()
    const page = await look(service, await toProvider(service, link, onPage('bank_card')))
    assertHeaders(page)
    assert.ok(page.text.includes(ESCAPED) && page.text.includes(UNUSUAL))
    assert.deepEqual([foreignTags(page.text), page.text.includes('<script')], [[], false])
    const policy = policyOf(page)
    assert.deepEqual(
      ['default-src', 'script-src', 'form-action', 'base-uri', 'frame-ancestors'].map((rule) => policy.get(rule)),
      ["'none'", undefined, "'self' http://localhost", "'none'", "'none'"],
    )
  })

  it('in answer to a number that is not understood gives it back as text', async () => {
    const typed = `"><script>1`
    const { text } = await pay(service, await makeLink(), { ...byPhone(typed), lang: 'en' })
    assert.match(text, /value="&quot;&gt;&lt;script&gt;1"/)
    assert.match(text, /aria-invalid="true"/)
  })
})

describe('a page that is not found', () => {
  const LANGUAGES: [about: string, query: string, accept: string | undefined, language: string][] = [
    ['nothing is said', '', undefined, 'fr'],
    ['the browser prefers English', '', 'en-GB,en;q=0.9,fr;q=0.8', 'en'],
    ['the browser prefers French', '', 'fr-FR,fr;q=0.9,en;q=0.8', 'fr'],
    ['the browser knows neither', '', 'ha,ar', 'fr'],
    ['English was chosen', '?lang=en', 'fr', 'en'],
    ['French was chosen', '?lang=fr', 'en', 'fr'],
    ['a language was chosen that is none', '?lang=xx', 'en', 'en'],
    ['two were chosen', '?lang=fr&lang=en', 'en', 'en'],
  ]
  for (const [about, query, accept, language] of LANGUAGES) {
    it(`is in ${language} where ${about}`, async () => {
      const { code, text } = await look(
        service,
        `/pay/${UNKNOWN}${query}`,
        accept === undefined ? {} : { 'accept-language': accept },
      )
      assert.equal(code, 404)
      assert.match(text, new RegExp(`<html lang="${language}">`))
    })
  }

  for (const name of ['x', 'x'.repeat(500), '%00', 'a%2Fb', '%F0%9F%9B%92', encodeURIComponent(HOSTILE)]) {
    it(`because the link is called ${name.slice(0, 20)} is the same page`, async () => {
      const [one, other] = [await look(service, `/pay/${name}`), await look(service, `/pay/${UNKNOWN}`)]
      assert.deepEqual([one.code, one.text], [404, other.text])
    })
  }
})

it('a payer is told on a page that the service cannot work just now, and when to try again', async () => {
  const away = await openTestService()
  const link = await newLink(away, (await away.merchant()).accounts.sandbox.secretKey)
  await away.db.close()
  const pages = [
    ...(await Promise.all(['', '/share', '/status'].map((rest) => look(away, `/pay/${link}${rest}?lang=en`)))),
    await pay(away, link, { ...byPhone('40410000000'), lang: 'en' }),
    await send(away, `/pay/${link}/abandon`, { lang: 'en' }),
  ]
  for (const page of pages) {
    assert.deepEqual([page.code, page.headers['retry-after']], [503, '5'])
    assertHeaders(page)
    assert.match(page.text, /<html lang="en">/)
  }
  await away.app.close()
  await away.place.remove()
})

it('a link with the longest reference a merchant may give has its page, its sheet and its forms', async () => {
  const reference = '4f1c09ab37de82c65b1f0a9e7d3c2846'.repeat(4)
  assert.equal(await makeLink({ reference }), reference)
  for (const rest of ['', '/share', '/status'])
    assert.equal((await look(service, `/pay/${reference}${rest}`)).code, 200)
  await decide(service, await toProvider(service, reference, onPage('wallet')), 'approve')
  assert.equal((await readLink(service, reference)).body.status, 'succeeded')
})

describe('the way back to the merchant', () => {
  const rest = (link: string, code: string): string =>
    `public_reference=${code}&external_reference=${link}&amount=${LINK.amount}`
  const WAYS: [state: string, expected: (link: string, publicReference: string) => string | undefined][] = [
    ['open', (link, code) => `${SHOP}/no?reference=${link}&status=cancelled&${rest(link, code)}#top`],
    ['waiting for a phone', () => undefined],
    ['succeeded', (link, code) => `${SHOP}/ok?a=1&status=succeeded&reference=${link}&${rest(link, code)}`],
    ['cancelled', (link, code) => `${SHOP}/no?reference=${link}&status=failed&${rest(link, code)}#top`],
  ]
  for (const [state, expected] of WAYS) {
    it(`of a link that is ${state} says what became of it`, async () => {
      const [, lead] = STATES.find(([about]) => about === state) as (typeof STATES)[number]
      const link = await makeLink()
      await lead(link)
      const { text } = await look(service, `/pay/${link}`)
      const way = expected(link, (await readLink(service, link)).body.public_reference as string)
      const shown = /href="(https:\/\/shop\.example[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
      assert.equal(shown, way)
    })
  }

  it('is not shown where the merchant has given none', async () => {
    const link = await makeLink({ on_success_redirection_url: null, on_failed_redirection_url: null })
    await closeLink(service, link)
    assert.doesNotMatch((await look(service, `/pay/${link}`)).text, /shop\.example/)
  })
})

describe('a frame', () => {
  const FRAMES: [embed: string, allowed: string][] = [
    [SHOP, SHOP],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['https://evil.example', "'none'"],
    [`${SHOP}/`, "'none'"],
    [`${SHOP}:443`, "'none'"],
    ['https://SHOP.example', "'none'"],
    [`${SHOP} https://evil.example`, "'none'"],
    [`${SHOP};script-src *`, "'none'"],
    [`${SHOP},http://localhost:3000`, "'none'"],
    ['*', "'none'"],
    ['', "'none'"],
  ]
  for (const [embed, allowed] of FRAMES) {
    it(`of ${embed || 'nobody'} may ${allowed === "'none'" ? 'not ' : ''}show the page`, async () => {
      const link = await makeLink()
      const query = `?${new URLSearchParams({ embed })}`
      const pages = [
        await look(service, `/pay/${link}${query}`),
        await pay(service, link, { ...byPhone('x'), embed }),
        await send(service, `/pay/${link}`, { embed }, { 'sec-fetch-site': 'cross-site' }),
      ]
      for (const page of pages) assert.equal(policyOf(page).get('frame-ancestors'), allowed)
      assert.equal(policyOf(await look(service, `/pay/${link}/share${query}`)).get('frame-ancestors'), "'none'")
    })
  }

  it('that is named twice is nobody’s', async () => {
    const page = await look(service, `/pay/${await makeLink()}?embed=${SHOP}&embed=${SHOP}`)
    assert.equal(policyOf(page).get('frame-ancestors'), "'none'")
  })
})
