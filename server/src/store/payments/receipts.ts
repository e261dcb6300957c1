// What a receipt shows, and the sealed key of receipts' codes. Nothing of a payer is read here.
import type { Environment } from '../../domain/environment.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, firstRow, firstValue, insertNew } from '../rows.ts'
import { REFUNDED_XOF } from './payments.ts'

export interface Receipt {
  environment: Environment
  number: number
  publicReference: string
  merchantName: string
  amountXof: number
  /** When it succeeded. */
  validatedAt: number
  /** What was given back, whole or in part. */
  refundedXof: number
}

const RECEIPT = columnsOf<Receipt>({
  environment: 'p.environment',
  number: 'p.number',
  publicReference: 'p.public_reference',
  amountXof: 'p.amount_xof',
  validatedAt: 'p.validated_at',
  merchantName: 'coalesce(b.brand_name, m.name)',
  refundedXof: REFUNDED_XOF,
})

/** Of a payment that succeeded; undefined for another. Uses the primary key in each account. */
export const findReceipt = (db: Queries, number: number, environment: Environment) =>
  firstRow<Receipt>(
    db,
    `select ${RECEIPT} from accounts a
     join payments p on p.account_id = a.account_id and p.number = :number
     join merchants m on m.merchant_id = a.merchant_id
     left join merchant_profiles b on b.merchant_id = a.merchant_id
     where a.environment = :environment and p.environment = :environment
       and p.status in ('succeeded', 'refunded')
       and p.validated_at is not null`,
    { number, environment },
  )

export const findReceiptKey = (db: Queries, keyId: string) =>
  firstValue<string>(db, 'select receipt_key from receipt_keys where key_id = :keyId', { keyId })

/** Unless another process was first. */
export const insertReceiptKey = (tx: Queries, keyId: string, receiptKey: string) =>
  insertNew(tx, 'receipt_keys', { keyId, receiptKey })
