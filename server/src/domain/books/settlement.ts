// Settlements: money that left the wallet at the network for the merchant's bank, and whether the
// bank has it.
import type { Environment } from '../environment.ts'
import { isShownText } from '../texts/free-text.ts'
import type { LineType } from './statement.ts'

export interface Settlement {
  environment: Environment
  connection: string
  /** Of the connection's statement. */
  lineNumber: number
  accountId: string
  leftAt: number
  leftDay: number
  /** Negative for money that came back into the wallet. */
  amountXof: number
  networkReference: string
  /** What the bank has, and since when; null until the merchant confirms it. */
  receivedXof: number | null
  receivedDay: number | null
  /** The bank's own reference of the credit; empty without one. */
  bankReference: string
}

export const SETTLEMENT_STATES = ['in_transit', 'received', 'returned'] as const

export type SettlementState = (typeof SETTLEMENT_STATES)[number]

export function settlementState({ amountXof, receivedXof }: Settlement): SettlementState {
  if (amountXof <= 0) return 'returned'
  return receivedXof === null ? 'in_transit' : 'received'
}

/** `mtn-benin-412`: the connection and the number of its line. */
export const settlementName = ({
  connection,
  lineNumber,
}: Pick<Settlement, 'connection' | 'lineNumber'>): string => `${connection}-${lineNumber}`

export function readSettlementName(
  name: string,
): { connection: string; lineNumber: number } | undefined {
  const [, connection, line] = /^([\w.-]{1,64})-(\d{1,15})$/.exec(name) ?? []
  return connection === undefined ? undefined : { connection, lineNumber: Number(line) }
}

/** A thousand times the largest payment. */
const MOST_RECEIVED_XOF = 1_000_000_000_000

export const isReceivedAmount = (amount: unknown): amount is number =>
  Number.isSafeInteger(amount) && (amount as number) > 0 && (amount as number) <= MOST_RECEIVED_XOF

const LONGEST_BANK_REFERENCE = 60

/** One of the bank's statement; empty when the merchant gives none. */
export const isBankReference = (text: unknown): text is string =>
  text === '' || isShownText(text, LONGEST_BANK_REFERENCE)

/**
 * A line of the network's statement since the settlement before: what the settlement is made of.
 */
export interface SettledLine {
  lineNumber: number
  bookedAt: number
  day: number
  type: LineType
  amountXof: number
  feeXof: number
  taxXof: number
  networkReference: string
  /** The payment's references; null for a line without a payment. */
  reference: string | null
  publicReference: string | null
  externalReference: string | null
  refundReference: string | null
}

/** Of the lines since the settlement before. */
export interface SettledSums {
  lines: number
  collectedXof: number
  /** Negative, like fees and taxes. */
  refundedXof: number
  feesXof: number
  taxesXof: number
  otherXof: number
}
