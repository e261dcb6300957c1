// A connection to a network, as the console shows it.
import type { Environment } from '../domain/environment.ts'
import { namedOperator } from '../domain/operator-names.ts'
import type { ConnectionRow } from './shapes.ts'

interface Limit {
  atOnce: number
  perSecond?: number | undefined
}

/** What the wiring knows of a connection. */
export interface KnownConnection {
  environment: Environment
  name: string
  connector: string | null
  serves: readonly string[]
  limits: Readonly<Record<'request' | 'status', Limit>> | undefined
  health: { state: string; since: number; why: string | null } | undefined
  pause: { since: number; reason: string; pausedBy: string } | undefined
}

export function connectionRow(known: KnownConnection): ConnectionRow {
  const { environment, name, connector, serves, limits, health, pause } = known
  const common = {
    environment,
    name,
    connector: connector ?? '',
    routes: serves.map(namedOperator),
    limits: limitsText(limits),
  }
  if (pause !== undefined) return { ...common, state: 'paused', since: pause.since, reason: pause.reason }
  if (health === undefined) return { ...common, state: 'unknown', since: null, reason: null }
  return { ...common, state: health.state === 'down' ? 'down' : 'up', since: health.since, reason: health.why }
}

function limitsText(limits: KnownConnection['limits']): string {
  if (limits === undefined) return ''
  const text = ({ atOnce, perSecond }: Limit) => (perSecond === undefined ? `${atOnce}` : `${atOnce}, ${perSecond}/s`)
  return `request ${text(limits.request)}; status ${text(limits.status)}`
}
