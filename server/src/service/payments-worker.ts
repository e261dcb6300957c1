// The background work of a process for payments: calls to networks, refunds, statements, summaries
// and retention. In role `api` it calls networks about the payments that it takes, and runs no
// rounds.
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { judgeDueLines } from '../actions/books/judge-again.ts'
import { bookDueOpening } from '../actions/books/openings.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { isMerchantConnection } from '../domain/merchants/merchant-connection.ts'
import { type ConnectionKey, connectionText } from '../domain/operators/connection-key.ts'
import type { ServiceItself } from '../domain/people/caller.ts'
import { keptFor, type Metrics } from '../observability/metrics.ts'
import type { ConfigurationRefusals } from '../operators/configuration-refusals.ts'
import type { ConnectionHealth } from '../operators/connection-calls.ts'
import { Dispatcher, type DispatcherDeps } from '../operators/dispatcher.ts'
import type { Operators } from '../operators/registry.ts'
import { archivedUntil } from '../store/archives/archives.ts'
import { listPauses } from '../store/operators/connections.ts'
import { keepNetworkId } from '../store/payments/payment-moves.ts'
import { findAccepted, giveBackPayments } from '../store/payments/pending-payments.ts'
import { loop, pause } from '../worker/loop.ts'
import {
  eventPruner,
  historyPruner,
  inTurn,
  promptGuardPruner,
  pruneKeptFiles,
} from '../worker/prune.ts'
import { expireLinks, paymentResolver, recheckFailures } from '../worker/resolve-payments.ts'
import { refundResolver } from '../worker/resolve-refunds.ts'
import { importResumer, statementAnnouncer, statementFetcher } from '../worker/statements.ts'
import { paymentSummariser } from '../worker/summarise-payments.ts'
import { type Backlog, backlogWatch, healthSharer, readBacklogs } from '../worker/watch-backlog.ts'
import { type ConnectDeps, type Connected, simulatedLimits } from './connect-operators.ts'
import { connectorIn, shareRefusals } from './connections.ts'
import { failureLog } from './failure-log.ts'
import { addressOf } from './listening-address.ts'
import { boxOf } from './master-key.ts'
import { merchantConnections } from './merchant-networks.ts'
import { simulatorToken } from './open-simulator.ts'
import { USUAL_LIMITS } from './operators-file.ts'
import { outcomeRecorder, refundRecorder } from './outcome-recorder.ts'
import { type Pacing, pacingOf } from './pacing.ts'
import { keptHistories } from './retention.ts'
import { isSqlite, type Runtime } from './runtime.ts'
import { ASKED_EVERY_MS } from './store-clock.ts'
import { backlogLog, misconfiguredLog, withRefusals } from './worker-logs.ts'

/** A lease covers the wait in the queue, the call itself, and recording its outcome (ADR-0007). */
const MAX_WAIT_MS = 3_500
const RECORDING_MS = 1_500

const RECONCILIATION: ServiceItself = { is: 'service', part: 'reconciliation' }

/**
 * How long a stop waits for calls in flight. Then a sent call is unknown; a waiting one is sent
 * after the start.
 */
const DRAIN_MS = 3_000

/** One query for each operator, and /metrics is public unless a token is set. */
const OLDEST_DUE_KEPT_MS = 1_000

/** A pause, or a change of a merchant's connection, holds in every process within this time. */
const CONNECTIONS_READ_EVERY_MS = 1_000

/** After this time without a round, the process counts as stuck. */
const POLLED_WITHIN_MS = 15_000

/** How often each round runs. */
const EVERY_MS = {
  payments: 500,
  refunds: 1_000,
  rechecks: 5_000,
  links: 1_000,
  /** Retention is in days. */
  pruning: 3_600_000,
  health: 2_000,
  /** The delay of the dashboard's figures. */
  summaries: 2_000,
  /** How long after 06:00 the statements of the day before may begin. */
  statements: 30_000,
  /** A statement that a person asks for begins within this time. */
  fetches: 2_000,
  /** An import that a crash cut off goes on when its lease has ended. */
  imports: 10_000,
  /** Lines of statements that came before their payments had ended. */
  lines: 60_000,
  backlogs: 15_000,
} as const

export type Worker = Awaited<ReturnType<typeof openWorker>>

export interface WorkerDeps {
  runtime: Pick<
    Runtime,
    | 'config'
    | 'db'
    | 'clock'
    | 'random'
    | 'master'
    | 'nextStoryEntry'
    | 'keptFiles'
    | 'statementParser'
  >
  app: FastifyInstance
  log: Logger
  metrics: Metrics
  connect(deps: ConnectDeps): Promise<Connected>
  takeCallback: ConnectDeps['takeCallback']
  /** Called when an event was written, so that it is delivered at once. */
  eventWritten(): void
  /** Called with the outcome of each payment. */
  settled(status: string, operator: string): void
  /** Whether HTTP requests are in flight while the event loop is saturated. */
  isBusy(): boolean
}

/**
 * The parts of one process's background work. The work is in one of these modes:
 *
 *   polling    the rounds claim due work, and networks are called; in role `api` there are no
 *              rounds, only calls about the payments that the process takes
 *   suspended  the clock is wrong, or was set less than a lease ago: the rounds claim nothing
 *   stopping   no round begins any more, and those that have begun end (`stopPolling`)
 *   draining   no call begins any more; after DRAIN_MS the calls in flight are aborted (`drain`)
 */
interface WorkerParts {
  deps: WorkerDeps
  leases: Leases
  failures: ReturnType<typeof failureLog>
  known: Awaited<ReturnType<typeof knownConnections>>
  dispatcher: Dispatcher
  pacing: Pacing
  health(): ConnectionHealth[]
  refunds: ReturnType<typeof refundResolver>
  fetcher: ReturnType<typeof openFetcher>
  resumer: ReturnType<typeof openResumer>
  payments: ReturnType<typeof pollPayments>
  /** Records an operator's report and the outcome that follows from it. */
  recordOutcome: DispatcherDeps['recordOutcome']
}

export async function openWorker(deps: WorkerDeps) {
  const { config, clock } = deps.runtime
  const parts = await openParts(deps)
  const { leases, failures, known, dispatcher, pacing, payments, recordOutcome } = parts
  const { connected } = known
  await known.read(dispatcher)
  const stops = startLoops(parts)
  let polled: Promise<unknown> = Promise.resolve()
  return {
    operators: connected.operators,
    dispatcher,
    leaseMs: leases.payment,
    openNetwork: connected.openNetwork,
    pauseAfter: pacing.pauseAfter,
    recordOutcome,
    /** The environments in which no real money moves. */
    simulated: connected.simulated ?? ENVIRONMENTS,
    /** Whether due payments are being polled; true where other processes do it. */
    isPolling: () => config.role === 'api' || !mayBeClaimed(parts) || payments.isPolling(),
    /** Stops the loops that claim due work, and waits up to DRAIN_MS for their current rounds. */
    stopPolling: async (): Promise<void> => {
      polled = Promise.all(stops.map((stop) => stop()))
      await Promise.race([polled, pause(clock, DRAIN_MS)])
    },
    /** Stops calling operators, and waits up to DRAIN_MS for the in-flight calls. */
    drain: async (): Promise<void> => {
      const idle = dispatcher.stop()
      await Promise.race([idle, pause(clock, DRAIN_MS)])
      // Aborts the calls that are still in flight, including those of refunds.
      await known.close()
      await idle
      await polled
      failures.flush()
    },
  }
}

async function openParts(deps: WorkerDeps): Promise<WorkerParts> {
  const { runtime, log, eventWritten } = deps
  const { config, db, clock, random, nextStoryEntry } = runtime
  const moves = { db, clock, random, nextStoryEntry }
  const failures = failureLog(clock, (fields) =>
    log.error(fields, 'the worker failed; it will try again'),
  )
  const { failed } = failures
  const sharing = shareRefusals({ db, clock, log, failed })
  const known = await knownConnections(deps, sharing, failed)
  const { connected } = known
  const recordOutcome = outcomeRecorder({
    ...moves,
    isOnSqlite: isSqlite(config),
    metrics: deps.metrics,
    settled: deps.settled,
    eventWritten,
    isBusy: deps.isBusy,
  })
  const leases = leasesOf(config.operatorTimeoutMs)
  const leaseMs = leases.payment
  const { refusals } = sharing
  const dispatcher = openDispatcher(deps, { connected, recordOutcome, leaseMs, refusals, failed })
  const pacing = pacingOf({
    clock,
    isBusy: deps.isBusy,
    hasWaitingCalls: () => dispatcher.health().some(({ waiting }) => waiting > 0),
  })
  return {
    deps,
    leases,
    failures,
    known,
    dispatcher,
    pacing,
    recordOutcome,
    health: watchHealth(deps, dispatcher, refusals),
    refunds: refundResolver({
      db,
      clock,
      operators: connected.operators,
      mayBeCalled: (connection) => dispatcher.mayBeCalled(connection),
      recordOutcome: refundRecorder({ ...moves, log, eventWritten }),
      failed,
      leaseMs: leases.refund,
      callMs: config.operatorTimeoutMs + RECORDING_MS,
    }),
    fetcher: openFetcher(deps, connected.operators, pacing),
    resumer: openResumer(deps, pacing),
    payments: pollPayments(clock, paymentResolver({ db, clock, dispatcher, leaseMs })),
  }
}

/**
 * After the store's clock was set, claims seem too short or too long: no new ones until they have
 * ended.
 */
const mayBeClaimed = ({ deps, leases }: WorkerParts): boolean => {
  const { clock } = deps.runtime
  return clock.now() - clock.lastJump().to >= ASKED_EVERY_MS + leases.refund
}

/** Returns what stops each of them. */
function startLoops(parts: WorkerParts): (() => Promise<void>)[] {
  const { deps, failures, known, dispatcher, pacing, refunds, fetcher, resumer } = parts
  const { config, clock } = deps.runtime
  const { failed } = failures
  /** In every role: all of them take payments, or send them. */
  async function readConnections(): Promise<boolean> {
    await known.read(dispatcher)
    return false
  }
  const rounds = config.role === 'api' ? [] : roundsOf(parts)
  return [
    loop({ clock, failed, everyMs: CONNECTIONS_READ_EVERY_MS, round: readConnections }).stop,
    refunds.stop,
    fetcher.stop,
    resumer.stop,
    ...rounds.map(({ everyMs, round, soonMs = pacing.soonMs }) => {
      /** With a wrong clock nothing is claimed: due times cannot be judged. */
      const whenClockIsRight = async () => clock.isRight() && mayBeClaimed(parts) && round()
      return loop({ clock, failed, everyMs, soonMs, round: whenClockIsRight }).stop
    }),
  ]
}

function roundsOf(parts: WorkerParts): Round[] {
  const { deps, leases, dispatcher, pacing, health, payments, refunds } = parts
  const { db, clock, random, nextStoryEntry } = deps.runtime
  return [
    { everyMs: EVERY_MS.payments, round: payments.poll },
    { everyMs: EVERY_MS.refunds, round: refunds.round },
    {
      everyMs: EVERY_MS.rechecks,
      round: () => recheckFailures({ db, clock, dispatcher, leaseMs: leases.payment }),
    },
    {
      everyMs: EVERY_MS.links,
      round: () => expireLinks({ db, clock, random, nextStoryEntry }, deps.eventWritten),
    },
    { everyMs: EVERY_MS.health, round: healthSharer(db, clock, health) },
    {
      everyMs: EVERY_MS.backlogs,
      round: backlogWatch({
        db,
        clock,
        connections: () => dispatcher.health(),
        ...backlogLog(deps.log),
      }),
    },
    ...booksRounds(deps, parts, pacing),
    ...pruningRounds(deps, pacing),
  ]
}

interface Round {
  everyMs: number
  /** True when there may be more to do. */
  round(): Promise<boolean>
  /** The pause when there may be more. */
  soonMs?: () => number
}

interface Leases {
  payment: number
  refund: number
}

const leasesOf = (timeoutMs: number): Leases => ({
  payment: timeoutMs + MAX_WAIT_MS + RECORDING_MS,
  refund: 2 * timeoutMs + MAX_WAIT_MS + RECORDING_MS,
})

/** The connections of the installation and of merchants, and the pauses of staff. */
async function knownConnections(
  { runtime, app, connect, takeCallback }: WorkerDeps,
  sharing: ReturnType<typeof shareRefusals>,
  failed: (error: unknown) => void,
) {
  const { config, db, clock, random, master } = runtime
  const pauses = new Set<string>()
  const connected = await connect({
    config,
    db,
    clock,
    random,
    token: simulatorToken(master),
    ownAddress: () => addressOf(app),
    takeCallback,
    isPaused: (key: ConnectionKey): boolean => pauses.has(connectionText(key)),
    refusals: sharing.refusals,
  })
  const { openNetwork: open } = connected
  const box = boxOf(master, 'network credentials', random)
  const own = open && merchantConnections({ config, db, box, open, failed })
  return {
    connected,
    async read(dispatcher: Dispatcher): Promise<void> {
      const owned = await own?.read()
      if (owned !== undefined) {
        connected.operators.setOwned(owned)
        dispatcher.connect()
      }
      const paused = await listPauses(db)
      pauses.clear()
      for (const key of paused) pauses.add(connectionText(key))
      await sharing.read()
    },
    close: () => Promise.all([connected.close(), own?.close()]),
  }
}

interface Calling extends Pick<DispatcherDeps, 'recordOutcome' | 'leaseMs' | 'failed'> {
  connected: Connected
  refusals: ConfigurationRefusals
}

function openDispatcher(
  { runtime, log }: WorkerDeps,
  { connected, refusals, leaseMs, recordOutcome, failed }: Calling,
): Dispatcher {
  const { config, db, clock } = runtime
  return new Dispatcher({
    operators: connected.operators,
    clock,
    limitsOf: (connection) =>
      isMerchantConnection(connection.connection)
        ? USUAL_LIMITS
        : (connected.limitsOf?.(connection) ?? simulatedLimits(connection, config.operatorLimits)),
    leaseMs,
    maxWaitMs: MAX_WAIT_MS,
    recordOutcome,
    keepNetworkId: (payment, kept) => keepNetworkId(db, payment, { ...kept, now: clock.now() }),
    findAccepted: (payment) => findAccepted(db, payment),
    release: (waiting) =>
      giveBackPayments(
        db,
        waiting.map(({ payment, claimedAt }) => ({
          ...payment,
          claimedDueAt: claimedAt + leaseMs,
        })),
        clock.now(),
      ),
    failed,
    answered: refusals.answered,
    misconfigured: misconfiguredLog(log),
  })
}

function watchHealth(
  { runtime: { db, clock }, metrics }: WorkerDeps,
  dispatcher: Dispatcher,
  refusals: ConfigurationRefusals,
): () => ConnectionHealth[] {
  const health = (): ConnectionHealth[] =>
    dispatcher.health().map((each) => withRefusals(each, refusals))
  metrics.watchOperators(health)
  // While the store is unavailable, the other metrics are still served.
  const oldestDue = (): Promise<Backlog[]> =>
    readBacklogs(db, clock, dispatcher.health()).catch(() => [])
  metrics.watchOldestDue(keptFor(clock, OLDEST_DUE_KEPT_MS, oldestDue))
  return health
}

function pollPayments(clock: Pick<Clock, 'now'>, resolve: () => Promise<boolean>) {
  let polledAt = clock.now()
  return {
    async poll(): Promise<boolean> {
      const isMore = await resolve()
      polledAt = clock.now()
      return isMore
    },
    isPolling: (): boolean => clock.now() - polledAt < POLLED_WITHIN_MS,
  }
}

function openFetcher({ runtime }: WorkerDeps, operators: Operators, { pauseAfter }: Pacing) {
  const { config, db, clock, random, keptFiles, statementParser } = runtime
  return statementFetcher({
    db,
    clock,
    random,
    keptFiles,
    statementParser,
    statementsOf: operators.statementsOf,
    pauseAfter,
    connectorOf: connectorIn(config, db),
    isConnected: (key) => operators.find(key) !== undefined,
    offering: operators.offeringStatements,
  })
}

function openResumer({ runtime }: WorkerDeps, { pauseAfter }: Pacing) {
  const { config, db, clock, random, keptFiles, statementParser } = runtime
  return importResumer({
    db,
    clock,
    random,
    keptFiles,
    statementParser,
    pauseAfter,
    connectorOf: connectorIn(config, db),
  })
}

function booksRounds(
  { runtime: { db, clock, random }, eventWritten }: WorkerDeps,
  { fetcher, resumer }: Pick<WorkerParts, 'fetcher' | 'resumer'>,
  { goesAfter, summariseSoonMs: soonMs }: Pacing,
): Round[] {
  return [
    { everyMs: EVERY_MS.summaries, round: paymentSummariser(db, clock, goesAfter), soonMs },
    {
      everyMs: EVERY_MS.statements,
      round: statementAnnouncer({ db, clock, random }, eventWritten),
    },
    { everyMs: EVERY_MS.fetches, round: fetcher.round, soonMs },
    { everyMs: EVERY_MS.imports, round: resumer.round, soonMs },
    { everyMs: EVERY_MS.lines, round: () => judgeDueLines({ db, clock }, RECONCILIATION), soonMs },
    { everyMs: EVERY_MS.lines, round: () => bookDueOpening({ db, clock }, RECONCILIATION), soonMs },
  ]
}

function pruningRounds(
  { runtime: { config, db, clock }, log }: WorkerDeps,
  { paced }: Pacing,
): Round[] {
  const everyMs = EVERY_MS.pruning
  const removed = ({ table }: { table: string }, count: number): void =>
    log.debug({ table, count }, 'rows were removed that are kept no longer')
  const isArchivedFirst = config.keepUntilArchived === 'yes'
  const pruning = { db, clock, ...(isArchivedFirst && { archivedUntil: () => archivedUntil(db) }) }
  const history = historyPruner({ ...pruning, keep: keptHistories(config), pruned: removed })
  const events = eventPruner({
    ...pruning,
    days: config.keepEventsDays,
    pruned: (count) => removed({ table: 'events' }, count),
  })
  return [
    { everyMs, round: promptGuardPruner({ db, clock }) },
    { everyMs, round: () => pruneKeptFiles({ db, clock }, config.keepStatementFilesDays) },
    { everyMs, ...paced(inTurn([history, events])) },
  ]
}
