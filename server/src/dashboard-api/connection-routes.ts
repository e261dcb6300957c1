// A merchant's own connections to networks. Credentials come in and never go out.
import { z } from 'zod'
import * as own from '../actions/operators/merchant-connections.ts'
import { servedBy } from '../domain/merchant-connection.ts'
import { accountRoute, NOTHING, TEXT } from './route.ts'
import type { OwnConnectionRow, OwnConnectionsBody } from './shapes.ts'

const ConnectionId = z.object({ connectionId: TEXT })
/** Longer than any accepted credential, so that the action says which field is wrong. */
const FIELDS = z.record(z.string().max(100), z.string().max(20_000)).refine((all) => Object.keys(all).length <= 20)

const change = (verb: 'suspend' | 'activate' | 'remove', to: 'suspended' | 'active' | 'removed') =>
  accountRoute(
    `POST /connections/:connectionId/${verb}`,
    'manageConnections',
    ConnectionId,
    (deps, caller, { connectionId }) => own.changeMerchantConnection(deps, caller, { connectionId, to }),
  )

export const connectionRoutes = [
  accountRoute('GET /connections', 'read', NOTHING, async (deps, caller): Promise<OwnConnectionsBody> => {
    const { rows, offered } = await own.showMerchantConnections(deps, caller)
    return {
      rows: rows.map(ownConnectionRow),
      offered: offered.map(({ connector, serves, fields }) => ({
        ...{ connector, serves: [...serves] },
        fields: fields.map(({ name, isOptional = false, choices = [] }) => ({
          ...{ name, isOptional, choices: [...choices] },
        })),
      })),
      callbackBase: deps.publicUrl === '' ? null : `${deps.publicUrl}/operators/${caller.environment}`,
    }
  }),
  accountRoute(
    'POST /connections',
    'manageConnections',
    z.object({ connector: TEXT, label: TEXT, serves: z.array(TEXT).max(20), fields: FIELDS }),
    own.addMerchantConnection,
  ),
  accountRoute(
    'PUT /connections/:connectionId/credentials',
    'manageConnections',
    ConnectionId.extend({ fields: FIELDS }),
    own.replaceConnectionCredentials,
  ),
  accountRoute('POST /connections/:connectionId/test', 'manageConnections', ConnectionId, own.testMerchantConnection),
  change('suspend', 'suspended'),
  change('activate', 'active'),
  change('remove', 'removed'),
]

export function ownConnectionRow({ health, pause, suspendedAt, ...row }: own.ShownConnection): OwnConnectionRow {
  const { connectionId, connector, label, state, credentialsAt, createdAt } = row
  const common = { connectionId, connector, label, serves: servedBy(row), credentialsAt, createdAt }
  if (state !== 'active') return { ...common, state: 'suspended', since: suspendedAt ?? null, reason: null }
  if (pause !== undefined) return { ...common, state: 'paused', since: pause.since, reason: pause.reason }
  if (health?.misconfigured === 1) return { ...common, state: 'refused', since: health.since, reason: health.why }
  return health?.state === 'down'
    ? { ...common, state: 'down', since: health.since, reason: health.why }
    : { ...common, state: 'active', since: health?.since ?? createdAt, reason: null }
}
