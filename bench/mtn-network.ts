// MTN's API in a process of its own, with every payer approving at once and without MTN's limit on questions: what is measured is the service.
import { Agent } from 'undici'
import { sender } from '../server/src/operators/http-call.ts'
import { realRandom as random } from '../server/src/service/real-random.ts'
import { keepAliveClock as clock } from '../server/src/service/runtime.ts'
import { mtnMomoNetwork } from '../simulators/src/mtn-momo/network.ts'
import type { WireCallback } from '../simulators/src/network.ts'
import { startNetworkServer } from '../simulators/src/network-server.ts'

const agent = new Agent({ connections: 32 })

/** By origin, of which there is one. */
const senders = new Map<string, ReturnType<typeof sender>>()

async function sendCallback({ url, ...callback }: WireCallback): Promise<number | undefined> {
  const { origin, pathname } = new URL(url)
  const send = senders.get(origin) ?? sender(agent, origin, { clock, timeoutMs: 5_000 })
  senders.set(origin, send)
  const result = await send({ ...callback, path: pathname })
  return 'failed' in result ? undefined : result.code
}

const deps = { clock, random, decideAfterMs: 0, sendCallback }
const network = mtnMomoNetwork(deps, { mostReadsASecond: Number.POSITIVE_INFINITY })
const { url } = await startNetworkServer(network, { clock, keepsAlive: true })
process.stdout.write(`ready at ${url}\n`)
