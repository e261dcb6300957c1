// For a merchant's developers: API keys, the log of requests, webhook endpoints, deliveries, the
// event feed.
import { z } from 'zod'
import { listNewestEvents } from '../actions/events/read-events.ts'
import { acknowledgeSecret, listKeptSecrets } from '../actions/keys/kept-secrets.ts'
import {
  listAccountKeys,
  type MadeKey,
  makeKey,
  restrictionsOf,
  revokeKeys,
  rollKey,
} from '../actions/keys/manage-keys.ts'
import { listLatestRequests } from '../actions/requests/list-requests.ts'
import { listLatestDeliveries, replayEvents, showDelivery } from '../actions/webhooks/deliveries.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  showEndpoints,
  testEndpoint,
} from '../actions/webhooks/endpoints.ts'
import type { MerchantPerson } from '../domain/people/caller.ts'
import { KEY_PERMISSIONS, USUAL_PERMISSIONS } from '../domain/people/role.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import {
  deliveryName,
  eventsOf,
  failingSince,
  type ListedEndpoint,
} from '../domain/webhooks/webhook-event.ts'
import { hintOf } from '../wire/refusals.ts'
import { languageOf } from './answer.ts'
import { deliveryRow } from './payment-routes.ts'
import {
  accountRoute,
  type DashboardDeps,
  NOTHING,
  optional,
  PAGE_FIELDS,
  pageOf,
  TEXT,
  time,
  wholeNumber,
} from './route.ts'
import type {
  DeliveryBody,
  DeliveryRow,
  EndpointRow,
  EventRow,
  KeyRow,
  NewEndpointBody,
  NewKeyBody,
  PageOf,
  RequestRow,
  SecretRow,
} from './shapes.ts'

type SecretsBody = PageOf<SecretRow>

const KeyId = z.object({ keyId: z.string() })
const HOUR_MS = 3_600_000
const EndpointId = z.object({ endpointId: z.string() })
const EndpointPatch = EndpointId.extend({
  url: z.string().optional(),
  events: z.array(z.string()).optional(),
  secretHash: optional(z.string()),
  state: z.enum(['working', 'paused']).optional(),
})
const MOST_RESENT = 100
const STATES = { on: 'working', off: 'paused', gone: 'paused' } as const

export const developerRoutes = [
  accountRoute(
    'GET /keys',
    'seeDevelopers',
    NOTHING,
    async (deps, caller): Promise<PageOf<KeyRow> | Refused> => {
      const rows = await keyRows(deps, caller)
      return 'refused' in rows ? rows : { rows, next: null }
    },
  ),
  accountRoute(
    'POST /keys',
    'manageKeys',
    z.object({
      kind: z.enum(['secret', 'public']).default('secret'),
      name: z.string(),
      permissions: z
        .array(z.enum(KEY_PERMISSIONS))
        .min(1)
        .nullable()
        .default([...USUAL_PERMISSIONS]),
      networks: z.array(z.string()).nullable().default(null),
    }),
    async (deps, caller, { kind, name, permissions, networks }): Promise<NewKeyBody | Refused> => {
      const wanted = { accountId: caller.accountId, kind, name, permissions, networks }
      return newKeyBody(deps, caller, await makeKey(deps, caller, wanted))
    },
  ),
  accountRoute(
    'POST /keys/:keyId/roll',
    'manageKeys',
    z.object({ keyId: z.string(), keepOldMs: z.number().default(24 * HOUR_MS) }),
    async (deps, caller, { keyId, keepOldMs }): Promise<NewKeyBody | Refused> =>
      newKeyBody(deps, caller, await rollKey(deps, caller, { keyId, keepOldMs })),
  ),
  // Only by the id: a key or an account's name would revoke more than the one key.
  accountRoute('POST /keys/:keyId/revoke', 'manageKeys', KeyId, async (deps, caller, { keyId }) =>
    keyId.startsWith('key_')
      ? revokeKeys(deps, caller, { which: keyId })
      : { refused: 'key_not_found' },
  ),
  accountRoute(
    'GET /secrets',
    'manageKeys',
    NOTHING,
    async (deps, caller): Promise<SecretsBody | Refused> => {
      const listed = await listKeptSecrets(deps, caller)
      return isRefused(listed) ? listed : { rows: listed.rows, next: null }
    },
  ),
  accountRoute(
    'POST /secrets/:subject/have',
    'manageKeys',
    z.object({ subject: TEXT }),
    acknowledgeSecret,
  ),
  accountRoute(
    'GET /requests',
    'seeDevelopers',
    z.object({
      ...PAGE_FIELDS,
      method: optional(z.enum(['GET', 'POST'])),
      // `4xx`, or a single status.
      status: optional(z.union([z.string().regex(/^[2-5]xx$/), wholeNumber(200, 599)])),
    }),
    async (
      deps,
      caller,
      { after, limit, method, status },
      { request },
    ): Promise<PageOf<RequestRow> | Refused> => {
      const hundred = status === undefined ? undefined : Number(String(status)[0])
      const page = await listLatestRequests(deps, caller, { after, limit, method, hundred })
      if (isRefused(page)) return page
      const rows =
        typeof status === 'number' ? page.rows.filter((row) => row.status === status) : page.rows
      const hint = (code: string | null): string | null =>
        (code && hintOf(code, languageOf(request))) ?? null
      return pageOf({ ...page, rows }, ({ accountId: _, ...row }) => ({
        ...row,
        hint: hint(row.errorCode),
      }))
    },
  ),
  accountRoute(
    'GET /endpoints',
    'seeDevelopers',
    NOTHING,
    async (deps, caller): Promise<PageOf<EndpointRow>> => ({
      rows: await endpointRows(deps, caller),
      next: null,
    }),
  ),
  accountRoute(
    'POST /endpoints',
    'manageWebhooks',
    z.object({
      url: z.string(),
      events: z.array(z.string()).default([]),
      secretHash: optional(z.string()),
    }),
    async (deps, caller, { url, events, secretHash }): Promise<NewEndpointBody | Refused> => {
      const { accountId } = caller
      const added = await addEndpoint(deps, caller, {
        accountId,
        url,
        events,
        secretHash,
      })
      if (isRefused(added)) return added
      const endpoint = (await endpointRow(deps, caller, added.endpointId)) as EndpointRow
      return { endpoint, signingSecret: added.signingSecret }
    },
  ),
  accountRoute(
    'PATCH /endpoints/:endpointId',
    'manageWebhooks',
    EndpointPatch,
    async (deps, caller, input): Promise<EndpointRow | Refused> => {
      const { endpointId } = input
      const changed = await changeEndpoint(deps, caller, { endpointId, changes: changesOf(input) })
      if (isRefused(changed)) return changed
      const row = await endpointRow(deps, caller, endpointId)
      return row ?? { refused: 'endpoint_not_found' }
    },
  ),
  accountRoute(
    'DELETE /endpoints/:endpointId',
    'manageWebhooks',
    EndpointId,
    async (deps, caller, { endpointId }): Promise<object | Refused> => {
      const changes = [{ to: 'removed' }] as const
      const removed = await changeEndpoint(deps, caller, { endpointId, changes })
      return isRefused(removed) ? removed : {}
    },
  ),
  accountRoute(
    'POST /endpoints/:endpointId/test',
    'manageWebhooks',
    EndpointId,
    async (deps, caller, { endpointId }): Promise<DeliveryBody | Refused> => {
      const sent = await testEndpoint(deps, caller, { endpointId })
      return isRefused(sent) ? sent : deliveryBody(deps, caller, deliveryName(sent))
    },
  ),
  accountRoute(
    'GET /deliveries',
    'seeDevelopers',
    z.object({
      ...PAGE_FIELDS,
      endpointId: optional(z.string()),
      state: optional(z.enum(['waiting', 'delivered', 'failed'])),
    }),
    async (deps, caller, { state, ...input }): Promise<PageOf<DeliveryRow> | Refused> => {
      const page = await listLatestDeliveries(deps, caller, {
        ...input,
        failedOnly: state === 'failed',
      })
      if (isRefused(page)) return page
      const rows = page.rows.filter(({ status }) => state === undefined || status === state)
      return pageOf({ ...page, rows }, deliveryRow)
    },
  ),
  accountRoute(
    'GET /deliveries/:deliveryId',
    'seeDevelopers',
    z.object({ deliveryId: z.string() }),
    (deps, caller, { deliveryId }): Promise<DeliveryBody | Refused> =>
      deliveryBody(deps, caller, deliveryId),
  ),
  accountRoute(
    'POST /deliveries/resend',
    'manageWebhooks',
    z.union([
      z.object({ deliveryIds: z.array(z.string()).min(1).max(MOST_RESENT) }),
      z.object({ endpointId: z.string(), since: time(0) }),
    ]),
    async (deps, caller, input): Promise<{ resent: number } | Refused> => {
      if ('endpointId' in input) {
        const { endpointId, since: failedSince } = input
        const sent = await replayEvents(deps, caller, { endpointId, failedSince })
        return isRefused(sent) ? sent : { resent: sent.deliveries }
      }
      let resent = 0
      for (const delivery of input.deliveryIds) {
        const sent = await replayEvents(deps, caller, { delivery })
        if (isRefused(sent)) return sent
        resent += sent.deliveries
      }
      return { resent }
    },
  ),
  accountRoute('GET /events', 'seeDevelopers', z.object(PAGE_FIELDS), async (deps, caller, input) =>
    pageOf(
      await listNewestEvents(deps, caller, input),
      ({ sequence, event, payload, createdAt, paymentReference }): EventRow => ({
        number: sequence,
        type: event,
        paymentReference: paymentReference ?? '',
        createdAt,
        body: payload,
      }),
    ),
  ),
]

async function keyRows(deps: DashboardDeps, caller: MerchantPerson): Promise<KeyRow[] | Refused> {
  const found = await listAccountKeys(deps, caller, { accountId: caller.accountId })
  if (isRefused(found)) return found
  return found.keys.map((key) => {
    const { permissions, networks } = restrictionsOf(key)
    const { keyId, kind, shownAs, name, createdAt, lastUsedAt, expiresAt, madeBy } = key
    const lists = {
      permissions: permissions && [...permissions],
      networks: networks && [...networks],
    }
    return { keyId, kind, shownAs, name, ...lists, createdAt, lastUsedAt, expiresAt, madeBy }
  })
}

async function newKeyBody(deps: DashboardDeps, caller: MerchantPerson, made: MadeKey | Refused) {
  if (isRefused(made)) return made
  const rows = await keyRows(deps, caller)
  if ('refused' in rows) return rows
  return { key: rows.find(({ keyId }) => keyId === made.keyId) as KeyRow, secret: made.key }
}

async function endpointRows(deps: DashboardDeps, caller: MerchantPerson): Promise<EndpointRow[]> {
  const { rows } = await showEndpoints(deps, caller)
  return rows.map((endpoint) => {
    const { endpointId, url, waiting, isMore, createdAt } = endpoint
    const health = endpointHealth(endpoint, deps.clock.now())
    return { endpointId, url, events: eventsOf(endpoint), ...health, waiting, isMore, createdAt }
  })
}

const endpointRow = async (deps: DashboardDeps, caller: MerchantPerson, endpointId: string) =>
  (await endpointRows(deps, caller)).find((row) => row.endpointId === endpointId)

export function endpointHealth(
  endpoint: ListedEndpoint,
  now: number,
): Pick<EndpointRow, 'state' | 'failingSince' | 'lastStatus'> {
  const { status, lastStatusCode: lastStatus } = endpoint
  const since = failingSince(endpoint, now)
  return {
    state: status === 'on' && since !== null ? 'failing' : STATES[status],
    failingSince: since,
    lastStatus,
  }
}

function changesOf({
  url,
  events,
  secretHash,
  state,
}: z.output<typeof EndpointPatch>): EndpointChange[] {
  const isNewTarget = url !== undefined || events !== undefined
  return [
    ...(isNewTarget ? [{ to: 'new target', url, events } as const] : []),
    ...(secretHash === undefined
      ? []
      : [{ to: 'new secret hash', secretHash, keepOldMs: 0 } as const]),
    ...(state === undefined ? [] : [{ to: state === 'paused' ? 'off' : 'on' } as const]),
  ]
}

async function deliveryBody(
  deps: DashboardDeps,
  caller: MerchantPerson,
  name: string,
): Promise<DeliveryBody | Refused> {
  const shown = await showDelivery(deps, caller, { name })
  if (isRefused(shown)) return shown
  const tries = shown.attempts.map(({ at, statusCode, error, durationMs, answer }) => ({
    at,
    status: statusCode,
    error,
    milliseconds: durationMs,
    answer: answer === '' ? null : answer,
  }))
  return { ...deliveryRow(shown.delivery), requestBody: shown.payload, tries }
}
