// The connector and the simulated network over real HTTP: what leaves the one arrives at the other.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Agent } from 'undici'
import { airtelMoneyNetwork } from '../../../../simulators/src/airtel-money/network.ts'
import type { ConformanceNetwork } from '../../../../simulators/src/network.ts'
import { type NetworkServer, startNetworkServer } from '../../../../simulators/src/network-server.ts'
import type { Connection } from '../../../src/operators/connector.ts'
import { airtelMoney } from '../../../src/operators/connectors/airtel-money/connector.ts'
import { sender } from '../../../src/operators/http-call.ts'
import { seededRandom } from '../../kit/seeded-random.ts'
import { virtualClock } from '../../kit/virtual-clock.ts'
import { AIRTEL_UNDER_TEST } from './faults.ts'
import { collection, DECIDE_AFTER_MS, REFERENCE, reversal } from './open-airtel.ts'

const clock = virtualClock()
const agent = new Agent()
let network: ConformanceNetwork
let server: NetworkServer

before(async () => {
  const deps = { clock, random: seededRandom(1), decideAfterMs: DECIDE_AFTER_MS, sendCallback: async () => 200 }
  network = airtelMoneyNetwork(deps, { requiresSigning: true })
  server = await startNetworkServer(network, { clock })
})

after(async () => {
  await agent.close()
  await server.close()
})

function connect(): Connection {
  const send = sender(agent, server.url, { clock, timeoutMs: 10_000 })
  const random = seededRandom(2)
  const deps = { name: 'airtel', send, clock, random, callbackUrl: () => undefined, deadlineMs: 10_000 }
  return airtelMoney.connect({ ...deps, environment: 'sandbox' }, { ...AIRTEL_UNDER_TEST.options(network), version: 2 })
}

it('a signed payment, its enquiry, its refund and the check', async () => {
  const { operator, check } = connect()
  assert.deepEqual(await operator.request(collection()), { is: 'accepted', code: 'DP00800001006' })
  assert.equal((await operator.request(collection())).is, 'accepted')
  await clock.advance(DECIDE_AFTER_MS)
  const paid = await operator.status(REFERENCE)
  assert.ok(paid.is === 'succeeded')
  assert.equal((await operator.refund(reversal(paid.operatorReference))).is, 'succeeded')
  // The clock of the test is not that of the HTTP server.
  const lines = (await check()).filter(({ about }) => !about.startsWith('clock'))
  assert.deepEqual(
    lines.map(({ is }) => is),
    ['right', 'right', 'right', 'wrong'],
  )
  assert.deepEqual(
    network.books().map(({ debits, refunds, requests }) => ({ debits, refunds, requests })),
    [{ debits: 1, refunds: 1, requests: 2 }],
  )
})

it('a connection that ends without an answer is not called unsent', async () => {
  network.faults.on('answer_is_cut', 1)
  const { operator } = connect()
  const answer = await operator.request(collection({ reference: 'abcdefghjkmnpqrstvwxyz01' }))
  assert.equal(answer.is, 'unknown')
  assert.ok(!('neverLeft' in answer))
})
