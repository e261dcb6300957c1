// Who calls a route of the dashboard: a visitor, a signed-in person, a person in one account of a
// merchant, or one of the staff. A request becomes a caller here, or is refused.
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  actForAccount,
  actInConsole,
  type OpenSession,
  type SessionDeps,
} from '../actions/people/sessions.ts'
import type { MerchantPerson, Person, ServicePerson, Visitor } from '../domain/people/caller.ts'
import type { AccountRole, ServiceRole } from '../domain/people/role.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import type { RouteError } from './answer.ts'

/**
 * For what JSON cannot do: a stream, a file, a cookie. A handler that sends its own answer returns
 * `reply`.
 */
export type RouteHttp = { request: FastifyRequest; reply: FastifyReply }

export interface SignedInHttp extends RouteHttp {
  session: OpenSession
}

/** A request of a visitor, with the session that its cookie names. */
export interface Visit extends RouteHttp {
  visitor: Visitor
  session: OpenSession | undefined
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * `visitor` needs no session, `person` any session. Otherwise the roles, of the merchant or of the
 * service.
 */
export type Roles = 'visitor' | 'person' | readonly AccountRole[] | readonly ServiceRole[]

/** What a route demands of its caller. */
export interface Demands {
  method: Method
  roles: Roles
  /** Works although the person must first set up TOTP or change the password. */
  alwaysWorks?: true
  /**
   * Only for a person whose address is confirmed. Every change of a live account is, without this.
   */
  needsConfirmedEmail?: true
}

type Entered<Caller, Http> = { caller: Caller; http: Http }

export type Enter<Caller, Http> = (
  deps: SessionDeps,
  demands: Demands,
  visit: Visit,
) => Promise<Entered<Caller, Http> | Refused | RouteError>

export const enterAsVisitor: Enter<Visitor, RouteHttp> = async (_deps, _demands, visit) => ({
  caller: visit.visitor,
  http: visit,
})

export const enterAsPerson: Enter<Person, SignedInHttp> = async (_deps, demands, visit) => {
  const http = signedIn(demands, visit)
  return typeof http === 'string' ? http : { caller: http.session.caller, http }
}

export const enterConsole: Enter<ServicePerson, SignedInHttp> = async (_deps, demands, visit) => {
  const http = signedIn(demands, visit)
  if (typeof http === 'string') return http
  const caller = actInConsole(http.session)
  if (caller === undefined) return 'not_found'
  return isAllowed(caller, demands) ? { caller, http } : 'role_not_allowed'
}

/** Of an address under /accounts/:accountId. */
export const enterAccount: Enter<MerchantPerson, SignedInHttp> = async (deps, demands, visit) => {
  const http = signedIn(demands, visit)
  if (typeof http === 'string') return http
  const { accountId } = http.request.params as { accountId: string }
  const { viewing, caller: person } = http.session
  const caller = await actForAccount(deps, person, { accountId, viewing })
  if (isRefused(caller)) return caller
  const isUnconfirmed = http.session.person.unconfirmedEmail !== null
  if (isUnconfirmed && needsConfirmedEmail(demands, caller)) return 'email_unconfirmed'
  return isAllowed(caller, demands) ? { caller, http } : 'role_not_allowed'
}

function signedIn(
  { alwaysWorks }: Demands,
  { request, reply, session }: Visit,
): SignedInHttp | RouteError {
  if (session === undefined) return 'signed_out'
  return session.mustDo !== null && alwaysWorks !== true
    ? `must_${session.mustDo}`
    : { request, reply, session }
}

/**
 * A person whose address is not confirmed works in the sandbox and cannot send emails (ADR-0014).
 */
const needsConfirmedEmail = (demands: Demands, { environment }: MerchantPerson): boolean =>
  demands.needsConfirmedEmail === true || (environment === 'live' && demands.method !== 'GET')

const isAllowed = ({ role }: { role: string }, { roles }: Demands): boolean =>
  (roles as readonly string[]).includes(role)
