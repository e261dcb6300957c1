// HTML that cannot be broken by what is put into it: the template escapes every value that is not HTML itself, and a page
// comes with the policy that lets nothing run but what we wrote. Knows no page and no words.
import { createHash } from 'node:crypto'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string)

/** Only this module makes one, so nothing that was read from outside can pass for HTML. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** What is absent, and what is false, leaves nothing behind. */
export type Piece = Html | string | number | false | undefined | readonly Piece[]

/** Values belong in text and in quoted attributes; in a script, a style or a name there is no safe way to escape. */
export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Html {
  let text = parts[0] as string
  for (const [at, value] of values.entries()) text += textOf(value) + parts[at + 1]
  return new Html(text)
}

function textOf(value: Piece): string {
  if (value instanceof Html) return value.toString()
  if (value === undefined || value === false) return ''
  if (typeof value === 'object') return value.map(textOf).join('')
  return escapeText(String(value))
}

/** For text of our own that is HTML already: a style sheet, a script, a drawing. */
export const trusted = (text: string): Html => new Html(text)

/** The address if a browser would open it over HTTP, else nothing: `javascript:` and its kin never become a link. */
export function webAddress(written: string | undefined): string | undefined {
  const address = written === undefined ? null : URL.parse(written)
  return address !== null && /^https?:$/.test(address.protocol) ? address.href : undefined
}

/** The origin if it is exactly one, else nothing: a path, a wildcard or `null` is not somebody to talk to. */
export function webOrigin(written: string | undefined): string | undefined {
  const address = webAddress(written)
  return address !== undefined && new URL(address).origin === written ? written : undefined
}

export interface Page {
  /** Text, or its bytes where most of them are the same each time. */
  html: string | Buffer
  contentSecurityPolicy: string
}

export interface PolicyDeps {
  /** By their hashes, as the scripts. */
  styles: readonly string[]
  scripts: readonly string[]
  /** Origins besides our own that a form may lead to: browsers follow a form's redirects with this list in hand. */
  formsMayLeadTo?: readonly string[]
  /** Origins whose pages may show this one in a frame. */
  frameAncestors?: readonly string[]
}

/** How a policy names a style or a script. Made once for each, at the start: it was a sixth of what a page costs. */
export const policyHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Everything is forbidden but the styles and scripts given here. */
export function contentSecurityPolicy(deps: PolicyDeps): string {
  const { styles, scripts, formsMayLeadTo = [], frameAncestors = [] } = deps
  const ancestors = originsOf(frameAncestors)
  return [
    "default-src 'none'",
    `style-src ${listed(styles)}`,
    `script-src ${listed(scripts)}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    ["form-action 'self'", ...originsOf(formsMayLeadTo)].join(' '),
    "base-uri 'none'",
    `frame-ancestors ${ancestors.length > 0 ? ancestors.join(' ') : "'none'"}`,
  ].join('; ')
}

/** An origin has no space and no semicolon, so none can add a rule of its own. */
const originsOf = (written: readonly string[]): string[] => written.filter((each) => webOrigin(each) !== undefined)

const listed = (hashes: readonly string[]): string => hashes.join(' ') || "'none'"
