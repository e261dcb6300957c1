// The JSON that commands print with --json, and in a failure.

import type { Anomaly } from '../domain/books/anomaly.ts'
import type { BookException, ImportedStatement } from '../domain/books/matching.ts'
import type { KeptStatementFile } from '../domain/books/statement.ts'
import { dayText } from '../domain/countries/business-day.ts'
import type { Account, Environment } from '../domain/environment.ts'
import { type KeptTariff, rateText } from '../domain/ledger/tariff.ts'
import type { CheckoutSettings } from '../domain/links/payment-link.ts'
import type { ListedConnection } from '../domain/operators/connection.ts'
import type { CallLimit } from '../domain/operators/operator-call.ts'
import type { KeyKind } from '../domain/people/api-key.ts'
import type { PersonRecord } from '../domain/people/person.ts'
import { readPermissions } from '../domain/people/role.ts'
import type { Refusal, RefusalFacts, Refused } from '../domain/refusals/refusal.ts'
import type { AuditEntry } from '../domain/verify/audit-chain.ts'
import type { Finding } from '../domain/verify/evidence.ts'
import {
  type Delivery,
  type DeliveryAttempt,
  deliveryName,
  eventsOf,
  failingSince,
  type ListedEndpoint,
} from '../domain/webhooks/webhook-event.ts'
import { isoTime, optionalTime } from './json.ts'
import { LINK_FIELDS } from './link.ts'
import { ORDER_FIELDS, TIME_PARAMETERS } from './payment.ts'

export const anomalyFields = (anomaly: Anomaly): object => ({
  anomaly: anomaly.anomalyId,
  reference: anomaly.reference,
  account: anomaly.accountId ?? undefined,
  operator: anomaly.operator,
  connection: `${anomaly.environment}/${anomaly.connection}`,
  kind: anomaly.kind,
  witness: anomaly.witness ?? undefined,
  at: isoTime(anomaly.at),
  detail: JSON.parse(anomaly.detail),
  resolved_at: optionalTime(anomaly.resolvedAt),
  resolved_by: anomaly.resolvedBy ?? undefined,
  note: anomaly.note ?? undefined,
})

export const auditFields = ({
  at,
  actor,
  action,
  subject,
  network,
  earlier,
  detail,
}: AuditEntry): object => ({
  at: isoTime(at),
  actor,
  action,
  subject,
  network: network ?? undefined,
  before: earlier ?? undefined,
  detail,
})

export const importFields = (imported: ImportedStatement): object => ({
  lines: imported.lines,
  added: imported.added,
  matched: imported.matched,
  differences: imported.exceptions,
  missing: imported.missing,
  imported_before: imported.isRepeated,
})

export const demoMonthFields = ({
  firstDay,
  lastDay,
  exceptions,
  ...counts
}: Record<'firstDay' | 'lastDay' | 'exceptions', number>): object => ({
  from: dayText(firstDay),
  to: dayText(lastDay),
  ...counts,
  differences: exceptions,
})

export const exceptionFields = (exception: BookException): object => ({
  difference: exception.exceptionId,
  environment: exception.environment,
  connection: exception.connection,
  kind: exception.kind,
  account: exception.accountId ?? undefined,
  amount: exception.amountXof,
  found_at: isoTime(exception.at),
  detail: JSON.parse(exception.detail),
})

export const statementFileFields = (file: KeptStatementFile): object => ({
  file: file.fileId,
  environment: file.environment,
  connection: file.connection,
  name: file.name,
  sha256: file.sha256,
  bytes: file.bytes,
  state: file.state,
  lines: file.lines,
  added: file.added,
  opening: file.openingXof,
  closing: file.closingXof,
  first_day: dayText(file.firstDay),
  last_day: dayText(file.lastDay),
  imported_at: isoTime(file.importedAt),
  imported_by: file.importedBy,
  taken_back_by: file.takenBackBy ?? undefined,
  kept: file.keptId !== null,
})

export const suggestionFields = (
  suggestion: Record<'reference' | 'externalReference' | 'accountId', string> &
    Record<'amountXof' | 'validatedAt', number>,
): object => ({
  payment: suggestion.reference,
  transaction_id: suggestion.externalReference,
  account: suggestion.accountId,
  amount: suggestion.amountXof,
  paid_at: isoTime(suggestion.validatedAt),
})

export const tariffFields = (tariff: KeptTariff): object => ({
  environment: tariff.environment,
  connection: tariff.connection,
  from: dayText(tariff.fromDay),
  rate_percent: rateText(tariff.rate).replace(' %', ''),
  fixed: tariff.fixedXof,
  minimum: tariff.minimumXof,
  maximum: tariff.maximumXof,
  rounding: tariff.rounding,
  set_by: tariff.setBy,
  set_at: isoTime(tariff.setAt),
})

export const connectionFields = (shown: ListedConnection): object => ({
  environment: shown.environment,
  connection: shown.name,
  connector: shown.connector,
  serves: shown.serves,
  takes: shown.takes,
  limits: shown.limits && {
    request: limitFields(shown.limits.request),
    status: limitFields(shown.limits.status),
  },
  health: shown.health && {
    state: shown.health.state,
    since: isoTime(shown.health.since),
    why: shown.health.why ?? undefined,
    misconfigured: shown.health.misconfigured === 1,
    seen_at: isoTime(shown.health.seenAt),
  },
  pause: shown.pause && {
    since: isoTime(shown.pause.since),
    reason: shown.pause.reason,
    paused_by: shown.pause.pausedBy,
  },
  refused: shown.refusals.map(({ operator, since, refusedAt, why }) => ({
    operator,
    since: isoTime(since),
    last_refused_at: isoTime(refusedAt),
    why,
  })),
})

const limitFields = ({ atOnce, perSecond }: CallLimit): object => ({
  at_once: atOnce,
  per_second: perSecond,
})

export const deliveryFields = (delivery: Delivery): object => ({
  delivery: deliveryName(delivery),
  account: delivery.accountId,
  endpoint: delivery.endpointId,
  event: delivery.event,
  event_id: delivery.eventId,
  status: delivery.status,
  attempts: delivery.attempts,
  created_at: isoTime(delivery.createdAt),
  next_attempt_at: optionalTime(delivery.dueAt),
  ended_at: optionalTime(delivery.endedAt),
})

type ShownDelivery = {
  delivery: Delivery
  attempts: readonly DeliveryAttempt[]
  paymentReference: string | undefined
}

export const shownDeliveryFields = ({
  delivery,
  attempts,
  paymentReference,
}: ShownDelivery): object => ({
  ...deliveryFields(delivery),
  reference: paymentReference,
  attempts: attempts.map((attempt) => ({
    at: isoTime(attempt.at),
    ...answerFields(attempt),
    answer: attempt.answer,
    next_attempt_at: optionalTime(attempt.nextAt),
  })),
})

/** The result of a test delivery; `attempt` is undefined until one was made. */
export const testedFields = (
  name: string,
  delivered: boolean,
  attempt: DeliveryAttempt | undefined,
): object => ({
  delivery: name,
  delivered,
  ...(attempt && answerFields(attempt)),
})

const answerFields = ({ durationMs, statusCode, error }: DeliveryAttempt) => ({
  duration_ms: durationMs,
  status: statusCode,
  error,
})

// Webhook endpoints. A Secret-Hash is never among the fields.

export const signingSecretFields = (
  endpointId: string,
  signingSecret: string | undefined,
): object => ({
  endpoint: endpointId,
  signing_secret: signingSecret,
})

export const endpointFields = (endpoint: ListedEndpoint, now: number): object => ({
  endpoint: endpoint.endpointId,
  account: endpoint.accountId,
  url: endpoint.url,
  events: eventsOf(endpoint),
  status: endpoint.status,
  created_at: isoTime(endpoint.createdAt),
  failing_since: optionalTime(failingSince(endpoint, now)),
  last_status_code: endpoint.lastStatusCode ?? undefined,
})

// A failed command: a code from a closed list, a sentence, and the facts.

/** Facts that are shown in another form than under their own names in snake_case. */
const SHOWN_FACTS: { readonly [Name in Refusal]?: (facts: RefusalFacts[Name]) => object } = {
  header_missing: ({ header }) => ({ param: header }),
  body_incomplete: ({ missing }) => ({ param: missing && ORDER_FIELDS[missing] }),
  link_body_incomplete: ({ missing }) => ({ param: missing }),
  redirection_url_not_valid: ({ which }) => ({ param: LINK_FIELDS[which] }),
  time_filter_not_valid: ({ bound }) => ({ param: TIME_PARAMETERS[bound] }),
  after_not_valid: ({ parameter }) => ({ param: parameter }),
  payment_not_recorded_then: ({ createdAt }) => ({ created_at: isoTime(createdAt) }),
  payer_must_wait: ({ why, until }) => ({ why, until: isoTime(until) }),
  site_origin_not_valid: ({ origin, fault }) => ({
    origin,
    fault: fault.is,
    written_as: fault.is === 'written_otherwise' ? fault.origin : undefined,
  }),
  too_many_tries: ({ until }) => ({ until: isoTime(until) }),
}

export function refusalFactFields({ refused, ...facts }: Refused): object {
  const shown = SHOWN_FACTS[refused] as ((facts: object) => object) | undefined
  return shown?.(facts) ?? snakeCased(facts)
}

const snakeCased = (facts: object): object =>
  Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
      fact,
    ]),
  )

export const failureFields = (code: string, message: string, facts: object): object => ({
  error: { code, message, ...facts },
})

/** New keys: the only output that shows a secret key. */
export const keyPairFields = ({ publicKey, secretKey }: KeyPair): object => ({
  public_key: publicKey,
  secret_key: secretKey,
})

/** A new key: the only output that shows it. */
export const madeKeyFields = (keyId: string, secretKey: string): object => ({
  key: keyId,
  secret_key: secretKey,
})

type ListedKey = {
  keyId: string
  kind: KeyKind
  shownAs: string
  createdAt: number
  expiresAt: number | null
  permissions: string | null
}

export const keyFields = ({
  keyId,
  kind,
  shownAs,
  createdAt,
  expiresAt,
  permissions,
}: ListedKey): object => ({
  key: keyId,
  kind,
  shown_as: shownAs,
  permissions: permissions === null ? undefined : readPermissions(permissions),
  created_at: isoTime(createdAt),
  expires_at: optionalTime(expiresAt),
})

type KeyPair = { publicKey: string; secretKey: string }
type NewAccount = KeyPair & { accountId: string; validated: boolean }
type NewMerchant = { merchantId: string; accounts: Record<Environment, NewAccount> }

/** A new merchant: the only output that shows its secret keys. */
export const newMerchantFields = ({ merchantId, accounts }: NewMerchant): object => ({
  merchant: merchantId,
  sandbox: newAccountFields(accounts.sandbox),
  live: newAccountFields(accounts.live),
})

const newAccountFields = ({ accountId, validated, ...keys }: NewAccount): object => ({
  account: accountId,
  ...keyPairFields(keys),
  validated,
})

type ListedMerchant = {
  merchantId: string
  name: string
  createdAt: number
  accounts: readonly Account[]
}

export function merchantFields({ merchantId, name, createdAt, accounts }: ListedMerchant): object {
  const byEnvironment = accounts.map(({ environment, accountId, status }) => [
    environment,
    { account: accountId, status },
  ])
  return {
    merchant: merchantId,
    name,
    created_at: isoTime(createdAt),
    ...Object.fromEntries(byEnvironment),
  }
}

export const checkoutSettingsFields = (accountId: string, settings: CheckoutSettings): object => ({
  account: accountId,
  methods: settings.methods,
  origins: settings.origins,
  pages: settings.pages,
  wording: settings.wording,
  page_titles: settings.pageTitles,
})

type ShownPerson = Pick<
  PersonRecord,
  'personId' | 'email' | 'name' | 'serviceRole' | 'totpSince' | 'lastSeenAt'
>

export const staffFields = (person: ShownPerson): object => ({
  person: person.personId,
  email: person.email,
  name: person.name,
  role: person.serviceRole,
  totp: person.totpSince !== null,
  last_seen_at: optionalTime(person.lastSeenAt),
})

export const firstSignInFields = (
  first: Record<'personId' | 'email' | 'password', string>,
): object => ({
  person: first.personId,
  email: first.email,
  password: first.password,
})

type Sum = { count: number; amountXof: number }
type SummedAccount = { accountId: string; byStatus: Record<string, Sum>; refunds: Sum }

const sumFields = ({ count, amountXof }: Sum): object => ({ count, amount: amountXof })

export const verificationFields = (
  { payments, accounts, found }: { payments: number; accounts: SummedAccount[]; found: number },
  findings: readonly (Finding & { message: string })[],
): object => ({
  clean: found === 0,
  payments,
  accounts: accounts.map(({ accountId, byStatus, refunds }) => ({
    account: accountId,
    ...Object.fromEntries(
      Object.entries(byStatus).map(([status, sum]) => [status, sumFields(sum)]),
    ),
    refunds_by_merchant: sumFields(refunds),
  })),
  found,
  findings: findings.map(({ kind, subject, accountId, message }) => ({
    kind,
    subject,
    account: accountId ?? undefined,
    message,
  })),
})
