// What anybody who has a link may know of it: never who pays, and the payment's own reference only once it is paid (D-24).
import type { Clock } from '../../domain/clock-and-random.ts'
import { isLinkReference } from '../../domain/payment-link.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import type { Refused } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findLink, type LinkRow } from '../../store/links/payment-links.ts'
import { linkState } from './link-state.ts'

export type { LinkRow } from '../../store/links/payment-links.ts'

/** The link as its page needs it; what could never have been recorded is not looked for. */
export async function findLinkToShow(db: Database, linkReference: string): Promise<LinkRow | undefined> {
  return isLinkReference(linkReference) ? findLink(db, linkReference) : undefined
}

export interface PublicLink {
  linkReference: string
  status: PaymentStatus
  amountXof: number
  title: string
  description: string | null
  expiresAt: number | null
  publicReference: string
  validatedAt: number | null
  paymentReference: string | undefined
}

export async function readPaymentLink(
  db: Database,
  clock: Clock,
  linkReference: string | undefined,
): Promise<PublicLink | Refused> {
  const row = linkReference === undefined ? undefined : await findLinkToShow(db, linkReference)
  if (row === undefined) return { refused: 'payment_not_found' }
  const isOver = linkState(row, clock.now()).is === 'closed'
  return {
    linkReference: row.link_reference,
    status: isOver ? 'failed' : row.status,
    amountXof: row.amount_xof,
    title: row.title,
    description: row.description,
    expiresAt: row.expires_at,
    publicReference: row.public_reference,
    validatedAt: row.validated_at,
    paymentReference: row.validated_at === null ? undefined : row.reference,
  }
}
