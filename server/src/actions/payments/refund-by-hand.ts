// Refunds that the network has no call for: a person makes them, in the network's portal or with its support, and says here what came of it.
import { type AccountCaller, actorOf, scopeOf } from '../../domain/caller.ts'
import { maskCardNumbers } from '../../domain/card-number.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import { isPlainText } from '../../domain/reference.ts'
import type { Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { insertStory } from '../../store/payments/payment-story.ts'
import { endRefund, findRefundByHand, listRefundsByHand, type RefundByHand } from '../../store/payments/refunds.ts'
import { refundDetail } from '../../wire/refund.ts'
import { recordRefunded } from './record-refunded.ts'

export interface RefundByHandDeps {
  db: Database
  clock: Clock
  random: Random
  nextStoryEntry(): Promise<number>
}

const LONGEST_PROOF = 500
/** A person works through them: more than these are seen once some are done. */
const MOST_LISTED = 1_000

export const listRefundTasks = async (
  { db }: Pick<RefundByHandDeps, 'db'>,
  caller: AccountCaller,
): Promise<{ rows: RefundByHand[] }> => ({ rows: await listRefundsByHand(db, scopeOf(caller), MOST_LISTED) })

export interface EndedRefund {
  refundReference: string
  reference: string
}

/** `proof`: what shows that the money went back, or why it does not. */
export async function endRefundByHand(
  deps: RefundByHandDeps,
  caller: AccountCaller,
  input: { refundReference: string; isMade: boolean; proof: string },
): Promise<EndedRefund | Refused> {
  const { refundReference, isMade } = input
  if (!isPlainText(input.proof, LONGEST_PROOF)) return { refused: 'proof_not_valid', longest: LONGEST_PROOF }
  const proof = maskCardNumbers(input.proof)
  const [endEntry, moveEntry] = [await deps.nextStoryEntry(), await deps.nextStoryEntry()]
  return deps.db.transaction(async (tx): Promise<EndedRefund | Refused> => {
    const refund = await findRefundByHand(tx, scopeOf(caller), refundReference)
    if (refund === undefined) return { refused: 'refund_not_by_hand' }
    const { accountId, number, reference } = refund
    const at = deps.clock.now()
    const endedBy = actorOf(caller)
    const end = isMade
      ? ({ status: 'succeeded', failureReason: null, at } as const)
      : ({ status: 'failed', failureReason: 'operator_error', at } as const)
    if (!(await endRefund(tx, refund, end, { endedBy, proof }))) return { refused: 'refund_not_by_hand' }
    const detail = refundDetail(refundReference, { is: isMade ? 'made_by_hand' : 'given_up', by: endedBy, proof })
    await insertStory(tx, [{ accountId, number, entry: endEntry, at, kind: 'refund', detail }])
    if (isMade) await recordRefunded(deps, tx, refund, { entry: moveEntry, at })
    const action = isMade ? 'refund.confirm' : 'refund.reject'
    await insertAudit(tx, caller, { at, action, subject: refundReference, accountId, detail: { proof } })
    return { refundReference, reference }
  })
}
