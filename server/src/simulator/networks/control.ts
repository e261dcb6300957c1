// The control address of a conformance simulator, the same for all networks. docs/simulators.md lists it for people.
import type { ConformanceNetwork, PayerDecision, WireReaction, WireRequest } from './network.ts'

export const CONTROL_PATH = '/control'

const DECISIONS: readonly PayerDecision[] = ['approve', 'decline', 'ignore', 'no_funds']

export function answerControl(network: ConformanceNetwork, request: WireRequest): WireReaction {
  const { method, path } = request
  const [what = '', name = '', verb = ''] = path
    .slice(CONTROL_PATH.length + 1)
    .split('/')
    .map(decodeURIComponent)
  const { faults } = network
  switch (`${method} ${what}`) {
    case 'GET ':
      return {
        code: 200,
        body: {
          network: network.name,
          credentials: network.credentials,
          numbers: network.numbers,
          faults: faults.known,
        },
      }
    case 'GET payments':
      return { code: 200, body: network.books() }
    case 'POST payments':
      return verb === 'decision' ? decide(network, name, request) : NOT_FOUND
    case 'GET faults':
      return { code: 200, body: faults.active() }
    case 'POST faults':
      return switchOn(network, request)
    case 'DELETE faults':
      if (name === '') faults.allOff()
      else faults.off(name)
      return { code: 200, body: faults.active() }
    case 'POST reset':
      network.reset()
      return { code: 200, body: {} }
    default:
      return NOT_FOUND
  }
}

const NOT_FOUND: WireReaction = {
  code: 404,
  body: { error: 'no such control address: GET /control lists what there is' },
}

function switchOn({ faults }: ConformanceNetwork, { body }: WireRequest): WireReaction {
  const { name, times } = readObject(body)
  if (times !== undefined && !(Number.isSafeInteger(times) && (times as number) > 0)) {
    return { code: 400, body: { error: 'times is a whole number from 1, or is left out' } }
  }
  if (typeof name === 'string' && faults.on(name, times as number | undefined))
    return { code: 200, body: faults.active() }
  return { code: 400, body: { error: `name is one of: ${Object.keys(faults.known).join(', ')}` } }
}

function decide(network: ConformanceNetwork, id: string, { body }: WireRequest): WireReaction {
  const { decision } = readObject(body)
  if (!DECISIONS.includes(decision as PayerDecision)) {
    return { code: 400, body: { error: `decision is one of: ${DECISIONS.join(', ')}` } }
  }
  if (network.decide(id, decision as PayerDecision)) return { code: 200, body: {} }
  return { code: 404, body: { error: 'there is no such payment, or it is decided' } }
}

function readObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
