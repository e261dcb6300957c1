// A link that the caller may see: a payer the one they opened, a merchant its own, a caller of the service any.
import { type Caller, EVERY_ACCOUNT, type Payer, type Scope, scopeOf } from '../../domain/caller.ts'
import { isLinkReference, type PaymentLink } from '../../domain/payment-link.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findLink } from '../../store/links/payment-links.ts'

/** A payer who knows a link's reference may see that link, whichever account it belongs to. */
export const linkScope = (caller: Caller): Scope => (caller.is === 'payer' ? EVERY_ACCOUNT : scopeOf(caller))

/** A payer may name only the link they opened. */
export const mayName = (caller: Caller, linkReference: string): boolean =>
  caller.is !== 'payer' || caller.linkReference === linkReference

/** The link that a payer has opened. */
export async function openLink(
  { db }: { db: Database },
  { linkReference }: Payer,
): Promise<PaymentLink | RefusedAs<'link_not_found'>> {
  // A text that cannot be a link's reference needs no look-up.
  const link = isLinkReference(linkReference) ? await findLink(db, EVERY_ACCOUNT, linkReference) : undefined
  return link ?? { refused: 'link_not_found' }
}
