// The console of the staff: merchants, payments, tasks, connections to networks, the audit log,
// figures.

import { Readable } from 'node:stream'
import { z } from 'zod'
import { listLatestAudit } from '../actions/audit/audit-log.ts'
import { decideApproval } from '../actions/console/decide-approval.ts'
import {
  endView,
  listOwnViewings,
  openMerchantDocument,
  showMerchant,
  viewMerchant,
} from '../actions/console/merchant-page.ts'
import { searchConsole } from '../actions/console/search.ts'
import {
  findAccountName,
  listLongWaits,
  listTasks,
  releaseTaskOf,
  settleTask,
  takeTaskFor,
} from '../actions/console/tasks.ts'
import { askForStatus } from '../actions/merchants/change-account.ts'
import { type ListedMerchant, listMerchants } from '../actions/merchants/show-merchants.ts'
import { labelConnections } from '../actions/operators/merchant-connections.ts'
import { pauseConnection, resumeConnection } from '../actions/operators/pause-connection.ts'
import { showPayment } from '../actions/payments/read-payment.ts'
import { operatorName } from '../domain/countries/country.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import type { PageInput } from '../domain/lists/page.ts'
import type { ListedConnection } from '../domain/operators/connection.ts'
import { EVERY_ACCOUNT, type ServicePerson } from '../domain/people/caller.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import { fetchFaultSentence } from '../wire/statement-faults.ts'
import { languageOf, sendFile } from './answer.ts'
import type { RouteHttp } from './callers.ts'
import { endpointHealth } from './developer-routes.ts'
import { paymentRow, timelineOf } from './payment-routes.ts'
import { accountRow, sessionBody } from './person-routes.ts'
import {
  accountRoute,
  consoleRoute,
  type DashboardDeps,
  NOTHING,
  PAGE_FIELDS,
  pageOf,
  personRoute,
  TEXT,
} from './route.ts'
import { ownConnectionRow } from './settings-routes.ts'
import type {
  ConnectionRow,
  ConsolePaymentBody,
  ConsoleSearchBody,
  FiguresBody,
  MerchantBody,
  MerchantRow,
  PageOf,
  TaskRow,
  WaitingRow,
} from './shapes.ts'
import { auditRow, memberRow } from './team-routes.ts'

const ACCOUNT_STATUSES = ['unvalidated', 'validated', 'suspended'] as const
const TIME = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const HOW = z.enum(['close', 'accept', 'refund', 'made', 'given_up'])
const MERCHANT = z.object({ merchantId: TEXT })
const TASK = z.object({ taskId: TEXT })
const CONNECTION = z.object({ environment: z.enum(ENVIRONMENTS), connection: TEXT, reason: TEXT })

const decision = (verb: 'approve' | 'reject') =>
  consoleRoute(
    `POST /tasks/:taskId/${verb}`,
    'settleTasks',
    TASK,
    (deps, caller, { taskId: approvalId }) =>
      decideApproval(deps, caller, { approvalId, isApproved: verb === 'approve' }),
  )

export const consoleRoutes = [
  consoleRoute(
    'GET /merchants',
    'read',
    z.object({ search: TEXT.optional(), after: TEXT.optional() }),
    async (deps, caller, input) => pageOf(await listMerchants(deps, caller, input), merchantRow),
  ),
  consoleRoute('GET /merchants/:merchantId', 'read', MERCHANT, merchantBody),
  consoleRoute(
    'GET /merchants/:merchantId/documents/:documentId',
    'reviewFiles',
    z.object({ merchantId: TEXT, documentId: TEXT }),
    async (deps, caller, input, { reply }) => {
      const document = await openMerchantDocument(deps, caller, input)
      if (isRefused(document)) return document
      return sendFile(reply, { ...document, isShown: true }, Readable.from(document.content))
    },
  ),
  consoleRoute(
    'GET /search',
    'read',
    z.object({ search: TEXT.default('') }),
    async (deps, caller, input): Promise<ConsoleSearchBody> => {
      const { merchants, payments, isMore } = await searchConsole(deps, caller, input)
      return {
        merchants: merchants.map(merchantRow),
        payments: payments.map(({ merchantName, environment, ...payment }) => ({
          ...paymentRow({ ...payment, environment }),
          merchantName,
          environment,
        })),
        isMore,
      }
    },
  ),
  consoleRoute(
    'POST /merchants/:merchantId/:environment/status',
    'changeStatus',
    z.object({
      merchantId: TEXT,
      environment: z.enum(ENVIRONMENTS),
      status: z.enum(ACCOUNT_STATUSES),
      reason: TEXT,
    }),
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
    return pageOf(viewings, ({ by, reason, beganAt, until }) => ({
      by,
      reason,
      at: beganAt,
      until,
    }))
  }),
  consoleRoute('GET /payments/:name', 'read', z.object({ name: TEXT }), consolePayment),
  consoleRoute('GET /waiting', 'read', NOTHING, async (deps, caller) => {
    const waits = await listLongWaits(deps, caller)
    return pageOf(
      waits,
      ({
        reference,
        merchantName,
        environment,
        operator,
        amountXof,
        createdAt,
        why,
        dueAt,
      }): WaitingRow => ({
        reference,
        merchantName,
        environment,
        operatorName: operatorName(operator),
        amount: amountXof,
        createdAt,
        why,
        nextQuestionAt: dueAt,
      }),
    )
  }),
  consoleRoute(
    'GET /audit',
    'read',
    z
      .object({ after: TEXT, actor: TEXT, action: TEXT, subject: TEXT, since: TIME, until: TIME })
      .partial(),
    async (deps, caller, input) => pageOf(await listLatestAudit(deps, caller, input), auditRow),
  ),
  consoleRoute(
    'GET /figures',
    'read',
    NOTHING,
    async ({ readFigures }): Promise<FiguresBody> => readFigures(),
  ),
  consoleRoute('GET /tasks', 'read', z.object(PAGE_FIELDS), tasks),
  consoleRoute('POST /tasks/:taskId/take', 'takeTasks', TASK, takeTaskFor),
  consoleRoute('POST /tasks/:taskId/release', 'takeTasks', TASK, releaseTaskOf),
  decision('approve'),
  decision('reject'),
  consoleRoute(
    'POST /tasks/:taskId/resolve',
    'settleTasks',
    z.object({ taskId: TEXT, how: HOW, note: TEXT }),
    settleTask,
  ),
  consoleRoute(
    'GET /connections',
    'read',
    NOTHING,
    async ({ readConnections }): Promise<PageOf<ConnectionRow>> => ({
      rows: (await readConnections()).map(connectionRow),
      next: null,
    }),
  ),
  consoleRoute(
    'POST /connections/:environment/:connection/pause',
    'pauseConnections',
    CONNECTION,
    pauseConnection,
  ),
  consoleRoute(
    'POST /connections/:environment/:connection/resume',
    'pauseConnections',
    CONNECTION.extend({ reason: TEXT.default('no reason given') }),
    resumeConnection,
  ),
]

const merchantRow = ({ merchantId, name, createdAt, accounts }: ListedMerchant): MerchantRow => ({
  merchantId,
  name,
  createdAt,
  accounts: accounts.map(accountRow),
  validationAsked: accounts.some(({ validationAskedAt }) => validationAskedAt !== null),
})

async function merchantBody(
  deps: DashboardDeps,
  caller: ServicePerson,
  input: { merchantId: string },
): Promise<MerchantBody | Refused> {
  const shown = await showMerchant(deps, caller, input)
  if (isRefused(shown)) return shown
  const { merchantId, name, business, documents, validation, approval, team, accounts, history } =
    shown
  return {
    merchantId,
    name,
    business,
    documents,
    validation,
    approval,
    team: team.map(memberRow),
    accounts: accounts.map(
      ({ account, collected, succeeded, failed, operators, endpoints, connections }) => ({
        ...accountRow(account),
        collected,
        succeeded,
        failed,
        operators: operators.map(({ operator, ...counts }) => ({
          operator,
          name: operatorName(operator),
          succeeded: counts.succeeded,
          failed: counts.failed,
        })),
        endpoints: endpoints.map((endpoint) => ({
          url: endpoint.url,
          ...endpointHealth(endpoint, deps.clock.now()),
        })),
        connections: connections.map(ownConnectionRow),
      }),
    ),
    history: history.map(auditRow),
  }
}

async function consolePayment(
  deps: DashboardDeps,
  caller: ServicePerson,
  { name }: { name: string },
): Promise<ConsolePaymentBody | Refused> {
  const shown = await showPayment(deps, caller, { name })
  if (isRefused(shown)) return shown
  const { payment, status, story } = shown
  const {
    accountId,
    environment,
    reference,
    publicReference,
    externalReference,
    amountXof,
    operator,
  } = payment
  const final = story.findLast(({ kind, detail }) => kind === 'moved' && detail.to === status)
  return {
    payment: {
      reference,
      publicReference,
      transactionId: externalReference,
      amount: amountXof,
      status,
      operator: operator || null,
      operatorName: operator === '' ? null : operatorName(operator),
      msisdn: payment.msisdnWritten,
      payerName: shown.customerName,
      operatorReference: shown.operatorReference,
      connectionLabel: (await labelConnections(deps, EVERY_ACCOUNT, [payment]))(payment)
        .connectionLabel,
      createdAt: payment.createdAt,
      finalAt: status === 'pending' || status === 'initiated' ? null : (final?.at ?? null),
      refundedAmount: shown.refundedXof,
    },
    ...(await findAccountName(deps, caller, { accountId })),
    environment,
    accountId,
    timeline: timelineOf(story, { hasPhone: payment.msisdnWritten !== null }),
  }
}

function connectionRow(known: ListedConnection): ConnectionRow {
  const {
    environment,
    name,
    label,
    connector,
    serves,
    limits,
    health,
    pause,
    refusals,
    owner,
    sharedBy,
  } = known
  const common = {
    environment,
    name,
    label,
    connector: connector ?? '',
    routes: [...serves],
    limits: limitsBody(limits),
    owner,
    sharedBy,
  }
  if (pause !== undefined)
    return { ...common, state: 'paused', since: pause.since, reason: pause.reason }
  const [refusal] = refusals
  if (refusal !== undefined)
    return { ...common, state: 'closed', since: refusal.since, reason: refusal.why }
  // Its merchant has suspended it.
  if (!known.takes && owner !== null)
    return { ...common, state: 'suspended', since: null, reason: null }
  if (health?.misconfigured === 1)
    return { ...common, state: 'refused', since: health.since, reason: health.why }
  if (health === undefined) return { ...common, state: 'unknown', since: null, reason: null }
  return {
    ...common,
    state: health.state === 'down' ? 'down' : 'up',
    since: health.since,
    reason: health.why,
  }
}

function limitsBody(limits: ListedConnection['limits']): ConnectionRow['limits'] {
  if (limits === undefined) return null
  const { request, status } = limits
  return {
    request: { atOnce: request.atOnce, perSecond: request.perSecond ?? null },
    status: { atOnce: status.atOnce, perSecond: status.perSecond ?? null },
  }
}

async function tasks(
  deps: DashboardDeps,
  caller: ServicePerson,
  input: PageInput,
  { request }: RouteHttp,
): Promise<PageOf<TaskRow> | Refused> {
  const language = languageOf(request)
  const page = await listTasks(deps, caller, input)
  if (isRefused(page)) return page
  const { rows, next = null } = page
  const labelled = await labelConnections(
    deps,
    EVERY_ACCOUNT,
    rows.flatMap(({ connection }) => connection ?? []),
  )
  const shown = rows.map((row) => {
    const connection = row.connection && labelled(row.connection)
    if (row.kind !== 'statement_not_fetched') return { ...row, connection }
    const { day, fault, why } = row.detail
    return { ...row, connection, detail: { day, why: fetchFaultSentence(fault, why, language) } }
  })
  return { rows: shown, next }
}
