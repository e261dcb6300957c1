// Settlements in the merchant API, and the confirmation that the bank has one (D-156).

import {
  isBankReference,
  isReceivedAmount,
  type SettledLine,
  type SettledSums,
  type Settlement,
} from '../domain/books/settlement.ts'
import { SETTLED_LINE_FIELDS, SETTLEMENT_FIELDS } from '../domain/books/settlement-fields.ts'
import type { Page } from '../domain/lists/page.ts'
import { isRefused, type RefusedAs } from '../domain/refusals/refusal.ts'
import type { Body } from './bodies.ts'
import { bodyOf } from './fields.ts'
import { dayIn, parseObject } from './json.ts'
import { readQuery, SETTLEMENT_DAYS, SETTLEMENT_LINES_QUERY } from './queries.ts'

export const settlementFields = (settlement: Settlement): Body<'Settlement'> =>
  bodyOf(SETTLEMENT_FIELDS, settlement)

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
    lines: rows.map((line) => bodyOf(SETTLED_LINE_FIELDS, line)),
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
