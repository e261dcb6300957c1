// Speaks to the simulated Airtel as anybody's client would: by hand, with the documents beside it, and nothing of our connector.
import { type AirtelNetworkOptions, airtelMoneyNetwork } from '../../../../simulators/src/airtel-money/network.ts'
import type { ConformanceNetwork, WireReaction } from '../../../../simulators/src/network.ts'
import { seededRandom } from '../../kit/seeded-random.ts'
import { type VirtualClock, virtualClock } from '../../kit/virtual-clock.ts'

export interface WireAnswer {
  code: number
  headers: Record<string, string>
  body: unknown
}

export interface WireClient {
  clock: VirtualClock
  network: ConformanceNetwork
  /** Header names as a client writes them. */
  call(method: string, path: string, headers?: Record<string, string>, body?: unknown): WireAnswer
  /** A token, by the credentials of the simulated network. */
  token(): string
}

export function wireClient(options: AirtelNetworkOptions = {}): WireClient {
  const clock = virtualClock()
  const deps = { clock, random: seededRandom(3), decideAfterMs: 3_000, sendCallback: async () => 200 }
  const network = airtelMoneyNetwork(deps, options)

  function call(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): WireAnswer {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)
    return answered(network.handle({ method, path: pathname, query: searchParams, headers: lowered, body: text }))
  }

  return {
    clock,
    network,
    call,
    token: () => {
      const { clientId, clientSecret } = network.credentials
      const body = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' }
      const answer = call('POST', '/auth/oauth2/token', { 'Content-Type': 'application/json' }, body)
      return (answer.body as { access_token: string }).access_token
    },
  }
}

function answered(reaction: WireReaction): WireAnswer {
  if (!('code' in reaction)) throw new Error('the network does not answer')
  const { code, headers = {}, body } = reaction
  return { code, headers, body }
}
