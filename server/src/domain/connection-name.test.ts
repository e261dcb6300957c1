// What people call a connection, in both languages.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectionName } from './country.ts'

const NAMES: [connection: string, label: string | null, fr: string, en: string][] = [
  ['con_0123456789abcdef', 'MTN de la boutique', 'MTN de la boutique', 'MTN de la boutique'],
  ['mtn_bj', null, 'MTN MoMo (Bénin)', 'MTN MoMo (Benin)'],
  ['moov_ne', null, 'Moov Money (Niger)', 'Moov Money (Niger)'],
  ['bank_card', null, 'Carte bancaire', 'Bank card'],
  ['mtn-benin', null, 'mtn-benin', 'mtn-benin'],
  ['constructor', null, 'constructor', 'constructor'],
]

it('connection names: the merchant’s label, else the operator with its country, else the installation’s name', () => {
  for (const [connection, connectionLabel, fr, en] of NAMES) {
    const named = { connection, connectionLabel }
    assert.deepEqual([connectionName(named, 'fr'), connectionName(named, 'en')], [fr, en])
  }
})
