// The text of an SMS with a link: one message, whatever the merchant is called.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { writeAmount } from './amounts-and-times.ts'
import { inSmsAlphabet, smsText } from './share-page.ts'
import { WORDS } from './words.ts'

const URL = 'https://pay.example.ne/pay/k7m2x9qd4w8n5t3r6y1p0zbhgjcfvsae'

function textFor(merchant: string, purpose: string, amountXof = 15_000, url = URL): string {
  return smsText((whom) => WORDS.fr.smsText(writeAmount(amountXof, 'fr'), whom), merchant, purpose, url)
}

describe('an SMS', () => {
  it('says what is to be paid, to whom, for what and where, with plain spaces', () => {
    assert.equal(textFor('Boutique Awa', 'Deux pagnes'), `Payez 15 000 F CFA à Boutique Awa (Deux pagnes) : ${URL}`)
  })

  it('leaves out what it is for when there is no room, and then the end of the name', () => {
    assert.equal(textFor('Boutique Awa', 'x'.repeat(120)), `Payez 15 000 F CFA à Boutique Awa : ${URL}`)
    const text = textFor(
      'Établissements Moussa & Fils — Quincaillerie générale de Zinder et de Maradi',
      'Ciment',
      999_999_999,
    )
    assert.match(text, /^Payez 999 999 999 F CFA à Établissements Moussa & Fils - Qu[a-zé ZM]* : https:/)
    assert.ok(text.length <= 160 && text.endsWith(URL))
  })

  it('is the address alone when that is all there is room for', () => {
    const url = `https://pay.example.ne/pay/${'a'.repeat(128)}`
    assert.equal(textFor('Boutique Awa', 'Deux pagnes', 15_000, url), url)
  })

  it('has no character that costs three messages instead of one', () => {
    assert.equal(
      inSmsAlphabet('L’œuvre d’Aïcha, ça coûte 1\u202f500\u00a0F : « très » bien… 🎉'),
      `L'oeuvre d'Aicha, ca coute 1 500 F : " très " bien... `,
    )
  })
})
