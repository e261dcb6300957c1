// How a route of the dashboard is written: its address, who may use it, what it takes, and the action behind it. A file of routes is a list of these
// for the table in routes.ts, and a test walks that table with every kind of caller.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { OpenSession } from '../actions/people/sessions.ts'
import type { MerchantPerson, Person, ServicePerson, Visitor } from '../domain/caller.ts'
import type { MerchantRole, ServiceRole } from '../domain/role.ts'
import type { DashboardDeps } from './deps.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `visitor`: nobody must be signed in. `person`: anybody who is. Otherwise the roles, of the merchant or of the service. */
type Roles = 'visitor' | 'person' | readonly MerchantRole[] | readonly ServiceRole[]

/** For what JSON cannot do: a stream, a file, a cookie. A handler that has answered by itself returns `reply`. */
export interface RouteHttp {
  request: FastifyRequest
  reply: FastifyReply
}

interface SignedInHttp extends RouteHttp {
  session: OpenSession
}

interface RouteOf<Path extends string, AllowedRoles, Caller, Http, Input extends z.ZodType> {
  method: Method
  /** Under /dashboard/api. */
  path: Path
  roles: AllowedRoles
  /** What the address, the query and the JSON body hold together. */
  input: Input
  /** A file: its bytes are `http.request.body`, and the query describes it. */
  takes?: 'file'
  mostBytes?: number
  /** Works although the person must first set up TOTP or change the password. */
  alwaysWorks?: true
  /** Only for a person whose address is confirmed. Every change of a live account is, without this. */
  needsConfirmedEmail?: true
  /** It stays open: it is not counted among the requests that somebody waits for. */
  isLong?: true
  /** What it returns is the JSON answer: what was asked for, or a refusal. */
  handle(deps: DashboardDeps, caller: Caller, input: z.output<Input>, http: Http): Promise<object>
}

export interface Route {
  method: Method
  path: string
  roles: Roles
  input: z.ZodType
  takes?: 'file'
  mostBytes?: number
  alwaysWorks?: true
  needsConfirmedEmail?: true
  /** It stays open: it is not counted among the requests that somebody waits for. */
  isLong?: true
  handle(deps: DashboardDeps, caller: unknown, input: unknown, http: RouteHttp): Promise<object>
}

/** For a route that takes nothing but its address. */
export const NOTHING = z.object({})

/** The caller acts for the account in the address; an account that is not theirs is not found. */
export function defineRoute<Input extends z.ZodType>(
  route: RouteOf<
    `/accounts/:accountId${'' | `/${string}`}`,
    readonly MerchantRole[],
    MerchantPerson,
    SignedInHttp,
    Input
  >,
): Route
export function defineRoute<Input extends z.ZodType>(
  route: RouteOf<`/console/${string}`, readonly ServiceRole[], ServicePerson, SignedInHttp, Input>,
): Route
export function defineRoute<Input extends z.ZodType>(
  route: RouteOf<string, 'person', Person, SignedInHttp, Input>,
): Route
export function defineRoute<Input extends z.ZodType>(
  route: RouteOf<string, 'visitor', Visitor, RouteHttp, Input>,
): Route
export function defineRoute(route: unknown): Route {
  return route as Route
}
