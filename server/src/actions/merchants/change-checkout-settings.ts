// Changes what an account's links can be paid with, which sites may create links with its public key, what such links say, and whether the
// account's pages work at all. Audited (D-55, D-57, D-60).
import type { AccountCaller } from '../../domain/caller.ts'
import { maskCardNumbers } from '../../domain/card-number.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import {
  type CheckoutPages,
  LINK_METHODS,
  type LinkMethod,
  LONGEST_TITLE,
  type PageTitles,
} from '../../domain/payment-link.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import { isShownText } from '../../domain/shown-text.ts'
import { originFault } from '../../domain/web-address.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import {
  type CheckoutSettings,
  findCheckoutSettings,
  lockAccount,
  setCheckoutSettings,
} from '../../store/merchants/accounts.ts'
import { findActingAccount } from './acting-account.ts'

export interface CheckoutSettingsDeps {
  db: Database
  clock: Clock
}

/** A field that is left out stays unchanged. */
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

/** Returns the settings after the change. */
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
      methods: change.methods === undefined ? before.methods : LINK_METHODS.filter((m) => change.methods?.includes(m)),
      origins: [...new Set(change.origins ?? before.origins)],
      pages: change.pages ?? before.pages,
      wording: maskCardNumbers(change.wording ?? before.wording),
      pageTitles: change.pageTitles ?? before.pageTitles,
    }
    await setCheckoutSettings(tx, accountId, settings)
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

function faultOf({ methods, origins = [], wording = '' }: CheckoutSettingsChange): Refused | undefined {
  if (methods?.length === 0) return { refused: 'link_methods_missing' }
  if (wording !== '' && !isShownText(wording, LONGEST_TITLE)) {
    return { refused: 'wording_not_valid', longest: LONGEST_TITLE }
  }
  if (origins.length > MOST_ORIGINS) return { refused: 'too_many_origins', most: MOST_ORIGINS }
  for (const origin of origins) {
    const fault = originFault(origin)
    if (fault !== undefined) return { refused: 'site_origin_not_valid', origin: maskCardNumbers(origin), fault }
  }
  return undefined
}
