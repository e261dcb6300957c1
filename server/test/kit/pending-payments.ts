// Writes many pending payments at once directly to the store, not over HTTP.
import { randomBytes } from 'node:crypto'
import { countryOfOperator } from '../../src/domain/countries/country.ts'
import type { OperatorPayment } from '../../src/domain/payments/operator-payment.ts'
import { NOTHING_ADDED } from '../../src/domain/payments/payment-fields.ts'
import { makeReference, REFERENCE_BYTES } from '../../src/domain/payments/reference.ts'
import { EVERY_ACCOUNT } from '../../src/domain/people/caller.ts'
import type { Runtime } from '../../src/service/runtime.ts'
import { findOperatorPayment, insertPendingPayment } from '../../src/store/payments/payments.ts'

/** Of any account. */
export async function paymentOf(
  { db }: Pick<Runtime, 'db'>,
  reference: unknown,
): Promise<OperatorPayment> {
  const payment = await findOperatorPayment(db, EVERY_ACCOUNT, reference as string)
  if (payment === undefined) throw new Error(`there is no payment ${reference}`)
  return payment
}

/** The size of one batch to PostgreSQL. */
const TOGETHER = 500

export async function insertPending(
  { db, publicReferences, nextNumber }: Runtime,
  accountId: string,
  count: number,
  // The payments are spread over the operators.
  options: { dueAt: number; msisdn?: string; operators?: readonly string[] },
): Promise<void> {
  const { dueAt, msisdn = '22796123456', operators = ['airtel_ne'] } = options
  for (let done = 0; done < count; done += TOGETHER) {
    const some = Array.from({ length: Math.min(TOGETHER, count - done) }, async (_, at) => {
      const number = await nextNumber()
      const operator = operators[at % operators.length] as string
      const reference = makeReference(randomBytes(REFERENCE_BYTES))
      return insertPendingPayment(db, {
        accountId,
        environment: 'sandbox',
        number,
        reference,
        externalReference: reference,
        amountXof: 1_500,
        publicReference: publicReferences.of(number),
        country: countryOfOperator(operator) ?? 'NE',
        msisdnWritten: msisdn,
        msisdn,
        operator,
        connection: operator,
        customerName: 'Awa Diallo',
        ...NOTHING_ADDED,
        createdAt: dueAt,
        dueAt,
      })
    })
    await Promise.all(some)
  }
}
