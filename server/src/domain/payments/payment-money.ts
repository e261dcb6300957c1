// What a payment brings: its fee and net amount, and the refunds made of it. The fee is the
// tariff's until the network's statement says what the network took.
import { dayOf } from '../countries/business-day.ts'
import type { EntryKind, LedgerAccount } from '../ledger/ledger.ts'
import { expectedFee, type KeptTariff, tariffOn } from '../ledger/tariff.ts'
import type { ConnectionKey } from '../operators/connection-key.ts'
import type { PaymentStatus } from './payment-status.ts'

/** Who says the fee: the tariff expects it, or the network's statement has it. */
export type FeeBasis = 'tariff' | 'statement'

export interface PaymentFee {
  basis: FeeBasis
  feeXof: number
  /** Only a statement has taxes. */
  taxXof: number
  /** The amount without fee and tax. A refund is apart. */
  netXof: number
}

export interface MadeRefund {
  /** Null when the network gave the money back on its own. */
  refundReference: string | null
  amountXof: number
  at: number
  /** What the network's statement says that it took for the refund; null before that. */
  feeXof: number | null
}

export interface PaymentMoney {
  /** Null for a payment without a fee: its connection has no tariff, or no money moves. */
  fee: PaymentFee | null
  /** The oldest first. */
  refunds: MadeRefund[]
}

/** An entry of the ledger that is about a payment. */
export interface PaymentEntry {
  number: number
  kind: EntryKind
  debit: LedgerAccount
  credit: LedgerAccount
  amountXof: number
  refundReference: string | null
  bookedAt: number
}

interface PricedPayment extends Omit<ConnectionKey, 'connection'> {
  connection: string | null
  status: PaymentStatus
  amountXof: number
  createdAt: number
  validatedAt: number | null
}

/** `entries` are those of this payment, in their order. */
export function moneyOf(
  payment: PricedPayment,
  entries: readonly PaymentEntry[],
  tariffs: readonly KeptTariff[],
): PaymentMoney {
  const isMoved = payment.status !== 'failed' && payment.status !== 'initiated'
  return { fee: isMoved ? feeOf(payment, entries, tariffs) : null, refunds: refundsOf(entries) }
}

function feeOf(
  payment: PricedPayment,
  entries: readonly PaymentEntry[],
  tariffs: readonly KeptTariff[],
): PaymentFee | null {
  const { amountXof } = payment
  const own = entries.filter(({ refundReference }) => refundReference === null)
  if (isShown(own, 'collected')) {
    const [feeXof, taxXof] = [charged(own, 'fee'), charged(own, 'tax')]
    return { basis: 'statement', feeXof, taxXof, netXof: amountXof - feeXof - taxXof }
  }
  const ofConnection = tariffs.filter(
    ({ environment, connection }) =>
      environment === payment.environment && connection === payment.connection,
  )
  // As the import of a statement judges it: by the day of the success.
  const tariff = tariffOn(ofConnection, dayOf(payment.validatedAt ?? payment.createdAt))
  if (tariff === undefined) return null
  const feeXof = expectedFee(amountXof, tariff)
  return { basis: 'tariff', feeXof, taxXof: 0, netXof: amountXof - feeXof }
}

/** Whether a line of a statement shows it that was not taken back. */
const isShown = (
  entries: readonly PaymentEntry[],
  kind: 'collected' | 'refund_confirmed',
): boolean =>
  entries
    .filter((entry) => entry.kind === kind)
    .reduce((sum, { debit, credit, amountXof }) => {
      if (debit === 'wallet') return sum + amountXof
      return credit === 'wallet' ? sum - amountXof : sum
    }, 0) !== 0

/** A charge debits `fees` or `taxes`; a correction credits it. */
const charged = (entries: readonly PaymentEntry[], kind: 'fee' | 'tax'): number =>
  entries
    .filter((entry) => entry.kind === kind)
    .reduce((sum, { debit, amountXof }) => sum + (debit === 'wallet' ? -amountXof : amountXof), 0)

const refundsOf = (entries: readonly PaymentEntry[]): MadeRefund[] =>
  entries
    .filter(({ kind }) => kind === 'refund' || kind === 'reversal')
    .map(({ refundReference, amountXof, bookedAt: at }) => {
      const own =
        refundReference === null
          ? []
          : entries.filter((each) => each.refundReference === refundReference)
      const feeXof = isShown(own, 'refund_confirmed') ? charged(own, 'fee') : null
      return { refundReference, amountXof, at, feeXof }
    })
