// docs/sandbox.md against a service in development mode: where test numbers are numbers.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { openTestService, order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'
import { readDocument } from './printed-code.ts'

const TEXT = readDocument('docs/sandbox.md')
const TEST_NUMBERS = [...TEXT.matchAll(/`(404\d+)`/g)].map(([, number]) => number as string)

describe('sandbox document', async () => {
  const service = await openTestService(SQLITE, { KARBA_SANDBOX_DELAY_MS: '20' })
  const { sandbox, live } = (await service.merchant()).accounts
  after(() => service.remove())

  const create = (secretKey: string, body: Record<string, unknown>) =>
    post(service, secretKey, order(body))

  it('sandbox document: its test numbers are valid in sandbox, in every country, with or without country code', async () => {
    assert.ok(TEST_NUMBERS.length > 30)
    for (const msisdn of TEST_NUMBERS)
      assert.equal((await create(sandbox.secretKey, { msisdn })).code, 200, msisdn)
    const [msisdn] = TEST_NUMBERS
    for (const [country, prefix] of [
      ['BJ', ''],
      ['BJ', '+229 '],
      ['NE', '+227'],
    ])
      assert.equal(
        (await create(sandbox.secretKey, { country, msisdn: `${prefix}${msisdn}` })).code,
        200,
        prefix,
      )
  })

  it('sandbox document: live in development refuses test numbers and simulates ordinary ones', async () => {
    assert.match(
      TEXT,
      /In development mode live runs on the simulated network too.*test numbers are refused \(400/s,
    )
    for (const msisdn of TEST_NUMBERS) {
      const { code, headers } = await create(live.secretKey, { msisdn })
      assert.deepEqual([code, headers['svc-error-code']], [400, 'msisdn_not_valid'])
    }
    assert.equal((await create(live.secretKey, { amount: 24 })).code, 400)
    const { body } = await create(live.secretKey, { amount: 25 })
    await until('success of an ordinary number', async () => {
      const [row] = await service.db.read<{ status: string }>(
        'select status from payments where reference = :reference',
        { reference: body.reference as string },
      )
      return row?.status === 'succeeded'
    })
  })
})
