// A merchant's team, and what was done to its accounts.
import { z } from 'zod'
import { listLatestAudit } from '../actions/audit/audit-log.ts'
import { changeRole, invitePerson, removeFromTeam, showTeam, withdrawInvitation } from '../actions/people/team.ts'
import { isRefused } from '../domain/refusal.ts'
import { MERCHANT_RIGHTS, MERCHANT_ROLES } from '../domain/role.ts'
import { activityRow } from './audit-row.ts'
import { optional, PAGE_FIELDS, time } from './query-fields.ts'
import { defineRoute, NOTHING } from './route.ts'
import type { InvitationRow, TeamBody } from './shapes.ts'

const TEXT = z.string().max(1_000)
const ROLE = z.enum(MERCHANT_ROLES)

export const teamRoutes = [
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/team',
    roles: MERCHANT_RIGHTS.read,
    input: NOTHING,
    handle: async (deps, caller) => {
      const team = await showTeam(deps, caller)
      if (isRefused(team)) return team
      const members = team.members.map(({ totpSince, ...member }) => ({ ...member, totp: totpSince !== null }))
      return { members, invitations: team.invitations.map(invitationRow) } satisfies TeamBody
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/accounts/:accountId/team/:personId/role',
    roles: MERCHANT_RIGHTS.manageTeam,
    input: z.object({ personId: TEXT, role: ROLE }),
    handle: changeRole,
  }),
  defineRoute({
    method: 'POST',
    path: '/accounts/:accountId/team/:personId/remove',
    roles: MERCHANT_RIGHTS.manageTeam,
    input: z.object({ personId: TEXT }),
    handle: removeFromTeam,
  }),
  defineRoute({
    method: 'POST',
    path: '/accounts/:accountId/invitations',
    roles: MERCHANT_RIGHTS.manageTeam,
    needsConfirmedEmail: true,
    input: z.object({ email: TEXT, role: ROLE }),
    handle: async (deps, caller, input) => {
      const invited = await invitePerson(deps, caller, input)
      return isRefused(invited) ? invited : invitationRow(invited)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/accounts/:accountId/invitations/:invitationId/withdraw',
    roles: MERCHANT_RIGHTS.manageTeam,
    input: z.object({ invitationId: TEXT }),
    handle: withdrawInvitation,
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/audit',
    roles: MERCHANT_RIGHTS.seeActivity,
    input: z.object({
      ...PAGE_FIELDS,
      ...{ actor: optional(TEXT), action: optional(TEXT), since: optional(time(0)), until: optional(time(1)) },
    }),
    handle: async (deps, caller, input) => {
      const page = await listLatestAudit(deps, caller, input)
      return isRefused(page) ? page : { rows: page.rows.map(activityRow), next: page.next ?? null }
    },
  }),
]

const invitationRow = (invitation: Omit<InvitationRow, 'expiresAt'> & { endsAt: number }): InvitationRow => {
  const { invitationId, email, role, createdAt, endsAt } = invitation
  return { invitationId, email, role, createdAt, expiresAt: endsAt }
}
