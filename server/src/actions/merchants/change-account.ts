// Changes what an account's links can be paid with, which sites may create links with its public
// key, what such links say, and whether the account's pages work at all. Audited (D-55, D-57,
// D-60).

import type { AccountStatus, Environment } from '../../domain/environment.ts'
import {
  type CheckoutPages,
  type CheckoutSettings,
  LONGEST_TITLE,
  type PageTitles,
} from '../../domain/links/payment-link.ts'
import { LINK_METHODS, type LinkMethod } from '../../domain/methods/methods.ts'
import { type AccountCaller, isOfService, type ServiceCaller } from '../../domain/people/caller.ts'
import { isRefused, type Refused } from '../../domain/refusals/refusal.ts'
import {
  isPlainText,
  isShownText,
  LONGEST_NOTE,
  maskCardNumbers,
} from '../../domain/texts/free-text.ts'
import { originFault } from '../../domain/texts/web-address.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { releaseTask, reviewTaskOf } from '../../store/console/tasks.ts'
import type { Queries } from '../../store/engine/database.ts'
import {
  findCheckoutSettings,
  lockAccount,
  setAccountStatus,
  setCheckoutSettings,
  setLinkMethods,
} from '../../store/merchants/accounts.ts'
import { setValidationAsked } from '../../store/merchants/profiles.ts'
import { listAccountsOfMerchant } from '../../store/people/members.ts'
import { findActingAccount } from '../accounts/acting-account.ts'
import { endLiveApproval } from '../approvals/relied-on.ts'
import { requestApproval } from '../approvals/request-approval.ts'
import type { Deps } from '../deps.ts'
import { notifyMerchant } from '../notices/notices.ts'

export type CheckoutSettingsDeps = Pick<Deps, 'db' | 'clock'>

export interface CheckoutSettingsChange {
  accountId: string
  methods?: readonly LinkMethod[]
  origins?: readonly string[]
  pages?: CheckoutPages
  /** Empty for none. */
  wording?: string
  pageTitles?: PageTitles
}

const MOST_ORIGINS = 20

export async function changeCheckoutSettings(
  { db, clock }: CheckoutSettingsDeps,
  caller: AccountCaller,
  change: CheckoutSettingsChange,
): Promise<CheckoutSettings | Refused> {
  const fault = faultOf(change)
  if (fault !== undefined) return fault
  return db.transaction(async (tx) => {
    const account = await findActingAccount(tx, caller, change.accountId)
    if (isRefused(account)) return account
    const { accountId } = account
    await lockAccount(tx, accountId)
    const before = await findCheckoutSettings(tx, accountId)
    const settings = {
      methods:
        change.methods === undefined
          ? before.methods
          : LINK_METHODS.filter((m) => change.methods?.includes(m)),
      origins: [...new Set(change.origins ?? before.origins)],
      pages: change.pages ?? before.pages,
      wording: maskCardNumbers(change.wording ?? before.wording),
      pageTitles: change.pageTitles ?? before.pageTitles,
    }
    await setCheckoutSettings(tx, accountId, settings)
    if (change.methods !== undefined) await setLinkMethods(tx, accountId, settings.methods)
    const record = { at: clock.now(), action: 'account.offer', subject: accountId, accountId }
    await insertAudit(tx, caller, { ...record, earlier: before, detail: settings })
    return settings
  })
}

export async function readCheckoutSettings(
  { db }: Pick<CheckoutSettingsDeps, 'db'>,
  caller: AccountCaller,
  { accountId }: Pick<CheckoutSettingsChange, 'accountId'>,
): Promise<CheckoutSettings | Refused> {
  const account = await findActingAccount(db, caller, accountId)
  return isRefused(account) ? account : findCheckoutSettings(db, account.accountId)
}

function faultOf({
  methods,
  origins = [],
  wording = '',
}: CheckoutSettingsChange): Refused | undefined {
  if (methods?.length === 0) return { refused: 'link_methods_missing' }
  if (wording !== '' && !isShownText(wording, LONGEST_TITLE))
    return { refused: 'wording_not_valid', longest: LONGEST_TITLE }
  if (origins.length > MOST_ORIGINS) return { refused: 'too_many_origins', most: MOST_ORIGINS }
  for (const origin of origins) {
    const fault = originFault(origin)
    if (fault !== undefined)
      return { refused: 'site_origin_not_valid', origin: maskCardNumbers(origin), fault }
  }
  return undefined
}

// Validates or suspends a merchant's account in one environment, with a reason that the merchant
// sees. Audited (D-18).

export interface AccountStatusChange {
  merchantId: string
  environment: Environment
  status: AccountStatus
  reason?: string | undefined
}

export async function changeAccountStatus(
  deps: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  change: AccountStatusChange,
): Promise<{ accountId: string } | Refused> {
  // No merchant decides about validation, not even about its own.
  if (!isOfService(caller)) return { refused: 'merchant_not_found' }
  return deps.db.transaction((tx) => changeStatusIn(deps, tx, caller, change))
}

/**
 * In the CLI a user has all rights; validating a live account in the console takes two people
 * (ADR-0014).
 */
export async function askForStatus(
  deps: Pick<Deps, 'db' | 'clock' | 'random'>,
  caller: AccountCaller,
  request: AccountStatusChange & { reason: string },
): Promise<{ is: 'done' | 'waiting' } | Refused> {
  if (!isOfService(caller)) return { refused: 'merchant_not_found' }
  const { merchantId, environment, status } = request
  const reason = maskCardNumbers(request.reason)
  if (!isPlainText(reason, LONGEST_NOTE))
    return { refused: 'note_not_valid', longest: LONGEST_NOTE }
  if (caller.is !== 'service_person' || environment === 'sandbox' || status !== 'validated') {
    const changed = await changeAccountStatus(deps, caller, { ...request, reason })
    return isRefused(changed) ? changed : { is: 'done' }
  }
  return deps.db.transaction(async (tx): Promise<{ is: 'waiting' } | Refused> => {
    const account = (await listAccountsOfMerchant(tx, merchantId)).find(
      (each) => each.environment === environment,
    )
    if (account === undefined) return { refused: 'merchant_not_found' }
    const { accountId } = account
    const about = { kind: 'approve_live', merchantId, accountId, subject: accountId } as const
    await requestApproval(deps, tx, caller, {
      ...about,
      amountXof: null,
      reason,
      refundReference: null,
    })
    return { is: 'waiting' }
  })
}

export async function changeStatusIn(
  { clock }: Pick<Deps, 'clock'>,
  tx: Queries,
  caller: ServiceCaller,
  { merchantId, environment, status, reason }: AccountStatusChange,
): Promise<{ accountId: string } | Refused> {
  const before = (await listAccountsOfMerchant(tx, merchantId)).find(
    (each) => each.environment === environment,
  )
  const accountId = await setAccountStatus(tx, merchantId, environment, status, reason ?? null)
  if (accountId === undefined || before === undefined) return { refused: 'merchant_not_found' }
  // A request for validation has its answer now.
  if (environment === 'live') {
    await setValidationAsked(tx, merchantId, null)
    await releaseTask(tx, reviewTaskOf(merchantId))
  }
  const at = clock.now()
  if (environment === 'live') await endLiveApproval(tx, accountId, caller, at)
  // A refused request leaves the status as it was, and has a reason.
  if (before.status !== status || (status === 'unvalidated' && reason !== undefined)) {
    const cause = `${accountId} ${status}`
    await notifyMerchant(tx, at, { kind: 'account_status', about: cause, accountId, cause })
  }
  const earlier = {
    environment,
    status: before.status,
    ...(before.reason !== null && { reason: before.reason }),
  }
  const record = { at, action: 'merchant.status', subject: merchantId, accountId, earlier }
  await insertAudit(tx, caller, { ...record, detail: { environment, status, reason } })
  return { accountId }
}
