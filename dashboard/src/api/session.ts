// Who is signed in, and what their role lets the page show. The server decides again at every request.
import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type {
  AccountRow,
  EnvironmentName,
  MerchantRoleName,
  SessionBody,
} from '../../../server/src/dashboard-api/shapes.ts'
import { MERCHANT_RIGHTS } from '../../../server/src/domain/role.ts'
import { ApiError, get } from './client.ts'

/** Null for nobody. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<SessionBody | null> => {
    try {
      return await get<SessionBody>('session', signal)
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

/** Puts in place what the server said of the session, and forgets all that was read before as somebody else. */
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
  environment: EnvironmentName
  account: AccountRow
  merchant: SessionBody['merchants'][number]
  /** A viewer's while one of the service's people looks. */
  role: MerchantRoleName
}

export function placeOf(session: SessionBody, accountId: string): Place | undefined {
  for (const merchant of session.merchants) {
    const account = merchant.accounts.find((each) => each.accountId === accountId)
    if (account !== undefined)
      return { accountId, environment: account.environment, account, merchant, role: merchant.role }
  }
  return undefined
}

/** Where somebody starts: at the merchant that they chose last, or their first one. */
export function firstAccount({ person, merchants }: SessionBody): AccountRow | undefined {
  const chosen = chosenMerchant(person.personId)
  return startOf(merchants.find(({ merchantId }) => merchantId === chosen) ?? merchants[0])
}

/** The live account once it is validated, else the sandbox. */
export const startOf = (merchant: SessionBody['merchants'][number] | undefined): AccountRow | undefined =>
  merchant?.accounts.find(({ environment, status }) => environment === 'live' && status === 'validated') ??
  merchant?.accounts.find(({ environment }) => environment === 'sandbox') ??
  merchant?.accounts[0]

export type Right = keyof typeof MERCHANT_RIGHTS

/** By the table that the server's routes go by. */
export const may = (role: MerchantRoleName, right: Right): boolean =>
  (MERCHANT_RIGHTS[right] as readonly MerchantRoleName[]).includes(role)

// The account that the page is about, from its address.
export function usePlace(): Place {
  const session = useSession()
  const { accountId = '' } = useParams({ strict: false })
  const place = placeOf(session, accountId)
  if (place === undefined) throw new Error('the shell shows accounts of the person only')
  return place
}

// Which of their merchants a person works for, until they sign out: in every tab of this browser, and for nobody else who signs in here. It only says
// where to start; each page has its account in its address.
const KEPT_AS = 'karba-merchant'

export const chooseMerchant = (personId: string, merchantId: string): void =>
  localStorage.setItem(KEPT_AS, `${personId} ${merchantId}`)

export const forgetMerchant = (): void => localStorage.removeItem(KEPT_AS)

export function chosenMerchant(personId: string): string | undefined {
  const [whose, merchantId] = localStorage.getItem(KEPT_AS)?.split(' ') ?? []
  return whose === personId ? merchantId : undefined
}
