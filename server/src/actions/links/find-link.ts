// Links as callers may see them: a payer the one whose reference they hold, a merchant its own, the service's own people all of them.
import { type Caller, EVERY_ACCOUNT, type Payer, type Scope, scopeOf } from '../../domain/caller.ts'
import { isLinkReference, type PaymentLink } from '../../domain/payment-link.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findLink } from '../../store/links/payment-links.ts'

/** A link's reference is what lets a payer see it, whichever account it belongs to. */
export const linkScope = (caller: Caller): Scope => (caller.is === 'payer' ? EVERY_ACCOUNT : scopeOf(caller))

/** A payer can name the link that they hold and no other. */
export const mayName = (caller: Caller, linkReference: string): boolean =>
  caller.is !== 'payer' || caller.linkReference === linkReference

/** The link that a payer has opened. */
export async function openLink(
  { db }: { db: Database },
  { linkReference }: Payer,
): Promise<PaymentLink | RefusedAs<'link_not_found'>> {
  // What could never have been recorded is not looked for.
  const link = isLinkReference(linkReference) ? await findLink(db, EVERY_ACCOUNT, linkReference) : undefined
  return link ?? { refused: 'link_not_found' }
}
