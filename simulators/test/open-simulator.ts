// A simulator without sockets, on a clock that the test moves, and calls to it in a client's
// notation.
import { seededRandom } from '../../server/test/kit/seeded-random.ts'
import { type VirtualClock, virtualClock } from '../../server/test/kit/virtual-clock.ts'
import type { ConformanceNetwork, NetworkDeps } from '../src/network.ts'

export const DECIDE_AFTER_MS = 4_000

export interface OpenSimulator {
  clock: VirtualClock
  network: ConformanceNetwork
}

export function openSimulator(make: (deps: NetworkDeps) => ConformanceNetwork): OpenSimulator {
  const clock = virtualClock()
  const deps = {
    clock,
    random: seededRandom(3),
    decideAfterMs: DECIDE_AFTER_MS,
    sendCallback: async () => 200,
  }
  return { clock, network: make(deps) }
}

export interface Asked {
  /** Names in a client's notation; undefined for a header that is left out. */
  headers?: Record<string, string | undefined>
  body?: unknown
}

export interface Answered {
  code: number
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: each network's bodies have shapes of their own
  body: any
}

/**
 * `what`: method and path, as in `GET /v1/transactions?page=2`. Text is sent unchanged, anything
 * else as JSON.
 */
export function ask(
  network: ConformanceNetwork,
  what: string,
  { headers = {}, body }: Asked = {},
): Answered {
  const [method = '', target = ''] = what.split(' ')
  const { pathname, searchParams } = new URL(target, 'http://localhost')
  const given = Object.entries(headers).filter(([, value]) => value !== undefined)
  const lowered = Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value]))
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  const reaction = network.handle({
    method,
    path: pathname,
    query: searchParams,
    headers: lowered,
    body: text,
  })
  if (!('code' in reaction)) throw new Error('the network does not answer')
  return { code: reaction.code, headers: reaction.headers ?? {}, body: reaction.body }
}
