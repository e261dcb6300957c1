// How the simulated FedaPay answers: errors have a message and, for a refused body, the wrong
// fields.
import type { FaultBoard, Tariff, WireReaction, WireRequest } from '../network.ts'
import { feeOf, percentage } from '../statements.ts'
import {
  type Customer,
  debitsOf,
  statusAt,
  TRANSFERRED_AFTER_MS,
  type Transaction,
  timeOf,
} from './ledger.ts'

export const ok = (body: object): WireReaction => ({ code: 200, body })
/** The messages of each field that is not valid. */
export type FieldErrors = Record<string, string[]>

export const refused = (code: number, message: string, errors?: FieldErrors): WireReaction => ({
  code,
  body: { message, ...(errors && { errors }) },
})
export const notFound = (what: string): WireReaction => refused(404, `${what} introuvable`)
/** Of the web server: there is no such address. */
export const NO_SUCH_PATH: WireReaction = { code: 404, body: { status: 404, error: 'Not Found' } }
export const NO_CONTENT: WireReaction = { code: 204 }
export const html = (code: number, body: string): WireReaction => ({
  code,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body,
})

export function refuseFields(
  faults: FaultBoard,
  { headers, body }: WireRequest,
  message: string,
  errors: FieldErrors,
): WireReaction {
  const isLoud = faults.isOn('key_in_errors')
  const said = isLoud ? `${headers.authorization} ${/\+\d+/.exec(body)?.[0]} ${message}` : message
  return refused(faults.isOn('refuses_with_400') ? 400 : 422, said, errors)
}

export const ACCOUNT_ID = 7001
const XOF_ID = 1
const OTHER_CURRENCY_ID = 3
export const COMMISSION = 0.018

export type FeesPaidBy = 'payer' | 'merchant'

/** What FedaPay takes of the merchant. */
export const tariffOf = (feesPaidBy: FeesPaidBy): Tariff =>
  percentage(feesPaidBy === 'merchant' ? 1_800 : 0)

/** What the payer pays, FedaPay keeps and the merchant gets. */
export function costsOf(amount: number, feesPaidBy: FeesPaidBy) {
  if (feesPaidBy === 'payer') {
    const debited = Math.round(amount / (1 - COMMISSION))
    return { amount_debited: debited, fees: debited - amount, amount_transferred: amount }
  }
  const fees = feeOf(amount, tariffOf(feesPaidBy))
  return { amount_debited: amount, fees, amount_transferred: amount - fees }
}

const MADE_AT = '2024-01-01T00:00:00.000Z'

const timeText = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString()

export interface Distortions {
  amountAsText?: boolean
  otherAmount?: boolean
  otherCurrency?: boolean
  statusNotDocumented?: boolean
  errorAsObject?: boolean
}

export const CURRENCIES = [
  {
    klass: 'v1/currency',
    id: XOF_ID,
    name: 'FCFA',
    iso: 'XOF',
    code: 952,
    prefix: null,
    suffix: 'CFA',
    div: 1,
    default: true,
  },
  {
    klass: 'v1/currency',
    id: OTHER_CURRENCY_ID,
    name: 'Franc guinéen',
    iso: 'GNF',
    code: 324,
    prefix: null,
    suffix: 'GNF',
    div: 1,
    default: false,
  },
].map((currency) => ({ ...currency, created_at: MADE_AT, updated_at: MADE_AT }))

export function wireTransaction(
  transaction: Transaction,
  now: number,
  {
    pageUrl,
    include = [],
    distorted = {},
    feesPaidBy,
  }: {
    pageUrl: (token: string) => string
    include?: string[]
    distorted?: Distortions
    feesPaidBy: FeesPaidBy
  },
): Record<string, unknown> {
  const { amount, createdAt, customer, mode, token } = transaction
  const { to: status, at, errorCode } = statusAt(transaction, now)
  const isPaid = debitsOf(transaction, now) > 0
  const shownAmount = distorted.otherAmount && mode !== null ? amount - 5 : amount
  const lastError = errorCode ?? null
  const costs = costsOf(amount, feesPaidBy)
  const approvedAt = timeOf(transaction, now, 'approved')
  const currency = CURRENCIES[distorted.otherCurrency ? 1 : 0]
  return {
    klass: 'v1/transaction',
    id: transaction.id,
    reference: transaction.reference,
    amount: distorted.amountAsText ? `${shownAmount}.0` : shownAmount,
    description: transaction.description,
    callback_url: transaction.callbackUrl,
    status: isPaid && distorted.statusNotDocumented ? 'settling' : status,
    customer_id: customer?.id ?? null,
    currency_id: currency?.id,
    mode,
    operation: 'payment',
    metadata: { expire_schedule_jobid: `job${transaction.id}` },
    commission: mode === null ? null : String(COMMISSION),
    fees: mode === null ? null : costs.fees,
    fixed_commission: 0,
    amount_transferred: isPaid ? costs.amount_transferred : null,
    created_at: timeText(createdAt),
    updated_at: timeText(Math.max(createdAt, at)),
    approved_at: timeText(approvedAt),
    canceled_at: timeText(timeOf(transaction, now, 'canceled')),
    declined_at: timeText(timeOf(transaction, now, 'declined')),
    refunded_at: timeText(timeOf(transaction, now, 'refunded')),
    transferred_at: timeText(timeOf(transaction, now, 'transferred')),
    expired_at: status === 'expired' ? timeText(transaction.expiresAt) : null,
    deleted_at: null,
    last_error_code:
      distorted.errorAsObject && lastError !== null ? { code: lastError } : lastError,
    last_error_message:
      lastError === null ? null : `{"status":"FAILED","msisdn":"${transaction.number}"}`,
    custom_metadata: transaction.customMetadata,
    amount_debited: mode === null ? null : costs.amount_debited,
    receipt_url: null,
    payment_method_id: mode === null ? null : 90_000 + transaction.id,
    sub_accounts_commissions: null,
    transaction_key: null,
    merchant_reference: transaction.merchantReference,
    account_id: ACCOUNT_ID,
    balance_id: isPaid ? 501 : null,
    payment_token: token,
    payment_url: token === null ? null : pageUrl(token),
    flags: [],
    to_be_transferred_at: approvedAt === null ? null : timeText(approvedAt + TRANSFERRED_AFTER_MS),
    ...(include.includes('currency') && { currency }),
    ...(include.includes('customer') && { customer: customer && wireCustomer(customer) }),
  }
}

export const wireCustomer = ({
  id,
  firstname,
  lastname,
  email,
  phoneNumber,
  createdAt,
}: Customer): object => ({
  klass: 'v1/customer',
  id,
  firstname,
  lastname,
  full_name: [firstname, lastname].filter(Boolean).join(' ') || null,
  email,
  phone_number: phoneNumber && { klass: 'v1/phone_number', id: 40_000 + id, ...phoneNumber },
  account_id: ACCOUNT_ID,
  phone_number_id: phoneNumber && 40_000 + id,
  created_at: timeText(createdAt),
  updated_at: timeText(createdAt),
  deleted_at: null,
})

export const wireIntent = (transaction: Transaction, now: number): object => ({
  klass: 'v1/payment_intent',
  id: 80_000 + transaction.id,
  reference: `pi_${transaction.reference}`,
  amount: transaction.amount,
  status: 'pending',
  currency_id: XOF_ID,
  mode: transaction.mode,
  last_error_code: null,
  created_at: timeText(now),
  updated_at: timeText(now),
  approved_at: null,
  canceled_at: null,
  payment_method_id: 90_000 + transaction.id,
  account_id: ACCOUNT_ID,
})

export const wireBalance = (amount: number): object => ({
  klass: 'v1/balance',
  id: 501,
  amount,
  mode: 'mtn_open',
  currency_id: XOF_ID,
  account_id: ACCOUNT_ID,
  created_at: MADE_AT,
  updated_at: MADE_AT,
})

export function wireList(name: string, all: readonly object[], query: URLSearchParams): object {
  const perPage = Math.min(Math.max(Number(query.get('per_page')) || 25, 1), 100)
  const page = Math.max(Number(query.get('page')) || 1, 1)
  const pages = Math.max(Math.ceil(all.length / perPage), 1)
  return {
    [`v1/${name}`]: all.slice((page - 1) * perPage, page * perPage),
    meta: {
      current_page: page,
      next_page: page < pages ? page + 1 : null,
      prev_page: page > 1 ? page - 1 : null,
      per_page: perPage,
      total_pages: pages,
      total_count: all.length,
    },
  }
}

// The hosted page of the simulated FedaPay: what is to be paid, and two buttons. Never a field for
// a card number.

export const PAGE_PATH = '/process'

const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export function payPage(transaction: Transaction): string {
  return document(`<h1>${escapeText(transaction.description)}</h1>
<p>${transaction.amount} F CFA</p>
<form method="post">
<button name="decision" value="approve">Payer</button>
<button name="decision" value="decline">Refuser</button>
</form>`)
}

export const endPage = (transaction: Transaction, now: number): string =>
  document(`<p>Transaction ${transaction.id} : ${statusAt(transaction, now).to}</p>`)

const document = (body: string): string => `<!doctype html>
<html lang="fr"><head><meta charset="utf-8"><title>FedaPay – simulation</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,"></head>
<body><p>SIMULATION – aucun argent réel</p>
${body}
</body></html>`

/**
 * Where FedaPay sends the browser afterwards: the merchant's address with the transaction's number
 * and status.
 */
export function returnAddress(transaction: Transaction, now: number): string | undefined {
  const { callbackUrl, id } = transaction
  if (callbackUrl === null) return undefined
  const address = new URL(callbackUrl)
  address.searchParams.set('id', String(id))
  address.searchParams.set('status', statusAt(transaction, now).to)
  return address.href
}
