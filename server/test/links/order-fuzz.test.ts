// Orders for links that no one should send, generated from a fixed seed, on both stores: each is answered in our shape, never with a 5xx, and
// what was made reads back as it was sent.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { anyJson, anyText, assertOurs, mutated, SEED, unkindText } from '../kit/generated.ts'
import { openTestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { LINK, postLink, readLink } from './payer.ts'

const FIELDS = [
  'amount',
  'title',
  'description',
  'reference',
  'transaction_id',
  'customer_name',
  'shouldExpire',
  'on_success_redirection_url',
  'on_failed_redirection_url',
  '__proto__',
]

/** Where any text goes behind a beginning that makes sense there. */
const STARTS: [field: string, start: string][] = [
  ['title', ''],
  ['description', ''],
  ['transaction_id', ''],
  ['customer_name', ''],
  ['reference', '4f1c09ab37de82c65b1f0a9e7d3c2846'],
  ['on_success_redirection_url', 'https://shop.example/'],
  ['on_failed_redirection_url', 'https://'],
]

const anyOrder = fc.oneof(
  { weight: 3, arbitrary: mutated(FIELDS, () => LINK) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...STARTS), fc.oneof(anyText, unkindText))
      .map(([[field, start], text]) => JSON.stringify({ ...LINK, [field]: start + text })),
  },
  { weight: 1, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
)

it('a generated order for a link is answered in our shape, and what was made reads back the same', async () => {
  const service = await openTestService(SQLITE)
  const key = (await service.merchant()).accounts.sandbox.secretKey
  let made = 0
  await fc.assert(
    fc.asyncProperty(anyOrder, async (sent) => {
      const { code, body } = await postLink(service, key, sent)
      assertOurs(code, JSON.stringify(body), [200, 400, 422])
      if (code !== 200) return
      made++
      const { page_url: _page, ...told } = body
      assert.deepEqual((await readLink(service, body.reference as string)).body, told)
      const { title, amount, description } = JSON.parse(sent.toString())
      assert.deepEqual([told.title, told.amount, told.description], [title, amount, description || undefined])
    }),
    { seed: SEED, numRuns: 600, endOnFailure: true },
  )
  assert.ok(made > 100, `only ${made} orders were good: the run would show nothing about reading back`)
  await service.remove()
})
