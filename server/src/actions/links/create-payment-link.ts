// Makes a payment link: a payment in state initiated, and the page that waits for its payer (spec §4.3, D-21, D-22).
import type { Account } from '../../domain/account.ts'
import type { AccountCaller, MerchantCaller } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import {
  checkLink,
  LINK_FAULTS,
  LINK_LIFE_MS,
  LINK_REFERENCE_BYTES,
  type LinkMethod,
  type LinkOrder,
  makeLinkReference,
  type UncheckedLink,
} from '../../domain/payment-link.ts'
import { publicReferenceOf } from '../../domain/public-reference.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/reference.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { insertInitiatedPayment, insertLink, type NewLink } from '../../store/links/payment-links.ts'
import { findCheckoutSettings } from '../../store/merchants/accounts.ts'
import { findByExternalReference } from '../../store/payments/payments.ts'
import { findActingAccount } from '../merchants/acting-account.ts'

export interface CreateLinkDeps {
  db: Database
  clock: Clock
  random: Random
  nextNumber(): Promise<number>
  publicReferenceKey: string
  /** What can be paid with in an environment, whoever the merchant is. */
  linkMethods(environment: Environment): readonly LinkMethod[]
}

/** Thrown to undo the half that was written: one of the two names was taken. */
class NameTaken extends Error {}

export interface LinkInput {
  order: UncheckedLink
}

/** Once the order itself is right, in the order in which they are checked (D-49). */
export const RECORD_LINK_REFUSALS = [
  'operator_not_available',
  'external_reference_taken',
  'link_reference_taken',
] as const

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

/** By somebody who names the account: its own, or one of those that they look after. */
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

export async function recordLink(
  deps: CreateLinkDeps,
  account: LinkAccount,
  order: LinkOrder,
  /** The site whose page makes it. */
  origin: string | null,
  /** Whoever makes it by hand, for the audit log. */
  byHand?: AccountCaller,
): Promise<NewLink | RefusedAs<(typeof RECORD_LINK_REFUSALS)[number]>> {
  const { db } = deps
  const settings = await findCheckoutSettings(db, account.accountId)
  const methods = deps.linkMethods(account.environment).filter((method) => settings.methods.includes(method))
  if (methods.length === 0) return { refused: 'operator_not_available' }

  const link = await newLink(deps, account, order, origin)
  try {
    await db.transaction(async (tx) => {
      if (!(await insertInitiatedPayment(tx, link)) || !(await insertLink(tx, link))) throw new NameTaken()
      if (byHand !== undefined) await noteWho(tx, byHand, link)
    })
    return link
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error
  }
  const existing = await findByExternalReference(db, account.accountId, link.externalReference)
  // No payment of this account's: then it is the link's own reference that somebody has.
  if (existing === undefined) return { refused: 'link_reference_taken' }
  return { refused: 'external_reference_taken', existingReference: existing.reference }
}

async function noteWho(tx: Queries, caller: AccountCaller, link: NewLink): Promise<void> {
  const { accountId, linkReference, createdAt, title, amountXof } = link
  const deed = { at: createdAt, action: 'link.create', subject: linkReference, accountId }
  await insertAudit(tx, caller, { ...deed, detail: { account: accountId, title, amount: amountXof } })
}

async function newLink(
  deps: CreateLinkDeps,
  account: LinkAccount,
  order: LinkOrder,
  origin: string | null,
): Promise<NewLink> {
  const { random, clock } = deps
  const number = await deps.nextNumber()
  const linkReference = order.linkReference ?? makeLinkReference(random.bytes(LINK_REFERENCE_BYTES))
  const createdAt = clock.now()
  return {
    ...order,
    accountId: account.accountId,
    environment: account.environment,
    number,
    reference: makeReference(random.bytes(REFERENCE_BYTES)),
    publicReference: publicReferenceOf(number, deps.publicReferenceKey),
    linkReference,
    externalReference: order.externalReference ?? linkReference,
    origin,
    createdAt,
    expiresAt: order.shouldExpire ? createdAt + LINK_LIFE_MS : null,
  }
}
