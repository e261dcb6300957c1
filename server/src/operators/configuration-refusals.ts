// Closes connections whose network refuses our configuration. After several such refusals in a row
// the connection takes no new payments. Single payments are sent as probes, and the first accepted
// probe reopens it. Refusals are counted by operator, because a connection to an aggregator may be
// enabled for one operator and not for another. The store shares the closed routes with other
// processes; the counts stay in this one.

import type { Clock } from '../domain/clock-and-random.ts'
import { getOrMake } from '../domain/limits/get-or-make.ts'
import type {
  ConfigurationRefusal,
  RefusalKind,
  RefusedRoute,
} from '../domain/operators/connection.ts'
import type { ConnectionKey } from '../domain/operators/connection-key.ts'
import type { OperatorAnswer, OperatorReport } from '../domain/payments/operator-report.ts'

export type ConfigurationRefusals = ReturnType<typeof configurationRefusals>

interface ConfigurationRefusalsDeps {
  clock: Pick<Clock, 'now'>
  /** A single refusal: for the log, at most once a minute for each route. */
  noticed(route: RefusedRoute, why: string): void
  /** Called when a route is closed, or refused again while closed. */
  closed(refusal: ConfigurationRefusal, isNew: boolean): void
  reopened(refusal: ConfigurationRefusal, calledAt: number): void
}

/**
 * Refusals in a row that close a connection: of kind `settings` about different payments, of the
 * other kinds about different numbers, because networks' test environments fail some numbers with
 * the codes of a wrong configuration.
 */
const REFUSALS_UNTIL_CLOSED: Readonly<Record<RefusalKind, number>> = {
  settings: 5,
  form: 10,
  outcome: 10,
}
/**
 * A refusal that leaves the payment unsent is repaired by sending it again: only one that lasts
 * closes it.
 */
const UNSENT_LASTS_MS = 60_000
/**
 * A probe is due a tenth of the time after the last one that the connection has been closed for,
 * within these.
 */
const PROBE_EVERY_MS = { least: 30_000, most: 5 * 60_000 } as const
/** This many in a row are shown to staff, even when one payer caused them all. */
const REFUSALS_UNTIL_SHOWN = 3
const NOTICED_EVERY_MS = 60_000
const SHARED_EVERY_MS = 1_000

type OurFault = { kind: RefusalKind; why: string; isUnsent: boolean }

interface Tally {
  route: RefusedRoute
  /** Refusals in a row, also of one and the same payer. */
  count: number
  /** References of payments, or numbers of payers. */
  refused: Set<string>
  since: number
  /** Of the last one. */
  why: string
}

interface RouteState {
  tallies: Partial<Record<RefusalKind, Tally>>
  noticedAt: number
  sharedAt: number
  /** When each account was last granted a probe. */
  probes: Map<string, number>
}

const keyOf = ({ environment, connection, operator }: RefusedRoute): string =>
  `${environment} ${connection} ${operator}`

/**
 * The routes of all connections, as this process knows them. A route is one of:
 *
 *   open       takes payments; refusals in a row are counted by kind, and a success of that kind
 *              ends the count
 *   suspected  open, with REFUSALS_UNTIL_SHOWN refusals in a row or more: staff see it
 *   closed     takes only probes; refusals of the same kind keep it closed, and a success of that
 *              kind opens it, as do staff or another process
 */
interface Routes extends ConfigurationRefusalsDeps {
  startedAt: number
  /** Of the routes that were refused since they were last opened. */
  states: Map<string, RouteState>
  /** The closed ones. */
  refusals: Map<string, ConfigurationRefusal>
}

export function configurationRefusals(deps: ConfigurationRefusalsDeps) {
  const routes: Routes = {
    ...deps,
    startedAt: deps.clock.now(),
    states: new Map(),
    refusals: new Map(),
  }
  return {
    answered: ({
      payment,
      via,
      calledAt,
      answer,
    }: Omit<OperatorReport, 'claimedDueAt' | 'clockJumpedTo'>): void => {
      const fault = ourFaultIn(answer, via)
      if (fault !== undefined) countRefusal(routes, payment, fault)
      else if (SUCCESSES.has(answer.is))
        countSuccess(routes, payment, via === 'request' ? ['settings', 'form'] : [], calledAt)
      if (answer.is === 'succeeded') countSuccess(routes, payment, ['outcome'], calledAt)
    },
    /**
     * Whether a new payment may be sent there: unless it is closed and no probe is due. Granting a
     * probe uses it up.
     */
    takes: (route: RefusedRoute, accountId: string): boolean => {
      const refusal = routes.refusals.get(keyOf(route))
      if (refusal === undefined) return true
      const { probes } = stateOf(routes, keyOf(route))
      if (!isProbeDue(routes, refusal, probes.get(accountId) ?? -Infinity)) return false
      probes.set(accountId, routes.clock.now())
      return true
    },
    isClosed: (route: RefusedRoute) => routes.refusals.has(keyOf(route)),
    /** The refusals of a connection, the oldest first. */
    of: (connection: ConnectionKey): readonly ConfigurationRefusal[] =>
      [...routes.refusals.values()]
        .filter(isOf(connection))
        .sort((one, other) => one.since - other.since),
    /** Since when and why, if this process has seen several refusals in a row, closed or not. */
    suspected: (connection: ConnectionKey): { since: number; why: string } | undefined =>
      [...routes.states.values()]
        .flatMap(({ tallies }) => Object.values(tallies))
        .find(({ count, route }) => count >= REFUSALS_UNTIL_SHOWN && isOf(connection)(route)),
    /** Replaces the closed routes by those in the store. */
    load: (loaded: readonly ConfigurationRefusal[]): void => {
      const next = new Map(loaded.map((refusal) => [keyOf(refusal), refusal]))
      // Reopened by another process or by staff: the count restarts.
      for (const key of routes.refusals.keys()) if (!next.has(key)) routes.states.delete(key)
      routes.refusals = next
    },
  }
}

const stateOf = ({ states }: Routes, key: string): RouteState =>
  getOrMake(states, key, () => ({
    tallies: {},
    noticedAt: -Infinity,
    sharedAt: -Infinity,
    probes: new Map(),
  }))

function countRefusal(routes: Routes, payment: OperatorReport['payment'], fault: OurFault): void {
  const { environment, connection, operator } = payment
  const route = { environment, connection, operator }
  const key = keyOf(route)
  const state = stateOf(routes, key)
  const now = routes.clock.now()
  if (!fault.isUnsent && now - state.noticedAt >= NOTICED_EVERY_MS) {
    state.noticedAt = now
    routes.noticed(route, fault.why)
  }
  const before = routes.refusals.get(key)
  if (before !== undefined) {
    keepClosed(routes, before, fault)
    return
  }
  const { kind, why, isUnsent } = fault
  const tally = state.tallies[kind] ?? { route, count: 0, refused: new Set(), since: now, why }
  state.tallies[kind] = Object.assign(tally, { count: tally.count + 1, why })
  const enough = REFUSALS_UNTIL_CLOSED[kind]
  if (tally.refused.size < enough)
    tally.refused.add(kind === 'settings' ? payment.reference : payment.msisdn)
  const isLasting = !isUnsent || now - tally.since >= UNSENT_LASTS_MS
  if (tally.refused.size < enough || !isLasting) return
  const refusal = { ...route, kind, since: now, refusedAt: now, why }
  routes.refusals.set(key, refusal)
  state.sharedAt = now
  routes.closed(refusal, true)
}

/** Only refusals of the kind that closed the route. */
function keepClosed(routes: Routes, before: ConfigurationRefusal, { kind, why }: OurFault): void {
  if (kind !== before.kind) return
  const key = keyOf(before)
  const state = stateOf(routes, key)
  const now = routes.clock.now()
  const refusal = { ...before, refusedAt: now, why }
  routes.refusals.set(key, refusal)
  if (now - state.sharedAt < SHARED_EVERY_MS) return
  state.sharedAt = now
  routes.closed(refusal, false)
}

function countSuccess(
  routes: Routes,
  route: RefusedRoute,
  kinds: readonly RefusalKind[],
  calledAt: number,
): void {
  const key = keyOf(route)
  const state = routes.states.get(key)
  for (const kind of kinds) delete state?.tallies[kind]
  const refusal = routes.refusals.get(key)
  // A call that began before the refusals does not reopen the connection.
  if (refusal === undefined || !kinds.includes(refusal.kind) || calledAt < refusal.since) return
  routes.refusals.delete(key)
  routes.states.delete(key)
  routes.reopened(refusal, calledAt)
}

function isProbeDue(
  { clock, startedAt }: Routes,
  refusal: ConfigurationRefusal,
  lastGranted: number,
): boolean {
  const now = clock.now()
  const everyMs = Math.min(
    Math.max((now - refusal.since) / 10, PROBE_EVERY_MS.least),
    PROBE_EVERY_MS.most,
  )
  // Refusals of one account's payments must not use up the probes of the others where an input
  // may have caused them. The settings may have changed at a restart, so a probe is due at once.
  const refusedAt = refusal.kind === 'settings' ? refusal.refusedAt : refusal.since
  return now - lastGranted >= everyMs && (refusedAt < startedAt || now - refusedAt >= everyMs)
}

const isOf = (key: ConnectionKey) => (route: RefusedRoute) =>
  route.environment === key.environment && route.connection === key.connection

const SUCCESSES: ReadonlySet<OperatorAnswer['is']> = new Set(['accepted', 'succeeded', 'refunded'])

function ourFaultIn(answer: OperatorAnswer, via: OperatorReport['via']): OurFault | undefined {
  const isRequest = via === 'request'
  if (answer.is === 'declined' && answer.misconfigured !== undefined) {
    const { kind, remedy } = answer.misconfigured
    return {
      kind: isRequest ? kind : 'outcome',
      why: `${answer.code ?? 'refused'}: ${remedy}`,
      isUnsent: false,
    }
  }
  // A refused status call is no evidence about new payments.
  if (answer.is === 'unknown' && answer.misconfigured === true && isRequest) {
    return { kind: 'settings', why: answer.why, isUnsent: true }
  }
  return undefined
}
