// Pending payments for tests: one as a value, and many written at once directly to the store, not
// over HTTP.
import { randomBytes } from 'node:crypto'
import { countryOfOperator } from '../../src/domain/countries/country.ts'
import type { OperatorPayment } from '../../src/domain/payments/operator-payment.ts'
import { NOTHING_ADDED } from '../../src/domain/payments/payment-fields.ts'
import { makeReference, REFERENCE_BYTES } from '../../src/domain/payments/reference.ts'
import { EVERY_ACCOUNT } from '../../src/domain/people/caller.ts'
import type { Runtime } from '../../src/service/runtime.ts'
import { findOperatorPayment, insertPendingPayment } from '../../src/store/payments/payments.ts'

/** Claimed, and not sent yet. */
export const pendingPayment = (
  number: number,
  change: Partial<OperatorPayment> = {},
): OperatorPayment => ({
  accountId: 'acc_1',
  number,
  environment: 'sandbox',
  reference: `pay_${number}`,
  publicReference: `AAAA-AAAA-${number}`,
  externalReference: `order-${number}`,
  createdBy: null,
  ...NOTHING_ADDED,
  operator: 'airtel_ne',
  connection: 'airtel_ne',
  method: 'mobile',
  amountXof: 1_500,
  msisdnWritten: '96123456',
  msisdn: '22796123456',
  createdAt: 0,
  handedOverAt: null,
  acceptedAt: null,
  networkId: null,
  polls: 0,
  claims: 1,
  requestedAt: 0,
  attemptReference: null,
  ...change,
})

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
      const payment = pendingPayment(number, {
        accountId,
        reference,
        externalReference: reference,
        publicReference: publicReferences.of(number),
        msisdn,
        operator,
        connection: operator,
        createdAt: dueAt,
      })
      return insertPendingPayment(db, {
        ...payment,
        country: countryOfOperator(operator) ?? 'NE',
        msisdnWritten: msisdn,
        customerName: 'Awa Diallo',
        dueAt,
      })
    })
    await Promise.all(some)
  }
}
