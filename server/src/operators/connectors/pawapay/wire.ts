// The wire form of pawaPay's Merchant API v2, as far as we write and read it. What is read comes as `unknown`: each field is looked at
// before it is used, and one of another form than the documents show is as good as missing.

export const CURRENCY = 'XOF'
/** Of the providers that we know, all are in Benin. */
export const COUNTRY = 'BEN'

export interface DepositRequest {
  depositId: string
  amount: string
  currency: string
  payer: { type: 'MMO'; accountDetails: { phoneNumber: string; provider: string } }
  customerMessage?: string
  clientReferenceId?: string
}

export interface RefundRequest {
  refundId: string
  depositId: string
  amount: string
  currency: string
}

/** A deposit or a refund as a status call shows it. */
export interface Told {
  id: string | undefined
  status: string | undefined
  amountXof: number | undefined
  currency: string | undefined
  providerTransactionId: string | undefined
  failureCode: string | undefined
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectsIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : []

export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

export function told(data: unknown, idField: 'depositId' | 'refundId'): Told {
  const fields = isObject(data) ? data : {}
  return {
    id: textIn(fields[idField])?.toLowerCase(),
    status: textIn(fields.status),
    amountXof: wholeFrancs(fields.amount),
    currency: textIn(fields.currency),
    providerTransactionId: textIn(fields.providerTransactionId)?.slice(0, 100),
    failureCode: failureCodeIn(fields),
  }
}

/** `failureReason: {failureCode, failureMessage}`; some answers have had the code alone, as text. */
export function failureCodeIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined
  const { failureReason } = body
  const code = isObject(failureReason) ? textIn(failureReason.failureCode) : textIn(failureReason)
  return code === undefined ? undefined : asCode(code)
}

/** What a network calls its code, without anything that would not be one. */
export const asCode = (text: string): string => text.replace(/[^\w.-]/g, '_').slice(0, 60)

const AMOUNT = /^(\d{1,15}|\d{1,3}(,\d{3}){1,4})(\.0*)?$/

/** "1000", "1000.00", "1000.0000", "37,600.00" or 1000; undefined for a fraction of a franc, or for what is no amount. */
export function wholeFrancs(amount: unknown): number | undefined {
  const text = typeof amount === 'number' ? String(amount) : textIn(amount)
  if (text === undefined || !AMOUNT.test(text)) return undefined
  return Number(text.replaceAll(',', '').replace(/\.0*$/, ''))
}

/** The subscriber number of Benin had eight digits before 01 was put in front of it. */
export function phoneNumberOf(msisdn: string, digits: 8 | 10): string {
  return digits === 8 && /^22901\d{8}$/.test(msisdn) ? `229${msisdn.slice(5)}` : msisdn
}

/** 4 to 22 letters and digits are taken; undefined when the text has not as many. */
export function customerMessageOf(text: string): string | undefined {
  const cleaned = text.replace(/[^a-zA-Z0-9]/g, '').slice(0, 22)
  return cleaned.length < 4 ? undefined : cleaned
}
