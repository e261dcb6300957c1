// Who a merchant is: its brand for payers, its business for the staff who validate it, its
// validation. Audited.
import { createHash } from 'node:crypto'
import { isCountry } from '../../domain/countries/country.ts'
import { isPiAlias } from '../../domain/links/pi-qr.ts'
import {
  BUSINESS_FIELDS,
  type Business,
  contrastWithWhite,
  fileTypeOf,
  isBrandName,
  isColour,
  isPhone,
  LEAST_CONTRAST,
  LONGEST_BRAND_NAME,
} from '../../domain/merchants/brand.ts'
import type { MerchantCaller, MerchantPerson } from '../../domain/people/caller.ts'
import { isRefused, type Refused } from '../../domain/refusals/refusal.ts'
import { isShownText } from '../../domain/texts/free-text.ts'
import { insertMerchantAudit } from '../../store/audit/audit-log.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { findCheckoutSettings } from '../../store/merchants/accounts.ts'
import { listDocuments } from '../../store/merchants/documents.ts'
import {
  type Brand,
  findLogo,
  findProfile,
  type Logo,
  type Profile,
  setBrand,
  setBusiness,
  setLogo,
  setValidationAsked,
} from '../../store/merchants/profiles.ts'
import { endApprovalOfFile } from '../approvals/relied-on.ts'
import type { Deps } from '../deps.ts'
import { aliasTries, takeTry } from '../limits/limited-tries.ts'
import { notifyStaff } from '../notices/notices.ts'
import { changeMoney, endWaitingAlias, type MoneyChangeDeps } from '../operators/money-changes.ts'
import { setPiAliasIn } from '../operators/money-destinations.ts'
import { type Proof, proveAgain, refuseWithoutProof } from '../people/prove-again.ts'

export type ProfileDeps = Pick<Deps, 'db' | 'clock'>

export const MOST_LOGO_BYTES = 200 * 1024
const LONGEST_BUSINESS_TEXT = 200

type Written = { earlier?: object; detail: object }

function changing(
  { db, clock }: ProfileDeps,
  caller: MerchantCaller,
  action: string,
  change: (tx: Queries, profile: Profile) => Promise<Written | Refused>,
): Promise<{ changed: true } | Refused> {
  return db.transaction(async (tx) => {
    const profile = await findProfile(tx, caller.accountId)
    if (profile === undefined) return { refused: 'account_not_found' }
    const { merchantId } = profile
    const written = await change(tx, profile)
    if ('refused' in written) return written
    await insertMerchantAudit(tx, caller, merchantId, {
      at: clock.now(),
      action,
      subject: merchantId,
      ...written,
    })
    return { changed: true }
  })
}

export async function changeBrand(
  deps: ProfileDeps,
  caller: MerchantCaller,
  brand: Brand,
): Promise<{ changed: true } | Refused> {
  const fault = brandFault(brand)
  if (fault !== undefined) return fault
  return changing(
    deps,
    caller,
    'merchant.brand',
    async (tx, { merchantId, brandName, colour, phone }) => {
      await setBrand(tx, merchantId, brand)
      return { earlier: { name: brandName, colour, phone }, detail: brand }
    },
  )
}

function brandFault({ name, colour, phone }: Brand): Refused | undefined {
  if (name !== null && !isBrandName(name))
    return { refused: 'brand_name_not_valid', longest: LONGEST_BRAND_NAME }
  if (colour !== null && !isColour(colour)) return { refused: 'colour_not_valid' }
  if (colour !== null && contrastWithWhite(colour) < LEAST_CONTRAST)
    return { refused: 'colour_not_readable' }
  return phone === null || isPhone(phone) ? undefined : { refused: 'phone_not_valid' }
}

/** PNG or JPEG; null removes it. */
export async function changeLogo(
  deps: ProfileDeps,
  caller: MerchantCaller,
  { file }: { file: Buffer | null },
): Promise<{ changed: true } | Refused> {
  const type = file === null ? undefined : fileTypeOf(file)
  const isPicture = type === 'image/png' || type === 'image/jpeg'
  if (file !== null && (!isPicture || file.length > MOST_LOGO_BYTES))
    return { refused: 'logo_not_valid', mostBytes: MOST_LOGO_BYTES }
  return changing(deps, caller, 'merchant.logo', async (tx, { merchantId, logoHash }) => {
    const hash = file === null ? null : createHash('sha256').update(file).digest('hex')
    const logo =
      file === null
        ? null
        : { type: type as string, content: file.toString('base64'), hash: hash as string }
    await setLogo(tx, merchantId, logo)
    return { earlier: { logo: logoHash }, detail: { logo: hash } }
  })
}

/**
 * For the PI-SPI QR code on live posters; null removes it. The code also names the country of the
 * business. A new alias leads live money elsewhere: with the owner's proof again, and a second
 * owner where there are several (D-191).
 */
export async function changePiAlias(
  deps: MoneyChangeDeps,
  caller: MerchantPerson,
  { alias: typed, ...proof }: { alias: string | null } & Proof,
): Promise<{ is: 'done' | 'waiting' } | Refused> {
  const alias = typed === null ? null : typed.trim().toLowerCase()
  if (alias !== null && !isPiAlias(alias)) return { refused: 'pi_alias_not_valid' }
  const profile = await findProfile(deps.db, caller.accountId)
  if (profile === undefined) return { refused: 'account_not_found' }
  const { merchantId, piAlias: earlier, country } = profile
  if (alias === earlier) return { is: 'done' }
  if (alias === null) return removePiAlias(deps, caller, merchantId)
  if (!isCountry(country)) return { refused: 'pi_alias_needs_country' }
  const missing = await refuseWithoutProof(deps, caller, proof)
  if (missing !== undefined) return missing
  const mayTry = await takeTry(deps, [aliasTries(merchantId)])
  if (isRefused(mayTry)) return mayTry
  const proven = await proveAgain(deps, caller, proof)
  if (isRefused(proven)) return proven
  const changed = await changeMoney(deps, caller, proven, {
    subject: merchantId,
    detail: { kind: 'pi_alias', alias, earlier },
  })
  return isRefused(changed) ? changed : { is: changed.is }
}

/** It leads no money elsewhere, so that it works at once, and ends an alias that waits. */
const removePiAlias = (
  deps: MoneyChangeDeps,
  caller: MerchantPerson,
  merchantId: string,
): Promise<{ is: 'done' } | Refused> =>
  deps.db.transaction(async (tx): Promise<{ is: 'done' } | Refused> => {
    await endWaitingAlias(deps, tx, caller, merchantId)
    const removed = await setPiAliasIn(deps, tx, caller, { alias: null, askedBy: caller.personId })
    return isRefused(removed) ? removed : { is: 'done' }
  })

export async function changeBusiness(
  deps: ProfileDeps,
  caller: MerchantCaller,
  business: Business,
): Promise<{ changed: true } | Refused> {
  for (const field of BUSINESS_FIELDS) {
    const text = business[field]
    if (text !== '' && !isShownText(text, LONGEST_BUSINESS_TEXT))
      return { refused: 'business_not_valid', field }
  }
  return changing(deps, caller, 'merchant.business', async (tx, { merchantId, ...before }) => {
    await endApprovalOfFile(tx, merchantId, caller, deps.clock.now())
    await setBusiness(tx, merchantId, business)
    return { earlier: businessOf(before), detail: business }
  })
}

const businessOf = ({
  legalName,
  registration,
  country,
  city,
  address,
  contact,
}: Business): Business => ({
  legalName,
  registration,
  country,
  city,
  address,
  contact,
})

/** Needs the whole business, and at least one document. */
export async function askValidation(
  deps: ProfileDeps,
  caller: MerchantCaller,
): Promise<{ changed: true } | Refused> {
  return changing(deps, caller, 'merchant.ask-validation', async (tx, profile) => {
    const documents = await listDocuments(tx, profile.merchantId)
    const missing = [
      ...BUSINESS_FIELDS.filter((field) => profile[field] === ''),
      ...(documents.length === 0 ? (['documents'] as const) : []),
    ]
    if (missing.length > 0) return { refused: 'validation_not_ready', missing }
    const now = deps.clock.now()
    await setValidationAsked(tx, profile.merchantId, now)
    await notifyStaff(tx, now, { kind: 'file_waiting', about: caller.accountId })
    return { detail: {} }
  })
}

export async function readSettings({ db }: Pick<Deps, 'db'>, { accountId }: MerchantCaller) {
  const profile = await findProfile(db, accountId)
  if (profile === undefined) return { refused: 'account_not_found' as const }
  const { merchantId, merchantName, brandName, logoHash, colour, phone, piAlias } = profile
  return {
    brand: { name: brandName ?? merchantName, logoHash, colour, phone },
    piAlias,
    ...settingsOf(profile),
    documents: await listDocuments(db, merchantId),
    sites: (await findCheckoutSettings(db, accountId)).origins,
  }
}

export type Settings = ReturnType<typeof settingsOf>

export const settingsOf = (profile: Profile) => ({
  business: businessOf(profile),
  validation: validationOf(profile),
})

/** A reason without a request is an answer to one. */
function validationOf({ liveStatus, liveReason: reason, validationAskedAt }: Profile) {
  if (liveStatus === 'validated' || liveStatus === 'suspended') return { state: liveStatus, reason }
  if (validationAskedAt !== null) return { state: 'asked' as const, reason: null }
  return { state: reason === null ? ('not_asked' as const) : ('refused' as const), reason }
}

/** A logo is public: payers' pages show it. */
export const readLogo = (db: Database, hash: string): Promise<Omit<Logo, 'hash'> | undefined> =>
  findLogo(db, hash)
