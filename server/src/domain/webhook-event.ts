// What merchants can be told (D-26), and how a delivery is named.

export const EVENTS = ['payment.succeeded', 'payment.failed', 'payment.refunded'] as const

export type EventName = (typeof EVENTS)[number] | 'webhook.test'

export const isEventName = (text: string): text is EventName => (EVENTS as readonly string[]).includes(text)

/** What is owed to an endpoint for one event; `round` counts the times it was sent again by hand. */
export interface DeliveryKey {
  accountId: string
  endpointId: string
  sequence: number
  round: number
}

/** `whe_…-17`, and `whe_…-17-2` for its second replay: nothing has to be stored to find it again. */
export const deliveryName = ({ endpointId, sequence, round }: DeliveryKey): string =>
  `${endpointId}-${sequence}${round === 0 ? '' : `-${round}`}`

export function readDeliveryName(name: string): Omit<DeliveryKey, 'accountId'> | undefined {
  const match = /^(whe_[0-9a-z]{1,40})-(\d{1,15})(?:-(\d{1,9}))?$/.exec(name)
  if (match === null) return undefined
  return { endpointId: match[1] as string, sequence: Number(match[2]), round: Number(match[3] ?? 0) }
}
