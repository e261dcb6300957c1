// The words of states, failures and fields, in both languages: a missing one would be a blank on a
// page.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LISTED_REFUND_FIELDS, REFUND_FIELDS } from '../refunds/refund-fields.ts'
import { LISTED_PAYMENT_FIELDS, PAYMENT_FIELDS } from './payment-fields.ts'
import { FAILURE_REASONS, FAILURE_WORDS, isFailureReason, STATUS_WORDS } from './payment-status.ts'

const assertWords = (words: readonly (string | undefined)[]): void => {
  assert.equal(new Set(words).size, words.length, words.join())
  for (const word of words) assert.match(word ?? '', /^\p{L}.{2}/u)
}

it('words: every state and every reason has its own in both languages', () => {
  for (const language of ['fr', 'en'] as const) {
    assertWords(
      ['initiated', 'pending', 'succeeded', 'failed', 'refunded'].map(
        (status) => (STATUS_WORDS[language] as Record<string, string>)[status],
      ),
    )
    const reasons = Object.keys(FAILURE_REASONS).filter(isFailureReason)
    assert.equal(reasons.length, 10)
    assertWords(reasons.map((reason) => FAILURE_WORDS[language][reason]))
  }
})

for (const [name, table] of Object.entries({
  PAYMENT_FIELDS,
  LISTED_PAYMENT_FIELDS,
  REFUND_FIELDS,
  LISTED_REFUND_FIELDS,
}))
  it(`words: the fields of ${name} that people see have words in both languages`, () => {
    for (const field of Object.values<object>(table))
      if ('words' in field) {
        const { fr, en } = field.words as Record<string, string>
        for (const word of [fr, en]) assert.match(word ?? '', /^\p{L}/u)
      }
  })
