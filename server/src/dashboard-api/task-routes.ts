// Tasks of the console, and the connections to networks.
import { z } from 'zod'
import { decideApproval } from '../actions/console/decide-approval.ts'
import { listTasks, releaseTaskOf, settleTask, takeTaskFor } from '../actions/console/tasks.ts'
import { pauseConnection, resumeConnection } from '../actions/operators/pause-connection.ts'
import { namedOperator } from '../domain/country.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { SERVICE_RIGHTS } from '../domain/role.ts'
import { connectionRow } from './connection-row.ts'
import { defineRoute, NOTHING } from './route.ts'
import type { ConnectionRow, PageOf, TaskRow } from './shapes.ts'

const TEXT = z.string().max(1_000)
const TASK = z.object({ taskId: TEXT })
const CONNECTION = z.object({ environment: z.enum(ENVIRONMENTS), connection: TEXT, reason: TEXT })

const decision = (verb: 'approve' | 'reject') =>
  defineRoute({
    method: 'POST',
    path: `/console/tasks/:taskId/${verb}`,
    roles: SERVICE_RIGHTS.settleTasks,
    input: TASK,
    handle: (deps, caller, { taskId: approvalId }) =>
      decideApproval(deps, caller, { approvalId, isApproved: verb === 'approve' }),
  })

const withNames = (detail: TaskRow['detail']): TaskRow['detail'] =>
  typeof detail.operator === 'string' ? { ...detail, operator: namedOperator(detail.operator) } : detail

export const taskRoutes = [
  defineRoute({
    method: 'GET',
    path: '/console/tasks',
    roles: SERVICE_RIGHTS.read,
    input: NOTHING,
    handle: async (deps, caller): Promise<PageOf<TaskRow>> => {
      const { rows } = await listTasks(deps, caller)
      return { rows: rows.map((row) => ({ ...row, detail: withNames(row.detail) })), next: null }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/console/tasks/:taskId/take',
    roles: SERVICE_RIGHTS.takeTasks,
    input: TASK,
    handle: takeTaskFor,
  }),
  defineRoute({
    method: 'POST',
    path: '/console/tasks/:taskId/release',
    roles: SERVICE_RIGHTS.takeTasks,
    input: TASK,
    handle: releaseTaskOf,
  }),
  decision('approve'),
  decision('reject'),
  defineRoute({
    method: 'POST',
    path: '/console/tasks/:taskId/resolve',
    roles: SERVICE_RIGHTS.settleTasks,
    input: z.object({ taskId: TEXT, how: z.enum(['close', 'accept', 'refund', 'made', 'given_up']), note: TEXT }),
    handle: settleTask,
  }),
  defineRoute({
    method: 'GET',
    path: '/console/connections',
    roles: SERVICE_RIGHTS.read,
    input: NOTHING,
    handle: async ({ readConnections }): Promise<PageOf<ConnectionRow>> => ({
      rows: (await readConnections()).map(connectionRow),
      next: null,
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/console/connections/:environment/:connection/pause',
    roles: SERVICE_RIGHTS.pauseConnections,
    input: CONNECTION,
    handle: pauseConnection,
  }),
  defineRoute({
    method: 'POST',
    path: '/console/connections/:environment/:connection/resume',
    roles: SERVICE_RIGHTS.pauseConnections,
    input: CONNECTION.extend({ reason: TEXT.default('no reason given') }),
    handle: resumeConnection,
  }),
]
