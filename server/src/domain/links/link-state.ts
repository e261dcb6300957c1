// The state of a payment link, derived from its row: open, being paid, or closed. The payer's page,
// the public read and the actions all use it, so that they agree.
import { createHash } from 'node:crypto'
import { type LinkMethod, offeredMethods } from '../methods/methods.ts'
import { type PayerStep, readPayerStep } from '../methods/payer-step.ts'
import type { FailureReason } from '../payments/payment-status.ts'
import type { PaymentLink } from './payment-link.ts'

export type LinkState =
  | { is: 'open'; attempts: number; lastFailure: FailureReason | null }
  | {
      is: 'under_way'
      attempts: number
      method: LinkMethod
      msisdnWritten: string | null
      payerStep: PayerStep | null
    }
  | { is: 'succeeded'; method: LinkMethod; validatedAt: number }
  | { is: 'refunded'; validatedAt: number | null }
  | { is: 'closed'; because: 'expired' | 'cancelled' | 'failed' }

export function linkState(link: PaymentLink, now: number): LinkState {
  const { status, attempts, method, validatedAt } = link
  if (status === 'succeeded')
    return { is: 'succeeded', method: method as LinkMethod, validatedAt: validatedAt as number }
  if (status === 'refunded') return { is: 'refunded', validatedAt }
  if (status === 'failed') {
    const reason = link.failureReason
    return {
      is: 'closed',
      because: reason === 'expired' || reason === 'cancelled' ? reason : 'failed',
    }
  }
  if (link.attemptReference !== null) {
    return {
      is: 'under_way',
      attempts,
      method: method as LinkMethod,
      msisdnWritten: link.msisdnWritten,
      payerStep: readPayerStep(link.payerStep),
    }
  }
  // It has expired, even if the worker has not recorded that yet (D-25).
  if (link.expiresAt !== null && link.expiresAt <= now) return { is: 'closed', because: 'expired' }
  return { is: 'open', attempts, lastFailure: link.attemptFailureReason }
}

/** The stored hash of the token that a browser gets when it begins an attempt. */
export const browserHashOf = (token: string): string =>
  createHash('sha256').update(token).digest('hex')

/** Whether the browser with these tokens began the attempt in progress, or the paid one. */
export const hasBegun = (
  { browserHash }: Pick<PaymentLink, 'browserHash'>,
  tokens: readonly string[],
): boolean => browserHash !== null && tokens.some((token) => browserHashOf(token) === browserHash)

/**
 * Whether a browser may see the receipt: it began the paid attempt, or has its hash in the address.
 */
export const mayReadReceipt = (
  link: Pick<PaymentLink, 'browserHash'>,
  tokens: readonly string[],
): boolean =>
  hasBegun(link, tokens) || (link.browserHash !== null && tokens.includes(link.browserHash))

/** The account's methods that can be carried out; none while the account or its pages are off. */
export function availableMethods(
  {
    accountStatus,
    linkMethods,
    pages,
  }: Pick<PaymentLink, 'accountStatus' | 'linkMethods' | 'pages'>,
  possible: readonly LinkMethod[],
): LinkMethod[] {
  if (accountStatus !== 'validated' || pages === 'off') return []
  return offeredMethods(linkMethods).filter((method) => possible.includes(method))
}

/** Whether no payer has typed an amount yet. */
export const isAmountOpen = (link: Pick<PaymentLink, 'minimumAmountXof' | 'attempts'>): boolean =>
  link.minimumAmountXof !== null && link.attempts === 0

export const suggestedOf = ({
  suggestedAmounts,
}: Pick<PaymentLink, 'suggestedAmounts'>): number[] =>
  suggestedAmounts === '' ? [] : suggestedAmounts.split(',').map(Number)

/** Adds the outcome for the merchant's site. A payer can edit it, so it proves nothing. */
export function withOutcome(
  url: string,
  {
    reference,
    status,
    ...link
  }: Pick<PaymentLink, 'reference' | 'publicReference' | 'externalReference' | 'amountXof'> & {
    status: string
  },
): string {
  const address = new URL(url)
  const outcome: [name: string, value: string][] = [
    ['reference', reference],
    ['status', status],
    ['public_reference', link.publicReference],
    ['external_reference', link.externalReference],
    ['amount', String(link.amountXof)],
  ]
  for (const [name, value] of outcome) address.searchParams.set(name, value)
  return address.href
}
