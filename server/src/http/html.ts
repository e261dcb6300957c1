// HTML pages: a template tag that escapes every value that is not HTML itself, the content security
// policy that lets only our own scripts and styles run, sending a page, and reading its form. Holds
// no page and no text of one.

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { escapeHtml } from '../domain/texts/free-text.ts'

/** Made only in this module, so that input cannot pass for HTML. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** `undefined` and `false` become an empty string. */
export type Piece = Html | string | number | false | undefined | readonly Piece[]

/**
 * Values belong in text and in quoted attributes; in a script, a style or a name there is no safe
 * way to escape.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Html {
  let text = parts[0] as string
  for (const [at, value] of values.entries()) text += textOf(value) + parts[at + 1]
  return new Html(text)
}

function textOf(value: Piece): string {
  if (value instanceof Html) return value.toString()
  if (value === undefined || value === false) return ''
  if (typeof value === 'object') return value.map(textOf).join('')
  return escapeHtml(String(value))
}

/** For text of others: its writing direction does not affect the text around it. */
export const isolated = (text: string): Html => html`<bdi>${text}</bdi>`

/** For text of our own that is HTML already: a style sheet, a script, a drawing. */
export const trusted = (text: string): Html => new Html(text)

/**
 * The address if it is http or https, else undefined: `javascript:` and the like never become a
 * link.
 */
export function webAddress(written: string | undefined): string | undefined {
  const address = written === undefined ? null : URL.parse(written)
  return address !== null && /^https?:$/.test(address.protocol) ? address.href : undefined
}

/**
 * The origin if it is exactly one, else undefined: a path, a wildcard or `null` is not an origin.
 */
export function webOrigin(written: string | undefined): string | undefined {
  const address = webAddress(written)
  return address !== undefined && new URL(address).origin === written ? written : undefined
}

export interface Page {
  /** Bytes where most of the page is encoded once at the start. */
  html: string | Buffer
  contentSecurityPolicy: string
}

interface PolicyDeps {
  /** Hashes made by policyHash, as for scripts. */
  styles: readonly string[]
  scripts: readonly string[]
  /**
   * Origins besides our own that a form may lead to: browsers check a form's redirects against this
   * list too.
   */
  formsMayLeadTo?: readonly string[]
  /** Origins whose pages may show this one in a frame. */
  frameAncestors?: readonly string[]
}

/**
 * How a policy allows a style or a script. Computed once, at the start: it was a sixth of what a
 * page costs.
 */
export const policyHash = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Forbids everything except what is listed. */
export function contentSecurityPolicy(deps: PolicyDeps): string {
  const { styles, scripts, formsMayLeadTo = [], frameAncestors = [] } = deps
  return [
    "default-src 'none'",
    `style-src ${listed(styles)}`,
    `script-src ${listed(scripts)}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    ["form-action 'self'", ...originsOf(formsMayLeadTo)].join(' '),
    "base-uri 'none'",
    `frame-ancestors ${listed(originsOf(frameAncestors))}`,
  ].join('; ')
}

/** An origin has no space and no semicolon, so it cannot add a directive to the policy. */
const originsOf = (written: readonly string[]): string[] =>
  written.filter((each) => webOrigin(each) !== undefined)

const listed = (allowed: readonly string[]): string => allowed.join(' ') || "'none'"

/** Never cached, never named in a Referer, never sniffed as anything but HTML. */
export function sendPage(
  reply: FastifyReply,
  code: number,
  { html, contentSecurityPolicy }: Page,
): FastifyReply {
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
 * Whether a form was sent from one of our own pages (against CSRF). Other sites cannot forge
 * Sec-Fetch-Site and Origin, and a client without both is no browser. Old browsers send `Origin:
 * null`, because of our policy no-referrer. It is accepted: anyone with a link may pay it, and
 * another site's form has no attempt cookie.
 */
export function isOwnForm({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin } = headers
  return origin === undefined || origin === 'null' || URL.parse(origin)?.host === headers.host
}
