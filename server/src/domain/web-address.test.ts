// Web addresses in names: found in every disguise, and not in ordinary names.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { holdsWebAddress } from './web-address.ts'

it('web addresses in names: found in every disguise', () => {
  for (const name of [
    ...['https://evil.example/x', 'Compte bloqué: allez sur https://evil.example', 'HTTP evil', 'www.evil.example'],
    ...['evil.com', 'bit.ly/abc', 'xn--80ak6aa92e.com', 'ÉVIL.COM', 'boutique.شبكة', 'evil.co.uk', '//evil'],
    ...['evil．com', 'evil。com', 'evil｡com', 'evil․com', 'evil·com', 'ｅｖｉｌ．ｃｏｍ', '𝐞𝐯𝐢𝐥.𝐜𝐨𝐦', 'ⓔⓥⓘⓛ.ⓒⓞⓜ'],
    ...['ev\u200bil.c\u200bom', 'evil\u2060.com', 'evil\u00ad.com', 'evil.\u200dcom', 'e\u0301vil.com', 'evil\r\n.com'],
    ...['192.0.2.7', 'mailto:a', 'tel: 90123456', 'a@b', 'https\u2044\u2044evil', '\\\\evil\\share', '1.com'],
  ]) {
    assert.ok(holdsWebAddress(name), name)
  }
})

it('web addresses in names: ordinary names hold none', () => {
  for (const name of [
    ...['Boutique Awa', 'Ets. Moussa & Fils', 'S.A.R.L. Le Plateau', 'S.A.', 'Dr. Aïssa Maïga', 'N° 1: Tissus'],
    ...[
      'Awa… et fils',
      'Chez Awa!',
      'Café-Bar «Le 7»',
      '3.5 Kg',
      'Pharmacie 24/24',
      'A • B',
      'Ibrahim O. Saley',
      'Téléphone Plus',
    ],
  ]) {
    assert.ok(!holdsWebAddress(name), name)
  }
})
