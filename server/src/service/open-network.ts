// Wires a conformance simulator together: the real clock, its HTTP server, and its callbacks to whoever develops against it.

import { Agent } from 'undici'
import type { Clock, Random } from '../domain/clock-and-random.ts'
import { lookUp } from '../domain/look-up.ts'
import { sender } from '../operators/http-call.ts'
import { SIMULATED_NETWORKS } from '../simulator/networks/all.ts'
import type { ConformanceNetwork, WireCallback } from '../simulator/networks/network.ts'
import { startNetworkServer } from '../simulator/networks/network-server.ts'

export const NETWORK_NAMES: readonly string[] = Object.keys(SIMULATED_NETWORKS)

export interface OpenNetworkOptions {
  name: string
  port: number
  /** How long a payer takes to decide. */
  decideAfterMs: number
  callbackUrl: string | undefined
  clock: Clock
  random: Random
}

export interface OpenedNetwork {
  network: ConformanceNetwork
  url: string
  close(): Promise<void>
}

const CALLBACK_WITHIN_MS = 5_000

/** Undefined for a network that is not known. */
export async function openNetwork(options: OpenNetworkOptions): Promise<OpenedNetwork | undefined> {
  const { name, port, decideAfterMs, callbackUrl, clock, random } = options
  const make = lookUp(SIMULATED_NETWORKS, name)
  if (make === undefined) return undefined
  const agent = new Agent({ connections: 32 })

  async function sendCallback({ method, url, headers, body }: WireCallback): Promise<number | undefined> {
    const { origin, pathname, search } = new URL(url)
    const send = sender(agent, origin, { clock, timeoutMs: CALLBACK_WITHIN_MS })
    const result = await send({ method, path: pathname + search, headers, body })
    return 'failed' in result ? undefined : result.code
  }

  const network = make({ clock, random, decideAfterMs, sendCallback }, callbackUrl)
  const server = await startNetworkServer(network, { clock, port, keepsAlive: true })
  return {
    network,
    url: server.url,
    close: async () => {
      await server.close()
      await agent.destroy()
    },
  }
}
