// Emails about where live money goes: each reader is addressed as who they are, and told what
// helps.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { MoneyChangeDetail } from '../../domain/merchants/money-change.ts'
import { EMAIL_WORDS, type MoneyChangeFacts } from './email-words.ts'

const CONNECTION: MoneyChangeDetail = {
  kind: 'connection',
  connector: 'mtn-momo',
  label: 'MTN Cotonou',
  serves: 'mtn_bj',
}
const ALIAS: MoneyChangeDetail = { kind: 'pi_alias', alias: '2f1e', earlier: null }

const facts = (given: Partial<MoneyChangeFacts>): MoneyChangeFacts => ({
  merchant: '',
  detail: CONNECTION,
  asker: 'Awa Diallo',
  decider: 'Sani',
  askedAt: 0,
  decidedAt: 0,
  endsAt: 0,
  isStaff: true,
  ...given,
})

it('emails about money changes: the staff read nothing about “your” business', () => {
  for (const language of ['fr', 'en'] as const)
    for (const state of ['waiting', 'done', 'rejected', 'expired'] as const)
      for (const detail of [CONNECTION, ALIAS]) {
        const wording = EMAIL_WORDS[language].money_change[state](facts({ detail })).join('\n')
        assert.doesNotMatch(wording, /\b(votre|vos|your)\b/i, `${language} ${state}`)
      }
})

it('emails about money changes: an owner is told to remove an alias, or to suspend a connection', () => {
  const told = (language: 'fr' | 'en', detail: MoneyChangeDetail): string =>
    EMAIL_WORDS[language].money_change.done(facts({ detail, isStaff: false }))[1]
  assert.match(told('fr', ALIAS), /, retirez l’alias, changez/)
  assert.match(told('fr', CONNECTION), /, suspendez la connexion, changez/)
  assert.match(told('en', ALIAS), /, remove the alias, change/)
  assert.match(told('en', CONNECTION), /, suspend the connection, change/)
})

const ASKERS: readonly [name: string, written: string][] = [
  ['Awa Diallo', 'd’Awa Diallo'],
  ['Émile', 'd’Émile'],
  ['oumar', 'd’oumar'],
  ['Sani', 'de Sani'],
  ['Hadiza', 'de Hadiza'],
  ['Yacouba', 'de Yacouba'],
]

it('emails about money changes: “de” is elided before a vowel', () => {
  for (const [asker, written] of ASKERS)
    for (const state of ['rejected', 'expired'] as const)
      assert.ok(
        EMAIL_WORDS.fr.money_change[state](facts({ asker, decider: 'Ali' }))[1].includes(
          `demande ${written} :`,
        ),
      )
})

it('emails about money changes: one that its asker withdrew was not rejected', () => {
  const withdrawn = facts({ decider: 'Awa Diallo', isStaff: false })
  assert.match(EMAIL_WORDS.fr.money_change.rejected(withdrawn)[0], /annulé/)
  assert.match(EMAIL_WORDS.en.money_change.rejected(withdrawn)[0], /withdrawn/)
})
