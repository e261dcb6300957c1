// PostgreSQL's own programs pg_dump and pg_restore, and databases for copies. Passwords go to them by the environment:
// other users of the machine can read a command line.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { type FileWatch, writeWhole } from './durable-file.ts'
import { connectToPrimary } from './postgres-pool.ts'

/** What one of the programs said, or that it is missing. */
export class PostgresToolFailed extends Error {
  override name = 'PostgresToolFailed'
}

const FORM = /^(postgres(?:ql)?:\/\/)(?:([^/?@:]*)(?::([^/?@]*))?@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s

/** The same server and user with another database. */
function withDatabase(address: string, name: string): string {
  const [, scheme = '', user = '', password, hosts = '', , query] = FORM.exec(address) ?? []
  const login = user === '' ? '' : `${user}${password === undefined ? '' : `:${password}`}@`
  return `${scheme}${login}${hosts}/${name}${query === undefined ? '' : `?${query}`}`
}

/** Without what libpq does not know, and the password apart. */
function forLibpq(address: string): { dbname: string; env: Record<string, string> } {
  const [, scheme = '', user = '', password, hosts = '', database = '', query = ''] = FORM.exec(address) ?? []
  const parameters = new URLSearchParams(query)
  const given = parameters.get('password') ?? (password === undefined ? undefined : decodeURIComponent(password))
  for (const name of ['password', 'uselibpqcompat']) parameters.delete(name)
  const rest = parameters.size === 0 ? '' : `?${parameters}`
  return {
    dbname: `${scheme}${user === '' ? '' : `${user}@`}${hosts}/${database}${rest.replaceAll('+', '%20')}`,
    env: given === undefined ? {} : { PGPASSWORD: given },
  }
}

const MOST_SAID = 2_000

async function run(program: 'pg_dump' | 'pg_restore', address: string, args: readonly string[]): Promise<void> {
  const { dbname, env } = forLibpq(address)
  const child = spawn(program, [...args, `--dbname=${dbname}`, '--no-password'], {
    ...{ stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, LC_ALL: 'C', ...env } },
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

/** In pg_dump's custom format, whose parts are compressed; of this snapshot, if one is named. Returns the bytes. */
export const dumpPostgres = (address: string, to: string, watch: FileWatch, snapshot?: string): Promise<number> =>
  writeWhole(
    to,
    (unfinished) =>
      run('pg_dump', address, [
        ...['--format=custom', '--no-owner', '--no-privileges', `--file=${unfinished}`],
        ...(snapshot === undefined ? [] : [`--snapshot=${snapshot}`]),
      ]),
    watch,
  )

/** Into a database without tables. */
export const restorePostgres = (address: string, from: string): Promise<void> =>
  run('pg_restore', address, ['--exit-on-error', '--no-owner', '--no-privileges', from])

/** A new, empty database on the server of this address. Returns its address, and how to remove it. */
export async function makeDatabase(url: string, name: string) {
  const address = await execute(`create database ${pg.escapeIdentifier(name)} template template0`)
  return {
    address: withDatabase(address, name),
    // By force: the server may still be ending the sessions that read it.
    remove: async () => void (await execute(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`)),
  }

  async function execute(sql: string): Promise<string> {
    const primary = await connectToPrimary(url)
    await primary.client.query(sql).finally(() => primary.client.end())
    return primary.address
  }
}
