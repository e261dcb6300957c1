// A payment as the service knows it, and the order a merchant places for one. The wire form is in
// wire/payment.ts.

import { type Country, isCountry } from '../countries/country.ts'
import { readMsisdn } from '../countries/msisdn.ts'
import type { Environment } from '../environment.ts'
import type { LinkMethod } from '../methods/methods.ts'
import type { RefusedOf } from '../refused.ts'
import {
  holdsCardNumber,
  isCustomerName,
  isExternalReference,
  isPlainText,
  maskCardNumbers,
} from '../texts/free-text.ts'
import { CURRENCY, readAmountXof } from './money.ts'
import type { PaymentRefusals, RequiredField } from './payment-refusals.ts'
import type { FailureReason, PaymentStatus } from './payment-status.ts'

/** A merchant's order, checked and not yet recorded. */
export interface PaymentOrder {
  amountXof: number
  country: Country
  /** As the merchant wrote it, and returned to the merchant like that (D-09). */
  msisdnWritten: string
  msisdn: string
  /** The number's digits that hint at its operator. */
  prefix: string
  /** The merchant's transaction_id. */
  externalReference: string
  customerName: string
  /**
   * The merchant's order_reference: its name for what is paid, of which there may be several
   * attempts (D-90).
   */
  clientReference: string | null
  /** JSON, as it is stored. */
  metadata: string | null
}

/**
 * Who made a link's payment: an unsigned page, a page with a signed order, or the merchant (D-57).
 */
export type LinkMaker = 'page' | 'order' | null

/**
 * What every form of a payment says: whose it is, its references, and what the merchant adds to it.
 */
export interface PaymentNames {
  accountId: string
  number: number
  reference: string
  publicReference: string
  externalReference: string
  createdBy: LinkMaker
  /**
   * The merchant's order_reference; of a link that an unsigned page made, what that page calls it.
   */
  clientReference: string | null
  /** JSON; null when none was given. */
  metadata: string | null
}

export interface Payment extends PaymentNames {
  status: PaymentStatus
  amountXof: number
  /** Null on a payment made through a link by another method (D-13). */
  msisdnWritten: string | null
  /** Milliseconds; null until the payment succeeded, then kept (D-13). */
  validatedAt: number | null
  failureReason: FailureReason | null
  /** Whose customer the payer is; null on a link's payment until the payer has chosen. */
  operator: string | null
  /** The operator's own reference of the debit; null until the payment succeeded. */
  operatorReference: string | null
}

/** The merchant's order_reference. An unsigned page's name is not one (D-57, D-90). */
export const orderReferenceOf = ({
  createdBy,
  clientReference,
}: Pick<Payment, 'createdBy' | 'clientReference'>): string | null =>
  createdBy === 'page' ? null : clientReference

export type CreatedPayment = { reference: string; publicReference: string; operator: string }

export interface UncheckedOrder extends Record<RequiredField, unknown> {
  orderReference?: unknown
  metadata?: unknown
}

const REQUIRED = [
  'amount',
  'country',
  'currency',
  'msisdn',
  'externalReference',
  'customerName',
] as const

/** What can be wrong with an order, in the order of D-06. The first fault is returned. */
export const ORDER_FAULTS = [
  'body_incomplete',
  'country_not_allowed',
  'currency_not_allowed',
  'amount_not_valid',
  'msisdn_not_valid',
  'external_reference_not_valid',
  'customer_name_not_valid',
  'order_reference_not_valid',
  'metadata_not_valid',
] as const

/** Every check of a payment order that needs no look-up. */
export function checkOrder(
  unchecked: UncheckedOrder,
  environment: Environment,
): PaymentOrder | RefusedOf<PaymentRefusals, (typeof ORDER_FAULTS)[number]> {
  if (REQUIRED.some((field) => isBlank(unchecked[field]))) {
    return { refused: 'body_incomplete', missing: firstMissing(unchecked) }
  }
  const { amount, country, currency, msisdn, externalReference, customerName, orderReference } =
    unchecked
  if (!isCountry(country)) return { refused: 'country_not_allowed' }
  if (currency !== CURRENCY) return { refused: 'currency_not_allowed' }
  const amountXof = readAmountXof(amount, environment)
  if (amountXof === undefined) return { refused: 'amount_not_valid' }
  const subscriber = readMsisdn(msisdn, country, environment)
  if (subscriber === undefined) return { refused: 'msisdn_not_valid' }
  if (!isNewReference(externalReference)) return { refused: 'external_reference_not_valid' }
  if (!isCustomerName(customerName)) return { refused: 'customer_name_not_valid' }
  if (isGiven(orderReference) && !isNewReference(orderReference))
    return { refused: 'order_reference_not_valid' }
  const metadata = unchecked.metadata ?? undefined
  if (metadata !== undefined && !isMetadata(metadata)) return { refused: 'metadata_not_valid' }
  return {
    amountXof,
    country,
    msisdnWritten: msisdn as string,
    ...subscriber,
    externalReference,
    customerName: maskCardNumbers(customerName),
    clientReference: isGiven(orderReference) ? orderReference : null,
    metadata: metadataText(metadata),
  }
}

/** Undefined when all are: then nothing of the body could be read. */
function firstMissing(unchecked: UncheckedOrder): RequiredField | undefined {
  const missing = REQUIRED.filter((field) => isBlank(unchecked[field]))
  return missing.length === REQUIRED.length ? undefined : missing[0]
}

/** Absent and null are the same: not given. */
export const isGiven = <Value>(value: Value): value is NonNullable<Value> =>
  value !== undefined && value !== null

/** D-06: absent, null, or a string of nothing but white space. */
export const isBlank = (value: unknown): boolean =>
  !isGiven(value) || (typeof value === 'string' && value.trim() === '')

/**
 * A card number in it is refused and not masked: references and addresses are given back byte for
 * byte (D-83).
 */
export const isNewReference = (value: unknown): value is string =>
  isExternalReference(value) && !holdsCardNumber(value)

// Metadata: texts that a merchant adds under keys of its own, returned unchanged (D-89).

export const METADATA_LIMITS = { keys: 20, key: 40, value: 500 } as const

/** A value may be empty and have several lines; a key may not. */
export function isMetadata(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const entries = Object.entries(value)
  return (
    entries.length <= METADATA_LIMITS.keys &&
    entries.every(([key, text]) => isPlainText(key, METADATA_LIMITS.key) && isText(text))
  )
}

/** A lone surrogate has no UTF-8 form: it would come back as another character. */
const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.isWellFormed() && [...value].length <= METADATA_LIMITS.value

/** As it is stored: null when there is nothing to keep. */
export const metadataText = (value: Record<string, string> | undefined): string | null =>
  value === undefined || Object.keys(value).length === 0
    ? null
    : maskCardNumbers(JSON.stringify(value, masked))

/** Before JSON escapes line breaks: digits after the letter of an escape are no card number. */
const masked = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? maskCardNumbers(value) : value

export interface ListedPayment extends Payment {
  environment: Environment
  /**
   * As it is stored and searched for, with the country's code; null until a link's payer is known.
   */
  msisdn: string | null
  customerName: string | null
  createdAt: number
  /** How the payer pays; null on a link's payment until the payer has chosen. */
  method: LinkMethod | null
  /** Null unless the payment was made through a link. */
  linkReference: string | null
  /** What was given back, whole or in part. */
  refundedXof: number
  linkTitle: string | null
  /** The connection that took it; null on a link's payment until the payer has chosen. */
  connection: string | null
}
