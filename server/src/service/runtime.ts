// Opens what every process needs: the store, the secrets, the clock and random. Commands need no
// more; compose.ts builds a server on it. The only file that uses the real clock and real
// randomness.
import { randomFillSync } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../actions/deps.ts'
import { type Config, SettingRefused } from '../config.ts'
import {
  type Clock,
  type MachineClock,
  NO_JUMP,
  type Random,
  type ServiceClock,
} from '../domain/clock-and-random.ts'
import { CODE_KEY_BYTES, publicReferences } from '../domain/payments/reference.ts'
import type { Passwords } from '../domain/people/password.ts'
import type { MasterBox } from '../domain/sealed-box.ts'
import { type StatementParser, statementParser } from '../statements/statement-parser.ts'
import { SALT_KEY } from '../store/audit/audit-log.ts'
import {
  type Database,
  StoreDamaged,
  StoreOutcomeUnknown,
  StoreUnavailable,
  type StoreWatch,
} from '../store/engine/database.ts'
import { postgresFaults, sqliteFaults } from '../store/engine/engine-faults.ts'
import {
  DatabaseIsNewer,
  DatabaseIsOlder,
  DatabaseOfOtherBuild,
  hasTables,
  type Migration,
  MigrationChanged,
  migrate,
  migrateIfEmpty,
} from '../store/engine/migrate.ts'
import { openSqlite } from '../store/engine/sqlite.ts'
import { asStoreError as asSqliteError, isOfDisk } from '../store/engine/sqlite-connection.ts'
import { onlyPathOf, StoreInUse } from '../store/engine/sqlite-files.ts'
import { listRetiredHashingKeys, MASTER_KEY_CHECK } from '../store/master-key/sealed-values.ts'
import { paymentNumbers, storyNumbers, writeFactOnce } from '../store/service/service-facts.ts'
import {
  boxOf,
  loadMasterKey,
  type MasterKey,
  masterKeyCheck,
  openKeyHasher,
} from './master-key.ts'
import { passwordHasher } from './password-hasher.ts'
import { type ClockDifference, followStore, type StoreClock } from './store-clock.ts'

export const realClock: MachineClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms).unref()
    return () => clearTimeout(timer)
  },
}
/**
 * For a command: its timers keep the process alive, so that it cannot end while it waits for one.
 */
export const keepAliveClock: MachineClock = {
  ...realClock,
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}
export const realPause = (ms: number): Promise<void> => pause(ms)

export interface Runtime extends Deps {
  config: Config
  clock: ServiceClock
  /** Seals the secrets of people's authenticator apps. */
  totpSecrets: MasterBox
  passwords: Passwords
  refundApprovalAbove: number
  master: MasterKey
  /** Damage that the engine finds in its own files. */
  engineFaults(): Promise<string[]>
  close(): Promise<void>
}

export interface RuntimeOverrides {
  /** Instead of the clock of a server, whose sockets and not its timers keep it alive. */
  machineClock?: MachineClock
  /** Instead of a clock that follows the store's. */
  clock?: Clock & Partial<ServiceClock>
  /**
   * Called when this machine's clock begins to differ from the store's, and when it agrees again.
   */
  clockChanged?(difference: ClockDifference): void
  random?: Random
  /** Replaces the hasher with OWASP's recommended cost. */
  passwords?: Passwords
  /** Instead of that of the settings. */
  master?: MasterKey
  watch?: StoreWatch
  /** Instead of a parser whose threads nobody waits for. */
  openParser?(clock: MachineClock): StatementParser
  /** Instead of the store of the settings. */
  store?: Database
  /**
   * False for a command, which may be newer than the running server. An empty database is still set
   * up.
   */
  mayMigrate?: false
  /** False where a missing store must not be created. */
  mayCreate?: boolean
  /** Called when a command has made the store: a mistyped address makes one too. */
  created?(place: string): void
  /** Instead of those of this version. */
  migrations?: readonly Migration[]
  /** How many payment numbers to reserve at once: a command that makes one payment reserves one. */
  numbersAtOnce?: number
}

export async function openRuntime(
  config: Config,
  overrides: RuntimeOverrides = {},
): Promise<Runtime> {
  const random = overrides.random ?? realRandom
  const isNeeded = overrides.mayCreate === false
  if (isNeeded && isSqlite(config) && !existsSync(fileOf(config))) throw noStore(config)
  const watch = overrides.watch ?? { committed: () => {} }
  const db = overrides.store ?? (await openDatabase(config, watch))
  let clock: StoreClock | undefined
  try {
    clock = await clockOf(db, overrides)
    if (isNeeded && !(await hasTables(db))) throw noStore(config)
    // Only now: without a store, a read-only command must not create a key either.
    const master = overrides.master ?? loadMasterKey(config.masterKey, config.dataDir, random)
    const { mayMigrate = true, migrations } = overrides
    if (mayMigrate) await migrate(db, clock.now(), migrations)
    else if (await migrateIfEmpty(db, clock.now(), migrations)) overrides.created?.(placeOf(config))
    const codeKey = await checkIdentity(db, master, random)
    const parser = (overrides.openParser ?? statementParser)(realClock)
    return {
      config,
      clock,
      random,
      db,
      master,
      refundApprovalAbove: config.refundApprovalAbove,
      hashKey: openKeyHasher(master, random, await listRetiredHashingKeys(db)),
      orderKeys: boxOf(master, 'order keys', random),
      keptSecrets: boxOf(master, 'sandbox secrets', random),
      keptFiles: boxOf(master, 'statement files', random),
      statementParser: parser,
      archives: boxOf(master, 'archives', random),
      totpSecrets: boxOf(master, 'totp secrets', random),
      passwords: overrides.passwords ?? passwordHasher(random),
      publicReferences: publicReferences(codeKey),
      nextNumber: paymentNumbers(db, clock, overrides.numbersAtOnce),
      nextStoryEntry: storyNumbers(db),
      engineFaults: () => (isSqlite(config) ? sqliteFaults : postgresFaults)(db),
      close: async () => {
        clock?.stop()
        await parser.close()
        await db.close()
      },
    }
  } catch (error) {
    clock?.stop()
    await db.close()
    throw error
  }
}

/** The file of a store on SQLite. */
export const fileOf = (config: Pick<Config, 'databaseUrl'>): string =>
  config.databaseUrl.slice('sqlite:'.length)

/** The file, or the host and name of the database: an address may hold a password. */
function placeOf(config: Config): string {
  if (isSqlite(config)) return fileOf(config)
  const { host, pathname } = URL.parse(config.databaseUrl) ?? {}
  return `the PostgreSQL database ${decodeURIComponent(pathname?.slice(1) || 'of DATABASE_URL')}${host ? ` on ${host}` : ''}`
}

function noStore(config: Config): SettingRefused {
  const place = isSqlite(config) ? fileOf(config) : 'the PostgreSQL of DATABASE_URL'
  return new SettingRefused(
    `There is no store at ${place} yet. Start the server, or make the first merchant: karba merchant create --name "…".`,
  )
}

async function clockOf(
  db: Database,
  { clock, clockChanged, machineClock = realClock }: RuntimeOverrides,
): Promise<StoreClock> {
  if (clock === undefined) return followStore(machineClock, () => db.time(), clockChanged)
  return { isRight: () => true, lastJump: () => NO_JUMP, ...clock, stop: () => {} }
}

async function openDatabase(config: Config, watch: StoreWatch): Promise<Database> {
  if (isSqlite(config)) return openFile(config, (file) => openSqlite(file, watch, realPause))
  // Not imported by a process on SQLite: the driver takes several megabytes.
  const { openPostgres } = await import('../store/engine/postgres.ts')
  const { settingsThatLose, sharesSessions } = await import('../store/engine/postgres-pool.ts')
  const db = openPostgres({
    url: config.databaseUrl,
    poolSize: config.postgresPool,
    watch,
    now: () => realClock.monotonic(),
    pause: realPause,
  })
  try {
    refuseUnsafe(config, await settingsThatLose(db), watch)
    if (await sharesSessions(config.databaseUrl)) throw new SettingRefused(SHARED_SESSIONS)
    return db
  } catch (error) {
    await db.close()
    if (error instanceof SettingRefused) throw error
    const why =
      ((error as Error).cause as { code?: string; message?: string } | undefined) ??
      (error as Error)
    // Not the driver's whole message: it may repeat the address, which holds the password.
    throw new SettingRefused(
      `The PostgreSQL of DATABASE_URL cannot be used (${'code' in why ? why.code : why.message}).`,
      { cause: error },
    )
  }
}

const SHARED_SESSIONS =
  'DATABASE_URL leads to a pooler that does not keep sessions apart, such as PgBouncer with pool_mode = transaction. Karba’s time limits and its commit setting would be lost there: set pool_mode = session, or connect to PostgreSQL directly.'

/**
 * An acknowledged payment must survive a power cut of the database's machine; a developer's may do
 * without.
 */
function refuseUnsafe({ mode }: Config, settings: readonly string[], watch: StoreWatch): void {
  if (settings.length === 0) return
  const sentence = `The PostgreSQL of DATABASE_URL would lose acknowledged payments in a power cut: set ${settings.join(' and ')} to on in its postgresql.conf and reload it.`
  if (mode === 'production') throw new SettingRefused(sentence)
  watch.warn?.(sentence)
}

export const isSqlite = (config: Config): boolean => config.databaseUrl.startsWith('sqlite:')

/** Opens the SQLite file of the settings, and makes its folder if it is missing. */
export function openFile<T>(config: Pick<Config, 'databaseUrl'>, open: (file: string) => T): T {
  const file = fileOf(config)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    return open(onlyPathOf(file))
  } catch (error) {
    if (error instanceof StoreInUse) throw error
    const sentence = `DATABASE_URL names ${file}, which cannot be used: ${sqliteMessageOf(error)}.`
    throw new SettingRefused(sentence, { cause: error })
  }
}

const sqliteMessageOf = (error: unknown): string => {
  const fault = asSqliteError(error)
  return (fault instanceof StoreDamaged || isOfDisk(error) ? (fault as Error) : (error as Error))
    .message
}

/**
 * The fact that holds the database's key for public references: written once, and from then on part
 * of every code.
 */
export const CODE_KEY = 'public_reference_key'

export class WrongMasterKey extends SettingRefused {
  override name = 'WrongMasterKey'
}

/**
 * Checks that the master key belongs to this database, and returns the database's key for public
 * references.
 */
async function checkIdentity(db: Database, master: MasterKey, random: Random): Promise<string> {
  const check = masterKeyCheck(master)
  const codeKey = Buffer.from(random.bytes(CODE_KEY_BYTES)).toString('hex')
  return db.transaction(async (tx) => {
    if ((await writeFactOnce(tx, MASTER_KEY_CHECK, check)) !== check) {
      throw new WrongMasterKey(
        'This database belongs to another master key. Set KARBA_MASTER_KEY, or KARBA_DATA_DIR to the folder with its master.key. If a rotation was interrupted, `karba master-key rotate` finishes it.',
      )
    }
    await writeFactOnce(tx, SALT_KEY, Buffer.from(random.bytes(32)).toString('hex'))
    return writeFactOnce(tx, CODE_KEY, codeKey)
  })
}

/** Why a start or a command could not begin, when the person who runs it can correct that. */
type StartRefusal = 'not_started' | 'store_unavailable' | 'store_outcome_unknown'

const NOT_STARTED = [
  SettingRefused,
  DatabaseIsNewer,
  DatabaseIsOlder,
  DatabaseOfOtherBuild,
  MigrationChanged,
  StoreInUse,
]
const NO_ADDRESS = ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND']

/** Undefined for any other error, which is a bug. */
export function startRefusalOf(error: unknown): StartRefusal | undefined {
  const { cause, code = '' } = error as { cause?: unknown; code?: string }
  if (error instanceof StoreOutcomeUnknown) return 'store_outcome_unknown'
  if (error instanceof StoreUnavailable || cause instanceof StoreUnavailable)
    return 'store_unavailable'
  const isKnown = NOT_STARTED.some((kind) => error instanceof kind) || NO_ADDRESS.includes(code)
  return isKnown ? 'not_started' : undefined
}

/** Whether the error is shown as one sentence, without a stack. */
export const isStartRefusal = (error: unknown): boolean => startRefusalOf(error) !== undefined

export const realRandom: Random = pooledRandom()

/**
 * Random bytes from a pool: asking the system for 15 bytes costs 4 µs, taking them from a pool 0.1.
 */
function pooledRandom(): Random {
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
      // Bytes that were given out are wiped from the pool.
      pool.fill(0, used, used + count)
      used += count
      return taken
    },
  }
}
