// A payer is back from the provider's page: the provider is polled now, so that the link's page shows the outcome.
import type { Payer } from '../../domain/caller.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findOperatorPayment } from '../../store/payments/pending-payments.ts'
import { openLink } from './find-link.ts'

export interface ReturnDeps {
  db: Database
  askOperator(payment: OperatorPayment): Promise<void>
}

/** `asked`: whether there was a pending attempt to poll for. Once it has ended there is none, however often the payer comes back. */
export async function returnFromProvider(
  { db, askOperator }: ReturnDeps,
  caller: Payer,
): Promise<{ asked: boolean } | RefusedAs<'link_not_found'>> {
  const link = await openLink({ db }, caller)
  if (isRefused(link)) return link
  if (link.attemptStatus !== 'pending' || link.method === 'mobile') return { asked: false }
  const payment = await findOperatorPayment(db, link, link.reference)
  if (payment !== undefined) await askOperator(payment)
  return { asked: true }
}
