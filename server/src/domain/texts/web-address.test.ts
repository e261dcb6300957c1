// Web addresses in names: found in every disguise, and not in ordinary names.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { holdsWebAddress, isWithin, type OriginFault, originFault } from './web-address.ts'

it('web addresses in names: found in every disguise', () => {
  for (const name of [
    'https://evil.example/x',
    'Compte bloqué: allez sur https://evil.example',
    'HTTP evil',
    'www.evil.example',
    'evil.com',
    'bit.ly/abc',
    'xn--80ak6aa92e.com',
    'ÉVIL.COM',
    'boutique.شبكة',
    'evil.co.uk',
    '//evil',
    'evil．com',
    'evil。com',
    'evil｡com',
    'evil․com',
    'evil·com',
    'ｅｖｉｌ．ｃｏｍ',
    '𝐞𝐯𝐢𝐥.𝐜𝐨𝐦',
    'ⓔⓥⓘⓛ.ⓒⓞⓜ',
    'ev\u200bil.c\u200bom',
    'evil\u2060.com',
    'evil\u00ad.com',
    'evil.\u200dcom',
    'e\u0301vil.com',
    'evil\r\n.com',
    '192.0.2.7',
    'mailto:a',
    'tel: 90123456',
    'a@b',
    'https\u2044\u2044evil',
    '\\\\evil\\share',
    '1.com',
  ]) {
    assert.ok(holdsWebAddress(name), name)
  }
})

it('web addresses in names: ordinary names hold none', () => {
  for (const name of [
    'Boutique Awa',
    'Ets. Moussa & Fils',
    'S.A.R.L. Le Plateau',
    'S.A.',
    'Dr. Aïssa Maïga',
    'N° 1: Tissus',
    'Awa… et fils',
    'Chez Awa!',
    'Café-Bar «Le 7»',
    '3.5 Kg',
    'Pharmacie 24/24',
    'A • B',
    'Ibrahim O. Saley',
    'Téléphone Plus',
  ]) {
    assert.ok(!holdsWebAddress(name), name)
  }
})

const ALLOWED = [
  'https://shop.example',
  'https://shop.example:8443',
  'https://xn--caf-dma.example',
  'http://localhost',
  'http://localhost:3000',
  'http://127.0.0.1:5173',
  'http://[::1]:3000',
]
const NOT_AN_ADDRESS: OriginFault = { is: 'not_an_address' }
const NOT_HTTPS: OriginFault = { is: 'not_https' }
const asBrowsers = (origin: string): OriginFault => ({ is: 'written_otherwise', origin })
const REFUSED: [fault: OriginFault, written: string[]][] = [
  [NOT_AN_ADDRESS, ['', '*', 'null', 'shop.example', 'ftp://shop.example', 'javascript:alert(1)']],
  [NOT_AN_ADDRESS, [`https://${'a'.repeat(250)}.example`]],
  [asBrowsers('https://*.shop.example'), ['https://*.shop.example/']],
  [
    asBrowsers('https://shop.example'),
    ['https://shop.example/', 'https://Shop.example', 'https://shop.example:443'],
  ],
  [
    asBrowsers('https://shop.example'),
    ['https://awa@shop.example', 'https://shop.example/cart?x=1'],
  ],
  [asBrowsers('https://shop.example'), [' https://shop.example']],
  [asBrowsers('https://xn--caf-dma.example'), ['https://café.example']],
  [NOT_HTTPS, ['http://shop.example', 'http://192.168.1.10:3000', 'http://localhost.shop.example']],
]

for (const written of ALLOWED)
  it(`web addresses: ${written} can be listed`, () => assert.equal(originFault(written), undefined))

for (const [fault, addresses] of REFUSED)
  for (const written of addresses)
    it(`web addresses: ${JSON.stringify(written.slice(0, 40))} cannot be listed`, () =>
      assert.deepEqual(originFault(written), fault))

it('web addresses: an address is within a site only if its origin is exactly that one', () => {
  const origins = ['https://shop.example']
  assert.equal(isWithin('https://shop.example/paid?order=1', origins), true)
  for (const other of [
    'https://shop.example.evil.example/',
    'https://shop.example:444/',
    'http://shop.example/',
    'https://evil.example/https://shop.example',
    'https://shop.example@evil.example/',
    '/paid',
    '',
    undefined,
    7,
  ]) {
    assert.equal(isWithin(other, origins), false, String(other))
  }
})
