// The schemas that clients read against the checks that decide: on generated orders, both accept or
// both refuse.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { checkLink, type LinkOrder } from '../domain/links/payment-link.ts'
import { AMOUNT_DIGITS } from '../domain/payments/money.ts'
import { checkOrder, ORDER_FAULTS, type PaymentOrder } from '../domain/payments/payment.ts'
import { ADDITIONS, PAYMENT_FIELDS } from '../domain/payments/payment-fields.ts'
import type { Refusal, RefusedAs } from '../domain/refusals/refusal.ts'
import { BODIES } from './bodies.ts'
import { readLinkBody } from './link.ts'
import { readOrderBody } from './payment.ts'

const RUNS = { seed: 20261117, numRuns: 2_000 }

const amounts = fc.oneof(
  fc.integer({ min: 20, max: 30 }),
  fc.constantFrom<unknown>(
    999_999_999,
    1_000_000_000,
    25.5,
    '5000',
    '5000.00',
    '24',
    '5000.000',
    '05000',
    '',
    true,
    null,
  ),
)
const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 20 }) },
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  // Characters of two UTF-16 units, at the limits of 40, 120, 255 and 500 characters.
  fc.constantFrom(40, 41, 120, 121, 255, 256, 500, 501).map((length) => '🙂'.repeat(length)),
  fc.constantFrom<unknown>('', ' ', '\u0007', '\ud800', '4111111111111111', 12, null, {}, []),
)
const metadata = fc.oneof(
  fc.dictionary(fc.string({ maxLength: 45 }), texts, { maxKeys: 3 }),
  fc
    .constantFrom(20, 21)
    .map((count) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [nth, 'x']))),
  fc.constantFrom<unknown>('x', [], 1),
)

/** A valid body with some of its fields replaced or left out. */
function changed(
  valid: object,
  fields: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<Record<string, unknown>> {
  const change = fc.record(fields, { requiredKeys: [] })
  const names = fc.subarray(Object.keys(fields), { maxLength: 2 })
  const missing = fc.subarray(Object.keys(valid), { maxLength: 1 })
  return fc.tuple(change, names, fc.boolean(), missing).map(([values, kept, isComplete, left]) => {
    const body = {
      ...valid,
      ...Object.fromEntries(kept.flatMap((name) => (name in values ? [[name, values[name]]] : []))),
    }
    const gone = isComplete ? [] : left
    return Object.fromEntries(
      Object.entries(body).filter(([name]) => !gone.includes(name as never)),
    )
  })
}

const ORDER = {
  amount: 1500,
  country: 'NE',
  currency: 'XOF',
  msisdn: '+227 96 12 34 56',
  transaction_id: 'order-2026-0001',
  customer_name: 'Awa Diallo',
}
const anyOrder = changed(ORDER, {
  amount: amounts,
  country: fc.constantFrom<unknown>('NE', 'BJ', 'ne', 'FR', 1),
  currency: fc.constantFrom<unknown>('XOF', 'EUR', 1),
  msisdn: fc.constantFrom<unknown>(
    '96123456',
    '0196123456',
    '+227 96 12 34 56',
    '1',
    '9'.repeat(41),
    96123456,
  ),
  transaction_id: texts,
  customer_name: texts,
  ...Object.fromEntries(
    ADDITIONS.map((name) => [
      PAYMENT_FIELDS[name].wire,
      PAYMENT_FIELDS[name].is === 'text' ? texts : metadata,
    ]),
  ),
})

const LINK = {
  amount: 15000,
  title: 'Commande 12',
  description: 'Deux pagnes',
  transaction_id: 'cmd-12',
}
const OPEN_LINK = { minimum_amount: 500, title: 'Don', suggested_amounts: [500, 1000] }
/**
 * The checks also take digits in a string for these two, as for `amount`; the description promises
 * integers only.
 */
const integers = amounts.filter((value) => typeof value !== 'string' || !AMOUNT_DIGITS.test(value))
const LINK_CHANGES = {
  amount: amounts,
  title: texts,
  description: texts,
  transaction_id: texts,
  customer_name: texts,
  on_success_redirection_url: fc.constantFrom<unknown>(
    'https://shop.example/done',
    'ftp://x',
    `https://x/${'x'.repeat(2_048)}`,
    1,
  ),
  reference: fc.constantFrom<unknown>(
    '5f0c2a7d9be14c3e8a61f2b07d4c95e3',
    '0'.repeat(32),
    'short',
    7,
  ),
  shouldExpire: fc.constantFrom<unknown>(true, false, 'true', 0),
  minimum_amount: integers,
  suggested_amounts: fc.oneof(
    fc.array(integers, { maxLength: 6 }),
    fc.constantFrom<unknown>('x', 5),
  ),
  reusable: fc.constantFrom<unknown>(true, false, 'yes'),
  expires_in_minutes: fc.constantFrom<unknown>(4, 5, 129_600, 129_601, '5', 7.5),
  order_reference: texts,
  metadata,
}
const anyLink = fc.oneof(changed(LINK, LINK_CHANGES), changed(OPEN_LINK, LINK_CHANGES))

const EXACT: readonly Refusal[] = [
  'country_not_allowed',
  'currency_not_allowed',
  'amount_not_valid',
]

/** Refused for a rule that JSON Schema cannot express. */
const FINER: readonly Refusal[] = [
  ...ORDER_FAULTS.filter((fault) => !EXACT.includes(fault)),
  'link_body_incomplete',
  'title_not_valid',
  'description_not_valid',
  'link_reference_not_valid',
  'redirection_url_not_valid',
  'minimum_amount_not_valid',
  'suggested_amounts_not_valid',
  'reusable_not_valid',
  'expires_in_minutes_not_valid',
]

/** Null and absent are the same to the checks; the schema describes absent only. */
const withoutNulls = (body: object): object =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))

const CASES = [
  {
    name: 'PaymentOrder' as const,
    bodies: anyOrder,
    check: (bytes: Buffer): PaymentOrder | RefusedAs<Refusal> =>
      checkOrder(readOrderBody(bytes), 'live'),
  },
  {
    name: 'LinkOrder' as const,
    bodies: anyLink,
    check: (bytes: Buffer): LinkOrder | RefusedAs<Refusal> =>
      checkLink(readLinkBody(bytes), 'live'),
  },
]

for (const { name, bodies, check } of CASES)
  it(`bodies: ${name} accepts what the checks accept, and refuses only what they refuse`, (t) => {
    const count = { accepted: 0, refused: 0, finer: 0 }
    fc.assert(
      fc.property(bodies, (body) => {
        const sent = JSON.stringify(body)
        const outcome = check(Buffer.from(sent))
        const isDescribed = BODIES[name].safeParse(withoutNulls(JSON.parse(sent))).success
        if (!('refused' in outcome)) {
          count.accepted++
          assert.ok(isDescribed, `accepted, but not described: ${sent}`)
        } else if (isDescribed) {
          count.finer++
          assert.ok(
            FINER.includes(outcome.refused),
            `described, but refused with ${outcome.refused}: ${sent}`,
          )
        } else count.refused++
      }),
      RUNS,
    )
    t.diagnostic(JSON.stringify(count))
    assert.ok(count.accepted > 200 && count.refused > 200, JSON.stringify(count))
  })
