// Amounts are integers of whole XOF francs. No code divides one.
import type { Environment } from './environment.ts'

export const CURRENCY = 'XOF'

/** spec §8: 25 in live, 50 in sandbox. */
export const MINIMUM_XOF: Readonly<Record<Environment, number>> = { sandbox: 50, live: 25 }

/** D-07 */
export const MAXIMUM_XOF = 999_999_999

/**
 * A text that can only be a whole number of francs: most clients of the contract send digits, and those in PHP often
 * `5000.00` (D-07). One or two zeros and no more: a dot before three digits separates thousands.
 */
export const AMOUNT_DIGITS = /^[1-9][0-9]{0,8}(?:\.0{1,2})?$/

/** A JSON integer or its digits as text, also with `.00` (D-07). Undefined for all else: we do not guess. */
export function readAmountXof(value: unknown, environment: Environment): number | undefined {
  const amount = typeof value === 'string' && AMOUNT_DIGITS.test(value) ? Number(value) : value
  if (!Number.isInteger(amount)) return undefined
  return (amount as number) >= MINIMUM_XOF[environment] && (amount as number) <= MAXIMUM_XOF
    ? (amount as number)
    : undefined
}
