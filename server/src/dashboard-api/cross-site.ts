// Whether a request that changes something was sent by our own page. Browsers state the origin of every such request, and no site can forge it.
import type { IncomingHttpHeaders } from 'node:http'

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * The origin must be PUBLIC_URL. Without that setting only a loopback origin counts: any other name in Host may be a stranger's that DNS leads to this
 * machine (DNS rebinding), and then Origin and Host agree.
 */
export function isFromOwnPage({ origin, host, ...headers }: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const from = URL.parse(origin ?? '')
  if (from === null) return false
  return publicUrl === ''
    ? from.host === host && LOOPBACK.test(from.hostname)
    : from.origin === new URL(publicUrl).origin
}

export const isJson = (contentType: string | undefined): boolean =>
  /^application\/json(\s*;\s*charset=utf-8)?$/i.test(contentType ?? '')
