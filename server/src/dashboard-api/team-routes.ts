// A merchant's team, and the activity log of its accounts.
import { z } from 'zod'
import { type ListedAudit, listLatestAudit } from '../actions/audit/audit-log.ts'
import {
  changeRole,
  invitePerson,
  type Member,
  removeFromTeam,
  showTeam,
  withdrawInvitation,
} from '../actions/people/team.ts'
import { isActorOfService } from '../domain/people/caller.ts'
import { MERCHANT_ROLES } from '../domain/people/role.ts'
import { isRefused } from '../domain/refusals/refusal.ts'
import { accountRoute, NOTHING, optional, PAGE_FIELDS, PROOF, pageOf, TEXT, time } from './route.ts'
import type { ActivityRow, AuditRow, InvitationRow, MemberRow, TeamBody } from './shapes.ts'

const ROLE = z.enum(MERCHANT_ROLES)

export const teamRoutes = [
  accountRoute('GET /team', 'read', NOTHING, async (deps, caller) => {
    const team = await showTeam(deps, caller)
    if (isRefused(team)) return team
    return {
      members: team.members.map(memberRow),
      invitations: team.invitations.map(invitationRow),
    } satisfies TeamBody
  }),
  accountRoute(
    'POST /team/:personId/role',
    'manageTeam',
    z.object({ personId: TEXT, role: ROLE, ...PROOF }),
    changeRole,
  ),
  accountRoute(
    'POST /team/:personId/remove',
    'manageTeam',
    z.object({ personId: TEXT, ...PROOF }),
    removeFromTeam,
  ),
  accountRoute(
    'POST /invitations',
    'manageTeam',
    z.object({ email: TEXT, role: ROLE, ...PROOF }),
    async (deps, caller, input) => {
      const invited = await invitePerson(deps, caller, input)
      return isRefused(invited) ? invited : invitationRow(invited)
    },
    { needsConfirmedEmail: true },
  ),
  accountRoute(
    'POST /invitations/:invitationId/withdraw',
    'manageTeam',
    z.object({ invitationId: TEXT }),
    withdrawInvitation,
  ),
  accountRoute(
    'GET /audit',
    'seeActivity',
    z.object({
      ...PAGE_FIELDS,
      actor: optional(TEXT),
      action: optional(TEXT),
      since: optional(time(0)),
      until: optional(time(1)),
    }),
    async (deps, caller, input) => pageOf(await listLatestAudit(deps, caller, input), activityRow),
  ),
]

export const memberRow = ({ totpSince, ...member }: Member): MemberRow => ({
  ...member,
  totp: totpSince !== null,
})

const invitationRow = (
  invitation: Omit<InvitationRow, 'expiresAt'> & { endsAt: number },
): InvitationRow => {
  const { invitationId, email, role, createdAt, endsAt } = invitation
  return { invitationId, email, role, createdAt, expiresAt: endsAt }
}

export const auditRow = (entry: ListedAudit): AuditRow => {
  const {
    entry: number,
    at,
    actor,
    actorName,
    action,
    subject,
    subjectName,
    network: from,
    earlier,
    detail,
  } = entry
  return {
    number,
    at,
    action,
    from,
    subject: subjectName ?? (OWN.test(subject) ? null : subject),
    by: { as: actor.split(' ')[0] ?? '', name: actorName ?? actor.split(' ').slice(1).join(' ') },
    before: earlier as Record<string, unknown> | null,
    after: detail as Record<string, unknown>,
  }
}

/** Facts of the staff's entries that the merchant sees; the others are internal. */
const SHOWN_OF_STAFF = ['environment', 'status', 'reason']
const OWN = /^(acc|mer)_/
/** Facts that the row or the page shows elsewhere. */
const SHOWN_ELSEWHERE = ['account', 'merchant', 'invitation', 'by']

function activityRow({ entry: number, at, actor, actorName, ...entry }: ListedAudit): ActivityRow {
  const { action, subject, subjectName, network, earlier, detail } = entry
  const isOfService = isActorOfService(actor)
  const isShown = (name: string): boolean =>
    isOfService ? SHOWN_OF_STAFF.includes(name) : !SHOWN_ELSEWHERE.includes(name)
  const shown = (facts: object | null): Record<string, unknown> | null => {
    const entries = Object.entries(facts ?? {}).filter(([name]) => isShown(name))
    return entries.length === 0 ? null : Object.fromEntries(entries)
  }
  const ofMerchant = actor.startsWith('key ') ? 'key' : 'person'
  const is = isOfService ? 'service' : ofMerchant
  return {
    number,
    at,
    action,
    subject: OWN.test(subject) ? null : (subjectName ?? subject),
    by: { is, name: actorName ?? (is === 'key' ? actor.slice('key '.length) : '') },
    from: isOfService ? null : network,
    before: shown(earlier),
    after: shown(detail),
  }
}
