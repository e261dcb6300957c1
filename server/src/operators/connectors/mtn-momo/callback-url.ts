// Which callback addresses MTN MoMo can use. One that it cannot is not sent: a request with a wrong one is refused as a whole, and without
// any the payment is found by polling.
import { isIP } from 'node:net'
import type { Environment } from '../../../domain/environment.ts'

/** What keeps the network from calling it; undefined for nothing. In our sandbox anything goes, or nobody could try it on one machine. */
export function faultOfCallbackUrl(url: string, environment: Environment): { about: string; mend: string } | undefined {
  if (environment !== 'live') return undefined
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'https:') return { about: 'is not https', mend: 'set PUBLIC_URL to an https address' }
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
    return { about: 'has no host name', mend: 'set PUBLIC_URL to a host name: MTN registers no IP address' }
  }
  return port === '' ? undefined : { about: `has port ${port}`, mend: 'be reachable at port 443: MTN calls no other' }
}
