// Serves every route under /dashboard/api from one table. A request of another site is refused
// here; callers.ts makes the caller, and refuses without a session, the right or the account.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openSession } from '../actions/people/sessions.ts'
import { ParsingStopped } from '../domain/books/statement.ts'
import type { Visitor } from '../domain/people/caller.ts'
import { PasswordsBusy } from '../domain/people/password.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import { isStoreFailure } from '../http/errors.ts'
import { networkOf, rateLimit } from '../http/rate-limit.ts'
import { holdsNul, parseObject } from '../wire/json.ts'
import { type RouteError, sendBody, sendRefusal, sendRouteError } from './answer.ts'
import { booksRoutes, settlementRoutes } from './books-routes.ts'
import type { Visit } from './callers.ts'
import { consoleRoutes } from './console-routes.ts'
import { counterPages, counterRoutes } from './counter-routes.ts'
import { developerRoutes } from './developer-routes.ts'
import { liveRoutes } from './event-stream.ts'
import { linkRoutes } from './link-routes.ts'
import { networkStatementRoutes } from './network-statement-routes.ts'
import { paymentRoutes, phoneRoutes, refundRoutes } from './payment-routes.ts'
import { personRoutes, tokenOf } from './person-routes.ts'
import type { DashboardDeps, Route } from './route.ts'
import { connectionRoutes, settingsRoutes, shopLogos } from './settings-routes.ts'
import { teamRoutes } from './team-routes.ts'

/** Every route of the dashboard. A new file of routes is a line here. */
const TABLE = [
  ...personRoutes,
  ...teamRoutes,
  ...consoleRoutes,
  ...paymentRoutes,
  ...refundRoutes,
  ...booksRoutes,
  ...networkStatementRoutes,
  ...settlementRoutes,
  ...linkRoutes,
  ...settingsRoutes,
  ...connectionRoutes,
  ...developerRoutes,
  ...phoneRoutes,
  ...liveRoutes,
  ...counterRoutes,
]

export type RouteInTable = (typeof TABLE)[number]

/** @internal */
export const ROUTES: readonly Route[] = TABLE

const API_PATH = '/dashboard/api'

const BODY_LIMIT_BYTES = 64 * 1024
/** For each network. A busy page stays far below. */
const RATE = { perSecond: 50, burst: 400 }

export function dashboardApi(app: FastifyInstance, deps: DashboardDeps): void {
  const allow = rateLimit(deps.clock, RATE)
  for (const route of ROUTES) {
    const isFile = route.takes === 'file'
    app.route({
      method: route.method,
      url: API_PATH + route.path,
      bodyLimit: route.mostBytes ?? BODY_LIMIT_BYTES,
      config: { isLong: route.isLong ?? false },
      // Before the body is read: a file is large.
      ...(isFile && {
        onRequest: unlessBusy((request, reply) =>
          allow(request.ip)
            ? refuseUnknown(deps, route, request, reply)
            : sendRouteError(reply, 'too_many_requests'),
        ),
      }),
      handler: unlessBusy((request, reply) =>
        isFile || allow(request.ip)
          ? answer(deps, route, request, reply)
          : sendRouteError(reply, 'too_many_requests'),
      ),
    })
  }
  shopLogos(app, deps)
  counterPages(app, deps)
  app.all(`${API_PATH}/*`, async (_request, reply) => sendRouteError(reply, 'not_found'))
}

type Work = (request: FastifyRequest, reply: FastifyReply) => unknown

const unlessBusy =
  (work: Work) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    try {
      return await work(request, reply)
    } catch (error) {
      const isBusy =
        isStoreFailure(error) || error instanceof PasswordsBusy || error instanceof ParsingStopped
      if (!isBusy || reply.sent) throw error
      return sendRouteError(reply, 'unavailable')
    }
  }

/** Refuses the file of a caller who may not send one, without reading it. */
async function refuseUnknown(
  deps: DashboardDeps,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const fault = faultOfHead(deps, route, request)
  if (fault !== undefined) return sendRouteError(reply, fault)
  const entered = await route.enter(deps, await visitOf(deps, request, reply))
  return typeof entered === 'function' ? undefined : refuseCaller(deps, reply, route, entered)
}

async function answer(
  deps: DashboardDeps,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const fault = faultOfHead(deps, route, request)
  if (fault !== undefined) return sendRouteError(reply, fault)
  const fields = fieldsOf(route, request)
  if (holdsNul(fields)) return sendRouteError(reply, 'input_not_valid')
  const entered = await route.enter(deps, await visitOf(deps, request, reply))
  if (typeof entered !== 'function') return refuseCaller(deps, reply, route, entered)
  const outcome = await entered(fields)
  // A handler that sent its answer returned the reply, and awaiting a reply gives nothing.
  if (outcome === undefined) return reply
  return isRefused(outcome)
    ? sendRefusal(reply, outcome as Refused, deps.clock.now())
    : sendBody(reply, outcome)
}

async function visitOf(
  deps: DashboardDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit> {
  const visitor: Visitor = { is: 'visitor', network: networkOf(request.ip) }
  return { request, reply, visitor, session: await sessionOf(deps, visitor, request) }
}

/** A person whose role may not learns whose may. */
function refuseCaller(
  { clock }: DashboardDeps,
  reply: FastifyReply,
  { roles }: Route,
  fault: Refused | RouteError,
): FastifyReply {
  if (typeof fault !== 'string') return sendRefusal(reply, fault, clock.now())
  const isOfRole = fault === 'role_not_allowed' && typeof roles === 'object'
  return sendRouteError(reply, fault, isOfRole ? { roles } : {})
}

function faultOfHead(
  { publicUrl }: DashboardDeps,
  route: Route,
  { headers }: FastifyRequest,
): RouteError | undefined {
  if (route.method === 'GET') return undefined
  if (!isFromOwnPage(headers, publicUrl)) return 'cross_site'
  return route.takes === 'file' || isJson(headers['content-type']) ? undefined : 'not_json'
}

async function sessionOf(deps: DashboardDeps, visitor: Visitor, request: FastifyRequest) {
  const token = tokenOf(request, deps.publicUrl)
  if (token === undefined) return undefined
  const session = await openSession(deps, visitor, { token })
  return isRefused(session) ? undefined : session
}

/** Fields of the address override those of the query and the body. */
function fieldsOf({ method, takes }: Route, { query, params, body }: FastifyRequest): object {
  const sent = method === 'GET' || takes === 'file' ? {} : parseObject(body)
  return { ...sent, ...(query as object), ...(params as object) }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * The origin must be PUBLIC_URL. Without that setting only a loopback origin counts: another name
 * in Host may be an attacker's that resolves to this machine (DNS rebinding), and then Origin and
 * Host agree.
 */
function isFromOwnPage(
  { origin, host, ...headers }: IncomingHttpHeaders,
  publicUrl: string,
): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const from = URL.parse(origin ?? '')
  if (from === null) return false
  return publicUrl === ''
    ? from.host === host && LOOPBACK.test(from.hostname)
    : from.origin === new URL(publicUrl).origin
}

const isJson = (contentType: string | undefined): boolean =>
  /^application\/json(\s*;\s*charset=utf-8)?$/i.test(contentType ?? '')
