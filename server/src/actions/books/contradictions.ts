// What follows at once from the lines of a statement for other lists: a contradiction becomes an anomaly, which a person
// resolves there, and released money closes its exception. Nothing is adjusted automatically.

import type { ExceptionKind } from '../../domain/matching.ts'
import type { ConnectionKey } from '../../domain/operator-report.ts'
import type { StatementLine } from '../../domain/statement.ts'
import { findWithheld } from '../../store/books/open-lines.ts'
import { closeExplained, type FoundCandidate } from '../../store/books/statements.ts'
import type { Queries } from '../../store/engine/database.ts'
import { insertRequestAnomaly } from '../../store/payments/anomalies.ts'

interface Judged {
  line: StatementLine
  candidate: FoundCandidate | undefined
  exception: ExceptionKind | null
}

export async function recordContradictions(
  tx: Queries,
  { environment }: ConnectionKey,
  judged: readonly Judged[],
  { at, by }: { at: number; by: string },
): Promise<void> {
  for (const { line, candidate, exception } of judged) {
    if (candidate === undefined) continue
    if (exception === 'paid_although_failed' || exception === 'not_paid_although_succeeded')
      await insertRequestAnomaly(tx, { environment, ...requestOf(candidate) }, { ...anomalyOf(candidate, line), at })
    const isHeld = line.type === 'withheld' || line.type === 'released'
    if (isHeld && (await findWithheld(tx, candidate)) === 0)
      await closeExplained(tx, candidate, ['withheld'], { at, by })
  }
}

const requestOf = ({ operator, reference, accountId, number }: FoundCandidate) => ({
  ...{ operator, requestReference: reference, accountId, number },
})

/** As the network's own report would make it, so that a report and a line are one anomaly. */
function anomalyOf(candidate: FoundCandidate, line: StatementLine) {
  const { status, amountXof, refundReference } = candidate
  if (line.type === 'not_made') {
    const refund = refundReference === null ? {} : { refund: refundReference }
    return { kind: 'failure_after_success', detail: { recorded: status, told: 'failed', ...refund } } as const
  }
  // Accepting it would book another amount than was paid.
  if (line.amountXof !== amountXof)
    return { kind: 'amount_mismatch', detail: { recorded: status, amount: amountXof, told: line.amountXof } } as const
  const told = { told: 'succeeded', operatorReference: line.networkReference }
  return { kind: 'success_after_failure', detail: { recorded: status, ...told } } as const
}
