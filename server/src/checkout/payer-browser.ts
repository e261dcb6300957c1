// By what the service recognises the browser of a payer: a cookie of each link, or, in a frame,
// what the page's script sends. It decides who may see a receipt (D-57).
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readForm } from '../http/html.ts'

const NAME = 'karba_attempt'
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([0-9a-z.]+)`)
/** As long as a payer may look for the receipt: three months, like the life of a link. */
const LIFE_SECONDS = 90 * 24 * 60 * 60
/** One for each attempt of this browser, of which an earlier one may be paid late (ADR-0008). */
const MOST_TOKENS = 12

/**
 * Secure where the page itself is. The new token comes before those that the browser already has
 * for this link.
 */
export function setAttemptCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  { linkReference, pageUrl }: { linkReference: string; pageUrl: string },
): void {
  const secure = pageUrl.startsWith('https:') ? '; Secure' : ''
  const place = `Path=/pay/${linkReference}; Max-Age=${LIFE_SECONDS}; HttpOnly; SameSite=Lax${secure}`
  const tokens = [token, ...cookieTokensOf(request)].slice(0, MOST_TOKENS)
  reply.header('set-cookie', `${NAME}=${tokens.join('.')}; ${place}`)
}

export function browserTokensOf(request: FastifyRequest): readonly string[] {
  const fromFrame = frameTokenOf(request)
  return fromFrame === undefined ? cookieTokensOf(request) : [fromFrame]
}

const cookieTokensOf = ({ headers }: FastifyRequest): string[] =>
  (COOKIE.exec(headers.cookie ?? '')?.[1] ?? '')
    .split('.')
    .filter((token) => token !== '')
    .slice(0, MOST_TOKENS)

/** What the script of a page in a frame has chosen for it. */
export function frameTokenOf({ body }: FastifyRequest): string | undefined {
  const sent = readForm(body).get('browser') ?? ''
  return /^[0-9a-f]{32}$/.test(sent) ? sent : undefined
}
