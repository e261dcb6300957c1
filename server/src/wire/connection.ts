// A connection to a network, as commands print it in JSON.
import { isoTime } from './json.ts'

interface Limit {
  atOnce: number
  perSecond?: number | undefined
}

interface ShownConnection {
  environment: string
  name: string
  connector: string | null
  serves: readonly string[]
  takes: boolean
  limits: { request: Limit; status: Limit } | undefined
  health: { state: string; since: number; why: string | null; misconfigured: number; seenAt: number } | undefined
  pause: { since: number; reason: string; pausedBy: string } | undefined
  refusals: readonly { operator: string; since: number; refusedAt: number; why: string }[]
}

export const connectionFields = (shown: ShownConnection): object => ({
  environment: shown.environment,
  connection: shown.name,
  connector: shown.connector,
  serves: shown.serves,
  takes: shown.takes,
  limits: shown.limits && { request: limitFields(shown.limits.request), status: limitFields(shown.limits.status) },
  health: shown.health && {
    state: shown.health.state,
    since: isoTime(shown.health.since),
    why: shown.health.why ?? undefined,
    misconfigured: shown.health.misconfigured === 1,
    seen_at: isoTime(shown.health.seenAt),
  },
  pause: shown.pause && {
    since: isoTime(shown.pause.since),
    reason: shown.pause.reason,
    paused_by: shown.pause.pausedBy,
  },
  refused: shown.refusals.map(({ operator, since, refusedAt, why }) => ({
    operator,
    since: isoTime(since),
    last_refused_at: isoTime(refusedAt),
    why,
  })),
})

const limitFields = ({ atOnce, perSecond }: Limit): object => ({ at_once: atOnce, per_second: perSecond })
