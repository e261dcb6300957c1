// A merchant's team, and what was done to its accounts.

import { z } from 'zod'
import { type ListedAudit, listLatestAudit } from '../actions/audit/audit-log.ts'
import { changeRole, invitePerson, removeFromTeam, showTeam, withdrawInvitation } from '../actions/people/team.ts'
import { isActorOfService } from '../domain/caller.ts'
import { isRefused } from '../domain/refusal.ts'
import { MERCHANT_RIGHTS, MERCHANT_ROLES } from '../domain/role.ts'
import { defineRoute, NOTHING, optional, PAGE_FIELDS, time } from './route.ts'
import type { ActivityRow, AuditRow, InvitationRow, TeamBody } from './shapes.ts'

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

export const auditRow = (entry: ListedAudit): AuditRow => {
  const { entry: number, at, actor, actorName, action, subject, network: from, earlier, detail } = entry
  return {
    ...{ number, at, action, subject, from },
    actor: actorName === undefined ? actor : `${actorName} (${actor})`,
    before: earlier as Record<string, unknown> | null,
    after: detail as Record<string, unknown>,
  }
}

/** What the service's people write down for the merchant; the rest is for themselves. */
const TOLD = ['environment', 'status', 'reason']
const OWN = /^(acc|mer)_/
/** The row itself, or the page around it, says these already. */
const KNOWN = ['account', 'merchant', 'invitation', 'by']

function activityRow({ entry: number, at, actor, actorName, ...entry }: ListedAudit): ActivityRow {
  const { action, subject, subjectName, network, earlier, detail } = entry
  const isOfService = isActorOfService(actor)
  const isTold = (name: string): boolean => (isOfService ? TOLD.includes(name) : !KNOWN.includes(name))
  const told = (facts: object | null): Record<string, unknown> | null => {
    const entries = Object.entries(facts ?? {}).filter(([name]) => isTold(name))
    return entries.length === 0 ? null : Object.fromEntries(entries)
  }
  const is = isOfService ? 'service' : actor.startsWith('key ') ? 'key' : 'person'
  return {
    ...{ number, at, action },
    subject: subjectName ?? (OWN.test(subject) ? null : subject),
    by: { is, name: actorName ?? (is === 'key' ? actor.slice('key '.length) : '') },
    from: isOfService ? null : network,
    before: told(earlier),
    after: told(detail),
  }
}
