// Which people work for which merchant, and in which role.
import type { Account } from '../../domain/environment.ts'
import type { MerchantRole } from '../../domain/people/role.ts'
import type { Queries } from '../engine/database.ts'
import {
  columnsOf,
  deleteRows,
  firstRow,
  insertNew,
  insertRow,
  isAnyRow,
  updateOne,
  updateRows,
} from '../rows.ts'

export interface Member {
  personId: string
  name: string
  email: string
  role: MerchantRole
  totpSince: number | null
  lastSeenAt: number | null
}

const MEMBER = columnsOf<Member>({
  personId: 'p.person_id',
  name: 'p.name',
  totpSince: 'p.totp_since',
  lastSeenAt: 'p.last_seen_at',
  email: 'coalesce(p.unconfirmed_email, p.email)',
  role: 'm.role',
})

const MEMBERS = 'merchant_people m join people p on p.person_id = m.person_id'

export const listMembers = (db: Queries, merchantId: string) =>
  db.read<Member>(
    `select ${MEMBER} from ${MEMBERS} where m.merchant_id = :merchantId
      order by m.created_at, p.person_id`,
    { merchantId },
  )

export const findMember = (db: Queries, merchantId: string, personId: string) =>
  firstRow<Member>(
    db,
    `select ${MEMBER} from ${MEMBERS}
     where m.merchant_id = :merchantId and m.person_id = :personId`,
    { merchantId, personId },
  )

/** False when they work there already. */
export const insertMember = (
  tx: Queries,
  member: {
    merchantId: string
    personId: string
    role: MerchantRole
    createdAt: number
  },
) => insertNew(tx, 'merchant_people', member)

export const setRole = (tx: Queries, merchantId: string, personId: string, role: MerchantRole) =>
  updateRows(tx, 'merchant_people', { merchantId, personId }, { role })

export const removeMember = (tx: Queries, merchantId: string, personId: string) =>
  deleteRows(tx, 'merchant_people', { merchantId, personId })

/**
 * Locks the merchant's team until the commit, so that of two owners who leave together one stays.
 */
export const lockTeam = (tx: Queries, merchantId: string) =>
  tx.change('update merchants set name = name where merchant_id = :merchantId', { merchantId })

export interface AccountOfMerchant extends Account {
  merchantId: string
  merchantName: string
  reason: string | null
}

const ACCOUNT_OF_MERCHANT = columnsOf<AccountOfMerchant>({
  accountId: 'a.account_id',
  environment: 'a.environment',
  status: 'a.status',
  merchantId: 'a.merchant_id',
  merchantName: 'm.name',
  reason: 'a.status_reason',
})

const ACCOUNTS = 'accounts a join merchants m on m.merchant_id = a.merchant_id'

export const findAccountOfMerchant = (db: Queries, accountId: string) =>
  firstRow<AccountOfMerchant>(
    db,
    `select ${ACCOUNT_OF_MERCHANT} from ${ACCOUNTS} where a.account_id = :accountId`,
    { accountId },
  )

/**
 * Whether the live account of the account's merchant is validated: then people of the service know
 * the merchant.
 */
export const isMerchantValidated = (db: Queries, accountId: string) =>
  isAnyRow(
    db,
    `select l.account_id from accounts a join accounts l on l.merchant_id = a.merchant_id
     where a.account_id = :accountId and l.environment = 'live' and l.status = 'validated'`,
    { accountId },
  )

/** Sandbox before live. */
export const listAccountsOfMerchant = (
  db: Queries,
  merchantId: string,
): Promise<AccountOfMerchant[]> =>
  db.read(
    `select ${ACCOUNT_OF_MERCHANT} from ${ACCOUNTS} where a.merchant_id = :merchantId
      order by a.environment desc`,
    { merchantId },
  )

/**
 * The accounts of every merchant that the person works for, sandbox before live, with the person's
 * role.
 */
export const listAccountsOfPerson = (
  db: Queries,
  personId: string,
): Promise<(AccountOfMerchant & { role: MerchantRole })[]> =>
  db.read(
    `select ${ACCOUNT_OF_MERCHANT}, w.role as role from merchant_people w
       join accounts a on a.merchant_id = w.merchant_id
       join merchants m on m.merchant_id = a.merchant_id
     where w.person_id = :personId order by m.name, m.merchant_id, a.environment desc`,
    { personId },
  )

// Invitations to a merchant's team.

export interface Invitation {
  invitationId: string
  merchantId: string
  merchantName: string
  email: string
  role: MerchantRole
  invitedBy: string
  createdAt: number
  endsAt: number
  /** When it was accepted or withdrawn. */
  overAt: number | null
}

const INVITATION = columnsOf<Invitation>({
  invitationId: 'i.invitation_id',
  merchantId: 'i.merchant_id',
  email: 'i.email',
  role: 'i.role',
  invitedBy: 'i.invited_by',
  createdAt: 'i.created_at',
  endsAt: 'i.ends_at',
  overAt: 'i.over_at',
  merchantName: 'm.name',
})

const INVITATIONS = `select ${INVITATION} from invitations i
  join merchants m on m.merchant_id = i.merchant_id`

export const insertInvitation = (
  tx: Queries,
  invitation: Omit<Invitation, 'merchantName' | 'overAt'>,
) => insertRow(tx, 'invitations', invitation)

export const findInvitation = (db: Queries, invitationId: string) =>
  firstRow<Invitation>(db, `${INVITATIONS} where i.invitation_id = :invitationId`, { invitationId })

/** An open invitation. */
export const findInvitationByToken = (db: Queries, tokenHash: string, now: number) =>
  firstRow<Invitation>(
    db,
    `${INVITATIONS} where i.token_hash = :tokenHash and i.over_at is null and i.ends_at > :now`,
    { tokenHash, now },
  )

/** Open invitations. */
export const listInvitations = (db: Queries, merchantId: string, now: number) =>
  db.read<Invitation>(
    `${INVITATIONS} where i.merchant_id = :merchantId and i.over_at is null and i.ends_at > :now order by i.created_at`,
    { merchantId, now },
  )

export const setInvitationToken = (db: Queries, invitationId: string, tokenHash: string) =>
  updateRows(db, 'invitations', { invitationId }, { tokenHash })

/** False when it was over before, or is not of this merchant. */
export const endInvitation = (
  tx: Queries,
  { merchantId, invitationId }: Pick<Invitation, 'merchantId' | 'invitationId'>,
  at: number,
) =>
  updateOne(
    tx,
    'invitations',
    { merchantId, invitationId },
    { overAt: at, tokenHash: null },
    'over_at is null',
  )
