// Creates a payment link: a payment in state initiated, and the page on which it can be paid (spec
// §4.3, D-21, D-22).

import type { Account, Environment } from '../../domain/environment.ts'
import {
  checkLink,
  checkPageLink,
  LINK_FAULTS,
  LINK_REFERENCE_BYTES,
  type LinkOrder,
  makeLinkReference,
  PAGE_LINK_FAULTS,
  type SignedOrder,
  type UncheckedLink,
} from '../../domain/links/payment-link.ts'
import type { LinkMethod } from '../../domain/methods/methods.ts'
import { orderReferenceOf } from '../../domain/payments/payment.ts'
import { NOTHING_ADDED } from '../../domain/payments/payment-fields.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/payments/reference.ts'
import type { AccountCaller, MerchantCaller, MerchantKey } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { isWithin } from '../../domain/texts/web-address.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import {
  insertInitiatedPayment,
  insertLink,
  insertPoster,
  isReferenceTaken,
  type NewLink,
} from '../../store/links/payment-links.ts'
import { findCheckoutSettings } from '../../store/merchants/accounts.ts'
import { claimOrder, findByExternalReference } from '../../store/payments/payments.ts'
import { readSignedOrder } from '../../wire/link.ts'
import { findActingAccount } from '../accounts/acting-account.ts'
import { type Deps, refusable, rollBack } from '../deps.ts'
import type { ListedSite } from '../keys/authenticate-key.ts'
import { type OrderKeysDeps, openOrderKeys } from '../keys/manage-keys.ts'

export interface CreateLinkDeps
  extends Pick<Deps, 'db' | 'clock' | 'random' | 'nextNumber' | 'publicReferences'> {
  /** The methods that an account has, before the merchant's own choice. */
  linkMethods(environment: Environment, accountId: string): readonly LinkMethod[]
}

export type LinkInput = { order: UncheckedLink }

/** Refusals of an order whose fields are valid, in the order in which they are checked (D-49). */
const RECORD_LINK_REFUSALS = [
  'operator_not_available',
  'external_reference_taken',
  'link_reference_taken',
  'order_reference_taken',
] as const

type RecordRefusal = (typeof RECORD_LINK_REFUSALS)[number]

export const CREATE_LINK_REFUSALS = [...LINK_FAULTS, ...RECORD_LINK_REFUSALS] as const

type LinkRefusal = (typeof CREATE_LINK_REFUSALS)[number]

export const createPaymentLink = async (
  deps: CreateLinkDeps,
  caller: MerchantCaller,
  { order }: LinkInput,
): Promise<NewLink | RefusedAs<LinkRefusal>> => {
  const checked = checkLink(order, caller.environment)
  return isRefused(checked) ? checked : recordLink(deps, caller, checked, null)
}

/** For a caller that names the account: a merchant its own, a caller of the service any. */
export async function createLinkFor(
  deps: CreateLinkDeps,
  caller: AccountCaller,
  { accountId, order }: LinkInput & { accountId: string },
): Promise<NewLink | RefusedAs<LinkRefusal | 'account_not_found' | 'account_not_available'>> {
  const account = await findActingAccount(deps.db, caller, accountId)
  if (isRefused(account)) return account
  if (account.status !== 'validated') return { refused: 'account_not_available' }
  const checked = checkLink(order, account.environment)
  return isRefused(checked) ? checked : recordLink(deps, account, checked, null, caller)
}

type LinkAccount = Pick<Account, 'accountId' | 'environment'>

async function recordLink(
  deps: CreateLinkDeps,
  account: LinkAccount,
  order: LinkOrder,
  origin: string | null,
  /** For the audit log, when the link is created by hand. */
  auditedCaller?: AccountCaller,
): Promise<NewLink | RefusedAs<RecordRefusal>> {
  const { db } = deps
  const settings = await findCheckoutSettings(db, account.accountId)
  const possible = deps.linkMethods(account.environment, account.accountId)
  const methods = possible.filter((method) => settings.methods.includes(method))
  if (methods.length === 0) return { refused: 'operator_not_available' }

  const link = await newLink(deps, account, order, origin)
  const recorded = await refusable(db, async (tx): Promise<NewLink | RefusedAs<RecordRefusal>> => {
    // Otherwise a caller who knows a poster's reference could put another link in its place, and
    // the other way round.
    const isTaken =
      order.linkReference !== null && (await isReferenceTaken(tx, order.linkReference))
    const isInserted =
      !isTaken &&
      (order.isReusable ? await insertPoster(tx, link) : await insertPaymentOf(tx, link))
    if (!isInserted) rollBack({ refused: 'link_reference_taken' })
    const orderReference = orderReferenceOf(link)
    const existing =
      orderReference === null ? undefined : await claimOrder(tx, { ...link, orderReference })
    if (existing !== undefined)
      rollBack({ refused: 'order_reference_taken', existingReference: existing })
    if (auditedCaller !== undefined) await auditCreation(tx, auditedCaller, link)
    return link
  })
  if (!isRefused(recorded) || recorded.refused !== 'link_reference_taken') return recorded
  const existing = await findByExternalReference(db, account.accountId, link.externalReference)
  // Unless the account has a payment with this external reference, it is the link's own reference
  // that is taken.
  if (existing === undefined) return recorded
  return { refused: 'external_reference_taken', existingReference: existing.reference }
}

const insertPaymentOf = async (tx: Queries, link: NewLink): Promise<boolean> =>
  (await insertInitiatedPayment(tx, link)) && (await insertLink(tx, link))

async function auditCreation(tx: Queries, caller: AccountCaller, link: NewLink): Promise<void> {
  const { accountId, linkReference, createdAt, title, amountXof } = link
  const record = { at: createdAt, action: 'link.create', subject: linkReference, accountId }
  await insertAudit(tx, caller, {
    ...record,
    detail: { account: accountId, title, amount: amountXof },
  })
}

async function newLink(
  deps: CreateLinkDeps,
  account: LinkAccount,
  order: LinkOrder,
  origin: string | null,
) {
  const { random, clock } = deps
  const number = await deps.nextNumber()
  const linkReference = order.linkReference ?? makeLinkReference(random.bytes(LINK_REFERENCE_BYTES))
  const createdAt = clock.now()
  return {
    ...NOTHING_ADDED,
    ...order,
    accountId: account.accountId,
    environment: account.environment,
    number,
    reference: makeReference(random.bytes(REFERENCE_BYTES)),
    publicReference: deps.publicReferences.of(number),
    linkReference,
    externalReference: order.externalReference ?? linkReference,
    origin,
    createdAt,
    expiresAt: order.lifeMs === null ? null : createdAt + order.lifeMs,
    posterNumber: null,
  }
}

// A merchant's page creates a payment link with the public key. Unless the merchant's server signed
// the order, the page proves nothing: it claims no transaction_id, and the merchant reads the
// payment back (D-52, D-57).

/** In the order in which they are checked (D-52). */
export const CREATE_LINK_FROM_SITE_REFUSALS = [
  'account_not_available',
  'order_not_valid',
  ...PAGE_LINK_FAULTS,
  'operator_not_available',
  'external_reference_taken',
  'order_reference_taken',
] as const

export interface SiteLinkInput {
  site: ListedSite
  order: UncheckedLink
  /** As the page sent it; undefined or null when it has none. */
  signedOrder: unknown
}

export async function createLinkFromSite(
  deps: CreateLinkDeps & OrderKeysDeps,
  caller: MerchantKey,
  { site, order, signedOrder }: SiteLinkInput,
): Promise<NewLink | RefusedAs<(typeof CREATE_LINK_FROM_SITE_REFUSALS)[number]>> {
  if (site.accountStatus !== 'validated' || site.pages === 'off')
    return { refused: 'account_not_available' }
  const signed = await proven(deps, caller, signedOrder)
  if (signed !== undefined && 'refused' in signed) return signed
  const checked = checkPageLink(order, signed, caller.environment)
  if (isRefused(checked)) return checked
  for (const which of ['onSuccessUrl', 'onFailedUrl'] as const) {
    const url = checked[which]
    if (url !== null && !isWithin(url, site.origins))
      return { refused: 'redirection_url_not_valid', which }
  }
  const outcome = await recordLink(deps, caller, checked, site.origin)
  if (isRefused(outcome) && outcome.refused === 'link_reference_taken')
    throw new Error('a generated link reference of 160 random bits was already taken')
  return outcome
}

async function proven(
  deps: OrderKeysDeps,
  { accountId }: MerchantKey,
  given: unknown,
): Promise<SignedOrder | undefined | RefusedAs<'order_not_valid'>> {
  if (given === undefined || given === null) return undefined
  const signed = readSignedOrder(given, await openOrderKeys(deps, accountId))
  // A time that cannot be read is not in the future either.
  return signed !== undefined && signed.expiresAt > deps.clock.now()
    ? signed
    : { refused: 'order_not_valid' }
}
