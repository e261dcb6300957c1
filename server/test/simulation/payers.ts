// The payers of a simulated world: they open links and choose how to pay, in several tabs at a
// time. On the provider's page they approve, decline or leave. The provider's books have their
// decisions, and the checks compare the store with them.
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { SimulatedProvider } from '../../src/simulator/network.ts'
import { SCENARIOS } from '../../src/simulator/scenarios.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import { head } from '../kit/service.ts'
import type { Account } from './merchants.ts'
import type { Phone } from './network-kinds.ts'

export type Payers = ReturnType<typeof payersOf>

interface PayersDeps {
  accounts: readonly Account[]
  random: SeededRandom
  provider: SimulatedProvider
  /** Pages that providers have opened. */
  sessions: readonly string[]
  /** The numbers that the real networks prompt, in live. */
  phones: readonly Phone[]
}

export function payersOf({ accounts, random, provider, sessions, phones }: PayersDeps) {
  /** The links that merchants got. */
  const links: string[] = []
  const form = (fields: Record<string, string>) => ({
    method: 'POST' as const,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })
  /** A service that crashes or is closed does not answer. */
  const send = (app: FastifyInstance, request: InjectOptions) =>
    Promise.resolve(app.inject(request)).catch(() => undefined)

  /** Also for a sandbox link: there the simulated network has every number. */
  function phoneOf(): Phone {
    if (phones.length > 0 && random.percent(60)) return random.pick(phones)
    return {
      country: 'NE',
      msisdn: random.percent(60) ? random.pick(SCENARIOS).msisdn : '96123456',
    }
  }

  return {
    links,
    createLink(app: FastifyInstance): void {
      const account = random.pick(accounts)
      const headers = head(account.secretKey, { 'svc-payment-type': 'external_payment' })
      const payload = JSON.stringify({ amount: random.between(50, 1_000_000), title: 'Commande' })
      void send(app, { method: 'POST', url: '/api/v1/external_payments', headers, payload }).then(
        (answer) => {
          if (answer?.statusCode === 200) links.push(answer.json<{ reference: string }>().reference)
        },
      )
    },
    /** A payer with a link chooses how to pay, perhaps in two tabs at once, or gives up. */
    pay(app: FastifyInstance): void {
      if (links.length === 0) return
      const url = `/pay/${random.pick(links)}`
      const tabs = random.pick([1, 1, 2, 3])
      for (let tab = 0; tab < tabs; tab++) {
        const choice = random.below(12)
        if (choice < 2) void send(app, { url: `${url}/abandon`, ...form({}) })
        else if (choice === 2) void send(app, { url: `${url}?returned=1` })
        else {
          const method = random.pick(['mobile', 'mobile', 'bank_card', 'wallet'])
          const phone = phoneOf()
          const attempt = String(random.pick([0, 0, 1, 2]))
          void send(app, { url, ...form({ method, attempt, ...phone }) })
        }
      }
    },
    /** A payer on a provider's page decides. */
    decide(): void {
      if (sessions.length > 0)
        void provider.decide(random.pick(sessions), random.percent(60) ? 'approve' : 'decline')
    },
  }
}
