// What Airtel's gateway and application check in a call, in their order, and the refusals that they give: those of live tests where there are
// any, else those of the documents' tables.
import type { WireReaction, WireRequest } from '../network.ts'
import { MISSING_PARAMS, refusal, routerRefusal } from './answers.ts'
import { isObject, parseObject } from './tokens.ts'
import type { PaymentOrder } from './wallet.ts'

/** What the portal says about the application that calls. */
export interface Application {
  country: string
  currency: string
  /** Without the country code: 8 digits in Niger, 9 in most countries of Airtel. */
  msisdnLength: number
}

const REFUSED = 'DP00900001013'
const INVALID = 'ESB000008'

export function refuseContentType({ headers }: WireRequest): WireReaction | undefined {
  return headers['content-type']?.split(';')[0]?.trim() === 'application/json' ? undefined : { code: 415, body: {} }
}

/** X-Country and X-Currency of a call that needs both. */
export function refuseHeaders(
  { headers }: Pick<WireRequest, 'headers'>,
  application: Application,
): WireReaction | undefined {
  const { 'x-country': country, 'x-currency': currency } = headers
  if (!country) return routerRefusal(400, 'ROUTER110', 'Partner 2d9647ada26843468f68e7090619d40b not found')
  if (country.length !== 2) return refusal({ responseCode: REFUSED, message: 'Invalid Country Code', http: 400 })
  if (country !== application.country) return routerRefusal(400, 'ROUTER007', 'User Not authorized for country')
  if (currency === undefined) {
    const message = "Missing request header 'x-wallet-id' for method parameter of type String"
    return refusal({ resultCode: INVALID, message })
  }
  if (currency === '') return refusal({ responseCode: REFUSED, message: 'Invalid/Missing Currency' })
  if (currency !== application.currency) return routerRefusal(400, 'ROUTER112', 'Invalid Currency')
  return undefined
}

/** The order in the body of a request for payment, or its refusal. */
export function readOrder(body: string, application: Application): PaymentOrder | WireReaction {
  const { reference, subscriber, transaction } = parseObject(body)
  if (!isObject(subscriber) || !isObject(transaction)) return MISSING_PARAMS
  const [msisdn, id] = [plainText(subscriber.msisdn), plainText(transaction.id)]
  if (typeof reference !== 'string' || msisdn === undefined || id === undefined) return MISSING_PARAMS
  const { country, currency, msisdnLength } = application
  for (const told of [subscriber, transaction]) {
    if (told.country !== undefined && told.country !== country) {
      return refusal({ resultCode: 'ESB000034', message: 'Invalid Country Name.' })
    }
    if (told.currency !== undefined && told.currency !== currency) {
      return refusal({ resultCode: 'ESB000035', message: 'Invalid Currency Code.' })
    }
  }
  if (!isLength(reference)) return invalid('Reference')
  if (!isLength(id)) return invalid('Transaction Id')
  if (!/^\d+$/.test(msisdn) || msisdn.length !== msisdnLength) {
    const message = `Invalid Msisdn Length. Msisdn Length should be ${msisdnLength}`
    return refusal({ responseCode: REFUSED, resultCode: '521002', message })
  }
  const amount = amountOf(transaction.amount)
  if (amount !== undefined) return { id, reference, msisdn, amount }
  const message =
    'Invalid Amount: The amount must not be null or blank, should contain only numeric characters, be greater than zero, and have a limited number of decimal places'
  return refusal({ responseCode: 'DP00900001004', resultCode: INVALID, message })
}

/** The documents say 4 to 64 letters and digits, and their own samples have spaces and hyphens: only the length is held. */
const isLength = (value: string): boolean => value.length >= 4 && value.length <= 64

const invalid = (what: string): WireReaction =>
  refusal({ responseCode: REFUSED, resultCode: INVALID, message: `Invalid ${what}: the length must be 4 to 64` })

/** Samples have numbers where most clients send text. */
function plainText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function amountOf(value: unknown): number | undefined {
  const written = plainText(value) ?? ''
  return /^\d+(\.\d{1,3})?$/.test(written) && Number(written) > 0 ? Number(written) : undefined
}
