// Payment links and the attempts to pay them. The payment itself is a row of `payments`, in whose state the link's is (D-22); an
// attempt under way is named there too, so that there is never more than one.
import type { Environment } from '../../domain/environment.ts'
import type { FailureReason } from '../../domain/outcome.ts'
import type { LinkMethod } from '../../domain/payment-link.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import type { Database, Queries } from '../engine/database.ts'

export interface NewLink {
  accountId: string
  environment: Environment
  number: number
  /** The payment's. */
  reference: string
  publicReference: string
  externalReference: string
  linkReference: string
  amountXof: number
  customerName: string | null
  title: string
  description: string | null
  onSuccessUrl: string | null
  onFailedUrl: string | null
  origin: string | null
  createdAt: number
  expiresAt: number | null
}

/** False when the account has a payment with this external reference (D-16). */
export async function insertInitiatedPayment(tx: Queries, link: NewLink): Promise<boolean> {
  const { accountId, environment, number, reference, publicReference, externalReference, amountXof } = link
  const changed = await tx.change(
    `insert into payments (account_id, environment, number, reference, public_reference, external_reference, status,
       amount_xof, country, customer_name, created_at)
     values ($1, $2, $3, $4, $5, $6, 'initiated', $7, '', $8, $9) on conflict do nothing`,
    [
      accountId,
      environment,
      number,
      reference,
      publicReference,
      externalReference,
      amountXof,
      link.customerName,
      link.createdAt,
    ],
  )
  return changed === 1
}

/** False when a link, anybody's, has this reference. */
export async function insertLink(tx: Queries, link: NewLink): Promise<boolean> {
  const { accountId, number, linkReference, title, description, onSuccessUrl, onFailedUrl, origin } = link
  const changed = await tx.change(
    `insert into payment_links (account_id, number, reference, title, description, on_success_url, on_failed_url, origin,
       created_at, expires_at, due_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) on conflict do nothing`,
    [
      accountId,
      number,
      linkReference,
      title,
      description,
      onSuccessUrl,
      onFailedUrl,
      origin,
      link.createdAt,
      link.expiresAt,
    ],
  )
  return changed === 1
}

/** A link with its payment, its merchant, and its latest attempt. */
export interface LinkRow {
  account_id: string
  number: number
  link_reference: string
  title: string
  description: string | null
  on_success_url: string | null
  on_failed_url: string | null
  origin: string | null
  expires_at: number | null
  environment: Environment
  reference: string
  public_reference: string
  external_reference: string
  status: PaymentStatus
  failure_reason: FailureReason | null
  amount_xof: number
  validated_at: number | null
  attempt_reference: string | null
  merchant_name: string
  account_status: string
  link_methods: string
  origins: string
  attempts: number
  method: LinkMethod | null
  attempt_status: 'pending' | 'succeeded' | 'failed' | null
  attempt_failure_reason: FailureReason | null
  msisdn_written: string | null
  provider_url: string | null
}

const LINK = `select l.account_id, l.number, l.reference as link_reference, l.title, l.description, l.on_success_url,
    l.on_failed_url, l.origin, l.expires_at, p.environment, p.reference, p.public_reference, p.external_reference,
    p.status, p.failure_reason, p.amount_xof, p.validated_at, p.attempt_reference, m.name as merchant_name,
    a.status as account_status, a.link_methods, a.origins, coalesce(t.attempt, 0) as attempts, t.method,
    t.status as attempt_status, t.failure_reason as attempt_failure_reason, t.msisdn_written, t.provider_url
  from payment_links l
  join payments p on p.account_id = l.account_id and p.number = l.number
  join accounts a on a.account_id = l.account_id
  join merchants m on m.merchant_id = a.merchant_id
  left join payment_attempts t on t.account_id = l.account_id and t.number = l.number and t.attempt = (
    select max(u.attempt) from payment_attempts u where u.account_id = l.account_id and u.number = l.number)`

export function findLink(db: Database, linkReference: string): Promise<LinkRow | undefined> {
  return db.find<LinkRow>(`${LINK} where l.reference = $1`, [linkReference])
}

/** The same within a transaction. */
export async function findLinkIn(tx: Queries, linkReference: string): Promise<LinkRow | undefined> {
  const [row] = await tx.rows<LinkRow>(`${LINK} where l.reference = $1`, [linkReference])
  return row
}

/** The payment behind a link of this account; undefined when the account has no such link. */
export async function paymentOfLink(
  db: Database,
  accountId: string,
  linkReference: string,
): Promise<string | undefined> {
  const row = await db.find<{ reference: string }>(
    `select p.reference from payment_links l join payments p on p.account_id = l.account_id and p.number = l.number
     where l.reference = $2 and l.account_id = $1`,
    [accountId, linkReference],
  )
  return row?.reference
}

export async function linkOfPayment(tx: Queries, accountId: string, number: number): Promise<string | undefined> {
  const [row] = await tx.rows<{ reference: string }>(
    'select reference from payment_links where account_id = $1 and number = $2',
    [accountId, number],
  )
  return row?.reference
}

export interface NewAttempt {
  accountId: string
  number: number
  attempt: number
  attemptReference: string
  method: LinkMethod
  operator: string
  country: string
  msisdn: string | null
  msisdnWritten: string | null
  at: number
  /** When the operator was told; null when somebody is to tell it. */
  handedOverAt: number | null
  dueAt: number
}

/**
 * Of any number of tabs one begins; false for the others, and for a link that is closed. On PostgreSQL others may have begun and failed since
 * the caller read the link, so the count is looked at here too.
 */
export async function beginAttempt(tx: Queries, from: 'initiated' | 'pending', begun: NewAttempt): Promise<boolean> {
  const changed = await tx.change(
    `update payments set status = 'pending', attempt_reference = $4, operator = $5, country = $6, msisdn = $7,
       msisdn_written = $8, due_at = $9, handed_over_at = $10, asked_times = 0, attempt_at = $11
     where account_id = $1 and number = $2 and status = $3 and attempt_reference is null and not exists (
       select 1 from payment_attempts t where t.account_id = $1 and t.number = $2 and t.attempt >= $12)`,
    [
      begun.accountId,
      begun.number,
      from,
      begun.attemptReference,
      begun.operator,
      begun.country,
      begun.msisdn,
      begun.msisdnWritten,
      begun.dueAt,
      begun.handedOverAt,
      begun.at,
      begun.attempt,
    ],
  )
  return changed === 1
}

export async function insertPaymentAttempt(tx: Queries, begun: NewAttempt): Promise<void> {
  const { accountId, number, attempt, attemptReference, method, operator, msisdnWritten, at } = begun
  await tx.change(
    `insert into payment_attempts
       (account_id, number, attempt, reference, method, operator, msisdn_written, status, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8)`,
    [accountId, number, attempt, attemptReference, method, operator, msisdnWritten, at],
  )
}

export async function setProviderUrl(db: Queries, attemptReference: string, url: string): Promise<void> {
  await db.change('update payment_attempts set provider_url = $2 where reference = $1', [attemptReference, url])
}

/** The link is open again; false when this attempt was no longer the one under way. */
export async function releaseAttempt(
  tx: Queries,
  accountId: string,
  number: number,
  attemptReference: string,
): Promise<boolean> {
  const changed = await tx.change(
    `update payments set attempt_reference = null, operator = null, msisdn = null, msisdn_written = null, due_at = null,
       handed_over_at = null, asked_times = 0
     where account_id = $1 and number = $2 and status = 'pending' and attempt_reference = $3`,
    [accountId, number, attemptReference],
  )
  return changed === 1
}

export async function endAttempt(
  tx: Queries,
  attemptReference: string,
  ended: { status: 'succeeded' | 'failed'; failureReason: FailureReason | null; at: number },
): Promise<boolean> {
  const changed = await tx.change(
    `update payment_attempts set status = $2, failure_reason = $3, ended_at = $4
     where reference = $1 and status = 'pending'`,
    [attemptReference, ended.status, ended.failureReason, ended.at],
  )
  return changed === 1
}

export async function attemptStatus(tx: Queries, attemptReference: string): Promise<string | undefined> {
  const [row] = await tx.rows<{ status: string }>('select status from payment_attempts where reference = $1', [
    attemptReference,
  ])
  return row?.status
}

/** A link that nobody is paying just now; false when somebody is, or when it is closed. */
export async function closeUnpaid(
  tx: Queries,
  { accountId, number }: { accountId: string; number: number },
  from: 'initiated' | 'pending',
  failureReason: FailureReason,
): Promise<boolean> {
  const changed = await tx.change(
    `update payments set status = 'failed', failure_reason = $4, due_at = null
     where account_id = $1 and number = $2 and status = $3 and attempt_reference is null`,
    [accountId, number, from, failureReason],
  )
  return changed === 1
}

/** Nobody has to look at it any more, or not before `dueAt`. */
export async function setLinkDue(
  tx: Queries,
  { accountId, number }: { accountId: string; number: number },
  dueAt: number | null,
): Promise<void> {
  await tx.change('update payment_links set due_at = $3 where account_id = $1 and number = $2', [
    accountId,
    number,
    dueAt,
  ])
}

/** Links whose time is over, to be looked at by whoever takes them. */
export async function claimExpired(db: Database, now: number, leaseMs: number, most: number): Promise<string[]> {
  const rows = await db.claim<{ reference: string }>(
    `with due as materialized (
       select reference as due_reference from payment_links where due_at <= $1 order by due_at limit $3 /* skip locked */
     )
     update payment_links set due_at = $2 from due where reference = due_reference returning reference`,
    [now, now + leaseMs, most],
  )
  return rows.map(({ reference }) => reference)
}
