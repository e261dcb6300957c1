// Makes a payment link: a payment in state initiated, and the page that waits for its payer (spec §4.3, D-21, D-22).
import type { Account } from '../../domain/account.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import {
  checkLink,
  LINK_LIFE_MS,
  LINK_REFERENCE_BYTES,
  type LinkMethod,
  type LinkOrder,
  makeLinkReference,
  type UncheckedLink,
} from '../../domain/payment-link.ts'
import { publicReferenceOf } from '../../domain/public-reference.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/reference.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { insertInitiatedPayment, insertLink, type NewLink } from '../../store/links/payment-links.ts'
import { findCheckoutSettings } from '../../store/merchants/accounts.ts'

export type { NewLink } from '../../store/links/payment-links.ts'

import { findByExternalReference } from '../../store/payments/payments.ts'

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

export async function createPaymentLink(
  deps: CreateLinkDeps,
  account: Account,
  asked: UncheckedLink,
  origin: string | null = null,
): Promise<NewLink | Refused> {
  const { db } = deps
  const order = checkLink(asked, account.environment)
  if (isRefused(order)) return order
  const settings = await findCheckoutSettings(db, account.accountId)
  const methods = deps.linkMethods(account.environment).filter((method) => settings?.methods.includes(method))
  if (methods.length === 0) return { refused: 'operator_not_available' }

  const link = await newLink(deps, account, order, origin)
  try {
    await db.transaction(async (tx) => {
      if (!(await insertInitiatedPayment(tx, link)) || !(await insertLink(tx, link))) throw new NameTaken()
    })
    return link
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error
  }
  const existing = await findByExternalReference(db, account.accountId, link.externalReference)
  // No payment of this account's: then it is the link's own reference that somebody has.
  if (existing === undefined) return { refused: 'external_reference_not_valid' }
  return { refused: 'external_reference_taken', existingReference: existing.reference }
}

async function newLink(
  deps: CreateLinkDeps,
  account: Account,
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
