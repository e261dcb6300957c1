// Translates FedaPay's answers into ours. The tables document it: an answer in none of them is
// `unknown`.

import type { OperatorAnswer } from '../../../domain/payments/operator-report.ts'
import type { FailureReason } from '../../../domain/payments/payment-status.ts'
import { lookUp } from '../../../domain/texts/free-text.ts'
import {
  type Answered,
  asObject,
  asText,
  type CallResult,
  type JsonObject,
  MIXED_UP,
  noAnswer,
  objectsIn,
  wholeFrancs,
} from '../../http-call.ts'
import type { Unknown } from '../../operator.ts'

/** An amount of whole francs without a fraction; XOF has no smaller unit. */
export interface NewTransaction {
  description: string
  amount: number
  currency: { iso: 'XOF' }
  /** Unique at FedaPay: a second transaction with it is refused. */
  merchant_reference: string
  /** Where the payer's browser goes after the hosted page. */
  callback_url?: string
  /** FedaPay keeps it and gives it back. */
  custom_metadata?: typeof PROMPT_MARK
  customer?: { email?: string; phone_number?: PhoneNumber }
}

/**
 * On transactions for a prompt, and not for a page, which waits for its payer, who was not asked
 * yet.
 */
export const PROMPT_MARK = { karba: 'prompt' } as const

export type PhoneNumber = { number: string; country: string }

export interface Transaction {
  id: number
  reference?: unknown
  merchant_reference?: unknown
  amount?: unknown
  status?: unknown
  /** How the payer pays; null until there was a first try. */
  mode?: unknown
  payment_method_id?: unknown
  last_error_code?: unknown
  currency_id?: unknown
  currency?: unknown
  custom_metadata?: unknown
}

/** FedaPay wraps what it answers in `v1/<name>`, at times in `<name>`, and at times not at all. */
const unwrap = (body: unknown, name: string): unknown =>
  asObject(body)?.[`v1/${name}`] ?? asObject(body)?.[name] ?? body

export function readList(body: unknown, name: string): JsonObject[] | undefined {
  const list = unwrap(body, name)
  return Array.isArray(list) ? objectsIn(list) : undefined
}

export function readTransaction(body: unknown): Transaction | undefined {
  const transaction = asObject(unwrap(body, 'transaction'))
  return Number.isSafeInteger(transaction?.id) ? (transaction as unknown as Transaction) : undefined
}

/** Of `POST /v1/transactions/{id}/token`. */
export function readPageToken(
  body: unknown,
): { token: string; url: string | undefined } | undefined {
  const { token, url } = asObject(body) ?? {}
  if (typeof token !== 'string' || token === '') return undefined
  // In canonical form, which is ASCII: as written it may hold what neither a header nor PostgreSQL
  // can carry.
  const page = URL.parse(asText(url) ?? '')
  return { token, url: page !== null && /^https?:$/.test(page.protocol) ? page.href : undefined }
}

type Meaning =
  | { is: 'accepted' | 'succeeded' | 'refunded' }
  | { is: 'declined'; reason: FailureReason; mayChange?: true }

/**
 * A payer may try again on one that was declined or cancelled: only then is a failure not the end.
 * @internal
 */
export const STATUSES: Readonly<Record<string, Meaning>> = {
  pending: { is: 'accepted' },
  approved: { is: 'succeeded' },
  // 72 hours after the approval: in the merchant's balance.
  transferred: { is: 'succeeded' },
  // A part went back to the payer: the payment itself was made.
  approved_partially_refunded: { is: 'succeeded' },
  transferred_partially_refunded: { is: 'succeeded' },
  refunded: { is: 'refunded' },
  declined: { is: 'declined', reason: 'declined', mayChange: true },
  canceled: { is: 'declined', reason: 'cancelled', mayChange: true },
  // 24 hours after it was created.
  expired: { is: 'declined', reason: 'expired' },
}

/**
 * `last_error_code`, where it is more precise than the status. Others keep the status's reason.
 * @internal
 */
export const LAST_ERRORS: Readonly<Record<string, FailureReason>> = {
  INSUFFICIENT_FUND_ERROR: 'insufficient_funds',
  API_ERROR: 'operator_error',
}

/** The field that FedaPay found fault with, when it refuses a transaction or a prompt. */
const REFUSED_FIELDS: Readonly<Record<string, FailureReason>> = {
  amount: 'amount_not_allowed',
  phone_number: 'payer_not_found',
  number: 'payer_not_found',
}

const FORM_REMEDY =
  'FedaPay does not accept the form of the request: `karba operators check` compares the options with the account'

/** What the documents show where there was no error. */
const NO_ERROR = 'NO_ERROR'

const lastErrorOf = ({ last_error_code: code }: Transaction): string | undefined =>
  typeof code === 'string' && /^\w{1,60}$/.test(code) && code !== NO_ERROR ? code : undefined

/** Whether FedaPay ever asked the payer: it writes down how, and what went wrong. */
export const wasPrompted = (transaction: Transaction): boolean =>
  transaction.mode != null ||
  transaction.payment_method_id != null ||
  lastErrorOf(transaction) !== undefined

/** Whether it was created for a prompt that was not sent since: no payer can have paid. */
export const isPromptNotSent = (transaction: Transaction): boolean =>
  isPending(transaction) && !wasPrompted(transaction) && isForPrompt(transaction)

const isForPrompt = (transaction: Transaction): boolean =>
  asObject(transaction.custom_metadata)?.karba === PROMPT_MARK.karba

/** On a page that stays open the payer may try the next card after one was refused. */
export function statusOf(transaction: Transaction, expected: Expected): OperatorAnswer {
  const answer = answerAbout(transaction, expected)
  if (answer.is !== 'declined' || answer.mayChange !== true || isForPrompt(transaction))
    return answer
  return { is: 'accepted', ...(answer.code !== undefined && { code: answer.code }) }
}

export const isPending = ({ status }: Transaction): boolean => status === 'pending'

export interface Expected {
  reference: string
  /** What FedaPay calls the franc CFA, where it does not write out the currency. */
  xofCurrencyId: number
}

export function answerAbout(
  transaction: Transaction,
  { reference, xofCurrencyId }: Expected,
): OperatorAnswer {
  const { status, merchant_reference: reportedReference } = transaction
  if (reportedReference !== reference) return MIXED_UP
  const meaning = typeof status === 'string' ? lookUp(STATUSES, status) : undefined
  if (meaning === undefined)
    return { is: 'unknown', why: `a status that is not known: ${plain(status, 40)}` }
  const lastError = lastErrorOf(transaction)
  if (meaning.is === 'accepted')
    return { is: 'accepted', ...(lastError !== undefined && { code: lastError }) }
  if (meaning.is === 'declined') {
    const reason = lookUp(LAST_ERRORS, lastError ?? '') ?? meaning.reason
    return { ...meaning, reason, code: lastError ?? String(status) }
  }
  const currency = currencyOf(transaction, xofCurrencyId)
  if (currency !== 'XOF') return { is: 'contradicts', reported: `${status} in ${currency}` }
  const amountXof = wholeFrancs(transaction.amount)
  if (amountXof === undefined)
    return { is: 'unknown', why: `${status}, with an amount that is not understood` }
  return { is: meaning.is, amountXof, operatorReference: operatorReferenceOf(transaction) }
}

function currencyOf({ currency, currency_id: id }: Transaction, xofCurrencyId: number): string {
  const iso = asObject(currency)?.iso
  if (typeof iso === 'string') return plain(iso, 10)
  return id === undefined || id === xofCurrencyId ? 'XOF' : `the currency ${plain(id, 10)}`
}

/** As in the dashboard, where a person looks for it. */
const operatorReferenceOf = ({ id, reference }: Transaction): string =>
  typeof reference === 'string' && /^\w{1,60}$/.test(reference) ? reference : String(id)

/**
 * For an answer without the expected content. A refusal by key, address or rate limit changed
 * nothing.
 */
export function notAnswered(result: CallResult, about: string): Unknown {
  if ('failed' in result) return noAnswer(result)
  const { code: http, body } = result
  const isKey = http === 401 || http === 403
  // A page instead of JSON comes from something between FedaPay and us: a gateway, a proxy, a wrong
  // address.
  const isPage = asObject(body) === undefined && http < 500
  const code = messageOf(result)
  return {
    is: 'unknown',
    why: `${about}: HTTP ${http}${isPage ? ' and no JSON' : ''}`,
    ...((isKey || http === 429) && { neverLeft: true }),
    ...((isKey || isPage) && { misconfigured: true }),
    ...(code !== undefined && { code }),
  }
}

/** Whether FedaPay itself read the request and refuses it, and no gateway before it. */
export const isRefusal = (result: CallResult): result is Answered =>
  'code' in result && [400, 409, 422].includes(result.code) && asObject(result.body) !== undefined

export function refusalOf(result: Answered): OperatorAnswer {
  const fields = Object.keys(asObject(asObject(result.body)?.errors) ?? {}).flatMap((name) =>
    name.split('.'),
  )
  const reason = fields
    .map((field) => lookUp(REFUSED_FIELDS, field))
    .find((found) => found !== undefined)
  return {
    is: 'declined',
    reason: reason ?? 'operator_error',
    code: messageOf(result) ?? `HTTP ${result.code}`,
    ...(reason === undefined && { misconfigured: { kind: 'form', remedy: FORM_REMEDY } }),
  }
}

/**
 * Whether a refusal of a creation may mean that the reference is taken: it names the reference, or
 * no field at all. One that names other fields would have refused the first creation too.
 */
export function mayBeTaken({ body }: Answered): boolean {
  const fields = Object.keys(asObject(asObject(body)?.errors) ?? {})
  return (
    fields.length === 0 || fields.some((field) => field.split('.').includes('merchant_reference'))
  )
}

/** FedaPay may have the transaction and not show it yet: a later attempt continues with it. */
export function takenAndHidden(result: Answered): Unknown {
  const code = messageOf(result)
  return {
    is: 'unknown',
    why: `creating the transaction: HTTP ${result.code}, and none is found under the reference`,
    ...(code !== undefined && { code }),
  }
}

/** Whether a route shows nothing under this name, or there is no such route. */
export const isNoSuchThing = (result: CallResult): boolean =>
  'code' in result && (result.code === 404 || result.code === 405 || result.code === 410)

/**
 * FedaPay's 404 has a message; that of a web server in between proves nothing about the
 * transaction.
 */
export const isNotKnown = (result: CallResult): boolean =>
  'code' in result && result.code === 404 && messageOf(result) !== undefined

function messageOf({ body }: Answered): string | undefined {
  const message = asObject(body)?.message
  return typeof message === 'string' && message !== '' ? plain(message, 60) : undefined
}

/** Cut to a length, without what may be a key, a token or a payer's number. */
const plain = (value: unknown, longest: number): string =>
  String(value)
    .replace(/\S{20,}/g, '…')
    .replace(/\+?\d[\d .-]{4,}/g, '…')
    .slice(0, longest)
