// Payment links. The payment itself is a row of `payments`, and the link's state follows from its status (D-22). Attempts to pay a
// link are in link-attempts.ts.
import type { Scope } from '../../domain/caller.ts'
import type { Environment } from '../../domain/environment.ts'
import type { FailureReason } from '../../domain/outcome.ts'
import type { LinkMaker } from '../../domain/payment.ts'
import type { OpenAmount, PaymentLink } from '../../domain/payment-link.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import { columns } from '../engine/columns.ts'
import type { Database, Queries, Value } from '../engine/database.ts'
import { inScope, scopeValues } from '../engine/scope.ts'

export interface NewLink {
  accountId: string
  environment: Environment
  number: number
  /** The payment's reference. */
  reference: string
  publicReference: string
  externalReference: string
  createdBy: LinkMaker
  clientReference: string | null
  metadata: string | null
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
  openAmount: OpenAmount | null
  isReusable: boolean
  /** The poster that its payer came from. */
  posterNumber: number | null
}

/** False when the account has a payment with this external reference (D-16). */
export async function insertInitiatedPayment(tx: Queries, link: NewLink): Promise<boolean> {
  const { accountId, environment, number, reference, publicReference, externalReference, amountXof } = link
  const changed = await tx.change(
    `insert into payments (account_id, environment, number, reference, public_reference, external_reference, status,
       amount_xof, country, customer_name, created_at, created_by, client_reference, metadata)
     values ($1, $2, $3, $4, $5, $6, 'initiated', $7, '', $8, $9, $10, $11, $12) on conflict do nothing`,
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
      link.createdBy,
      link.clientReference,
      link.metadata,
    ],
  )
  return changed === 1
}

/** False when a link of any account has this reference. */
export async function insertLink(tx: Queries, link: NewLink): Promise<boolean> {
  const { accountId, number, linkReference, title, description, onSuccessUrl, onFailedUrl, origin } = link
  const changed = await tx.change(
    `insert into payment_links (account_id, number, reference, title, description, on_success_url, on_failed_url, origin,
       created_at, expires_at, due_at, minimum_amount_xof, suggested_amounts, poster_number)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13) on conflict do nothing`,
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
      link.openAmount?.minimumXof ?? null,
      link.openAmount?.suggestedXof.join(',') ?? '',
      link.posterNumber,
    ],
  )
  return changed === 1
}

const LINK = `select ${columns<PaymentLink>({
  minimumAmountXof: 'l.minimum_amount_xof',
  suggestedAmounts: 'l.suggested_amounts',
  collected: 'cast(null as text)',
  accountId: 'l.account_id',
  number: 'l.number',
  linkReference: 'l.reference',
  title: 'l.title',
  description: 'l.description',
  onSuccessUrl: 'l.on_success_url',
  onFailedUrl: 'l.on_failed_url',
  origin: 'l.origin',
  createdAt: 'l.created_at',
  expiresAt: 'l.expires_at',
  environment: 'p.environment',
  reference: 'p.reference',
  publicReference: 'p.public_reference',
  externalReference: 'p.external_reference',
  createdBy: 'p.created_by',
  clientReference: 'p.client_reference',
  metadata: 'p.metadata',
  status: 'p.status',
  failureReason: 'p.failure_reason',
  amountXof: 'p.amount_xof',
  validatedAt: 'p.validated_at',
  attemptReference: 'p.attempt_reference',
  merchantName: 'coalesce(b.brand_name, m.name)',
  colour: 'b.colour',
  logoHash: 'b.logo_hash',
  shopPhone: 'b.phone',
  accountStatus: 'a.status',
  linkMethods: 'a.link_methods',
  origins: 'a.origins',
  pages: 'a.pages',
  pageWording: 'a.page_wording',
  pageTitles: 'a.page_titles',
  attempts: 'coalesce(t.attempt, 0)',
  method: 't.method',
  attemptStatus: 't.status',
  attemptFailureReason: 't.failure_reason',
  msisdnWritten: 'p.msisdn_written',
  providerUrl: 't.provider_url',
  attemptAt: 't.created_at',
  browserHash: '(select w.browser_hash from payment_attempts w where w.reference = p.attempt_reference)',
  operator: 'p.operator',
  operatorReference: 'p.operator_reference',
})}
  from payment_links l
  join payments p on p.account_id = l.account_id and p.number = l.number
  join accounts a on a.account_id = l.account_id
  join merchants m on m.merchant_id = a.merchant_id
  left join merchant_profiles b on b.merchant_id = a.merchant_id
  left join payment_attempts t on t.account_id = l.account_id and t.number = l.number and t.attempt = (
    select max(u.attempt) from payment_attempts u where u.account_id = l.account_id and u.number = l.number)`

const linkSql = (scope: Scope): string => `${LINK} where l.reference = $1${inScope(scope, 2, 'l.account_id')}`

export async function findLink(db: Queries, scope: Scope, linkReference: string): Promise<PaymentLink | undefined> {
  const [link] = await db.rows<PaymentLink>(linkSql(scope), [linkReference, ...scopeValues(scope)])
  return link
}

/** The link of a payment: for a payer who came from a poster, their own. */
export async function findLinkOfPayment(
  db: Queries,
  accountId: string,
  number: number,
): Promise<PaymentLink | undefined> {
  const [link] = await db.rows<PaymentLink>(`${LINK} where l.account_id = $1 and l.number = $2`, [accountId, number])
  return link
}

/** Newest first, with payment numbers from `from` and below `below`. */
export function listLinks(
  db: Queries,
  { accountId }: Scope,
  { from, below, status }: { from: number; below: number; status: PaymentStatus | undefined },
  most: number,
): Promise<PaymentLink[]> {
  const values: Value[] = [from, below, most]
  const ofStatus = (of: string): string => (status === undefined ? '' : ` and ${of}.status = '${status}'`)
  if (accountId !== null) {
    const account = `$${values.push(accountId)}`
    const newest = `l.account_id = ${account} and l.number >= $1 and l.number < $2${ofStatus('p')} order by l.number desc limit $3`
    return db.rows<PaymentLink>(`${LINK} where ${newest}`, values)
  }
  // For all accounts: the newest `most` of each by number, then the newest of those.
  const some = `select k.number from payment_links k join payments q on q.account_id = k.account_id and q.number = k.number
    where k.account_id = a.account_id and k.number >= $1 and k.number < $2${ofStatus('q')} order by k.number desc limit $3`
  return db.rows<PaymentLink>(`${LINK} where l.number in (${some}) order by l.number desc limit $3`, values)
}

/** The payment behind a link of this account; undefined when the account has no such link. */
export async function paymentOfLink(
  db: Queries,
  accountId: string,
  linkReference: string,
): Promise<string | undefined> {
  const [row] = await db.rows<{ reference: string }>(
    `select p.reference from payment_links l join payments p on p.account_id = l.account_id and p.number = l.number
     where l.reference = $2 and l.account_id = $1`,
    [accountId, linkReference],
  )
  return row?.reference
}

/** The link that the merchant made: for the payment of a payer who came from a poster, the poster. */
export async function linkOfPayment(tx: Queries, accountId: string, number: number): Promise<string | undefined> {
  const [row] = await tx.rows<{ reference: string }>(
    `select coalesce(o.reference, l.reference) as reference from payment_links l
     left join posters o on o.account_id = l.account_id and o.number = l.poster_number
     where l.account_id = $1 and l.number = $2`,
    [accountId, number],
  )
  return row?.reference
}

/** Fails the payment of a link without a current attempt; false when there is one, or the link is closed. */
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

/** When the worker checks next whether the link has expired; null for never. */
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

/** Links that are due for an expiry check, claimed for `leaseMs`. */
export async function claimExpired(db: Database, now: number, leaseMs: number, most: number): Promise<string[]> {
  const rows = await db.rows<{ reference: string }>(
    `with due as materialized (
       select reference as due_reference from payment_links where due_at <= $1 order by due_at limit $3 ${db.skipLocked}
     )
     update payment_links set due_at = $2 from due where reference = due_reference returning reference`,
    [now, now + leaseMs, most],
  )
  return rows.map(({ reference }) => reference)
}
