// The addresses of the simulated FedaPay under /v1, as its documents and its own clients write them.
import type { FaultBoard } from '../faults.ts'
import type { NetworkDeps, WireReaction, WireRequest } from '../network.ts'
import { accountRoutes } from './account-routes.ts'
import type { customerBook, Ledger } from './ledger.ts'
import { NO_SUCH_PATH } from './reactions.ts'
import { CURRENCIES, wireBalance } from './represent.ts'
import { transactionRoutes } from './transaction-routes.ts'
import type { Endpoint } from './webhooks.ts'

export interface RouteDeps extends Pick<NetworkDeps, 'clock'> {
  ledger: Ledger
  customers: ReturnType<typeof customerBook>
  endpoints: Map<number, Endpoint>
  faults: FaultBoard
  /** The modes that are activated on the account. */
  modes: readonly string[]
  webhookSecret: string
}

/** A request whose key was accepted, with the address of the page under the host that it came to. */
export interface AcceptedRequest extends WireRequest {
  json: Record<string, unknown>
  pageUrl(token: string): string
}

/** All that FedaPay's documents name; which of them an account has is another matter. */
const MODES = ['mtn_open', 'mtn', 'moov', 'sbin', 'airtel_ne', 'moov_tg', 'togocel', 'mtn_ci', 'free_sn', 'momo_test']

export function fedapayRoutes(deps: RouteDeps) {
  const { transactionRoute, prompt, distortions } = transactionRoutes(deps)
  const { customerRoute, listRoute, webhookRoute } = accountRoutes(deps)

  function route(request: AcceptedRequest): WireReaction {
    const { method, path } = request
    const [version, resource = '', ...rest] = path.split('/').slice(1).map(decodeURIComponent)
    if (version !== 'v1' || path.endsWith('/')) return NO_SUCH_PATH
    const asked = `${method} ${rest.length}`
    if (resource === 'transactions') return transactionRoute(request, rest)
    if (method === 'POST' && rest.length === 0 && MODES.includes(resource)) return prompt(request, resource)
    switch (resource) {
      case 'customers':
        return customerRoute(request, asked, rest[0])
      case 'currencies':
        return listRoute(request, asked, rest[0], { name: 'currencies', one: 'currency', all: CURRENCIES })
      case 'balances':
        return listRoute(request, asked, rest[0], {
          name: 'balances',
          one: 'balance',
          all: [wireBalance(deps.ledger.balance())],
        })
      case 'webhooks':
        return webhookRoute(request, asked, rest[0])
      default:
        return NO_SUCH_PATH
    }
  }

  return { route, distortions }
}
