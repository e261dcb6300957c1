// A link that the caller may see: a payer the one they hold, a merchant its own, who looks after the service any.
import { type Caller, EVERY_ACCOUNT, type Payer, type Scope, scopeOf } from '../../domain/caller.ts'
import { isLinkReference, type PaymentLink } from '../../domain/payment-link.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findLink } from '../../store/links/payment-links.ts'

/** Whoever knows a link's reference may see that link, whosever it is. */
export const linkScope = (caller: Caller): Scope => (caller.is === 'payer' ? EVERY_ACCOUNT : scopeOf(caller))

/** What a payer holds is the only name that they can use. */
export const mayName = (caller: Caller, linkReference: string): boolean =>
  caller.is !== 'payer' || caller.linkReference === linkReference

export async function findVisibleLink(
  { db }: { db: Database },
  caller: Caller,
  { linkReference }: { linkReference: string },
): Promise<PaymentLink | RefusedAs<'link_not_found'>> {
  // What could never have been recorded is not looked for.
  const canBe = isLinkReference(linkReference) && mayName(caller, linkReference)
  const link = canBe ? await findLink(db, linkScope(caller), linkReference) : undefined
  return link ?? { refused: 'link_not_found' }
}

/** The link that a payer has opened. */
export const openLink = (deps: { db: Database }, caller: Payer): Promise<PaymentLink | RefusedAs<'link_not_found'>> =>
  findVisibleLink(deps, caller, caller)
