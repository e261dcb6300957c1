// Signing in, up and out; one's own sessions.
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  type Browser,
  endAllSessions,
  endSession,
  listOwnSessions,
  type OpenSession,
  openSession,
  type StartedSession,
} from '../actions/people/sessions.ts'
import { signIn } from '../actions/people/sign-in.ts'
import { signUp } from '../actions/people/sign-up.ts'
import { acceptInvitation, readInvitation } from '../actions/people/team.ts'
import type { Visitor } from '../domain/caller.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import type { DashboardDeps } from './deps.ts'
import { defineRoute, NOTHING, type RouteHttp } from './route.ts'
import { sessionBody } from './session-body.ts'
import { clearSessionCookie, setSessionCookie, tokenOf } from './session-cookie.ts'
import type { PageOf, SessionRow } from './shapes.ts'

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
