// How many statements a process makes at once: one for each account, and a few in all. Each holds up to 10,000 movements
// in memory until its reader has them.
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
