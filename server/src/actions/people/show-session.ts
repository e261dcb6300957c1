// Who is signed in, and where they may work: what the dashboard's page asks first.
import type { Person } from '../../domain/caller.ts'
import type { MerchantRole } from '../../domain/role.ts'
import type { Database } from '../../store/engine/database.ts'
import { type AccountOfMerchant, listAccountsOfMerchant, listAccountsOfPerson } from '../../store/people/members.ts'
import type { Viewing } from '../../store/people/viewings.ts'

export interface Workplace {
  merchantId: string
  name: string
  role: MerchantRole
  /** Sandbox before live. */
  accounts: AccountOfMerchant[]
}

/** One of the service's people has no merchant of their own, but for the one whose pages they look at. */
export async function listWorkplaces(
  { db }: { db: Database },
  { personId }: Person,
  { viewing }: { viewing: Viewing | null },
): Promise<Workplace[]> {
  const viewed = viewing === null ? [] : await listAccountsOfMerchant(db, viewing.merchantId)
  const own = await listAccountsOfPerson(db, personId)
  const all = [...viewed.map((account) => ({ ...account, role: 'viewer' as const })), ...own]
  return [...Map.groupBy(all, ({ merchantId }) => merchantId).values()].map((accounts) => {
    const [{ merchantId, merchantName: name, role }] = accounts as [(typeof all)[number]]
    return { merchantId, name, role, accounts }
  })
}
