// Which sites can be listed, and what is said about the others.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isWithin, originFault } from './site-origin.ts'

const ALLOWED = [
  'https://shop.example',
  'https://shop.example:8443',
  'https://xn--caf-dma.example',
  'http://localhost',
  'http://localhost:3000',
  'http://127.0.0.1:5173',
  'http://[::1]:3000',
]
const REFUSED: [written: string, says: RegExp][] = [
  ['', /address of a site/],
  ['*', /address of a site/],
  ['null', /address of a site/],
  ['shop.example', /address of a site/],
  ['ftp://shop.example', /address of a site/],
  ['javascript:alert(1)', /address of a site/],
  [`https://${'a'.repeat(250)}.example`, /address of a site/],
  ['https://*.shop.example/', /browsers write it/],
  ['https://shop.example/', /browsers write it: https:\/\/shop\.example$/],
  ['https://Shop.example', /browsers write it: https:\/\/shop\.example$/],
  ['https://shop.example:443', /browsers write it: https:\/\/shop\.example$/],
  ['https://café.example', /browsers write it: https:\/\/xn--caf-dma\.example$/],
  ['https://awa@shop.example', /browsers write it/],
  ['https://shop.example/cart?x=1', /browsers write it/],
  [' https://shop.example', /browsers write it/],
  ['http://shop.example', /begin with https/],
  ['http://192.168.1.10:3000', /begin with https/],
  ['http://localhost.shop.example', /begin with https/],
]

for (const written of ALLOWED) it(`${written} can be listed`, () => assert.equal(originFault(written), undefined))

for (const [written, says] of REFUSED) {
  it(`${JSON.stringify(written.slice(0, 40))} cannot be listed`, () => assert.match(originFault(written) ?? '', says))
}

it('an address is within a site only if its origin is exactly that one', () => {
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
