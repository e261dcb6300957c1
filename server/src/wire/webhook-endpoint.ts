// Webhook endpoints in the merchant API (D-217). What has another type than a field allows becomes
// a value that the action refuses, in the order of its checks.
import type { RefusedAs } from '../domain/refusals/refusal.ts'
import {
  type DeliveryKey,
  deliveryName,
  eventsOf,
  failingSince,
  type ListedEndpoint,
} from '../domain/webhooks/webhook-event.ts'
import type { Body, UncheckedBody } from './bodies.ts'
import { isoTime, parseObject } from './json.ts'

interface EndpointFields {
  url: string | undefined
  events: readonly string[] | undefined
  secretHash: string | undefined
}

export const readEndpointBody = (raw: unknown): EndpointFields =>
  endpointFields(parseObject(raw) satisfies UncheckedBody<'WebhookEndpointOrder'>)

export function readEndpointChange(
  raw: unknown,
):
  | (EndpointFields & { status: 'on' | 'off' | undefined })
  | RefusedAs<'endpoint_status_not_valid'> {
  const body: UncheckedBody<'WebhookEndpointChange'> = parseObject(raw)
  const { status } = body
  if (status !== undefined && status !== 'on' && status !== 'off')
    return { refused: 'endpoint_status_not_valid' }
  return { ...endpointFields(body), status }
}

function endpointFields({
  url,
  events,
  secret_hash: secretHash,
}: UncheckedBody<'WebhookEndpointOrder'>): EndpointFields {
  return {
    url: url === undefined ? undefined : textOf(url),
    events: events === undefined ? undefined : namesIn(events),
    secretHash: secretHash === undefined ? undefined : textOf(secretHash),
  }
}

const namesIn = (events: unknown): string[] => (Array.isArray(events) ? events.map(textOf) : [''])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A number that no overlap can be where it is no whole number of minutes. */
export function readRollBody(raw: unknown): { keepOldMs: number } {
  const { keep_old_minutes: minutes = 0 } = parseObject(raw) satisfies UncheckedBody<'SecretRoll'>
  return { keepOldMs: Number.isInteger(minutes) ? (minutes as number) * 60_000 : Number.NaN }
}

const endpointBodyOf = (endpoint: ListedEndpoint, now: number): Body<'WebhookEndpoint'> => {
  const since = failingSince(endpoint, now)
  return {
    id: endpoint.endpointId,
    url: endpoint.url,
    events: eventsOf(endpoint) as Body<'WebhookEndpoint'>['events'],
    status: endpoint.status,
    failing_since: since === null ? null : isoTime(since),
    created_at: isoTime(endpoint.createdAt),
  }
}

export const endpointBody = (endpoint: ListedEndpoint, now: number): string =>
  JSON.stringify(endpointBodyOf(endpoint, now))

export const endpointWithSecretBody = (
  endpoint: ListedEndpoint,
  signingSecret: string,
  now: number,
): string =>
  JSON.stringify({
    ...endpointBodyOf(endpoint, now),
    signing_secret: signingSecret,
  } satisfies Body<'WebhookEndpointWithSecret'>)

export const endpointListBody = (endpoints: readonly ListedEndpoint[], now: number): string =>
  JSON.stringify({
    data: endpoints.map((endpoint) => endpointBodyOf(endpoint, now)),
  } satisfies Body<'WebhookEndpointList'>)

export const deletedEndpointBody = ({ endpointId }: ListedEndpoint): string =>
  JSON.stringify({ id: endpointId, deleted: true } satisfies Body<'DeletedWebhookEndpoint'>)

export const sentTestBody = (key: DeliveryKey): string =>
  JSON.stringify({
    delivery: deliveryName(key),
    sequence: key.sequence,
  } satisfies Body<'SentWebhookTest'>)
