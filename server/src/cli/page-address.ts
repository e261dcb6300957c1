// The addresses of links' pages on a server with these settings: from the settings, since no server may be running, and where they leave the
// port open from the running server.
import type { Config } from '../config.ts'
import { findServerAddress } from '../service/server-address.ts'
import { CommandFailed } from './command-failed.ts'

export interface LinkAddresses {
  page: string
  share: string
}

/** Undefined when the server takes any free port, and none is running. */
export function findLinkAddresses(
  { publicUrl, host, port, dataDir }: Pick<Config, 'publicUrl' | 'host' | 'port' | 'dataDir'>,
  linkReference: string,
): LinkAddresses | undefined {
  const origin = publicUrl || (port === 0 ? findServerAddress(dataDir) : originOf(host, port))
  if (origin === undefined) return undefined
  const page = `${origin}/pay/${linkReference}`
  return { page, share: `${page}/share` }
}

function originOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

export function linkAddresses(config: Config, linkReference: string): LinkAddresses {
  const addresses = findLinkAddresses(config, linkReference)
  if (addresses !== undefined) return addresses
  throw new CommandFailed('PORT is any free one: PUBLIC_URL must say where pages are.', 'page_address_not_known')
}
