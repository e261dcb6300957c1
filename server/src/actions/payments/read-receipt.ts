// Receipts that anyone can check by their code: merchant, amount, time and state, never the payer
// (D-161).

import {
  RECEIPT_KEY_BYTES,
  type ReceiptCodes,
  receiptCodes,
} from '../../domain/payments/receipt-code.ts'
import type { PublicReferences } from '../../domain/payments/reference.ts'
import type { Visitor } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import type { MasterBox } from '../../domain/sealed-box.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import {
  findReceipt,
  findReceiptKey,
  insertReceiptKey,
  type Receipt,
} from '../../store/payments/receipts.ts'
import type { Deps } from '../deps.ts'

/** Of the only key so far. */
const KEY_ID = 'rck_1'
const PLACE = `${KEY_ID} receipt_key`

/** Makes the key of this store at the first start; every process then reads the same one. */
export async function openReceiptCodes(
  { db, random }: Pick<Deps, 'db' | 'random'>,
  box: MasterBox,
  publicReferences: PublicReferences,
): Promise<ReceiptCodes> {
  let sealed = await findReceiptKey(db, KEY_ID)
  if (sealed === undefined) {
    const fresh = Buffer.from(random.bytes(RECEIPT_KEY_BYTES)).toString('hex')
    sealed = await db.transaction(async (tx) => {
      await insertReceiptKey(tx, KEY_ID, await sealForStore(tx, box, fresh, PLACE))
      return (await findReceiptKey(tx, KEY_ID)) as string
    })
  }
  return receiptCodes(Buffer.from(box.open(sealed, PLACE), 'hex'), publicReferences)
}

export interface ReceiptDeps extends Pick<Deps, 'db'> {
  receiptCodes: ReceiptCodes
}

export type FoundReceipt = Omit<Receipt, 'number'> & { code: string }

/**
 * A forged code, one of another environment and one of a payment that has not succeeded get the
 * same refusal.
 */
export async function readReceipt(
  { db, receiptCodes }: ReceiptDeps,
  _caller: Visitor,
  { code }: { code: string },
): Promise<FoundReceipt | RefusedAs<'payment_not_found'>> {
  const wanted = receiptCodes.read(code)
  const found = wanted && (await findReceipt(db, wanted.number, wanted.environment))
  if (found === undefined) return { refused: 'payment_not_found' }
  const { number: _, ...receipt } = found
  return { ...receipt, code: receiptCodes.of(found) }
}
