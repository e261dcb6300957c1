// HTML injection: values put into a page come out as text.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  contentSecurityPolicy,
  type Html,
  html,
  type Piece,
  policyHash,
  trusted,
  webAddress,
  webOrigin,
} from './html.ts'

const TEXTS: [put: Piece, comes: string][] = [
  ['Boutique Awa', 'Boutique Awa'],
  ['<b>gras</b>', '&lt;b&gt;gras&lt;/b&gt;'],
  ['"><script>alert(1)</script>', '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'],
  ["' onmouseover='alert(1)", '&#39; onmouseover=&#39;alert(1)'],
  ['</script></title></textarea>', '&lt;/script&gt;&lt;/title&gt;&lt;/textarea&gt;'],
  ['<!-- --> <![CDATA[', '&lt;!-- --&gt; &lt;![CDATA['],
  ['&lt;', '&amp;lt;'],
  ['👩🏾‍🌾 Épicerie', '👩🏾‍🌾 Épicerie'],
  [15_000, '15000'],
  ['', ''],
  [undefined, ''],
  [false, ''],
  [['<', html`<i>${'&'}</i>`, ['>']], '&lt;<i>&amp;</i>&gt;'],
  [html`<p>${html`<b>${'<'}</b>`}</p>`, '<p><b>&lt;</b></p>'],
  [trusted('<svg/>'), '<svg/>'],
]

describe('html template: a value', () => {
  for (const [put, comes] of TEXTS)
    it(`is text unless it is html: ${JSON.stringify(comes)}`, () =>
      assert.deepEqual(
        [`${html`${put}`}`, `${html`<a title="${put}">`}`],
        [comes, `<a title="${comes}">`],
      ))

  it('cannot pass for html by its shape', () => {
    const forged = { toString: () => '<script>', text: '<script>' } as unknown as Html
    assert.throws(() => html`${forged}`)
    const heir = Object.create(html``.constructor.prototype) as Html
    assert.throws(() => html`${heir}`)
  })

  it('is not escaped a second time', () => {
    const once = html`${'&'}`
    assert.equal(`${html`${html`${once}`}`}`, '&amp;')
  })
})

const ADDRESSES: [written: string | undefined, link?: string][] = [
  ['https://awa.ne/merci?n=1', 'https://awa.ne/merci?n=1'],
  ['http://localhost:3000/ok', 'http://localhost:3000/ok'],
  ['HTTPS://AWA.NE', 'https://awa.ne/'],
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'intent://scan/#Intent;end',
    '//awa.ne',
    '/merci',
    '',
    undefined,
  ].map((written): [string | undefined] => [written]),
]

const ORIGINS = ['https://awa.ne', 'http://localhost:3000']
const NO_ORIGINS = [
  'https://awa.ne/',
  'https://awa.ne/page',
  'https://awa.ne:443',
  'https://user@awa.ne',
  '*',
  'null',
  '',
  "https://awa.ne; script-src 'unsafe-inline'",
  'https://awa.ne https://evil.example',
]

describe('html: an untrusted address', () => {
  for (const [written, link] of ADDRESSES)
    it(`${JSON.stringify(written)} ${link === undefined ? 'never becomes a link' : `leads to ${link}`}`, () =>
      assert.equal(webAddress(written), link))

  for (const written of ORIGINS)
    it(`${written} is an origin`, () => assert.equal(webOrigin(written), written))
  for (const written of NO_ORIGINS)
    it(`${JSON.stringify(written)} is not an origin`, () =>
      assert.equal(webOrigin(written), undefined))
})

describe('content security policy', () => {
  it('forbids everything by default', () => {
    assert.equal(
      contentSecurityPolicy({ styles: [], scripts: [] }),
      "default-src 'none'; style-src 'none'; script-src 'none'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
  })

  it('names styles and scripts by the hash of their text', () => {
    const hash = createHash('sha256').update('alert("é")').digest('base64')
    const seen = contentSecurityPolicy({ styles: [], scripts: [policyHash('alert("é")')] })
    assert.match(seen, new RegExp(`script-src 'sha256-${hash.replace(/[+/=]/g, '\\$&')}';`))
  })

  it('accepts origins and nothing that would widen it', () => {
    const given = ['https://awa.ne', '*', "https://b.ne; script-src 'unsafe-inline'", 'https:']
    const policy = contentSecurityPolicy({
      styles: [],
      scripts: [],
      formsMayLeadTo: given,
      frameAncestors: given,
    })
    assert.match(policy, /form-action 'self' https:\/\/awa\.ne; base-uri/)
    assert.match(policy, /frame-ancestors https:\/\/awa\.ne$/)
  })
})
