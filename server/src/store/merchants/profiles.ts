// Who a merchant is: for payers, and for those who validate it. Found through an account of the
// caller.

import type { AccountStatus } from '../../domain/environment.ts'
import type { Business } from '../../domain/merchants/brand.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, firstRow, putRow } from '../rows.ts'

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

export interface Profile extends Business, Omit<Brand, 'name'> {
  merchantId: string
  merchantName: string
  brandName: string | null
  logoHash: string | null
  /** At PI-SPI. */
  piAlias: string | null
  validationAskedAt: number | null
  /** Of the live account; null when there is none yet. */
  liveStatus: AccountStatus | null
  liveReason: string | null
}

const LIVE = "accounts v where v.merchant_id = a.merchant_id and v.environment = 'live'"

const PROFILE = columnsOf<Profile>({
  brandName: 'p.brand_name',
  colour: 'p.colour',
  phone: 'p.phone',
  logoHash: 'p.logo_hash',
  piAlias: 'p.pi_alias',
  validationAskedAt: 'p.validation_asked_at',
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
     left join merchant_profiles p on p.merchant_id = a.merchant_id
     where a.account_id = :accountId`,
    { accountId },
  )

const put = (
  tx: Queries,
  merchantId: string,
  values: Readonly<Record<string, string | number | null>>,
) => putRow(tx, 'merchant_profiles', { merchantId }, values)

export const setBrand = (tx: Queries, merchantId: string, { name, colour, phone }: Brand) =>
  put(tx, merchantId, { brandName: name, colour, phone })

export const setLogo = (tx: Queries, merchantId: string, logo: Logo | null) =>
  put(tx, merchantId, {
    logo: logo?.content ?? null,
    logoType: logo?.type ?? null,
    logoHash: logo?.hash ?? null,
  })

export const setPiAlias = (tx: Queries, merchantId: string, piAlias: string | null) =>
  put(tx, merchantId, { piAlias })

export function setBusiness(tx: Queries, merchantId: string, business: Business): Promise<void> {
  const { legalName, registration, country, city, address, contact } = business
  return put(tx, merchantId, { legalName, registration, country, city, address, contact })
}

/** Null once the request is answered. */
export const setValidationAsked = (tx: Queries, merchantId: string, at: number | null) =>
  put(tx, merchantId, { validationAskedAt: at })

/** Public: payers' pages show it. */
export const findLogo = (db: Queries, hash: string) =>
  firstRow<Omit<Logo, 'hash'>>(
    db,
    'select logo_type as type, logo as content from merchant_profiles where logo_hash = :hash',
    { hash },
  )
