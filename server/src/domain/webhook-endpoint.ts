// Where a merchant receives webhooks. The secrets are sealed: only the code that sends webhooks or changes secrets opens them.

/** `gone` is off as well, because the receiver answered 410. */
export type EndpointStatus = 'on' | 'off' | 'gone'

export interface Endpoint {
  accountId: string
  endpointId: string
  url: string
  /** Comma-separated. */
  events: string
  status: EndpointStatus
  secretHash: string
  oldSecretHash: string | null
  oldSecretHashUntil: number | null
  signingSecret: string
  oldSigningSecret: string | null
  oldSigningSecretUntil: number | null
  createdAt: number
  /** Null while deliveries succeed. */
  failingSince: number | null
}

/** An endpoint in a list, without its secrets. */
export type ListedEndpoint = Pick<
  Endpoint,
  'accountId' | 'endpointId' | 'url' | 'events' | 'status' | 'createdAt' | 'failingSince'
>

export const eventsOf = ({ events }: Pick<Endpoint, 'events'>): string[] => events.split(',')
