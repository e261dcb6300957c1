// The webhooks of the simulated FedaPay: signed for each attempt, sent up to ten times, then
// switched off.

import { createHmac } from 'node:crypto'
import { BENIN } from '../countries.ts'
import type { FaultBoard, NetworkDeps } from '../network.ts'
import { ACCOUNT_ID } from './answers.ts'
import type { FedapayFault } from './numbers-and-faults.ts'

export interface Endpoint {
  id: number
  url: string
  secret: string
  /** Empty for all events. */
  events: readonly string[]
  enabled: boolean
  disableOnError: boolean
  createdAt: number
}

export interface WebhookEvent {
  name: string
  object: string
  object_id: number
  entity: Record<string, unknown>
}

const MOST_TRIES = 10
const FIRST_DELAY_MS = 2_000
const LONGEST_DELAY_MS = 120_000
const OLD_SIGNATURE_MS = 600_000
const ACCOUNT = {
  klass: 'v1/account',
  id: ACCOUNT_ID,
  name: 'Simulated merchant',
  country: BENIN.alpha2,
  blocked: false,
}

export function webhookSender(
  { clock, sendCallback }: NetworkDeps,
  faults: FaultBoard,
  endpoints: Map<number, Endpoint>,
) {
  const isOn = (fault: FedapayFault): boolean => faults.isOn(fault)

  function send(event: WebhookEvent): void {
    if (isOn('webhooks_never_come')) return
    const times = isOn('webhooks_repeated') ? 20 : 1
    for (const endpoint of endpoints.values()) {
      if (endpoint.events.length > 0 && !endpoint.events.includes(event.name)) continue
      for (let at = 0; at < times; at++)
        clock.after(at * 1_000, () => void deliver(endpoint, event, 1))
    }
  }

  async function deliver(endpoint: Endpoint, event: WebhookEvent, tries: number): Promise<void> {
    if (!endpoint.enabled || endpoints.get(endpoint.id) !== endpoint) return
    const body = JSON.stringify({ ...asSent(event), account: ACCOUNT })
    const headers = {
      'content-type': 'application/json',
      'x-fedapay-signature': signature(endpoint, body),
    }
    // A receiver that is gone has not answered.
    const code = await sendCallback({ method: 'POST', url: endpoint.url, headers, body }).catch(
      () => undefined,
    )
    if (code !== undefined && code >= 200 && code < 300) return
    if (tries === MOST_TRIES) {
      endpoint.enabled = !endpoint.disableOnError
      return
    }
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), LONGEST_DELAY_MS)
    clock.after(delayMs, () => void deliver(endpoint, event, tries + 1))
  }

  function asSent(event: WebhookEvent): WebhookEvent {
    if (!isOn('webhooks_without_merchant_reference')) return event
    return { ...event, entity: { ...event.entity, merchant_reference: null } }
  }

  function signature({ secret }: Endpoint, body: string): string {
    const at = clock.now() - (isOn('webhooks_signed_long_ago') ? OLD_SIGNATURE_MS : 0)
    const seconds = Math.floor(at / 1_000)
    const key = isOn('webhooks_signed_wrongly') ? `${secret}-of-somebody-else` : secret
    return `t=${seconds},s=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`
  }

  return send
}

export const newEndpoint = (endpoint: Omit<Endpoint, 'enabled' | 'disableOnError'>): Endpoint => ({
  ...endpoint,
  enabled: true,
  disableOnError: true,
})

export const wireEndpoint = ({
  id,
  url,
  enabled,
  disableOnError,
  createdAt,
}: Endpoint): object => ({
  klass: 'v1/webhook',
  id,
  url,
  enabled,
  ssl_verify: true,
  disable_on_error: disableOnError,
  account_id: ACCOUNT.id,
  http_headers: {},
  created_at: new Date(createdAt).toISOString(),
  updated_at: new Date(createdAt).toISOString(),
})
