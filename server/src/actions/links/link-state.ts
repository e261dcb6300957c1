// What a link is for whoever has it, told from its row: open, being paid, or closed. Read by the page, the public read and the actions, so that
// all three say the same.
import type { FailureReason } from '../../domain/outcome.ts'
import { isLinkMethod, type LinkMethod } from '../../domain/payment-link.ts'
import type { LinkRow } from '../../store/links/payment-links.ts'
import type { EventPayment } from '../webhooks/write-event.ts'

export type LinkState =
  | { is: 'open'; attempts: number; lastFailure: FailureReason | null }
  | { is: 'under_way'; attempts: number; method: LinkMethod; msisdnWritten: string | null; providerUrl: string | null }
  | { is: 'succeeded'; method: LinkMethod; validatedAt: number }
  | { is: 'refunded'; validatedAt: number | null }
  | { is: 'closed'; because: 'expired' | 'cancelled' | 'failed' }

export function linkState(row: LinkRow, now: number): LinkState {
  const { status, attempts, method, validated_at: validatedAt } = row
  if (status === 'succeeded')
    return { is: 'succeeded', method: method as LinkMethod, validatedAt: validatedAt as number }
  if (status === 'refunded') return { is: 'refunded', validatedAt }
  if (status === 'failed') {
    const reason = row.failure_reason
    return { is: 'closed', because: reason === 'expired' || reason === 'cancelled' ? reason : 'failed' }
  }
  if (row.attempt_reference !== null) {
    const { msisdn_written: msisdnWritten, provider_url: providerUrl } = row
    return { is: 'under_way', attempts, method: method as LinkMethod, msisdnWritten, providerUrl }
  }
  // Its time is over, though nobody may have noted it yet (D-25).
  if (row.expires_at !== null && row.expires_at <= now) return { is: 'closed', because: 'expired' }
  return { is: 'open', attempts, lastFailure: row.attempt_failure_reason }
}

/** What the account offers and somebody can carry out; nothing while the account is suspended. */
export function availableMethods(
  { account_status: status, link_methods: offered }: Pick<LinkRow, 'account_status' | 'link_methods'>,
  possible: readonly LinkMethod[],
): LinkMethod[] {
  if (status !== 'validated') return []
  return offered
    .split(',')
    .filter(isLinkMethod)
    .filter((method) => possible.includes(method))
}

export const eventPaymentOf = (row: LinkRow): EventPayment => ({
  accountId: row.account_id,
  number: row.number,
  environment: row.environment,
  reference: row.reference,
  publicReference: row.public_reference,
  externalReference: row.external_reference,
  msisdnWritten: null,
  amountXof: row.amount_xof,
  linkReference: row.link_reference,
})
