// The refusal catalogue: every refusal has a complete sentence in both languages, with its facts.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Refusal, Refused } from '../domain/refusals/refusal.ts'
import type { Language } from '../domain/texts/language.ts'
import { GENERAL_ERRORS, LONGEST_HINT } from './error.ts'
import { hintOf, REFUSALS, sentenceOf, statusOf, WIRE_ERRORS } from './refusals.ts'

const ASIS = { is: 'written_otherwise', origin: 'https://x' } as const

/** A refusal with facts, and what the sentence must contain in both languages. */
type Row = [refused: Refused, shows: string[]]
const MOST = [
  'too_many_origins',
  'too_many_endpoints',
  'too_many_documents',
  'too_many_keys',
  'too_many_invitations',
  'too_many_connections',
]
const LONGEST = [
  'wording_not_valid',
  'brand_name_not_valid',
  'key_name_not_valid',
  'note_not_valid',
  'proof_not_valid',
  'connection_label_not_valid',
]
const WITH_FACTS: Row[] = [
  ...MOST.map((refused): Row => [{ refused, most: 33 } as Refused, ['33']]),
  ...LONGEST.map((refused): Row => [{ refused, longest: 33 } as Refused, ['33']]),
  [{ refused: 'payment_name_ambiguous', references: ['one', 'other'] }, ['one, other']],
  [{ refused: 'payment_not_recorded_then', createdAt: 86_400_000 }, ['1970-01-02T00:00']],
  [{ refused: 'overlap_not_valid', mostMs: 77 * 3_600_000 }, ['77']],
  [{ refused: 'payer_must_wait', why: 'number', until: 86_400_000 }, ['1970-01-02T00:00']],
  [
    { refused: 'site_origin_not_valid', origin: 'ftp://x', fault: { is: 'not_an_address' } },
    ['ftp://x', 'https://'],
  ],
  [
    { refused: 'site_origin_not_valid', origin: 'https://X', fault: ASIS },
    ['https://X', 'https://x'],
  ],
  [{ refused: 'webhook_url_not_valid', fault: 'not_https' }, ['https://']],
  [{ refused: 'webhook_url_not_valid', fault: 'has_fragment' }, ['#']],
  [
    { refused: 'event_name_not_valid', event: 'payment.lost' },
    ['payment.lost', 'payment.succeeded'],
  ],
  [{ refused: 'secret_hash_not_valid', shortest: 22, longest: 333 }, ['22', '333']],
  [{ refused: 'logo_not_valid', mostBytes: 33 * 1024 }, ['33']],
  [{ refused: 'business_not_valid', field: 'contact' }, ['contact']],
  [{ refused: 'journal_account_not_valid', field: 'fees' }, ['fees']],
  [{ refused: 'validation_not_ready', missing: ['registration', 'contact'] }, ['RCCM', 'contact']],
  [{ refused: 'document_not_valid', mostBytes: 33 * 1024 * 1024 }, ['33']],
  [{ refused: 'key_network_not_valid', network: '1.2.3' }, ['1.2.3']],
  [{ refused: 'key_right_not_held', permission: 'refund' }, ['refund']],
  [{ refused: 'password_not_good', fault: 'short' }, ['10']],
  [{ refused: 'task_taken', by: 'Awa' }, ['Awa']],
  [{ refused: 'credentials_not_valid', field: 'apiKey' }, ['apiKey']],
  [{ refused: 'credentials_refused', why: 'HTTP 401' }, ['HTTP 401']],
  [{ refused: 'network_not_reached', why: 'HTTP 503' }, ['HTTP 503']],
  [
    { refused: 'statement_not_valid', fault: { fault: 'column_missing', column: 'Solde' } },
    ['Solde'],
  ],
  [
    {
      refused: 'upload_space_taken',
      files: 7,
      bytes: 22_000_000,
      mostFiles: 100,
      mostBytes: 33_000_000,
    },
    ['7', '22', '100', '33'],
  ],
  [
    { refused: 'closing_reason_not_valid', offered: ['top_up', 'not_ours'] },
    ['top_up', 'not_ours'],
  ],
  [{ refused: 'file_name_not_valid', longest: 200 }, ['200']],
  [{ refused: 'fetch_period_not_valid', most: 31 }, ['31']],
  [{ refused: 'statement_columns_unknown', headings: ['Date', 'Solde'] }, ['Date, Solde']],
  [{ refused: 'late_money_not_needed', status: 'succeeded' }, ['succeeded']],
  [{ refused: 'late_money_denied', reported: 'declined' }, ['declined']],
]
const FACTS = new Map(WITH_FACTS.map(([refused]) => [refused.refused, refused]))
/** The sentence paraphrases this fact, so it is not in the table. */
FACTS.set('link_closed', { refused: 'link_closed', state: 'expired' })

const LANGUAGES: Language[] = ['en', 'fr']

for (const name of Object.keys(REFUSALS) as Refusal[])
  it(`refusals: ${name} has a status and a complete sentence in both languages`, () => {
    const refused = (FACTS.get(name) ?? { refused: name }) as Refused
    assert.ok(statusOf(name) >= 400 && statusOf(name) < 500)
    const [english, french] = LANGUAGES.map((language) => sentenceOf(refused, language)) as [
      string,
      string,
    ]
    for (const sentence of [english, french]) {
      assert.match(sentence, /^[^ ].{8,}\.$/)
      assert.doesNotMatch(sentence, /undefined|NaN|\[object| {2}/)
    }
    assert.notEqual(english, french)
    // Double punctuation has a no-break space before it.
    assert.doesNotMatch(french, / [:;?!]|'/)
    assert.doesNotMatch(english, /\u00a0/)
  })

for (const [refused, shows] of WITH_FACTS)
  it(`refusals: ${refused.refused} says ${shows.join(' and ')}`, () => {
    for (const language of LANGUAGES) {
      const sentence = sentenceOf(refused, language)
      for (const fact of shows) assert.ok(sentence.includes(fact), sentence)
    }
  })

it('hints: every error of the merchant API has one sentence in ASCII, bounded, and one in French', () => {
  for (const { code, hint, help } of [
    ...Object.values(WIRE_ERRORS),
    ...Object.values(GENERAL_ERRORS),
  ]) {
    assert.match(hint, /^[ -~]+\.$/, code)
    assert.ok(hint.length >= 20 && hint.length <= LONGEST_HINT, `${code}: ${hint.length}`)
    assert.doesNotMatch(hint, /\. [A-Z]/, `${code} has one sentence`)
    assert.equal(help, `</docs/errors#${code}>; rel="help"`)
    assert.match(hintOf(code, 'fr') ?? '', /\.$/, code)
  }
  for (const code of ['signed_out', 'toString', '']) assert.equal(hintOf(code, 'en'), undefined)
})
