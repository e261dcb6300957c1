// Wires a server together, from settings to a service that can listen. The process and the tests
// start here.
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { authenticator } from '../actions/keys/authenticate-key.ts'
import { counterFeed } from '../actions/payments/counter-feed.ts'
import {
  type PaymentWatcher,
  paymentWatcher,
  watchLimits,
} from '../actions/payments/payment-watcher.ts'
import { openReceiptCodes } from '../actions/payments/read-receipt.ts'
import { checkoutButton } from '../checkout/button-script.ts'
import { missingPage } from '../checkout/page-frame.ts'
import { receiptRoutes } from '../checkout/receipt-routes.ts'
import { checkout } from '../checkout/routes.ts'
import { type Config, targetRules } from '../config.ts'
import { mailPage, mailPagePath } from '../dashboard-api/mail-page.ts'
import type { DashboardDeps, ShopDeps } from '../dashboard-api/route.ts'
import { dashboardApi } from '../dashboard-api/routes.ts'
import { dashboardPages } from '../dashboard-api/static.ts'
import type { Random } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import type { ReceiptCodes } from '../domain/payments/receipt-code.ts'
import { makeToken, TOKEN_BYTES } from '../domain/people/person.ts'
import { acceptWaiting, stopListening } from '../http/connections.ts'
import { health, readiness } from '../http/health.ts'
import { makeServer } from '../http/server.ts'
import { OPERATIONS, type Operation, opaquePaths, routeOf } from '../merchant-api/contract.ts'
import { pageLinks } from '../merchant-api/page-links.ts'
import { merchantApi } from '../merchant-api/routes.ts'
import { watchEventLoop } from '../observability/event-loop.ts'
import { makeLog, standardOutput } from '../observability/log.ts'
import { type Metrics, makeMetrics, type WatchedRoute } from '../observability/metrics.ts'
import { callbackReceiver, NO_LIMITS, operatorApi } from '../operator-api/callbacks.ts'
import type { Dispatcher } from '../operators/dispatcher.ts'
import type { Operators } from '../operators/registry.ts'
import { simulatedProvider } from '../simulator/network.ts'
import { simulatorPages } from '../simulator/routes.ts'
import { site } from '../site/routes.ts'
import type { StoreWatch } from '../store/engine/database.ts'
import { type Migration, migrations, schemaFits } from '../store/engine/migrate.ts'
import { lockSqliteFile } from '../store/engine/sqlite-files.ts'
import { isUnderMasterKey } from '../store/master-key/sealed-values.ts'
import { writeFact } from '../store/service/service-facts.ts'
import { freeAllEndpointQueues } from '../store/webhooks/endpoints.ts'
import type { WebhookSender } from '../webhooks/send.ts'
import type { MailSender } from '../worker/send-mails.ts'
import { freeBytes } from './check-up.ts'
import { type ConnectDeps, type Connected, connectOperators } from './connect-operators.ts'
import { connectorIn, isConnectedIn, isOwnConnectionIn, listConnections } from './connections.ts'
import { openDeliveries } from './deliveries-worker.ts'
import { failureLog } from './failure-log.ts'
import { addressOf } from './listening-address.ts'
import { showsMails } from './mail-sender.ts'
import { boxOf, masterKeyCheck, secretsBox } from './master-key.ts'
import { checkNetworkAddresses } from './merchant-networks.ts'
import { openWorker, type Worker } from './payments-worker.ts'
import { openPeopleWorker } from './people-worker.ts'
import {
  canOpenFile,
  connectionRoom,
  isShort,
  openFileLimit,
  type RecordingProbe,
  recordingProbe,
  shortSentence,
} from './readiness.ts'
import { type FiguresRecorder, figuresRecorder, requestRecorder } from './recorders.ts'
import { isSqlite, openFile, openRuntime, type Runtime, type RuntimeOverrides } from './runtime.ts'
import { importSlots, shopDepsOf, statementSlots, type TakeStatement } from './shop-deps.ts'
import type { ClockDifference } from './store-clock.ts'

export interface Service extends Runtime {
  app: FastifyInstance
  /** Returns the address that it listens on. */
  listen(): Promise<string>
  /** New connections are refused; requests of open ones get 503. */
  stopAccepting(): Promise<void>
  log: Logger
  dispatcher: Dispatcher
  askOperator: Dispatcher['ask']
  refundsInPart: Operators['refundsInPart']
  /**
   * Where a development server shows its emails, with a token of this start; undefined where it
   * shows none.
   */
  mailPagePath: string | undefined
}

export interface ServiceOverrides extends RuntimeOverrides {
  log?: Logger
  /** Instead of calling merchants' servers. */
  sender?: WebhookSender
  /** Instead of the mail server of the settings. */
  mailSender?: MailSender
  /** The files of the store were removed or replaced: ends the process. */
  filesRemoved?: (sentence: string) => void
  /** Instead of the operators of the settings. */
  connect?: (deps: ConnectDeps) => Promise<Connected>
}

const UNLISTED_PROXY =
  'this address sends X-Forwarded-For and is not in KARBA_TRUST_PROXY: if it is your proxy, list it, or all its callers share the limits of one'

/**
 * Graceful stop: after this time connections are closed that are idle, or have an incomplete
 * request.
 */
const SILENT_AT_STOP_MS = 1_000

/** The origin of page addresses while the server does not listen: only tests see it. */
const PLACEHOLDER_ORIGIN = 'http://localhost'

const watched = (operation: Operation, name: string, help: string): WatchedRoute => ({
  method: operation.method,
  route: routeOf(operation),
  histogram: { name, help },
})
const WATCHED_ROUTES = [
  watched(
    OPERATIONS.createPayment,
    'karba_payment_create_seconds',
    'Time to record a payment, from request to answer.',
  ),
  watched(
    OPERATIONS.readPayment,
    'karba_payment_read_seconds',
    'Time to read a payment, from request to answer.',
  ),
]

export async function openService(
  config: Config,
  overrides: ServiceOverrides = {},
): Promise<Service> {
  checkNetworkAddresses(config)
  const ownsFile = isSqlite(config) && overrides.store === undefined
  const unlock = ownsFile ? openFile(config, lockSqliteFile) : () => {}
  try {
    return await composeService(config, overrides, { ownsFile, unlock })
  } catch (error) {
    unlock()
    throw error
  }
}

interface OwnFile {
  /** Only this process has the file of the store. */
  ownsFile: boolean
  unlock(): void
}

async function composeService(
  config: Config,
  overrides: ServiceOverrides,
  own: OwnFile,
): Promise<Service> {
  const metrics = makeMetrics(WATCHED_ROUTES)
  const log = overrides.log ?? makeLog(config.logLevel, standardOutput(config.logFormat))
  const room = connectionRoom(config, openFileLimit())
  if (isShort(room)) log.warn(shortSentence(room))
  const watch = watchStore(log, metrics, overrides)
  const runtime = await openRuntime(config, { clockChanged: logClock(log), ...overrides, watch })
  const { db, clock, random } = runtime
  const recorders = openRecorders(runtime, metrics)
  const { figures, recording } = recorders
  const app = openApp(runtime, { log, metrics, room, recorders })
  // It releases the queues of a crashed process, so that delivery resumes at once.
  if (own.ownsFile) await freeAllEndpointQueues(db, clock.now())
  const deliveries = openDeliveries({ runtime, log, metrics, sender: overrides.sender })
  const { failed: watchFailed } = failureLog(clock, (fields) =>
    log.warn(fields, 'outcomes could not be looked for'),
  )
  const watcher = paymentWatcher({ db, clock, failed: watchFailed, limits: watchLimits(room.most) })
  const counter = counterFeed({ db, clock, failed: watchFailed })
  // A network in this process calls back like an external one: only once there is an address to
  // call.
  const takeCallback: ConnectDeps['takeCallback'] = async (to, callback) =>
    addressOf(app) === undefined ? undefined : receive(to, callback, NO_LIMITS)
  const worker = await openWorker({
    runtime,
    app,
    log,
    metrics,
    connect: overrides.connect ?? connectOperators,
    takeCallback,
    eventWritten() {
      deliveries.wake()
      watcher.eventWritten()
      counter.eventWritten()
    },
    // With a test's virtual clock, the load of the machine must not change behaviour.
    isBusy: overrides.clock === undefined ? watchEventLoop(app.begun) : () => false,
    settled: figures.settled,
  })
  const { dispatcher, operators } = worker
  const people = openPeopleWorker({
    runtime,
    app,
    log,
    sender: overrides.mailSender,
    backlog: figures.backlog,
  })
  const failing = readinessOf(runtime, {
    worker,
    recording,
    ownsFile: own.ownsFile,
    // Read once: /readyz compares them with the database's.
    migrations: overrides.migrations ?? migrations(),
  })
  const isProduction = config.mode === 'production'
  health(app, { failing, metrics, clock, metricsToken: config.metricsToken, isProduction })
  const { failed: notTaken } = failureLog(clock, (fields) =>
    log.warn(fields, 'a callback was not taken: the network may say it again'),
  )
  const receive = callbackReceiver({ db, clock, operators, dispatcher, notTaken })
  operatorApi(app, { clock, receive })
  const mailToken = showsMails(config) ? makeToken(random.bytes(TOKEN_BYTES)) : undefined
  if (config.role !== 'worker') {
    await openPages(app, runtime, { worker, watcher, counter, figures })
    if (mailToken !== undefined) mailPage(app, mailToken, people.mail.shown)
  }
  return {
    ...runtime,
    refundsInPart: operators.refundsInPart,
    app,
    listen: () => app.listen({ host: config.host, port: config.port }),
    log,
    dispatcher,
    async stopAccepting() {
      await acceptWaiting()
      app.refuseRequests()
      stopListening(app.server)
    },
    close: () =>
      closeService(runtime, {
        app,
        watcher,
        counter,
        worker,
        people,
        deliveries,
        recorders,
        own,
      }),
    askOperator: (payment) => dispatcher.ask(payment),
    mailPagePath: mailToken && mailPagePath(mailToken),
  }
}

const watchStore = (
  log: Logger,
  metrics: Metrics,
  { filesRemoved }: ServiceOverrides,
): StoreWatch => ({
  committed: metrics.committed,
  warn: (sentence) => log.warn(sentence),
  lost: (why) => log.error({ err: why }, 'the store is lost: requests get 503 until it is back'),
  back: (afterMs) => log.warn({ seconds: Math.round(afterMs / 100) / 10 }, 'the store is back'),
  damaged: (error) =>
    log.fatal({ err: error }, 'the store is damaged: every request is answered with 503'),
  filesRemoved: filesRemoved ?? ((sentence) => log.fatal(sentence)),
})

type Recorders = ReturnType<typeof openRecorders>

function openRecorders(runtime: Runtime, metrics: Metrics) {
  const { config, db, clock, random } = runtime
  return {
    requests: requestRecorder({
      db,
      clock,
      perSecond: config.requestLogRate,
      dropped: metrics.requestsDropped,
    }),
    figures: figuresRecorder(runtime),
    recording: recordingProbe(db, clock, random),
  }
}

interface AppParts {
  log: Logger
  metrics: Metrics
  room: ReturnType<typeof connectionRoom>
  recorders: Recorders
}

function openApp(
  { config, db, clock, random }: Runtime,
  { log, metrics, room, recorders: { requests, figures, recording } }: AppParts,
): FastifyInstance {
  const app = makeServer({
    log,
    metrics: countingCreates(metrics, figures, recording),
    answered: requests.answered,
    storeUnavailable: failureLog(clock, (fields) =>
      log.warn(fields, 'requests got 503: the store is unavailable'),
    ).failed,
    makeRequestId: requestIds(random),
    trustProxy: config.trustProxy,
    isHttps: config.publicUrl.startsWith('https:'),
    unlistedProxy: (address) => {
      if (config.mode !== 'production') return
      log.warn({ address }, UNLISTED_PROXY)
      writeFact(db, 'unlisted_proxy', address).catch((error) =>
        log.warn({ err: error }, 'it could not be recorded'),
      )
    },
    clock,
    limits: { most: room.most, mostPerNetwork: config.connectionsPerAddress },
    missingPage,
    opaquePaths: opaquePaths(),
  })
  metrics.watchRequests(app.underWay)
  return app
}

interface CheckedParts extends Pick<OwnFile, 'ownsFile'> {
  migrations: readonly Migration[]
  worker: Worker
  recording: RecordingProbe
}

function readinessOf(runtime: Runtime, { worker, recording, ownsFile, migrations }: CheckedParts) {
  const { config, db, clock, master } = runtime
  return readiness(clock, [
    // First, because without a free descriptor the other checks fail too.
    { name: 'open_files', works: canOpenFile },
    { name: 'read', works: () => db.ping().then(() => true) },
    { name: 'write', works: recording.works },
    { name: 'schema', works: () => schemaFits(db, migrations) },
    { name: 'master_key', works: () => isUnderMasterKey(db, masterKeyCheck(master)) },
    { name: 'outcomes', works: async () => worker.isPolling() },
    { name: 'clock', works: async () => clock.isRight() },
    ...(ownsFile
      ? [{ name: 'disk', works: async () => (await freeBytes(config.dataDir)) >= LEAST_FREE_BYTES }]
      : []),
  ])
}

interface PageParts {
  worker: Worker
  watcher: PaymentWatcher
  counter: ReturnType<typeof counterFeed>
  figures: FiguresRecorder
}

/** What merchants, payers and staff open. */
async function openPages(
  app: FastifyInstance,
  runtime: Runtime,
  { worker, watcher, counter, figures }: PageParts,
): Promise<void> {
  const { config, db, master, random, publicReferences } = runtime
  // Kept: Node asks the system for it, and every answer with a receipt needs it.
  let listening: string | undefined
  const addresses = addressesOf(() => {
    if (config.publicUrl) return config.publicUrl
    listening ??= addressOf(app)
    return listening ?? PLACEHOLDER_ORIGIN
  })
  const receiptCodes = await openReceiptCodes(
    runtime,
    boxOf(master, 'receipt codes', random),
    publicReferences,
  )
  const takeStatement = statementSlots(db)
  openMerchantRoutes(app, runtime, worker, watcher, { ...addresses, receiptCodes, takeStatement })
  const shop = shopDepsOf(app, runtime, worker, { ...addresses, receiptCodes, counter })
  openDashboard(app, runtime, {
    ...shop,
    takeStatement,
    readFigures: figures.read,
    pauseAfter: worker.pauseAfter,
  })
}

interface ServiceParts extends Omit<PageParts, 'figures'> {
  app: FastifyInstance
  people: ReturnType<typeof openPeopleWorker>
  deliveries: ReturnType<typeof openDeliveries>
  recorders: Recorders
  own: OwnFile
}

async function closeService(runtime: Runtime, parts: ServiceParts): Promise<void> {
  const { config, clock } = runtime
  const { app, worker, people, recorders } = parts
  parts.watcher.stop()
  parts.counter.stop()
  // An email or a refund in flight may take its time: meanwhile no connection is accepted.
  const stopped = Promise.all([worker.stopPolling(), people.stop()])
  stopListening(app.server)
  const closed = app.close()
  // A client that is silent, does not read its answer or never completes its request must not delay
  // the stop.
  const cancels = [
    clock.after(SILENT_AT_STOP_MS, app.connections.endSilent),
    clock.after(config.stopWithinMs / 3, app.connections.endAll),
  ]
  await closed
  for (const cancel of cancels) cancel()
  await stopped
  await worker.drain()
  await parts.deliveries.stop()
  await recorders.requests.stop()
  await recorders.figures.stop()
  await runtime.close()
  parts.own.unlock()
}

export type Addresses = ReturnType<typeof addressesOf>

const addressesOf = (origin: () => string) => ({
  pageUrl: (linkReference: string): string => `${origin()}/pay/${linkReference}`,
  receiptUrl: (code: string): string => `${origin()}/r/${code}`,
  posterUrl: (publicReference: string): string => `${origin()}/p/${publicReference}`,
})

function openMerchantRoutes(
  app: FastifyInstance,
  runtime: Runtime,
  worker: Worker,
  watcher: PaymentWatcher,
  own: Addresses & { receiptCodes: ReceiptCodes; takeStatement: TakeStatement },
): void {
  const { config, db, clock, random, master, hashKey } = runtime
  const { leaseMs, recordOutcome, dispatcher } = worker
  const { publicRate, role } = config
  const deps = {
    ...runtime,
    ...worker.operators,
    leaseMs,
    recordOutcome,
    watcher,
    publicRate,
    ...own,
  }
  const createDeps = { ...deps, dispatcher: role === 'all' ? dispatcher : undefined }
  merchantApi(app, {
    ...createDeps,
    box: secretsBox(master, random),
    rules: targetRules(config),
    authenticate: authenticator(db, clock, hashKey),
  })
  pageLinks(app, createDeps)
  checkoutButton(app)
  site(app, { clock, publicRate })
  const isSimulated = (environment: Environment): boolean => worker.simulated.includes(environment)
  checkout(app, { ...createDeps, isSimulated, askOperator: (payment) => dispatcher.ask(payment) })
  receiptRoutes(app, { ...deps, isSimulated })
  // Never in production: the page only simulates a provider.
  if (config.mode === 'development') simulatorPages(app, simulatedProvider({ db, clock }))
}

/**
 * What /metrics counts, the minute in which a payment was created, and whether the store refused a
 * request.
 */
function countingCreates(
  metrics: Metrics,
  figures: Pick<FiguresRecorder, 'created'>,
  recording: Pick<RecordingProbe, 'answered'>,
): Metrics {
  const create = routeOf(OPERATIONS.createPayment)
  return {
    ...metrics,
    answered(route, method, code, seconds) {
      metrics.answered(route, method, code, seconds)
      recording.answered(method, code)
      if (route === create && code === 200 && method === 'POST') figures.created(seconds)
    },
  }
}

function openDashboard(
  app: FastifyInstance,
  runtime: Runtime,
  deps: ShopDeps & Pick<DashboardDeps, 'readFigures' | 'takeStatement' | 'pauseAfter'>,
) {
  const { config, db } = runtime
  const { mode, publicUrl } = config
  dashboardApi(app, {
    ...runtime,
    ...deps,
    isProduction: mode === 'production',
    publicUrl,
    isConnected: isConnectedIn(config, db),
    connectorOf: connectorIn(config, db),
    isOwnConnection: isOwnConnectionIn(db),
    readConnections: () => listConnections(config, db),
    takeImport: importSlots(db),
  })
  dashboardPages(app, runtime)
}

/** A write-ahead log may grow so far before it is written back. */
const LEAST_FREE_BYTES = 64 * 1024 * 1024

function logClock(log: Logger): (difference: ClockDifference) => void {
  return ({ isRight, aheadMs }) => {
    if (isRight) log.info('this machine’s clock agrees with the database’s again: work goes on')
    else
      log.error(
        { aheadMs },
        'this machine’s clock differs from the database’s by more than 5 seconds: this process claims nothing until it is set right',
      )
  }
}

/** Random, so that ids do not count requests. Made in batches: one by one they cost 2 µs each. */
const REQUEST_ID = { bytes: 12, characters: 16, atOnce: 64 }
function requestIds(random: Random): () => string {
  let made = ''
  let used = 0
  return () => {
    if (used === made.length) {
      made = Buffer.from(random.bytes(REQUEST_ID.bytes * REQUEST_ID.atOnce)).toString('base64url')
      used = 0
    }
    used += REQUEST_ID.characters
    return `req_${made.slice(used - REQUEST_ID.characters, used)}`
  }
}
