// Amounts are integers of whole XOF francs. No code divides one.
import type { Environment } from './environment.ts'

export const CURRENCY = 'XOF'

/** spec §8: 25 in live, 50 in sandbox. */
export const MINIMUM_XOF: Readonly<Record<Environment, number>> = { sandbox: 50, live: 25 }

/** D-07 */
export const MAXIMUM_XOF = 999_999_999

/** A string of digits is refused: the contract says integer, and we do not guess about money (D-07). */
export function isAmountXof(value: unknown, environment: Environment): value is number {
  return Number.isInteger(value) && (value as number) >= MINIMUM_XOF[environment] && (value as number) <= MAXIMUM_XOF
}
