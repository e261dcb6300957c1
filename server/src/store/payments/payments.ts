// Payments in the store: one function, one statement. Every read for a merchant names the account.
import type { Environment } from '../../domain/environment.ts'
import type { Payment, PaymentOrder } from '../../domain/payment.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import type { Database, Insertion } from '../engine/database.ts'

const PAYMENTS: Insertion = {
  table: 'payments',
  identity: 'reference',
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
    customer_name: 'text',
    created_at: 'bigint',
    due_at: 'bigint',
  },
}

export interface NewPayment extends Omit<PaymentOrder, 'prefix'> {
  accountId: string
  environment: Environment
  number: number
  reference: string
  publicReference: string
  operator: string
  createdAt: number
  /** When the worker shall look, should whoever recorded it not have handed it over by then. */
  dueAt: number
}

/** False when the account already has a payment with this external reference (D-16). */
export function insertPendingPayment(db: Database, payment: NewPayment): Promise<boolean> {
  return db.insert(PAYMENTS, [
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
    payment.customerName,
    payment.createdAt,
    payment.dueAt,
  ])
}

interface PaymentRow {
  account_id: string
  reference: string
  public_reference: string
  external_reference: string
  status: PaymentStatus
  amount_xof: number
  msisdn_written: string | null
  validated_at: number | null
  failure_reason: string | null
}

const COLUMNS = `account_id, reference, public_reference, external_reference, status, amount_xof, msisdn_written,
  validated_at, failure_reason`

export async function findByReference(
  db: Database,
  accountId: string,
  reference: string,
): Promise<Payment | undefined> {
  const sql = `select ${COLUMNS} from payments where reference = $2 and account_id = $1`
  return asPayment(await db.find<PaymentRow>(sql, [accountId, reference]))
}

export async function findByExternalReference(
  db: Database,
  accountId: string,
  externalReference: string,
): Promise<Payment | undefined> {
  const sql = `select ${COLUMNS} from payments where account_id = $1 and external_reference = $2`
  return asPayment(await db.find<PaymentRow>(sql, [accountId, externalReference]))
}

function asPayment(row: PaymentRow | undefined): Payment | undefined {
  if (row === undefined) return undefined
  return {
    accountId: row.account_id,
    reference: row.reference,
    publicReference: row.public_reference,
    externalReference: row.external_reference,
    status: row.status,
    amountXof: row.amount_xof,
    ...(row.msisdn_written !== null && { msisdnWritten: row.msisdn_written }),
    ...(row.validated_at !== null && { validatedAt: row.validated_at }),
    ...(row.failure_reason !== null && { failureReason: row.failure_reason }),
  }
}
