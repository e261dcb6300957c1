// A network that allows ten status calls a second, with thousands of pending payments, on both
// stores. Requests are sent at once, recently approved payments are polled first, a callback has
// priority, and no merchant's backlog delays another's payments.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { OperatorAnswer } from '../../src/domain/payments/operator-report.ts'
import type { Operator } from '../../src/operators/operator.ts'
import { connectOnly } from '../kit/direct-operators.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { get, order, post } from '../kit/service.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import { SQLITE } from '../kit/stores.ts'
import { tries } from '../kit/tries.ts'
import { openVirtualService } from '../kit/virtual-service.ts'

const PENDING = tries(2_000, 10_000)
const PER_SECOND = 10
const NUMBER = '96123456'

describe(`polling with ${PENDING} pending payments at ten status calls a second`, () => {
  const asked: { reference: string; at: number }[] = []
  const approved = new Set<string>()
  const operator: Operator = {
    name: 'airtel_ne',
    request: async () => ({ is: 'accepted' }),
    status: async (reference): Promise<OperatorAnswer> => {
      asked.push({ reference, at: service.clock.now() })
      if (!approved.has(reference)) return { is: 'accepted' }
      return { is: 'succeeded', amountXof: 1_500, operatorReference: 'OP-1' }
    },
    refund: async () => ({ is: 'by_hand', why: 'no call' }),
    refundStatus: async () => ({ is: 'by_hand', why: 'no call' }),
    parseCallback: ({ path }) => ({ reference: path, isGenuine: true }),
  }

  const limitsOf = () => ({
    request: { atOnce: 40 },
    status: { atOnce: 10, perSecond: PER_SECOND },
  })
  const connect = async () => ({ ...(await connectOnly(operator)()), limitsOf })
  const service = sharedWithAccount(() => openVirtualService(SQLITE, {}, { connect }))
  before(async () => {
    await insertPending(service, service.accountId, PENDING, { dueAt: service.clock.now() })
    // All were sent hours ago, and none is approved.
    await service.db.change(
      'update payments set handed_over_at = created_at, accepted_at = created_at, claims = 0',
    )
    await service.clock.advance(20_000)
  })

  const create = async (key = service.secretKey): Promise<string> =>
    (await post(service, key, order({ msisdn: NUMBER }))).body.reference as string
  const statusOf = async (reference: string, key = service.secretKey) =>
    (await get(service, key, reference)).body.status

  it('the network gets at most ten status calls in any second', () => {
    const times = asked.map(({ at }) => at)
    for (const [first, at] of times.entries())
      assert.ok(
        (times[first + PER_SECOND] ?? Number.POSITIVE_INFINITY) - at >= 1_000,
        `question ${first}`,
      )
    assert.ok(asked.length > 150, `${asked.length} questions in 20 seconds`)
  })

  it('a payment that is approved now settles within seconds, although thousands are due before it', async () => {
    const reference = await create()
    approved.add(reference)
    await service.clock.advance(12_000)
    assert.equal(await statusOf(reference), 'succeeded')
  })

  it('another merchant’s payment settles as soon', async () => {
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const reference = await create(secretKey)
    approved.add(reference)
    await service.clock.advance(12_000)
    assert.equal(await statusOf(reference, secretKey), 'succeeded')
  })

  it('a callback is acknowledged, and its payment is polled at once', async () => {
    const reference = await create()
    await service.clock.advance(500)
    approved.add(reference)
    const url = `/operators/sandbox/airtel_ne/callback/${reference}`
    assert.equal((await service.app.inject({ method: 'PUT', url, payload: '{}' })).statusCode, 200)
    await service.clock.advance(1_000)
    assert.equal(await statusOf(reference), 'succeeded')
  })

  it('the payments that have waited longest are still polled', async () => {
    const before = new Set(asked.map(({ reference }) => reference))
    await service.clock.advance(10_000)
    const fresh = asked.filter(({ reference }) => !before.has(reference)).length
    assert.ok(fresh >= 30, `${fresh} that were not asked about yet`)
  })
})
