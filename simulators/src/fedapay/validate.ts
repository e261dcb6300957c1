// What FedaPay checks before it creates a transaction, and the words in which it refuses one.
import { isObject, lookUp } from '../network.ts'

export type FieldErrors = Record<string, string[]>

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** Digits after the country code. Benin's old eight are taken as well as the ten of today. */
const NATIONAL: Readonly<Record<string, [code: string, digits: RegExp]>> = {
  bj: ['229', /^(01)?\d{8}$/],
  ne: ['227', /^\d{8}$/],
  tg: ['228', /^\d{8}$/],
  ci: ['225', /^\d{10}$/],
  sn: ['221', /^\d{9}$/],
}

/** With its country code and without `+`; undefined when it cannot be a number of that country. */
export function readNumber(wanted: unknown): { number: string; country: string } | undefined {
  if (!isObject(wanted) || !isText(wanted.number) || !isText(wanted.country)) return undefined
  const country = wanted.country.toLowerCase()
  const [code, digits] = lookUp(NATIONAL, country) ?? []
  if (code === undefined || digits === undefined || !/^\+?[\d ]+$/.test(wanted.number)) return undefined
  const compact = wanted.number.replace(/[+ ]/g, '')
  const isInternational = wanted.number.startsWith('+') || (compact.startsWith(code) && compact.length > 10)
  if (isInternational && !compact.startsWith(code)) return undefined
  const national = isInternational ? compact.slice(code.length) : compact
  return digits.test(national) ? { number: code + national, country } : undefined
}

export function faultsOfTransaction(
  body: Record<string, unknown>,
  isTaken: (reference: string) => boolean,
): FieldErrors {
  const errors: FieldErrors = {}
  const { description, amount, currency, callback_url: callbackUrl, merchant_reference: reference, customer } = body
  if (!isText(description)) errors.description = ['doit être rempli(e)']
  if (!Number.isSafeInteger(amount) || (amount as number) <= 0) errors.amount = ['doit être un nombre entier positif']
  if (!isObject(currency) || (currency.iso !== 'XOF' && Number(currency.code) !== 952))
    errors.currency = ['n’est pas une devise disponible']
  if (callbackUrl != null && !(isText(callbackUrl) && URL.canParse(callbackUrl)))
    errors.callback_url = ['n’est pas une URL valide']
  if (reference != null) {
    if (!isText(reference) || reference.length > 255) errors.merchant_reference = ['n’est pas valide']
    else if (isTaken(reference)) errors.merchant_reference = ['n’est pas disponible']
  }
  return { ...errors, ...faultsOfCustomer(customer, 'customer.') }
}

export function faultsOfCustomer(customer: unknown, prefix = ''): FieldErrors {
  if (customer == null) return {}
  if (!isObject(customer)) return { [prefix || 'customer']: ['n’est pas valide'] }
  const errors: FieldErrors = {}
  const { email, phone_number: phoneNumber } = customer
  if (email != null && !(isText(email) && /^[^@\s]+@[^@\s]+$/.test(email)))
    errors[`${prefix}email`] = ['n’est pas valide']
  if (phoneNumber != null && readNumber(phoneNumber) === undefined)
    errors[`${prefix}phone_number.number`] = ['n’est pas valide']
  return errors
}

export function customerFields({ firstname, lastname, email, phone_number: phoneNumber }: Record<string, unknown>) {
  return {
    ...(typeof firstname === 'string' && { firstname }),
    ...(typeof lastname === 'string' && { lastname }),
    ...(typeof email === 'string' && { email }),
    ...(phoneNumber != null && { phoneNumber: readNumber(phoneNumber) ?? null }),
  }
}
