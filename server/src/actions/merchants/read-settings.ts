// The settings of an account as its people see them: brand, business, documents, the state of its validation, its sites.
import type { MerchantCaller } from '../../domain/caller.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findCheckoutSettings } from '../../store/merchants/accounts.ts'
import { listDocuments, type MerchantDocument } from '../../store/merchants/documents.ts'
import { type Business, findLogo, findProfile, type Logo, type Profile } from '../../store/merchants/profiles.ts'
import { businessOf } from './change-profile.ts'

interface Validation {
  state: 'not_asked' | 'asked' | 'validated' | 'refused' | 'suspended'
  reason: string | null
}

interface MerchantBrand {
  name: string
  logoHash: string | null
  colour: string | null
  phone: string | null
}

export interface MerchantSettings {
  brand: MerchantBrand
  business: Business
  documents: MerchantDocument[]
  validation: Validation
  sites: string[]
}

export async function readSettings(
  { db }: { db: Database },
  { accountId }: MerchantCaller,
): Promise<MerchantSettings | RefusedAs<'account_not_found'>> {
  const profile = await findProfile(db, accountId)
  if (profile === undefined) return { refused: 'account_not_found' }
  return {
    brand: brandOf(profile),
    business: businessOf(profile),
    documents: await listDocuments(db, profile.merchantId),
    validation: validationOf(profile),
    sites: (await findCheckoutSettings(db, accountId)).origins,
  }
}

const brandOf = ({ merchantName, brandName, logoHash, colour, phone }: Profile): MerchantBrand => ({
  ...{ name: brandName ?? merchantName, logoHash, colour, phone },
})

/** A reason without a request is an answer to one. */
function validationOf({ liveStatus, liveReason: reason, validationAskedAt }: Profile): Validation {
  if (liveStatus === 'validated' || liveStatus === 'suspended') return { state: liveStatus, reason }
  if (validationAskedAt !== null) return { state: 'asked', reason: null }
  return reason === null ? { state: 'not_asked', reason: null } : { state: 'refused', reason }
}

/** Anybody may see a logo: payers' pages show it. */
export const readLogo = (db: Database, hash: string): Promise<Omit<Logo, 'hash'> | undefined> => findLogo(db, hash)
