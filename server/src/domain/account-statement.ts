// A statement that Karba gives to a merchant: what happened at one connection in a period, with a running balance.
import type { Environment } from './environment.ts'

/** The kinds of ledger entries that change the merchant's money at a network. */
export const ROW_KINDS = [
  'payment',
  'refund',
  /** The network gave the money back on its own. */
  'reversal',
  'fee',
  'tax',
  /** From the network to the merchant's bank. */
  'settlement',
  /** Into the wallet, and from no payer. */
  'top_up',
  'withheld',
  'released',
  /** A correction by the network, or a line that no rule explains. */
  'other',
] as const

export type RowKind = (typeof ROW_KINDS)[number]

export interface StatementRow {
  /** The ledger entry's number. */
  entry: number
  bookedAt: number
  day: number
  kind: RowKind
  /** The payment's references, and the operator's; empty where there is none. */
  reference: string
  publicReference: string
  externalReference: string
  refundReference: string
  operatorReference: string
  /** What the merchant's money at the network gained by it; negative for what it lost. */
  amountXof: number
  balanceXof: number
  /** Whether the network's own statement has it. */
  isConfirmed: boolean
}

/** The sums of the period. Opening plus all of them is the closing. */
export interface StatementSums {
  openingXof: number
  collectedXof: number
  /** Negative. */
  refundedXof: number
  feesXof: number
  taxesXof: number
  withheldXof: number
  settledXof: number
  closingXof: number
  /** The part of the collected amount that the network's own statement confirms. */
  confirmedXof: number
}

export interface AccountStatement extends StatementSums {
  merchantName: string
  accountId: string
  environment: Environment
  connection: string
  /** Both inclusive: days since 1970 (domain/business-day.ts). */
  fromDay: number
  toDay: number
  rows: readonly StatementRow[]
}
