// The form of requests to pawaPay: the known fields, the required ones, and their values. Strict,
// as the network is: a field that it does not know is refused.
import { isObject, lookUp, parseObject, type WireReaction } from '../network.ts'

export interface DepositOrder {
  depositId: string
  amount: string
  currency: string
  phoneNumber: string
  provider: string
  customerMessage?: string
  clientReferenceId?: string
  metadata?: Record<string, unknown>
}

type OfBoth = 'amount' | 'currency' | 'clientReferenceId' | 'metadata'

export interface RefundOrder extends Partial<Pick<DepositOrder, OfBoth>> {
  refundId: string
  depositId: string
}

export interface StatementOrder {
  wallet: { country: string; currency: string; provider?: string }
  callbackUrl?: string
  startDate: string
  endDate: string
  compressed: boolean
  /** The dates in milliseconds since 1970. */
  from: number
  to: number
}

type Fields = Record<string, unknown>

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const AMOUNT = /^(0|[1-9][0-9]{0,17})([.][0-9]{0,3}[1-9])?$/

export const isUuid = (text: string): boolean => UUID_4.test(text)

const matches =
  (form: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && form.test(value)

/** As in 2025-05-10T10:00:00, which is UTC. */
function isTime(value: unknown): boolean {
  return (
    matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z?$/)(value) &&
    !Number.isNaN(timeOf(value as string))
  )
}

const timeOf = (text: string): number => Date.parse(text.endsWith('Z') ? text : `${text}Z`)

const FORMS: Readonly<Record<string, (value: unknown) => boolean>> = {
  depositId: matches(UUID_4),
  refundId: matches(UUID_4),
  amount: matches(AMOUNT),
  currency: matches(/^[A-Z]{3}$/),
  payer: isObject,
  type: matches(/^MMO$/),
  accountDetails: isObject,
  phoneNumber: matches(/^\d{1,20}$/),
  provider: matches(/^[A-Z0-9_]+$/),
  customerMessage: matches(/^[a-zA-Z0-9 ]{4,22}$/),
  clientReferenceId: matches(/^.+$/s),
  preAuthorisationCode: matches(/^.{1,36}$/s),
  successfulUrl: matches(/^https?:\/\//),
  failedUrl: matches(/^https?:\/\//),
  wallet: isObject,
  country: matches(/^[A-Z]{3}$/),
  callbackUrl: matches(/^https?:\/\//),
  startDate: isTime,
  endDate: isTime,
  compressed: (value) => typeof value === 'boolean',
  metadata: (value) => Array.isArray(value) && value.length <= 10 && value.every(isMetadata),
}

/** One field each, and a mark for personal data. */
const isMetadata = (entry: unknown): boolean =>
  isObject(entry) && Object.keys(entry).filter((name) => name !== 'isPII').length === 1

export function parseBody(
  contentType: string | undefined,
  body: string,
): { fields: Fields } | Refusal {
  const cannot = refusal('INVALID_INPUT', 'The body of the request cannot be parsed.')
  const fields = /^application\/json\b/i.test(contentType ?? '') ? parseObject(body) : undefined
  return fields === undefined ? cannot : { fields }
}

function checkFields(
  fields: Fields,
  required: readonly string[],
  optional: readonly string[],
): Refusal | undefined {
  const stranger = Object.keys(fields).find(
    (name) => !required.includes(name) && !optional.includes(name),
  )
  if (stranger !== undefined)
    return refusal('UNSUPPORTED_PARAMETER', `The parameter '${stranger}' is not supported.`)
  const missing = required.find((name) => fields[name] === undefined || fields[name] === null)
  if (missing !== undefined)
    return refusal('MISSING_PARAMETER', `The parameter '${missing}' is missing.`)
  const given = Object.keys(fields).filter(
    (name) => fields[name] !== undefined && fields[name] !== null,
  )
  const invalid = given.find((name) => lookUp(FORMS, name)?.(fields[name]) !== true)
  if (invalid === undefined) return undefined
  return refusal('INVALID_PARAMETER', `The value of the parameter '${invalid}' is not valid.`)
}

export function readDepositOrder(fields: Fields): DepositOrder | Refusal {
  const optional = [
    'customerMessage',
    'clientReferenceId',
    'preAuthorisationCode',
    'successfulUrl',
    'failedUrl',
    'metadata',
  ]
  const payer = (fields.payer ?? {}) as Fields
  const details = (payer.accountDetails ?? {}) as Fields
  const wrong =
    checkFields(fields, ['depositId', 'amount', 'currency', 'payer'], optional) ??
    checkFields(payer, ['type', 'accountDetails'], []) ??
    checkFields(details, ['phoneNumber', 'provider'], [])
  if (wrong !== undefined) return wrong
  const twice = repeatedMetadata(fields.metadata)
  if (twice !== undefined) return twice
  const { depositId, amount, currency, customerMessage, clientReferenceId } =
    fields as unknown as DepositOrder
  return {
    depositId: depositId.toLowerCase(),
    amount,
    currency,
    phoneNumber: details.phoneNumber as string,
    provider: details.provider as string,
    ...(customerMessage && { customerMessage }),
    ...(clientReferenceId && { clientReferenceId }),
    ...(Array.isArray(fields.metadata) && { metadata: flatMetadata(fields.metadata) }),
  }
}

export function readRefundOrder(fields: Fields): RefundOrder | Refusal {
  const wrong = checkFields(
    fields,
    ['refundId', 'depositId'],
    ['amount', 'currency', 'clientReferenceId', 'metadata'],
  )
  if (wrong !== undefined) return wrong
  const { refundId, depositId, amount, currency, clientReferenceId } =
    fields as unknown as RefundOrder
  if (amount && !currency)
    return refusal('MISSING_PARAMETER', "The parameter 'currency' is missing.")
  const twice = repeatedMetadata(fields.metadata)
  if (twice !== undefined) return twice
  return {
    refundId: refundId.toLowerCase(),
    depositId: depositId.toLowerCase(),
    ...(amount && { amount }),
    ...(currency && { currency }),
    ...(clientReferenceId && { clientReferenceId }),
    ...(Array.isArray(fields.metadata) && { metadata: flatMetadata(fields.metadata) }),
  }
}

export function readStatementOrder(fields: Fields): StatementOrder | Refusal {
  const wrong =
    checkFields(fields, ['wallet', 'startDate', 'endDate'], ['callbackUrl', 'compressed']) ??
    checkFields(fields.wallet as Fields, ['country', 'currency'], ['provider'])
  if (wrong !== undefined) return wrong
  const { compressed = false, ...given } = fields as unknown as StatementOrder
  return { ...given, compressed, from: timeOf(given.startDate), to: timeOf(given.endDate) }
}

const entriesIn = (metadata: Fields[]): [string, unknown][] =>
  metadata.flatMap((entry) => Object.entries(entry)).filter(([name]) => name !== 'isPII')

/** Metadata comes back as one object. */
const flatMetadata = (metadata: Fields[]): Fields => Object.fromEntries(entriesIn(metadata))

function repeatedMetadata(metadata: unknown): Refusal | undefined {
  const names = Array.isArray(metadata) ? entriesIn(metadata).map(([name]) => name) : []
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice === undefined) return undefined
  return refusal('DUPLICATE_METADATA_FIELD', `The metadata field '${twice}' is there twice.`)
}

export type Refusal = { http: number; failureCode: string; failureMessage: string }

const HTTP: Readonly<Record<string, number>> = {
  NO_AUTHENTICATION: 401,
  AUTHENTICATION_ERROR: 403,
  AUTHORISATION_ERROR: 403,
  HTTP_SIGNATURE_ERROR: 403,
  DEPOSITS_NOT_ALLOWED: 403,
  REFUNDS_NOT_ALLOWED: 403,
  INVALID_INPUT: 400,
  MISSING_PARAMETER: 400,
  UNSUPPORTED_PARAMETER: 400,
  INVALID_PARAMETER: 400,
  DUPLICATE_METADATA_FIELD: 400,
  UNKNOWN_ERROR: 500,
}

/** Whatever is not in the table comes with HTTP 200. */
export const refusal = (failureCode: string, failureMessage: string): Refusal => ({
  http: HTTP[failureCode] ?? 200,
  failureCode,
  failureMessage,
})

export const isRefusal = (value: object): value is Refusal => 'failureCode' in value

/** `about`: the id that the request named, where it named one. With HTTP 500 there is no status. */
export function refused(
  { http, failureCode, failureMessage }: Refusal,
  about: object = {},
): WireReaction {
  const status = http === 500 ? {} : { status: 'REJECTED' }
  return {
    code: http,
    body: { ...about, ...status, failureReason: { failureCode, failureMessage } },
  }
}
