// Refunds of payments that the network gives back by itself, on a virtual clock: none is sent after that, and nobody is asked to make one.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { listLatestAnomalies } from '../../src/actions/payments/anomalies.ts'
import { listRefundTasks } from '../../src/actions/payments/record-refund-outcome.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { OperatorAnswer, RefundAnswer } from '../../src/domain/operator-report.ts'
import type { Operator, Reversal } from '../../src/operators/operator.ts'
import { operatorRegistry } from '../../src/operators/registry.ts'
import type { ConnectDeps, Connected } from '../../src/service/connect-operators.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { prompting } from '../kit/connected.ts'
import { get, order, post } from '../kit/service.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const MINUTE_MS = 60_000
const PAID: OperatorAnswer = { is: 'succeeded', amountXof: 1_500, operatorReference: 'OP-1' }
const REFUSED: RefundAnswer = { is: 'unknown', why: 'HTTP 401', neverLeft: true, misconfigured: true }

let service: VirtualService
let secretKey: string
let answer: RefundAnswer
/** What the network says of the payments. */
let paid: OperatorAnswer = PAID
const sent: string[] = []

async function connect(_deps: ConnectDeps): Promise<Connected> {
  const refundStatus = async (): Promise<RefundAnswer> => answer
  const refund = async ({ reference }: Reversal): Promise<RefundAnswer> => {
    sent.push(reference)
    return refundStatus()
  }
  const operator = { name: 'airtel_ne', request: async () => PAID, status: async () => paid }
  const parseCallback: Operator['parseCallback'] = ({ path }) => ({ reference: path, isGenuine: true })
  const verbs = { ...operator, refund, refundStatus, parseCallback }
  return { operators: operatorRegistry([prompting('sandbox', verbs)]), close: async () => {} }
}

before(async () => {
  service = await openVirtualService(undefined, {}, { connect })
  secretKey = (await service.merchant()).accounts.sandbox.secretKey
})
after(() => service.remove())

async function beginRefund(): Promise<string> {
  const { body } = await post(service, secretKey, order())
  await service.clock.advance(1_000)
  granted(await refundPayment(service, TESTER, { name: body.reference as string }))
  return body.reference as string
}

interface Reversed {
  about: string
  /** What the network says of the refund until it has given the money back by itself, and from then on. */
  says: RefundAnswer
  later: RefundAnswer
  anomalies: string[]
}

const BACK: RefundAnswer = { is: 'succeeded', operatorReference: 'RE-2' }
const REVERSED: Reversed[] = [
  { about: 'could not be sent yet is ended and never sent', says: REFUSED, later: BACK, anomalies: [] },
  {
    about: 'waits for a person is no task any more',
    says: { is: 'by_hand', why: 'only its portal can' },
    later: BACK,
    anomalies: [],
  },
  {
    about: 'was sent is asked about on, and listed for a person',
    says: { is: 'accepted' },
    later: BACK,
    anomalies: ['reversed_during_refund'],
  },
  {
    about: 'may have been sent, and is not known, is not sent again, and listed for a person',
    says: { is: 'unknown', why: 'HTTP 500' },
    later: { is: 'not_known' },
    anomalies: ['reversed_during_refund'],
  },
]

for (const { about, says, later, anomalies } of REVERSED) {
  it(`when the network gives the money back by itself, a refund that ${about}`, async () => {
    answer = says
    paid = PAID
    const reference = await beginRefund()
    await service.clock.advance(2_000)
    paid = { is: 'refunded', amountXof: 1_500, operatorReference: 'OP-1' }
    const before = sent.length
    const url = `/operators/sandbox/airtel_ne/callback/${reference}`
    assert.equal((await service.app.inject({ method: 'POST', url, payload: {} })).statusCode, 200)
    await service.clock.advance(100)
    answer = later
    await service.clock.advance(2 * MINUTE_MS)
    assert.equal(sent.length, before)
    const refund = await service.db.rows<{ status: string; due_at: number | null }>(
      `select r.status, r.due_at from refunds r join payments p on p.account_id = r.account_id and p.number = r.number
       where p.reference = $1`,
      [reference],
    )
    assert.deepEqual(refund, [{ status: 'succeeded', due_at: null }])
    const of = (row: { reference: string }): boolean => row.reference === reference
    assert.deepEqual((await listRefundTasks(service, TESTER)).rows.filter(of), [])
    const listed = granted(await listLatestAnomalies(service, TESTER, { openOnly: true })).rows.filter(of)
    assert.deepEqual(
      listed.map(({ kind }) => kind),
      anomalies,
    )
    assert.equal((await get(service, secretKey, reference)).body.status, 'refunded')
  })
}
