// Records a payment request as pending. From the commit on the service is responsible for it:
// whatever happens next, it gets its real outcome. Nothing here calls an operator (spec §4.1,
// D-14).

import type { Country } from '../../domain/countries/country.ts'
import type { Environment } from '../../domain/environment.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import {
  type CreatedPayment,
  checkOrder,
  ORDER_FAULTS,
  type UncheckedOrder,
} from '../../domain/payments/payment.ts'
import { ADDED_COLUMNS } from '../../domain/payments/payment-fields.ts'
import { makeTimedReference, TIMED_REFERENCE_BYTES } from '../../domain/payments/reference.ts'
import type { MerchantCaller } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import type { Route } from '../../operators/registry.ts'
import type { Database } from '../../store/engine/database.ts'
import {
  claimOrder,
  findByExternalReference,
  insertPendingPayment,
  insertPendingPaymentWithMore,
  type NewPayment,
} from '../../store/payments/payments.ts'
import { type Deps, refusable, rollBack } from '../deps.ts'

export interface PaymentDispatcher {
  take(payment: OperatorPayment, claimedAt: number): void
  hasRoom(connection: ConnectionKey): boolean
}

export interface CreatePaymentDeps
  extends Pick<Deps, 'db' | 'clock' | 'random' | 'nextNumber' | 'publicReferences'> {
  /** This process's dispatcher; without one, a worker in another process hands payments over. */
  dispatcher: PaymentDispatcher | undefined
  /** How long a claimed payment is left to the process that claimed it. */
  leaseMs: number
  /**
   * The route of a prefix; undefined when no operator takes payments there (D-19, D-43, ADR-0010).
   */
  operatorFor(
    environment: Environment,
    country: Country,
    prefix: string,
    accountId: string,
  ): Route | undefined
}

/** In the order in which they are checked (D-06, D-19). */
export const CREATE_PAYMENT_REFUSALS = [
  ...ORDER_FAULTS,
  'operator_not_available',
  'external_reference_taken',
  'order_reference_taken',
] as const

/** A payment without a link that its own process has claimed. */
const NOT_YET_SENT = {
  method: 'mobile',
  attemptReference: null,
  createdBy: null,
  handedOverAt: null,
  acceptedAt: null,
  networkId: null,
  polls: 0,
  claims: 1,
} as const

export async function createPayment(
  deps: CreatePaymentDeps,
  caller: MerchantCaller,
  input: UncheckedOrder,
): Promise<CreatedPayment | RefusedAs<(typeof CREATE_PAYMENT_REFUSALS)[number]>> {
  const { db, clock, random } = deps
  const { accountId, environment } = caller
  const order = checkOrder(input, environment)
  if (isRefused(order)) return order
  const route = deps.operatorFor(environment, order.country, order.prefix, accountId)
  if (route === undefined) return { refused: 'operator_not_available' }

  const number = await deps.nextNumber()
  const now = clock.now()
  const handsOver = deps.dispatcher?.hasRoom({ environment, connection: route.connection }) ?? false
  const payment = {
    ...order,
    // Recorded before the request is sent: status calls and refunds always use the connection that
    // took the payment.
    operator: route.operator,
    connection: route.connection,
    accountId,
    environment,
    number,
    reference: makeTimedReference(now, random.bytes(TIMED_REFERENCE_BYTES)),
    publicReference: deps.publicReferences.of(number),
    createdAt: now,
    // Recorded as claimed: this process hands it over now, and if it dies first, a worker does when
    // the claim expires. Without room in the dispatcher, it is due at once for any worker.
    dueAt: handsOver ? now + deps.leaseMs : now,
  }
  const hasMore = ADDED_COLUMNS.some((column) => order[column] !== null)
  const recorded = hasMore
    ? await insertWithMore(db, payment)
    : await insertPendingPayment(db, payment)
  if (typeof recorded === 'object') return recorded
  if (recorded) {
    if (handsOver) deps.dispatcher?.take({ ...payment, ...NOT_YET_SENT, requestedAt: now }, now)
    return payment
  }

  const existing = await findByExternalReference(db, accountId, order.externalReference)
  if (existing === undefined)
    throw new Error('a payment was refused as a duplicate of one that is not there')
  return { refused: 'external_reference_taken', existingReference: existing.reference }
}

/** The payment and its claim on the order are one commit. */
const insertWithMore = (db: Database, payment: NewPayment) =>
  refusable(db, async (tx): Promise<boolean | RefusedAs<'order_reference_taken'>> => {
    const { clientReference: orderReference } = payment
    if (!(await insertPendingPaymentWithMore(tx, payment))) return false
    if (orderReference === null) return true
    const existing = await claimOrder(tx, { ...payment, orderReference })
    return (
      existing === undefined ||
      rollBack({ refused: 'order_reference_taken', existingReference: existing })
    )
  })
