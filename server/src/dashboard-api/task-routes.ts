// Tasks of the console, and the connections to networks.
import { z } from 'zod'
import { decideApproval } from '../actions/console/decide-approval.ts'
import { listTasks, releaseTaskOf, settleTask, takeTaskFor } from '../actions/console/tasks.ts'
import { pauseConnection, resumeConnection } from '../actions/operators/pause-connection.ts'
import { namedOperator } from '../domain/country.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { consoleRoute, type KnownConnection, NOTHING, TEXT } from './route.ts'
import type { ConnectionRow, PageOf, TaskRow } from './shapes.ts'

const HOW = z.enum(['close', 'accept', 'refund', 'made', 'given_up'])
const TASK = z.object({ taskId: TEXT })
const CONNECTION = z.object({ environment: z.enum(ENVIRONMENTS), connection: TEXT, reason: TEXT })

const decision = (verb: 'approve' | 'reject') =>
  consoleRoute(`POST /tasks/:taskId/${verb}`, 'settleTasks', TASK, (deps, caller, { taskId: approvalId }) =>
    decideApproval(deps, caller, { approvalId, isApproved: verb === 'approve' }),
  )

const withNames = (detail: TaskRow['detail']): TaskRow['detail'] =>
  typeof detail.operator === 'string' ? { ...detail, operator: namedOperator(detail.operator) } : detail

export const taskRoutes = [
  consoleRoute('GET /tasks', 'read', NOTHING, async (deps, caller): Promise<PageOf<TaskRow>> => {
    const { rows } = await listTasks(deps, caller)
    return { rows: rows.map((row) => ({ ...row, detail: withNames(row.detail) })), next: null }
  }),
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
  consoleRoute('POST /connections/:environment/:connection/pause', 'pauseConnections', CONNECTION, pauseConnection),
  consoleRoute(
    'POST /connections/:environment/:connection/resume',
    'pauseConnections',
    CONNECTION.extend({ reason: TEXT.default('no reason given') }),
    resumeConnection,
  ),
]

function connectionRow(known: KnownConnection): ConnectionRow {
  const { environment, name, connector, serves, limits, health, pause, refusals } = known
  const common = {
    environment,
    name,
    connector: connector ?? '',
    routes: [...serves],
    limits: limitsBody(limits),
  }
  if (pause !== undefined) return { ...common, state: 'paused', since: pause.since, reason: pause.reason }
  const [refusal] = refusals
  if (refusal !== undefined) {
    return { ...common, state: 'closed', since: refusal.since, reason: refusal.why }
  }
  if (health?.misconfigured === 1) return { ...common, state: 'refused', since: health.since, reason: health.why }
  if (health === undefined) return { ...common, state: 'unknown', since: null, reason: null }
  return { ...common, state: health.state === 'down' ? 'down' : 'up', since: health.since, reason: health.why }
}

function limitsBody(limits: KnownConnection['limits']): ConnectionRow['limits'] {
  if (limits === undefined) return null
  const { request, status } = limits
  return {
    request: { atOnce: request.atOnce, perSecond: request.perSecond ?? null },
    status: { atOnce: status.atOnce, perSecond: status.perSecond ?? null },
  }
}
