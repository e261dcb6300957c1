// A merchant to test with, made by the action that makes every merchant.
import { createMerchant, type MerchantInput, type NewMerchant } from '../../src/actions/merchants/create-merchant.ts'
import type { Runtime } from '../../src/service/runtime.ts'
import { granted, TESTER } from './callers.ts'

export const newMerchant = async (
  deps: Pick<Runtime, 'db' | 'clock' | 'random' | 'hashKey' | 'orderKeys'>,
  change: Partial<MerchantInput> = {},
): Promise<NewMerchant> =>
  granted(await createMerchant(deps, TESTER, { name: 'Boutique Awa', validateLive: true, ...change }))
