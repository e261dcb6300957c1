// Closes links that have expired. A link with an attempt under way is left for a later round: the attempt's outcome decides (D-22, D-25).
import type { MoveDeps } from '../actions/deps.ts'
import { closePaymentLink } from '../actions/links/close-payment-link.ts'
import type { ServiceItself } from '../domain/caller.ts'
import { isRefused } from '../domain/refusal.ts'
import { claimExpired } from '../store/links/payment-links.ts'

const EXPIRY: ServiceItself = { is: 'service', part: 'link expiry' }
const MOST_AT_ONCE = 100
const LEASE_MS = 30_000

/** One round; true when more links may have expired. */
export async function expireLinks(deps: MoveDeps, eventWritten: () => void): Promise<boolean> {
  const due = await claimExpired(deps.db, deps.clock.now(), LEASE_MS, MOST_AT_ONCE)
  for (const linkReference of due) {
    const outcome = await closePaymentLink(deps, EXPIRY, { linkReference, because: 'expired' })
    if (!isRefused(outcome)) eventWritten()
  }
  return due.length === MOST_AT_ONCE
}
