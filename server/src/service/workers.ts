// Wires the background work of a process: resolving payments, delivering webhooks, and sending emails.
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { judgeDueLines } from '../actions/books/judge-again.ts'
import { endOldMoneyChanges } from '../actions/operators/money-changes.ts'
import { recordOutcomes } from '../actions/payments/record-outcomes.ts'
import { recordRefundOutcome } from '../actions/payments/record-refund-outcome.ts'
import { warnOfFailing } from '../actions/webhooks/endpoints.ts'
import { type AttemptMade, isAccepted, recordAttempts } from '../actions/webhooks/record-attempts.ts'
import { type Config, targetRules } from '../config.ts'
import { writeHead } from '../domain/audit-chain.ts'
import type { ServiceItself } from '../domain/caller.ts'
import type { Random, ServiceClock } from '../domain/clock-and-random.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { isMerchantConnection } from '../domain/merchant-connection.ts'
import {
  type ConnectionKey,
  connectionText,
  type OperatorReport,
  type RefundAnswer,
} from '../domain/operator-report.ts'
import type { OperatorRefund } from '../domain/refund.ts'
import { keptFor, type Metrics } from '../observability/metrics.ts'
import type { Waiting } from '../operators/call-queue.ts'
import type { ConfigurationRefusals } from '../operators/configuration-refusals.ts'
import type { ConnectionHealth } from '../operators/connection-calls.ts'
import { Dispatcher, type DispatcherDeps } from '../operators/dispatcher.ts'
import { archivedUntil } from '../store/archives/archives.ts'
import { findHead } from '../store/audit/audit-log.ts'
import { countWaitingDeliveries } from '../store/console/tasks.ts'
import { batch } from '../store/engine/batch.ts'
import type { Database } from '../store/engine/database.ts'
import { listPauses } from '../store/operators/connections.ts'
import { keepNetworkId } from '../store/payments/payment-moves.ts'
import { findAccepted, giveBackPayments } from '../store/payments/pending-payments.ts'
import { OLD_ANSWERS, OLD_ATTEMPTS, OLD_DELIVERIES, OLD_REQUESTS, OLD_STORIES } from '../store/retention/old-rows.ts'
import { type WebhookSender, webhookSender } from '../webhooks/send.ts'
import { WebhookDeliverer } from '../worker/deliver-webhooks.ts'
import { loop, SOON_MS } from '../worker/loop.ts'
import {
  eventPruner,
  historyPruner,
  inTurn,
  type PruneDeps,
  promptGuardPruner,
  pruneKeptFiles,
  prunePeople,
} from '../worker/prune.ts'
import { expireLinks, paymentResolver, recheckFailures } from '../worker/resolve-payments.ts'
import { refundResolver } from '../worker/resolve-refunds.ts'
import { type MailSender, type SendMailsDeps, sendMails } from '../worker/send-mails.ts'
import { statementAnnouncer, statementFetcher } from '../worker/statements.ts'
import { paymentSummariser } from '../worker/summarise-payments.ts'
import {
  type Backlog,
  backlogWatch,
  healthSharer,
  readBacklogs,
  type WatchBacklogDeps,
} from '../worker/watch-backlog.ts'
import { type ConnectDeps, type Connected, simulatedLimits } from './connect-operators.ts'
import { connectorIn, shareRefusals } from './connections.ts'
import { openMail } from './mail-sender.ts'
import { boxOf, type MasterKey, secretsBox } from './master-key.ts'
import { merchantConnections } from './merchant-networks.ts'
import { simulatorToken } from './open-simulator.ts'
import { USUAL_LIMITS } from './operators-file.ts'
import { isSqlite, type Runtime } from './runtime.ts'
import { ASKED_EVERY_MS } from './store-clock.ts'

/** Two at a time: one is prepared while one is written. On SQLite creates wait about 6 ms for a batch. */
const OUTCOME_LIMITS = {
  postgres: { flushes: 2, batchSize: 100, maxWaiting: 50_000 },
  sqlite: { flushes: 2, batchSize: 96, maxWaiting: 50_000 },
}
/** While requests saturate the process: 20 outcomes in 50 ms take about a twelfth of the time from merchants. */
const OUTCOME_LIMITS_WHILE_BUSY = { flushes: 1, batchSize: 20, maxWaiting: 50_000 }
const REST_WHILE_BUSY_MS = 50

/** A lease covers the wait in the queue, the call itself, and recording its outcome (ADR-0007). */
const MAX_WAIT_MS = 3_500
const RECORDING_MS = 1_500

const WORKER: ServiceItself = { is: 'service', part: 'worker' }
const RECONCILIATION: ServiceItself = { is: 'service', part: 'reconciliation' }

/** How long a stop waits for calls in flight. Then a sent call is unknown; a waiting one is sent after the start. */
const DRAIN_MS = 3_000

/** One query for each operator, and /metrics is public unless a token is set. */
const OLDEST_DUE_KEPT_MS = 1_000

/** A pause, or a change of a merchant's connection, holds in every process within this time. */
const CONNECTIONS_READ_EVERY_MS = 1_000

/** The delay of the dashboard's figures, and the pause between slices while requests wait. */
const SUMMARISE_EVERY_MS = 2_000
const SUMMARISE_RESTS_MS = 100

/**
 * While requests wait, long work rests four times as long as its last slice took, its waiting included. With at most
 * 200 ms, an import left 0.81 of creates on a busy machine; with a second, 0.93 (one run each).
 */
const RESTS_FOR_SLICE = 4
const SHORTEST_REST_MS = 40
const LONGEST_REST_MS = 1_000
const restAfter = (tookMs: number): number =>
  Math.min(Math.max(RESTS_FOR_SLICE * tookMs, SHORTEST_REST_MS), LONGEST_REST_MS)

/** How long after 06:00 the statements of the day before may begin. */
const STATEMENTS_EVERY_MS = 30_000

/** A statement that a person asks for begins within this time. */
const FETCH_EVERY_MS = 2_000

/** Lines of statements that came before their payments had ended. */
const JUDGE_AGAIN_EVERY_MS = 60_000

/** Retention is in days. */
const PRUNE_EVERY_MS = 3_600_000

/** After this time without a round, the process counts as stuck. */
const POLLED_WITHIN_MS = 15_000

const pause = (clock: ServiceClock, ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve))

export type Worker = Awaited<ReturnType<typeof openWorker>>

interface WorkerDeps {
  runtime: Pick<
    Runtime,
    'config' | 'db' | 'clock' | 'random' | 'master' | 'nextStoryEntry' | 'keptFiles' | 'statementParser'
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

export async function openWorker(deps: WorkerDeps) {
  const { runtime, app, log, metrics, connect, takeCallback, eventWritten, settled, isBusy } = deps
  const { config, db, clock, random, master, nextStoryEntry, keptFiles, statementParser } = runtime
  const token = simulatorToken(master)
  const pauses = new Set<string>()
  const isPaused = (key: ConnectionKey): boolean => pauses.has(connectionText(key))
  const sharing = shareRefusals({ db, clock, log, failed: (error) => failed(error) })
  const { refusals } = sharing
  const ownAddress = (): string | undefined => addressOf(app)
  const connected = await connect({ config, db, clock, random, token, ownAddress, takeCallback, isPaused, refusals })
  const { operators } = connected
  const failed = (error: unknown): void => log.error({ err: error }, 'the worker failed; it will try again')
  const outcomeDeps = { db, clock, random, nextStoryEntry }
  const limits = OUTCOME_LIMITS[isSqlite(config) ? 'sqlite' : 'postgres']
  const whileBusy = { ...OUTCOME_LIMITS_WHILE_BUSY, rest: () => pause(clock, REST_WHILE_BUSY_MS) }
  // Reports that arrive together share a transaction.
  const recordOutcome = batch(
    async (reports: OperatorReport[]) => {
      const moves = await recordOutcomes(outcomeDeps, WORKER, reports)
      for (const [at, move] of moves.entries()) {
        if (move === undefined) continue
        metrics.outcomeRecorded(move)
        settled(move, reports[at]?.payment.operator ?? '')
      }
      if (moves.some((move) => move !== undefined)) eventWritten()
      return moves
    },
    () => (isBusy() ? whileBusy : limits),
  )
  const refundLeaseMs = 2 * config.operatorTimeoutMs + MAX_WAIT_MS + RECORDING_MS
  const leaseMs = config.operatorTimeoutMs + MAX_WAIT_MS + RECORDING_MS
  const release = (waiting: readonly Waiting[]) =>
    giveBackPayments(
      db,
      waiting.map(({ payment, claimedAt }) => ({ ...payment, claimedUntil: claimedAt + leaseMs })),
      clock.now(),
    )
  const dispatcher = new Dispatcher({
    operators,
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
    release,
    failed,
    answered: refusals.answered,
    misconfigured: misconfiguredLog(log),
  })
  const { openNetwork: open } = connected
  const own =
    open && merchantConnections({ config, db, box: boxOf(master, 'network credentials', random), open, failed })
  const health = (): ConnectionHealth[] => dispatcher.health().map((each) => withRefusals(each, refusals))
  metrics.watchOperators(health)
  // While the store is unavailable, the other metrics are still served.
  const oldestDue = (): Promise<Backlog[]> => readBacklogs(db, clock, dispatcher.health()).catch(() => [])
  metrics.watchOldestDue(keptFor(clock, OLDEST_DUE_KEPT_MS, oldestDue))
  const logRefund = refundLog(log)
  const recordRefund = async (refund: OperatorRefund, answer: RefundAnswer) => {
    logRefund(refund, answer)
    await recordRefundOutcome(outcomeDeps, WORKER, { refund, answer })
    eventWritten()
  }
  let polledAt = clock.now()
  const resolvePayments = paymentResolver({ db, clock, dispatcher, leaseMs })
  async function pollPayments(): Promise<boolean> {
    const isMore = await resolvePayments()
    polledAt = clock.now()
    return isMore
  }
  const refunds = refundResolver({
    db,
    clock,
    operators,
    mayBeCalled: (connection) => dispatcher.mayBeCalled(connection),
    recordOutcome: recordRefund,
    failed,
    leaseMs: refundLeaseMs,
    callMs: config.operatorTimeoutMs + RECORDING_MS,
  })
  const soonMs = (): number => (isBusy() ? REST_WHILE_BUSY_MS : SOON_MS)
  /** Whether requests, or payments on their way to a network, wait. */
  const goesAfter = (): boolean => isBusy() || dispatcher.health().some(({ waiting }) => waiting > 0)
  const summariseSoonMs = (): number => (goesAfter() ? SUMMARISE_RESTS_MS : SOON_MS)
  /** For long work, after each slice: resolves at once, or after a pause while requests or payments wait. */
  const restForRequests = (tookMs: number): Promise<void> =>
    new Promise((resolve) => {
      if (goesAfter()) clock.after(restAfter(tookMs), resolve)
      else setImmediate(resolve)
    })
  /** For long work: half of the time at most, and a fifth or less while requests wait. */
  function paced(round: () => Promise<boolean>): { round: () => Promise<boolean>; soonMs: () => number } {
    let tookMs = 0
    return {
      round: async () => {
        const begunAt = clock.now()
        const isMore = await round()
        tookMs = clock.now() - begunAt
        return isMore
      },
      soonMs: () => (goesAfter() ? restAfter(tookMs) : Math.max(SOON_MS, tookMs)),
    }
  }
  const { statementsOf } = operators
  const fetcher = statementFetcher({
    ...{ db, clock, random, keptFiles, statementParser, statementsOf, rest: restForRequests },
    connectorOf: connectorIn(config, db),
    isConnected: (key) => operators.find(key) !== undefined,
    offering: operators.offeringStatements,
  })
  const removed = ({ table }: { table: string }, count: number): void =>
    log.debug({ table, count }, 'rows were removed that are kept no longer')
  const pruning = { db, clock, ...(config.keepUntilArchived === 'yes' && { archivedUntil: () => archivedUntil(db) }) }
  const removal = paced(
    inTurn([
      historyPruner({ ...pruning, keep: keptHistories(config), pruned: removed }),
      eventPruner({ ...pruning, days: config.keepEventsDays, pruned: (count) => removed({ table: 'events' }, count) }),
    ]),
  )
  const rounds: [everyMs: number, round: () => Promise<boolean>, soonMs?: () => number][] = [
    [500, pollPayments],
    [1_000, refunds.round],
    [5_000, () => recheckFailures({ db, clock, dispatcher, leaseMs })],
    [1_000, () => expireLinks(outcomeDeps, eventWritten)],
    [PRUNE_EVERY_MS, promptGuardPruner({ db, clock })],
    [PRUNE_EVERY_MS, () => pruneKeptFiles({ db, clock }, config.keepStatementFilesDays)],
    [PRUNE_EVERY_MS, removal.round, removal.soonMs],
    [2_000, healthSharer(db, clock, health)],
    [SUMMARISE_EVERY_MS, paymentSummariser(db, clock, goesAfter), summariseSoonMs],
    [STATEMENTS_EVERY_MS, statementAnnouncer({ db, clock, random }, eventWritten)],
    [FETCH_EVERY_MS, fetcher.round, summariseSoonMs],
    [JUDGE_AGAIN_EVERY_MS, () => judgeDueLines({ db, clock }, RECONCILIATION), summariseSoonMs],
    [15_000, backlogWatch({ db, clock, connections: () => dispatcher.health(), ...backlogLog(log) })],
  ]
  /** After the store's clock was set, claims seem too short or too long: no new ones until they have ended. */
  const mayBeClaimed = (): boolean => clock.now() - clock.lastJump().to >= ASKED_EVERY_MS + refundLeaseMs
  /** With a wrong clock nothing is claimed: due times cannot be judged. */
  const whenClockIsRight = (round: () => Promise<boolean>) => async () => clock.isRight() && mayBeClaimed() && round()
  /** In every role: all of them take payments, or send them. */
  async function readConnections(): Promise<boolean> {
    const owned = await own?.read()
    if (owned !== undefined) {
      operators.setOwned(owned)
      dispatcher.connect()
    }
    const paused = await listPauses(db)
    pauses.clear()
    for (const key of paused) pauses.add(connectionText(key))
    await sharing.read()
    return false
  }
  await readConnections()
  const stops = [
    loop({ clock, failed, everyMs: CONNECTIONS_READ_EVERY_MS, round: readConnections }).stop,
    refunds.stop,
    fetcher.stop,
    ...(config.role === 'api' ? [] : rounds).map(
      ([everyMs, round, soon = soonMs]) =>
        loop({ clock, failed, everyMs, soonMs: soon, round: whenClockIsRight(round) }).stop,
    ),
  ]
  let polled: Promise<unknown> = Promise.resolve()
  return {
    ...{ operators, dispatcher, leaseMs, openNetwork: open },
    rest: restForRequests,
    /** Records an operator's report and the outcome that follows from it. */
    recordOutcome,
    /** The environments in which no real money moves. */
    simulated: connected.simulated ?? ENVIRONMENTS,
    /** Whether due payments are being polled; true where other processes do it. */
    isPolling: () => config.role === 'api' || !mayBeClaimed() || clock.now() - polledAt < POLLED_WITHIN_MS,
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
      await Promise.all([connected.close(), own?.close()])
      await idle
      await polled
    },
  }
}

/** A delivery stays no longer than events do, and an attempt no longer than deliveries. */
const keptHistories = ({ keepEventsDays, keepDeliveriesDays, ...config }: Config): PruneDeps['keep'] => [
  { rows: OLD_STORIES, days: config.keepStoryDays, isArchived: true },
  { rows: OLD_DELIVERIES, days: shortest(keepEventsDays, keepDeliveriesDays), isArchived: true },
  {
    ...{ rows: OLD_ATTEMPTS, days: shortest(keepEventsDays, keepDeliveriesDays, config.keepAttemptsDays) },
    isArchived: true,
  },
  { rows: OLD_ANSWERS, days: config.keepWebhookAnswersDays },
  { rows: OLD_REQUESTS, days: config.keepRequestsDays },
]

/** 0 is for ever. */
const shortest = (...days: number[]): number => {
  const limited = days.filter((each) => each > 0)
  return limited.length === 0 ? 0 : Math.min(...limited)
}

function withRefusals(
  health: ConnectionHealth,
  refusals: Pick<ConfigurationRefusals, 'of' | 'suspected'>,
): ConnectionHealth {
  const refused = refusals.of(health)[0] ?? refusals.suspected(health)
  if (refused === undefined) return health
  return { ...health, isMisconfigured: true, why: refused.why, since: refused.since }
}

const misconfiguredLog =
  (log: Logger): NonNullable<DispatcherDeps['misconfigured']> =>
  ({ environment, connection }, why) => {
    if (why === null) log.info({ environment, connection }, 'this connection works again')
    else
      log.error(
        { environment, connection, why },
        'this connection is refused for its credentials or settings: `karba operators check` says what to mend',
      )
  }

/** Refunds often have credentials of their own: logs once that they are refused, and once that they work again. */
function refundLog(log: Logger): (connection: ConnectionKey, answer: RefundAnswer) => void {
  const refusing = new Set<string>()
  return ({ environment, connection }, answer) => {
    const name = connectionText({ environment, connection })
    const why = misconfiguredWhy(answer)
    // A call without any answer is no evidence about the settings.
    if ((why !== undefined) === refusing.has(name) || (answer.is === 'unknown' && why === undefined)) return
    if (why !== undefined) {
      refusing.add(name)
      const words =
        'refunds are refused for the credentials or settings of this connection: `karba operators check` says what to mend'
      log.error({ environment, connection, why }, words)
    } else {
      refusing.delete(name)
      log.info({ environment, connection }, 'refunds of this connection work again')
    }
  }
}

/** Undefined where the answer does not blame our configuration. */
function misconfiguredWhy(answer: RefundAnswer): string | undefined {
  if (answer.is === 'unknown' && answer.misconfigured === true) return answer.why
  if (answer.is === 'declined' && answer.misconfigured?.kind === 'settings') {
    return `${answer.code ?? 'refused'}: ${answer.misconfigured.mend}`
  }
  return undefined
}

function backlogLog(log: Logger): Omit<WatchBacklogDeps, 'db' | 'clock' | 'connections'> {
  return {
    backlogReported: ({ environment, connection, oldestMs }) =>
      log.warn(
        { environment, connection, seconds: Math.round(oldestMs / 1_000) },
        'payments wait for this connection: it is slow, down, or gets fewer calls than merchants ask for',
      ),
    backlogIsOver: ({ environment, connection }) =>
      log.info({ environment, connection }, 'payments no longer wait for this connection'),
    broughtBack: ({ environment, connection }, count) =>
      log.warn(
        { environment, connection, count },
        'payments were due too far ahead, by a clock that was wrong: they are due now',
      ),
    othersBroughtBack: (counts) =>
      log.warn(counts, 'refunds or rechecks were due too far ahead, by a clock that was wrong: they are due now'),
  }
}

/** The address that the app listens on, as seen from this machine; undefined before it listens. */
export function addressOf(app: FastifyInstance): string | undefined {
  const address = app.server.address()
  if (address === null || typeof address === 'string') return undefined
  const host = address.address === '0.0.0.0' || address.address === '::' ? '127.0.0.1' : address.address
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}

// Webhooks.

const RECORD_LIMITS = { flushes: 2, batchSize: 100, maxWaiting: 50_000 }
const POLL_EVERY_MS = 500
/** When the service stops, a receiver that has not answered by then gets the event again after the next start. */
const INTERRUPTED_AFTER_MS = 2_000
const DELIVERY: ServiceItself = { is: 'service', part: 'webhook delivery' }

interface DeliveriesDeps {
  runtime: { config: Config; db: Database; clock: ServiceClock; random: Random; master: MasterKey }
  log: Logger
  metrics: Metrics
  sender?: WebhookSender | undefined
}

export function openDeliveries({ runtime, log, metrics, sender: overridden }: DeliveriesDeps) {
  const { config, db, clock, random, master } = runtime
  if (config.role === 'api') return { wake: () => {}, stop: async () => {} }
  const sender = overridden ?? webhookSender({ clock, rules: targetRules(config), timeoutMs: config.webhookTimeoutMs })
  const failed = (error: unknown): void => log.error({ err: error }, 'delivering failed; it will be tried again')
  const record = batch((made: AttemptMade[]) => recordAttempts({ db, clock, random }, DELIVERY, made), RECORD_LIMITS)
  const deliverer = new WebhookDeliverer({
    db,
    clock,
    box: secretsBox(master, random),
    send: sender.send,
    timeoutMs: config.webhookTimeoutMs,
    record: (made) => {
      metrics.attempted(isAccepted(made.attempt) ? 'delivered' : 'not_delivered')
      return record(made)
    },
    yielded: () => polling.wake(),
    failed,
  })
  // With a wrong clock, due times cannot be judged.
  const round = async () => clock.isRight() && deliverer.round()
  const polling = loop({ clock, failed, everyMs: POLL_EVERY_MS, round })
  return {
    /** An event was written: deliver it at once. */
    wake: polling.wake,
    /** Claims nothing more, and waits for the in-flight attempts. */
    stop: async (): Promise<void> => {
      await polling.stop()
      const idle = deliverer.stop()
      await Promise.race([idle, pause(clock, INTERRUPTED_AFTER_MS)])
      await sender.close()
      await idle
    },
  }
}

// For people: emails, the head of the audit log, and the removal of ended sessions and old emails.

const MAILS_EVERY_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const STOPS_WITHIN_MS = 3_000
/** Often enough for a chart. */
const MOST_COUNTED = 100_000

interface PeopleWorkerDeps {
  runtime: Pick<Runtime, 'config' | 'db' | 'clock' | 'random'>
  app: FastifyInstance
  log: Logger
  /** Instead of the mail server of the settings. */
  sender?: MailSender | undefined
  /** Called with the number of waiting deliveries. */
  backlog(count: number): void
}

export function openPeopleWorker({ runtime, app, log, sender, backlog }: PeopleWorkerDeps) {
  const { config, db, clock, random } = runtime
  const mail = openMail(config, log)
  const dashboardUrl = () => `${config.publicUrl || (addressOf(app) ?? 'http://localhost')}/dashboard`
  const failed = (error: unknown): void =>
    log.error({ err: error }, 'a round for people failed; it will be tried again')
  const mailDeps: SendMailsDeps = {
    ...{ db, clock, random, dashboardUrl },
    sender: sender ?? mail,
    givenUp: ({ mailId, kind }, error) =>
      log.error({ mailId, kind, error }, 'an email could not be sent: it is given up'),
  }
  /** A copy of the head outside the database: `karba audit verify --head` compares with it. */
  async function logAuditHead(): Promise<boolean> {
    const head = await findHead(db)
    if (head !== undefined) {
      log.info({ head: writeHead(head) }, 'the head of the audit log: `karba audit verify --head` takes it')
    }
    return false
  }
  async function readBacklog(): Promise<boolean> {
    backlog(await countWaitingDeliveries(db, MOST_COUNTED))
    return false
  }
  async function endMoneyChanges(): Promise<boolean> {
    await endOldMoneyChanges({ db, clock }, WORKER)
    return false
  }
  const rounds: [everyMs: number, round: () => Promise<boolean>][] = [
    [MAILS_EVERY_MS, () => sendMails(mailDeps)],
    [HOUR_MS, logAuditHead],
    [HOUR_MS, () => prunePeople({ db, clock })],
    [MINUTE_MS, endMoneyChanges],
    [MINUTE_MS, readBacklog],
    [MINUTE_MS, () => warnOfFailing({ db, clock }, WORKER)],
  ]
  const whenClockIsRight = (round: () => Promise<boolean>) => async () => clock.isRight() && round()
  const loops = (config.role === 'api' ? [] : rounds).map(([everyMs, round]) =>
    loop({ clock, failed, everyMs, round: whenClockIsRight(round) }),
  )
  return {
    mail,
    stop: async (): Promise<void> => {
      const stopped = Promise.all(loops.map(({ stop }) => stop()))
      // An email that a slow mail server has not taken by then is sent again at the next start.
      await Promise.race([stopped, pause(clock, STOPS_WITHIN_MS)])
      await mail.close()
    },
  }
}
