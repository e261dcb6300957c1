// The connector over a real socket: what the HTTP client makes of FedaPay's answers.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Agent } from 'undici'
import { fedapayNetwork } from '../../../../simulators/src/fedapay/network.ts'
import type { ConformanceNetwork } from '../../../../simulators/src/network.ts'
import { type NetworkServer, startNetworkServer } from '../../../../simulators/src/network-server.ts'
import type { Connection } from '../../../src/operators/connector.ts'
import { fedapayConnector } from '../../../src/operators/connectors/fedapay/connector.ts'
import { sender } from '../../../src/operators/http-call.ts'
import { realRandom } from '../../../src/service/real-random.ts'
import { until } from '../../kit/waiting.ts'
import { collection, readOptions, session } from './opened-fedapay.ts'
import { realClock } from './real-clock.ts'

describe('the connector to FedaPay over HTTP', () => {
  const agent = new Agent()
  let network: ConformanceNetwork
  let server: NetworkServer
  let connection: Connection

  before(async () => {
    const deps = { clock: realClock, random: realRandom, decideAfterMs: 20, sendCallback: async () => 200 }
    network = fedapayNetwork(deps)
    server = await startNetworkServer(network, { clock: realClock })
    const { secretKey } = network.credentials
    connection = fedapayConnector.connect(
      {
        name: 'fedapay',
        environment: 'sandbox',
        send: sender(agent, server.url, { clock: realClock, timeoutMs: 5_000 }),
        clock: realClock,
        random: realRandom,
        callbackUrl: () => undefined,
        deadlineMs: 5_000,
      },
      readOptions({ secretKey }),
    )
  })
  after(async () => {
    await agent.close()
    await server.close()
  })

  const referenceOf = (letter: string): string => letter.repeat(24)

  it('prompts a payer, and learns that the payer approved', async () => {
    const reference = referenceOf('a')
    assert.deepEqual(await connection.operator.request(collection({ reference })), { is: 'accepted' })
    await until('approval', async () => (await connection.operator.status(reference)).is === 'succeeded')
  })

  it('goes on after a connection that broke', async () => {
    const reference = referenceOf('b')
    network.faults.on('token_cut', 1)
    const answer = await connection.operator.request(collection({ reference }))
    assert.partialDeepStrictEqual(answer, { is: 'unknown', neverLeft: true })
    assert.deepEqual(await connection.operator.status(reference), { is: 'not_known', notAsked: true })
    assert.deepEqual(await connection.operator.request(collection({ reference })), { is: 'accepted' })
  })

  it('opens a page that a browser can pay on, and deletes one that nobody paid', async () => {
    const { hosted } = connection
    const paid = await hosted?.open(session({ reference: referenceOf('c') }))
    const back = await fetch(paid ?? '', {
      method: 'POST',
      body: new URLSearchParams({ decision: 'approve' }),
      redirect: 'manual',
    })
    assert.match(back.headers.get('location') ?? '', /^https:\/\/karba\.test\/pay\/abc\?id=\d+&status=approved$/)
    assert.equal((await hosted?.status(referenceOf('c')))?.is, 'succeeded')
    await hosted?.open(session({ reference: referenceOf('d') }))
    assert.partialDeepStrictEqual(await hosted?.cancel(referenceOf('d')), { is: 'declined', reason: 'cancelled' })
  })

  it('checks the connection', async () => {
    const lines = await connection.check()
    assert.deepEqual(
      lines.map(({ is }) => is),
      ['right', 'right', 'right', 'right', 'right', 'right', 'wrong'],
    )
  })

  it('sees a page of a gateway for what it is', async () => {
    network.faults.on('gateway_page')
    const answer = await connection.operator.request(collection({ reference: referenceOf('e') }))
    assert.partialDeepStrictEqual(answer, { is: 'unknown', neverLeft: true, misconfigured: true })
    network.faults.allOff()
  })
})
