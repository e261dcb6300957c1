// The addresses of links' pages on a server with these settings. From the settings alone, since no server may be running.
import type { Config } from '../config.ts'
import { CommandFailed } from './command-failed.ts'

export interface LinkAddresses {
  page: string
  share: string
}

/** Undefined when the server takes any free port: only a running server knows which. */
export function findLinkAddresses(
  { publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>,
  linkReference: string,
): LinkAddresses | undefined {
  if (publicUrl === '' && port === 0) return undefined
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const own = `http://${name.includes(':') ? `[${name}]` : name}:${port}`
  const page = `${publicUrl || own}/pay/${linkReference}`
  return { page, share: `${page}/share` }
}

export function linkAddresses(config: Config, linkReference: string): LinkAddresses {
  const addresses = findLinkAddresses(config, linkReference)
  if (addresses !== undefined) return addresses
  throw new CommandFailed('PORT is any free one: PUBLIC_URL must say where pages are.', 'page_address_not_known')
}
