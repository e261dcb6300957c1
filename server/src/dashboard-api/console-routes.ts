// The console of the service's staff: merchants, payments by any name, payments that wait too long, the audit log,
// figures.
import { z } from 'zod'
import { listLatestAudit } from '../actions/audit/audit-log.ts'
import { findAccountName, listLongWaits } from '../actions/console/tasks.ts'
import { endView, listOwnViewings, viewMerchant } from '../actions/console/view-merchant.ts'
import { askForStatus } from '../actions/merchants/change-account.ts'
import { listMerchants } from '../actions/merchants/show-merchants.ts'
import { showPayment } from '../actions/payments/read-payment.ts'
import type { ServicePerson } from '../domain/caller.ts'
import { namedOperator } from '../domain/country.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { timelineOf } from './payment-routes.ts'
import { accountRoute, consoleRoute, type DashboardDeps, NOTHING, pageOf, personRoute, TEXT } from './route.ts'
import { accountRow, sessionBody } from './session-routes.ts'
import type { ConsolePaymentBody, FiguresBody, MerchantRow, WaitingRow } from './shapes.ts'
import { auditRow } from './team-routes.ts'

const ACCOUNT_STATUSES = ['unvalidated', 'validated', 'suspended'] as const
const TIME = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

export const consoleRoutes = [
  consoleRoute(
    'GET /merchants',
    'read',
    z.object({ search: TEXT.optional(), after: TEXT.optional() }),
    async (deps, caller, input) =>
      pageOf(
        await listMerchants(deps, caller, input),
        ({ merchantId, name, createdAt, accounts }): MerchantRow => ({
          ...{ merchantId, name, createdAt },
          accounts: accounts.map(accountRow),
          validationAsked: accounts.some(({ validationAskedAt }) => validationAskedAt !== null),
        }),
      ),
  ),
  consoleRoute(
    'POST /merchants/:merchantId/:environment/status',
    'changeStatus',
    z.object({ merchantId: TEXT, environment: z.enum(ENVIRONMENTS), status: z.enum(ACCOUNT_STATUSES), reason: TEXT }),
    askForStatus,
  ),
  consoleRoute(
    'POST /merchants/:merchantId/view',
    'viewAsMerchant',
    z.object({ merchantId: TEXT, reason: TEXT }),
    async (deps, caller, input, { session }) => {
      const viewing = await viewMerchant(deps, caller, { ...input, sessionId: session.sessionId })
      return isRefused(viewing) ? viewing : sessionBody(deps, { ...session, viewing })
    },
  ),
  personRoute('POST /viewing/end', NOTHING, async (deps, caller, _input, { session }) => {
    await endView(deps, caller, { viewing: session.viewing })
    return sessionBody(deps, { ...session, viewing: null })
  }),
  accountRoute('GET /viewings', 'read', NOTHING, async (deps, caller) => {
    const viewings = await listOwnViewings(deps, caller)
    return pageOf(viewings, ({ by, reason, beganAt, until }) => ({ by, reason, at: beganAt, until }))
  }),
  consoleRoute('GET /payments/:name', 'read', z.object({ name: TEXT }), consolePayment),
  consoleRoute('GET /waiting', 'read', NOTHING, async (deps, caller) => {
    const waits = await listLongWaits(deps, caller)
    return pageOf(waits, ({ reference, merchantName, environment, operator, amountXof, ...wait }): WaitingRow => {
      const { createdAt, why, dueAt: nextQuestionAt } = wait
      const operatorName = namedOperator(operator)
      return { reference, merchantName, environment, operatorName, amount: amountXof, createdAt, why, nextQuestionAt }
    })
  }),
  consoleRoute(
    'GET /audit',
    'read',
    z.object({ after: TEXT, actor: TEXT, action: TEXT, subject: TEXT, since: TIME, until: TIME }).partial(),
    async (deps, caller, input) => pageOf(await listLatestAudit(deps, caller, input), auditRow),
  ),
  consoleRoute('GET /figures', 'read', NOTHING, async ({ readFigures }): Promise<FiguresBody> => readFigures()),
]

async function consolePayment(
  deps: DashboardDeps,
  caller: ServicePerson,
  { name }: { name: string },
): Promise<ConsolePaymentBody | Refused> {
  const shown = await showPayment(deps, caller, { name })
  if (isRefused(shown)) return shown
  const { payment, status, story } = shown
  const { accountId, environment, reference, publicReference, externalReference, amountXof, operator } = payment
  const final = story.findLast(({ kind, detail }) => kind === 'moved' && detail.to === status)
  return {
    payment: {
      ...{ reference, publicReference, transactionId: externalReference, amount: amountXof, status },
      operator: operator || null,
      operatorName: operator === '' ? null : namedOperator(operator),
      msisdn: payment.msisdnWritten,
      payerName: null,
      createdAt: payment.createdAt,
      finalAt: status === 'pending' || status === 'initiated' ? null : (final?.at ?? null),
    },
    ...(await findAccountName(deps, caller, { accountId })),
    environment,
    accountId,
    timeline: timelineOf(story, { hasPhone: payment.msisdnWritten !== null }),
  }
}
