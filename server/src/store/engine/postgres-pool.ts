// Connections to PostgreSQL: which server of several, how long they may take, what each session is
// set to, and which of the server's settings must be right.
import pg from 'pg'
import type { Queries } from './database.ts'

/**
 * The server ends a slow statement, a wait for a lock, and a transaction whose process was stopped
 * in the middle of it. We end a call on a connection that has gone silent, a little later, so that
 * the server's own error comes first if there is one. A frozen process blocks the others for as
 * long as its transaction may be idle, and no longer.
 */
const STATEMENT_MS = 8_000
const LOCK_MS = 4_500
/**
 * Of creates and reads, which share one, and are tried again alone: three such waits are a client's
 * patience.
 */
export const LOCK_ALONE_MS = 1_500
const IDLE_IN_TRANSACTION_MS = 4_000
const SILENT_CONNECTION_MS = 9_500
/**
 * For a free connection or a new one: on a very busy machine four seconds were too few for a new
 * one.
 */
const CONNECTION_MS = 5_000

/**
 * Set on each new connection. An acknowledged payment must be on disk, whatever the role or the
 * database is set to: `off` lost some unnoticed, and `local` those that no standby has.
 * `remote_apply` waits for more, and is kept.
 */
const SESSION = `
  set statement_timeout = ${STATEMENT_MS};
  set lock_timeout = ${LOCK_MS};
  set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS};
  select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') <> 'remote_apply'`

/**
 * The server's function that waits until a standby has a commit. It sends a warning when that wait
 * is cancelled, and then reports success although a fail-over would lose the commit. A function's
 * name is never translated.
 */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN'

/** SQLSTATE "transaction resolution unknown": committed here, and perhaps on no standby. */
export const NOT_REPLICATED = '08007'

class NotReplicated extends Error {
  override name = 'NotReplicated'
  readonly code = NOT_REPLICATED
}

type Trust = ReturnType<typeof trustInConnections>

/** Which connections may be used. */
export function trustInConnections() {
  const lossesBefore = new WeakMap<pg.ClientBase, number>()
  const notReplicated = new WeakSet<pg.ClientBase>()
  let losses = 0
  const isTrusted = (client: pg.ClientBase): boolean => lossesBefore.get(client) === losses
  return {
    isTrusted,
    made: (client: pg.ClientBase): void => {
      lossesBefore.set(client, losses)
      client.on(
        'notice',
        ({ routine }) => routine === WAIT_FOR_STANDBY && notReplicated.add(client),
      )
    },
    /**
     * Throws when a commit on this connection is perhaps on no standby, although the server
     * reported success.
     */
    assertReplicated: (client: pg.ClientBase): void => {
      if (notReplicated.has(client))
        throw new NotReplicated('the wait for the synchronous standby was cancelled')
    },
    /**
     * A connection broke. All others may have failed with it, and each would be waited for in turn.
     */
    lost: (client: pg.ClientBase): void => {
      // Connections lost together are one failure: connections made since the first of them stay
      // trusted.
      if (isTrusted(client)) losses++
    },
  }
}

const INT8 = 20

/** int8 is text by default; ours are counts, francs and milliseconds, all below 2^53. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
}

/** `settings` are set on each new connection, in addition to those of every session. */
export function makePool(
  hosts: Hosts,
  trust: Trust,
  options: pg.PoolConfig,
  settings = '',
): pg.Pool {
  const pool = new pg.Pool({
    Client: class extends pg.Client {
      constructor(config: pg.ClientConfig = {}) {
        super({ ...config, connectionString: hosts.current() })
      }
    },
    connectionTimeoutMillis: CONNECTION_MS,
    application_name: 'karba',
    types: TYPES,
    query_timeout: SILENT_CONNECTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    onConnect: async (client) => {
      await client.query(`${SESSION}; ${settings}`)
      // A single server is still read from while it is read-only.
      if (hosts.count > 1) await refuseStandby(client)
    },
    ...options,
  })
  // An idle connection that breaks is replaced at its next use; without a listener Node would end
  // the process.
  pool.on('error', () => {})
  // The pool listens only to idle connections. When one breaks in use, the query that waits for it
  // fails as well.
  pool.on('connect', (client) => {
    trust.made(client)
    client.on('error', () => {})
  })
  return pool
}

/** Which settings are off that keep a commit through a power cut. A session cannot set them. */
export async function settingsThatLose(db: Queries): Promise<string[]> {
  const settings = await db.read<{ name: string }>(
    `select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off'
      order by name`,
  )
  return settings.map(({ name }) => name)
}

/**
 * Whether one session of the server may answer several clients, as behind PgBouncer's transaction
 * mode: what SESSION sets would be lost, or reach other clients. False as well if no server can be
 * reached: the caller finds that out.
 */
export async function sharesSessions(url: string): Promise<boolean> {
  const hosts = readHosts(url)
  for (let tried = 0; tried < hosts.count; tried++) {
    const connectionString = hosts.current()
    const options = {
      connectionString,
      connectionTimeoutMillis: CONNECTION_MS,
      query_timeout: SILENT_CONNECTION_MS,
    }
    const [one, other] = [new pg.Client(options), new pg.Client(options)]
    for (const client of [one, other]) client.on('error', () => {})
    try {
      await Promise.all([one.connect(), other.connect()])
      return await isSessionShared(one, other)
    } catch {
      hosts.failed(connectionString)
    } finally {
      await Promise.allSettled([one.end(), other.end()])
    }
  }
  return false
}

/**
 * `one` marks its session. The other must not find the mark, and `one` must find it while the other
 * is at work.
 */
async function isSessionShared(one: pg.Client, other: pg.Client): Promise<boolean> {
  const { rows } = await one.query(
    "select set_config('karba.mark', clock_timestamp()::text, false) as mark",
  )
  const hasMark = async (client: pg.Client): Promise<boolean> => {
    const found = await client.query("select current_setting('karba.mark', true) as mark")
    return found.rows[0].mark === rows[0].mark
  }
  try {
    await other.query('begin')
  } catch {
    // PgBouncer's statement mode.
    return true
  }
  const isMixed = (await hasMark(other)) || !(await hasMark(one))
  await other.query('rollback')
  return isMixed || !(await hasMark(one))
}

/**
 * How many connections to this database other processes of Karba have: all but those by the
 * caller's own name.
 */
export async function countConnections(db: Queries, ownName: string): Promise<number> {
  const [row] = await db.read<{ connections: number }>(
    `select count(*) as connections from pg_stat_activity
     where datname = current_database() and application_name like 'karba%'
       and application_name <> :ownName`,
    { ownName },
  )
  return Number(row?.connections)
}

const SEVERAL_HOSTS = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?@]*)(.*)$/s

type Hosts = ReturnType<typeof readHosts>

/**
 * The servers of DATABASE_URL, `postgres://user:password@host1:5432,host2:5433/karba`: one of them
 * can be written to, the others are its standbys. Connections go to the one that was writable last.
 * When it cannot be reached or is a standby, the next one is tried.
 */
export function readHosts(url: string) {
  const [, beginning = '', hosts = '', rest = ''] = SEVERAL_HOSTS.exec(url) ?? []
  // A single address stays as it is written, whatever it looks like.
  const addresses = hosts.includes(',')
    ? hosts.split(',').map((host) => `${beginning}${host}${rest}`)
    : [url]
  let at = 0
  return {
    count: addresses.length,
    /** The whole address of the server to connect to. */
    current: () => addresses[at] as string,
    /**
     * This one cannot be used: the next is current, unless another connection has found that out
     * already.
     */
    failed(address: string): void {
      if (addresses[at] === address) at = (at + 1) % addresses.length
    },
  }
}

/** The server takes no writes: it is a standby, or was set to read only. */
class NotWritable extends Error {
  override name = 'NotWritable'
  readonly code = 'read only'
}

async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ writable: boolean }>(
    `select not pg_is_in_recovery()
     and current_setting('transaction_read_only') = 'off' as writable`,
  )
  if (rows[0]?.writable !== true) throw new NotWritable('this server is a standby')
}

/**
 * One connection to the first host that takes writes, without the settings and time limits of the
 * pools' sessions.
 */
export async function connectToPrimary(
  url: string,
): Promise<{ client: pg.Client; address: string }> {
  const hosts = readHosts(url)
  for (let tried = 1; ; tried++) {
    const address = hosts.current()
    const options = {
      connectionString: address,
      connectionTimeoutMillis: CONNECTION_MS,
      keepAlive: true,
    }
    const client = new pg.Client({ ...options, types: TYPES, application_name: 'karba drill' })
    // A connection that breaks fails the query that waits for it.
    client.on('error', () => {})
    try {
      await client.connect()
      await refuseStandby(client)
      return { client, address }
    } catch (error) {
      await client.end().catch(() => {})
      hosts.failed(address)
      if (tried === hosts.count) throw error
    }
  }
}
