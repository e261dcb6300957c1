// The cookie by which a browser shows that it began the attempt on a link: no other browser can abandon it (D-60). It is sent to that link's
// pages alone, and no script can read it.
import type { FastifyReply, FastifyRequest } from 'fastify'

const NAME = 'karba_attempt'
/** Longer than any provider keeps a page open. */
const LIFE_SECONDS = 24 * 60 * 60

export interface CookiePlace {
  linkReference: string
  isSecure: boolean
  /** Whether the page is in the frame of another site: browsers then send a cookie only with SameSite=None, which needs Secure. */
  isEmbedded: boolean
}

export function setAttemptCookie(reply: FastifyReply, token: string, place: CookiePlace): void {
  const { linkReference, isSecure, isEmbedded } = place
  const site = isEmbedded ? 'SameSite=None; Secure' : `SameSite=Lax${isSecure ? '; Secure' : ''}`
  const cookie = `${NAME}=${token}; Path=/pay/${linkReference}; Max-Age=${LIFE_SECONDS}; HttpOnly; ${site}`
  reply.header('set-cookie', cookie)
}

export function attemptCookieOf({ headers }: FastifyRequest): string | undefined {
  return new RegExp(`(?:^|;\\s*)${NAME}=([0-9a-z]+)`).exec(headers.cookie ?? '')?.[1]
}
