// Calls a conformance simulator without a socket, on whatever clock the test has: what the wire would do to its reactions is done here.

import type { ConformanceNetwork, WireReaction } from '../../../simulators/src/network.ts'
import type { Clock } from '../../src/domain/clock-and-random.ts'
import type { Call, CallResult, Send } from '../../src/operators/http-call.ts'

/** Of a request without an id of the network's own yet, which can be kept. */
export const FIRST_TRY = { networkId: null, keepNetworkId: async (): Promise<boolean> => true } as const

export interface DirectSendOptions {
  clock: Clock
  /** The deadline of a call that has none of its own. */
  timeoutMs: number
}

export function directSend(network: ConformanceNetwork, { clock, timeoutMs: usualMs }: DirectSendOptions): Send {
  return (call) => heard(reactionTo(network, call), { clock, timeoutMs: call.timeoutMs ?? usualMs })
}

/** What the network makes of a call that reaches it. */
export function reactionTo(network: ConformanceNetwork, { method, path, headers, body = '' }: Call): WireReaction {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return network.handle({ method, path: pathname, query: searchParams, headers: lowered, body })
}

/** What the caller hears of a reaction, and when. */
export function heard(reaction: WireReaction, { clock, timeoutMs }: DirectSendOptions): Promise<CallResult> {
  return new Promise((resolve) => {
    const silence = (): void => resolve({ failed: `no answer within ${timeoutMs} ms` })
    const { afterMs = 0 } = 'silent' in reaction ? { afterMs: Number.POSITIVE_INFINITY } : reaction
    if (afterMs >= timeoutMs) clock.after(timeoutMs, silence)
    else if (afterMs > 0) clock.after(afterMs, () => resolve(resultOf(reaction, clock)))
    else resolve(resultOf(reaction, clock))
  })
}

function resultOf(reaction: WireReaction, clock: Clock): CallResult {
  if (!('code' in reaction)) return { failed: 'no answer: UND_ERR_SOCKET' }
  const { code, headers = {}, body = '' } = reaction
  const text = typeof body === 'object' ? JSON.stringify(body) : body
  const date = new Date(clock.now()).toUTCString()
  const lowered = Object.fromEntries(
    Object.entries({ date, ...headers }).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return { code, headers: lowered, body: parsed(text) }
}

/** As the HTTP client does: a body that is not JSON is text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
