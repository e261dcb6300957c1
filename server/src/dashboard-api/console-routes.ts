// The console of the service's own people: merchants, payments by any name, what wants a second person, tasks, what waits too long.
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
import { MERCHANT_RIGHTS, SERVICE_RIGHTS } from '../domain/role.ts'
import { timelineOf } from './payment-routes.ts'
import { type DashboardDeps, defineRoute, NOTHING } from './route.ts'
import { sessionBody } from './session-routes.ts'
import type { ConsolePaymentBody, FiguresBody, MerchantRow, PageOf, WaitingRow } from './shapes.ts'
import { auditRow } from './team-routes.ts'

const TEXT = z.string().max(1_000)
const ENVIRONMENT = z.enum(ENVIRONMENTS)
const TIME = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

export const consoleRoutes = [
  defineRoute({
    method: 'GET',
    path: '/console/merchants',
    roles: SERVICE_RIGHTS.read,
    input: z.object({ search: TEXT.optional(), after: TEXT.optional() }),
    handle: async (deps, caller, input) => {
      const page = await listMerchants(deps, caller, input)
      if (isRefused(page)) return page
      const rows = page.rows.map(({ merchantId, name, createdAt, accounts }) => ({
        ...{ merchantId, name, createdAt },
        accounts: accounts.map(({ accountId, environment, status, reason }) => ({
          ...{ accountId, environment, status, reason },
        })),
        validationAsked: accounts.some(({ validationAskedAt }) => validationAskedAt !== null),
      }))
      return { rows, next: page.next ?? null } satisfies PageOf<MerchantRow>
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/console/merchants/:merchantId/:environment/status',
    roles: SERVICE_RIGHTS.changeStatus,
    input: z.object({
      merchantId: TEXT,
      environment: ENVIRONMENT,
      status: z.enum(['unvalidated', 'validated', 'suspended']),
      reason: TEXT,
    }),
    handle: askForStatus,
  }),
  defineRoute({
    method: 'POST',
    path: '/console/merchants/:merchantId/view',
    roles: SERVICE_RIGHTS.viewAsMerchant,
    input: z.object({ merchantId: TEXT, reason: TEXT }),
    handle: async (deps, caller, input, { session }) => {
      const viewing = await viewMerchant(deps, caller, { ...input, sessionId: session.sessionId })
      return isRefused(viewing) ? viewing : sessionBody(deps, { ...session, viewing })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/viewing/end',
    roles: 'person',
    input: NOTHING,
    handle: async (deps, caller, _input, { session }) => {
      await endView(deps, caller, { viewing: session.viewing })
      return sessionBody(deps, { ...session, viewing: null })
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/viewings',
    roles: MERCHANT_RIGHTS.read,
    input: NOTHING,
    handle: async (deps, caller) => {
      const viewings = await listOwnViewings(deps, caller)
      if (isRefused(viewings)) return viewings
      return {
        rows: viewings.rows.map(({ by, reason, beganAt, until }) => ({ by, reason, at: beganAt, until })),
        next: null,
      }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/console/payments/:name',
    roles: SERVICE_RIGHTS.read,
    input: z.object({ name: TEXT }),
    handle: consolePayment,
  }),
  defineRoute({
    method: 'GET',
    path: '/console/waiting',
    roles: SERVICE_RIGHTS.read,
    input: NOTHING,
    handle: async (deps, caller) => {
      const waits = await listLongWaits(deps, caller)
      if (isRefused(waits)) return waits
      const rows = waits.rows.map(
        ({ reference, merchantName, environment, operator, amountXof, createdAt, why, dueAt }) => ({
          ...{
            reference,
            merchantName,
            environment,
            operatorName: namedOperator(operator),
            amount: amountXof,
            createdAt,
            why,
          },
          nextQuestionAt: dueAt,
        }),
      )
      return { rows, next: null } satisfies PageOf<WaitingRow>
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/console/audit',
    roles: SERVICE_RIGHTS.read,
    input: z.object({
      after: TEXT.optional(),
      actor: TEXT.optional(),
      action: TEXT.optional(),
      subject: TEXT.optional(),
      since: TIME.optional(),
      until: TIME.optional(),
    }),
    handle: async (deps, caller, input) => {
      const page = await listLatestAudit(deps, caller, input)
      return isRefused(page) ? page : { rows: page.rows.map(auditRow), next: page.next ?? null }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/console/figures',
    roles: SERVICE_RIGHTS.read,
    input: NOTHING,
    handle: async ({ readFigures }): Promise<FiguresBody> => readFigures(),
  }),
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
