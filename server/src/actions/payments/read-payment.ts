// Reads a payment back by our reference or by the merchant's, within one account only (spec §4.2, D-12).
// What we chose stands before what somebody else may choose: nobody's payment stands in for another's (D-12).
import type { MerchantCaller } from '../../domain/caller.ts'
import type { Payment } from '../../domain/payment.ts'
import { looksLikeLinkReference } from '../../domain/payment-link.ts'
import { isExternalReference, looksLikeReference } from '../../domain/reference.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { paymentOfLink } from '../../store/links/payment-links.ts'
import { findByExternalReference, findByReference } from '../../store/payments/payments.ts'

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
