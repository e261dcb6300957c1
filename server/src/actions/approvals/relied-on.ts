// What a second person relies on when they approve a request: the account's status, the merchant's
// file, the refunds of the payment, and that its asker may still ask. Kept with the request and
// compared when it is decided (D-190).
import { createHash } from 'node:crypto'
import type { AccountStatus } from '../../domain/environment.ts'
import { BUSINESS_FIELDS } from '../../domain/merchants/brand.ts'
import { actorOf, type Caller } from '../../domain/people/caller.ts'
import { mayInAccount, SERVICE_RIGHTS, type ServiceRole } from '../../domain/people/role.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import {
  type Approval,
  endLiveApproval as closeLiveApproval,
  releaseTask,
} from '../../store/console/tasks.ts'
import type { Queries } from '../../store/engine/database.ts'
import { findKey } from '../../store/keys/api-keys.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { listDocuments } from '../../store/merchants/documents.ts'
import { findProfile } from '../../store/merchants/profiles.ts'
import { findRefundsSum } from '../../store/payments/refunds.ts'
import {
  findAccountOfMerchant,
  findMember,
  listAccountsOfMerchant,
} from '../../store/people/members.ts'
import { findPerson } from '../../store/people/people.ts'

interface ReliedOn {
  status: AccountStatus | null
  /** Of a validation: a hash of the business and its documents. */
  file?: string
  /** Of a refund: the sum of the payment's refunds that have not failed, in francs. */
  refundsXof?: number
}

type Subject = Pick<Approval, 'kind' | 'merchantId' | 'accountId' | 'subject'>

export async function readReliedOn(
  db: Queries,
  { kind, merchantId, accountId, subject }: Subject,
): Promise<ReliedOn> {
  const status = (await findAccountOfMerchant(db, accountId))?.status ?? null
  return kind === 'approve_live'
    ? { status, file: await hashOfFile(db, merchantId, accountId) }
    : { status, refundsXof: await findRefundsSum(db, accountId, subject) }
}

async function hashOfFile(db: Queries, merchantId: string, accountId: string): Promise<string> {
  const profile = await findProfile(db, accountId)
  const documents = await listDocuments(db, merchantId)
  const judged = [
    BUSINESS_FIELDS.map((field) => profile?.[field] ?? ''),
    documents.map(({ documentId }) => documentId),
  ]
  return createHash('sha256').update(JSON.stringify(judged)).digest('hex')
}

export type ChangeSince =
  | { what: 'status'; from: AccountStatus | null; to: AccountStatus | null }
  | { what: 'file' }
  /** The key was revoked or rolled, or the person lost the right. */
  | { what: 'asker' }
  | { what: 'refunds'; from: number; to: number }

export async function changesSince(
  db: Queries,
  approval: Approval,
  now: number,
): Promise<ChangeSince[]> {
  const changes: ChangeSince[] = (await mayStillAsk(db, approval, now)) ? [] : [{ what: 'asker' }]
  if (approval.askedState === null) return changes
  const [then, current] = [
    JSON.parse(approval.askedState) as ReliedOn,
    await readReliedOn(db, approval),
  ]
  if (then.status !== current.status)
    changes.push({ what: 'status', from: then.status, to: current.status })
  if (then.file !== current.file) changes.push({ what: 'file' })
  const [from, to] = [then.refundsXof ?? 0, current.refundsXof ?? 0]
  if (from !== to) changes.push({ what: 'refunds', from, to })
  return changes
}

/**
 * The sum of the refunds is shown: its approver judges it as it is now. A validation since then
 * harms no one.
 */
export const endsApproval = (change: ChangeSince): boolean =>
  change.what !== 'refunds' && !(change.what === 'status' && change.to === 'validated')

async function mayStillAsk(
  db: Queries,
  { kind, merchantId, accountId, askedBy }: Approval,
  now: number,
): Promise<boolean> {
  if (askedBy.startsWith('key_')) {
    const key = await findKey(db, { accountId }, askedBy)
    return key !== undefined && (key.expiresAt === null || key.expiresAt > now)
  }
  const person = await findPerson(db, askedBy)
  if (person === undefined) return false
  const { serviceRole } = person
  const right = kind === 'approve_live' ? SERVICE_RIGHTS.changeStatus : SERVICE_RIGHTS.settleTasks
  if (serviceRole !== null && (right as readonly ServiceRole[]).includes(serviceRole)) return true
  const member = await findMember(db, merchantId, askedBy)
  return kind === 'approve_refund' && member !== undefined && mayInAccount(member.role, 'refund')
}

/**
 * A later decision about a live account answers the request to validate it. As part of a larger
 * transaction.
 */
export async function endLiveApproval(
  tx: Queries,
  accountId: string,
  caller: Caller,
  at: number,
): Promise<void> {
  const approval = await closeLiveApproval(tx, accountId, actorOf(caller), at)
  if (approval === undefined) return
  await releaseTask(tx, approval)
  await insertAudit(tx, caller, {
    at,
    action: 'approval.end',
    subject: accountId,
    accountId,
    detail: { approval },
  })
}

/** The file is no longer the one that was judged. Locks the account first, as a decision does. */
export async function endApprovalOfFile(
  tx: Queries,
  merchantId: string,
  caller: Caller,
  at: number,
): Promise<void> {
  const live = (await listAccountsOfMerchant(tx, merchantId)).find(
    ({ environment }) => environment === 'live',
  )
  if (live === undefined) return
  await lockAccount(tx, live.accountId)
  await endLiveApproval(tx, live.accountId, caller, at)
}
