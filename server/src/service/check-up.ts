// Checks an installation: what is right, what should be repaired, and what must be repaired before
// real money moves. `karba doctor` shows all findings. A start in production refuses dangerous ones
// and logs the others.
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { type DemoCredentials, findDemoCredentials } from '../actions/people/demo-people.ts'
import { type Config, SettingRefused } from '../config.ts'
import type { ConnectionKey } from '../domain/operators/connection-key.ts'
import { listCutOff } from '../store/books/take-backs.ts'
import type { Database } from '../store/engine/database.ts'
import { postgresFaults, sqliteDamages } from '../store/engine/engine-faults.ts'
import { readHosts } from '../store/engine/postgres-pool.ts'
import { listConnectionRefusals, listHealth } from '../store/operators/connections.ts'
import { findFact } from '../store/service/service-facts.ts'
import type { NotedFact } from './backup.ts'
import { operatorsFileOf } from './connect-operators.ts'
import { findSharedConnections, isInstalledIn, type SharedConnection } from './connections.ts'
import { fileIn } from './master-key.ts'
import { connectionRoom, isShort, openFileLimit } from './readiness.ts'
import { fileOf, isSqlite } from './runtime.ts'
import { MOST_OFF_MS } from './store-clock.ts'

export type CheckName = keyof typeof SETTING_CHECKS | keyof typeof CHECKS

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
const DAY_MS = 24 * HOUR_MS
const LATEST_BACKUP_MS = 36 * HOUR_MS
const LATEST_DRILL_MS = 100 * DAY_MS
/** A certificate is renewed a month before its end. */
const CERTIFICATE_LEFT_MS = 14 * DAY_MS
const ASK_MS = 5_000
const LEAST_FREE_BYTES = 1024 ** 3

const isProduction = ({ mode }: Config): boolean => mode === 'production'

const SETTING_CHECKS = {
  mode: (config) => (isProduction(config) ? right() : warning(config.mode)),
  // Keys and payers' numbers would travel unencrypted.
  public_url: (config) => {
    if (config.publicUrl.startsWith('https:')) return right(config.publicUrl)
    return isProduction(config) ? dangerous() : warning()
  },
  proxies: (config) =>
    config.trustProxy !== '' || !isProduction(config) ? right(config.trustProxy) : warning(),
  metrics: (config) => (config.metricsToken !== '' || !isProduction(config) ? right() : warning()),
  mail: (config) => (config.smtpUrl !== '' || !isProduction(config) ? right() : warning()),
} as const satisfies Record<string, (config: Config) => Judged>

/** The findings that follow from the settings alone. */
export const checkSettings = (config: Config): CheckResult[] =>
  Object.entries(SETTING_CHECKS).map(([name, check]) => ({
    name: name as CheckName,
    ...check(config),
  }))

/** `now` is of this machine's own clock. */
const CHECKS = {
  reachable: checkReachable,
  metrics_closed: checkMetricsClosed,
  file_modes: checkFileModes,
  file_owners: checkFileOwners,
  database_tls: checkTls,
  data_checksums: (config, db) => warnIfOff(config, db, 'data_checksums'),
  autovacuum: (config, db) => warnIfOff(config, db, 'autovacuum'),
  standby: checkStandby,
  store: checkStore,
  clock: checkClock,
  time_service: checkTimeService,
  disk: checkDisk,
  open_files: checkOpenFiles,
  operators: checkOperators,
  shared_connections: checkShared,
  refused_connections: checkRefusals,
  backup: checkBackup,
  drill: (_config, db, now) => judgeAge(db, 'last_drill_at', now(), LATEST_DRILL_MS),
  demo: checkDemo,
  imports: checkImports,
} as const satisfies Record<
  string,
  (config: Config, db: Database, now: () => number) => Judged | Promise<Judged>
>

export async function checkUp(
  config: Config,
  db: Database,
  now: () => number,
): Promise<CheckResult[]> {
  const results = await settingsWithFacts(config, db)
  for (const [name, check] of Object.entries(CHECKS))
    results.push({ name: name as CheckName, ...(await check(config, db, now)) })
  return results
}

/** When a proxy was seen that is not listed, the finding names it. */
async function settingsWithFacts(config: Config, db: Database): Promise<CheckResult[]> {
  const unlisted = await findFact(db, 'unlisted_proxy')
  return checkSettings(config).map((result) =>
    result.name === 'proxies' &&
    unlisted !== undefined &&
    !config.trustProxy.split(',').includes(unlisted)
      ? { name: 'proxies', ...warning(unlisted) }
      : result,
  )
}

/**
 * From this machine, as a merchant asks; a network that does not lead back to its own public
 * address is a warning.
 */
async function checkReachable(
  { publicUrl }: Config,
  _db: Database,
  now: () => number,
): Promise<Judged> {
  if (!publicUrl.startsWith('https:')) return right()
  const answer = await ask(`${publicUrl}/healthz`)
  if (answer.code !== '200') return warning(answer.code)
  const leftMs = answer.certificateEnds - now()
  const days = `${Math.max(0, Math.floor(leftMs / DAY_MS))} days`
  return leftMs < CERTIFICATE_LEFT_MS ? warning(days) : right(days)
}

async function checkMetricsClosed({ publicUrl }: Config): Promise<Judged> {
  if (!publicUrl.startsWith('https:')) return right()
  const { code } = await ask(`${publicUrl}/metrics`)
  return code === '200' ? warning() : right(/^\d+$/.test(code) ? '' : code)
}

/** The status, or the code of the error; the body is not read. */
function ask(url: string): Promise<{ code: string; certificateEnds: number }> {
  return new Promise((resolve) => {
    const asked = request(url, { signal: AbortSignal.timeout(ASK_MS), agent: false }, (answer) => {
      const { valid_to: ends = '' } = (answer.socket as TLSSocket).getPeerCertificate()
      resolve({ code: String(answer.statusCode), certificateEnds: Date.parse(ends) })
      answer.destroy()
    })
    asked.on('error', ({ name, code = name }: NodeJS.ErrnoException) =>
      resolve({ code, certificateEnds: 0 }),
    )
    asked.end()
  })
}

function secretFiles(config: Config): string[] {
  if (process.platform === 'win32') return []
  const database = isSqlite(config)
    ? ['', '-wal', '-shm'].map((suffix) => `${fileOf(config)}${suffix}`)
    : []
  return [fileIn(config.dataDir), ...database]
}

/** A running server goes on with them. */
async function checkImports(_config: Config, db: Database): Promise<Judged> {
  const files = await listCutOff(db, 3)
  return files.length === 0 ? right() : warning(files.map(({ fileId }) => fileId).join(', '))
}

export function checkFileModes(config: Config): Judged {
  const isOpen = (file: string): boolean =>
    ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0
  const open = secretFiles(config).filter(isOpen)
  return open.length === 0 ? right() : dangerous(open.join(' '))
}

/** A command of root creates files that the service's own user cannot open. */
function checkFileOwners(config: Config): Judged {
  const owner = statSync(config.dataDir, { throwIfNoEntry: false })?.uid
  const foreign = secretFiles(config).filter((file) => {
    const uid = statSync(file, { throwIfNoEntry: false })?.uid
    return uid !== undefined && uid !== owner
  })
  return foreign.length === 0 ? right() : warning(foreign.join(' '))
}

async function settingOf(config: Config, db: Database, name: string): Promise<string | undefined> {
  if (isSqlite(config)) return undefined
  const [row] = await db.read<{ setting: string }>('select current_setting(:name) as setting', {
    name,
  })
  return row?.setting
}

const warnIfOff = async (config: Config, db: Database, name: string): Promise<Judged> =>
  (await settingOf(config, db, name)) === 'off' ? warning() : right()

/** Several hosts without a synchronous standby: a fail-over loses acknowledged payments. */
async function checkStandby(config: Config, db: Database): Promise<Judged> {
  if (readHosts(config.databaseUrl).count === 1) return right()
  return (await settingOf(config, db, 'synchronous_standby_names')) === '' ? dangerous() : right()
}

async function checkTls(config: Config, db: Database): Promise<Judged> {
  if (isSqlite(config)) return right()
  const host = /@([^/?]*)/.exec(config.databaseUrl)?.[1] ?? ''
  const isHere = host
    .split(',')
    .every((each) => /^(localhost|127\.[\d.]+|\[::1\])?(:\d+)?$/.test(each))
  const [row] = await db.read<{ ssl: boolean }>(
    'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
  )
  return row?.ssl || isHere ? right() : warning()
}

async function checkStore(config: Config, db: Database): Promise<Judged> {
  const [damage] = await (isSqlite(config) ? sqliteDamages : postgresFaults)(db)
  return damage === undefined ? right() : dangerous(damage)
}

async function checkClock(_config: Config, db: Database, now: () => number): Promise<Judged> {
  const before = now()
  const storeTime = await db.time()
  const offMs = Math.round((before + now()) / 2 - storeTime)
  const found = `${(offMs / 1_000).toFixed(1)} s`
  return Math.abs(offMs) > MOST_OFF_MS ? dangerous(found) : right(found)
}

/**
 * Systemd asks the kernel, whichever time service runs. Where it cannot be asked, nothing is known.
 */
async function checkTimeService(): Promise<Judged> {
  const args = ['show', '--property=NTPSynchronized', '--value']
  const answer = await promisify(execFile)('timedatectl', args, { timeout: ASK_MS }).catch(() => ({
    stdout: '',
  }))
  const isSet = answer.stdout.trim()
  return isSet === 'no' ? warning() : right(isSet)
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
    if (!isProduction(config)) return right([...names, ...config.operators].join(', '))
    return connections.some(({ environment }) => environment === 'live')
      ? right(names.join(', '))
      : warning()
  } catch (error) {
    if (error instanceof SettingRefused) return dangerous(error.message)
    throw error
  }
}

/** Only a licensed company may hold the money of several merchants in one wallet. */
async function checkShared(config: Config, db: Database): Promise<Judged> {
  const shared = await findSharedConnections(config, db)
  return shared.length === 0 ? right() : warning(describeShared(shared))
}

export const describeShared = (shared: readonly SharedConnection[]): string =>
  shared.map(({ name, merchants }) => `live/${name}: ${merchants} merchants`).join(', ')

/** The installation's connections that take no payments, and those whose last call was refused. */
async function checkRefusals(config: Config, db: Database): Promise<Judged> {
  const refused = (await listConnectionRefusals(db)).filter(isInstalledIn(config))
  const isRefused = ({ environment, connection }: ConnectionKey): boolean =>
    refused.some((each) => each.environment === environment && each.connection === connection)
  const seen = (await listHealth(db)).filter(
    (each) => each.misconfigured === 1 && !isRefused(each) && isInstalledIn(config)(each),
  )
  const found = [
    ...refused.map(
      (each) => `${each.environment}/${each.connection} (${each.operator}): ${each.why}`,
    ),
    ...seen.map(({ environment, connection, why }) => `${environment}/${connection}: ${why ?? ''}`),
  ]
  return found.length === 0 ? right() : warning(found.join('; '))
}

async function checkBackup(config: Config, db: Database, now: () => number): Promise<Judged> {
  const archive = isSqlite(config) ? 'off' : await archiveOf(db)
  if (archive !== 'off') return archive === 'works' ? right() : warning('archive')
  return judgeAge(db, 'last_backup_at', now(), LATEST_BACKUP_MS)
}

async function judgeAge(
  db: Database,
  fact: NotedFact,
  now: number,
  latestMs: number,
): Promise<Judged> {
  const at = Number(await findFact(db, fact))
  if (!(at > 0)) return warning()
  const hours = Math.max(0, Math.round((now - at) / HOUR_MS))
  const found = hours < 72 ? `${hours} h` : `${Math.round(hours / 24)} days`
  return now - at > latestMs ? warning(found) : right(found)
}

/** PostgreSQL's archive of its write-ahead log, which with a base backup loses nothing. */
async function archiveOf(db: Database): Promise<'off' | 'works' | 'fails'> {
  const [row] = await db.read<{ isOn: boolean; isFailing: boolean }>(
    `select current_setting('archive_mode') <> 'off' as "isOn",
       coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as "isFailing"
       from pg_stat_archiver`,
  )
  if (row?.isOn !== true) return 'off'
  return row.isFailing ? 'fails' : 'works'
}

async function checkDemo(config: Config, db: Database, now: () => number): Promise<Judged> {
  const demo = await findDemoCredentials({ db, clock: { now } })
  if (demo === undefined) return right()
  const found = describeDemo(demo)
  return isProduction(config) ? dangerous(found) : warning(found)
}

/** The people by their addresses, the keys by their number. */
export const describeDemo = ({ emails, keys }: DemoCredentials): string =>
  [...emails, ...(keys === 0 ? [] : [`${keys} keys`])].join(', ')
