// Callers of actions in tests, and what tests read of their results.

import type { Environment } from '../../src/domain/environment.ts'
import type { MerchantKey, Shell } from '../../src/domain/people/caller.ts'
import type { Refusal } from '../../src/domain/refusals/refusal.ts'

/** A person with access to the machine, who may do everything. */
export const TESTER: Shell = { is: 'shell', user: 'tester', host: 'test' }

export const merchantKey = (
  accountId: string,
  environment: Environment = 'sandbox',
): MerchantKey => ({
  is: 'merchant_key',
  accountId,
  environment,
  keyId: 'key_test',
  kind: 'secret',
})

/** The result of an action; a refusal fails the test. */
export function granted<Outcome extends object>(
  outcome: Outcome,
): Exclude<Outcome, { refused: Refusal }> {
  if ('refused' in outcome) throw new Error(`refused: ${JSON.stringify(outcome)}`)
  return outcome as Exclude<Outcome, { refused: Refusal }>
}

/** One field of each row. */
export const column = <Row, Name extends keyof Row>(
  rows: readonly Row[],
  name: Name,
): Row[Name][] => rows.map((row) => row[name])
