// Who becomes an owner and who stops being one decides where money goes, as a change of that does:
// it needs the password or a code again, every owner and the staff get an email, and for a while a
// new owner confirms nothing and the last one changes nothing (D-214).
import type { AccountCaller, MerchantPerson } from '../../domain/people/caller.ts'
import {
  OWNER_SETTLES_MS,
  type OwnerChange,
  type RecentOwners,
  recentOwners,
} from '../../domain/people/owner.ts'
import { listAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import { listAccountsOfMerchant } from '../../store/people/members.ts'
import { notifyMerchant, notifyStaff } from '../notices/notices.ts'

/** More than people can do by hand in the time that counts. */
const MOST_CHANGES = 10_000

/** The same for each account of a merchant. */
export async function readRecentOwners(
  tx: Queries,
  { accountId }: Pick<MerchantPerson, 'accountId'>,
  now: number,
): Promise<RecentOwners> {
  const filter = { since: now - OWNER_SETTLES_MS, action: 'team' }
  const newest = Number.MAX_SAFE_INTEGER
  const changes = await listAudit(tx, { accountId }, filter, newest, MOST_CHANGES)
  const recent = recentOwners(changes)
  return { ...recent, isOneRemoved: recent.isOneRemoved || changes.length === MOST_CHANGES }
}

/** To every owner there is, so before an owner is removed. `subject`: a person or an invitation. */
export async function announceOwnerChange(
  tx: Queries,
  caller: AccountCaller,
  {
    at,
    merchantId,
    what,
    subject,
  }: {
    at: number
    merchantId: string
    what: OwnerChange
    subject: string
  },
): Promise<void> {
  const live = (await listAccountsOfMerchant(tx, merchantId)).find(
    ({ environment }) => environment === 'live',
  )
  if (live === undefined) throw new Error('a merchant has no live account')
  const by = caller.is === 'merchant_person' ? caller.personId : 'service'
  const about = `${live.accountId} ${what} ${subject} ${by}`
  const notice = { kind: 'owner_change', about } as const
  await notifyMerchant(tx, at, { ...notice, accountId: live.accountId, cause: about })
  await notifyStaff(tx, at, notice, about)
}
