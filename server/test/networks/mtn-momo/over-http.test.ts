// The connector and the simulated network over real HTTP: what sockets add to what the other tests see.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Agent } from 'undici'
import { mtnMomoNetwork } from '../../../../simulators/src/mtn-momo/network.ts'
import { startNetworkServer } from '../../../../simulators/src/network-server.ts'
import { mtnMomo } from '../../../src/operators/connectors/mtn-momo/connector.ts'
import { sender } from '../../../src/operators/http-call.ts'
import { seededRandom } from '../../kit/seeded-random.ts'
import { virtualClock } from '../../kit/virtual-clock.ts'
import { optionsFor, order, reversalOf } from './open-mtn.ts'

it('a payment is asked for, read, refunded and checked over HTTP, also after a cut connection', async () => {
  const clock = virtualClock()
  const random = seededRandom(2)
  const network = mtnMomoNetwork(
    { clock, random, decideAfterMs: 0, sendCallback: async () => 200 },
    { platform: 'new' },
  )
  const server = await startNetworkServer(network, { clock })
  const agent = new Agent()
  try {
    const { operator, check } = mtnMomo.connect(
      {
        name: 'mtn',
        environment: 'live',
        send: sender(agent, `${server.url}/`, { clock, timeoutMs: 10_000 }),
        clock,
        random,
        callbackUrl: () => undefined,
        deadlineMs: 10_000,
      },
      optionsFor(network),
    )
    const collection = order()
    assert.deepEqual(await operator.request(collection), { is: 'accepted' })
    assert.equal((await operator.status(collection.reference)).is, 'succeeded')
    assert.deepEqual(await operator.status(order().reference), { is: 'not_known' })
    const reversal = reversalOf(collection)
    assert.deepEqual(await operator.refund(reversal), { is: 'accepted' })
    assert.equal((await operator.refundStatus(reversal)).is, 'succeeded')

    network.faults.on('cut_after_taking', 1)
    const lost = order()
    const answer = await operator.request(lost)
    assert.ok(answer.is === 'unknown' && answer.neverLeft === undefined)
    assert.equal((await operator.request(lost)).is, 'succeeded')
    assert.deepEqual(
      network.books().map(({ debits, refunds }) => [debits, refunds]),
      [
        [1, 1],
        [1, 0],
      ],
    )
    const lines = await check()
    // The clock of this test stands still, and the server's Date is the real one.
    assert.deepEqual(
      lines.filter(({ is, about }) => is === 'wrong' && !about.includes('clocks')),
      [],
    )
  } finally {
    await agent.close()
    await server.close()
  }
})
