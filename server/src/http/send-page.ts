// HTML on its way out and forms on their way in: the headers that every page carries, and the check that a form was sent from a page of ours.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Page } from './html.ts'

/** Never kept by anybody, never told to anybody by a Referer, never taken for anything but HTML. */
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

/** A form of a browser; whatever else came has no fields. */
export function readForm(body: unknown): URLSearchParams {
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')
}

/**
 * Whether a form comes from a page of ours. Browsers say where a form was sent from, and another site cannot make them say otherwise. A
 * client that says nothing is no browser. One that says `null` is too old to say more: our pages tell nobody where they are, and then it
 * cannot tell us. Nobody's trust can be abused there: these forms carry no cookie, and whoever has a link may pay it.
 */
export function isOwnForm({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  return origin === undefined || origin === 'null' || URL.parse(origin)?.host === headers.host
}
