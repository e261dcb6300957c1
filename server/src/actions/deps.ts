// What actions take from the runtime. Each action names the part that it uses.

import type { Clock, Random } from '../domain/clock-and-random.ts'
import type { OperatorPayment } from '../domain/payments/operator-payment.ts'
import type { OperatorAnswer } from '../domain/payments/operator-report.ts'
import type { PublicReferences } from '../domain/payments/reference.ts'
import type { KeyHasher } from '../domain/people/api-key.ts'
import type { Refused } from '../domain/refusals/refusal.ts'
import type { MasterBox } from '../domain/sealed-box.ts'
import type { StatementParser } from '../statements/statement-parser.ts'
import type { Database, Transaction } from '../store/engine/database.ts'

export interface Deps {
  db: Database
  clock: Clock
  random: Random
  publicReferences: PublicReferences
  nextNumber(): Promise<number>
  nextStoryEntry(): Promise<number>
  hashKey: KeyHasher
  /** Seals the keys with which merchants' servers sign orders. */
  orderKeys: MasterBox
  /** Seals secret keys of the sandbox. */
  keptSecrets: MasterBox
  /** Seals the keys of kept statement files. */
  keptFiles: MasterBox
  statementParser: StatementParser
  /** Seals the keys of archive files. */
  archives: MasterBox
}

/** Asks a network about a payment now, and records its answer; undefined when it was not asked. */
export type AskOperator = (payment: OperatorPayment) => Promise<OperatorAnswer | undefined>

/** Of an action that moves a payment: its history and its event are in the same commit. */
export type MoveDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'nextStoryEntry'>

class RolledBack extends Error {
  readonly refusal: Refused

  constructor(refusal: Refused) {
    super(refusal.refused)
    this.refusal = refusal
  }
}

/** Undoes the transaction of `refusable`, which then returns the refusal. */
export function rollBack(refusal: Refused): never {
  throw new RolledBack(refusal)
}

export const refusable = <Outcome>(
  db: Database,
  work: (tx: Transaction) => Promise<Outcome>,
): Promise<Outcome> =>
  db.transaction(work).catch((error) => {
    if (error instanceof RolledBack) return error.refusal as Outcome
    throw error
  })
