// How a link stands: with an amount or without, for one payer or for many, and for how long (D-92).
import type { Environment } from './environment.ts'
import { MINIMUM_XOF, readAmountXof } from './money.ts'
import type { UncheckedLink } from './payment-link.ts'
import type { RefusedAs } from './refusal.ts'

export interface OpenAmount {
  minimumXof: number
  /** For the payer to choose from. */
  suggestedXof: readonly number[]
}

/** D-25 */
export const LINK_LIFE_MS = 30 * 60_000

export const MOST_SUGGESTED = 4
export const LIFE_MINUTES = { least: 5, most: 129_600 } as const

interface UncheckedAmount {
  amount: unknown
  minimumAmount: unknown
  suggestedAmounts: unknown
}

/** Null for a link with an amount. */
function readOpenAmount(
  { amount, minimumAmount, suggestedAmounts }: UncheckedAmount,
  environment: Environment,
): OpenAmount | null | RefusedAs<'minimum_amount_not_valid' | 'suggested_amounts_not_valid'> {
  const isOpen = (amount ?? null) === null && (minimumAmount ?? null) !== null
  if (!isOpen) {
    if ((minimumAmount ?? null) !== null) return { refused: 'minimum_amount_not_valid' }
    return (suggestedAmounts ?? null) === null ? null : { refused: 'suggested_amounts_not_valid' }
  }
  const minimumXof = readAmountXof(minimumAmount, environment)
  if (minimumXof === undefined) return { refused: 'minimum_amount_not_valid' }
  const given = suggestedAmounts ?? []
  if (!Array.isArray(given) || given.length > MOST_SUGGESTED) return { refused: 'suggested_amounts_not_valid' }
  const suggestedXof = given.map((each) => readAmountXof(each, environment))
  const isValid = suggestedXof.every((each) => each !== undefined && each >= minimumXof)
  return isValid ? { minimumXof, suggestedXof: suggestedXof as number[] } : { refused: 'suggested_amounts_not_valid' }
}

/** Whole groups of three alone: `1000,00` without its comma would be a hundred times as much. */
const GROUPED = /^(?:\d{1,9}|\d{1,3}(?:[ .,\u00a0\u202f]\d{3}){1,2})$/

/** What a payer typed: digits, with the spaces, dots or commas between groups of three that people write. */
export function readTypedAmount(typed: string, minimumXof: number): number | undefined {
  const written = typed.trim()
  if (!GROUPED.test(written)) return undefined
  const amount = readAmountXof(written.replace(/\D/g, ''), 'live')
  return amount === undefined || amount < Math.max(minimumXof, MINIMUM_XOF.live) ? undefined : amount
}

const isLifeMinutes = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= LIFE_MINUTES.least && (value as number) <= LIFE_MINUTES.most

interface Standing {
  openAmount: OpenAmount | null
  isReusable: boolean
  /** Null for a link that never expires. */
  lifeMs: number | null
}

type StandingFault =
  | 'minimum_amount_not_valid'
  | 'suggested_amounts_not_valid'
  | 'reusable_not_valid'
  | 'expires_in_minutes_not_valid'

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** How the link stands: for one payer or for many, with an amount or without, and for how long (D-92). */
export function checkStanding(unchecked: UncheckedLink, environment: Environment): Standing | RefusedAs<StandingFault> {
  const { reusable, expiresInMinutes, shouldExpire, externalReference, orderReference } = unchecked
  const openAmount = readOpenAmount(unchecked, environment)
  if (openAmount !== null && 'refused' in openAmount) return openAmount
  if (isGiven(reusable) && typeof reusable !== 'boolean') return { refused: 'reusable_not_valid' }
  const isReusable = reusable === true
  // Each payer's payment has names of its own: one for all of them would be refused at the second.
  if (isReusable && (isGiven(externalReference) || isGiven(orderReference))) return { refused: 'reusable_not_valid' }
  if (isGiven(expiresInMinutes) && (!isLifeMinutes(expiresInMinutes) || shouldExpire === false)) {
    return { refused: 'expires_in_minutes_not_valid' }
  }
  // A poster hangs until its merchant says otherwise.
  const expires = isGiven(shouldExpire) ? shouldExpire === true : !isReusable
  const usualMs = expires ? LINK_LIFE_MS : null
  return { openAmount, isReusable, lifeMs: isGiven(expiresInMinutes) ? (expiresInMinutes as number) * 60_000 : usualMs }
}
