// What the service does about refunds that end late or cannot be sent, on a virtual clock: it asks ever more rarely, and says what is to be mended.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { RefundAnswer } from '../../src/domain/outcome.ts'
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
let answer: RefundAnswer
let calls = 0

async function connect(_deps: ConnectDeps): Promise<Connected> {
  const succeeded = { is: 'succeeded', amountXof: 1_500, operatorReference: 'OP-1' } as const
  const refund = async (): Promise<RefundAnswer> => {
    calls++
    return answer
  }
  const operator = { name: 'airtel_ne', request: async () => succeeded, status: async () => succeeded }
  const verbs = { ...operator, refund, refundStatus: refund, parseCallback: () => undefined }
  return { operators: operatorRegistry([prompting('sandbox', verbs)]), close: async () => {} }
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

async function beginRefund(): Promise<void> {
  const { body } = await post(service, secretKey, order())
  await service.clock.advance(1_000)
  granted(await refundPayment(service, TESTER, { name: body.reference as string }))
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
