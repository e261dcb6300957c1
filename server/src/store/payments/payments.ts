// Payments in the store: one function, one statement. Every read for a merchant names the account.

import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import type { Payment, PaymentOrder } from '../../domain/payments/payment.ts'
import { ADDED_COLUMNS } from '../../domain/payments/payment-fields.ts'
import type { PaymentStatus } from '../../domain/payments/payment-status.ts'
import { EVERY_ACCOUNT, type Scope } from '../../domain/people/caller.ts'
import {
  type Database,
  type Insertion,
  lookUpBy,
  type Queries,
  type Values,
} from '../engine/database.ts'
import {
  type Columns,
  columnsOf,
  firstReturnedValue,
  firstRow,
  firstValue,
  inScope,
  insertNew,
  ofTable,
  scopeValues,
  snakeCase,
  updateRows,
} from '../rows.ts'

const PAYMENTS: Insertion = {
  table: 'payments',
  identity: 'reference',
  sortedBy: ['account_id', 'external_reference'],
  columns: {
    account_id: 'text',
    environment: 'text',
    number: 'bigint',
    reference: 'text',
    public_reference: 'text',
    external_reference: 'text',
    status: 'text',
    amount_xof: 'bigint',
    country: 'text',
    msisdn_written: 'text',
    msisdn: 'text',
    operator: 'text',
    connection: 'text',
    customer_name: 'text',
    created_at: 'bigint',
    due_at: 'bigint',
    claims: 'bigint',
  },
}

type Names =
  | 'accountId'
  | 'environment'
  | 'number'
  | 'reference'
  | 'publicReference'
  | 'operator'
  | 'connection'

export interface NewPayment
  extends Omit<PaymentOrder, 'prefix'>,
    Pick<OperatorPayment, Names | 'createdAt'> {
  /**
   * When a worker claims the payment, if the process that recorded it has not handed it over by
   * then.
   */
  dueAt: number
}

/** False when the account already has a payment with this external reference (D-16). */
export const insertPendingPayment = (db: Database, payment: NewPayment): Promise<boolean> =>
  db.insert(PAYMENTS, valuesOf(payment))

/** Like insertPendingPayment, for one to which the merchant added something. */
export const insertPendingPaymentWithMore = (tx: Queries, payment: NewPayment) =>
  insertNew(tx, 'payments', {
    ...valuesOf(payment),
    ...addedValues(payment),
  })

/** What the merchant added to the payment, by its columns. */
export const addedValues = (payment: Pick<NewPayment, (typeof ADDED_COLUMNS)[number]>): Values =>
  Object.fromEntries(ADDED_COLUMNS.map((column) => [column, payment[column]]))

function valuesOf(payment: NewPayment): Values {
  return {
    accountId: payment.accountId,
    environment: payment.environment,
    number: payment.number,
    reference: payment.reference,
    publicReference: payment.publicReference,
    externalReference: payment.externalReference,
    status: 'pending',
    amountXof: payment.amountXof,
    country: payment.country,
    msisdnWritten: payment.msisdnWritten,
    msisdn: payment.msisdn,
    operator: payment.operator,
    connection: payment.connection,
    customerName: payment.customerName,
    createdAt: payment.createdAt,
    dueAt: payment.dueAt,
    // Due later than now: the process that records it claims it too, and sends it.
    claims: payment.dueAt > payment.createdAt ? 1 : 0,
  }
}

/** More than a page of the table holds. */
const ROWS_OF_PROBE = 40

class Undone extends Error {}

/**
 * Inserts payments and rolls them back. Only after a refusal: the rollback takes room until a
 * vacuum.
 */
export async function probePayments(db: Database, probe: string, now: number): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      await tx.change(
        `with recursive nth (n) as (select 1 union all select n + 1 from nth
         where n < ${ROWS_OF_PROBE})
         insert into payments (account_id, environment, number, reference, public_reference,
           external_reference,
           status, amount_xof, country, msisdn, operator, connection, customer_name, created_at,
             due_at)
         select :probe, 'sandbox', n, :probe || n, :probe || n, :probe || n, 'pending', 1, 'NE',
           :probe, :probe, :probe, :probe,
           cast(:now as bigint), cast(:now as bigint) from nth`,
        { probe, now },
      )
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
}

// The columns of a payment, once: every query of payments uses these lists, and adds its own
// columns.

const ADDED = Object.fromEntries(
  ADDED_COLUMNS.map((field) => [field, snakeCase(field)]),
) as Columns<Pick<Payment, (typeof ADDED_COLUMNS)[number]>>

export const PAYMENT_NAMES = {
  accountId: 'account_id',
  number: 'number',
  reference: 'reference',
  publicReference: 'public_reference',
  externalReference: 'external_reference',
  createdBy: 'created_by',
  ...ADDED,
}

export const PAYMENT_FIELDS = {
  ...PAYMENT_NAMES,
  status: 'status',
  amountXof: 'amount_xof',
  msisdnWritten: 'msisdn_written',
  validatedAt: 'validated_at',
  failureReason: 'failure_reason',
  operator: 'operator',
  operatorReference: 'operator_reference',
}

export const operatorPaymentColumns = (table: string): string =>
  columnsOf<OperatorPayment>({
    ...ofTable(table, PAYMENT_NAMES),
    environment: `${table}.environment`,
    method: `${table}.method`,
    amountXof: `${table}.amount_xof`,
    msisdnWritten: `${table}.msisdn_written`,
    createdAt: `${table}.created_at`,
    handedOverAt: `${table}.handed_over_at`,
    acceptedAt: `${table}.accepted_at`,
    networkId: `${table}.network_id`,
    claims: `${table}.claims`,
    attemptReference: `${table}.attempt_reference`,
    msisdn: `coalesce(${table}.msisdn, '')`,
    operator: `coalesce(${table}.operator, '')`,
    connection: `coalesce(${table}.connection, '')`,
    polls: `${table}.polls`,
    requestedAt: `coalesce(${table}.attempt_at, ${table}.created_at)`,
  })

const PAYMENT = columnsOf<Payment>(PAYMENT_FIELDS)

const BY_REFERENCE = lookUpBy(
  ['account', 'sought'],
  (account, sought) =>
    `select ${PAYMENT} from payments where reference = ${sought} and account_id = ${account}`,
)
const BY_EXTERNAL_REFERENCE = lookUpBy(
  ['account', 'sought'],
  (account, sought) =>
    `select ${PAYMENT} from payments
     where account_id = ${account} and external_reference = ${sought}`,
)

export const findByReference = (db: Database, accountId: string, reference: string) =>
  db.find<Payment>(BY_REFERENCE, { account: accountId, sought: reference })

export const findByExternalReference = (
  db: Database,
  accountId: string,
  externalReference: string,
) => db.find<Payment>(BY_EXTERNAL_REFERENCE, { account: accountId, sought: externalReference })

// Payments by the references that people use. Each look-up goes through the accounts in the scope
// and uses an index in each: the indexes of a merchant's tables begin with the account.

const NAMED = `select ${operatorPaymentColumns('p')} from accounts a
  join payments p on p.account_id = a.account_id`

export const findByNumber = (db: Queries, scope: Scope, number: number) =>
  firstRow<OperatorPayment>(
    db,
    `${NAMED} where p.number = :number${inScope(scope, 'a.account_id')}`,
    { number, ...scopeValues(scope) },
  )

export const findByLinkReference = (db: Queries, scope: Scope, linkReference: string) =>
  firstRow<OperatorPayment>(
    db,
    `select ${operatorPaymentColumns('p')} from payment_links l
     join payments p on p.account_id = l.account_id and p.number = l.number
     where l.reference = :linkReference${inScope(scope, 'l.account_id')}`,
    { linkReference, ...scopeValues(scope) },
  )

/** One for each account that uses this transaction_id, at most `most`. */
export const findByExternalReferences = (
  db: Queries,
  scope: Scope,
  externalReference: string,
  most: number,
) =>
  db.read<OperatorPayment>(
    `${NAMED} where p.external_reference = :externalReference${inScope(scope, 'a.account_id')} order by p.number desc limit :most`,
    { externalReference, most, ...scopeValues(scope) },
  )

// Payments as the dispatcher and the worker need them.

const OPERATOR_PAYMENT = operatorPaymentColumns('payments')

const OF_EVERY_ACCOUNT = lookUpBy(
  ['sought'],
  (sought) => `select ${OPERATOR_PAYMENT} from payments where reference = ${sought}`,
)
const OF_ONE_ACCOUNT = lookUpBy(
  ['sought', 'account'],
  (sought, account) =>
    `select ${OPERATOR_PAYMENT} from payments
     where reference = ${sought} and account_id = ${account}`,
)

export const findOperatorPayment = (
  db: Database,
  { accountId }: Scope,
  reference: string,
): Promise<OperatorPayment | undefined> =>
  accountId === null
    ? db.find(OF_EVERY_ACCOUNT, { sought: reference })
    : db.find(OF_ONE_ACCOUNT, { sought: reference, account: accountId })

/** By the reference that the operator has: the payment's own, or that of any attempt on a link. */
export async function findByRequestReference(
  db: Database,
  reference: string,
): Promise<OperatorPayment | undefined> {
  return (await findOperatorPayment(db, EVERY_ACCOUNT, reference)) ?? findByAttempt(db, reference)
}

/** The current attempt: its send and acceptance times are in the payment's row. */
const IS_UNDER_WAY = "p.attempt_reference = t.reference and p.status = 'pending'"

const PAYMENT_OF_ATTEMPT = columnsOf<OperatorPayment>({
  ...ofTable('p', PAYMENT_NAMES),
  environment: 'p.environment',
  createdAt: 'p.created_at',
  claims: 'p.claims',
  method: 't.method',
  amountXof: 't.amount_xof',
  msisdnWritten: 't.msisdn_written',
  operator: 't.operator',
  networkId: 't.network_id',
  msisdn: "coalesce(p.msisdn, '')",
  connection: 't.connection',
  // One that has ended is never sent again, whatever was recorded of its sending.
  handedOverAt: `case when ${IS_UNDER_WAY} then p.handed_over_at else t.created_at end`,
  acceptedAt: `case when ${IS_UNDER_WAY} then p.accepted_at end`,
  polls: 'p.polls',
  requestedAt: 't.created_at',
  attemptReference: 't.reference',
})

const findByAttempt = (db: Queries, attemptReference: string) =>
  firstRow<OperatorPayment>(
    db,
    `select ${PAYMENT_OF_ATTEMPT} from payment_attempts t
     join payments p on p.account_id = t.account_id and p.number = t.number
     where t.reference = :attemptReference`,
    { attemptReference },
  )

const PENDING_ATTEMPT = lookUpBy(
  ['sought'],
  (sought) =>
    `select attempt_reference as "attemptReference" from payments
     where reference = ${sought} and status = 'pending'`,
)

/** Whether the payment is still pending, with this attempt where it is a link's. */
export async function isRequestOpen(
  db: Database,
  { reference, attemptReference }: OperatorPayment,
): Promise<boolean> {
  const pending = await db.find<{ attemptReference: string | null }>(PENDING_ATTEMPT, {
    sought: reference,
  })
  return pending?.attemptReference === attemptReference
}

export interface PaymentOutcome {
  status: PaymentStatus
  /** The operator's own reference; null until the payment succeeded. */
  operatorReference: string | null
  /** What was given back, whole or in part. */
  refundedXof: number
  customerName: string | null
}

/** A payment that the network reversed by itself has no refund. */
export const REFUNDED_XOF =
  "case when p.status = 'refunded' then p.amount_xof else p.refunded_xof end"

const PAYMENT_OUTCOME = columnsOf<PaymentOutcome>({
  status: 'p.status',
  operatorReference: 'p.operator_reference',
  customerName: 'p.customer_name',
  refundedXof: REFUNDED_XOF,
})

export const findOutcome = (db: Queries, accountId: string, number: number) =>
  firstRow<PaymentOutcome>(
    db,
    `select ${PAYMENT_OUTCOME}
     from payments p where p.account_id = :accountId and p.number = :number`,
    { accountId, number },
  )

export const findStatus = async (
  tx: Queries,
  accountId: string,
  number: number,
): Promise<PaymentStatus | undefined> => (await findOutcome(tx, accountId, number))?.status

// Which payment an order of the merchant's has (D-90). Its row is locked before its payment is
// looked at: one that is paid after it had failed locks it too, so no two payments of one order can
// both continue.

export interface OrderClaim {
  accountId: string
  orderReference: string
  /** The reference of the payment that claims the order. */
  number: number
}

/**
 * Undefined when this payment now holds the order; else the reference of the payment that holds it.
 */
export async function claimOrder(tx: Queries, claim: OrderClaim): Promise<string | undefined> {
  const { accountId, orderReference, number } = claim
  const holder = await firstReturnedValue<number>(
    tx,
    `insert into orders (account_id, order_reference, number)
     values (:accountId, :orderReference, :number)
     on conflict (account_id, order_reference) do update set number = orders.number
     returning number`,
    { accountId, orderReference, number },
  )
  if (holder === number) return undefined
  // The order of a failed payment is free.
  const existing = await firstValue<string>(
    tx,
    `select reference from payments
     where account_id = :accountId and number = :holder and status <> 'failed'`,
    { accountId, holder: holder ?? null },
  )
  if (existing === undefined)
    await updateRows(tx, 'orders', { accountId, orderReference }, { number })
  return existing
}
