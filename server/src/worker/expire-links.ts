// Closes links whose time is over. One that somebody is paying is looked at again: its outcome decides (D-22, D-25).
import { type CloseLinkNeeds, closePaymentLink } from '../actions/links/close-payment-link.ts'
import { claimExpired } from '../store/links/payment-links.ts'

const MOST_AT_ONCE = 100
const LEASE_MS = 30_000

/** One look; true when there may be more at once. */
export async function expireLinks(needs: CloseLinkNeeds, told: () => void): Promise<boolean> {
  const due = await claimExpired(needs.db, needs.clock.now(), LEASE_MS, MOST_AT_ONCE)
  for (const linkReference of due) {
    if (await closePaymentLink(needs, linkReference, 'expired')) told()
  }
  return due.length === MOST_AT_ONCE
}
