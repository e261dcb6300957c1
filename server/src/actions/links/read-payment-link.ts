// What anyone with a link may see of it: never who pays, and the payment's own reference only once it is paid (D-24).
import type { Payer } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import { linkState } from '../../domain/link-state.ts'
import type { PublicLink } from '../../domain/payment-link.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { openLink } from './find-link.ts'

export async function readPaymentLink(
  { db, clock }: { db: Database; clock: Clock },
  caller: Payer,
): Promise<PublicLink | RefusedAs<'payment_not_found'>> {
  const link = await openLink({ db }, caller)
  if (isRefused(link)) return { refused: 'payment_not_found' }
  const isClosed = linkState(link, clock.now()).is === 'closed'
  return {
    ...link,
    status: isClosed ? 'failed' : link.status,
    paymentReference: link.validatedAt === null ? undefined : link.reference,
  }
}
