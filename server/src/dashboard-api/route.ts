// How a route of the dashboard is written: its address, who may use it, its input, and the action
// behind it. A test calls every route of the table in routes.ts with every kind of caller.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { FetchDeps } from '../actions/books/fetch-statements.ts'
import type { MoveDeps } from '../actions/deps.ts'
import type { MakeKeyDeps } from '../actions/keys/manage-keys.ts'
import type { CreateLinkDeps } from '../actions/links/create-payment-link.ts'
import type { DocumentDeps } from '../actions/merchants/keep-documents.ts'
import type { ConnectionChangeDeps } from '../actions/operators/merchant-connections.ts'
import type { PauseDeps } from '../actions/operators/pause-connection.ts'
import type { CounterFeed } from '../actions/payments/counter-feed.ts'
import type { CreatePaymentDeps } from '../actions/payments/create-payment.ts'
import type { RefundDeps } from '../actions/payments/refund-payment.ts'
import type { SandboxPhoneDeps } from '../actions/payments/sandbox-phone.ts'
import type { OpenSession, PeopleDeps, SessionDeps } from '../actions/people/sessions.ts'
import type { EndpointDeps } from '../actions/webhooks/endpoints.ts'
import { dayOf, startOfDay } from '../domain/business-day.ts'
import type { MerchantPerson, Person, ServicePerson, Visitor } from '../domain/caller.ts'
import type { SlotRefusal } from '../domain/fair-shares.ts'
import type { ListedConnection } from '../domain/operator-report.ts'
import type { ReceiptCodes } from '../domain/receipt-code.ts'
import { isRefused, type Refused } from '../domain/refusal.ts'
import {
  type AccountRole,
  MERCHANT_RIGHTS,
  type MerchantRight,
  SERVICE_RIGHTS,
  type ServiceRole,
} from '../domain/role.ts'
import type { FiguresBody, LiveEvent, PageOf, PhoneBody } from './shapes.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * `visitor` needs no session, `person` any session. Otherwise the roles, of the merchant or of the
 * service.
 */
type Roles = 'visitor' | 'person' | readonly AccountRole[] | readonly ServiceRole[]

/**
 * For what JSON cannot do: a stream, a file, a cookie. A handler that sends its own answer returns
 * `reply`.
 */
export type RouteHttp = { request: FastifyRequest; reply: FastifyReply }

interface SignedInHttp extends RouteHttp {
  session: OpenSession
}

export interface RouteOptions {
  /** A file: its bytes are `http.request.body`, and the query describes it. */
  takes?: 'file'
  mostBytes?: number
  /** Works although the person must first set up TOTP or change the password. */
  alwaysWorks?: true
  /**
   * Only for a person whose address is confirmed. Every change of a live account is, without this.
   */
  needsConfirmedEmail?: true
  /** The answer stays open: it does not count as an in-flight request. */
  isLong?: true
}

export interface Route extends RouteOptions {
  method: Method
  path: string
  roles: Roles
  /** The right that the roles have; null where any visitor or person may. */
  right: MerchantRight | keyof typeof SERVICE_RIGHTS | null
  /** The fields of the address, the query and the JSON body together. */
  input: z.ZodType
  handle(deps: DashboardDeps, caller: unknown, input: unknown, http: RouteHttp): Promise<object>
}

export type Handle<Caller, Input extends z.ZodType, Http = SignedInHttp> = (
  deps: DashboardDeps,
  caller: Caller,
  input: z.output<Input>,
  http: Http,
) => Promise<object>

/** Such as `GET /links/:reference`. */
export type Address = `${Method} /${string}`

function routeOf<Caller, Input extends z.ZodType, Http>(
  [roles, right]: [roles: Roles, right: Route['right']],
  [prefix, address]: [prefix: string, address: Address],
  input: Input,
  handle: Handle<Caller, Input, Http>,
  options: RouteOptions = {},
): Route {
  const [method, path] = address.split(' ') as [Method, string]
  return {
    method,
    path: prefix + path,
    roles,
    right,
    input,
    handle: handle as Route['handle'],
    ...options,
  }
}

/** For a route that takes nothing but its address. */
export const NOTHING = z.object({})

/**
 * A route takes so much more than its action, so that the action says what is wrong with the file.
 */
export const SOME_MORE = 1_024

/** Of a route that takes a file. */
export const fileOf = ({ body }: FastifyRequest): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.alloc(0)

/**
 * Under /accounts/:accountId. The caller acts for that account; an account that is not theirs is
 * not found.
 */
export const accountRoute = <Input extends z.ZodType>(
  address: Address,
  right: MerchantRight,
  input: Input,
  handle: Handle<MerchantPerson, Input>,
  options?: RouteOptions,
): Route =>
  routeOf(
    [MERCHANT_RIGHTS[right], right],
    ['/accounts/:accountId', address],
    input,
    handle,
    options,
  )

export const consoleRoute = <Input extends z.ZodType>(
  address: Address,
  right: keyof typeof SERVICE_RIGHTS,
  input: Input,
  handle: Handle<ServicePerson, Input>,
  options?: RouteOptions,
): Route => routeOf([SERVICE_RIGHTS[right], right], ['/console', address], input, handle, options)

export const personRoute = <Input extends z.ZodType>(
  address: Address,
  input: Input,
  handle: Handle<Person, Input>,
  options?: RouteOptions,
): Route => routeOf(['person', null], ['', address], input, handle, options)

export const visitorRoute = <Input extends z.ZodType>(
  address: Address,
  input: Input,
  handle: Handle<Visitor, Input, RouteHttp>,
): Route => routeOf(['visitor', null], ['', address], input, handle)

/** Longer than any accepted value, so that the action says what is wrong. */
export const TEXT = z.string().max(1_000)

export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

export const wholeNumber = (least: number, most: number) =>
  z.coerce.number().int().min(least).max(most)

const LAST_TIME = 8_640_000_000_000_000

/**
 * A time in milliseconds, or a day such as `2026-03-31`; `days` is added to a day: 1 for its end.
 */
export const time = (days: 0 | 1) =>
  z.union([
    z
      .string()
      .regex(/^\d{4}-\d\d-\d\d$/)
      .transform((day) => startOfDay(dayOf(Date.parse(day)) + days))
      .refine((at) => !Number.isNaN(at)),
    wholeNumber(0, LAST_TIME),
  ])

/** A day such as `2026-03-31`, as days since 1970. */
export const day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .transform((text) => dayOf(Date.parse(text)))
  .refine((days) => !Number.isNaN(days))

export const PAGE_FIELDS = {
  after: optional(z.string().max(200)),
  limit: optional(wholeNumber(1, 200)),
}

/**
 * The page that an action read, with each row as the dashboard shows it; or the action's refusal.
 */
export const pageOf = <Row, Shown>(
  page: { rows: readonly Row[]; next?: string | undefined } | Refused,
  shown: (row: Row) => Shown,
): PageOf<Shown> | Refused =>
  isRefused(page) ? page : { rows: page.rows.map(shown), next: page.next ?? null }

export interface DashboardDeps extends SessionDeps, PeopleDeps, PauseDeps, ShopDeps, FetchDeps {
  /** The connections to networks, as every process sees them. */
  readConnections(): Promise<readonly ListedConnection[]>
  readFigures(): Promise<FiguresBody>
  /** Takes a slot for one statement; the returned function releases it. */
  takeStatement(caller: MerchantPerson): Promise<(() => void) | SlotRefusal>
  /** One import or dry run at a time for each account or member of staff, and a few in all. */
  takeImport(caller: MerchantPerson | ServicePerson): Promise<(() => void) | SlotRefusal>
  /** The address that browsers reach the service by; empty when it is not set. */
  publicUrl: string
}

type ForActions = RefundDeps &
  CreateLinkDeps &
  CreatePaymentDeps &
  MoveDeps &
  DocumentDeps &
  MakeKeyDeps &
  EndpointDeps &
  SandboxPhoneDeps &
  ConnectionChangeDeps &
  Pick<FetchDeps, 'statementsOf'>

export interface ShopDeps extends ForActions {
  testNumbers: readonly PhoneBody['testNumbers'][number][]
  pageUrl(linkReference: string): string
  receiptCodes: ReceiptCodes
  receiptUrl(code: string): string
  /** The short address of a poster. */
  posterUrl(publicReference: string): string
  /** Payments of an account as they succeed, for its counter screens. */
  counter: CounterFeed
  /** Takes one of the slots for live streams or exports. The returned function releases it. */
  takeStream(caller: MerchantPerson): Promise<(() => void) | SlotRefusal>
  takeExport(caller: MerchantPerson): Promise<(() => void) | SlotRefusal>
  /** Reports each change of an account; undefined when the account has too many watchers. */
  watchAccount(
    accountId: string,
    changed: (changed: LiveEvent['changed']) => void,
    ended: () => void,
  ): (() => void) | undefined
  /** Reads of public pages per second for each address (D-29). */
  publicRate: number
}
