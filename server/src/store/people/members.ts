// Which people work for which merchant, and in which role.
import type { Account } from '../../domain/account.ts'
import type { MerchantRole } from '../../domain/role.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface Member {
  personId: string
  name: string
  email: string
  role: MerchantRole
  totpSince: number | null
  lastSeenAt: number | null
}

const MEMBER = columns<Member>({
  personId: 'p.person_id',
  name: 'p.name',
  email: 'coalesce(p.unconfirmed_email, p.email)',
  role: 'm.role',
  totpSince: 'p.totp_since',
  lastSeenAt: 'p.last_seen_at',
})

const MEMBERS = 'merchant_people m join people p on p.person_id = m.person_id'

export const listMembers = (db: Queries, merchantId: string): Promise<Member[]> =>
  db.rows<Member>(`select ${MEMBER} from ${MEMBERS} where m.merchant_id = $1 order by m.created_at, p.person_id`, [
    merchantId,
  ])

export async function findMember(db: Queries, merchantId: string, personId: string): Promise<Member | undefined> {
  const [member] = await db.rows<Member>(
    `select ${MEMBER} from ${MEMBERS} where m.merchant_id = $1 and m.person_id = $2`,
    [merchantId, personId],
  )
  return member
}

/** False when they work there already. */
export const insertMember = async (
  tx: Queries,
  member: { merchantId: string; personId: string; role: MerchantRole; createdAt: number },
): Promise<boolean> =>
  (await tx.change(
    `insert into merchant_people (merchant_id, person_id, role, created_at) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [member.merchantId, member.personId, member.role, member.createdAt],
  )) === 1

export async function setRole(tx: Queries, merchantId: string, personId: string, role: MerchantRole): Promise<void> {
  await tx.change('update merchant_people set role = $3 where merchant_id = $1 and person_id = $2', [
    merchantId,
    personId,
    role,
  ])
}

export async function removeMember(tx: Queries, merchantId: string, personId: string): Promise<void> {
  await tx.change('delete from merchant_people where merchant_id = $1 and person_id = $2', [merchantId, personId])
}

/** Locks the merchant's team until the commit, so that of two owners who leave together one stays. */
export async function lockTeam(tx: Queries, merchantId: string): Promise<void> {
  await tx.change('update merchants set name = name where merchant_id = $1', [merchantId])
}

export interface AccountOfMerchant extends Account {
  merchantId: string
  merchantName: string
  reason: string | null
}

const ACCOUNT_OF_MERCHANT = columns<AccountOfMerchant>({
  accountId: 'a.account_id',
  environment: 'a.environment',
  status: 'a.status',
  merchantId: 'a.merchant_id',
  merchantName: 'm.name',
  reason: 'a.status_reason',
})

const ACCOUNTS = 'accounts a join merchants m on m.merchant_id = a.merchant_id'

export async function findAccountOfMerchant(db: Queries, accountId: string): Promise<AccountOfMerchant | undefined> {
  const [account] = await db.rows<AccountOfMerchant>(
    `select ${ACCOUNT_OF_MERCHANT} from ${ACCOUNTS} where a.account_id = $1`,
    [accountId],
  )
  return account
}

/** Whether the live account of the account's merchant is validated: then people of the service know the merchant. */
export async function isMerchantValidated(db: Queries, accountId: string): Promise<boolean> {
  const found = await db.rows(
    `select l.account_id from accounts a join accounts l on l.merchant_id = a.merchant_id
     where a.account_id = $1 and l.environment = 'live' and l.status = 'validated'`,
    [accountId],
  )
  return found.length > 0
}

/** Sandbox before live. */
export const listAccountsOfMerchant = (db: Queries, merchantId: string): Promise<AccountOfMerchant[]> =>
  db.rows(`select ${ACCOUNT_OF_MERCHANT} from ${ACCOUNTS} where a.merchant_id = $1 order by a.environment desc`, [
    merchantId,
  ])

/** The accounts of every merchant that the person works for, sandbox before live, with the person's role. */
export const listAccountsOfPerson = (
  db: Queries,
  personId: string,
): Promise<(AccountOfMerchant & { role: MerchantRole })[]> =>
  db.rows(
    `select ${ACCOUNT_OF_MERCHANT}, w.role as role from merchant_people w
       join accounts a on a.merchant_id = w.merchant_id join merchants m on m.merchant_id = a.merchant_id
     where w.person_id = $1 order by m.name, m.merchant_id, a.environment desc`,
    [personId],
  )
