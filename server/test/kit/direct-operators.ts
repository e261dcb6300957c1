// The simulated network and its card and wallet provider, connected without HTTP, for tests on a
// virtual clock. The encoding of the wire is applied to answers here, and the test controls the
// line.
import type { Clock } from '../../src/domain/clock-and-random.ts'
import { COUNTRIES, operatorNames } from '../../src/domain/countries/country.ts'
import { ENVIRONMENTS, type Environment } from '../../src/domain/environment.ts'
import { HOSTED_METHODS, type HostedMethodName } from '../../src/domain/methods/methods.ts'
import type { OperatorAnswer } from '../../src/domain/payments/operator-report.ts'
import type { HostedMethod, Operator } from '../../src/operators/operator.ts'
import {
  type Connected as ConnectedNetwork,
  operatorRegistry,
} from '../../src/operators/registry.ts'
import type { Service } from '../../src/service/compose.ts'
import type { ConnectDeps, Connected } from '../../src/service/connect-operators.ts'
import { simulatorToken } from '../../src/service/open-simulator.ts'
import { callbackReader, readAnswer } from '../../src/simulator/connector.ts'
import type {
  Reaction,
  SimulatedCallback,
  SimulatedNetwork,
  SimulatedProvider,
  WireAnswer,
} from '../../src/simulator/network.ts'
import { callbackMessage, SIGNATURE_HEADER } from '../../src/simulator/server.ts'
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
  const parseCallback = callbackReader(token)
  const pass = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve))

  async function silence(): Promise<OperatorAnswer> {
    await pass(timeoutMs)
    return { is: 'unknown', why: `no answer within ${timeoutMs} ms` }
  }

  async function read(reaction: Reaction): Promise<OperatorAnswer> {
    if (!('answer' in reaction)) {
      if (reaction.does === 'hang') return silence()
      return {
        is: 'unknown',
        why: reaction.does === 'cut' ? 'no answer: UND_ERR_SOCKET' : 'HTTP 503',
      }
    }
    const { afterMs = 0 } = reaction
    if (afterMs > timeoutMs) return silence()
    if (afterMs > 0) await pass(afterMs)
    return readAnswer(reaction.answer)
  }

  const ask = async (
    kind: Call['kind'],
    reference: string,
    make: () => Promise<Reaction>,
  ): Promise<OperatorAnswer> => read(await line({ kind, reference }, make))
  const answered = async (answering: Promise<WireAnswer>): Promise<Reaction> => ({
    answer: await answering,
  })

  const operator = (name: string): Operator => ({
    name,
    request: (asked) => ask('request', asked.reference, () => network.request(asked)),
    status: (reference) => ask('status', reference, () => network.status(reference)),
    refund: (asked) => ask('refund', asked.refundReference, () => network.refund(asked)),
    refundStatus: ({ refundReference }) =>
      ask('refundStatus', refundReference, () => network.refundStatus(refundReference)),
    parseCallback,
  })

  function hostedMethod(name: HostedMethodName): HostedMethod {
    const status = (reference: string) =>
      ask('status', reference, () => answered(provider.status(reference)))
    return {
      ...operator(name),
      name,
      // Its page was opened before: there is nothing to request.
      request: ({ reference }) => status(reference),
      status,
      cancel: (reference) => ask('cancel', reference, () => answered(provider.cancel(reference))),
      open: async (session) => {
        const { reference } = session
        const opened = () => answered(provider.open({ ...session, method: name }))
        const reaction = await line({ kind: 'open', reference }, opened)
        const { is } = await read(reaction)
        if (is === 'unknown' || !('answer' in reaction)) return undefined
        const goTo = (reaction.answer as { page_url?: string }).page_url
        return goTo === undefined ? undefined : { goTo }
      },
    }
  }

  const everywhere = ENVIRONMENTS.flatMap((environment) => [
    ...COUNTRIES.flatMap(operatorNames)
      .filter(
        (name) =>
          !others.some((each) => each.environment === environment && each.prompts.includes(name)),
      )
      .map((name) => prompting(environment, operator(name))),
    ...HOSTED_METHODS.map((name) => paging(environment, hostedMethod(name))),
  ])
  return {
    operators: operatorRegistry([...others, ...everywhere], [], (key) => !isPaused(key)),
    close: async () => {},
  }
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
