// That a network refuses a connection for our configuration: which payments that concerns, since when and why.
import type { ConnectionKey } from './operator-report.ts'

/** By operator: a connection to an aggregator may be enabled for one operator and not for another. */
export interface RefusedRoute extends ConnectionKey {
  operator: string
}

/**
 * How a connection is refused, which decides what reopens it. `settings` and `form`: the answer to the request blames our configuration, surely or
 * perhaps. `outcome`: the network accepts requests, and the payments then fail for our configuration.
 */
export type RefusalKind = 'settings' | 'form' | 'outcome'

export interface ConfigurationRefusal extends RefusedRoute {
  kind: RefusalKind
  since: number
  /** The last refusal. */
  refusedAt: number
  /** What the network said and what to change. */
  why: string
}
