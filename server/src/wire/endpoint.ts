// Webhook endpoints, as commands print them in JSON. A Secret-Hash is never among the fields.
import { eventsOf, type ListedEndpoint } from '../domain/webhook-endpoint.ts'
import { isoTime, optionalTime } from './json.ts'

/** A new signing secret: the only output that shows it. */
export const signingSecretFields = (endpointId: string, signingSecret: string | undefined): object => ({
  endpoint: endpointId,
  signing_secret: signingSecret,
})

export const endpointFields = (endpoint: ListedEndpoint): object => ({
  endpoint: endpoint.endpointId,
  account: endpoint.accountId,
  url: endpoint.url,
  events: eventsOf(endpoint),
  status: endpoint.status,
  created_at: isoTime(endpoint.createdAt),
  failing_since: optionalTime(endpoint.failingSince),
})
