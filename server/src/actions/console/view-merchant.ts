// One of the staff views a merchant's dashboard, with a reason that the merchant sees, for half an hour (ADR-0014).
import type { MerchantPerson, Person, ServicePerson } from '../../domain/caller.ts'
import { isPlainText, LONGEST_NOTE, maskCardNumbers } from '../../domain/free-text.ts'
import { base32 } from '../../domain/reference.ts'
import type { Refused, RefusedAs } from '../../domain/refusal.ts'
import { insertMerchantAudit } from '../../store/audit/audit-log.ts'
import { findAccountOfMerchant, listAccountsOfMerchant } from '../../store/people/members.ts'
import * as sessionStore from '../../store/people/sessions.ts'
import type { Deps } from '../deps.ts'

const VIEWING_MS = 30 * 60_000
const MOST_SHOWN = 100

type ViewDeps = Pick<Deps, 'db' | 'clock' | 'random'>

export async function viewMerchant(
  { db, clock, random }: ViewDeps,
  caller: ServicePerson,
  { merchantId, sessionId, reason: given }: { merchantId: string; reason: string; sessionId: string },
): Promise<sessionStore.Viewing | Refused> {
  const reason = maskCardNumbers(given)
  if (!isPlainText(reason, LONGEST_NOTE)) return { refused: 'note_not_valid', longest: LONGEST_NOTE }
  return db.transaction(async (tx): Promise<sessionStore.Viewing | Refused> => {
    const accounts = await listAccountsOfMerchant(tx, merchantId)
    if (accounts.length === 0) return { refused: 'merchant_not_found' }
    const at = clock.now()
    const { personId } = caller
    const viewingId = `vie_${base32(random.bytes(10), 16)}`
    const viewing = { viewingId, merchantId, personId, reason, beganAt: at, until: at + VIEWING_MS }
    await sessionStore.insertViewing(tx, viewing)
    await sessionStore.setViewing(tx, sessionId, viewingId)
    const record = { at, action: 'merchant.view', subject: merchantId, detail: { reason } }
    await insertMerchantAudit(tx, caller, merchantId, record)
    return viewing
  })
}

export async function endView(
  { db, clock }: Pick<ViewDeps, 'db' | 'clock'>,
  { sessionId }: Person,
  { viewing }: { viewing: sessionStore.Viewing | null },
): Promise<{ ended: true }> {
  await db.transaction(async (tx) => {
    if (viewing !== null) await sessionStore.endViewing(tx, viewing.viewingId, clock.now())
    await sessionStore.setViewing(tx, sessionId, null)
  })
  return { ended: true }
}

export async function listOwnViewings(
  { db }: Pick<ViewDeps, 'db'>,
  { accountId }: MerchantPerson,
): Promise<{ rows: sessionStore.ViewingByName[] } | RefusedAs<'account_not_found'>> {
  const account = await findAccountOfMerchant(db, accountId)
  if (account === undefined) return { refused: 'account_not_found' }
  return { rows: await sessionStore.listViewings(db, account.merchantId, MOST_SHOWN) }
}
