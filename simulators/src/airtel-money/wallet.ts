// The payments that the simulated Airtel has taken: their state follows from a list of timed events.
import type { BookedPayment, Clock } from '../network.ts'
import { ENDINGS, type Ending } from './numbers-and-faults.ts'

export type PaymentOrder = { id: string; reference: string; msisdn: string; amount: number }

export interface Happening extends Ending {
  at: number
}

export interface WalletPayment extends PaymentOrder {
  /** Airtel's own id, sent with the success. */
  airtelMoneyId: string
  takenAt: number
  waiting: 'TIP' | 'TA' | 'TI'
  happenings: Happening[]
  requests: number
  refunds: number
}

export type Wallet = ReturnType<typeof wallet>

export function wallet(clock: Clock) {
  const payments = new Map<string, WalletPayment>()
  const byAirtelMoneyId = new Map<string, WalletPayment>()
  /** The last thing that has happened; undefined while the payer has not decided. */
  const ending = (payment: WalletPayment): Happening | undefined =>
    payment.happenings.findLast(({ at }) => at <= clock.now())
  return {
    find: (id: string) => payments.get(id),
    findPaid: (airtelMoneyId: string) => {
      const payment = byAirtelMoneyId.get(airtelMoneyId)
      return payment !== undefined && isDebited(ending(payment)) ? payment : undefined
    },
    /** The happenings are in order of time. */
    take: (order: PaymentOrder, waiting: WalletPayment['waiting'], happenings: Happening[]) => {
      const number = payments.size + 1
      const payment: WalletPayment = {
        ...order,
        airtelMoneyId: `MP${day(clock.now())}.L${String(number).padStart(5, '0')}`,
        takenAt: clock.now(),
        waiting,
        happenings,
        requests: 1,
        refunds: 0,
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

export const isDebited = (ending: Happening | undefined): boolean => ending?.status === ENDINGS.approve.status

export const bookOf = (payment: WalletPayment, ending: Happening | undefined): BookedPayment => ({
  id: payment.id,
  clientReference: payment.reference,
  msisdn: payment.msisdn,
  amountXof: payment.amount,
  status: ending?.status ?? payment.waiting,
  debits: isDebited(ending) ? 1 : 0,
  refunds: payment.refunds,
  requests: payment.requests,
})
