// How many statements a process makes and imports at once: one for each account, and a few in all. One that it makes
// holds up to 10,000 movements in memory until its reader has them; an import takes some hundred megabytes.
import type { MerchantCaller } from '../domain/caller.ts'
import { type SlotLimits, type SlotRefusal, sharedSlots } from '../domain/fair-shares.ts'
import type { Queries } from '../store/engine/database.ts'
import { isMerchantValidated } from '../store/people/members.ts'

const LIMITS: SlotLimits = { most: 8, ofPerson: 1, unvalidated: { most: 4, ofNetwork: 2, ofWidest: 2 } }

export type TakeStatement = (caller: MerchantCaller) => Promise<(() => void) | SlotRefusal>

export function statementSlots(db: Queries): TakeStatement {
  const take = sharedSlots(LIMITS)
  return async ({ accountId, network = '' }) =>
    take({ personId: accountId, network, isValidated: await isMerchantValidated(db, accountId) })
}

const MOST_IMPORTS = 2

/** Of networks' statements, by account or staff member; undefined when the owner has one, or the process enough. */
export function importSlots(): (owner: string) => (() => void) | undefined {
  const imports = new Set<string>()
  return (owner) => {
    if (imports.has(owner) || imports.size >= MOST_IMPORTS) return undefined
    imports.add(owner)
    return () => void imports.delete(owner)
  }
}
