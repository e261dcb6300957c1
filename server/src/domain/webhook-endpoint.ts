// Where a merchant wants to be told of its payments. Its secrets are sealed: only whoever sends, or changes them, opens them.

/** `gone` is off too: the receiver answered 410. */
export type EndpointStatus = 'on' | 'off' | 'gone'

export interface Endpoint {
  accountId: string
  endpointId: string
  url: string
  /** With commas between. */
  events: string
  status: EndpointStatus
  secretHash: string
  oldSecretHash: string | null
  oldSecretHashUntil: number | null
  signingSecret: string
  oldSigningSecret: string | null
  oldSigningSecretUntil: number | null
  createdAt: number
  /** Null while deliveries arrive. */
  failingSince: number | null
}

/** Without its secrets, as a list shows it. */
export type ListedEndpoint = Pick<
  Endpoint,
  'accountId' | 'endpointId' | 'url' | 'events' | 'status' | 'createdAt' | 'failingSince'
>

export const eventsOf = ({ events }: Pick<Endpoint, 'events'>): string[] => events.split(',')
