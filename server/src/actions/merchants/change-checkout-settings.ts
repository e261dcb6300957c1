// What an account offers on its links, and which sites may make one with its public key: changed by hand, and noted by whom (D-55).
import type { Clock } from '../../domain/clock-and-random.ts'
import { LINK_METHODS, type LinkMethod } from '../../domain/payment-link.ts'
import { originFault } from '../../domain/site-origin.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import {
  type CheckoutSettings,
  findCheckoutSettings,
  lockAccount,
  setCheckoutSettings,
} from '../../store/merchants/accounts.ts'
import type { NotDone } from '../webhooks/add-endpoint.ts'

export interface CheckoutSettingsDeps {
  db: Database
  clock: Clock
}

/** What is not there stays as it is. */
export interface CheckoutSettingsChange {
  methods?: readonly LinkMethod[]
  origins?: readonly string[]
}

export const MOST_ORIGINS = 20

/** The offer as it is now; undefined when there is no such account. */
export async function changeCheckoutSettings(
  deps: CheckoutSettingsDeps,
  accountId: string,
  change: CheckoutSettingsChange,
  actor: string,
): Promise<CheckoutSettings | NotDone | undefined> {
  const fault = faultOf(change)
  if (fault !== undefined) return { because: fault }
  return deps.db.transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId))) return undefined
    const before = (await findCheckoutSettings(tx, accountId)) as CheckoutSettings
    const settings = {
      methods: change.methods === undefined ? before.methods : LINK_METHODS.filter((m) => change.methods?.includes(m)),
      origins: [...new Set(change.origins ?? before.origins)],
    }
    await setCheckoutSettings(tx, accountId, settings)
    const detail = { from: before, to: settings }
    await insertAudit(tx, { at: deps.clock.now(), actor, action: 'account.offer', subject: accountId, detail })
    return settings
  })
}

function faultOf({ methods, origins = [] }: CheckoutSettingsChange): string | undefined {
  if (methods?.length === 0) return `An account offers at least one of ${LINK_METHODS.join(', ')}.`
  if (origins.length > MOST_ORIGINS) return `An account lists at most ${MOST_ORIGINS} sites.`
  for (const origin of origins) {
    const fault = originFault(origin)
    if (fault !== undefined) return `${origin} ${fault}.`
  }
  return undefined
}
