// Checks an installation: what is right, what should be repaired, and what must be repaired before real money moves.
// `karba doctor` shows all findings. A start in production refuses dangerous ones and logs the others.
import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type DemoCredentials, findDemoCredentials } from '../actions/people/demo-people.ts'
import { type Config, SettingRefused } from '../config.ts'
import type { ConnectionKey } from '../domain/operator-report.ts'
import type { Database } from '../store/engine/database.ts'
import { postgresFaults, sqliteDamages } from '../store/engine/engine-faults.ts'
import { listConnectionRefusals, listHealth } from '../store/operators/connections.ts'
import { findFact } from '../store/service/service-facts.ts'
import { operatorsFileOf } from './connect-operators.ts'
import { isConnectedIn } from './connections.ts'
import { connectionRoom, isShort, openFileLimit } from './readiness.ts'
import { isSqlite } from './runtime.ts'
import { MOST_OFF_MS } from './store-clock.ts'

export type CheckName =
  | 'mode'
  | 'public_url'
  | 'proxies'
  | 'metrics'
  | 'file_modes'
  | 'database_tls'
  | 'store'
  | 'clock'
  | 'disk'
  | 'open_files'
  | 'operators'
  | 'refused_connections'
  | 'mail'
  | 'backup'
  | 'demo'

export interface CheckResult {
  name: CheckName
  is: 'right' | 'warning' | 'dangerous'
  /** The details shown to people: an address, a number of hours, names of files. */
  found: string
}

type Judged = Omit<CheckResult, 'name'>

const right = (found = ''): Judged => ({ is: 'right', found })
const warning = (found = ''): Judged => ({ is: 'warning', found })
const dangerous = (found = ''): Judged => ({ is: 'dangerous', found })

const HOUR_MS = 3_600_000
const LATEST_BACKUP_MS = 36 * HOUR_MS
const LEAST_FREE_BYTES = 1024 ** 3

/** The findings that follow from the settings alone. */
export function checkSettings(config: Config): CheckResult[] {
  const isProduction = config.mode === 'production'
  const isHttps = config.publicUrl.startsWith('https:')
  return [
    { name: 'mode', ...(isProduction ? right() : warning(config.mode)) },
    // Keys and payers' numbers would travel unencrypted.
    { name: 'public_url', ...(isHttps ? right(config.publicUrl) : isProduction ? dangerous() : warning()) },
    { name: 'proxies', ...(config.trustProxy !== '' || !isProduction ? right(config.trustProxy) : warning()) },
    { name: 'metrics', ...(config.metricsToken !== '' || !isProduction ? right() : warning()) },
    { name: 'mail', ...(config.smtpUrl !== '' || !isProduction ? right() : warning()) },
  ]
}

export interface CheckUpDeps {
  config: Config
  db: Database
  /** This machine's own clock. */
  machineTime(): number
}

/** All checks: settings, files, database and machine. */
export async function checkUp({ config, db, machineTime }: CheckUpDeps): Promise<CheckResult[]> {
  return [
    ...(await settingsWithFacts(config, db)),
    { name: 'file_modes', ...checkFileModes(config) },
    { name: 'database_tls', ...(await checkTls(config, db)) },
    { name: 'store', ...(await checkStore(config, db)) },
    { name: 'clock', ...(await checkClock(db, machineTime)) },
    { name: 'disk', ...(await checkDisk(config)) },
    { name: 'open_files', ...checkOpenFiles(config) },
    { name: 'operators', ...checkOperators(config) },
    { name: 'refused_connections', ...(await checkRefusals(config, db)) },
    { name: 'backup', ...(await checkBackup(config, db, machineTime())) },
    { name: 'demo', ...(await checkDemo(config, db, machineTime)) },
  ]
}

/** When a proxy was seen that is not listed, the finding names it. */
async function settingsWithFacts(config: Config, db: Database): Promise<CheckResult[]> {
  const unlisted = await findFact(db, 'unlisted_proxy')
  return checkSettings(config).map((result) =>
    result.name === 'proxies' && unlisted !== undefined && !config.trustProxy.split(',').includes(unlisted)
      ? { name: 'proxies', ...warning(unlisted) }
      : result,
  )
}

export function checkFileModes(config: Config): Judged {
  if (process.platform === 'win32') return right()
  const database = config.databaseUrl.slice('sqlite:'.length)
  const files = [
    join(config.dataDir, 'master.key'),
    ...(isSqlite(config) ? [database, `${database}-wal`, `${database}-shm`] : []),
  ]
  const open = files.filter((file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
  return open.length === 0 ? right() : dangerous(open.join(' '))
}

async function checkTls(config: Config, db: Database): Promise<Judged> {
  if (isSqlite(config)) return right()
  const host = /@([^/?]*)/.exec(config.databaseUrl)?.[1] ?? ''
  const isHere = host.split(',').every((each) => /^(localhost|127\.[\d.]+|\[::1\])?(:\d+)?$/.test(each))
  const [row] = await db.rows<{ ssl: boolean }>('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
  return row?.ssl || isHere ? right() : warning()
}

async function checkStore(config: Config, db: Database): Promise<Judged> {
  const [damage] = await (isSqlite(config) ? sqliteDamages : postgresFaults)(db)
  return damage === undefined ? right() : dangerous(damage)
}

async function checkClock(db: Database, machineTime: () => number): Promise<Judged> {
  const before = machineTime()
  const storeTime = await db.time()
  const offMs = Math.round((before + machineTime()) / 2 - storeTime)
  const found = `${(offMs / 1_000).toFixed(1)} s`
  return Math.abs(offMs) > MOST_OFF_MS ? dangerous(found) : right(found)
}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

async function checkDisk({ dataDir }: Config): Promise<Judged> {
  const free = await freeBytes(dataDir)
  const found = `${(free / 1024 ** 3).toFixed(1)} GiB`
  return free < LEAST_FREE_BYTES ? warning(found) : right(found)
}

/** Of this process: a server that is started in the same way has the same limit. */
function checkOpenFiles(config: Config): Judged {
  const room = connectionRoom(config, openFileLimit())
  const { most, wanted, limit } = room
  return isShort(room) ? warning(`${most}/${wanted}, ulimit -n ${limit}`) : right(String(wanted))
}

function checkOperators(config: Config): Judged {
  try {
    const { connections } = operatorsFileOf(config)
    const names = connections.map(({ environment, name }) => `${environment}/${name}`)
    if (config.mode !== 'production') return right([...names, ...config.operators].join(', '))
    return connections.some(({ environment }) => environment === 'live') ? right(names.join(', ')) : warning()
  } catch (error) {
    if (error instanceof SettingRefused) return dangerous(error.message)
    throw error
  }
}

/** Connections that take no payments, and those whose last call was refused. */
async function checkRefusals(config: Config, db: Database): Promise<Judged> {
  const refused = (await listConnectionRefusals(db)).filter(isConnectedIn(config))
  const isRefused = ({ environment, connection }: ConnectionKey): boolean =>
    refused.some((each) => each.environment === environment && each.connection === connection)
  const seen = (await listHealth(db)).filter(
    (each) => each.misconfigured === 1 && !isRefused(each) && isConnectedIn(config)(each),
  )
  const found = [
    ...refused.map(
      ({ environment, connection, operator, why }) => `${environment}/${connection} (${operator}): ${why}`,
    ),
    ...seen.map(({ environment, connection, why }) => `${environment}/${connection}: ${why ?? ''}`),
  ]
  return found.length === 0 ? right() : warning(found.join('; '))
}

async function checkBackup(config: Config, db: Database, now: number): Promise<Judged> {
  if (!isSqlite(config)) return right()
  const at = Number(await findFact(db, 'last_backup_at'))
  if (!(at > 0)) return warning()
  const found = `${Math.max(0, Math.round((now - at) / HOUR_MS))} h`
  return now - at > LATEST_BACKUP_MS ? warning(found) : right(found)
}

async function checkDemo({ mode }: Config, db: Database, now: () => number): Promise<Judged> {
  const demo = await findDemoCredentials({ db, clock: { now } })
  if (demo === undefined) return right()
  const found = describeDemo(demo)
  return mode === 'production' ? dangerous(found) : warning(found)
}

/** The people by their addresses, the keys by their number. */
export const describeDemo = ({ emails, keys }: DemoCredentials): string =>
  [...emails, ...(keys === 0 ? [] : [`${keys} keys`])].join(', ')
