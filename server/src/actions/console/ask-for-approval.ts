// What a second person must approve: the validation of a live account, and a refund above the limit (ADR-0014, D-134). What needs nobody is done at once.
import type { AccountStatus } from '../../domain/account.ts'
import { type AccountCaller, isOfService, type MerchantCaller, type ServicePerson } from '../../domain/caller.ts'
import { maskCardNumbers } from '../../domain/card-number.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import { base32, isPlainText } from '../../domain/reference.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { type Approval, insertApproval } from '../../store/console/approvals.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { namesOfKeys } from '../../store/keys/api-keys.ts'
import { listAccountsOfMerchant } from '../../store/people/members.ts'
import { namesOfPeople } from '../../store/people/people.ts'
import { changeAccountStatus } from '../merchants/change-account.ts'

export const LONGEST_REASON = 500

export interface ApprovalDeps {
  db: Database
  clock: Clock
  random: Random
}

export interface StatusRequest {
  merchantId: string
  environment: Environment
  status: AccountStatus
  /** The merchant sees it. */
  reason: string
}

/** Somebody at the shell has all rights; of people, validating live takes two. */
export async function askForStatus(
  deps: ApprovalDeps,
  caller: AccountCaller,
  request: StatusRequest,
): Promise<{ is: 'done' | 'waiting' } | Refused> {
  if (!isOfService(caller)) return { refused: 'merchant_not_found' }
  const { merchantId, environment, status } = request
  const reason = maskCardNumbers(request.reason)
  if (!isPlainText(reason, LONGEST_REASON)) return { refused: 'note_not_valid', longest: LONGEST_REASON }
  if (caller.is !== 'service_person' || environment === 'sandbox' || status !== 'validated') {
    const changed = await changeAccountStatus(deps, caller, { ...request, reason })
    return isRefused(changed) ? changed : { is: 'done' }
  }
  return deps.db.transaction(async (tx): Promise<{ is: 'waiting' } | Refused> => {
    const account = (await listAccountsOfMerchant(tx, merchantId)).find((each) => each.environment === environment)
    if (account === undefined) return { refused: 'merchant_not_found' }
    const { accountId } = account
    const about = { kind: 'approve_live', merchantId, accountId, subject: accountId } as const
    await askForApproval(deps, tx, caller, { ...about, amountXof: null, reason, refundReference: null })
    return { is: 'waiting' }
  })
}

type About = Pick<
  Approval,
  'kind' | 'merchantId' | 'accountId' | 'subject' | 'amountXof' | 'reason' | 'refundReference'
>

/** Asked for twice, it waits once. As part of a larger transaction. */
export async function askForApproval(
  { clock, random }: Pick<ApprovalDeps, 'clock' | 'random'>,
  tx: Queries,
  caller: ServicePerson | MerchantCaller,
  about: About,
): Promise<void> {
  const at = clock.now()
  const approvalId = `apr_${base32(random.bytes(10), 16)}`
  const askedBy = caller.is === 'merchant_key' ? caller.keyId : caller.personId
  if (!(await insertApproval(tx, { ...about, approvalId, askedBy, askedAt: at }))) return
  const { kind, subject, amountXof, reason, accountId } = about
  const detail = { approval: approvalId, kind, amount: amountXof, reason }
  await insertAudit(tx, caller, { at, action: 'approval.ask', subject, accountId, detail })
}

// Who asked for an approval, as people know them: a person by their name, a key by its own and its first characters.

export async function namesOfAskers(db: Queries, askers: readonly string[]): Promise<Map<string, string>> {
  const ids = [...new Set(askers)]
  const isKey = (id: string) => id.startsWith('key_')
  return new Map([
    ...(await namesOfPeople(
      db,
      ids.filter((id) => !isKey(id)),
    )),
    ...(await namesOfKeys(db, ids.filter(isKey))),
  ])
}
