// The simulated network and its card and wallet provider, connected by their own connectors without
// HTTP, for tests on a virtual clock. The test controls the line.
import type { Clock } from '../../src/domain/clock-and-random.ts'
import { COUNTRIES, operatorNames } from '../../src/domain/countries/country.ts'
import { ENVIRONMENTS, type Environment } from '../../src/domain/environment.ts'
import { HOSTED_METHODS, type HostedMethodName } from '../../src/domain/methods/methods.ts'
import type { CallResult, Send } from '../../src/operators/http-call.ts'
import type { HostedMethod, Operator } from '../../src/operators/operator.ts'
import {
  type Connected as ConnectedNetwork,
  operatorRegistry,
} from '../../src/operators/registry.ts'
import type { Service } from '../../src/service/compose.ts'
import type { ConnectDeps, Connected } from '../../src/service/connect-operators.ts'
import { simulatorToken } from '../../src/service/open-simulator.ts'
import { simulatedHosted, simulator } from '../../src/simulator/connector.ts'
import type {
  Reaction,
  SimulatedCallback,
  SimulatedNetwork,
  SimulatedProvider,
} from '../../src/simulator/network.ts'
import {
  callbackMessage,
  SIGNATURE_HEADER,
  type SimulatorAnswer,
  simulatorAnswers,
} from '../../src/simulator/server.ts'
import { findByRequestReference } from '../../src/store/payments/payments.ts'

export interface Call {
  /** Only the card and wallet provider has `open` and `cancel`. */
  kind: 'request' | 'status' | 'refund' | 'refundStatus' | 'open' | 'cancel'
  reference: string
}

/**
 * The line between the service and the network: it makes the call or loses it, and may change the
 * result.
 */
export type Line = (call: Call, make: () => Promise<Reaction>) => Promise<Reaction>

export interface DirectDeps {
  network: SimulatedNetwork
  provider: SimulatedProvider
  line: Line
  clock: Clock
  timeoutMs: number
  /** The key that signs genuine callbacks. */
  token: string
  /** Connections to other networks: the simulated network does not prompt their customers. */
  others?: readonly ConnectedNetwork[]
  isPaused?: ConnectDeps['isPaused']
}

/** Every operator and every hosted method, in both environments. */
export function connectDirectly(deps: DirectDeps): Connected {
  const {
    network,
    provider,
    line,
    clock,
    timeoutMs,
    token,
    others = [],
    isPaused = () => false,
  } = deps
  const send = virtualSend({
    answers: simulatorAnswers(network, provider, token),
    line,
    clock,
    timeoutMs,
  })
  const everywhere = ENVIRONMENTS.flatMap((environment) => [
    ...COUNTRIES.flatMap(operatorNames)
      .filter(
        (name) =>
          !others.some((each) => each.environment === environment && each.prompts.includes(name)),
      )
      .map((name) => prompting(environment, simulator({ name, send, token }))),
    ...HOSTED_METHODS.map((name) => paging(environment, simulatedHosted({ name, send, token }))),
  ])
  return {
    operators: operatorRegistry([...others, ...everywhere], [], (key) => !isPaused(key)),
    close: async () => {},
  }
}

interface VirtualSend extends Pick<DirectDeps, 'line' | 'clock' | 'timeoutMs'> {
  answers: ReturnType<typeof simulatorAnswers>
}

/** HTTP between the connectors and the simulated network, on the test's clock and line. */
function virtualSend({ answers, line, clock, timeoutMs }: VirtualSend): Send {
  const pass = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve))

  async function silence(): Promise<CallResult> {
    await pass(timeoutMs)
    return { failed: `no answer within ${timeoutMs} ms` }
  }

  return async ({ method, path, headers, body = '' }) => {
    const reaction = await line(aboutOf(method, path, body), async () => {
      const { authorization } = headers
      return reactionOf(await answers({ method, path, authorization, body }))
    })
    if (!('answer' in reaction)) {
      if (reaction.does === 'hang') return silence()
      return reaction.does === 'cut'
        ? { failed: 'no answer: UND_ERR_SOCKET' }
        : { code: 503, headers: {}, body: undefined }
    }
    const { answer, afterMs = 0 } = reaction
    if (afterMs > timeoutMs) return silence()
    if (afterMs > 0) await pass(afterMs)
    return { code: 200, headers: {}, body: answer }
  }
}

function reactionOf(answered: SimulatorAnswer): Reaction {
  if ('does' in answered) return answered
  if (answered.code === 503) return { does: '5xx' }
  if (answered.code !== 200) throw new Error(`the simulator answers ${answered.text}`)
  return { answer: JSON.parse(answered.text), afterMs: answered.afterMs }
}

/** A call to an address that is not named here opens a session, whatever its method of payment. */
function aboutOf(method: string, path: string, body: string): Call {
  const [, what, inPath, action] = path.split('/')
  if (method === 'GET' && inPath !== undefined)
    return { kind: what === 'refunds' ? 'refundStatus' : 'status', reference: inPath }
  if (action === 'cancel' && inPath !== undefined) return { kind: 'cancel', reference: inPath }
  const asked = JSON.parse(body)
  if (what === 'refunds') return { kind: 'refund', reference: asked.refund_reference }
  return { kind: what === 'payments' ? 'request' : 'open', reference: asked.reference }
}

/** A callback arrives through the service's own route, signed like a real one. */
export function sendCallback(
  { app, master }: Service,
  callback: SimulatedCallback,
  operator: string,
) {
  const [payload, signature] = callbackMessage(simulatorToken(master), callback)
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature }
  return app.inject({ method: 'POST', url: `/operators/${operator}/callback`, headers, payload })
}

/** Through the route of the payment's operator; true when it was acknowledged. */
export async function deliverCallback(
  service: Service,
  callback: SimulatedCallback,
): Promise<boolean> {
  const payment = await findByRequestReference(service.db, callback.reference)
  if (payment === undefined) return false
  const { statusCode } = await sendCallback(
    service,
    callback,
    `${payment.environment}/${payment.connection}`,
  )
  return statusCode === 200
}

/** Connections are named as the simulated network's are: by their operator, or by their method. */
export const prompting = (environment: Environment, operator: Operator): ConnectedNetwork => ({
  environment,
  operator,
  prompts: [operator.name],
  pages: [],
})

/** Connects these operators in sandbox, and no others. */
export const connectOnly =
  (...operators: Operator[]) =>
  async (): Promise<Connected> => ({
    operators: operatorRegistry(operators.map((operator) => prompting('sandbox', operator))),
    close: async () => {},
  })

const paging = (environment: Environment, hosted: HostedMethod): ConnectedNetwork => ({
  environment,
  operator: hosted,
  hosted,
  prompts: [],
  pages: [hosted.name as HostedMethodName],
})
