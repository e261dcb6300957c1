// A connection to a network, as the console shows it.
import type { Environment } from '../domain/environment.ts'
import type { ConnectionRow } from './shapes.ts'

/** What the wiring knows of a connection. */
export interface KnownConnection {
  environment: Environment
  name: string
  connector: string | null
  serves: readonly string[]
  limits: Readonly<Record<'request' | 'status', { atOnce: number; perSecond?: number | undefined }>> | undefined
  health: { state: string; since: number; why: string | null; misconfigured: number } | undefined
  pause: { since: number; reason: string; pausedBy: string } | undefined
  refusals: readonly { since: number; why: string }[]
}

export function connectionRow(known: KnownConnection): ConnectionRow {
  const { environment, name, connector, serves, limits, health, pause, refusals } = known
  const common = {
    environment,
    name,
    connector: connector ?? '',
    routes: [...serves],
    limits: limitsBody(limits),
  }
  if (pause !== undefined) return { ...common, state: 'paused', since: pause.since, reason: pause.reason }
  const [refusal] = refusals
  if (refusal !== undefined) {
    return { ...common, state: 'closed', since: refusal.since, reason: refusal.why }
  }
  if (health?.misconfigured === 1) return { ...common, state: 'refused', since: health.since, reason: health.why }
  if (health === undefined) return { ...common, state: 'unknown', since: null, reason: null }
  return { ...common, state: health.state === 'down' ? 'down' : 'up', since: health.since, reason: health.why }
}

function limitsBody(limits: KnownConnection['limits']): ConnectionRow['limits'] {
  if (limits === undefined) return null
  const { request, status } = limits
  return {
    request: { atOnce: request.atOnce, perSecond: request.perSecond ?? null },
    status: { atOnce: status.atOnce, perSecond: status.perSecond ?? null },
  }
}
