// Every refusal has a sentence in both languages that holds its facts. The types ensure that none is missing.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Refusal, Refused } from '../../domain/refusal.ts'
import { ENGLISH } from './english.ts'
import { FRENCH } from './french.ts'
import { type Language, sentenceOf } from './refusal-sentences.ts'

/** A refusal with facts, and what the sentence must hold in both languages. */
const WITH_FACTS: [refused: Refused, shows: string[]][] = [
  [{ refused: 'external_reference_taken', existingReference: 'ref-of-first' }, ['ref-of-first']],
  [{ refused: 'payment_name_ambiguous', references: ['one', 'other'] }, ['named-so', 'one, other']],
  [{ refused: 'payment_not_recorded_then', createdAt: 86_400_000 }, ['1970-01-02T00:00', '1970-01-01T00:00']],
  [{ refused: 'payment_not_refundable', status: 'pending' }, ['pending']],
  [{ refused: 'overlap_not_valid', mostMs: 77 * 3_600_000 }, ['77']],
  [{ refused: 'payer_must_wait', why: 'number', until: 86_400_000 }, ['1970-01-02T00:00']],
  [{ refused: 'wording_not_valid', longest: 33 }, ['33']],
  [{ refused: 'too_many_origins', most: 33 }, ['33']],
  [{ refused: 'site_origin_not_valid', origin: 'ftp://x', fault: { is: 'not_an_address' } }, ['ftp://x', 'https://']],
  [
    { refused: 'site_origin_not_valid', origin: 'https://X', fault: { is: 'written_otherwise', origin: 'https://x' } },
    ['https://X', 'https://x'],
  ],
  [{ refused: 'too_many_endpoints', most: 33 }, ['33']],
  [{ refused: 'webhook_url_not_valid', fault: 'not_https' }, ['https://']],
  [{ refused: 'webhook_url_not_valid', fault: 'has_fragment' }, ['#']],
  [{ refused: 'event_name_not_valid', event: 'payment.lost' }, ['payment.lost', 'payment.succeeded']],
  [{ refused: 'secret_hash_not_valid', shortest: 22, longest: 333 }, ['22', '333']],
  [{ refused: 'brand_name_not_valid', longest: 33 }, ['33']],
  [{ refused: 'logo_not_valid', mostBytes: 33 * 1024 }, ['33']],
  [{ refused: 'business_not_valid', field: 'legalName' }, ['legalName']],
  [{ refused: 'validation_not_ready', missing: 'contact' }, ['contact']],
  [{ refused: 'document_not_valid', mostBytes: 33 * 1024 * 1024 }, ['33']],
  [{ refused: 'too_many_documents', most: 33 }, ['33']],
  [{ refused: 'key_name_not_valid', longest: 33 }, ['33']],
  [{ refused: 'key_network_not_valid', network: '1.2.3' }, ['1.2.3']],
  [{ refused: 'too_many_keys', most: 33 }, ['33']],
  [{ refused: 'key_right_not_held', permission: 'refund' }, ['refund']],
  [{ refused: 'note_not_valid', longest: 333 }, ['333']],
  [{ refused: 'proof_not_valid', longest: 333 }, ['333']],
  [{ refused: 'password_not_good', fault: 'short' }, ['10']],
  [{ refused: 'too_many_tries', until: 86_400_000 }, ['1970-01-02T00:00']],
  [{ refused: 'too_many_invitations', most: 33 }, ['33']],
  [{ refused: 'task_taken', by: 'Awa' }, ['Awa']],
  [{ refused: 'order_reference_taken', existingReference: 'a-reference' }, ['a-reference']],
  [{ refused: 'late_money_not_needed', status: 'succeeded' }, ['succeeded', 'anomalies refund']],
]
const FACTS = new Map(WITH_FACTS.map(([refused]) => [refused.refused, refused]))
/** The sentence paraphrases this fact, so it is not in the table. */
FACTS.set('link_closed', { refused: 'link_closed', state: 'expired' })

const LANGUAGES: Language[] = ['en', 'fr']
const ASKED = { name: 'named-so', at: 0 }
const NAMED: Refusal[] = [
  'account_not_found',
  'account_not_available',
  'merchant_not_found',
  'payment_not_found',
  'payment_name_ambiguous',
  'link_not_found',
  'endpoint_not_found',
  'endpoint_off',
  'delivery_not_found',
]

describe('the sentence for a refusal', () => {
  for (const name of Object.keys(ENGLISH) as Refusal[]) {
    it(`${name} is complete in both languages, with and without arguments`, () => {
      const refused = (FACTS.get(name) ?? { refused: name }) as Refused
      for (const asked of [ASKED, {}]) {
        const [english, french] = LANGUAGES.map((language) => sentenceOf(refused, asked, language)) as [string, string]
        for (const sentence of [english, french]) {
          assert.match(sentence, /^[^ ].{8,}\.$/)
          assert.doesNotMatch(sentence, /undefined|NaN|\[object| {2}/)
        }
        assert.notEqual(english, french)
        // Double punctuation has a no-break space before it.
        assert.doesNotMatch(french, / [:;?!]|'/)
        assert.doesNotMatch(english, /\u00a0/)
      }
    })
  }

  for (const [refused, shows] of WITH_FACTS) {
    it(`${refused.refused} says ${shows.join(' and ')}`, () => {
      for (const language of LANGUAGES) {
        const sentence = sentenceOf(refused, ASKED, language)
        for (const fact of shows) assert.ok(sentence.includes(fact), sentence)
      }
    })
  }

  for (const name of NAMED) {
    it(`${name} repeats the name that was asked for`, () => {
      const refused = (FACTS.get(name) ?? { refused: name }) as Refused
      for (const language of LANGUAGES) assert.match(sentenceOf(refused, ASKED, language), /named-so/)
    })
  }

  it('a key that was asked for is not repeated', () => {
    for (const language of LANGUAGES) {
      assert.doesNotMatch(sentenceOf({ refused: 'key_not_found' }, ASKED, language), /named-so/)
    }
  })

  it('both languages keep the same order, so that they can be read side by side', () => {
    assert.deepEqual(Object.keys(FRENCH), Object.keys(ENGLISH))
  })
})
