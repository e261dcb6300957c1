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
    amount: link.amountXof,
    reusable: false,
    state: stateOf(state),
    payments: isPaid ? 1 : 0,
    collected: state.is === 'succeeded' ? link.amountXof : 0,
    createdAt: link.createdAt,
    expiresAt: link.expiresAt,
  }
}

function stateOf(state: LinkState): LinkRow['state'] {
  if (state.is === 'open' || state.is === 'under_way') return 'open'
  if (state.is !== 'closed') return 'paid'
  return state.because === 'expired' ? 'expired' : 'closed'
}
