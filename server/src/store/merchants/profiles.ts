// Who a merchant is: for payers, and for those who validate it. Found through one of its accounts, which the caller
// acts for.

import type { AccountStatus } from '../../domain/environment.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, firstRow, insertNew } from '../rows.ts'

export interface Business {
  legalName: string
  registration: string
  country: string
  city: string
  address: string
  contact: string
}

export interface Brand {
  /** Null for the merchant's own name. */
  name: string | null
  colour: string | null
  phone: string | null
}

export interface Logo {
  type: string
  /** In base64. */
  content: string
  hash: string
}

export interface Profile extends Business {
  merchantId: string
  merchantName: string
  brandName: string | null
  colour: string | null
  phone: string | null
  logoHash: string | null
  validationAskedAt: number | null
  /** Of the live account; null when there is none yet. */
  liveStatus: AccountStatus | null
  liveReason: string | null
}

const LIVE = "accounts v where v.merchant_id = a.merchant_id and v.environment = 'live'"

const PROFILE = columnsOf<Profile>('p')('brandName colour phone logoHash validationAskedAt', {
  merchantId: 'a.merchant_id',
  merchantName: 'm.name',
  legalName: "coalesce(p.legal_name, '')",
  registration: "coalesce(p.registration, '')",
  country: "coalesce(p.country, '')",
  city: "coalesce(p.city, '')",
  address: "coalesce(p.address, '')",
  contact: "coalesce(p.contact, '')",
  liveStatus: `(select v.status from ${LIVE})`,
  liveReason: `(select v.status_reason from ${LIVE})`,
})

export const findProfile = (db: Queries, accountId: string) =>
  firstRow<Profile>(
    db,
    `select ${PROFILE} from accounts a join merchants m on m.merchant_id = a.merchant_id
     left join merchant_profiles p on p.merchant_id = a.merchant_id where a.account_id = $1`,
    [accountId],
  )

const makeRow = (tx: Queries, merchantId: string) => insertNew(tx, 'merchant_profiles', { merchantId })

export async function setBrand(tx: Queries, merchantId: string, { name, colour, phone }: Brand): Promise<void> {
  await makeRow(tx, merchantId)
  await tx.change('update merchant_profiles set brand_name = $2, colour = $3, phone = $4 where merchant_id = $1', [
    merchantId,
    name,
    colour,
    phone,
  ])
}

export async function setLogo(tx: Queries, merchantId: string, logo: Logo | null): Promise<void> {
  await makeRow(tx, merchantId)
  await tx.change('update merchant_profiles set logo = $2, logo_type = $3, logo_hash = $4 where merchant_id = $1', [
    merchantId,
    logo?.content ?? null,
    logo?.type ?? null,
    logo?.hash ?? null,
  ])
}

export async function setBusiness(tx: Queries, merchantId: string, business: Business): Promise<void> {
  await makeRow(tx, merchantId)
  await tx.change(
    `update merchant_profiles set legal_name = $2, registration = $3, country = $4, city = $5, address = $6, contact = $7
     where merchant_id = $1`,
    [
      merchantId,
      business.legalName,
      business.registration,
      business.country,
      business.city,
      business.address,
      business.contact,
    ],
  )
}

/** Null once the request is answered. */
export async function setValidationAsked(tx: Queries, merchantId: string, at: number | null): Promise<void> {
  await makeRow(tx, merchantId)
  await tx.change('update merchant_profiles set validation_asked_at = $2 where merchant_id = $1', [merchantId, at])
}

/** Public: payers' pages show it. */
export const findLogo = (db: Queries, hash: string) =>
  firstRow<Omit<Logo, 'hash'>>(
    db,
    'select logo_type as type, logo as content from merchant_profiles where logo_hash = $1',
    [hash],
  )
