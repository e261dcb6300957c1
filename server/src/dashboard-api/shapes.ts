// Every body that the dashboard and the server exchange: the server's answers have these types and
// the dashboard imports them. Statuses, roles and permissions are the domain's own types. The
// bodies are not the merchant API's: camelCase, times in milliseconds, amounts in whole francs.

import type { TakenBack } from '../actions/books/take-back-import.ts'
import type { Attention, Home } from '../actions/figures/read-home.ts'
import type { ShownSecret } from '../actions/keys/kept-secrets.ts'
import type { ConnectionJournal } from '../domain/books/account-statement.ts'
import type { ClosingReason } from '../domain/books/closing-reason.ts'
import type { ImportedStatement } from '../domain/books/matching.ts'
import type { SETTLED_LINE_FIELDS, SETTLEMENT_FIELDS } from '../domain/books/settlement-fields.ts'
import type { ColumnMapping, StatementFile } from '../domain/books/statement.ts'
import type { NamedConnection } from '../domain/countries/country.ts'
import type { AccountStatus, Environment } from '../domain/environment.ts'
import type { EntryKind, MoneyAmounts } from '../domain/ledger/ledger.ts'
import type { sumHour } from '../domain/limits/minute-figures.ts'
import type { KeyKind } from '../domain/people/api-key.ts'
import type { ChosenNotice } from '../domain/people/notice.ts'
import type {
  AccountRole,
  KeyPermission,
  MerchantRole,
  ServiceRole,
} from '../domain/people/role.ts'
import type { RefundStatus } from '../domain/refunds/refund.ts'
import type { Language } from '../domain/texts/language.ts'
import type { Body } from '../wire/bodies.ts'
import type { ShownPayment } from './payment-view.ts'
import type { ShownFields } from './shown-fields.ts'

export type EnvironmentName = Environment
export type MerchantRoleName = MerchantRole
export type AccountRoleName = AccountRole
export type LanguageName = Language
export type { Attention, KeyPermission }

/**
 * Every refusal: its HTTP status says the kind, `code` is from a closed list, `param` names the
 * field.
 */
export interface ErrorBody {
  code: string
  /** Of a refusal, in the page's language. Other errors have their sentence in the page. */
  message?: string
  param?: string
  /** With role_not_allowed: who may. */
  roles?: readonly (AccountRole | ServiceRole)[]
  retryAfterSeconds?: number
  /**
   * With statement_not_valid, where a person settles the fault by the columns of the file: its
   * words for states and types.
   */
  columns?: { statuses: readonly string[]; types: readonly string[] }
  /**
   * With statement_not_valid, where a person says the order of days and months: the day of one line
   * in each.
   */
  dateOrders?: { day_first: string; month_first: string }
}

export interface PageOf<T> {
  rows: T[]
  next: string | null
}

// ---- people

/** GET /dashboard/api/session: who is signed in. 401 `signed_out` otherwise. */
export interface SessionBody {
  person: {
    personId: string
    name: string
    email: string
    /**
     * By a link sent to the address. Before: only sandbox, and no invitations (403
     * `email_unconfirmed`).
     */
    isConfirmed: boolean
    language: LanguageName
    totp: boolean
  }
  /** Of a merchant's team; empty for staff. */
  merchants: {
    merchantId: string
    name: string
    role: AccountRoleName
    accounts: AccountRow[]
  }[]
  /** Of staff. */
  service: { role: ServiceRole } | null
  /** Set while a member of staff views a merchant's pages. */
  viewing: { merchantId: string; reason: string; until: number } | null
  /** The person must do this before any other route works. */
  mustDo: 'set_up_totp' | 'change_password' | null
}

export interface AccountRow {
  accountId: string
  environment: EnvironmentName
  status: AccountStatus
  /** The staff's reason for the status. */
  reason: string | null
}

/** POST /dashboard/api/sign-in. With TOTP, a right password without a code is 401 `totp_needed`. */
export interface SignInInput {
  email: string
  password: string
  /** Six digits, or a recovery code. */
  code?: string
}

/**
 * POST confirmation sends the email of a sign-up again. It leads to /dashboard/confirm#token: POST
 * confirmation/confirm {token, password} → Confirmed.
 */
export type Confirmed = { email: string }

/**
 * POST sign-out ; POST sign-out-everywhere ; PUT profile {name, language} → SessionBody POST
 * password {current, password} ; POST password/forgotten {email} ; POST password/reset {token,
 * password} The email leads to /dashboard/reset#token, so that no log and no Referer has the token.
 * GET sessions → PageOf<SessionRow> ; POST sessions/{sessionId}/end
 */
export interface SessionRow {
  sessionId: string
  isThis: boolean
  createdAt: number
  lastSeenAt: number
  network: string
  browser: string
}

/** GET emails → PageOf<EmailRow>: the kinds that the person may get ; PUT emails {kind, isOn} */
export type EmailRow = { kind: ChosenNotice; isOn: boolean }

/**
 * POST totp/begin → TotpSetup ; POST totp/confirm {code} → RecoveryCodes ; POST totp/codes {code} →
 * RecoveryCodes ; POST totp/remove {password, code}
 */
export interface RecoveryCodes {
  /** Ten, each for one sign-in. Never shown again. */
  recoveryCodes: string[]
}

export type TotpSetup = { secret: string; uri: string; qrSvg: string }

/**
 * Under accounts/{accountId}/: GET team → TeamBody ; POST team/{personId}/role {role} ; POST
 * team/{personId}/remove ; POST invitations {email, role} → InvitationRow ; POST
 * invitations/{invitationId}/withdraw
 */
export type TeamBody = { members: MemberRow[]; invitations: InvitationRow[] }

/**
 * POST invitation/read {token} → InvitationBody. The email leads to /dashboard/invitation#token.
 */
export interface InvitationBody {
  merchantId: string
  merchantName: string
  email: string
  role: MerchantRoleName
  /** Null when the service itself invites. */
  inviterName: string | null
  /** The address has an account: the form asks for its password and not for a name. */
  isKnown: boolean
}

/**
 * POST invitation/accept → SessionBody. A known person gives their password, and a code if they
 * have TOTP.
 */
export interface AcceptInput {
  token: string
  password: string
  code?: string
  name?: string
  language?: LanguageName
}

export interface MemberRow {
  personId: string
  name: string
  email: string
  role: MerchantRoleName
  totp: boolean
  lastSeenAt: number | null
}

export interface InvitationRow {
  invitationId: string
  email: string
  role: MerchantRoleName
  createdAt: number
  expiresAt: number
}

/**
 * GET accounts/{accountId}/audit?after&actor&action&since&until → PageOf<ActivityRow>: the
 * account's activity log, for its owners.
 */
export interface ActivityRow {
  number: number
  at: number
  /** A person's name or a key's id; of the service the name of the member of staff, or ''. */
  by: { is: 'person' | 'key' | 'service'; name: string }
  action: string
  /** Null for the account or the merchant itself. */
  subject: string | null
  /** The network of the caller; the staff's is not shown. */
  from: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** GET console/audit?after&actor&action&subject&since&until → PageOf<AuditRow> */
export interface AuditRow extends Omit<ActivityRow, 'by'> {
  /** `as`: a role, `key`, `shell`, `service:`, `person` or `visitor`. */
  by: { as: string; name: string }
}

// ---- a merchant's account: everything under /dashboard/api/accounts/{accountId}/

/** GET home?days=30 */
export type HomeBody = Home

/**
 * GET payments?after&search&status&operator&from&to&minimum&maximum&limit ; GET payments.csv with
 * the same filters
 */
export interface PaymentRow extends ShownPayment<'row'> {
  operatorName: string | null
  finalAt: number | null
  /** Given back, whole or in part. */
  refundedAmount: number
}

/** GET payments. */
export interface PaymentsBody extends PageOf<PaymentRow> {
  /** With the first page of a filtered list, for those who see turnover. */
  sum: PaymentSumBody | null
}

/** Exact, or of the newest payments when `isMore`. */
export interface PaymentSumBody {
  count: number
  amount: number
  /** Succeeded and not refunded. */
  collected: number
  isMore: boolean
}

/**
 * `tariff`: expected. `statement`: taken, as the network's own statement says. Without either there
 * is no fee.
 */
export type FeeBody = NonNullable<PaymentRow['fee']>

/** GET payments/{reference} */
export interface PaymentBody extends PaymentRow, ShownPayment<'page'> {
  /** The name of the merchant's own connection that took it; null for one of the service. */
  connectionLabel: string | null
  /** Of a receipt that anyone can check; null unless it has succeeded. */
  receiptUrl: string | null
  /** Facts; the page has the sentences for each kind. */
  timeline: { at: number; kind: string; facts: Record<string, string | number | null> }[]
  deliveries: DeliveryRow[]
  /** Those that have not failed first. */
  refunds: RefundBody[]
  /** What can still be refunded. */
  remainingAmount: number
  /** False where the network gives back whole payments only. */
  refundsInPart: boolean
  mayRefund: boolean
}

/** GET refunds {status?, from?, to?}: one refund of the account, with the names of its payment. */
export interface RefundRow {
  reference: string
  amount: number
  status: RefundStatus
  failureReason: string | null
  createdAt: number
  paymentReference: string
  publicReference: string
  transactionId: string
}

/**
 * POST payments/{reference}/refund: without an amount, what is left of the payment. `payment` is as
 * it stands with the refund.
 */
export type RefundedBody = RefundBody & { payment: PaymentBody }

export interface RefundBody {
  reference: string
  /** The merchant's own name of it. */
  refundId: string | null
  amount: number
  status: RefundStatus
  failureReason: string | null
  createdAt: number
  /** Above the limit a second person must approve the refund. */
  approval: { askedBy: string; state: 'waiting' | 'approved' | 'rejected' } | null
}

/**
 * GET links ; POST links {title, amount?, reusable} ; GET links/{reference} ; POST
 * links/{reference}/close. Without an amount, the payer types it. QR and poster: GET
 * links/{reference}/qr.svg, qr.png, poster (an HTML page for A5 print).
 */
export interface LinkRow {
  reference: string
  url: string
  title: string
  description: string | null
  amount: number | null
  /** The amounts that the page offers, where the customer chooses. */
  suggestedAmounts: number[]
  reusable: boolean
  state: 'open' | 'paid' | 'expired' | 'closed'
  payments: number
  /** Null where the role sees no sums. */
  collected: number | null
  createdAt: number
  expiresAt: number | null
}

/**
 * GET keys ; POST keys {name, permissions, networks} → NewKeyBody, the secret shown once ; POST
 * keys/{keyId}/roll ; POST keys/{keyId}/revoke
 */
export interface KeyRow {
  keyId: string
  kind: KeyKind
  shownAs: string
  name: string | null
  /** Null: all. */
  permissions: KeyPermission[] | null
  networks: string[] | null
  createdAt: number
  lastUsedAt: number | null
  expiresAt: number | null
  /**
   * Who created or rolled it in the dashboard; `hasRights` while their role has its permissions.
   */
  madeBy: { name: string; hasRights: boolean } | null
}
export interface NewKeyBody {
  key: KeyRow
  /** In live it is never shown again. */
  secret: string
}

/** GET secrets: those of the sandbox that nobody has acknowledged ; POST secrets/{subject}/have */
export type SecretRow = ShownSecret

/**
 * GET endpoints ; POST endpoints ; PATCH endpoints/{endpointId} ; POST endpoints/{endpointId}/test
 * ; DELETE
 */
export interface EndpointRow {
  endpointId: string
  url: string
  events: string[]
  state: 'working' | 'failing' | 'paused'
  failingSince: number | null
  /** The answer to the last failed attempt; null for none. */
  lastStatus: number | null
  waiting: number
  /** More wait than were counted. */
  isMore: boolean
  createdAt: number
}
/** The signing secret is shown once, at creation. */
export type NewEndpointBody = { endpoint: EndpointRow; signingSecret: string }

/**
 * GET deliveries?endpointId&after&state ; GET deliveries/{deliveryId} ; POST deliveries/resend
 * {deliveryIds} or {endpointId, since}
 */
export interface DeliveryRow {
  deliveryId: string
  endpointId: string
  url: string
  event: string
  paymentReference: string | null
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  lastStatus: number | null
  lastError: string | null
  createdAt: number
  /** Null for an ended delivery, and while the endpoint is paused. */
  nextAttemptAt: number | null
}
export interface DeliveryBody extends DeliveryRow {
  requestBody: string
  tries: {
    at: number
    status: number | null
    error: string | null
    milliseconds: number
    answer: string | null
  }[]
}

/** GET events?after */
export interface EventRow {
  number: number
  type: string
  paymentReference: string
  createdAt: number
  body: string
}

/** GET requests?after&status&method */
export interface RequestRow {
  at: number
  method: string
  path: string
  status: number
  errorCode: string | null
  /** What to do about the error, in the page's language. */
  hint: string | null
  requestId: string
  keyId: string | null
  milliseconds: number
}

/** GET phone: pending sandbox prompts ; POST phone/{reference} {answer: PhoneAnswer} */
export interface PhoneBody {
  prompts: {
    reference: string
    operatorName: string
    msisdn: string
    amount: number
    merchantName: string
    createdAt: number
  }[]
  testNumbers: { country: string; msisdn: string; outcome: string }[]
}
export type PhoneAnswer = 'approve' | 'decline' | 'no_credit' | 'ignore'

/**
 * GET settings ; PUT settings/brand ; PUT settings/business ; PUT settings/sites ; POST documents
 * (raw body, one file)
 */
export interface SettingsBody {
  brand: {
    name: string
    logoUrl: string | null
    colour: string | null
    phone: string | null
  }
  /** PUT settings/pi-spi {alias}: for the PI-SPI code on live posters. */
  piAlias: string | null
  business: {
    legalName: string
    registration: string
    country: string
    city: string
    address: string
    contact: string
  }
  documents: {
    documentId: string
    name: string
    type: string
    bytes: number
    uploadedAt: number
  }[]
  validation: {
    state: 'not_asked' | 'asked' | 'validated' | 'refused' | 'suspended'
    reason: string | null
  }
  sites: string[]
}

// ---- the books

/** Francs in each place. */
/** GET money: where the money is, in all and by connection */
export interface MoneyBody {
  whole: MoneyAmounts
  connections: (MoneyAmounts & NamedConnection)[]
  /** Differences with the networks' statements that wait for a person; counted up to 1,000. */
  openDifferences: number
}

/**
 * GET connection-journals: where the journal of a connection differs from that of the account; PUT
 * sets one
 */
export interface ConnectionJournalsBody {
  rows: (ConnectionJournal & NamedConnection)[]
}

/**
 * GET money/entries?place&connection&after&limit → PageOf<MoneyEntryRow>: what is behind one of the
 * amounts
 */
export interface MoneyEntryRow extends NamedConnection {
  entry: number
  bookedAt: number
  kind: EntryKind
  /** What the place gained by it; negative for what it lost. */
  amount: number
  /** The payment's; null where there is none. */
  reference: string | null
  publicReference: string | null
}

/**
 * GET statement/summary?connection&from&to, days inclusive. Opening plus all sums is closing; what
 * left is negative.
 */
export type StatementBody = Omit<Body<'Statement'>, 'movements'> & { movements: number }

/** GET statement/movements?connection&from&to&after → PageOf<MovementRow> */
export interface MovementRow extends Omit<MoneyEntryRow, keyof NamedConnection> {
  /** The day on which it counts. */
  valueDay: string
  balance: number
  transactionId: string | null
  operatorReference: string | null
  isConfirmed: boolean
  /** What a person said that it was, in the language of the page. */
  explained: string | null
}

// ---- settlements and statements by email

/** GET settlements?after&limit → PageOf<SettlementRow>, the newest first */
export type SettlementRow = NamedConnection & ShownFields<typeof SETTLEMENT_FIELDS, 'row'>

/**
 * The rows of GET settlements/:settlement: a line of the network's statement since the settlement
 * before
 */
export interface SettlementLineRow extends ShownFields<typeof SETTLED_LINE_FIELDS, 'row'> {
  line: number
}

/**
 * GET settlements/:settlement?after&limit ; POST settlements/:settlement/confirm {amount, day?,
 * reference?} → SettlementRow
 */
export interface SettlementBody extends SettlementRow, PageOf<SettlementLineRow> {
  collected: number
  /** Zero or negative, like fees and taxes. */
  refunded: number
  fees: number
  taxes: number
  other: number
}

// ---- the staff's console: everything under /dashboard/api/console/

/** GET merchants?search&after */
export interface MerchantRow {
  merchantId: string
  name: string
  createdAt: number
  accounts: AccountRow[]
  validationAsked: boolean
}

/**
 * GET merchants/{merchantId} ; GET merchants/{merchantId}/documents/{documentId} is the file, for
 * those who review it; the merchant sees that it was opened.
 */
export interface MerchantBody {
  merchantId: string
  name: string
  business: SettingsBody['business']
  documents: SettingsBody['documents']
  validation: SettingsBody['validation']
  /** The validation waits for a second administrator; `askedBy` is the name of the first. */
  approval: { askedBy: string; askedAt: number } | null
  team: MemberRow[]
  /**
   * The results of the last 30 days, the webhooks and the connections of each account: sandbox
   * before live.
   */
  accounts: (AccountRow & {
    collected: number
    succeeded: number
    failed: number
    operators: {
      operator: string
      name: string
      succeeded: number
      failed: number
    }[]
    endpoints: {
      url: string
      state: EndpointRow['state']
      failingSince: number | null
      lastStatus: number | null
    }[]
    /** Its own, without credentials. */
    connections: OwnConnectionRow[]
  })[]
  history: AuditRow[]
}

/**
 * GET search?search: merchants by name or id; payments by any reference, or by the payer's number
 * or name. `isMore`: not all payments are listed.
 */
export interface ConsoleSearchBody {
  merchants: MerchantRow[]
  payments: (PaymentRow & { merchantName: string; environment: EnvironmentName })[]
  isMore: boolean
}

/**
 * POST merchants/{merchantId}/{environment}/status {status, reason}; `waiting`: a second person
 * must approve a live validation. POST merchants/{merchantId}/view {reason} and POST viewing/end →
 * SessionBody: a read-only view of its pages.
 */
export type StatusBody = { is: 'done' | 'waiting' }

/**
 * GET payments/{name}: by any of its references. 404 `payment_not_found`, 422
 * `payment_name_ambiguous`.
 */
export interface ConsolePaymentBody {
  payment: Omit<PaymentRow, 'failureReason' | 'fee'> &
    Pick<PaymentBody, 'operatorReference' | 'connectionLabel'>
  merchantName: string
  environment: EnvironmentName
  accountId: string
  timeline: { at: number; kind: string; facts: Record<string, unknown> }[]
}

/**
 * GET tasks: files to review, approvals, anomalies, refunds by hand, connections that a network
 * refuses. POST tasks/{taskId}/take | release | approve | reject | resolve
 */
export interface TaskRow {
  taskId: string
  kind:
    | (
        | 'review_file'
        | 'approve_refund'
        | 'approve_live'
        | 'anomaly'
        | 'refund_by_hand'
        | 'connection_refused'
      )
    | 'statement_not_fetched'
  merchantName: string
  subject: string
  amount: number | null
  detail: Record<string, string | number | null>
  createdAt: number
  takenBy: string | null
  askedBy: string | null
  /**
   * The connection that the task is about, and then the subject is its environment and id; or that
   * of an anomaly's payment.
   */
  connection: (NamedConnection & { environment: EnvironmentName }) | null
  /** The merchant whose page shows what the task is about. */
  merchantId: string | null
  /** Of an approval: what changed since it was requested. */
  changes: TaskChange[]
  /** Of an approval: false once a change leaves only `reject`. */
  mayApprove: boolean
}

type TaskChange =
  | { what: 'status'; from: AccountStatus | null; to: AccountStatus | null }
  | { what: 'file' }
  | { what: 'asker' }
  | { what: 'refunds'; from: number; to: number }

/** GET connections ; POST connections/{environment}/{name}/pause {reason} | resume */
export interface ConnectionRow {
  environment: EnvironmentName
  name: string
  /** What its merchant calls it; null for one of the service. */
  label: string | null
  connector: string
  routes: string[]
  /**
   * `refused`: its last call was, for our configuration. `closed`: after several, it takes only
   * probes.
   */
  state: 'up' | 'down' | 'paused' | 'refused' | 'closed' | 'suspended' | 'unknown'
  since: number | null
  reason: string | null
  /** Limits of payment requests and of status queries; null when unknown. */
  limits: Readonly<
    Record<'request' | 'status', { atOnce: number; perSecond: number | null }>
  > | null
  /** The merchant whose connection it is; null for one of the service. */
  owner: string | null
  /** How many merchants collect into its one wallet, when that is a warning; else 0. */
  sharedBy: number
}

/**
 * GET accounts/{id}/connections ; POST connections {connector, label, serves, fields} ; POST
 * connections/{id}/test | suspend | activate | remove ; PUT connections/{id}/credentials {fields}
 */
export interface OwnConnectionsBody {
  rows: OwnConnectionRow[]
  /** The networks that the account can connect to. */
  offered: {
    connector: string
    serves: string[]
    fields: { name: string; isOptional: boolean; choices: string[] }[]
  }[]
  /**
   * What callback addresses of connections begin with; null while the service has no public
   * address.
   */
  callbackBase: string | null
}

export interface OwnConnectionRow {
  connectionId: string
  connector: string
  label: string
  serves: string[]
  /** `refused`: the network refuses the credentials. `paused`: by the service's staff. */
  state: 'active' | 'suspended' | 'paused' | 'refused' | 'down'
  /** When this state began; null when that is not known. */
  since: number | null
  reason: string | null
  credentialsAt: number
  createdAt: number
}

/**
 * GET accounts/{id}/money-changes: what waits for a second owner. POST money-changes/{id}/confirm
 * {password | code} | reject. Live only; 403 `proof_needed` without the proof that this person
 * needs.
 */
export interface MoneyChangeRow {
  changeId: string
  askedBy: string
  /** Of the reader: another owner must confirm it. */
  isOwn: boolean
  askedAt: number
  endsAt: number
  detail:
    | {
        kind: 'connection'
        connector: string
        label: string
        serves: string[]
      }
    | { kind: 'credentials'; label: string }
    | { kind: 'pi_alias'; alias: string; earlier: string | null }
}

/** POST connections, PUT connections/{id}/credentials, PUT settings/pi-spi */
export interface ChangedBody {
  /** `waiting`: for a second owner; nothing has changed yet. */
  is: 'done' | 'waiting'
}

/** GET waiting: payments that wait too long */
export interface WaitingRow {
  reference: string
  merchantName: string
  environment: EnvironmentName
  operatorName: string
  amount: number
  createdAt: number
  why: string
  nextQuestionAt: number | null
}

/** GET figures: the last hour of all processes, minute by minute */
export type FiguresBody = ReturnType<typeof sumHour>

/**
 * Live updates by server-sent events: GET /dashboard/api/accounts/{accountId}/live. Each names only
 * what to read again.
 */
export type LiveEvent = { changed: 'payments' | 'deliveries' | 'links' | 'phone' | 'home' }

/**
 * The stream of a counter screen: GET /dashboard/api/accounts/{accountId}/counter?after=sequence.
 * The oldest first; `isWhole` with all of today.
 */
export interface CounterBody {
  sequence: number
  isWhole: boolean
  payments: {
    publicReference: string
    amount: number
    refunded: number
    at: number
    operator: string | null
    lastDigits: string | null
  }[]
}

/** GET books/differences: what a network's statement and the ledger do not agree on */
export interface DifferenceRow extends NamedConnection {
  differenceId: string
  kind: string
  environment: EnvironmentName
  merchantName: string | null
  accountId: string | null
  /** What two amounts differ by: the network's minus ours. Null where nothing is compared. */
  difference: number | null
  /** The difference without its sign; else the amount of the line or the payment. */
  amount: number
  foundAt: number
  /** In the language of the page. */
  nextStep: string
  /** What was compared, such as the balances of two files. */
  detail: Record<string, unknown>
  /** What the network's statement says; null for a payment that it does not have. */
  line: {
    at: number
    type: string
    amount: number
    fee: number
    networkReference: string
    ourReference: string
    counterparty: string
    text: string
    file: string | null
    row: number | null
  } | null
  /** What we have; null for a line that names no payment of ours. */
  payment: {
    reference: string
    transactionId: string
    status: string
    amount: number
    createdAt: number
    validatedAt: number | null
  } | null
  /** Null while it is open. `by` is empty for a later line that explained it. */
  closed: {
    at: number
    by: string
    note: string
    reason: string | null
  } | null
  /** Whether it is for this reader to say what it was: the one whose wallet it is. */
  isOwn: boolean
}

/**
 * GET books/differences/:differenceId/reasons: what this difference may have been. POST close |
 * correct {reason?, note}
 */
export interface ReasonsBody {
  /** Not explained yet: above 0 for money that came. */
  left: number
  /** In the language of the page; none where nothing is left to explain. */
  reasons: { reason: ClosingReason; name: string; about: string }[]
}

/** GET books/differences/:differenceId/suggestions */
export interface SuggestionRow {
  reference: string
  transactionId: string
  accountId: string
  amount: number
  validatedAt: number
}

/**
 * GET books/sources: connections whose statements this person may import ; POST books/sources/fetch
 * {environment, connection}
 */
export interface StatementSourceRow extends NamedConnection {
  environment: EnvironmentName
  /** Null where the network gives no statements by its API. */
  fetches: { fetchedAt: number | null; isUnderWay: boolean; failure: FetchFailureRow | null } | null
}

/** A day that is not fetched, and why. */
export type FetchFailureRow = { day: string; at: number; sentence: string }

/** GET books/files: imported statement files */
export interface StatementFileRow extends NamedConnection {
  fileId: string
  environment: EnvironmentName
  name: string
  state: StatementFile['state']
  bytes: number
  lines: number
  added: number
  opening: number | null
  closing: number | null
  firstDay: string
  lastDay: string
  importedAt: number
  importedBy: string
  /** Null for a file that counts. */
  takenBackBy: string | null
  /** Whether it can be downloaded. */
  isKept: boolean
}

/** GET books/uploads: files that were sent and are not imported */
export interface UnusedUploadRow extends NamedConnection {
  uploadId: string
  environment: EnvironmentName
  name: string
  bytes: number
  isComplete: boolean
  sentAt: number
}

/** GET books/uploads/:uploadId/columns ; PUT the same {mapping} */
export interface ColumnsBody {
  headings: readonly string[]
  /** The first ones. */
  rows: readonly (readonly string[])[]
  /** Kept for the connection, or proposed; null where none could be proposed. */
  mapping: ColumnMapping | null
}

/**
 * POST books/uploads/:uploadId/import: the result, or lines of JSON with the progress, the last of
 * which has the result
 */
export type ImportBody = Omit<ImportedStatement, 'exceptions'> & {
  differences: ImportedStatement['exceptions']
}
export type ImportEvent = { read: number } | { imported: number } | { takenBack: number }

/** POST books/files/:fileId/take-back: the result, or lines of JSON as of an import */
export type TakenBackBody = TakenBack
