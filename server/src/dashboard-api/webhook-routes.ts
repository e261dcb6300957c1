// For a merchant's developers: endpoints, the log of deliveries with request and answer, resending, and the feed of events.

import { z } from 'zod'
import { listLatestDeliveries, replayEvents, showDelivery } from '../actions/webhooks/deliveries.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  showEndpoints,
  testEndpoint,
} from '../actions/webhooks/endpoints.ts'
import { listNewestEvents } from '../actions/webhooks/read-events.ts'
import type { MerchantPerson } from '../domain/caller.ts'
import { base32 } from '../domain/reference.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { MERCHANT_RIGHTS } from '../domain/role.ts'
import { deliveryName, eventsOf } from '../domain/webhook-event.ts'
import { deliveryRow } from './payment-routes.ts'
import { type DashboardDeps, defineRoute, NOTHING, optional, PAGE_FIELDS, time } from './route.ts'
import type { DeliveryBody, DeliveryRow, EndpointRow, EventRow, NewEndpointBody, PageOf } from './shapes.ts'

const EndpointId = z.object({ endpointId: z.string() })
const MOST_RESENT = 100
const STATES = { on: 'working', off: 'paused', gone: 'paused' } as const

export const webhookRoutes = [
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/endpoints',
    roles: MERCHANT_RIGHTS.read,
    input: NOTHING,
    handle: async (deps, caller): Promise<PageOf<EndpointRow>> => ({
      ...{ rows: await endpointRows(deps, caller), next: null },
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/accounts/:accountId/endpoints',
    roles: MERCHANT_RIGHTS.manageWebhooks,
    input: z.object({ url: z.string(), events: z.array(z.string()).default([]), secretHash: optional(z.string()) }),
    handle: async (deps, caller, { url, events, secretHash }): Promise<NewEndpointBody | Refused> => {
      const { accountId } = caller
      // Somebody who checks the signature needs no Secret-Hash; one that nobody knows is as good as none.
      const input = { accountId, url, events, secretHash: secretHash ?? base32(deps.random.bytes(20), 32) }
      const added = await addEndpoint(deps, caller, input)
      if (isRefused(added)) return added
      const endpoint = (await endpointRows(deps, caller)).find(({ endpointId }) => endpointId === added.endpointId)
      return { endpoint: endpoint as EndpointRow, signingSecret: added.signingSecret }
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/accounts/:accountId/endpoints/:endpointId',
    roles: MERCHANT_RIGHTS.manageWebhooks,
    input: z.object({
      endpointId: z.string(),
      url: z.string().optional(),
      events: z.array(z.string()).optional(),
      secretHash: optional(z.string()),
      state: z.enum(['working', 'paused']).optional(),
    }),
    handle: async (deps, caller, input): Promise<EndpointRow | Refused> => {
      const { endpointId } = input
      const before = (await endpointRows(deps, caller)).find((row) => row.endpointId === endpointId)
      if (before === undefined) return { refused: 'endpoint_not_found' }
      for (const change of changesOf(before, input)) {
        const changed = await changeEndpoint(deps, caller, { endpointId, change })
        if (isRefused(changed)) return changed
      }
      return (await endpointRows(deps, caller)).find((row) => row.endpointId === endpointId) as EndpointRow
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/accounts/:accountId/endpoints/:endpointId',
    roles: MERCHANT_RIGHTS.manageWebhooks,
    input: EndpointId,
    handle: (deps, caller, { endpointId }) => changeEndpoint(deps, caller, { endpointId, change: { to: 'removed' } }),
  }),
  defineRoute({
    method: 'POST',
    path: '/accounts/:accountId/endpoints/:endpointId/test',
    roles: MERCHANT_RIGHTS.manageWebhooks,
    input: EndpointId,
    handle: async (deps, caller, { endpointId }): Promise<DeliveryBody | Refused> => {
      const sent = await testEndpoint(deps, caller, { endpointId })
      return isRefused(sent) ? sent : deliveryBody(deps, caller, deliveryName(sent))
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/deliveries',
    roles: MERCHANT_RIGHTS.read,
    input: z.object({
      ...PAGE_FIELDS,
      endpointId: optional(z.string()),
      state: optional(z.enum(['waiting', 'delivered', 'failed'])),
    }),
    handle: async (deps, caller, { state, ...input }): Promise<PageOf<DeliveryRow> | Refused> => {
      const page = await listLatestDeliveries(deps, caller, { ...input, failedOnly: state === 'failed' })
      if (isRefused(page)) return page
      const rows = page.rows.filter(({ status }) => state === undefined || status === state)
      return { rows: rows.map(deliveryRow), next: page.next ?? null }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/deliveries/:deliveryId',
    roles: MERCHANT_RIGHTS.read,
    input: z.object({ deliveryId: z.string() }),
    handle: (deps, caller, { deliveryId }): Promise<DeliveryBody | Refused> => deliveryBody(deps, caller, deliveryId),
  }),
  defineRoute({
    method: 'POST',
    path: '/accounts/:accountId/deliveries/resend',
    roles: MERCHANT_RIGHTS.manageWebhooks,
    input: z.union([
      z.object({ deliveryIds: z.array(z.string()).min(1).max(MOST_RESENT) }),
      z.object({ endpointId: z.string(), since: time(0) }),
    ]),
    handle: async (deps, caller, input): Promise<{ resent: number } | Refused> => {
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
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/:accountId/events',
    roles: MERCHANT_RIGHTS.read,
    input: z.object(PAGE_FIELDS),
    handle: async (deps, caller, input): Promise<PageOf<EventRow> | Refused> => {
      const page = await listNewestEvents(deps, caller, input)
      if (isRefused(page)) return page
      const rows = page.rows.map(({ sequence, event, payload, createdAt, paymentReference }) => ({
        ...{ number: sequence, type: event, paymentReference: paymentReference ?? '', createdAt, body: payload },
      }))
      return { rows, next: page.next ?? null }
    },
  }),
]

async function endpointRows(deps: DashboardDeps, caller: MerchantPerson): Promise<EndpointRow[]> {
  const { rows } = await showEndpoints(deps, caller)
  return rows.map((endpoint) => {
    const { endpointId, url, status, failingSince, waiting, createdAt } = endpoint
    const state = status === 'on' && failingSince !== null ? 'failing' : STATES[status]
    return { endpointId, url, events: eventsOf(endpoint), state, failingSince, waiting, createdAt }
  })
}

interface EndpointFields {
  url?: string | undefined
  events?: string[] | undefined
  secretHash?: string | undefined
  state?: 'working' | 'paused' | undefined
}

function changesOf(before: EndpointRow, { url, events, secretHash, state }: EndpointFields): EndpointChange[] {
  const isNewTarget = url !== undefined || events !== undefined
  return [
    ...(isNewTarget ? [{ to: 'new target', url: url ?? before.url, events: events ?? before.events } as const] : []),
    ...(secretHash === undefined ? [] : [{ to: 'new secret hash', secretHash, keepOldMs: 0 } as const]),
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
    ...{ at, status: statusCode, error, milliseconds: durationMs, answer: answer === '' ? null : answer },
  }))
  return { ...deliveryRow(shown.delivery), requestBody: shown.payload, tries }
}
