// Reads a payment back by our reference or by the merchant's, within one account only (spec §4.2, D-12).
// What we chose stands before what somebody else may choose: nobody's payment stands in for another's (D-12).
import { type AccountCaller, type MerchantCaller, scopeOf } from '../../domain/caller.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import type { Payment } from '../../domain/payment.ts'
import { looksLikeLinkReference } from '../../domain/payment-link.ts'
import type { PublicReferences } from '../../domain/public-reference.ts'
import { isExternalReference, looksLikeReference } from '../../domain/reference.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { paymentOfLink } from '../../store/links/payment-links.ts'
import { findByExternalReferences, findByLinkReference, findByNumber } from '../../store/payments/payment-names.ts'
import { findByExternalReference, findByReference } from '../../store/payments/payments.ts'
import { findOperatorPayment } from '../../store/payments/pending-payments.ts'

export async function readPayment(
  { db }: { db: Database },
  { accountId }: MerchantCaller,
  /** From the request's path; undefined when it could not be decoded. */
  { name }: { name: string | undefined },
): Promise<Payment | RefusedAs<'payment_not_found'>> {
  // A text that cannot be a reference needs no look-up.
  if (!isExternalReference(name)) return { refused: 'payment_not_found' }
  const byOurs = looksLikeReference(name) ? await findByReference(db, accountId, name) : undefined
  const byLink =
    byOurs === undefined && looksLikeLinkReference(name) ? await findByLink(db, accountId, name) : undefined
  const payment = byOurs ?? byLink ?? (await findByExternalReference(db, accountId, name))
  return payment ?? { refused: 'payment_not_found' }
}

/** A link has a reference of its own, by which its payment can be read too (D-22). */
async function findByLink(db: Database, accountId: string, name: string): Promise<Payment | undefined> {
  const reference = await paymentOfLink(db, accountId, name)
  return reference === undefined ? undefined : findByReference(db, accountId, reference)
}

// A payment by any of its references: ours, its link's, the short one that a customer reads out, or the merchant's transaction_id, in the
// order of D-12. Within what the caller may see: a reference of another merchant's payment is not found.

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
