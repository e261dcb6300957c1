// Refunds by MTN MoMo: through the Disbursement product, where there are credentials for it.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { uuidOfReference } from '../../../src/domain/reference.ts'
import { DECIDED_AFTER_MS, openMtn, order, reversalOf } from './open-mtn.ts'

async function paid(wanted?: Parameters<typeof openMtn>[0]) {
  const opened = openMtn(wanted)
  const collection = order()
  await opened.operator.request(collection)
  await opened.clock.advance(DECIDED_AFTER_MS)
  assert.equal((await opened.operator.status(collection.reference)).is, 'succeeded')
  return { ...opened, collection }
}

it('a refund is accepted, and its own status says when it has succeeded', async () => {
  const { operator, clock, network, collection, sent } = await paid()
  const reversal = reversalOf(collection)
  assert.deepEqual(await operator.refund(reversal), { is: 'accepted' })
  const { path, headers, body } = sent.at(-1)!
  assert.equal(path, '/disbursement/v1_0/refund')
  assert.equal(headers['x-reference-id'], uuidOfReference(reversal.refundReference))
  assert.ok(!('x-callback-url' in headers))
  assert.deepEqual(JSON.parse(body ?? ''), {
    amount: '1500',
    currency: 'XOF',
    externalId: reversal.refundReference,
    payerMessage: 'Remboursement',
    payeeNote: 'Remboursement',
    referenceIdToRefund: uuidOfReference(collection.reference),
  })
  assert.deepEqual(await operator.refundStatus(reversal), { is: 'accepted' })
  await clock.advance(DECIDED_AFTER_MS)
  const answer = await operator.refundStatus(reversal)
  assert.equal(answer.is === 'succeeded' && answer.amountXof, 1_500)
  assert.equal(network.books()[0]?.refunds, 1)
})

it('a refund that the network never received is not_known', async () => {
  const { operator, collection } = await paid()
  assert.deepEqual(await operator.refundStatus(reversalOf(collection)), { is: 'not_known' })
})

it('a refund whose answer is lost and that is sent again is made once', async () => {
  const { operator, network, clock, collection } = await paid()
  const reversal = reversalOf(collection)
  network.faults.on('refund_cut_after_taking', 1)
  assert.equal((await operator.refund(reversal)).is, 'unknown')
  assert.equal((await operator.refund(reversal)).is, 'accepted')
  await clock.advance(DECIDED_AFTER_MS)
  assert.equal((await operator.refund(reversal)).is, 'succeeded')
  assert.equal(network.books()[0]?.refunds, 1)
})

it('a refund that our account has no funds for is accepted and then declined', async () => {
  const { operator, network, clock, collection } = await paid()
  network.faults.on('no_float_for_refunds')
  const reversal = reversalOf(collection)
  assert.equal((await operator.refund(reversal)).is, 'accepted')
  await clock.advance(DECIDED_AFTER_MS)
  const told = { is: 'declined', reason: 'insufficient_funds', code: 'NOT_ENOUGH_FUNDS' }
  assert.deepEqual(await operator.refundStatus(reversal), told)
})

it('a refund that was not enabled is for somebody to mend, and nothing was taken', async () => {
  const { operator, network, collection } = await paid()
  network.faults.on('refunds_forbidden')
  const told = { is: 'unknown', why: 'HTTP 403', neverLeft: true, misconfigured: true }
  assert.deepEqual(await operator.refund(reversalOf(collection)), told)
})

it('the products have tokens of their own', async () => {
  const { operator, sent, collection } = await paid()
  await operator.refund(reversalOf(collection))
  const tokens = sent.filter(({ path }) => path.endsWith('/token/')).map(({ path }) => path)
  assert.deepEqual(tokens, ['/collection/token/', '/disbursement/token/'])
})

it('without credentials of the Disbursement product a refund is made by hand', async () => {
  const { operator, collection, sent } = await paid({ options: () => ({ disbursement: undefined }) })
  const before = sent.length
  assert.equal((await operator.refund(reversalOf(collection))).is, 'by_hand')
  assert.equal((await operator.refundStatus(reversalOf(collection))).is, 'by_hand')
  assert.equal(sent.length, before)
})
