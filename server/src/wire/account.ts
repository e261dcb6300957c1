// An account as GET /account shows it to its merchant (D-85).

import { operatorName } from '../domain/country.ts'
import type { AccountStatus, Environment } from '../domain/environment.ts'
import type { Body } from './bodies.ts'
import { isoTime } from './json.ts'

type AccountEndpoint = Body<'Account'>['endpoints'][number]

interface ShownAccount {
  accountId: string
  merchantName: string
  environment: Environment
  status: AccountStatus
  endpoints: readonly { url: string; status: AccountEndpoint['status']; failingSince: number | null }[]
  operators: readonly Omit<Body<'Account'>['operators'][number], 'name'>[]
}

export const accountBody = ({
  accountId,
  merchantName,
  environment,
  status,
  endpoints,
  operators,
}: ShownAccount): string =>
  JSON.stringify({
    account_id: accountId,
    merchant: merchantName,
    environment,
    status,
    endpoints: endpoints.map(({ failingSince, ...endpoint }) => ({
      url: endpoint.url,
      status: endpoint.status,
      failing_since: failingSince === null ? null : isoTime(failingSince),
    })),
    operators: operators.map(({ country, operator, state }) => ({
      country,
      operator,
      name: operatorName(operator),
      state,
    })),
  } satisfies Body<'Account'>)
