// How a route of the dashboard is written: its address, who may use it, what it takes, and the action behind it. A file of routes is a list of these
// for the table in routes.ts, and a test walks that table with every kind of caller.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { MoveDeps } from '../actions/deps.ts'
import type { MakeKeyDeps } from '../actions/keys/manage-keys.ts'
import type { CreateLinkDeps } from '../actions/links/create-payment-link.ts'
import type { DocumentDeps } from '../actions/merchants/keep-documents.ts'
import type { PauseDeps } from '../actions/operators/pause-connection.ts'
import type { RefundDeps } from '../actions/payments/refund-payment.ts'
import type { SandboxPhoneDeps } from '../actions/payments/sandbox-phone.ts'
import type { OpenSession, PeopleDeps, SessionDeps } from '../actions/people/sessions.ts'
import type { EndpointDeps } from '../actions/webhooks/endpoints.ts'
import { dayOf, startOfDay } from '../domain/business-day.ts'
import type { MerchantPerson, Person, ServicePerson, Visitor } from '../domain/caller.ts'
import type { SlotRefusal } from '../domain/fair-shares.ts'
import type { MerchantRole, ServiceRole } from '../domain/role.ts'
import type { KnownConnection } from './connection-row.ts'
import type { FiguresBody, LiveEvent, PhoneBody } from './shapes.ts'

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

export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

export const wholeNumber = (least: number, most: number) => z.coerce.number().int().min(least).max(most)

const LAST_TIME = 8_640_000_000_000_000

/** A time in milliseconds, or a day such as `2026-03-31`; `days` is added to a day: 1 for its end. */
export const time = (days: 0 | 1) =>
  z.union([
    z
      .string()
      .regex(/^\d{4}-\d\d-\d\d$/)
      .transform((day) => startOfDay(dayOf(Date.parse(day)) + days))
      .refine((at) => !Number.isNaN(at)),
    wholeNumber(0, LAST_TIME),
  ])

/** Which page of a list. */
export const PAGE_FIELDS = { after: optional(z.string().max(200)), limit: optional(wholeNumber(1, 200)) }

export interface DashboardDeps extends SessionDeps, PeopleDeps, PauseDeps, ShopDeps {
  /** The connections to networks, as every process sees them. */
  readConnections(): Promise<readonly KnownConnection[]>
  /** The last hour of all processes. */
  readFigures(): Promise<FiguresBody>
  /** The address that browsers reach the service by; empty when it is not set. */
  publicUrl: string
}

type ForActions = RefundDeps & CreateLinkDeps & MoveDeps & DocumentDeps & MakeKeyDeps & EndpointDeps & SandboxPhoneDeps

export interface ShopDeps extends ForActions {
  testNumbers: readonly PhoneBody['testNumbers'][number][]
  /** The address of a link's page. */
  pageUrl(linkReference: string): string
  /** Takes one of the slots for live streams or exports; what it returns gives it back. */
  takeStream(caller: MerchantPerson): Promise<(() => void) | SlotRefusal>
  takeExport(caller: MerchantPerson): Promise<(() => void) | SlotRefusal>
  /** Tells what changes in an account; undefined when too many look at it already. */
  watchAccount(
    accountId: string,
    tell: (changed: LiveEvent['changed']) => void,
    ended: () => void,
  ): (() => void) | undefined
  /** Reads a second for each address of what is for anybody (D-29). */
  publicRate: number
}
