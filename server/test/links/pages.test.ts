// The pages of a link and their forms: headers, content policy, escaping, frames; cross-site,
// excessive, oversized and generated forms.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { changeCheckoutSettings } from '../../src/actions/merchants/change-account.ts'
import { LINK_METHODS } from '../../src/domain/methods/methods.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { anyText, SEED, unkindText } from '../kit/generated.ts'
import { openTestService } from '../kit/service.ts'
import {
  byPhone,
  type Fields,
  LINK,
  linksOf,
  newLink as newLinkOf,
  onPage,
  openShop,
  SHOP,
  type Shown,
  SUCCEEDS,
} from './payer.ts'

const {
  service,
  clock,
  newLink,
  readLink,
  look,
  send,
  pay,
  closeLink,
  stateOf,
  toProvider,
  decide,
} = await openShop()

describe('link pages', async () => {
  const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&amp;{{7*7}}`
  const ESCAPED = `&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x onerror=alert(2)&gt;&amp;amp;{{7*7}}`
  const UNUSUAL = 'متجر 🧵🇳🇪 日本 Zoé'
  const CROSS_SITE = { 'sec-fetch-site': 'cross-site' }
  const UNKNOWN = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z'
  const BACK = {
    on_success_redirection_url: `${SHOP}/ok?a=1&status=x`,
    on_failed_redirection_url: `${SHOP}/no#top`,
  }
  const { accountId, secretKey } = (await service.merchant({ name: `${HOSTILE} ${UNUSUAL}` }))
    .accounts.sandbox
  granted(
    await changeCheckoutSettings(service, TESTER, {
      accountId,
      origins: [SHOP, 'http://localhost:3000'],
    }),
  )

  const makeLink = (change: Record<string, unknown> = {}): Promise<string> => {
    const texts = {
      title: `${HOSTILE}${UNUSUAL}`.slice(0, 120),
      description: `${HOSTILE}\n${UNUSUAL}`,
    }
    return newLinkOf(service, secretKey, { ...texts, ...BACK, ...change })
  }

  const STATES: [about: string, lead: (link: string) => Promise<unknown>][] = [
    ['open', async () => {}],
    ['waiting for a phone', (link) => pay(link, byPhone('40410000008'))],
    ['waiting for a provider', (link) => pay(link, onPage('bank_card'))],
    [
      'open after a failure',
      async (link) => decide(await toProvider(link, onPage('wallet')), 'decline'),
    ],
    ['succeeded', async (link) => decide(await toProvider(link, onPage('wallet')), 'approve')],
    ['cancelled', (link) => closeLink(link)],
  ]

  const PAGES: [about: string, code: number, show: () => Promise<Shown>][] = [
    ...STATES.flatMap(([about, lead]): typeof PAGES => [
      [`the page of a link that is ${about}`, 200, () => lookAt(lead, '')],
      [`the sheet to share a link that is ${about}`, 200, () => lookAt(lead, '/share?lang=en')],
    ]),
    ['the page of an unknown link', 404, () => look(`/pay/${UNKNOWN}`)],
    ['the sheet of an unknown link', 404, () => look(`/pay/${UNKNOWN}/share`)],
    ['the state of an unknown link', 404, () => look(`/pay/${UNKNOWN}/status`)],
    ['a form for an unknown link', 404, () => pay(UNKNOWN, byPhone('40410000000'))],
    ['a number that cannot be parsed', 200, async () => pay(await makeLink(), byPhone(HOSTILE))],
    [
      'a form of another site',
      200,
      async () => send(`/pay/${await makeLink()}`, onPage('wallet'), CROSS_SITE),
    ],
  ]

  async function lookAt(lead: (link: string) => Promise<unknown>, rest: string): Promise<Shown> {
    const link = await makeLink()
    await lead(link)
    return look(`/pay/${link}${rest}`)
  }

  const policyOf = ({ headers }: Shown): Map<string, string> =>
    new Map(
      String(headers['content-security-policy'])
        .split('; ')
        .map((rule) => [rule.split(' ', 1)[0] as string, rule.slice(rule.indexOf(' ') + 1)]),
    )

  function assertHeaders({ headers }: Shown): void {
    const carried = [
      'content-type',
      'cache-control',
      'referrer-policy',
      'x-content-type-options',
    ].map((name) => headers[name])
    assert.deepEqual(carried, ['text/html; charset=utf-8', 'no-store', 'no-referrer', 'nosniff'])
    assert.match(String(headers['x-request-id']), /^\S{8,}$/)
  }

  const hashOf = (text: string | undefined): string =>
    `'sha256-${createHash('sha256')
      .update(text ?? '')
      .digest('base64')}'`

  // Tags that none of our pages has, or with other attributes than ours. Quoted text is a value,
  // whatever it contains.
  function foreignTags(text: string): string[] {
    const tags = [...text.matchAll(/<\/?[a-z](?:"[^"]*"|[^">])*>/gi)].map(([tag]) =>
      tag.replace(/"[^"]*"/g, '""'),
    )
    assert.ok(tags.length > 10)
    return tags.filter((tag) =>
      /^<(img|iframe|object|embed|base)\b|\son\w+\s*=|javascript:/i.test(tag),
    )
  }

  describe('every page', () => {
    for (const [about, code, show] of PAGES)
      it(`such as ${about} is ${code}, is not cached, and allows only its own script`, async () => {
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

    it('of the provider escapes texts, allows no script, and links only back to the payment link', async () => {
      const link = await makeLink()
      const page = await look(await toProvider(link, onPage('bank_card')))
      assertHeaders(page)
      assert.ok(page.text.includes(ESCAPED) && page.text.includes(UNUSUAL))
      assert.deepEqual([foreignTags(page.text), page.text.includes('<script')], [[], false])
      const policy = policyOf(page)
      const rules = ['default-src', 'script-src', 'form-action', 'base-uri', 'frame-ancestors'].map(
        (rule) => policy.get(rule),
      )
      assert.deepEqual(rules, ["'none'", "'none'", "'self' http://localhost", "'none'", "'none'"])
    })
  })

  describe('a page that is not found', () => {
    const LANGUAGES: [
      about: string,
      query: string,
      accept: string | undefined,
      language: string,
    ][] = [
      ['no language is requested', '', undefined, 'fr'],
      ['the browser prefers English', '', 'en-GB,en;q=0.9,fr;q=0.8', 'en'],
      ['the browser prefers French', '', 'fr-FR,fr;q=0.9,en;q=0.8', 'fr'],
      ['the browser accepts neither', '', 'ha,ar', 'fr'],
      ['English was chosen', '?lang=en', 'fr', 'en'],
      ['French was chosen', '?lang=fr', 'en', 'fr'],
      ['an unknown language was chosen', '?lang=xx', 'en', 'en'],
      ['two were chosen', '?lang=fr&lang=en', 'en', 'en'],
    ]
    for (const [about, query, accept, language] of LANGUAGES)
      it(`is in ${language} when ${about}`, async () => {
        const { code, text } = await look(
          `/pay/${UNKNOWN}${query}`,
          accept === undefined ? {} : { 'accept-language': accept },
        )
        assert.equal(code, 404)
        assert.match(text, new RegExp(`<html lang="${language}">`))
      })

    for (const name of [
      'x',
      'x'.repeat(500),
      '%00',
      'a%2Fb',
      '%F0%9F%9B%92',
      encodeURIComponent(HOSTILE),
    ])
      it(`for the link name ${name.slice(0, 20)} is the same page`, async () => {
        const [one, other] = [await look(`/pay/${name}`), await look(`/pay/${UNKNOWN}`)]
        assert.deepEqual([one.code, one.text], [404, other.text])
      })
  })

  it('a store outage gives payers an error page with Retry-After', async () => {
    const away = await openTestService()
    const { newLink, look, pay, send } = linksOf(away, (await away.merchant()).accounts.sandbox)
    const link = await newLink()
    await away.db.close()
    const pages = [
      ...(await Promise.all(
        ['', '/share', '/status'].map((rest) => look(`/pay/${link}${rest}?lang=en`)),
      )),
      await pay(link, { ...byPhone('40410000000'), lang: 'en' }),
      await send(`/pay/${link}/abandon`, { lang: 'en' }),
    ]
    for (const page of pages) {
      assert.deepEqual([page.code, page.headers['retry-after']], [503, '5'])
      assertHeaders(page)
      assert.match(page.text, /<html lang="en">/)
    }
    await away.app.close()
    await away.place.remove()
  })

  it('a link with the longest permitted reference has its page, share sheet and forms', async () => {
    const reference = '4f1c09ab37de82c65b1f0a9e7d3c2846'.repeat(4)
    assert.equal(await makeLink({ reference }), reference)
    for (const rest of ['', '/share', '/status'])
      assert.equal((await look(`/pay/${reference}${rest}`)).code, 200)
    await decide(await toProvider(reference, onPage('wallet')), 'approve')
    assert.equal((await readLink(reference)).body.status, 'succeeded')
  })

  describe('the redirection to the merchant', () => {
    const rest = (link: string, code: string): string =>
      `public_reference=${code}&external_reference=${link}&amount=${LINK.amount}`
    const WAYS: [
      state: string,
      expected: (link: string, publicReference: string) => string | undefined,
    ][] = [
      [
        'open',
        (link, code) => `${SHOP}/no?reference=${link}&status=cancelled&${rest(link, code)}#top`,
      ],
      ['waiting for a phone', () => undefined],
      [
        'succeeded',
        (link, code) => `${SHOP}/ok?a=1&status=succeeded&reference=${link}&${rest(link, code)}`,
      ],
      [
        'cancelled',
        (link, code) => `${SHOP}/no?reference=${link}&status=failed&${rest(link, code)}#top`,
      ],
    ]
    for (const [state, expected] of WAYS)
      it(`of a link that is ${state} has its outcome`, async () => {
        const [, lead] = STATES.find(([about]) => about === state) as (typeof STATES)[number]
        const link = await makeLink()
        await lead(link)
        const { text } = await look(`/pay/${link}`)
        const way = expected(link, (await readLink(link)).body.public_reference as string)
        const shown = /href="(https:\/\/shop\.example[^"]*)"/
          .exec(text)?.[1]
          ?.replaceAll('&amp;', '&')
        assert.equal(shown, way)
      })

    it('is absent when the merchant gave no URL', async () => {
      const link = await makeLink({
        on_success_redirection_url: null,
        on_failed_redirection_url: null,
      })
      await closeLink(link)
      assert.doesNotMatch((await look(`/pay/${link}`)).text, /shop\.example/)
    })
  })

  describe('a frame', () => {
    const LISTED = [SHOP, 'http://localhost:3000']
    for (const embed of [
      ...LISTED,
      'https://evil.example',
      `${SHOP}/`,
      `${SHOP}:443`,
      'https://SHOP.example',
      '*',
      '',
      `${SHOP} https://evil.example`,
      `${SHOP};script-src *`,
      `${SHOP},http://localhost:3000`,
    ]) {
      const allowed = LISTED.includes(embed) ? embed : "'none'"
      it(`of ${embed || 'no site'} may ${allowed === "'none'" ? 'not ' : ''}show the page`, async () => {
        const link = await makeLink()
        const query = `?${new URLSearchParams({ embed })}`
        const pages = [
          await look(`/pay/${link}${query}`),
          await pay(link, { ...byPhone('x'), embed }),
          await send(`/pay/${link}`, { embed }, CROSS_SITE),
        ]
        for (const page of pages) assert.equal(policyOf(page).get('frame-ancestors'), allowed)
        assert.equal(
          policyOf(await look(`/pay/${link}/share${query}`)).get('frame-ancestors'),
          "'none'",
        )
      })
    }

    it('with two embed parameters is refused', async () => {
      const page = await look(`/pay/${await makeLink()}?embed=${SHOP}&embed=${SHOP}`)
      assert.equal(policyOf(page).get('frame-ancestors'), "'none'")
    })
  })
})

describe('link forms', () => {
  const HOST = 'pay.example:8080'

  describe('a form', () => {
    for (const [written, country, named] of [
      ['+229 01 97 12 34 56', 'NE', 'BJ'],
      ['00227 96 12 34 57', 'BJ', 'NE'],
      ['2290197123458', 'NE', 'BJ'],
      ['96 12 34 59', 'NE', 'NE'],
    ]) {
      it(`with ${written} under ${country} is parsed as a number of ${named}`, async () => {
        const link = await newLink()
        await pay(link, { ...byPhone(written as string), country: country as string })
        assert.equal(await stateOf(link), 'waiting:1')
        const [row] = await service.db.read<{ country: string }>(
          `select p.country from payments p join payment_links l on l.account_id = p.account_id
            and l.number = p.number where l.reference = :link`,
          { link },
        )
        assert.equal(row?.country, named)
      })
    }

    it('does not echo a card number in the phone field', async () => {
      const link = await newLink()
      const { code, text } = await pay(link, byPhone('4111 1111 1111 1111'))
      assert.equal(code, 200)
      assert.doesNotMatch(text, /1111/)
      assert.match(text, /n’est pas valide/)
    })

    type Lead = (link: string) => Promise<unknown>
    const FORMS: [path: string, fields: Fields, state: string, lead: Lead, then: string][] = [
      ['', byPhone(SUCCEEDS), 'open:0', async () => {}, 'waiting:1'],
      ['', onPage('bank_card'), 'open:0', async () => {}, 'waiting:1'],
      ['/abandon', {}, 'waiting:1', (link) => pay(link, onPage('wallet')), 'open:1'],
    ]
    const SENDERS: [about: string, headers: Record<string, string>, isOurs: boolean][] = [
      ['of another site', { 'sec-fetch-site': 'cross-site' }, false],
      ['of the same site, another origin', { 'sec-fetch-site': 'same-site' }, false],
      [
        'of another site that names our origin',
        { 'sec-fetch-site': 'cross-site', origin: `http://${HOST}` },
        false,
      ],
      ['with an unknown Sec-Fetch-Site', { 'sec-fetch-site': 'x' }, false],
      ['of another host, from an old browser', { origin: 'https://evil.example' }, false],
      ['of another port, from an old browser', { origin: 'http://pay.example' }, false],
      ['of a file, from an old browser', { origin: 'file://' }, false],
      ['of an invalid origin', { origin: 'pay.example:8080' }, false],
      ['of our own page', { 'sec-fetch-site': 'same-origin', origin: 'null' }, true],
      ['typed by the payer', { 'sec-fetch-site': 'none' }, true],
      ['of our own page, from an old browser', { origin: `http://${HOST}` }, true],
      ['of our own page behind a proxy, from an old browser', { origin: `https://${HOST}` }, true],
      ['of our own page over plain http, where browsers send null', { origin: 'null' }, true],
      ['of a client without these headers', {}, true],
    ]
    for (const [about, headers, isOurs] of SENDERS)
      it(`${about} ${isOurs ? 'is executed' : 'changes nothing, and shows the state of the link'}`, async () => {
        for (const [path, fields, state, lead, then] of FORMS) {
          const link = await newLink()
          await lead(link)
          const { code, text } = await send(`/pay/${link}${path}`, fields, {
            host: HOST,
            ...headers,
          })
          assert.equal(code, isOurs ? 303 : 200)
          if (!isOurs) assert.match(text, new RegExp(`data-state="${state}"`))
          assert.equal(await stateOf(link), isOurs ? then : state, `${path} ${fields.method}`)
        }
      })

    it('of 4 KiB is read; one byte more gets 413 in our format and does nothing', async () => {
      const link = await newLink()
      const fields = `${new URLSearchParams(byPhone(SUCCEEDS))}&note=`
      for (const path of ['', '/abandon']) {
        const { code, text } = await send(`/pay/${link}${path}`, fields.padEnd(4_097, 'x'))
        assert.deepEqual([code, text], [413, '{"message":"Payload Too Large"}'])
      }
      assert.equal(await stateOf(link), 'open:0')
      assert.equal((await send(`/pay/${link}`, fields.padEnd(4_096, 'x'))).code, 303)
      assert.equal(await stateOf(link), 'waiting:1')
    })

    it('of the provider’s page over 1 KiB gets 413 in our format', async () => {
      const page = await toProvider(await newLink(), onPage('wallet'))
      const { code, text } = await send(page, 'decision=approve&note='.padEnd(1_025, 'x'))
      assert.deepEqual([code, text], [413, '{"message":"Payload Too Large"}'])
    })

    const METHODS: [
      method: 'GET' | 'PUT' | 'DELETE' | 'POST' | 'PATCH',
      path: string,
      code: number,
      allow?: string,
    ][] = [
      ['PUT', '', 405, 'GET, HEAD, POST'],
      ['DELETE', '', 405, 'GET, HEAD, POST'],
      ['POST', '/share', 405, 'GET, HEAD'],
      ['PATCH', '/status', 405, 'GET, HEAD'],
      ['GET', '/cancel', 404],
      ['POST', '/cancel', 404],
      ['GET', '/abandon?x=1', 405, 'POST'],
      ['GET', '/nothing', 404],
      ['POST', '/', 404],
    ]
    for (const [method, path, code, allow] of METHODS)
      it(`by ${method} to /pay/…${path} gets ${code} in our format`, async () => {
        const answer = await service.app.inject({ method, url: `/pay/${await newLink()}${path}` })
        const message = code === 405 ? 'Method Not Allowed' : 'Not Found'
        assert.deepEqual(
          [answer.statusCode, answer.json(), answer.headers.allow],
          [code, { message }, allow],
        )
      })

    it('gets a 429 page with Retry-After after 60 at once from one address; GET is still allowed', async () => {
      const link = await newLink()
      const from = (method: 'GET' | 'POST', remoteAddress: string, url = `/pay/${link}`) =>
        service.app.inject({ method, url, remoteAddress, headers: { 'accept-language': 'en' } })
      for (let sent = 0; sent < 60; sent++)
        assert.equal((await from('POST', '203.0.113.1')).statusCode, 303)
      for (const path of ['', '/abandon']) {
        const answer = await from('POST', '203.0.113.1', `/pay/${link}${path}`)
        assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [429, '5'])
        assert.match(answer.body, /<html lang="en">/)
        assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/)
        assert.equal(answer.headers['cache-control'], 'no-store')
      }
      assert.equal((await from('POST', '203.0.113.2')).statusCode, 303)
      assert.equal((await from('GET', '203.0.113.1')).statusCode, 200)
      for (let seen = 1; seen < 500; seen++) await from('GET', '203.0.113.1', `/pay/${link}/status`)
      for (const path of ['', '/share', '/status'])
        assert.equal((await from('GET', '203.0.113.1', `/pay/${link}${path}`)).statusCode, 429)
      await clock.sleep(100)
      const got = [
        (await from('POST', '203.0.113.1')).statusCode,
        (await from('POST', '203.0.113.1')).statusCode,
      ]
      assert.deepEqual(got, [303, 429])
      assert.equal(await stateOf(link), 'open:0')
    })
  })

  const FIELDS: Record<string, string[]> = {
    method: [...LINK_METHODS],
    country: ['NE', 'BJ', 'ne'],
    msisdn: [SUCCEEDS, '96123456', '+227 96 12 34 56', '0197123456', '40410000110'],
    attempt: ['0', '1', '2', '-1', '1e3'],
    lang: ['fr', 'en'],
    embed: ['https://shop.example', 'null'],
    decision: ['approve', 'decline'],
  }
  const anyForm = fc
    .record(
      Object.fromEntries(
        Object.entries(FIELDS).map(([name, usual]) => [
          name,
          fc.option(
            fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, anyText, unkindText),
            { freq: 8 },
          ),
        ]),
      ),
    )
    .map((fields) =>
      Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null),
    )
  const encoded = anyForm.map((fields) => `${new URLSearchParams(fields)}`)
  const anyBody: fc.Arbitrary<string | Buffer> = fc.oneof(
    { weight: 6, arbitrary: encoded },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: anyText.map((text) => Buffer.from(text)) },
  )
  const anyHeaders = fc.record(
    {
      'content-type': fc.constantFrom(
        'application/x-www-form-urlencoded',
        'text/plain',
        'multipart/form-data',
        'x',
        ';',
        '',
      ),
      'accept-language': fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
      origin: fc.constantFrom(
        'null',
        'https://evil.example',
        'http://localhost',
        'http://localhost:80',
        'x',
      ),
      'sec-fetch-site': fc.constantFrom('same-origin', 'cross-site', 'none', ''),
    },
    { requiredKeys: [] },
  )

  it('a generated request to any route of a link gets an answer in our format, and never begins two attempts', async () => {
    let link = await newLink()
    let page = await toProvider(link, onPage('wallet'))
    const seen = new Set<number>()
    const routes = fc.constantFrom('', '', '', '/abandon', '/share', '/status', 'provider')
    await fc.assert(
      fc.asyncProperty(
        routes,
        anyBody,
        encoded,
        anyHeaders,
        fc.nat(9),
        async (route, body, query, headers, dice) => {
          if ((await stateOf(link)).startsWith('closed') || dice === 0) {
            link = await newLink()
            if (dice > 4) page = await toProvider(link, onPage('wallet'))
          }
          const url = `${route === 'provider' ? page : `/pay/${link}${route}`}?${query}${dice > 7 ? '&returned=1' : ''}`
          const reads = route === '/share' || route === '/status' || dice % 3 === 2
          const answer = await (reads ? look(url) : send(url, body, headers))
          assertOurs(answer)
          seen.add(answer.code)
          if (dice === 1) await clock.advance(3_000)
        },
      ),
      { seed: SEED, numRuns: 350, endOnFailure: true },
    )
    for (const code of [200, 303]) assert.ok(seen.has(code), `${[...seen]}`)
    const doubled = await service.db.read(
      `select number from payment_attempts where status <> 'failed' group by account_id, number
        having count(*) > 1`,
    )
    assert.deepEqual(doubled, [])
  })

  function assertOurs({ code, text, goTo, headers }: Shown): void {
    assert.ok([200, 303, 400, 404, 405].includes(code), `${code} ${text}`)
    if (code === 303) {
      assert.match(
        goTo,
        /^(\/pay\/[0-9a-z]{32}\?|http:\/\/localhost\/(simulator\/pay\/[0-9a-z]{24}$|pay\/[0-9a-z]{32}\?lang=(fr|en)&(embed=[^&]*&)?payer=[0-9a-f]{64}&returned=1$))/,
      )
      assert.match(goTo, /^[\x21-\x7e]*$/)
    } else if (String(headers['content-type']).startsWith('text/html')) {
      assert.match(text, /^<!doctype html>/)
    } else {
      assert.deepEqual(Object.keys(JSON.parse(text)), [code === 200 ? 'state' : 'message'])
    }
  }
})
