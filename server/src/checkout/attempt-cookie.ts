// By what a browser shows that it began the attempt on a link: no other browser can abandon it (D-60). A cookie, sent to that link's pages
// alone and read by no script. In the frame of another site browsers keep no cookie for us: there, the page's script sends a field instead.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readForm } from '../http/send-page.ts'

const NAME = 'karba_attempt'
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([0-9a-z]+)`)
/** Longer than any provider keeps a page open. */
const LIFE_SECONDS = 24 * 60 * 60

/** Secure where the page itself is. */
export function setAttemptCookie(reply: FastifyReply, token: string, linkReference: string, pageUrl: string): void {
  const secure = pageUrl.startsWith('https:') ? '; Secure' : ''
  const place = `Path=/pay/${linkReference}; Max-Age=${LIFE_SECONDS}; HttpOnly; SameSite=Lax${secure}`
  reply.header('set-cookie', `${NAME}=${token}; ${place}`)
}

export function browserTokenOf(request: FastifyRequest): string | undefined {
  return frameTokenOf(request) ?? COOKIE.exec(request.headers.cookie ?? '')?.[1]
}

/** What the script of a page in a frame has chosen for it. */
export function frameTokenOf({ body }: FastifyRequest): string | undefined {
  const sent = readForm(body).get('browser') ?? ''
  return /^[0-9a-f]{32}$/.test(sent) ? sent : undefined
}
