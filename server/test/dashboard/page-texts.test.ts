// How the dashboard's page writes: what can be told without a browser.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { phone, shortCount } from '../../../dashboard/src/format.ts'
import { words as english } from '../../../dashboard/src/words/en.ts'
import { words as french } from '../../../dashboard/src/words/fr.ts'
import { typeset, withoutInherited } from '../../../dashboard/src/words/table.ts'
import { INHERITED_NAMES } from '../kit/outside-names.ts'

const plain = (text: string): string => text.replaceAll('\u00a0', ' ')

it('no line of French begins with a mark of punctuation, and none ends with an opening quote', () => {
  const words = typeset({
    help: 'Vide : le client choisit.',
    quoted: { help: '« Commande 118 »' },
    asks: (name: string) => `Fermer ${name} ?`,
    list: ['Merci !'],
    count: 3,
  })
  assert.equal(words.help, 'Vide\u00a0: le client choisit.')
  assert.equal(words.quoted.help, '«\u00a0Commande 118\u00a0»')
  assert.equal(words.asks('le lien'), 'Fermer le lien\u00a0?')
  assert.deepEqual([words.list, words.count], [['Merci\u00a0!'], 3])
})

it('numbers are read out in pairs, and none of their digits stands alone', () => {
  assert.equal(plain(phone('22790123456')), '+227 90 12 34 56')
  assert.equal(plain(phone('2290190123456')), '+229 01 90 12 34 56')
  assert.equal(plain(phone('40410000127')), '404 10 00 01 27')
})

it('the axis of a chart has few digits', () => {
  assert.deepEqual(
    [0, 750, 8_000, 40_000, 1_200_000].map((value) => plain(shortCount(value, 'fr'))),
    ['0', '750', '8 000', '40 k', '1,2 M'],
  )
})

it('page texts: an inherited name such as constructor finds no text in any table', () => {
  const check = (table: object, place: string): void => {
    for (const name of INHERITED_NAMES) assert.ok(!(name in table), `${name} in ${place}`)
    for (const [name, value] of Object.entries(table)) {
      if (typeof value === 'object' && !Array.isArray(value)) check(value, `${place}.${name}`)
    }
  }
  check(withoutInherited(english), 'en')
  check(withoutInherited(french), 'fr')
})
