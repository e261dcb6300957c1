// What the browser holds while somebody is signed in. Over https its name begins with __Host-, so that no other site of the same domain can set it.
import type { FastifyReply, FastifyRequest } from 'fastify'

const isHttps = (publicUrl: string): boolean => publicUrl.startsWith('https:')

const nameOf = (publicUrl: string): string => (isHttps(publicUrl) ? '__Host-karba' : 'karba')

const TOKEN = /^[\w-]{43}$/

/** The token; undefined when there is none of its form, or more than one. */
export function tokenOf({ headers }: Pick<FastifyRequest, 'headers'>, publicUrl: string): string | undefined {
  const name = `${nameOf(publicUrl)}=`
  const found = (headers.cookie ?? '').split(';').map((each) => each.trim())
  const [token, ...more] = found.filter((each) => each.startsWith(name)).map((each) => each.slice(name.length))
  return token !== undefined && more.length === 0 && TOKEN.test(token) ? token : undefined
}

export const setSessionCookie = (reply: FastifyReply, publicUrl: string, token: string, lastsMs: number): void =>
  writeCookie(reply, publicUrl, token, Math.floor(lastsMs / 1_000))

export const clearSessionCookie = (reply: FastifyReply, publicUrl: string): void => writeCookie(reply, publicUrl, '', 0)

function writeCookie(reply: FastifyReply, publicUrl: string, value: string, seconds: number): void {
  const secure = isHttps(publicUrl) ? '; Secure' : ''
  const cookie = `${nameOf(publicUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
  reply.header('set-cookie', cookie)
}
