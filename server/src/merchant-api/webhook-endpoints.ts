// The webhook endpoints of an account, for plugins that register their own (D-217): the actions of
// the dashboard.
import type { FastifyRequest } from 'fastify'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  type EndpointDeps,
  showEndpoints,
  testEndpoint,
} from '../actions/webhooks/endpoints.ts'
import { isRefused } from '../domain/refusals/refusal.ts'
import { sendGeneralError } from '../http/errors.ts'
import {
  deletedEndpointBody,
  endpointBody,
  endpointListBody,
  endpointWithSecretBody,
  readEndpointBody,
  readEndpointChange,
  readRollBody,
  sentTestBody,
} from '../wire/webhook-endpoint.ts'
import { fromNetwork, nameOf, type Serve } from './serve-operation.ts'

export function serveWebhookEndpoints(serve: Serve, deps: EndpointDeps): void {
  const { clock } = deps

  serve('listWebhookEndpoints', async (_request, caller) => {
    const { rows } = await showEndpoints(deps, caller)
    return endpointListBody(rows, clock.now())
  })

  serve('createWebhookEndpoint', async (request, caller) => {
    const { url = '', events = [], secretHash } = readEndpointBody(request.body)
    const added = await addEndpoint(deps, fromNetwork(request, caller), {
      accountId: caller.accountId,
      url,
      events,
      secretHash,
    })
    if (!isRefused(added))
      return endpointWithSecretBody(added.endpoint, added.signingSecret, clock.now())
    if (added.refused === 'account_not_found') throw new Error('the account of a key is not there')
    return added
  })

  serve('changeWebhookEndpoint', async (request, caller) => {
    const wanted = readEndpointChange(request.body)
    if (isRefused(wanted)) return wanted
    const changed = await changeEndpoint(deps, fromNetwork(request, caller), {
      endpointId: idOf(request),
      changes: changesOf(wanted),
    })
    if (!isRefused(changed)) return endpointBody(changed.endpoint, clock.now())
    if (changed.refused === 'secret_overlap_not_valid')
      throw new Error('a change without an overlap was refused for it')
    return changed
  })

  serve('rollWebhookSecret', async (request, caller) => {
    const changes = [{ to: 'new signing secret', ...readRollBody(request.body) } as const]
    const rolled = await changeEndpoint(deps, fromNetwork(request, caller), {
      endpointId: idOf(request),
      changes,
    })
    if (!isRefused(rolled)) {
      const { endpoint, signingSecret = '' } = rolled
      return endpointWithSecretBody(endpoint, signingSecret, clock.now())
    }
    const { refused } = rolled
    if (refused === 'secret_overlap_not_valid' || refused === 'endpoint_not_found')
      return { refused }
    throw new Error(`a roll was refused: ${refused}`)
  })

  serve('deleteWebhookEndpoint', async (request, caller) => {
    const removed = await changeEndpoint(deps, fromNetwork(request, caller), {
      endpointId: idOf(request),
      changes: [{ to: 'removed' }],
    })
    if (!isRefused(removed)) return deletedEndpointBody(removed.endpoint)
    const { refused } = removed
    if (refused === 'endpoint_not_found') return { refused }
    throw new Error(`a deletion was refused: ${refused}`)
  })

  serve('testWebhookEndpoint', async (request, caller, reply) => {
    const sent = await testEndpoint(deps, fromNetwork(request, caller), {
      endpointId: idOf(request),
    })
    if (!isRefused(sent)) return sentTestBody(sent)
    return sent.refused === 'too_many_tries' ? sendGeneralError(reply, 'too_many_requests') : sent
  })
}

/** No endpoint has an empty id. */
const idOf = (request: FastifyRequest): string => nameOf(request) ?? ''

type Wanted = Exclude<ReturnType<typeof readEndpointChange>, { refused: string }>

const changesOf = ({ url, events, secretHash, status }: Wanted): EndpointChange[] => [
  ...(url === undefined && events === undefined
    ? []
    : [{ to: 'new target', url, events } as const]),
  ...(secretHash === undefined
    ? []
    : [{ to: 'new secret hash', secretHash, keepOldMs: 0 } as const]),
  ...(status === undefined ? [] : [{ to: status } as const]),
]
