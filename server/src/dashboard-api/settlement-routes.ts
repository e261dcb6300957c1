// A merchant's settlements: each with what it is made of, and the confirmation that the bank has it.
import { z } from 'zod'
import { confirmSettlement, listAccountSettlements, readSettlement } from '../actions/books/settlements.ts'
import { labelConnections } from '../actions/operators/merchant-connections.ts'
import { dayText } from '../domain/business-day.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import type { Page } from '../domain/page.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { type SettledLine, type Settlement, settlementName, settlementState } from '../domain/settlement.ts'
import { accountRoute, type DashboardDeps, day, optional, PAGE_FIELDS, pageOf, wholeNumber } from './route.ts'
import type { PageOf, SettlementBody, SettlementLineRow, SettlementRow } from './shapes.ts'

const Name = z.object({ settlement: z.string().max(100), ...PAGE_FIELDS })
const Receipt = z.object({
  settlement: z.string().max(100),
  amount: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  day: optional(day),
  reference: optional(z.string().trim().max(200)),
})

export const settlementRoutes = [
  accountRoute(
    'GET /settlements',
    'seeBooks',
    z.object(PAGE_FIELDS),
    async (deps, caller, page): Promise<PageOf<SettlementRow> | Refused> =>
      settlementPage(
        deps,
        caller,
        await listAccountSettlements(deps, caller, { ...page, accountId: caller.accountId }),
      ),
  ),
  accountRoute(
    'GET /settlements/:settlement',
    'seeBooks',
    Name,
    async (deps, caller, { settlement: name, ...page }): Promise<SettlementBody | Refused> => {
      const found = await readSettlement(deps, caller, { name, ...page, accountId: caller.accountId })
      if (isRefused(found)) return found
      const { settlement, sums, lines } = found
      const labelled = await labelConnections(deps, caller, [settlement])
      return {
        ...labelled(settlementRow(settlement)),
        collected: sums.collectedXof,
        refunded: sums.refundedXof,
        fees: sums.feesXof,
        taxes: sums.taxesXof,
        other: sums.otherXof,
        ...{ rows: lines.rows.map(lineRow), next: lines.next ?? null },
      }
    },
  ),
  accountRoute(
    'POST /settlements/:settlement/confirm',
    'keepBooks',
    Receipt,
    async (deps, caller, { settlement: name, amount: receivedXof, day: receivedDay, reference: bankReference }) => {
      const receipt = { name, receivedXof, receivedDay, bankReference, accountId: caller.accountId }
      const confirmed = await confirmSettlement(deps, caller, receipt)
      if (isRefused(confirmed)) return confirmed
      return (await labelConnections(deps, caller, [confirmed]))(settlementRow(confirmed))
    },
  ),
]

async function settlementPage(
  deps: DashboardDeps,
  caller: MerchantPerson,
  page: Page<Settlement> | Refused,
): Promise<PageOf<SettlementRow> | Refused> {
  if (isRefused(page)) return page
  const labelled = await labelConnections(deps, caller, page.rows)
  return pageOf(page, (settlement) => labelled(settlementRow(settlement)))
}

const settlementRow = (settlement: Settlement): Omit<SettlementRow, 'connectionLabel'> => ({
  settlement: settlementName(settlement),
  connection: settlement.connection,
  amount: settlement.amountXof,
  state: settlementState(settlement),
  leftAt: settlement.leftAt,
  operatorReference: settlement.networkReference || null,
  received: settlement.receivedXof,
  receivedDay: settlement.receivedDay === null ? null : dayText(settlement.receivedDay),
  bankReference: settlement.bankReference || null,
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
