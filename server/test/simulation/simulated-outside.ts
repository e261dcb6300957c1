// The world outside the service: the simulated network with books of its own, which no crash of ours touches, and lines to and
// from it that lose, delay and repeat. What it has debited is the truth that the store is measured against.
import { COUNTRIES } from '../../src/domain/country.ts'
import { ENVIRONMENTS } from '../../src/domain/environment.ts'
import { HOSTED_METHODS, type HostedMethodName } from '../../src/domain/payment-link.ts'
import { callbackReader, readAnswer } from '../../src/operators/connectors/simulated/mobile.ts'
import type { HostedMethod } from '../../src/operators/hosted-method.ts'
import { type Operators, operatorNames, operatorRegistry } from '../../src/operators/registry.ts'
import {
  type Reaction,
  type SimulatedCallback,
  type SimulatedNetwork,
  simulatedNetwork,
  type WireAnswer,
} from '../../src/simulator/network.ts'
import { type SimulatedProvider, simulatedProvider } from '../../src/simulator/provider.ts'
import { migrate } from '../../src/store/engine/migrate.ts'
import { directOperator } from '../kit/direct-operator.ts'
import { beginLife, type Life } from './mortal-store.ts'
import type { SeededRandom } from './seeded-random.ts'
import type { WorldClock } from './world-clock.ts'

/** How many of a hundred calls and callbacks go wrong. */
export type Weather = 0 | 30 | 100

export interface Outside {
  weather: Weather
  /** What the network says when nothing comes between. */
  truth: SimulatedNetwork
  /** The card and wallet provider, when nothing comes between. */
  provider: SimulatedProvider
  /** The pages it has opened. */
  sessions: string[]
  /** How often each reference was requested of it. */
  requests: Map<string, number>
  operators(life: Life, token: string, timeoutMs: number): Operators
  books(): Promise<{ payments: BookedPayment[]; refunds: BookedRefund[] }>
  close(): Promise<void>
}

interface BookedPayment {
  reference: string
  msisdn: string
  amount_xof: number
}

interface BookedRefund {
  refund_reference: string
  reference: string
  amount_xof: number
}

export interface OutsideDeps {
  file: string
  world: WorldClock
  random: SeededRandom
  /** Brings a callback to the service's door, if anybody is there. */
  knock(callback: SimulatedCallback): void
}

export async function openOutside({ file, world, random, knock }: OutsideDeps): Promise<Outside> {
  const network = {}
  const clock = world.clockOf(network, false)
  const books = beginLife(file, world)
  await migrate(books.store, clock.now())
  const requests = new Map<string, number>()
  const provider = simulatedProvider({ db: books.store, clock })
  const sessions: string[] = []
  const goesWrong = (): boolean => random.percent(outside.weather)

  const truth = simulatedNetwork({
    db: books.store,
    clock,
    delayMs: 2_000,
    sendCallback: async (callback) => {
      if (!goesWrong()) return knock(callback)
      const late = [...Array(random.below(3))].map(() => random.between(0, 600_000))
      for (const ms of late) clock.after(ms, () => knock(callback))
    },
  })

  async function line(call: () => Promise<Reaction>): Promise<Reaction> {
    const fate = goesWrong() ? random.pick(['lost', 'unanswered', 'refused', 'late'] as const) : 'well'
    if (fate === 'lost') return { does: random.pick(['cut', 'hang'] as const) }
    if (fate === 'refused') return { does: '5xx' }
    const reaction = await call()
    if (fate === 'unanswered') return { does: random.pick(['cut', 'hang', '5xx'] as const) }
    return fate === 'late' && 'answer' in reaction ? { ...reaction, afterMs: random.between(1, 12_000) } : reaction
  }

  const faulty: SimulatedNetwork = {
    request: (asked) =>
      line(() => {
        requests.set(asked.reference, (requests.get(asked.reference) ?? 0) + 1)
        return truth.request(asked)
      }),
    status: (reference) => line(() => truth.status(reference)),
    refund: (asked) => line(() => truth.refund(asked)),
  }

  /** A call leaves a living process, and its answer reaches nobody if that has died meanwhile. */
  function mortalCalls(life: Life): <T>(call: () => Promise<T>) => Promise<T> {
    return async (call) => {
      life.step()
      if (life.isOver()) return new Promise(() => {})
      const answer = await call()
      life.step()
      return life.isOver() ? new Promise(() => {}) : answer
    }
  }

  function mortal(life: Life): SimulatedNetwork {
    const answered = mortalCalls(life)
    return {
      request: (asked) => answered(() => faulty.request(asked)),
      status: (reference) => answered(() => faulty.status(reference)),
      refund: (asked) => answered(() => faulty.refund(asked)),
    }
  }

  /** The provider behind the same lines: what is lost on the way to it is asked again, or the payer never saw its page. */
  function hostedMethod(name: HostedMethodName, life: Life, token: string, timeoutMs: number): HostedMethod {
    const answers = (ask: () => Promise<WireAnswer>) => line(async () => ({ answer: await ask() }))
    const asked = mortalCalls(life)
    const through: SimulatedNetwork = {
      request: ({ reference }) => asked(() => answers(() => provider.status(reference))),
      status: (reference) => asked(() => answers(() => provider.status(reference))),
      refund: (reversal) => asked(() => line(() => truth.refund(reversal))),
    }
    const direct = directOperator(name, through, world.clockOf(life, true), timeoutMs)
    return {
      ...direct,
      name,
      parseCallback: callbackReader(token),
      cancel: async (reference) => {
        const reaction = await asked(() => answers(() => provider.cancel(reference)))
        return 'answer' in reaction ? readAnswer(reaction.answer) : { is: 'unknown', why: reaction.does }
      },
      open: (session) =>
        asked(async () => {
          if (goesWrong()) return undefined
          const { page_url: page } = await provider.open({ ...session, method: name })
          sessions.push(session.reference)
          return page
        }),
    }
  }

  const outside: Outside = {
    weather: 0,
    truth,
    provider,
    sessions,
    requests,
    operators: (life, token, timeoutMs) =>
      operatorRegistry(
        ENVIRONMENTS.flatMap((environment) =>
          COUNTRIES.flatMap(operatorNames).map((name) => ({
            environment,
            operator: {
              ...directOperator(name, mortal(life), world.clockOf(life, true), timeoutMs),
              parseCallback: callbackReader(token),
            },
          })),
        ),
        [],
        ENVIRONMENTS.flatMap((environment) =>
          HOSTED_METHODS.map((name) => ({ environment, operator: hostedMethod(name, life, token, timeoutMs) })),
        ),
      ),
    books: async () => ({
      payments: await books.store.rows('select reference, msisdn, amount_xof from simulated_payments'),
      refunds: await books.store.rows('select refund_reference, reference, amount_xof from simulated_refunds'),
    }),
    close: () => books.bury(),
  }
  return outside
}
