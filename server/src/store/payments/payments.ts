// Payments in the store: one function, one statement. Every read for a merchant names the account.
import type { Environment } from '../../domain/environment.ts'
import type { Payment, PaymentOrder } from '../../domain/payment.ts'
import { columns } from '../engine/columns.ts'
import { type Database, type Insertion, lookUpBy, type Queries, type Value } from '../engine/database.ts'

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

export interface NewPayment extends Omit<PaymentOrder, 'prefix'> {
  accountId: string
  environment: Environment
  number: number
  reference: string
  publicReference: string
  operator: string
  connection: string
  createdAt: number
  /** When a worker claims the payment, if the process that recorded it has not handed it over by then. */
  dueAt: number
}

/** False when the account already has a payment with this external reference (D-16). */
export const insertPendingPayment = (db: Database, payment: NewPayment): Promise<boolean> =>
  db.insert(PAYMENTS, valuesOf(payment))

const PENDING_WITH_MORE = [...Object.keys(PAYMENTS.columns), 'client_reference', 'metadata']

/** Like insertPendingPayment, for one with an order_reference or metadata. */
export async function insertPendingPaymentWithMore(tx: Queries, payment: NewPayment): Promise<boolean> {
  const places = PENDING_WITH_MORE.map((_, at) => `$${at + 1}`)
  const changed = await tx.change(
    `insert into payments (${PENDING_WITH_MORE.join(', ')}) values (${places.join(', ')}) on conflict do nothing`,
    [...valuesOf(payment), payment.orderReference, payment.metadata],
  )
  return changed === 1
}

function valuesOf(payment: NewPayment): Value[] {
  return [
    payment.accountId,
    payment.environment,
    payment.number,
    payment.reference,
    payment.publicReference,
    payment.externalReference,
    'pending',
    payment.amountXof,
    payment.country,
    payment.msisdnWritten,
    payment.msisdn,
    payment.operator,
    payment.connection,
    payment.customerName,
    payment.createdAt,
    payment.dueAt,
    // Due later than now: the process that records it claims it too, and sends it.
    payment.dueAt > payment.createdAt ? 1 : 0,
  ]
}

/** More than a page of the table holds. */
const ROWS_OF_PROBE = 40

class Undone extends Error {}

/** Whether payments can be recorded: some are, and undone. For when the store has refused one: what is undone takes room until it is cleaned up. */
export async function canRecordPayments(db: Database, probe: string, now: number): Promise<boolean> {
  try {
    await db.transaction(async (tx) => {
      await tx.change(
        `with recursive nth (n) as (select 1 union all select n + 1 from nth where n < ${ROWS_OF_PROBE})
         insert into payments (account_id, environment, number, reference, public_reference, external_reference,
           status, amount_xof, country, msisdn, operator, connection, customer_name, created_at, due_at)
         select $1, 'sandbox', n, $1 || n, $1 || n, $1 || n, 'pending', 1, 'NE', $1, $1, $1, $1,
           cast($2 as bigint), cast($2 as bigint) from nth`,
        [probe, now],
      )
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
  return true
}

const PAYMENT = columns<Payment>({
  accountId: 'account_id',
  number: 'number',
  reference: 'reference',
  publicReference: 'public_reference',
  externalReference: 'external_reference',
  status: 'status',
  amountXof: 'amount_xof',
  msisdnWritten: 'msisdn_written',
  validatedAt: 'validated_at',
  failureReason: 'failure_reason',
  createdBy: 'created_by',
  clientReference: 'client_reference',
  metadata: 'metadata',
  operator: 'operator',
  operatorReference: 'operator_reference',
})

const BY_REFERENCE = lookUpBy(
  ['account', 'sought'],
  (account, sought) => `select ${PAYMENT} from payments where reference = ${sought} and account_id = ${account}`,
)
const BY_EXTERNAL_REFERENCE = lookUpBy(
  ['account', 'sought'],
  (account, sought) =>
    `select ${PAYMENT} from payments where account_id = ${account} and external_reference = ${sought}`,
)

export const findByReference = (db: Database, accountId: string, reference: string): Promise<Payment | undefined> =>
  db.find<Payment>(BY_REFERENCE, [accountId, reference])

export const findByExternalReference = (
  db: Database,
  accountId: string,
  externalReference: string,
): Promise<Payment | undefined> => db.find<Payment>(BY_EXTERNAL_REFERENCE, [accountId, externalReference])
