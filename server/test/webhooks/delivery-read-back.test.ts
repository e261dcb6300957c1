// The receiver that most merchants have: it compares the Secret-Hash, then reads the payment back before it believes anything (spec §6).
// What it reads is never older than what it was event.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openReceiver } from '../kit/receiver.ts'
import { head, openTestService, order } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { newEndpoint, SECRET_HASH } from '../kit/webhooks.ts'

const PAYMENTS = 200
const AT_ONCE = 25

/** Succeeds in the answer to the request; then three whose outcome comes by a callback: a success and two failures. */
const NUMBERS = ['40410000100', '40410000000', '40410000004', '40410000002']

it(`the read never lags behind the webhook: ${PAYMENTS} payments read back while they are told`, async (t) => {
  const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '0' })
  t.after(() => service.remove())
  const receiver = await openReceiver()
  t.after(() => receiver.close())
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { accountId, secretKey } = (await service.merchant()).accounts.sandbox
  const headers = head(secretKey)
  const lagging: unknown[] = []
  receiver.handle = async ({ headers: { 'secret-hash': secretHash }, event: { data } }) => {
    if (secretHash !== SECRET_HASH) return 401
    const answer = await fetch(`${url}/api/v1/payments/${data.reference}`, { headers })
    const read = await answer.json()
    if (answer.status !== 200 || JSON.stringify(read) !== JSON.stringify(data)) lagging.push({ data, read })
    return 200
  }
  await newEndpoint(service, accountId, `${receiver.url}/hook`)

  const create = async (nth: number): Promise<void> => {
    const body = JSON.stringify(order({ msisdn: NUMBERS[nth % NUMBERS.length] }))
    const answer = await fetch(`${url}/api/v1/payments`, { method: 'POST', headers, body })
    assert.equal(answer.status, 200)
  }
  for (let done = 0; done < PAYMENTS; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => create(done + at)))
  }
  const references = (): unknown[] => receiver.got.map(({ event }) => event.data.reference)
  // Answered, and so read back.
  await until(`answer to ${PAYMENTS} events`, () => receiver.answered >= PAYMENTS)
  assert.deepEqual(lagging, [])
  assert.deepEqual([references().length, new Set(references()).size], [PAYMENTS, PAYMENTS], 'each came once')
  const events = receiver.got.map(({ event }) => event.event)
  assert.deepEqual(new Set(events), new Set(['payment.succeeded', 'payment.failed']))
})
