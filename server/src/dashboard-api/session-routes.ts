// Signing in, up and out; one's own sessions.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  type Browser,
  endAllSessions,
  endSession,
  listOwnSessions,
  listWorkplaces,
  type OpenSession,
  openSession,
  type StartedSession,
} from '../actions/people/sessions.ts'
import { signIn } from '../actions/people/sign-in.ts'
import { signUp } from '../actions/people/sign-up.ts'
import { acceptInvitation, readInvitation } from '../actions/people/team.ts'
import type { Visitor } from '../domain/caller.ts'
import { shownEmail } from '../domain/person.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import { type DashboardDeps, defineRoute, NOTHING, type RouteHttp } from './route.ts'
import type { PageOf, SessionBody, SessionRow } from './shapes.ts'

const LANGUAGE = z.enum(['fr', 'en'])
/** Longer than anything that is accepted: the actions say what is wrong with it. */
const TEXT = z.string().max(1_000)

export const sessionRoutes = [
  defineRoute({
    method: 'GET',
    path: '/session',
    roles: 'person',
    input: NOTHING,
    alwaysWorks: true,
    handle: (deps, _caller, _input, { session }) => sessionBody(deps, session),
  }),
  defineRoute({
    method: 'POST',
    path: '/sign-in',
    roles: 'visitor',
    input: z.object({ email: TEXT, password: TEXT, code: TEXT.optional() }),
    handle: async (deps, caller, input, http) =>
      begin(deps, caller, http, await signIn(deps, caller, { ...input, ...browserOf(deps, http.request) })),
  }),
  defineRoute({
    method: 'POST',
    path: '/sign-up',
    roles: 'visitor',
    input: z.object({ name: TEXT, email: TEXT, password: TEXT, merchantName: TEXT, language: LANGUAGE }),
    handle: async (deps, caller, input, http) =>
      begin(deps, caller, http, await signUp(deps, caller, { ...input, ...browserOf(deps, http.request) })),
  }),
  defineRoute({
    method: 'POST',
    path: '/invitation/read',
    roles: 'visitor',
    input: z.object({ token: TEXT }),
    handle: readInvitation,
  }),
  defineRoute({
    method: 'POST',
    path: '/invitation/accept',
    roles: 'visitor',
    input: z.object({
      token: TEXT,
      password: TEXT,
      code: TEXT.optional(),
      name: TEXT.optional(),
      language: LANGUAGE.optional(),
    }),
    handle: async (deps, caller, input, http) =>
      begin(deps, caller, http, await acceptInvitation(deps, caller, { ...input, ...browserOf(deps, http.request) })),
  }),
  defineRoute({
    method: 'POST',
    path: '/sign-out',
    roles: 'person',
    input: NOTHING,
    alwaysWorks: true,
    handle: async (deps, caller, _input, { reply }) => {
      clearSessionCookie(reply, deps.publicUrl)
      return endSession(deps, caller, { sessionId: caller.sessionId })
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/sign-out-everywhere',
    roles: 'person',
    input: NOTHING,
    alwaysWorks: true,
    handle: async (deps, caller, _input, { reply }) => {
      clearSessionCookie(reply, deps.publicUrl)
      return endAllSessions(deps, caller)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/sessions',
    roles: 'person',
    input: NOTHING,
    handle: async (deps, caller): Promise<PageOf<SessionRow>> => {
      const { rows } = await listOwnSessions(deps, caller)
      const shown = rows.map(({ sessionId, isThis, startedAt, usedAt, network, browser }) => ({
        ...{ sessionId, isThis, network, browser },
        createdAt: startedAt,
        lastSeenAt: usedAt,
      }))
      return { rows: shown, next: null }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/sessions/:sessionId/end',
    roles: 'person',
    input: z.object({ sessionId: TEXT }),
    handle: endSession,
  }),
]

const browserOf = ({ publicUrl }: DashboardDeps, request: FastifyRequest): Browser => ({
  browser: request.headers['user-agent'] ?? '',
  heldToken: tokenOf(request, publicUrl),
})

/** Gives the browser its session, and answers who is signed in. */
async function begin(
  deps: DashboardDeps,
  visitor: Visitor,
  { reply }: RouteHttp,
  started: StartedSession | Refused,
): Promise<object> {
  if (isRefused(started)) return started
  const { token, endsAt } = started
  setSessionCookie(reply, deps.publicUrl, token, endsAt - deps.clock.now())
  return sessionBody(deps, (await openSession(deps, visitor, { token })) as OpenSession)
}

export async function sessionBody(
  deps: DashboardDeps,
  { person, caller, viewing, mustDo }: OpenSession,
): Promise<SessionBody> {
  const { personId, name, unconfirmedEmail, language, totpSince, serviceRole } = person
  const workplaces = await listWorkplaces(deps, caller, { viewing })
  return {
    person: {
      ...{ personId, name, email: shownEmail(person), language },
      isConfirmed: unconfirmedEmail === null,
      totp: totpSince !== null,
    },
    merchants: workplaces.map((merchant) => ({
      ...merchant,
      accounts: merchant.accounts.map(({ accountId, environment, status, reason }) => ({
        accountId,
        environment,
        status,
        reason,
      })),
    })),
    service: serviceRole === null ? null : { role: serviceRole },
    viewing: viewing && { merchantId: viewing.merchantId, reason: viewing.reason, until: viewing.until },
    mustDo,
  }
}

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

const setSessionCookie = (reply: FastifyReply, publicUrl: string, token: string, lastsMs: number): void =>
  writeCookie(reply, publicUrl, token, Math.floor(lastsMs / 1_000))

const clearSessionCookie = (reply: FastifyReply, publicUrl: string): void => writeCookie(reply, publicUrl, '', 0)

function writeCookie(reply: FastifyReply, publicUrl: string, value: string, seconds: number): void {
  const secure = isHttps(publicUrl) ? '; Secure' : ''
  const cookie = `${nameOf(publicUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
  reply.header('set-cookie', cookie)
}
