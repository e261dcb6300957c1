// An operator whose line cannot be opened: what surely never left is sent when the line is back, as long as that is any use to the payer
// (ADR-0007).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { Agent } from 'undici'
import type { OperatorAnswer } from '../../src/domain/operator-report.ts'
import { sender } from '../../src/operators/http-call.ts'
import { operatorRegistry } from '../../src/operators/registry.ts'
import { keepAliveClock } from '../../src/service/runtime.ts'
import { prompting } from '../kit/connected.ts'
import { get, order, post } from '../kit/service.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const MINUTE = 60_000
const REFUSED: OperatorAnswer = { is: 'unknown', why: 'no answer: ECONNREFUSED', neverLeft: true }

it('a call to a port that nobody listens on is known to have never left; one that is cut is not', async () => {
  const server = createServer((socket) => void socket.once('data', () => socket.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const agent = new Agent()
  const send = sender(agent, `http://127.0.0.1:${port}`, { clock: keepAliveClock, timeoutMs: 5_000 })
  const ask = () => send({ method: 'GET', path: '/', headers: {} })
  assert.ok(!('neverLeft' in (await ask())))
  server.close()
  await once(server, 'close')
  assert.deepEqual(await ask(), { failed: 'no answer: ECONNREFUSED', neverLeft: true })
  await agent.close()
})

describe('a payment whose operator cannot be reached', () => {
  const sent: string[] = []
  let isDown = true
  let service: VirtualService
  let secretKey: string
  before(async () => {
    const operator = {
      name: 'airtel_ne',
      request: async ({ reference, amountXof }: { reference: string; amountXof: number }): Promise<OperatorAnswer> => {
        if (isDown) return REFUSED
        sent.push(reference)
        return { is: 'succeeded', amountXof, operatorReference: 'OP-1' }
      },
      status: async (): Promise<OperatorAnswer> => (isDown ? REFUSED : { is: 'not_known' }),
      refund: async () => REFUSED,
      refundStatus: async () => REFUSED,
      parseCallback: () => undefined,
    }
    const operators = operatorRegistry([prompting('sandbox', operator)])
    service = await openVirtualService(undefined, {}, { connect: async () => ({ operators, close: async () => {} }) })
    secretKey = (await service.merchant()).accounts.sandbox.secretKey
  })
  after(() => service.remove())

  async function create(): Promise<string> {
    isDown = true
    const { body } = await post(service, secretKey, order({ msisdn: '96123456' }))
    await service.clock.advance(1_000)
    return body.reference as string
  }
  const statusOf = async (reference: string) => (await get(service, secretKey, reference)).body.status

  it('is sent once when the line is back after five minutes', async () => {
    const reference = await create()
    await service.clock.advance(5 * MINUTE)
    assert.equal(await statusOf(reference), 'pending')
    isDown = false
    await service.clock.advance(MINUTE)
    assert.equal(await statusOf(reference), 'succeeded')
    assert.deepEqual(
      sent.filter((each) => each === reference),
      [reference],
    )
  })

  it('is not sent when the line is back after 20 minutes: it is asked about, and fails when it is surely unknown', async () => {
    const reference = await create()
    await service.clock.advance(20 * MINUTE)
    isDown = false
    await service.clock.advance(9 * MINUTE)
    assert.equal(await statusOf(reference), 'pending')
    await service.clock.advance(2 * MINUTE)
    const { body } = await get(service, secretKey, reference)
    assert.deepEqual([body.status, body.failure_reason], ['failed', 'never_received'])
    assert.ok(!sent.includes(reference))
  })
})
