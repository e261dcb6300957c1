// Who is signed in, and what their role lets the page show. The server decides again at every
// request.
import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import {
  type AccountRoleName,
  type AccountRow,
  type EnvironmentName,
  mayInAccount,
  SERVICE_RIGHTS,
  type ServiceRole,
  type SessionBody,
} from '../../../server/src/dashboard-api/contract.ts'
import { useChange } from './account.ts'
import { type AccountBase, SELF } from './address.ts'
import { ApiError, read } from './client.ts'

/** Null without a session. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<SessionBody | null> => {
    try {
      return await read(SELF, 'GET /session', {}, signal)
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
  staleTime: 60_000,
})

/** For pages inside the shells, which are shown to signed-in people only. */
export function useSession(): SessionBody {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new Error('this page is shown to signed-in people only')
  return data
}

/**
 * Takes over the session that the server answered, and drops everything that was read in the
 * session before.
 */
export function useBecome(): (session: SessionBody | null) => void {
  const client = useQueryClient()
  return (session) => {
    if (session === null) forgetMerchant()
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
    client.setQueryData(sessionQuery.queryKey, session)
  }
}

export interface Place {
  accountId: string
  base: AccountBase
  environment: EnvironmentName
  account: AccountRow
  merchant: SessionBody['merchants'][number]
  role: AccountRoleName
}

export function placeOf(session: SessionBody, accountId: string): Place | undefined {
  for (const merchant of session.merchants) {
    const account = merchant.accounts.find((each) => each.accountId === accountId)
    if (account !== undefined)
      return {
        accountId,
        base: `accounts/${accountId}`,
        environment: account.environment,
        account,
        merchant,
        role: merchant.role,
      }
  }
  return undefined
}

/** Where a person starts: at the merchant chosen last, or their first one. */
export function firstAccount({ person, merchants }: SessionBody): AccountRow | undefined {
  const chosen = chosenMerchant(person.personId)
  return startOf(merchants.find(({ merchantId }) => merchantId === chosen) ?? merchants[0])
}

/** The live account once it is validated, else the sandbox. */
export const startOf = (
  merchant: SessionBody['merchants'][number] | undefined,
): AccountRow | undefined =>
  merchant?.accounts.find(
    ({ environment, status }) => environment === 'live' && status === 'validated',
  ) ??
  merchant?.accounts.find(({ environment }) => environment === 'sandbox') ??
  merchant?.accounts[0]

/** By the same table as the server's routes. */
export const may = mayInAccount

export function useServiceRight(right: keyof typeof SERVICE_RIGHTS): boolean {
  const { service } = useSession()
  return (
    service !== null && (SERVICE_RIGHTS[right] as readonly ServiceRole[]).includes(service.role)
  )
}

export function usePlace() {
  const session = useSession()
  const { accountId = '' } = useParams({ strict: false })
  const place = placeOf(session, accountId)
  const change = useChange(place?.base ?? SELF)
  if (place === undefined) throw new Error('the shell shows accounts of the person only')
  return { ...place, change }
}

// The merchant that a person chose last, kept for all tabs until sign-out and for this person only.
// It decides where the dashboard starts; each page has its account in its address.
const KEPT_AS = 'karba-merchant'

export const chooseMerchant = (personId: string, merchantId: string): void =>
  localStorage.setItem(KEPT_AS, `${personId} ${merchantId}`)

const forgetMerchant = (): void => localStorage.removeItem(KEPT_AS)

function chosenMerchant(personId: string): string | undefined {
  const [whose, merchantId] = localStorage.getItem(KEPT_AS)?.split(' ') ?? []
  return whose === personId ? merchantId : undefined
}
