// Runs one simulated network as a server: `npm run simulator -- mtn-momo`, or `karba simulator --network`.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { airtelMoneyNetwork } from './airtel-money/network.ts'
import { fedapayNetwork } from './fedapay/network.ts'
import { mtnMomoNetwork } from './mtn-momo/network.ts'
import { type Clock, type ConformanceNetwork, lookUp, type NetworkDeps, type WireCallback } from './network.ts'
import { startNetworkServer } from './network-server.ts'
import { pawapayNetwork } from './pawapay/network.ts'

/** `callbackUrl`: the address that a network's portal would ask for. MTN gets an address with each request instead. */
type MakeNetwork = (deps: NetworkDeps, callbackUrl: string | undefined) => ConformanceNetwork

const NETWORKS: Readonly<Record<string, MakeNetwork>> = {
  'mtn-momo': (deps) => mtnMomoNetwork(deps),
  'airtel-money': (deps, callbackUrl) => airtelMoneyNetwork(deps, callbackUrl === undefined ? {} : { callbackUrl }),
  fedapay: (deps, callbackUrl) => fedapayNetwork(deps, callbackUrl === undefined ? {} : { webhookUrl: callbackUrl }),
  pawapay: (deps, callbackUrl) =>
    pawapayNetwork(
      deps,
      callbackUrl === undefined ? {} : { callbackUrls: { DEPOSIT: callbackUrl, REFUND: callbackUrl } },
    ),
}

export const NETWORK_NAMES: readonly string[] = Object.keys(NETWORKS)

export interface ServeOptions {
  network: string
  port: number
  /** How long a payer takes to decide. */
  decideAfterMs: number
  callbackUrl: string | undefined
}

/** A mistake of the caller: an unknown network, or a port in use. Its message is for people. */
export class CannotServe extends Error {}

/** Timers do not keep the process alive: callbacks wait for minutes, and closing the server must end the process. */
const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

const CALLBACK_WITHIN_MS = 5_000

async function sendCallback({ method, url, headers, body }: WireCallback): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(CALLBACK_WITHIN_MS)
    const answer = await fetch(url, { method, headers, body, redirect: 'manual', signal })
    await answer.body?.cancel()
    return answer.status
  } catch {
    return undefined
  }
}

export async function serveNetwork({ network: name, port, decideAfterMs, callbackUrl }: ServeOptions): Promise<void> {
  const make = lookUp(NETWORKS, name)
  if (make === undefined) throw new CannotServe(`There is no network ${name}: choose from ${NETWORK_NAMES.join(', ')}.`)
  const deps = { clock: realClock, random: { bytes: randomBytes }, decideAfterMs, sendCallback }
  const network = make(deps, callbackUrl)
  const server = await startNetworkServer(network, { clock: realClock, port, keepsAlive: true }).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new CannotServe(`Port ${port} is already in use. Stop what uses it, or choose another with --port.`)
  })
  // Before the line that says it is ready: a signal right after that line must not kill the process.
  const stopped = Promise.race(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'].map((signal) => once(process, signal)))
  const credentials = Object.entries(network.credentials).map(([what, value]) => `  ${what}: ${value}`)
  process.stdout.write(`${name} ready at ${server.url}\n${credentials.join('\n')}\nControl: ${server.url}/control\n`)
  await stopped
  await server.close()
}
