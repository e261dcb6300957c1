// A merchant's settlements: each with what it is made of, and the confirmation that the bank has it.
import { z } from 'zod'
import { confirmSettlement, listAccountSettlements, readSettlement } from '../actions/books/settlements.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { type SettledLine, type Settlement, settlementName, settlementState } from '../domain/settlement.ts'
import { accountRoute, day, optional, PAGE_FIELDS, pageOf, wholeNumber } from './route.ts'
import type { PageOf, SettlementBody, SettlementLineRow, SettlementRow } from './shapes.ts'

const Name = z.object({ settlement: z.string().max(100), ...PAGE_FIELDS })
const Receipt = z.object({
  settlement: z.string().max(100),
  amount: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  day: optional(day),
})

export const settlementRoutes = [
  accountRoute(
    'GET /settlements',
    'seeBooks',
    z.object(PAGE_FIELDS),
    async (deps, caller, page): Promise<PageOf<SettlementRow> | Refused> =>
      pageOf(await listAccountSettlements(deps, caller, { ...page, accountId: caller.accountId }), settlementRow),
  ),
  accountRoute(
    'GET /settlements/:settlement',
    'seeBooks',
    Name,
    async (deps, caller, { settlement: name, ...page }): Promise<SettlementBody | Refused> => {
      const found = await readSettlement(deps, caller, { name, ...page, accountId: caller.accountId })
      if (isRefused(found)) return found
      const { settlement, sums, lines } = found
      return {
        ...settlementRow(settlement),
        collected: sums.collectedXof,
        refunded: sums.refundedXof,
        fees: sums.feesXof,
        taxes: sums.taxesXof,
        other: sums.otherXof,
        lines: { rows: lines.rows.map(lineRow), next: lines.next ?? null },
      }
    },
  ),
  accountRoute(
    'POST /settlements/:settlement/confirm',
    'keepBooks',
    Receipt,
    async (deps, caller, { settlement: name, amount: receivedXof, day: receivedDay }) => {
      const receipt = { name, receivedXof, receivedDay, accountId: caller.accountId }
      const confirmed = await confirmSettlement(deps, caller, receipt)
      return isRefused(confirmed) ? confirmed : settlementRow(confirmed)
    },
  ),
]

const settlementRow = (settlement: Settlement): SettlementRow => ({
  settlement: settlementName(settlement),
  connection: settlement.connection,
  amount: settlement.amountXof,
  state: settlementState(settlement),
  leftAt: settlement.leftAt,
  operatorReference: settlement.networkReference || null,
  received: settlement.receivedXof,
  receivedDay: settlement.receivedDay,
})

const lineRow = (line: SettledLine): SettlementLineRow => ({
  line: line.lineNumber,
  type: line.type,
  amount: line.amountXof,
  fee: line.feeXof,
  tax: line.taxXof,
  bookedAt: line.bookedAt,
  reference: line.reference,
  publicReference: line.publicReference,
  transactionId: line.externalReference,
  operatorReference: line.networkReference || null,
})
