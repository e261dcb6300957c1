// The link that a payer has opened: whoever knows its reference may see it, whichever account it belongs to.
import { EVERY_ACCOUNT, type Payer } from '../../domain/caller.ts'
import { looksLikeLinkReference, type PaymentLink } from '../../domain/payment-link.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findLink } from '../../store/links/payment-links.ts'
import { findPoster } from '../../store/links/posters.ts'

export async function openLink(
  { db }: { db: Database },
  { linkReference }: Payer,
): Promise<PaymentLink | RefusedAs<'link_not_found'>> {
  // A text that cannot be a link's reference needs no look-up.
  if (!looksLikeLinkReference(linkReference)) return { refused: 'link_not_found' }
  const link =
    (await findLink(db, EVERY_ACCOUNT, linkReference)) ?? (await findPoster(db, EVERY_ACCOUNT, linkReference))
  return link ?? { refused: 'link_not_found' }
}
