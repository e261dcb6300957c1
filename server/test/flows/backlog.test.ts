// More payments than a slow operator can take, on a virtual clock: what waits at the dispatcher for longer than its claim lasts is let
// go and comes back, and nothing is sent twice (promise 7, ADR-0007).
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { insertPending } from '../kit/pending-payments.ts'
import { order, post } from '../kit/service.ts'
import { tries } from '../kit/tries.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

/** Forty calls at a time of nine seconds each: a backlog of minutes, and leases of fifteen seconds. */
const ANSWERS_AFTER_MS = 9_000
const PAYMENTS = tries(600, 2_000)
/** Three times as long as they take by themselves: what was let go comes back later. */
const SETTLED_AFTER_MS = PAYMENTS * 600

const SLOW_OPERATORS = { msisdn: '40410000100', operators: ['airtel_ne'] }
const ANOTHER_OPERATORS = '94123456'

let service: VirtualService

before(async () => {
  service = await openVirtualService()
  await insertPending(service, 'acc_backlog', PAYMENTS, { dueAt: service.clock.now(), ...SLOW_OPERATORS })
  const slow = new Set(
    (await service.db.rows<Named>('select reference from payments')).map(({ reference }) => reference),
  )
  service.network.change = (reaction, reference) =>
    slow.has(reference) ? { ...reaction, afterMs: ANSWERS_AFTER_MS } : reaction
})
after(() => service.remove())

interface Named {
  reference: string
}

it('a payment of another operator is sent at once, however many wait for a slow one', async () => {
  const { secretKey } = (await service.merchant()).accounts.sandbox
  for (let made = 0; made < 10; made++) {
    await service.clock.advance(1_300)
    const { body } = await post(service, secretKey, order({ msisdn: ANOTHER_OPERATORS }))
    await service.clock.advance(50)
    assert.ok(service.calls.request.includes(body.reference as string), `payment ${made + 1}`)
  }
})

it(`of ${PAYMENTS} payments that wait for an operator that takes 9 s to answer, each is sent once and settled`, async () => {
  await service.clock.advance(SETTLED_AFTER_MS)
  const { request } = service.calls
  assert.equal(new Set(request).size, request.length)
  const rows = await service.db.rows<{ status: string; n: number }>(
    `select status, count(*) as n from payments where account_id = 'acc_backlog' group by status`,
  )
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ status: 'succeeded', n: PAYMENTS }],
  )
})
