// The events that merchants can subscribe to (D-26), and the names of deliveries.

export const EVENTS = ['payment.succeeded', 'payment.failed', 'payment.refunded'] as const

/** What an endpoint gets unless it asks for more: real receivers take a `payment.refunded` that they do not know for a success (D-61). */
export const USUAL_EVENTS = [
  'payment.succeeded',
  'payment.failed',
] as const satisfies readonly (typeof EVENTS)[number][]

export type EventName = (typeof EVENTS)[number] | 'webhook.test'

export const isEventName = (text: string): text is EventName => (EVENTS as readonly string[]).includes(text)

/** One event for one endpoint; `round` counts its replays. */
export interface DeliveryKey {
  accountId: string
  endpointId: string
  sequence: number
  round: number
}

/** `whe_…-17`, and `whe_…-17-2` for its second replay: the name holds the key and need not be stored. */
export const deliveryName = ({ endpointId, sequence, round }: DeliveryKey): string =>
  `${endpointId}-${sequence}${round === 0 ? '' : `-${round}`}`

export function readDeliveryName(name: string): Omit<DeliveryKey, 'accountId'> | undefined {
  const match = /^(whe_[0-9a-z]{1,40})-(\d{1,15})(?:-(\d{1,9}))?$/.exec(name)
  if (match === null) return undefined
  return { endpointId: match[1] as string, sequence: Number(match[2]), round: Number(match[3] ?? 0) }
}
