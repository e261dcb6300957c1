// Settlements in the merchant API, and the confirmation that the bank has one (D-156).

import {
  isBankReference,
  isReceivedAmount,
  type SettledLine,
  type SettledSums,
  type Settlement,
  settlementName,
  settlementState,
} from '../domain/books/settlement.ts'
import { dayText } from '../domain/countries/business-day.ts'
import type { Page } from '../domain/lists/page.ts'
import { isRefused, type RefusedAs } from '../domain/refusals/refusal.ts'
import type { Body } from './bodies.ts'
import { dayIn, isoTime, parseObject } from './json.ts'
import { readQuery, SETTLEMENT_DAYS, SETTLEMENT_LINES_QUERY } from './queries.ts'

export const settlementFields = (settlement: Settlement): Body<'Settlement'> => ({
  settlement: settlementName(settlement),
  connection: settlement.connection,
  amount: settlement.amountXof,
  status: settlementState(settlement),
  left_at: isoTime(settlement.leftAt),
  left_on: dayText(settlement.leftDay),
  operator_reference: settlement.networkReference || undefined,
  received_amount: settlement.receivedXof ?? undefined,
  received_on: settlement.receivedDay === null ? undefined : dayText(settlement.receivedDay),
  bank_reference: settlement.bankReference || undefined,
})

export const settlementBody = (settlement: Settlement): string =>
  JSON.stringify(settlementFields(settlement))

export const settlementListBody = ({ rows, next }: Page<Settlement>): string =>
  JSON.stringify({
    data: rows.map(settlementFields),
    next: next ?? null,
  } satisfies Body<'SettlementList'>)

interface SettlementWithLines {
  settlement: Settlement
  sums: SettledSums
  lines: Page<SettledLine>
}

export const settlementLinesBody = ({
  settlement,
  sums,
  lines: { rows, next },
}: SettlementWithLines): string =>
  JSON.stringify({
    ...settlementFields(settlement),
    collected: sums.collectedXof,
    refunded: sums.refundedXof,
    fees: sums.feesXof,
    taxes: sums.taxesXof,
    other: sums.otherXof,
    lines: rows.map((line) => ({
      type: line.type,
      amount: line.amountXof,
      fee: line.feeXof,
      tax: line.taxXof,
      booked_at: isoTime(line.bookedAt),
      value_date: dayText(line.day),
      payment_reference: line.reference ?? undefined,
      public_reference: line.publicReference ?? undefined,
      external_reference: line.externalReference ?? undefined,
      refund_reference: line.refundReference ?? undefined,
      operator_reference: line.networkReference || undefined,
    })),
    next: next ?? null,
  } satisfies Body<'SettlementLines'>)

/** Days that are the wrong way round are refused like a day that is none: before the page. */
export function readSettlementList(query: Record<string, unknown>) {
  const days = readQuery(SETTLEMENT_DAYS, query)
  if (isRefused(days)) return days
  const { from: fromDay, to: toDay } = days
  if (fromDay !== undefined && toDay !== undefined && toDay < fromDay)
    return SETTLEMENT_DAYS.to.refusal
  const page = readQuery(SETTLEMENT_LINES_QUERY, query)
  return isRefused(page) ? page : { ...page, fromDay, toDay }
}

export function readReceiptBody(
  raw: unknown,
):
  | { receivedXof: number; receivedDay?: number | undefined; bankReference: string }
  | RefusedAs<'receipt_not_valid'> {
  const { amount, received_on: on, bank_reference: bankReference = '' } = parseObject(raw)
  const receivedDay = on === undefined ? undefined : dayIn(on)
  const isDay = on === undefined || receivedDay !== undefined
  return isDay && isReceivedAmount(amount) && isBankReference(bankReference)
    ? { receivedXof: amount, receivedDay, bankReference }
    : { refused: 'receipt_not_valid' }
}
