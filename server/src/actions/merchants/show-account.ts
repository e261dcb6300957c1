// An account as its merchant sees it: whose it is, where its webhooks go, and which operators can be asked now. The way to check a key.
import type { AccountStatus } from '../../domain/account.ts'
import type { MerchantCaller } from '../../domain/caller.ts'
import type { Country } from '../../domain/country.ts'
import type { Environment } from '../../domain/environment.ts'
import type { ListedEndpoint } from '../../domain/webhook-endpoint.ts'
import type { PromptedOperator } from '../../operators/registry.ts'
import type { Database } from '../../store/engine/database.ts'
import { findNamedAccount } from '../../store/merchants/accounts.ts'
import { listHealth } from '../../store/operators/connections.ts'
import { listEndpoints } from '../../store/webhooks/endpoints.ts'

export interface ShowAccountDeps {
  db: Database
  promptedIn(environment: Environment): readonly PromptedOperator[]
}

/** `paused`: somebody has paused all its connections, and creates are refused. `down`: it does not answer, and payments wait for it. */
type OperatorState = 'up' | 'down' | 'paused'

export interface ShownAccount {
  accountId: string
  merchantName: string
  environment: Environment
  status: AccountStatus
  endpoints: Pick<ListedEndpoint, 'url' | 'status' | 'failingSince'>[]
  operators: { country: Country; operator: string; state: OperatorState }[]
}

export async function showAccount({ db, promptedIn }: ShowAccountDeps, caller: MerchantCaller): Promise<ShownAccount> {
  const [account, endpoints, health] = await Promise.all([
    findNamedAccount(db, caller.accountId),
    listEndpoints(db, caller),
    listHealth(db),
  ])
  const isDown = (connection: string): boolean =>
    health.some(
      (each) => each.environment === caller.environment && each.connection === connection && each.state === 'down',
    )
  const operators = promptedIn(caller.environment).map(({ country, operator, connection }) => {
    const state: OperatorState = connection === undefined ? 'paused' : isDown(connection) ? 'down' : 'up'
    return { country, operator, state }
  })
  return { ...account, endpoints, operators }
}
