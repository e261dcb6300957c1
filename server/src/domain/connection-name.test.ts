// What people call a connection, in both languages.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectionName } from './connection-name.ts'

const NAMES: [connection: string, label: string | null, fr: string, en: string][] = [
  ['con_0123456789abcdef', 'MTN de la boutique', 'MTN de la boutique', 'MTN de la boutique'],
  ['mtn_bj', null, 'MTN MoMo (Bénin)', 'MTN MoMo (Benin)'],
  ['moov_ne', null, 'Moov Money (Niger)', 'Moov Money (Niger)'],
  ['bank_card', null, 'Carte bancaire', 'Bank card'],
  ['mtn-benin', null, 'MTN MoMo (Bénin)', 'MTN MoMo (Benin)'],
  ['pawapay-benin-2', null, 'pawaPay 2 (Bénin)', 'pawaPay 2 (Benin)'],
  ['airtel-money-ne', null, 'Airtel Money (Niger)', 'Airtel Money (Niger)'],
  ['pawapay-niger-benin', null, 'pawaPay (Niger, Bénin)', 'pawaPay (Niger, Benin)'],
  ['mtn-constructor', null, 'MTN MoMo constructor', 'MTN MoMo constructor'],
  ['fedapay', null, 'FedaPay', 'FedaPay'],
  ['mtn-momo', null, 'MTN MoMo', 'MTN MoMo'],
  ['mtnx', null, 'mtnx', 'mtnx'],
  ['caisse-2', null, 'caisse-2', 'caisse-2'],
  ['constructor', null, 'constructor', 'constructor'],
]

it('connection names: the merchant’s label, else the network with its country, else the installation’s name', () => {
  for (const [connection, connectionLabel, fr, en] of NAMES) {
    const named = { connection, connectionLabel }
    assert.deepEqual([connectionName(named, 'fr'), connectionName(named, 'en')], [fr, en])
  }
})
