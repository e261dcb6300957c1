// Records a payment request as pending. From the commit on it is ours: whatever happens next, it will be brought to its
// real outcome. Nothing here speaks to an operator (spec §4.1, D-14).
import type { MerchantCaller } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { Country } from '../../domain/country.ts'
import type { Environment } from '../../domain/environment.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import { type CreatedPayment, checkOrder, ORDER_FAULTS, type UncheckedOrder } from '../../domain/payment.ts'
import { publicReferenceOf } from '../../domain/public-reference.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/reference.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findByExternalReference, insertPendingPayment } from '../../store/payments/payments.ts'

export interface PaymentDispatcher {
  take(payment: OperatorPayment, claimedAt: number): void
  hasRoom(environment: Environment, operator: string): boolean
}

export interface CreatePaymentDeps {
  db: Database
  clock: Clock
  random: Random
  nextNumber(): Promise<number>
  publicReferenceKey: string
  /** Where payments are taken to their operators in this process; without one, a worker elsewhere does it. */
  dispatcher: PaymentDispatcher | undefined
  /** How long a payment that somebody has in hand is left to them. */
  leaseMs: number
  /** Who collects from numbers with this prefix; undefined where nobody can (D-19, D-43). */
  operatorFor(environment: Environment, country: Country, prefix: string): string | undefined
}

/** In the order in which they are checked (D-06, D-32). */
export const CREATE_PAYMENT_REFUSALS = [...ORDER_FAULTS, 'operator_not_available', 'external_reference_taken'] as const

export async function createPayment(
  deps: CreatePaymentDeps,
  caller: MerchantCaller,
  input: UncheckedOrder,
): Promise<CreatedPayment | RefusedAs<(typeof CREATE_PAYMENT_REFUSALS)[number]>> {
  const { db, clock, random } = deps
  const { accountId, environment } = caller
  const order = checkOrder(input, environment)
  if (isRefused(order)) return order
  const operator = deps.operatorFor(environment, order.country, order.prefix)
  if (operator === undefined) return { refused: 'operator_not_available' }

  const number = await deps.nextNumber()
  const now = clock.now()
  const handsOver = deps.dispatcher?.hasRoom(environment, operator) ?? false
  const payment = {
    ...order,
    operator,
    accountId,
    environment,
    number,
    reference: makeReference(random.bytes(REFERENCE_BYTES)),
    publicReference: publicReferenceOf(number, deps.publicReferenceKey),
    createdAt: now,
    // As if claimed: this process hands it over now, and should it die first, somebody will by then. Without room, it is
    // due at once for whoever has some.
    dueAt: handsOver ? now + deps.leaseMs : now,
  }
  if (await insertPendingPayment(db, payment)) {
    if (handsOver)
      deps.dispatcher?.take({ ...payment, handedOverAt: null, polls: 0, attemptReference: null, requestedAt: now }, now)
    return payment
  }

  const existing = await findByExternalReference(db, accountId, order.externalReference)
  if (existing === undefined) throw new Error('a payment was refused as a duplicate of one that is not there')
  return { refused: 'external_reference_taken', existingReference: existing.reference }
}
