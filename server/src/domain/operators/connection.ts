// A connection to a network: its name, its state as staff see it, and why a network refuses it.

import type { Environment } from '../environment.ts'
import type { ConnectionKey } from './connection-key.ts'
import type { CallLimits } from './operator-call.ts'

// Connections that a network refuses for our configuration.

/**
 * By operator: a connection to an aggregator may be enabled for one operator and not for another.
 */
export interface RefusedRoute extends ConnectionKey {
  operator: string
}

/**
 * What reopens it: `settings` and `form` were blamed in the answer to a request, `outcome` by
 * payments that failed.
 */
export type RefusalKind = 'settings' | 'form' | 'outcome'

export interface ConfigurationRefusal extends RefusedRoute {
  kind: RefusalKind
  since: number
  refusedAt: number
  /** What the network said and what to change. */
  why: string
}

// Connections as staff see them.

export interface ConnectionPause extends ConnectionKey {
  since: number
  reason: string
  pausedBy: string
}

/** As last reported by the process that calls the connection. */
export interface SeenHealth extends ConnectionKey {
  state: string
  since: number
  why: string | null
  /** 1 or 0. */
  misconfigured: number
  seenAt: number
}

export interface ListedConnection {
  environment: Environment
  name: string
  /** What its merchant calls it; null for a connection of the installation. */
  label: string | null
  /**
   * `simulated` for the simulated network; null for a removed connection that still has payments.
   */
  connector: string | null
  serves: readonly string[]
  takes: boolean
  limits: CallLimits | undefined
  /** The merchant whose connection it is; null for a connection of the installation. */
  owner: string | null
  /**
   * In production: how many merchants collect into its one wallet, when they are several; else 0.
   */
  sharedBy: number
  health: SeenHealth | undefined
  pause: ConnectionPause | undefined
  /** Operators whose payments its network refuses for our configuration, the oldest first. */
  refusals: readonly ConfigurationRefusal[]
}
