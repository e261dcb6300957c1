// Sends HTML pages with the headers that every page carries, reads forms, and checks that a form was sent from one of our own pages.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Page } from './html.ts'

/** Never cached, never named in a Referer, never sniffed as anything but HTML. */
export function sendPage(reply: FastifyReply, code: number, { html, contentSecurityPolicy }: Page): FastifyReply {
  return reply
    .code(code)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .send(html)
}

export function redirect(reply: FastifyReply, to: string): FastifyReply {
  const headers = { location: to, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
  return reply.code(303).headers(headers).send('')
}

/** The fields of a form; empty without a body. */
export function readForm(body: unknown): URLSearchParams {
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')
}

/**
 * Whether a form was sent from one of our own pages (protection against CSRF). Browsers send Sec-Fetch-Site or Origin, and another site
 * cannot forge them. A client that sends neither is not a browser. An old browser sends `Origin: null`, because our pages have the policy
 * no-referrer. Accepting it is safe: anybody who has a link may pay it, and another site's form carries the cookie of no attempt.
 */
export function isOwnForm({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  return origin === undefined || origin === 'null' || URL.parse(origin)?.host === headers.host
}
