// How a route of the dashboard is written: its address, who may use it, its input, and the action
// behind it. A test calls every route of the table in routes.ts with every kind of caller.

import type { FastifyRequest } from 'fastify'
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
import type { PeopleDeps, SessionDeps } from '../actions/people/sessions.ts'
import type { EndpointDeps } from '../actions/webhooks/endpoints.ts'
import { dayOf, startOfDay } from '../domain/countries/business-day.ts'
import type { SlotRefusal } from '../domain/limits/fair-shares.ts'
import type { ListedConnection } from '../domain/operators/connection.ts'
import type { ReceiptCodes } from '../domain/payments/receipt-code.ts'
import type { MerchantPerson, Person, ServicePerson, Visitor } from '../domain/people/caller.ts'
import {
  MERCHANT_RIGHTS,
  type MerchantRight,
  SERVICE_RIGHTS,
  type ServiceRight,
} from '../domain/people/role.ts'
import { isRefused, type Refused } from '../domain/refusals/refusal.ts'
import { type RouteError, sendRouteError } from './answer.ts'
import {
  type Demands,
  type Enter,
  enterAccount,
  enterAsPerson,
  enterAsVisitor,
  enterConsole,
  type Method,
  type RouteHttp,
  type SignedInHttp,
  type Visit,
} from './callers.ts'
import type { FiguresBody, LiveEvent, PageOf, PhoneBody } from './shapes.ts'

export interface RouteOptions extends Pick<Demands, 'alwaysWorks' | 'needsConfirmedEmail'> {
  /** A file: its bytes are `http.request.body`, and the query describes it. */
  takes?: 'file'
  mostBytes?: number
  /** The answer stays open: it does not count as an in-flight request. */
  isLong?: true
}

/** Answers the fields of a request for the caller who entered; undefined when the reply is sent. */
type AnswerFields<Answer> = (fields: object) => Promise<Answer | undefined>

/** A route as the server serves it: what it takes and answers is checked inside. */
export interface Route extends Demands, RouteOptions {
  path: string
  /** The right that the roles have; null where any visitor or person may. */
  right: MerchantRight | ServiceRight | null
  /** The fields of the address, the query and the JSON body together. */
  input: z.ZodType
  /** The caller of a request, or why it has none; then the answer to its fields. */
  enter(deps: DashboardDeps, visit: Visit): Promise<AnswerFields<object> | Refused | RouteError>
}

/** Where addresses of routes begin. Those of visitors and of persons begin with nothing. */
const PREFIXES = { account: '/accounts/:accountId', console: '/console', person: '' } as const
type Area = keyof typeof PREFIXES

/** A route with the types of what it takes and answers: the page's client is made from them. */
export interface TypedRoute<
  In extends Area,
  Of extends Address,
  Input extends z.ZodType,
  Answer extends object,
> extends Route {
  area: In
  /** Inside the area. */
  address: Of
  input: Input
  enter(deps: DashboardDeps, visit: Visit): Promise<AnswerFields<Answer> | Refused | RouteError>
}

export type Handle<Caller, Input extends z.ZodType, Http, Answer> = (
  deps: DashboardDeps,
  caller: Caller,
  input: z.output<Input>,
  http: Http,
) => Promise<Answer>

export type AccountHandle<Input extends z.ZodType, Answer> = Handle<
  MerchantPerson,
  Input,
  SignedInHttp,
  Answer
>

/** Such as `GET /links/:reference`. */
export type Address = `${Method} /${string}`

interface Entrance<In extends Area, Caller, Http> extends Pick<Route, 'roles' | 'right'> {
  area: In
  enter: Enter<Caller, Http>
}

function routeOf<
  In extends Area,
  const Of extends Address,
  Caller,
  Input extends z.ZodType,
  Http extends RouteHttp,
  Answer extends object,
>(
  { area, enter, roles, right }: Entrance<In, Caller, Http>,
  address: Of,
  input: Input,
  handle: Handle<Caller, Input, Http, Answer>,
  options: RouteOptions = {},
): TypedRoute<In, Of, Input, Answer> {
  const [method, path] = address.split(' ') as [Method, string]
  const demands = { method, roles, ...options }
  return {
    ...demands,
    area,
    address,
    path: PREFIXES[area] + path,
    right,
    input,
    enter: async (deps, visit) => {
      const entered = await enter(deps, demands, visit)
      if (typeof entered === 'string' || isRefused(entered)) return entered
      const { caller, http } = entered
      return async (fields) => {
        const read = input.safeParse(fields)
        if (read.success) return handle(deps, caller, read.data, http)
        sendRouteError(http.reply, 'input_not_valid', paramOf(read.error))
        return undefined
      }
    },
  }
}

const paramOf = ({ issues: [issue] }: z.ZodError) => issue && { param: issue.path.join('.') }

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
export const accountRoute = <
  const Of extends Address,
  Input extends z.ZodType,
  Answer extends object,
>(
  address: Of,
  right: MerchantRight,
  input: Input,
  handle: AccountHandle<Input, Answer>,
  options?: RouteOptions,
) => {
  const entrance = {
    area: 'account',
    enter: enterAccount,
    roles: MERCHANT_RIGHTS[right],
    right,
  } as const
  return routeOf(entrance, address, input, handle, options)
}

export const consoleRoute = <
  const Of extends Address,
  Input extends z.ZodType,
  Answer extends object,
>(
  address: Of,
  right: ServiceRight,
  input: Input,
  handle: Handle<ServicePerson, Input, SignedInHttp, Answer>,
  options?: RouteOptions,
) => {
  const entrance = {
    area: 'console',
    enter: enterConsole,
    roles: SERVICE_RIGHTS[right],
    right,
  } as const
  return routeOf(entrance, address, input, handle, options)
}

const FOR_PERSON = { area: 'person', enter: enterAsPerson, roles: 'person', right: null } as const
const FOR_VISITOR = {
  area: 'person',
  enter: enterAsVisitor,
  roles: 'visitor',
  right: null,
} as const

export const personRoute = <
  const Of extends Address,
  Input extends z.ZodType,
  Answer extends object,
>(
  address: Of,
  input: Input,
  handle: Handle<Person, Input, SignedInHttp, Answer>,
  options?: RouteOptions,
) => routeOf(FOR_PERSON, address, input, handle, options)

export const visitorRoute = <
  const Of extends Address,
  Input extends z.ZodType,
  Answer extends object,
>(
  address: Of,
  input: Input,
  handle: Handle<Visitor, Input, RouteHttp, Answer>,
) => routeOf(FOR_VISITOR, address, input, handle)

/** Longer than any accepted value, so that the action says what is wrong. */
export const TEXT = z.string().max(1_000)

/**
 * The password, or a code of a person with TOTP: asked again where live money would go elsewhere,
 * and where somebody becomes an owner or stops being one.
 */
export const PROOF = { password: TEXT.optional(), code: TEXT.optional() }

/** An empty text, which a form sends for an empty field, is as no value. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (value: z.input<Schema> | '' | undefined) => (value === '' ? undefined : value),
    schema.optional(),
  )

/** In a query it is a text. */
export const wholeNumber = (least: number, most: number) =>
  z.coerce.number<number | string>().int().min(least).max(most)

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
