// FedaPay's wire form: what is sent, and the fields that are read. Nothing that comes from the network is trusted to have a form: each field
// is unknown until it is looked at.

/** An amount of whole francs without a fraction; XOF has no smaller unit. */
export interface NewTransaction {
  description: string
  amount: number
  currency: { iso: 'XOF' }
  /** Unique at FedaPay: a second transaction with it is refused. */
  merchant_reference: string
  /** Where the payer's browser goes after the hosted page; no webhook. */
  callback_url?: string
  /** FedaPay keeps it and gives it back. */
  custom_metadata?: typeof PROMPT_MARK
  customer?: { email?: string; phone_number?: PhoneNumber }
}

/** On what we create for a prompt, and not for a page: a page waits for its payer without anybody having been asked. */
export const PROMPT_MARK = { karba: 'prompt' } as const

export interface PhoneNumber {
  number: string
  country: string
}

export interface Prompt {
  token: string
  phone_number: PhoneNumber
}

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

export type JsonObject = Readonly<Record<string, unknown>>

export const asObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined

/** FedaPay wraps what it answers in `v1/<name>`, at times in `<name>`, and at times not at all. */
function unwrap(body: unknown, name: string): JsonObject | undefined {
  const outer = asObject(body)
  return asObject(outer?.[`v1/${name}`]) ?? asObject(outer?.[name]) ?? outer
}

/** A list has the same wrapping. */
export function unwrapList(body: unknown, name: string): JsonObject[] | undefined {
  const outer = asObject(body)
  const list = outer?.[`v1/${name}`] ?? outer?.[name] ?? body
  if (!Array.isArray(list)) return undefined
  return list.map(asObject).filter((each) => each !== undefined)
}

export function readTransaction(body: unknown): Transaction | undefined {
  const transaction = unwrap(body, 'transaction')
  return Number.isSafeInteger(transaction?.id) ? (transaction as unknown as Transaction) : undefined
}

/** Of `POST /v1/transactions/{id}/token`. */
export function readToken(body: unknown): { token: string; url: string | undefined } | undefined {
  const { token, url } = asObject(body) ?? {}
  if (typeof token !== 'string' || token === '') return undefined
  // In canonical form, which is ASCII: as written it may hold what neither a header nor PostgreSQL can carry.
  const page = typeof url === 'string' ? URL.parse(url) : null
  return { token, url: page !== null && /^https?:$/.test(page.protocol) ? page.href : undefined }
}

/** Whole francs from whatever an amount is written as: 100, "100.0", "37,600.00". */
export function readAmount(value: unknown): number | undefined {
  const amount =
    typeof value === 'string' && /^\d[\d,]*(\.\d+)?$/.test(value) ? Number(value.replaceAll(',', '')) : value
  return typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0 ? amount : undefined
}
