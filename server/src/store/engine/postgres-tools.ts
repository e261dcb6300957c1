// PostgreSQL's own programs pg_dump and pg_restore, and databases for copies. Passwords go to them
// by the environment: other users of the machine can read a command line.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { type FileWatch, writeWhole } from './durable-file.ts'
import { connectToPrimary } from './postgres-pool.ts'

/** What one of the programs said, or that it is missing. */
export class PostgresToolFailed extends Error {
  override name = 'PostgresToolFailed'
}

const FORM =
  /^(postgres(?:ql)?:\/\/)(?:([^/?@:]*)(?::([^/?@]*))?@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s

/** The same server and user with another database. */
function withDatabase(address: string, name: string): string {
  const [, scheme = '', user = '', password, hosts = '', , query] = FORM.exec(address) ?? []
  const login = user === '' ? '' : `${user}${password === undefined ? '' : `:${password}`}@`
  return `${scheme}${login}${hosts}/${name}${query === undefined ? '' : `?${query}`}`
}

/** Without what libpq does not know, and the password apart. */
function forLibpq(address: string): { dbname: string; env: Record<string, string> } {
  const [, scheme = '', user = '', password, hosts = '', database = '', query = ''] =
    FORM.exec(address) ?? []
  const parameters = new URLSearchParams(query)
  const given =
    parameters.get('password') ??
    (password === undefined ? undefined : decodeURIComponent(password))
  for (const name of ['password', 'uselibpqcompat']) parameters.delete(name)
  const rest = parameters.size === 0 ? '' : `?${parameters}`
  return {
    dbname: `${scheme}${user === '' ? '' : `${user}@`}${hosts}/${database}${rest.replaceAll('+', '%20')}`,
    env: given === undefined ? {} : { PGPASSWORD: given },
  }
}

const MOST_SAID = 2_000

async function run(
  program: 'pg_dump' | 'pg_restore',
  address: string,
  args: readonly string[],
): Promise<void> {
  const { dbname, env } = forLibpq(address)
  const child = spawn(program, [...args, `--dbname=${dbname}`, '--no-password'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LC_ALL: 'C', ...env },
  })
  let said = ''
  child.stderr?.on('data', (chunk) => {
    if (said.length < MOST_SAID) said += chunk
  })
  try {
    const [code] = await once(child, 'close')
    if (code === 0) return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new PostgresToolFailed(
      `${program} is not installed: install PostgreSQL’s client programs, of the server’s version or later`,
    )
  }
  const [line = `${program} failed`] = said.split('\n').filter((each) => /error|fatal/i.test(each))
  throw new PostgresToolFailed(line)
}

/**
 * In pg_dump's custom format, whose parts are compressed; of this snapshot, if one is named.
 * Returns the bytes.
 */
export const dumpPostgres = (
  address: string,
  to: string,
  watch: FileWatch,
  snapshot?: string,
): Promise<number> =>
  writeWhole(
    to,
    (unfinished) =>
      run('pg_dump', address, [
        '--format=custom',
        '--no-owner',
        '--no-privileges',
        `--file=${unfinished}`,
        ...(snapshot === undefined ? [] : [`--snapshot=${snapshot}`]),
      ]),
    watch,
  )

/** Into a database without tables. */
export const restorePostgres = (address: string, from: string): Promise<void> =>
  run('pg_restore', address, ['--exit-on-error', '--no-owner', '--no-privileges', from])

/** Of the lock under which databases for copies are made and removed. */
const COPIES_LOCK = 7_226_001
const IN_USE = '55006'

/**
 * A new, empty database on the server of this address. Removes those with the prefix of this user
 * that killed commands left. A session in the database says that it is in use, until it is removed.
 * Returns its address, how to remove it, and the names of the others that were removed.
 */
export async function makeDatabase(
  url: string,
  { name, prefix }: { name: string; prefix: string },
) {
  const { client, address: server } = await connectToPrimary(url)
  const address = withDatabase(server, name)
  let removed: string[] = []
  let session: pg.Client
  try {
    // Until the session is there, the new database looks like one that was left.
    await client.query(`select pg_advisory_lock(${COPIES_LOCK})`)
    removed = await removeUnused(client, prefix)
    await client.query(`create database ${pg.escapeIdentifier(name)} template template0`)
    session = (await connectToPrimary(address)).client
  } finally {
    await client.end()
  }
  return {
    address,
    removed,
    remove: async (): Promise<void> => {
      await session.end().catch(() => {})
      const primary = await connectToPrimary(url)
      // By force: the server may still be ending the sessions that read it.
      const drop = `drop database if exists ${pg.escapeIdentifier(name)} with (force)`
      await primary.client.query(drop).finally(() => primary.client.end())
    },
  }
}

/**
 * PostgreSQL itself refuses to remove a database with a session, such as that of a drill that runs.
 */
async function removeUnused(client: pg.Client, prefix: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database
     where starts_with(datname, ${pg.escapeLiteral(prefix)}) and datdba = (select oid from pg_roles
       where rolname = current_user)`,
  )
  const removed: string[] = []
  for (const { name } of rows) {
    try {
      await client.query(`drop database if exists ${pg.escapeIdentifier(name)}`)
      removed.push(name)
    } catch (error) {
      if ((error as { code?: string }).code !== IN_USE) throw error
    }
  }
  return removed
}
