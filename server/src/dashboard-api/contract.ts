// What the dashboard's page knows of the server, and all of it: what each route takes and answers,
// as types made from the table of routes; the bodies; and the tables of the domain that the page
// shows. A test refuses every other import of the server in dashboard/.
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { Refused } from '../domain/refusals/refusal.ts'
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
} from '../domain/books/account-statement.ts'
export { CLOSING_REASON_WORDS } from '../domain/books/closing-reason.ts'
export { DIFFERENCE_WORDS } from '../domain/books/difference-words.ts'
export { type ColumnMapping, MAPPED_TYPES, type MappedType } from '../domain/books/statement.ts'
export {
  dayOf,
  dayText,
  localDate,
  startOfDay,
  ZONE_TEXT,
} from '../domain/countries/business-day.ts'
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
} from '../domain/countries/country.ts'
export { readMsisdn } from '../domain/countries/msisdn.ts'
export { MONEY_PLACES, type MoneyPlace } from '../domain/ledger/ledger.ts'
export { isMerchantConnection } from '../domain/merchants/merchant-connection.ts'
export { grouped, writeAmount } from '../domain/payments/money.ts'
export type { FeeBasis } from '../domain/payments/payment-money.ts'
export { FAILURE_WORDS, STATUS_WORDS } from '../domain/payments/payment-status.ts'
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
} from '../domain/people/role.ts'
export { REFUND_STATUSES } from '../domain/refunds/refund.ts'
export { lookUp, typesetText } from '../domain/texts/free-text.ts'
export { EVENTS, USUAL_EVENTS } from '../domain/webhooks/webhook-event.ts'
export { PAYMENT_DETAILS } from './payment-view.ts'
export type * from './shapes.ts'
