// A payment link as its merchant and the service's staff see it, printed as JSON. What anyone with the link may see is in wire/link.ts.
import { isAmountOpen, type LinkState, suggestedOf } from '../domain/link-state.ts'
import type { Page } from '../domain/page.ts'
import type { PaymentLink } from '../domain/payment-link.ts'
import { isoTime, optionalTime } from './json.ts'
import { makerFields } from './payment.ts'

/** The addresses of the link's page and of its share page. */
interface LinkAddresses {
  page: string
  share: string
}

type NewLink = Pick<PaymentLink, 'linkReference' | 'publicReference' | 'expiresAt'>

export const newLinkFields = (link: NewLink, { page, share }: LinkAddresses): object => ({
  reference: link.linkReference,
  page_url: page,
  share_url: share,
  public_reference: link.publicReference,
  expires_at: optionalTime(link.expiresAt),
})

interface ListedLink {
  link: PaymentLink
  state: LinkState
  /** Undefined when the settings name no public address. */
  addresses: LinkAddresses | undefined
}

const listedLinkFields = ({ link, state, addresses }: ListedLink): object => ({
  reference: link.linkReference,
  state: state.is,
  because: state.is === 'closed' ? state.because : undefined,
  account: link.accountId,
  environment: link.environment,
  payment_reference: link.collected === null ? link.reference : undefined,
  public_reference: link.publicReference,
  external_reference: link.collected === null ? link.externalReference : undefined,
  title: link.title,
  amount: isAmountOpen(link) ? undefined : link.amountXof,
  minimum_amount: link.minimumAmountXof ?? undefined,
  suggested_amounts: link.minimumAmountXof === null ? undefined : suggestedOf(link),
  reusable: link.collected === null ? undefined : true,
  payments_count: link.collected?.payments,
  collected_amount: link.collected?.amountXof,
  expires_at: optionalTime(link.expiresAt),
  origin: link.origin ?? undefined,
  ...makerFields(link),
  page_url: addresses?.page,
  share_url: addresses?.share,
})

/** `next` is left out on the last page. */
export const linkPageFields = ({ rows, next }: Page<ListedLink>): object => ({
  links: rows.map(listedLinkFields),
  next,
})

interface LinkAttempt {
  attempt: number
  method: string
  operator: string
  status: string
  failureReason: string | null
  createdAt: number
  endedAt: number | null
}

export const shownLinkFields = (shown: ListedLink & { attempts: readonly LinkAttempt[] }): object => ({
  ...listedLinkFields(shown),
  attempts: shown.attempts.map(({ attempt, method, operator, status, failureReason, createdAt, endedAt }) => ({
    attempt,
    method,
    operator,
    status,
    failure_reason: failureReason ?? undefined,
    created_at: isoTime(createdAt),
    ended_at: optionalTime(endedAt),
  })),
})
