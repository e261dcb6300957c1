// The payments that the simulated Airtel has taken: their state follows from a list of timed
// events.
import type { BookedPayment, Clock } from '../network.ts'
import { ENDINGS, type Ending } from './numbers-and-faults.ts'

export type PaymentOrder = {
  id: string
  reference: string
  msisdn: string
  amount: number
}

export interface StatusChange extends Ending {
  at: number
}

export interface WalletPayment extends PaymentOrder {
  /** Airtel's own id, sent with the success. */
  airtelMoneyId: string
  takenAt: number
  waiting: 'TIP' | 'TA' | 'TI'
  changes: StatusChange[]
  requests: number
  /** The times at which its whole amount went back. */
  refundedAt: number[]
}

export type Wallet = ReturnType<typeof wallet>

export function wallet(clock: Clock) {
  const payments = new Map<string, WalletPayment>()
  const byAirtelMoneyId = new Map<string, WalletPayment>()
  /** The last thing that has happened; undefined while the payer has not decided. */
  const ending = (payment: WalletPayment): StatusChange | undefined =>
    payment.changes.findLast(({ at }) => at <= clock.now())
  return {
    find: (id: string) => payments.get(id),
    findPaid: (airtelMoneyId: string) => {
      const payment = byAirtelMoneyId.get(airtelMoneyId)
      return payment !== undefined && isDebited(ending(payment)) ? payment : undefined
    },
    /** The changes are in order of time. */
    take: (order: PaymentOrder, waiting: WalletPayment['waiting'], changes: StatusChange[]) => {
      const number = payments.size + 1
      const payment: WalletPayment = {
        ...order,
        airtelMoneyId: `MP${day(clock.now())}.L${String(number).padStart(5, '0')}`,
        takenAt: clock.now(),
        waiting,
        changes,
        requests: 1,
        refundedAt: [],
      }
      payments.set(order.id, payment)
      byAirtelMoneyId.set(payment.airtelMoneyId, payment)
      return payment
    },
    ending,
    all: () => [...payments.values()],
    clear: () => {
      payments.clear()
      byAirtelMoneyId.clear()
    },
  }
}

/** As in MP210603.1234.L06941: two digits each of year, month and day, then hour and minute. */
function day(now: number): string {
  const [date = '', time = ''] = new Date(now).toISOString().slice(2, 16).split('T')
  return `${date.replaceAll('-', '')}.${time.replace(':', '')}`
}

/** Airtel's own id of a refund. */
export const refundIdOf = (airtelMoneyId: string): string => airtelMoneyId.replace(/^MP/, 'CI')

export const isDebited = (ending: StatusChange | undefined): boolean =>
  ending?.status === ENDINGS.approve.status

export const bookOf = (
  payment: WalletPayment,
  ending: StatusChange | undefined,
): BookedPayment => ({
  id: payment.id,
  clientReference: payment.reference,
  msisdn: payment.msisdn,
  amountXof: payment.amount,
  status: ending?.status ?? payment.waiting,
  debits: isDebited(ending) ? 1 : 0,
  refunds: payment.refundedAt.length,
  requests: payment.requests,
})
