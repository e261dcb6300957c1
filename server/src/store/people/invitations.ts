// Invitations to a merchant's team.
import type { MerchantRole } from '../../domain/role.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

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

const INVITATION = columns<Invitation>({
  invitationId: 'i.invitation_id',
  merchantId: 'i.merchant_id',
  merchantName: 'm.name',
  email: 'i.email',
  role: 'i.role',
  invitedBy: 'i.invited_by',
  createdAt: 'i.created_at',
  endsAt: 'i.ends_at',
  overAt: 'i.over_at',
})

const INVITATIONS = `select ${INVITATION} from invitations i join merchants m on m.merchant_id = i.merchant_id`

export async function insertInvitation(
  tx: Queries,
  invitation: Omit<Invitation, 'merchantName' | 'overAt'>,
): Promise<void> {
  const { invitationId, merchantId, email, role, invitedBy, createdAt, endsAt } = invitation
  await tx.change(
    `insert into invitations (invitation_id, merchant_id, email, role, invited_by, created_at, ends_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [invitationId, merchantId, email, role, invitedBy, createdAt, endsAt],
  )
}

export async function findInvitation(db: Queries, invitationId: string): Promise<Invitation | undefined> {
  const [invitation] = await db.rows<Invitation>(`${INVITATIONS} where i.invitation_id = $1`, [invitationId])
  return invitation
}

/** One that can still be accepted. */
export async function findInvitationByToken(
  db: Queries,
  tokenHash: string,
  now: number,
): Promise<Invitation | undefined> {
  const [invitation] = await db.rows<Invitation>(
    `${INVITATIONS} where i.token_hash = $1 and i.over_at is null and i.ends_at > $2`,
    [tokenHash, now],
  )
  return invitation
}

/** Those that can still be accepted. */
export const listInvitations = (db: Queries, merchantId: string, now: number): Promise<Invitation[]> =>
  db.rows<Invitation>(
    `${INVITATIONS} where i.merchant_id = $1 and i.over_at is null and i.ends_at > $2 order by i.created_at`,
    [merchantId, now],
  )

export async function setInvitationToken(db: Queries, invitationId: string, tokenHash: string): Promise<void> {
  await db.change('update invitations set token_hash = $2 where invitation_id = $1', [invitationId, tokenHash])
}

/** False when it was over before, or is not of this merchant. */
export const endInvitation = async (
  tx: Queries,
  { merchantId, invitationId }: Pick<Invitation, 'merchantId' | 'invitationId'>,
  at: number,
): Promise<boolean> =>
  (await tx.change(
    `update invitations set over_at = $3, token_hash = null
     where merchant_id = $1 and invitation_id = $2 and over_at is null`,
    [merchantId, invitationId, at],
  )) === 1
