// The JSON that commands print with --json, and in a failure.

import type { KeyKind } from '../domain/api-key.ts'
import type { AuditEntry } from '../domain/audit-chain.ts'
import { dayText } from '../domain/business-day.ts'
import type { AccountStatus, Environment } from '../domain/environment.ts'
import type { Anomaly } from '../domain/operator-report.ts'
import type { CheckoutSettings } from '../domain/payment-link.ts'
import type { Refusal, RefusalFacts, Refused } from '../domain/refusal.ts'
import { type KeptTariff, rateText } from '../domain/tariff.ts'
import {
  type Delivery,
  type DeliveryAttempt,
  deliveryName,
  eventsOf,
  type ListedEndpoint,
} from '../domain/webhook-event.ts'
import { isoTime, optionalTime } from './json.ts'
import { REDIRECTION_FIELDS } from './link.ts'
import { ORDER_FIELDS, TIME_PARAMETERS } from './payment.ts'

// Anomalies.

export const anomalyFields = (anomaly: Anomaly): object => ({
  anomaly: anomaly.anomalyId,
  reference: anomaly.reference,
  account: anomaly.accountId ?? undefined,
  operator: anomaly.operator,
  kind: anomaly.kind,
  at: isoTime(anomaly.at),
  detail: JSON.parse(anomaly.detail),
  resolved_at: optionalTime(anomaly.resolvedAt),
  resolved_by: anomaly.resolvedBy ?? undefined,
  note: anomaly.note ?? undefined,
})

// Entries of the audit log.

export const auditFields = ({ at, actor, action, subject, network, earlier, detail }: AuditEntry): object => ({
  at: isoTime(at),
  actor,
  action,
  subject,
  network: network ?? undefined,
  before: earlier ?? undefined,
  detail,
})

// A connection to a network.

interface Limit {
  atOnce: number
  perSecond?: number | undefined
}

interface ShownConnection {
  environment: string
  name: string
  connector: string | null
  serves: readonly string[]
  takes: boolean
  limits: { request: Limit; status: Limit } | undefined
  health: { state: string; since: number; why: string | null; misconfigured: number; seenAt: number } | undefined
  pause: { since: number; reason: string; pausedBy: string } | undefined
  refusals: readonly { operator: string; since: number; refusedAt: number; why: string }[]
}

interface ShownImport {
  lines: number
  added: number
  matched: number
  exceptions: object
  missing: number
  isRepeated: boolean
}

export const importFields = (imported: ShownImport): object => ({
  lines: imported.lines,
  added: imported.added,
  matched: imported.matched,
  differences: imported.exceptions,
  missing: imported.missing,
  imported_before: imported.isRepeated,
})

interface ShownException {
  exceptionId: string
  environment: Environment
  connection: string
  kind: string
  accountId: string | null
  amountXof: number
  at: number
  detail: string
}

export const exceptionFields = (exception: ShownException): object => ({
  difference: exception.exceptionId,
  environment: exception.environment,
  connection: exception.connection,
  kind: exception.kind,
  account: exception.accountId ?? undefined,
  amount: exception.amountXof,
  found_at: isoTime(exception.at),
  detail: JSON.parse(exception.detail),
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

export const connectionFields = (shown: ShownConnection): object => ({
  environment: shown.environment,
  connection: shown.name,
  connector: shown.connector,
  serves: shown.serves,
  takes: shown.takes,
  limits: shown.limits && { request: limitFields(shown.limits.request), status: limitFields(shown.limits.status) },
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

const limitFields = ({ atOnce, perSecond }: Limit): object => ({ at_once: atOnce, per_second: perSecond })

// Webhook deliveries.

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

interface ShownDelivery {
  delivery: Delivery
  attempts: readonly DeliveryAttempt[]
  paymentReference: string | undefined
}

export const shownDeliveryFields = ({ delivery, attempts, paymentReference }: ShownDelivery): object => ({
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
export const testedFields = (name: string, delivered: boolean, attempt: DeliveryAttempt | undefined): object => ({
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

/** A new signing secret: the only output that shows it. */
export const signingSecretFields = (endpointId: string, signingSecret: string | undefined): object => ({
  endpoint: endpointId,
  signing_secret: signingSecret,
})

export const endpointFields = (endpoint: ListedEndpoint): object => ({
  endpoint: endpoint.endpointId,
  account: endpoint.accountId,
  url: endpoint.url,
  events: eventsOf(endpoint),
  status: endpoint.status,
  created_at: isoTime(endpoint.createdAt),
  failing_since: optionalTime(endpoint.failingSince),
})

// A failed command: a code from a closed list, a sentence, and the facts.

/** The refusals that have facts. */
type WithFacts = { [Name in Refusal]: keyof RefusalFacts[Name] extends never ? never : Name }[Refusal]

const FACTS: { readonly [Name in WithFacts]: (facts: RefusalFacts[Name]) => object } = {
  header_missing: ({ header }) => ({ param: header }),
  body_incomplete: ({ missing }) => ({ param: missing && ORDER_FIELDS[missing] }),
  link_body_incomplete: ({ missing }) => ({ param: missing }),
  redirection_url_not_valid: ({ which }) => ({ param: REDIRECTION_FIELDS[which] }),
  time_filter_not_valid: ({ bound }) => ({ param: TIME_PARAMETERS[bound] }),
  after_not_valid: ({ parameter }) => ({ param: parameter }),
  external_reference_taken: ({ existingReference }) => ({ existing_reference: existingReference }),
  order_reference_taken: ({ existingReference }) => ({ existing_reference: existingReference }),
  payment_name_ambiguous: ({ references }) => ({ references }),
  payment_not_recorded_then: ({ createdAt }) => ({ created_at: isoTime(createdAt) }),
  payment_not_refundable: ({ status }) => ({ status }),
  link_closed: ({ state }) => ({ state }),
  payer_must_wait: ({ why, until }) => ({ why, until: isoTime(until) }),
  overlap_not_valid: ({ mostMs }) => ({ most_ms: mostMs }),
  wording_not_valid: ({ longest }) => ({ longest }),
  too_many_origins: ({ most }) => ({ most }),
  site_origin_not_valid: ({ origin, fault }) => ({
    origin,
    fault: fault.is,
    written_as: fault.is === 'written_otherwise' ? fault.origin : undefined,
  }),
  too_many_endpoints: ({ most }) => ({ most }),
  webhook_url_not_valid: ({ fault }) => ({ fault }),
  event_name_not_valid: ({ event }) => ({ event }),
  secret_hash_not_valid: ({ shortest, longest }) => ({ shortest, longest }),
  brand_name_not_valid: ({ longest }) => ({ longest }),
  logo_not_valid: ({ mostBytes }) => ({ most_bytes: mostBytes }),
  business_not_valid: ({ field }) => ({ field }),
  validation_not_ready: ({ missing }) => ({ missing }),
  document_not_valid: ({ mostBytes }) => ({ most_bytes: mostBytes }),
  too_many_documents: ({ most }) => ({ most }),
  key_name_not_valid: ({ longest }) => ({ longest }),
  key_network_not_valid: ({ network }) => ({ network }),
  too_many_keys: ({ most }) => ({ most }),
  key_right_not_held: ({ permission }) => ({ permission }),
  statement_query_not_valid: ({ parameter }) => ({ parameter }),
  statement_not_valid: ({ fault }) => ({ fault }),
  statement_columns_unknown: ({ headings }) => ({ headings }),
  note_not_valid: ({ longest }) => ({ longest }),
  proof_not_valid: ({ longest }) => ({ longest }),
  late_money_not_needed: ({ status }) => ({ status }),
  password_not_good: ({ fault }) => ({ fault }),
  too_many_tries: ({ until }) => ({ until: isoTime(until) }),
  too_many_invitations: ({ most }) => ({ most }),
  task_taken: ({ by }) => ({ by }),
}

export function refusalFactFields(refused: Refused): object {
  const fieldsOf = (FACTS as Partial<Record<Refusal, (facts: Refused) => object>>)[refused.refused]
  return fieldsOf?.(refused) ?? {}
}

export const failureFields = (code: string, message: string, facts: object): object => ({
  error: { code, message, ...facts },
})

// The keys of an account.

/** New keys: the only output that shows a secret key. */
export const keyPairFields = ({ publicKey, secretKey }: { publicKey: string; secretKey: string }): object => ({
  public_key: publicKey,
  secret_key: secretKey,
})

interface ListedKey {
  keyId: string
  kind: KeyKind
  shownAs: string
  createdAt: number
  expiresAt: number | null
}

export const keyFields = ({ keyId, kind, shownAs, createdAt, expiresAt }: ListedKey): object => ({
  key: keyId,
  kind,
  shown_as: shownAs,
  created_at: isoTime(createdAt),
  expires_at: optionalTime(expiresAt),
})

// Merchants, their accounts and their checkout settings.

interface NewAccount {
  accountId: string
  publicKey: string
  secretKey: string
  validated: boolean
}

interface NewMerchant {
  merchantId: string
  accounts: Record<Environment, NewAccount>
}

/** A new merchant: the only output that shows its secret keys. */
export const newMerchantFields = ({ merchantId, accounts }: NewMerchant): object => ({
  merchant: merchantId,
  sandbox: newAccountFields(accounts.sandbox),
  live: newAccountFields(accounts.live),
})

const newAccountFields = ({ accountId, publicKey, secretKey, validated }: NewAccount): object => ({
  account: accountId,
  public_key: publicKey,
  secret_key: secretKey,
  validated,
})

interface ListedMerchant {
  merchantId: string
  name: string
  createdAt: number
  accounts: readonly { environment: Environment; accountId: string; status: AccountStatus }[]
}

export function merchantFields({ merchantId, name, createdAt, accounts }: ListedMerchant): object {
  const byEnvironment = accounts.map(({ environment, accountId, status }) => [
    environment,
    { account: accountId, status },
  ])
  return { merchant: merchantId, name, created_at: isoTime(createdAt), ...Object.fromEntries(byEnvironment) }
}

export const checkoutSettingsFields = (accountId: string, settings: CheckoutSettings): object => ({
  account: accountId,
  methods: settings.methods,
  origins: settings.origins,
  pages: settings.pages,
  wording: settings.wording,
  page_titles: settings.pageTitles,
})

// Staff of the service.

interface ShownPerson {
  personId: string
  email: string
  name: string
  serviceRole: string | null
  totpSince: number | null
  lastSeenAt: number | null
}

export const operatorFields = (person: ShownPerson): object => ({
  person: person.personId,
  email: person.email,
  name: person.name,
  role: person.serviceRole,
  totp: person.totpSince !== null,
  last_seen_at: optionalTime(person.lastSeenAt),
})

export const firstSignInFields = ({
  personId,
  email,
  password,
}: {
  personId: string
  email: string
  password: string
}): object => ({ person: personId, email, password })

// The result of `karba verify`.

interface Sum {
  count: number
  amountXof: number
}

interface Verification {
  payments: number
  accounts: { accountId: string; byStatus: Record<string, Sum>; refunds: Sum }[]
  found: number
}

interface Finding {
  kind: string
  subject: string
  accountId: string | null
  message: string
}

const sumFields = ({ count, amountXof }: Sum): object => ({ count, amount: amountXof })

export const verificationFields = (
  { payments, accounts, found }: Verification,
  findings: readonly Finding[],
): object => ({
  clean: found === 0,
  payments,
  accounts: accounts.map(({ accountId, byStatus, refunds }) => ({
    account: accountId,
    ...Object.fromEntries(Object.entries(byStatus).map(([status, sum]) => [status, sumFields(sum)])),
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
