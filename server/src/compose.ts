// The only wiring, top to bottom: from settings to a service that can be listened to, and the only place that knows the
// real clock and real chance. Tests, commands and the process all start here.
import { createHmac, randomFillSync } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { authenticator } from './actions/authenticate-key.ts'
import { checkoutButton } from './checkout/button-routes.ts'
import { checkout } from './checkout/routes.ts'
import { type Config, SettingRefused } from './config.ts'
import { type Connected, type ConnectNeeds, connectOperators, simulatedEnvironments } from './connect-operators.ts'
import type { Chance, Clock } from './domain/clock-and-chance.ts'
import { health } from './http/health.ts'
import { makeLog } from './http/log.ts'
import { makeMetrics, type WatchedRoute } from './http/metrics.ts'
import { makeServer } from './http/server.ts'
import { keyHasher, loadMasterKey, type MasterKey } from './master-key.ts'
import { createdLinkBody, readLinkBody } from './merchant-api/bodies.ts'
import { BASE_PATH, ERRORS, OPERATIONS, READ_LINK_PATH } from './merchant-api/contract.ts'
import { merchantApi } from './merchant-api/routes.ts'
import { openDeliveries } from './open-deliveries.ts'
import { addressOf, openWorker, type Worker } from './open-worker.ts'
import { operatorApi } from './operator-api/routes.ts'
import { simulatorPages } from './operator-api/simulator-pages.ts'
import { simulatedProvider } from './operators/simulated-provider.ts'
import type { Database, StoreWatch } from './store/database.ts'
import { migrate } from './store/migrate.ts'
import { numbersFor } from './store/numbers.ts'
import { findInHand } from './store/pending-payments.ts'
import { openPostgres } from './store/postgres.ts'
import { settleFact } from './store/service-facts.ts'
import { lockSqliteFile, StoreInUse } from './store/single-process.ts'
import { openSqlite } from './store/sqlite.ts'
import { freeAllLanes } from './store/webhook-endpoints.ts'
import type { WebhookSender } from './webhooks/send.ts'
import type { Desk } from './worker/desk.ts'
import { watchSpareTime } from './worker/spare-time.ts'

export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms).unref()
    return () => clearTimeout(timer)
  },
}
/** The same for a command that has nothing to do but wait: its timers keep the process alive. */
export const patientClock: Clock = {
  now: realClock.now,
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}
export const realChance: Chance = pooledChance()

/** Asking the system for 15 bytes costs 4 µs, taking them from a pool 0.1. */
function pooledChance(): Chance {
  const pool = Buffer.allocUnsafeSlow(4_096)
  let used = pool.length
  return {
    bytes(count) {
      if (count > pool.length) return randomFillSync(Buffer.allocUnsafeSlow(count))
      if (used + count > pool.length) {
        randomFillSync(pool)
        used = 0
      }
      const taken = Buffer.from(pool.subarray(used, used + count))
      // What was given away is not kept.
      pool.fill(0, used, used + count)
      used += count
      return taken
    },
  }
}

export interface Foundation {
  config: Config
  clock: Clock
  chance: Chance
  db: Database
  hashKey(key: string): string
  publicReferenceKey: string
  master: MasterKey
  close(): Promise<void>
}

export interface Service extends Foundation {
  app: FastifyInstance
  log: Logger
  desk: Desk
}

export interface Replaceable {
  clock?: Clock
  chance?: Chance
  log?: Logger
  watch?: StoreWatch
  /** Instead of the store of the settings. */
  store?: Database
  /** Instead of calling merchants' servers. */
  sender?: WebhookSender
  /** Instead of the operators of the settings. */
  connect?: (needs: ConnectNeeds) => Promise<Connected>
}

/** The store and the secrets: what commands need, and what a server stands on. */
export async function openFoundation(config: Config, replace: Replaceable = {}): Promise<Foundation> {
  const clock = replace.clock ?? realClock
  const chance = replace.chance ?? realChance
  const master = loadMasterKey(config.masterKey, config.dataDir, chance)
  const db = replace.store ?? (await openDatabase(config, clock, replace.watch ?? { committed: () => {} }))
  try {
    await migrate(db, clock.now())
    const publicReferenceKey = await settleIdentity(db, master, chance)
    return {
      config,
      clock,
      chance,
      db,
      hashKey: keyHasher(master),
      publicReferenceKey,
      master,
      close: () => db.close(),
    }
  } catch (error) {
    await db.close()
    throw error
  }
}

/** A service that does not listen has pages nowhere: only tests see this. */
const NOWHERE = 'http://localhost'

const WATCHED_ROUTES: WatchedRoute[] = [
  {
    method: 'POST',
    route: BASE_PATH + OPERATIONS.createPayment.path,
    histogram: { name: 'karba_payment_create_seconds', help: 'Time to record a payment, from request to answer.' },
  },
  {
    method: 'GET',
    route: BASE_PATH + OPERATIONS.readPayment.path,
    histogram: { name: 'karba_payment_read_seconds', help: 'Time to read a payment, from request to answer.' },
  },
]

export async function openService(config: Config, replace: Replaceable = {}): Promise<Service> {
  const metrics = makeMetrics(WATCHED_ROUTES)
  const ownsFile = isSqlite(config) && replace.store === undefined
  const unlock = ownsFile ? openFile(config, lockSqliteFile) : () => {}
  try {
    const foundation = await openFoundation(config, { ...replace, watch: metrics })
    const { db, clock, chance } = foundation
    const log = replace.log ?? makeLog(config.logLevel)
    const app = makeServer({
      log,
      metrics,
      makeRequestId: requestIds(chance),
      trustProxy: config.trustProxy,
      opaquePaths: [`${BASE_PATH}/payments/`, BASE_PATH + READ_LINK_PATH],
    })
    health(app, { db, metrics, metricsToken: config.metricsToken })
    // The file is locked by us alone: what was being delivered when the last process died goes on at once.
    if (ownsFile) await freeAllLanes(db, clock.now())
    const deliveries = openDeliveries({ foundation, log, metrics, sender: replace.sender })
    const connect = replace.connect ?? connectOperators
    // On a clock of a test's own, what the machine does besides means nothing.
    const hasNoTime = replace.clock === undefined ? watchSpareTime() : () => false
    const isBusy = () => app.underWay() > 0 && hasNoTime()
    const worker = await openWorker({ foundation, app, log, metrics, connect, told: deliveries.wake, isBusy })
    const { desk, operators } = worker
    operatorApi(app, { db, clock, operators, desk })
    if (config.role !== 'worker') openMerchantDoors(app, foundation, worker)
    const close = async () => {
      await worker.stopLooking()
      await app.close()
      await worker.leave()
      await deliveries.stop()
      await db.close()
      unlock()
    }
    return { ...foundation, app, log, desk, close }
  } catch (error) {
    unlock()
    throw error
  }
}

/** What merchants, payers and merchants' sites come in by. */
function openMerchantDoors(app: FastifyInstance, foundation: Foundation, worker: Worker): void {
  const { config, db, clock, chance, hashKey, publicReferenceKey } = foundation
  const { desk, leaseMs, settle, nextStoryEntry } = worker
  const { operatorFor, linkMethods, hosted } = worker.operators
  const { publicRate } = config
  const pageUrl = (reference: string) => `${config.publicUrl || (addressOf(app) ?? NOWHERE)}/pay/${reference}`
  const ownDesk = config.role === 'all' ? desk : undefined
  const shared = { db, clock, chance, desk: ownDesk, leaseMs, operatorFor, linkMethods, pageUrl, publicRate }
  const making = { ...shared, publicReferenceKey, nextNumber: numbersFor(db, 'payment_number') }
  merchantApi(app, { ...making, authenticate: authenticator(db, clock, hashKey) })
  checkoutButton(app, { ...making, hashKey, wire: { errors: ERRORS, readLinkBody, createdLinkBody } })
  const simulated = simulatedEnvironments(config)
  checkout(app, {
    ...shared,
    hosted,
    settle,
    nextStoryEntry,
    isSimulated: (environment) => simulated.includes(environment),
    askNow: async (reference) => {
      const payment = await findInHand(db, reference)
      if (payment !== undefined) await desk.ask(payment)
    },
  })
  simulatorPages(app, simulatedProvider({ db, clock }))
}

async function openDatabase(config: Config, clock: Clock, watch: StoreWatch): Promise<Database> {
  if (isSqlite(config)) return openFile(config, (file) => openSqlite(file, watch))
  const db = openPostgres({
    url: config.databaseUrl,
    poolSize: config.postgresPool,
    watch,
    now: () => clock.now(),
    pause: (ms) => pause(ms),
  })
  try {
    await db.ping()
    return db
  } catch (error) {
    await db.close()
    const why = ((error as Error).cause as { code?: string; message?: string } | undefined) ?? (error as Error)
    // Not the driver's whole message: it may repeat the address.
    throw new SettingRefused(
      `The PostgreSQL of DATABASE_URL cannot be used (${'code' in why ? why.code : why.message}).`,
      {
        cause: error,
      },
    )
  }
}

const isSqlite = (config: Config): boolean => config.databaseUrl.startsWith('sqlite:')

/** Opens the SQLite file of the settings, its folder made where it was missing. */
function openFile<T>(config: Config, open: (file: string) => T): T {
  const file = config.databaseUrl.slice('sqlite:'.length)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    return open(file)
  } catch (error) {
    if (error instanceof StoreInUse) throw error
    const sentence = `DATABASE_URL names ${file}, which cannot be used: ${(error as Error).message}.`
    throw new SettingRefused(sentence, { cause: error })
  }
}

/** What makes this database this one: its key for public references, and the proof that the master key is its own. */
async function settleIdentity(db: Database, master: MasterKey, chance: Chance): Promise<string> {
  const check = createHmac('sha256', master.derive('check')).update('karba').digest('hex')
  const publicReferenceKey = Buffer.from(chance.bytes(16)).toString('hex')
  return db.transaction(async (tx) => {
    if ((await settleFact(tx, 'master_key_check', check)) !== check) {
      throw new SettingRefused(
        'This database belongs to another master key. Set KARBA_MASTER_KEY, or KARBA_DATA_DIR to the folder with its master.key.',
      )
    }
    return settleFact(tx, 'public_reference_key', publicReferenceKey)
  })
}

/** Told apart by a random beginning for each process and a count. */
function requestIds(chance: Chance): () => string {
  const process = Buffer.from(chance.bytes(6)).toString('hex')
  let count = 0
  return () => `req_${process}${(++count).toString(36)}`
}
