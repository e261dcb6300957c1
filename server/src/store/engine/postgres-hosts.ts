// The PostgreSQL servers of DATABASE_URL, `postgres://user:password@host1:5432,host2:5433/karba`: one of them can be written to, the others
// are its standbys. Connections go to the one that was writable last; when it cannot be reached or is a standby, the next one is tried.
import type pg from 'pg'

export interface Hosts {
  count: number
  /** The whole address of the server to connect to. */
  current(): string
  /** This one cannot be used: the next is current, unless another connection has found that out already. */
  failed(address: string): void
}

const SEVERAL_HOSTS = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?@]*)(.*)$/s

export function readHosts(url: string): Hosts {
  const [, beginning = '', hosts = '', rest = ''] = SEVERAL_HOSTS.exec(url) ?? []
  // A single address stays as it is written, whatever it looks like.
  const addresses = hosts.includes(',') ? hosts.split(',').map((host) => `${beginning}${host}${rest}`) : [url]
  let at = 0
  return {
    count: addresses.length,
    current: () => addresses[at] as string,
    failed(address) {
      if (addresses[at] === address) at = (at + 1) % addresses.length
    },
  }
}

/** The server takes no writes: it is a standby, or was set to read only. */
class NotWritable extends Error {
  override name = 'NotWritable'
  readonly code = 'read only'
}

export async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ writable: boolean }>(
    `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable`,
  )
  if (rows[0]?.writable !== true) throw new NotWritable('this server is a standby')
}
