// Whether a request that changes something was sent by our own page. Browsers say where a request comes from, and no site can make them lie; what says
// nothing is no browser, and has no business with a session.
import type { IncomingHttpHeaders } from 'node:http'

export function isFromOwnPage(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin } = headers
  if (origin === undefined) return site === 'same-origin'
  const from = URL.parse(origin)
  if (from === null) return false
  return from.origin === publicUrl || from.host === headers.host
}

export const isJson = (contentType: string | undefined): boolean =>
  /^application\/json(\s*;\s*charset=utf-8)?$/i.test(contentType ?? '')
