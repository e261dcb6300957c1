// What the service does about refunds that end late or cannot be sent, on a virtual clock: it asks ever more rarely, says what is to be mended,
// and lets none wait for another network's.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { OperatorAnswer, RefundAnswer } from '../../src/domain/operator-report.ts'
import { makeLog } from '../../src/observability/log.ts'
import { operatorRegistry } from '../../src/operators/registry.ts'
import type { ConnectDeps, Connected } from '../../src/service/connect-operators.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { prompting } from '../kit/connected.ts'
import { order, post } from '../kit/service.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const REFUSED: RefundAnswer = { is: 'unknown', why: 'HTTP 401', neverLeft: true, misconfigured: true }

const lines: string[] = []
const told = (text: string): number => lines.filter((line) => line.includes(text)).length
let service: VirtualService
let secretKey: string
const SUCCEEDED = { is: 'succeeded', amountXof: 1_500, operatorReference: 'OP-1' } as const
const SILENCE = { is: 'unknown', why: 'no answer within 10000 ms' } as const
let answer: RefundAnswer
let answersAfterMs = 0
let collects: OperatorAnswer
let calls = 0
let atOnce = 0
let mostAtOnce = 0
let callsAtMtn = 0

async function connect(_deps: ConnectDeps): Promise<Connected> {
  const refund = async (): Promise<RefundAnswer> => {
    calls++
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    await new Promise<void>((resolve) => service.clock.after(answersAfterMs, resolve))
    atOnce--
    return answer
  }
  const refundAtMtn = async (): Promise<RefundAnswer> => {
    callsAtMtn++
    return SUCCEEDED
  }
  const collect = async () => collects
  const verbs = { request: collect, status: collect, parseCallback: () => undefined }
  const airtel = { ...verbs, name: 'airtel_ne', refund, refundStatus: refund }
  const mtn = { ...verbs, name: 'mtn_bj', refund: refundAtMtn, refundStatus: refundAtMtn }
  const operators = operatorRegistry([airtel, mtn].map((each) => prompting('sandbox', each)))
  return { operators, close: async () => {} }
}

before(async () => {
  service = await openVirtualService(
    undefined,
    {},
    { connect, log: makeLog('info', { write: (line) => void lines.push(line) }) },
  )
  secretKey = (await service.merchant()).accounts.sandbox.secretKey
})
after(() => service.remove())

const AT_MTN = { country: 'BJ', msisdn: '0161000000' }

async function paid(change: Record<string, unknown> = {}): Promise<string> {
  collects = SUCCEEDED
  const { body } = await post(service, secretKey, order(change))
  await service.clock.advance(1_000)
  return body.reference as string
}

async function beginRefund(change: Record<string, unknown> = {}): Promise<string> {
  return granted(await refundPayment(service, TESTER, { name: await paid(change) })).refundReference
}

it('refunds that are refused for the settings of a connection are told once, and once that they work again', async () => {
  answer = REFUSED
  await beginRefund()
  await service.clock.advance(2 * MINUTE_MS)
  assert.equal(told('refunds are refused for the credentials or settings'), 1)
  answer = { is: 'succeeded', operatorReference: 'RE-1' }
  await service.clock.advance(MINUTE_MS)
  assert.equal(told('refunds of this connection work again'), 1)
})

it('a refund that the operator has accepted and does not end is asked about ever more rarely', async () => {
  answer = { is: 'accepted' }
  await beginRefund()
  const asked = async (ms: number): Promise<number> => {
    const before = calls
    await service.clock.advance(ms)
    return calls - before
  }
  const first = await asked(10 * MINUTE_MS)
  // The machine sleeps: what was due meanwhile is done once.
  await service.clock.sleep(10 * HOUR_MS)
  await asked(10 * MINUTE_MS)
  const later = await asked(21 * MINUTE_MS)
  assert.ok(first > 15 && first < 30, `${first}`)
  assert.equal(later, 2)
})

it('a network that does not answer delays no refund at another, and gets one at a time', async () => {
  answer = SILENCE
  answersAfterMs = 10_000
  mostAtOnce = 0
  const begun: string[] = []
  for (let count = 0; count < 6; count++) begun.push(await beginRefund())
  await service.clock.advance(5_000)
  await beginRefund(AT_MTN)
  await service.clock.advance(1_000)
  assert.deepEqual([callsAtMtn, mostAtOnce, atOnce], [1, 1, 1])
  answersAfterMs = 0
  answer = SUCCEEDED
  await service.clock.advance(5 * MINUTE_MS)
  const pending = await service.db.rows<{ refund_reference: string }>(
    `select refund_reference from refunds where status = 'pending'`,
  )
  assert.deepEqual(
    pending.filter((each) => begun.includes(each.refund_reference)),
    [],
  )
})

it('a network that is left alone because it does not answer gets no refund meanwhile, and all of them when it is back', async () => {
  const names = [await paid(), await paid()]
  collects = SILENCE
  for (let count = 0; count < 12; count++) await post(service, secretKey, order())
  // Each failed probe has made it longer, up to fifteen seconds.
  const key = { environment: 'sandbox', connection: 'airtel_ne' } as const
  await service.clock.advance(2 * MINUTE_MS)
  while (service.dispatcher.mayBeCalled(key)) await service.clock.advance(100)
  const before = calls
  for (const name of names) granted(await refundPayment(service, TESTER, { name }))
  while (!service.dispatcher.mayBeCalled(key)) {
    assert.equal(calls, before)
    await service.clock.advance(100)
  }
  collects = SUCCEEDED
  await service.clock.advance(MINUTE_MS)
  assert.ok(calls >= before + 2)
})
