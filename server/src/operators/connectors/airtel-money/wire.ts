// The wire form of Airtel's answers, read leniently: fields come as text or as numbers, and three layers (gateway, application, product) answer
// in three shapes. Nothing is decided here.

/** One answer of Airtel, whatever layer gave it. A field that is missing, or not of its form, is undefined. */
export interface Envelope {
  transaction: Transaction | undefined
  /** `status.success`. Samples of successes have it false: it never decides alone. */
  success: boolean | undefined
  /** `status.code`: what the application means by an HTTP code, in a body that comes with another. */
  innerCode: number | undefined
  /** response_code, result_code and the gateway's status_code: those that there are. */
  codes: string[]
  message: string
  /** OAuth's `error`. */
  oauthError: string | undefined
}

interface Transaction {
  id: string | undefined
  status: string | undefined
  airtelMoneyId: string | undefined
  /** The documents have no amount in an enquiry. Should one be told, it is compared. */
  amount: unknown
  currency: string | undefined
}

/** The forms that Airtel's codes have. Nothing else is told as a code: an answer may repeat what we sent. */
const CODE = /^(DP\d{11}|ESB\d{6}|ROUTER\d{3}|\d{6,7}|CONNECTION_TIMEOUT)$/

/** Undefined for what is not a JSON object: a page of some gateway, or nothing. */
export function readEnvelope(body: unknown): Envelope | undefined {
  if (!isObject(body)) return undefined
  const { status: statusField, data, status_code: gatewayCode, status_message: gatewayMessage, error } = body
  const status = isObject(statusField) ? statusField : {}
  const transaction = isObject(data) ? data.transaction : undefined
  return {
    transaction: isObject(transaction) ? readTransaction(transaction) : undefined,
    success: typeof status.success === 'boolean' ? status.success : undefined,
    innerCode: Number(text(status.code)) || undefined,
    codes: [status.response_code, status.result_code, gatewayCode]
      .map((code) => text(code) ?? '')
      .filter((code) => CODE.test(code)),
    message: text(status.message) ?? text(gatewayMessage) ?? '',
    oauthError: text(error),
  }
}

const readTransaction = (transaction: Record<string, unknown>): Transaction => ({
  id: text(transaction.id),
  status: text(transaction.status),
  airtelMoneyId: text(transaction.airtel_money_id),
  amount: transaction.amount,
  currency: text(transaction.currency),
})

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Text, or a number as text; undefined for what is neither, or empty. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Whole francs from 1000, "1000", "1000.0000" or "37,600.00"; undefined for a fraction, and for what is no amount. */
export function wholeFrancs(value: unknown): number | undefined {
  const digits = /^(\d+)(?:\.0*)?$/.exec((text(value) ?? '').replaceAll(',', ''))
  const francs = Number(digits?.[1] ?? Number.NaN)
  return Number.isSafeInteger(francs) ? francs : undefined
}

export interface PaymentBody {
  reference: string
  subscriber: { country: string; currency: string; msisdn: string }
  transaction: { amount: number; country: string; currency: string; id: string }
}

export interface RefundBody {
  transaction: { airtel_money_id: string }
}
