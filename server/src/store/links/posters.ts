// Links that live on a poster: each payer gets a link and a payment of their own (D-92). A poster is no payment.
import type { Scope } from '../../domain/caller.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'
import { inScope, scopeValues } from '../engine/scope.ts'
import type { NewLink } from './payment-links.ts'

/** False when a poster has this reference. */
export async function insertPoster(tx: Queries, poster: NewLink): Promise<boolean> {
  const { accountId, number, linkReference, environment, publicReference, amountXof, openAmount } = poster
  const changed = await tx.change(
    `insert into posters (account_id, number, reference, environment, public_reference, amount_xof, minimum_amount_xof,
       suggested_amounts, title, description, on_success_url, on_failed_url, metadata, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict do nothing`,
    [
      ...[accountId, number, linkReference, environment, publicReference, openAmount === null ? amountXof : null],
      ...[openAmount?.minimumXof ?? null, openAmount?.suggestedXof.join(',') ?? '', poster.title, poster.description],
      ...[poster.onSuccessUrl, poster.onFailedUrl, poster.metadata, poster.createdAt, poster.expiresAt],
    ],
  )
  return changed === 1
}

/** Whether a link or a poster of any account has it. */
export async function isReferenceTaken(tx: Queries, reference: string): Promise<boolean> {
  const found = await tx.rows(
    'select 1 from payment_links where reference = $1 union all select 1 from posters where reference = $1',
    [reference],
  )
  return found.length > 0
}

interface PosterRow
  extends Pick<
    PaymentLink,
    | 'accountId'
    | 'number'
    | 'linkReference'
    | 'title'
    | 'description'
    | 'onSuccessUrl'
    | 'onFailedUrl'
    | 'createdAt'
    | 'expiresAt'
    | 'environment'
    | 'publicReference'
    | 'metadata'
    | 'merchantName'
    | 'colour'
    | 'logoHash'
    | 'shopPhone'
    | 'accountStatus'
    | 'linkMethods'
    | 'origins'
    | 'pages'
    | 'pageWording'
    | 'pageTitles'
    | 'minimumAmountXof'
    | 'suggestedAmounts'
    | 'amountXof'
  > {
  closedAt: number | null
  payments: number
  collectedXof: number
}

const POSTER = columns<PosterRow>({
  accountId: 'o.account_id',
  number: 'o.number',
  linkReference: 'o.reference',
  title: 'o.title',
  description: 'o.description',
  onSuccessUrl: 'o.on_success_url',
  onFailedUrl: 'o.on_failed_url',
  createdAt: 'o.created_at',
  expiresAt: 'o.expires_at',
  environment: 'o.environment',
  publicReference: 'o.public_reference',
  metadata: 'o.metadata',
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
  minimumAmountXof: 'o.minimum_amount_xof',
  suggestedAmounts: 'o.suggested_amounts',
  amountXof: 'coalesce(o.amount_xof, o.minimum_amount_xof)',
  closedAt: 'o.closed_at',
  payments: 'o.payments_count',
  collectedXof: 'o.collected_xof',
})

const POSTERS = `select ${POSTER} from posters o join accounts a on a.account_id = o.account_id
  join merchants m on m.merchant_id = a.merchant_id
  left join merchant_profiles b on b.merchant_id = a.merchant_id`

export async function findPoster(db: Queries, scope: Scope, reference: string): Promise<PaymentLink | undefined> {
  const [row] = await db.rows<PosterRow>(`${POSTERS} where o.reference = $1${inScope(scope, 2, 'o.account_id')}`, [
    reference,
    ...scopeValues(scope),
  ])
  return row && asLink(row)
}

/** Newest first, with numbers from `from` and below `below`. A poster is initiated while it is open, and failed once it is closed. */
export async function listPosters(
  db: Queries,
  scope: Scope,
  { from, below, status }: { from: number; below: number; status: PaymentStatus | undefined },
  most: number,
): Promise<PaymentLink[]> {
  if (status !== undefined && status !== 'initiated' && status !== 'failed') return []
  const ofStatus = status === undefined ? '' : ` and o.closed_at is ${status === 'failed' ? 'not ' : ''}null`
  const rows = await db.rows<PosterRow>(
    `${POSTERS} where o.number >= $1 and o.number < $2${ofStatus}${inScope(scope, 4, 'o.account_id')}
     order by o.number desc limit $3`,
    [from, below, most, ...scopeValues(scope)],
  )
  return rows.map(asLink)
}

/** In the form of a link that nobody has paid: open, or closed by its merchant. */
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

const UNPAID: Omit<PaymentLink, keyof PosterRow | 'reference' | 'externalReference' | 'collected'> = {
  ...{ origin: null, createdBy: null, clientReference: null, status: 'initiated', failureReason: null },
  ...{ validatedAt: null, attemptReference: null, attempts: 0, method: null, attemptStatus: null },
  ...{ attemptFailureReason: null, msisdnWritten: null, providerUrl: null, attemptAt: null, browserHash: null },
  ...{ operator: null, operatorReference: null },
}

export async function closePoster(db: Queries, scope: Scope, reference: string, at: number): Promise<void> {
  await db.change(`update posters set closed_at = coalesce(closed_at, $2) where reference = $1${inScope(scope, 3)}`, [
    reference,
    at,
    ...scopeValues(scope),
  ])
}

/** Counts a payment that a payer made from a poster, or takes it back; nothing for any other payment. */
export async function countOnPoster(
  tx: Queries,
  { accountId, number }: { accountId: string; number: number },
  sign: 1 | -1,
): Promise<void> {
  await tx.change(
    `update posters set payments_count = payments_count + $3,
       collected_xof = collected_xof + $3 * (select p.amount_xof from payments p where p.account_id = $1 and p.number = $2)
     where account_id = $1 and number = (
       select l.poster_number from payment_links l where l.account_id = $1 and l.number = $2)`,
    [accountId, number, sign],
  )
}
