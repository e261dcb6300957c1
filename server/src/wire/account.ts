// An account as GET /account shows it to its merchant (D-85).
import { operatorName } from '../domain/countries/country.ts'
import type { Account } from '../domain/environment.ts'
import type { Body } from './bodies.ts'
import { isoTime } from './json.ts'

type AccountEndpoint = Body<'Account'>['endpoints'][number]

interface ShownAccount extends Account {
  merchantName: string
  endpoints: readonly {
    url: string
    status: AccountEndpoint['status']
    failingSince: number | null
  }[]
  operators: readonly Omit<Body<'Account'>['operators'][number], 'name'>[]
}

export const accountBody = (account: ShownAccount): string =>
  JSON.stringify({
    account_id: account.accountId,
    merchant: account.merchantName,
    environment: account.environment,
    status: account.status,
    endpoints: account.endpoints.map(({ url, status, failingSince }) => ({
      url,
      status,
      failing_since: failingSince === null ? null : isoTime(failingSince),
    })),
    operators: account.operators.map(({ country, operator, state }) => ({
      country,
      operator,
      name: operatorName(operator),
      state,
    })),
  } satisfies Body<'Account'>)
