// An account as its merchant sees it: whose it is, its webhooks, its operators. The way to check a
// key.

import type { Country } from '../../domain/countries/country.ts'
import type { AccountStatus, Environment } from '../../domain/environment.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import { type AccountCaller, isOfService, type MerchantCaller } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { failingSince, type ListedEndpoint } from '../../domain/webhooks/webhook-event.ts'
import type { PromptedOperator } from '../../operators/registry.ts'
import {
  findNamedAccount,
  listMerchantAccounts,
  type MerchantAccount,
} from '../../store/merchants/accounts.ts'
import { listHealth } from '../../store/operators/connections.ts'
import { listEndpoints } from '../../store/webhooks/endpoints.ts'
import type { Deps } from '../deps.ts'

export interface ShowAccountDeps extends Pick<Deps, 'db' | 'clock'> {
  promptedIn(environment: Environment, accountId: string): readonly PromptedOperator[]
}

/** `paused`: all its connections are, and creates are refused. `down`: payments wait for it. */
type OperatorState = 'up' | 'down' | 'paused'

interface AccountOperator {
  country: Country
  operator: string
  state: OperatorState
}

export interface ShownAccount {
  accountId: string
  merchantName: string
  environment: Environment
  status: AccountStatus
  endpoints: (Pick<ListedEndpoint, 'url' | 'status'> & { failingSince: number | null })[]
  operators: AccountOperator[]
}

export async function showAccount(
  { db, clock, promptedIn }: ShowAccountDeps,
  caller: MerchantCaller,
): Promise<ShownAccount> {
  const [account, listed, health] = await Promise.all([
    findNamedAccount(db, caller.accountId),
    listEndpoints(db, caller),
    listHealth(db),
  ])
  const isDown = (connection: string): boolean =>
    health.some(
      (each) =>
        each.environment === caller.environment &&
        each.connection === connection &&
        each.state === 'down',
    )
  const operators = promptedIn(caller.environment, caller.accountId).map(
    ({ country, operator, connection }): AccountOperator => {
      if (connection === undefined) return { country, operator, state: 'paused' }
      return { country, operator, state: isDown(connection) ? 'down' : 'up' }
    },
  )
  const now = clock.now()
  const endpoints = listed.map((each) => ({ ...each, failingSince: failingSince(each, now) }))
  return { ...account, endpoints, operators }
}

export interface ListedMerchant {
  merchantId: string
  name: string
  createdAt: number
  /** Sandbox before live. */
  accounts: MerchantAccount[]
}

export async function listMerchants(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { search, ...input }: PageInput & { search?: string | undefined },
): Promise<
  Page<ListedMerchant> | RefusedAs<'caller_not_allowed' | 'cursor_not_valid' | 'limit_not_valid'>
> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const wanted = readPage(input, ['number', 'text'], [0, ''])
  if (isRefused(wanted)) return wanted
  const [createdAt, merchantId] = wanted.cursor
  const accounts = await listMerchantAccounts(
    db,
    { createdAt, merchantId },
    wanted.limit + 1,
    search,
  )
  const merchants = [...Map.groupBy(accounts, (account) => account.merchantId).values()].map(
    merchantOf,
  )
  return pageOf(merchants, wanted.limit, (merchant) => [merchant.createdAt, merchant.merchantId])
}

function merchantOf(accounts: MerchantAccount[]): ListedMerchant {
  const { merchantId, name, createdAt } = accounts[0] as MerchantAccount
  return { merchantId, name, createdAt, accounts }
}
