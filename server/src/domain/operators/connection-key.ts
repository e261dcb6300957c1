// What a connection to a network is known by.
import type { Environment } from '../environment.ts'

/** A connection to a network. Its name is permanent: payments are claimed by it. */
export type ConnectionKey = { environment: Environment; connection: string }

/** For maps and sets of connections. */
export const connectionText = ({ environment, connection }: ConnectionKey): string =>
  `${environment} ${connection}`
