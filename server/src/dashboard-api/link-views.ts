// Payment links as the dashboard's page gets them.
import { type LinkState, linkState } from '../domain/link-state.ts'
import type { PaymentLink } from '../domain/payment-link.ts'
import type { LinkRow } from './shapes.ts'

export function linkRow(link: PaymentLink, now: number, pageUrl: (linkReference: string) => string): LinkRow {
  const state = linkState(link, now)
  const isPaid = state.is === 'succeeded' || state.is === 'refunded'
  return {
    reference: link.linkReference,
    url: pageUrl(link.linkReference),
    title: link.title,
    amount: isTyped(link) ? null : link.amountXof,
    reusable: link.collected !== null,
    state: stateOf(state),
    payments: link.collected?.payments ?? (isPaid ? 1 : 0),
    collected: link.collected?.amountXof ?? (state.is === 'succeeded' ? link.amountXof : 0),
    createdAt: link.createdAt,
    expiresAt: link.expiresAt,
  }
}

/** Whether the payer types the amount, and none has yet. */
export const isTyped = ({ minimumAmountXof, status }: PaymentLink): boolean =>
  minimumAmountXof !== null && (status === 'initiated' || status === 'failed')

function stateOf(state: LinkState): LinkRow['state'] {
  if (state.is === 'open' || state.is === 'under_way') return 'open'
  if (state.is !== 'closed') return 'paid'
  return state.because === 'expired' ? 'expired' : 'closed'
}
