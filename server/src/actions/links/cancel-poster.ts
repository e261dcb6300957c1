// A merchant closes a link that lives on a poster: nobody can pay there any more. Doing it again changes nothing. Audited.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { closePoster } from '../../store/links/posters.ts'
import type { CloseLinkDeps } from './close-payment-link.ts'

export async function cancelPoster(
  { db, clock }: Pick<CloseLinkDeps, 'db' | 'clock'>,
  caller: AccountCaller,
  { linkReference, accountId, status }: Pick<PaymentLink, 'linkReference' | 'accountId' | 'status'>,
): Promise<void> {
  if (status !== 'initiated') return
  await db.transaction(async (tx) => {
    const at = clock.now()
    await closePoster(tx, scopeOf(caller), linkReference, at)
    const record = { at, action: 'link.cancel', subject: linkReference, accountId }
    await insertAudit(tx, caller, { ...record, detail: { account: accountId } })
  })
}
