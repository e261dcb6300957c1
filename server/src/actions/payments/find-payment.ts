// A payment by any of its references: ours, its link's, the short one that a customer reads out, or the merchant's transaction_id, in the
// order of D-12. Within what the caller may see: a reference of another merchant's payment is not found.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import { looksLikeLinkReference } from '../../domain/payment-link.ts'
import type { PublicReferences } from '../../domain/public-reference.ts'
import { isExternalReference, looksLikeReference } from '../../domain/reference.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findByExternalReferences, findByLinkReference, findByNumber } from '../../store/payments/payment-names.ts'
import { findOperatorPayment } from '../../store/payments/pending-payments.ts'

export interface FindPaymentDeps {
  db: Database
  publicReferences: PublicReferences
}

/** Enough to choose from: a caller of the service then names one of these. */
const MOST_NAMED = 10

export async function findNamedPayment(
  { db, publicReferences }: FindPaymentDeps,
  caller: AccountCaller,
  { name }: { name: string },
): Promise<OperatorPayment | RefusedAs<'payment_not_found' | 'payment_name_ambiguous'>> {
  const scope = scopeOf(caller)
  const byReference = looksLikeReference(name) ? await findOperatorPayment(db, scope, name) : undefined
  if (byReference !== undefined) return byReference
  const byLink = looksLikeLinkReference(name) ? await findByLinkReference(db, scope, name) : undefined
  if (byLink !== undefined) return byLink
  const number = publicReferences.numberOf(name)
  const byNumber = number === undefined ? undefined : await findByNumber(db, scope, number)
  if (byNumber !== undefined) return byNumber
  // A text that cannot be a transaction_id needs no look-up.
  const named = isExternalReference(name) ? await findByExternalReferences(db, scope, name, MOST_NAMED) : []
  const [first, ...others] = named
  if (first === undefined) return { refused: 'payment_not_found' }
  if (others.length === 0) return first
  return { refused: 'payment_name_ambiguous', references: named.map(({ reference }) => reference) }
}
