// Payment links, the attempts to pay them, and posters. The payment itself is a row of `payments`,
// and the link's state follows from its status (D-22).

import type { LinkAttempt, OpenAmount, PaymentLink } from '../../domain/links/payment-link.ts'
import type { LinkMethod } from '../../domain/methods/methods.ts'
import { type PayerStep, payerStepText } from '../../domain/methods/payer-step.ts'
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import type { PaymentNames } from '../../domain/payments/payment.ts'
import { NOTHING_ADDED } from '../../domain/payments/payment-fields.ts'
import type { FailureReason, PaymentStatus } from '../../domain/payments/payment-status.ts'
import type { Scope } from '../../domain/people/caller.ts'
import { type Database, ofEachAccount, type Queries } from '../engine/database.ts'
import { addedValues, PAYMENT_NAMES } from '../payments/payments.ts'
import {
  changesOne,
  columnsOf,
  firstRow,
  firstValue,
  inScope,
  insertNew,
  insertRow,
  isAnyDue,
  isAnyRow,
  ofTable,
  scopeValues,
  updateOne,
  updateRows,
} from '../rows.ts'

/** What a new link has of the link that it becomes. */
type OwnFields =
  | 'environment'
  | 'linkReference'
  | 'amountXof'
  | 'title'
  | 'description'
  | 'createdAt'
  | 'expiresAt'

export interface NewLink
  extends PaymentNames,
    Pick<PaymentLink, OwnFields | 'onSuccessUrl' | 'onFailedUrl' | 'origin'> {
  customerName: string | null
  openAmount: OpenAmount | null
  isReusable: boolean
  /** The poster that its payer came from. */
  posterNumber: number | null
}

/** False when the account has a payment with this external reference (D-16). */
export async function insertInitiatedPayment(tx: Queries, link: NewLink): Promise<boolean> {
  const {
    accountId,
    environment,
    number,
    reference,
    publicReference,
    externalReference,
    amountXof,
  } = link
  return insertNew(tx, 'payments', {
    accountId,
    environment,
    number,
    reference,
    publicReference,
    externalReference,
    status: 'initiated',
    amountXof,
    country: '',
    method: null,
    customerName: link.customerName,
    createdAt: link.createdAt,
    createdBy: link.createdBy,
    ...addedValues(link),
  })
}

/** False when a link of any account has this reference. */
export async function insertLink(tx: Queries, link: NewLink): Promise<boolean> {
  const {
    accountId,
    number,
    linkReference,
    title,
    description,
    onSuccessUrl,
    onFailedUrl,
    origin,
  } = link
  return insertNew(tx, 'payment_links', {
    accountId,
    number,
    reference: linkReference,
    title,
    description,
    onSuccessUrl,
    onFailedUrl,
    origin,
    createdAt: link.createdAt,
    expiresAt: link.expiresAt,
    dueAt: link.expiresAt,
    minimumAmountXof: link.openAmount?.minimumXof ?? null,
    suggestedAmounts: link.openAmount?.suggestedXof.join(',') ?? '',
    posterNumber: link.posterNumber,
  })
}

/** How the merchant of a link looks, and what its account allows. */
const SHOP_FIELDS = {
  colour: 'b.colour',
  logoHash: 'b.logo_hash',
  linkMethods: 'a.link_methods',
  origins: 'a.origins',
  pages: 'a.pages',
  pageWording: 'a.page_wording',
  pageTitles: 'a.page_titles',
}
const SHOP = {
  merchantName: 'coalesce(b.brand_name, m.name)',
  shopPhone: 'b.phone',
  accountStatus: 'a.status',
}

const LINK_FIELDS = columnsOf<PaymentLink>({
  ...ofTable('p', PAYMENT_NAMES),
  environment: 'p.environment',
  status: 'p.status',
  failureReason: 'p.failure_reason',
  amountXof: 'p.amount_xof',
  validatedAt: 'p.validated_at',
  attemptReference: 'p.attempt_reference',
  msisdnWritten: 'p.msisdn_written',
  operator: 'p.operator',
  operatorReference: 'p.operator_reference',
  minimumAmountXof: 'l.minimum_amount_xof',
  suggestedAmounts: 'l.suggested_amounts',
  title: 'l.title',
  description: 'l.description',
  onSuccessUrl: 'l.on_success_url',
  onFailedUrl: 'l.on_failed_url',
  origin: 'l.origin',
  createdAt: 'l.created_at',
  expiresAt: 'l.expires_at',
  ...SHOP_FIELDS,
  method: 't.method',
  payerStep: 't.payer_step',
  ...SHOP,
  linkReference: 'l.reference',
  collected: 'cast(null as text)',
  attempts: 'coalesce(t.attempt, 0)',
  attemptStatus: 't.status',
  attemptFailureReason: 't.failure_reason',
  debitMethod: 'p.method',
  attemptAt: 't.created_at',
  browserHash:
    '(select w.browser_hash from payment_attempts w where w.reference = p.attempt_reference)',
})

const PAYMENT_OF_LINK = 'join payments p on p.account_id = l.account_id and p.number = l.number'
const SHOP_AND_ATTEMPT = `join merchants m on m.merchant_id = a.merchant_id
  left join merchant_profiles b on b.merchant_id = a.merchant_id
  left join payment_attempts t on t.account_id = l.account_id and t.number = l.number
    and t.attempt = (
    select max(u.attempt) from payment_attempts u
    where u.account_id = l.account_id and u.number = l.number)`

const LINK = `select ${LINK_FIELDS} from payment_links l ${PAYMENT_OF_LINK}
  join accounts a on a.account_id = l.account_id ${SHOP_AND_ATTEMPT}`

const linkSql = (scope: Scope): string =>
  `${LINK} where l.reference = :linkReference${inScope(scope, 'l.account_id')}`

export const findLink = (db: Queries, scope: Scope, linkReference: string) =>
  firstRow<PaymentLink>(db, linkSql(scope), { linkReference, ...scopeValues(scope) })

/** The link of a payment: for a payer who came from a poster, their own. */
export const findLinkOfPayment = (db: Queries, accountId: string, number: number) =>
  firstRow<PaymentLink>(db, `${LINK} where l.account_id = :accountId and l.number = :number`, {
    accountId,
    number,
  })

/** Newest first, with payment numbers from `from` and below `below`. */
export function listLinks(
  db: Queries,
  { accountId }: Scope,
  { from, below, status }: { from: number; below: number; status: PaymentStatus | undefined },
  most: number,
): Promise<PaymentLink[]> {
  if (accountId !== null) {
    const ofStatus = status === undefined ? '' : ` and p.status = '${status}'`
    return db.read<PaymentLink>(
      `${LINK} where l.account_id = :accountId and l.number >= :from
        and l.number < :below${ofStatus}
       order by l.number desc limit :most`,
      { accountId, from, below, most },
    )
  }
  // For all accounts: the newest `most` of each by number, then the newest of those.
  const isOfStatus = status === undefined ? '' : ` and ${STATUS_OF_LINK} = '${status}'`
  const sql = ofEachAccount(
    { table: 'payment_links', as: 'l', key: ['number'] },
    `and q.number >= :from and q.number < :below${isOfStatus} order by q.number desc limit :most`,
    (
      joined,
    ) => `select ${LINK_FIELDS} from accounts a ${joined} ${PAYMENT_OF_LINK} ${SHOP_AND_ATTEMPT}
      order by l.number desc limit :most`,
  )
  return db.read<PaymentLink>(sql, { from, below, most })
}

/** Of the link `q`. */
const STATUS_OF_LINK =
  '(select s.status from payments s where s.account_id = q.account_id and s.number = q.number)'

/** The payment behind a link of this account; undefined when the account has no such link. */
export const paymentOfLink = (db: Queries, accountId: string, linkReference: string) =>
  firstValue<string>(
    db,
    `select p.reference from payment_links l
     join payments p on p.account_id = l.account_id and p.number = l.number
     where l.reference = :linkReference and l.account_id = :accountId`,
    { accountId, linkReference },
  )

/**
 * The link that the merchant made: for the payment of a payer who came from a poster, the poster.
 */
export const linkOfPayment = (tx: Queries, accountId: string, number: number) =>
  firstValue<string>(
    tx,
    `select coalesce(o.reference, l.reference) as reference from payment_links l
     left join posters o on o.account_id = l.account_id and o.number = l.poster_number
     where l.account_id = :accountId and l.number = :number`,
    { accountId, number },
  )

type LinkKey = Pick<PaymentLink, 'accountId' | 'number'>

/**
 * Fails the payment of a link without a current attempt; false when there is one, or the link is
 * closed.
 */
export function closeUnpaid(
  tx: Queries,
  { accountId, number }: LinkKey,
  from: 'initiated' | 'pending',
  failureReason: FailureReason,
): Promise<boolean> {
  const failed = { status: 'failed', failureReason, dueAt: null }
  return updateOne(
    tx,
    'payments',
    { accountId, number, status: from },
    failed,
    'attempt_reference is null',
  )
}

/** When the worker checks next whether the link has expired; null for never. */
export const setLinkDue = (tx: Queries, { accountId, number }: LinkKey, dueAt: number | null) =>
  updateRows(tx, 'payment_links', { accountId, number }, { dueAt })

/** After an attempt that failed: at once, where the link has expired during it. */
export const setLinkDueAtExpiry = (tx: Queries, { accountId, number }: LinkKey) =>
  tx.change(
    `update payment_links set due_at = expires_at
     where account_id = :accountId and number = :number`,
    { accountId, number },
  )

/** Links that are due for an expiry check, claimed for `leaseMs`. */
export async function claimExpired(
  db: Database,
  now: number,
  leaseMs: number,
  most: number,
): Promise<string[]> {
  if (!(await isAnyDue(db, 'payment_links', now))) return []
  const rows = await db.write<{ reference: string }>(
    `with due as materialized (
       select reference as due_reference from payment_links where due_at <= :now
       order by due_at limit :most ${db.skipLocked}
     )
     update payment_links set due_at = :dueAt from due where reference = due_reference
     returning reference`,
    { now, dueAt: now + leaseMs, most },
  )
  return rows.map(({ reference }) => reference)
}

// Attempts to pay a link. The payment's row has the reference of the current attempt, so that there
// is only one.

const ATTEMPT = columnsOf<LinkAttempt>({
  attempt: 'attempt',
  method: 'method',
  operator: 'operator',
  status: 'status',
  failureReason: 'failure_reason',
  createdAt: 'created_at',
  endedAt: 'ended_at',
})

export const listLinkAttempts = (db: Queries, accountId: string, number: number) =>
  db.read<LinkAttempt>(
    `select ${ATTEMPT} from payment_attempts where account_id = :accountId and number = :number
      order by attempt`,
    { accountId, number },
  )

type OfPayment =
  | 'accountId'
  | 'number'
  | 'environment'
  | 'operator'
  | 'connection'
  | 'msisdnWritten'
  | 'amountXof'

/** `handedOverAt` is null when the request still has to be sent. */
export interface NewAttempt extends Pick<OperatorPayment, OfPayment | 'handedOverAt'> {
  attempt: number
  attemptReference: string
  method: LinkMethod
  country: string
  msisdn: string | null
  at: number
  dueAt: number
  /** Whose phone rings; null for a provider's page, and for a test number. */
  promptedMsisdn: string | null
  /** The account, when an unsigned page made the link. */
  pageAccount: string | null
  /** Of what the browser that begins it shows that by. */
  browserHash: string
}

/**
 * Of several browser tabs one begins the attempt; false for the others, and for a closed link. On
 * PostgreSQL other attempts may have begun and failed since the caller read the link, so the number
 * of attempts is checked here too.
 */
export function beginAttempt(
  tx: Queries,
  from: 'initiated' | 'pending',
  begun: NewAttempt,
): Promise<boolean> {
  const {
    accountId,
    number,
    attempt,
    attemptReference,
    operator,
    connection,
    country,
    dueAt,
    handedOverAt,
    at,
  } = begun
  return changesOne(
    tx,
    `update payments
     set status = 'pending', attempt_reference = :attemptReference, operator = :operator,
     country = :country, msisdn = :msisdn,
       msisdn_written = :msisdnWritten, due_at = :dueAt, handed_over_at = :handedOverAt,
         accepted_at = null, polls = 0, attempt_at = :at,
       connection = :connection, method = :method, network_id = null,
       claims = case when cast(:dueAt as bigint) > cast(:at as bigint) then 1 else 0 end
     where account_id = :accountId and number = :number and status = :from
       and attempt_reference is null and not exists (
       select 1 from payment_attempts t
       where t.account_id = :accountId and t.number = :number and t.attempt >= :attempt)`,
    {
      accountId,
      number,
      from,
      attemptReference,
      operator,
      country,
      msisdn: begun.msisdn,
      msisdnWritten: begun.msisdnWritten,
      dueAt,
      handedOverAt,
      at,
      attempt,
      connection,
      method: begun.method,
    },
  )
}

export async function insertPaymentAttempt(tx: Queries, begun: NewAttempt): Promise<void> {
  const {
    accountId,
    number,
    attempt,
    attemptReference,
    method,
    operator,
    connection,
    msisdnWritten,
    at,
  } = begun
  const { environment, promptedMsisdn, pageAccount, browserHash, amountXof } = begun
  await insertRow(tx, 'payment_attempts', {
    accountId,
    number,
    attempt,
    reference: attemptReference,
    method,
    operator,
    msisdnWritten,
    status: 'pending',
    createdAt: at,
    environment,
    msisdn: promptedMsisdn,
    pageAccount,
    browserHash,
    connection,
    amountXof,
  })
}

export const setPayerStep = (db: Queries, reference: string, step: PayerStep) =>
  updateRows(db, 'payment_attempts', { reference }, { payerStep: payerStepText(step) })

/** The network's own id of an attempt. False when there is no such attempt. */
export const setNetworkId = (tx: Queries, attemptReference: string, networkId: string) =>
  updateOne(tx, 'payment_attempts', { reference: attemptReference }, { networkId })

/** Opens the link again; false when this attempt is no longer the current one. */
export const releaseAttempt = (
  tx: Queries,
  accountId: string,
  number: number,
  attemptReference: string,
) =>
  changesOne(
    tx,
    `update payments
     set attempt_reference = null, method = null, operator = null, connection = null, msisdn = null,
     msisdn_written = null, due_at = null,
       handed_over_at = null, accepted_at = null, network_id = null, polls = 0, claims = 0
     where account_id = :accountId and number = :number and status = 'pending'
       and attempt_reference = :attemptReference`,
    { accountId, number, attemptReference },
  )

export const endAttempt = (
  tx: Queries,
  attemptReference: string,
  {
    at,
    ...ended
  }: { status: 'succeeded' | 'failed'; failureReason: FailureReason | null; at: number },
) =>
  updateOne(
    tx,
    'payment_attempts',
    { reference: attemptReference, status: 'pending' },
    { ...ended, endedAt: at },
  )

/** failed → succeeded: its money came late, and a person accepted it. */
export const acceptLateAttempt = (tx: Queries, reference: string) =>
  updateRows(
    tx,
    'payment_attempts',
    { reference, status: 'failed' },
    { status: 'succeeded', failureReason: null },
  )

export const attemptStatus = (tx: Queries, attemptReference: string) =>
  firstValue<string>(tx, 'select status from payment_attempts where reference = :linkReference', {
    linkReference: attemptReference,
  })

/** What the payer of a link without an amount typed. Nothing is asked of an operator yet. */
export function setTypedAmount(
  tx: Queries,
  { accountId, number }: LinkKey,
  amountXof: number,
): Promise<number> {
  const isUnpaid = `attempt_reference is null and status in ('initiated', 'pending')`
  return updateRows(tx, 'payments', { accountId, number }, { amountXof }, isUnpaid)
}

// Posters: each payer gets a link and a payment of their own (D-92). A poster is no payment.

/** False when a poster has this reference. */
export async function insertPoster(tx: Queries, poster: NewLink): Promise<boolean> {
  const { accountId, number, linkReference, environment, publicReference, amountXof, openAmount } =
    poster
  return insertNew(tx, 'posters', {
    accountId,
    number,
    reference: linkReference,
    environment,
    publicReference,
    amountXof: openAmount === null ? amountXof : null,
    minimumAmountXof: openAmount?.minimumXof ?? null,
    suggestedAmounts: openAmount?.suggestedXof.join(',') ?? '',
    title: poster.title,
    description: poster.description,
    onSuccessUrl: poster.onSuccessUrl,
    onFailedUrl: poster.onFailedUrl,
    metadata: poster.metadata,
    createdAt: poster.createdAt,
    expiresAt: poster.expiresAt,
  })
}

/** Whether a link or a poster of any account has it. */
export const isReferenceTaken = (tx: Queries, reference: string) =>
  isAnyRow(
    tx,
    `select 1 from payment_links
     where reference = :reference
     union all select 1 from posters
     where reference = :reference`,
    { reference },
  )

/** The fields of a link that a poster never has: no payer has chosen it. */
const UNPAID = {
  origin: null,
  createdBy: null,
  ...NOTHING_ADDED,
  status: 'initiated',
  failureReason: null,
  validatedAt: null,
  attemptReference: null,
  attempts: 0,
  method: null,
  attemptStatus: null,
  attemptFailureReason: null,
  msisdnWritten: null,
  payerStep: null,
  attemptAt: null,
  browserHash: null,
  debitMethod: null,
  operator: null,
  operatorReference: null,
} as const satisfies Partial<PaymentLink>

interface PosterRow
  extends Omit<PaymentLink, keyof typeof UNPAID | 'reference' | 'externalReference' | 'collected'>,
    Pick<PaymentLink, 'metadata'> {
  closedAt: number | null
  payments: number
  collectedXof: number
}

const POSTER = columnsOf<PosterRow>({
  accountId: 'o.account_id',
  number: 'o.number',
  environment: 'o.environment',
  publicReference: 'o.public_reference',
  metadata: 'o.metadata',
  title: 'o.title',
  description: 'o.description',
  onSuccessUrl: 'o.on_success_url',
  onFailedUrl: 'o.on_failed_url',
  createdAt: 'o.created_at',
  expiresAt: 'o.expires_at',
  closedAt: 'o.closed_at',
  collectedXof: 'o.collected_xof',
  minimumAmountXof: 'o.minimum_amount_xof',
  suggestedAmounts: 'o.suggested_amounts',
  ...SHOP_FIELDS,
  ...SHOP,
  linkReference: 'o.reference',
  amountXof: 'coalesce(o.amount_xof, o.minimum_amount_xof)',
  payments: 'o.payments_count',
})

const POSTERS = `select ${POSTER} from posters o join accounts a on a.account_id = o.account_id
  join merchants m on m.merchant_id = a.merchant_id
  left join merchant_profiles b on b.merchant_id = a.merchant_id`

export async function findPoster(
  db: Queries,
  scope: Scope,
  reference: string,
): Promise<PaymentLink | undefined> {
  const sql = `${POSTERS} where o.reference = :reference${inScope(scope, 'o.account_id')}`
  const row = await firstRow<PosterRow>(db, sql, { reference, ...scopeValues(scope) })
  return row && asLink(row)
}

/** By its number, in whatever account. Uses the primary key in each. */
export const findPosterReference = (db: Queries, number: number) =>
  firstValue<string>(
    db,
    `select o.reference
     from accounts a join posters o on o.account_id = a.account_id and o.number = :number`,
    { number },
  )

/**
 * Newest first, numbers from `from` and below `below`. An open poster is initiated, a closed one
 * failed.
 */
export async function listPosters(
  db: Queries,
  scope: Scope,
  { from, below, status }: { from: number; below: number; status: PaymentStatus | undefined },
  most: number,
): Promise<PaymentLink[]> {
  if (status !== undefined && status !== 'initiated' && status !== 'failed') return []
  const ofStatus =
    status === undefined ? '' : ` and o.closed_at is ${status === 'failed' ? 'not ' : ''}null`
  const rows = await db.read<PosterRow>(
    `${POSTERS} where o.number >= :from
      and o.number < :below${ofStatus}${inScope(scope, 'o.account_id')}
     order by o.number desc limit :most`,
    { from, below, most, ...scopeValues(scope) },
  )
  return rows.map(asLink)
}

/** In the form of an unpaid link: open, or closed by its merchant. */
function asLink(row: PosterRow): PaymentLink {
  const { closedAt, payments, collectedXof, ...poster } = row
  const closed = { status: 'failed', failureReason: 'cancelled' } as const
  return {
    ...UNPAID,
    ...poster,
    reference: row.linkReference,
    externalReference: row.linkReference,
    ...(closedAt !== null && closed),
    collected: { payments, amountXof: collectedXof },
  }
}

export const closePoster = (db: Queries, scope: Scope, reference: string, at: number) =>
  db.change(
    `update posters set closed_at = coalesce(closed_at, :at)
     where reference = :reference${inScope(scope)}`,
    { reference, at, ...scopeValues(scope) },
  )

/**
 * Counts a payment that a payer made from a poster, or takes it back; nothing for any other
 * payment.
 */
export const countOnPoster = (
  tx: Queries,
  { accountId, number }: LinkKey,
  { payments, amountXof }: { payments: 1 | 0 | -1; amountXof: number },
) =>
  tx.change(
    `update posters set payments_count = payments_count + :payments,
     collected_xof = collected_xof + :amountXof
     where account_id = :accountId and number = (
       select l.poster_number from payment_links l
       where l.account_id = :accountId and l.number = :number)`,
    { accountId, number, payments, amountXof },
  )
