// Which owners of a merchant count where a second one decides about its money (D-214). Pure.
import type { MerchantRole } from './role.ts'

/**
 * For so long after somebody became an owner, or after an owner lost that role to another person.
 * All others have an email about it by then.
 */
export const OWNER_SETTLES_MS = 7 * 24 * 3_600_000

/** What the audit log has of a team: `team.join`, `team.role` and `team.remove`, newest first. */
export interface TeamChange {
  action: string
  /** The person who joined, was removed or has another role. */
  subject: string
  /** Ends with the id of the person who did it. */
  actor: string
  detail: unknown
  earlier: unknown
}

export interface RecentOwners {
  /** They became owners lately. */
  made: ReadonlySet<string>
  /** Whether another person took the role from an owner who was not made lately. */
  isOneRemoved: boolean
}

const roleIn = (facts: unknown): MerchantRole | undefined =>
  (facts as { role?: MerchantRole } | null)?.role

export function recentOwners(changes: readonly TeamChange[]): RecentOwners {
  const made = new Set<string>()
  let isOneRemoved = false
  for (const { action, subject, actor, detail, earlier } of changes.toReversed()) {
    const isOwner = action !== 'team.remove' && roleIn(detail) === 'owner'
    if (isOwner) made.add(subject)
    const isLost = !isOwner && roleIn(earlier) === 'owner'
    if (isLost && !made.has(subject) && !actor.endsWith(` ${subject}`)) isOneRemoved = true
  }
  return { made, isOneRemoved }
}

/** Those who were not made lately; all while there is no such owner, as in a new team. */
export function settledOwners(
  owners: readonly string[],
  { made }: Pick<RecentOwners, 'made'>,
): readonly string[] {
  const settled = owners.filter((personId) => !made.has(personId))
  return settled.length > 0 ? settled : owners
}

/** What happened to an owner, for the emails about it. */
export const OWNER_CHANGES = ['invited', 'made', 'demoted', 'removed'] as const

export type OwnerChange = (typeof OWNER_CHANGES)[number]
