// What the dashboard's page knows of the server, and all of it: what each route takes and answers,
// as types made from the table of routes; the bodies; and the tables of the domain that the page
// shows. A test refuses every other import of the server in dashboard/.
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { Refused } from '../domain/refusal.ts'
import type { Address, TypedRoute } from './route.ts'
import type { RouteInTable } from './routes.ts'

/** `account` for addresses under accounts/{accountId}, `person` for those under nothing. */
export type Area = RouteInTable['area']

/** The routes of an area by their address; of several areas, those that all of them have. */
export type RoutesOf<In extends Area> = Contract[In]

type Contract = {
  [In in Area]: {
    [Each in Extract<RouteInTable, { area: In }> as Each['address']]: {
      takes: Optional<Unchanged<z.input<Each['input']>>>
      answers: BodyOf<Each>
    }
  }
}

/** The body of an answer; `never` for a route that sends a file or a stream. */
type BodyOf<Each> =
  Each extends TypedRoute<Area, Address, z.ZodType, infer Answer>
    ? Exclude<Answer, Refused | FastifyReply>
    : never

/** A call changes nothing of what it is given. */
type Unchanged<Given> = Given extends readonly (infer Each)[]
  ? readonly Unchanged<Each>[]
  : Given extends object
    ? { readonly [Name in keyof Given]: Unchanged<Given[Name]> }
    : Given

/** A field that may be undefined may be left out. */
type Optional<Fields> = Fields extends unknown
  ? { [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name] } & {
      [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Fields[Name]
    }
  : never

// The tables and rules of the domain that the page shows or keeps to.

export {
  type JournalAccounts,
  type StatementMails,
  SYSCOHADA,
} from '../domain/account-statement.ts'
export { dayOf, dayText, localDate, startOfDay, ZONE_TEXT } from '../domain/business-day.ts'
export { CLOSING_REASON_WORDS } from '../domain/closing-reason.ts'
export {
  byCountry,
  COUNTRIES,
  citiesAt,
  connectionName,
  eachCountry,
  factsOf,
  type NamedConnection,
  OPERATORS,
  operatorName,
} from '../domain/country.ts'
export { DIFFERENCE_WORDS } from '../domain/difference-words.ts'
export { lookUp, typesetText } from '../domain/free-text.ts'
export { MONEY_PLACES, type MoneyPlace } from '../domain/ledger.ts'
export { isMerchantConnection } from '../domain/merchant-connection.ts'
export { grouped, writeAmount } from '../domain/money.ts'
export { readMsisdn } from '../domain/msisdn.ts'
export type { FeeBasis } from '../domain/payment-money.ts'
export { FAILURE_WORDS, STATUS_WORDS } from '../domain/payment-status.ts'
export { REFUND_STATUSES } from '../domain/refund.ts'
export {
  type AccountRole,
  MERCHANT_RIGHTS,
  MERCHANT_ROLE_WORDS,
  MERCHANT_ROLES,
  type MerchantRight,
  type MerchantRole,
  mayInAccount,
  permissionsOfKey,
  permissionsOfRole,
  SERVICE_RIGHTS,
  type ServiceRight,
  type ServiceRole,
  USUAL_PERMISSIONS,
} from '../domain/role.ts'
export { type ColumnMapping, MAPPED_TYPES, type MappedType } from '../domain/statement.ts'
export { EVENTS, USUAL_EVENTS } from '../domain/webhook-event.ts'
export { PAYMENT_DETAILS } from './payment-view.ts'
export type * from './shapes.ts'
