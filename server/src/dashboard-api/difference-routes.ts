// Differences between networks' statements and the books: a merchant's own, and all of them in the console.
import { z } from 'zod'
import { settleException } from '../actions/books/exceptions.ts'
import { type ListedDifference, listDifferencePage } from '../actions/books/list-differences.ts'
import { confirmSuggestion, suggestPayments } from '../actions/books/suggestions.ts'
import type { MerchantPerson, ServicePerson } from '../domain/caller.ts'
import type { PaymentStatus } from '../domain/payment-status.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { accountRoute, consoleRoute, type DashboardDeps, PAGE_FIELDS, pageOf, TEXT } from './route.ts'
import type { DifferenceRow, PageOf, SuggestionRow } from './shapes.ts'

const ListInput = z.object({
  state: z.enum(['open', 'closed']).default('open'),
  order: z.enum(['age', 'amount']).default('age'),
  ...PAGE_FIELDS,
})
const CloseInput = z.object({ differenceId: TEXT, note: TEXT })

export const differenceRoutes = [
  accountRoute('GET /differences', 'seeBooks', ListInput, list),
  consoleRoute('GET /differences', 'read', ListInput, list),
  accountRoute('POST /differences/:differenceId/close', 'keepBooks', CloseInput, close),
  consoleRoute('POST /differences/:differenceId/close', 'keepBooks', CloseInput, close),
  // Staff only: a line that names no payment may be about another merchant's.
  consoleRoute(
    'GET /differences/:differenceId/suggestions',
    'keepBooks',
    z.object({ differenceId: TEXT }),
    async (deps, caller, { differenceId: exceptionId }): Promise<PageOf<SuggestionRow> | Refused> => {
      const suggested = await suggestPayments(deps, caller, { exceptionId })
      if (isRefused(suggested)) return suggested
      return pageOf(suggested, ({ reference, externalReference, amountXof, validatedAt }) => ({
        ...{ reference, transactionId: externalReference, amount: amountXof, at: validatedAt },
      }))
    },
  ),
  consoleRoute(
    'POST /differences/:differenceId/confirm',
    'keepBooks',
    z.object({ differenceId: TEXT, reference: TEXT, note: TEXT }),
    (deps, caller, { differenceId: exceptionId, reference, note }) =>
      confirmSuggestion(deps, caller, { exceptionId, reference, note }),
  ),
]

async function list(
  deps: DashboardDeps,
  caller: MerchantPerson | ServicePerson,
  { state, ...query }: z.output<typeof ListInput>,
): Promise<PageOf<DifferenceRow> | Refused> {
  return pageOf(await listDifferencePage(deps, caller, { ...query, isOpen: state === 'open' }), differenceRow)
}

function close(
  deps: DashboardDeps,
  caller: MerchantPerson | ServicePerson,
  { differenceId: exceptionId, note }: z.output<typeof CloseInput>,
) {
  return settleException(deps, caller, { exceptionId, note })
}

const differenceRow = (row: ListedDifference): DifferenceRow => ({
  differenceId: row.exceptionId,
  environment: row.environment,
  connection: row.connection,
  kind: row.kind,
  amount: row.amountXof,
  at: row.at,
  merchantName: row.merchantName ?? '',
  line: lineOf(row),
  payment: paymentOf(row),
  closed:
    row.resolvedAt === null
      ? null
      : { at: row.resolvedAt, by: row.closedBy ?? closerOf(row.resolvedBy), note: row.note ?? '' },
})

/** A later line that explained it has no name. */
const closerOf = (actor: string | null): string | null => (actor?.startsWith('service') === true ? null : 'shell')

function lineOf(row: ListedDifference): DifferenceRow['line'] {
  if (row.row === null || row.lineAt === null) return null
  return {
    row: row.row,
    file: row.file ?? '',
    bookedAt: row.lineAt,
    type: row.type ?? '',
    amount: row.lineXof ?? 0,
    fee: row.feeXof ?? 0,
    reference: row.networkReference ?? '',
    text: row.text ?? '',
  }
}

function paymentOf(row: ListedDifference): DifferenceRow['payment'] {
  if (row.reference === null || row.paidAt === null) return null
  return {
    reference: row.reference,
    publicReference: row.publicReference ?? '',
    amount: row.paymentXof ?? 0,
    status: row.status as PaymentStatus,
    at: row.paidAt,
  }
}
