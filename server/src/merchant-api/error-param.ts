// What a refusal is about: the header, field or parameter that Svc-Error-Param names, beside the body, which stays the contract's (D-62).
import type { RefusedAs } from '../domain/refusal.ts'
import { LINK_FIELDS, REDIRECTION_FIELDS } from '../wire/link.ts'
import { ORDER_FIELDS, TIME_PARAMETERS } from '../wire/payment.ts'
import type { MerchantRefusal } from './contract.ts'
import { HEADER_NAMES } from './head-checks.ts'

/** Null where nothing single is at fault. */
const PARAMS: { [Name in MerchantRefusal]: string | null | ((refused: RefusedAs<Name>) => string | null) } = {
  header_missing: ({ header }) => header,
  environment_not_allowed: HEADER_NAMES.environment,
  payment_type_not_allowed: HEADER_NAMES.paymentType,
  key_malformed: HEADER_NAMES.authorization,
  content_type_not_json: HEADER_NAMES.contentType,
  key_not_valid: HEADER_NAMES.authorization,
  account_not_available: null,
  address_not_allowed: HEADER_NAMES.authorization,
  key_not_permitted: HEADER_NAMES.authorization,
  body_incomplete: ({ missing }) => (missing === undefined ? null : ORDER_FIELDS[missing]),
  country_not_allowed: ORDER_FIELDS.country,
  currency_not_allowed: ORDER_FIELDS.currency,
  amount_not_valid: ORDER_FIELDS.amount,
  msisdn_not_valid: ORDER_FIELDS.msisdn,
  external_reference_not_valid: ORDER_FIELDS.externalReference,
  customer_name_not_valid: ORDER_FIELDS.customerName,
  operator_not_available: null,
  external_reference_taken: ORDER_FIELDS.externalReference,
  order_reference_not_valid: ORDER_FIELDS.orderReference,
  metadata_not_valid: ORDER_FIELDS.metadata,
  order_reference_taken: ORDER_FIELDS.orderReference,
  wait_not_valid: 'wait',
  payment_not_found: null,
  link_body_incomplete: ({ missing }) => missing ?? null,
  title_not_valid: 'title',
  description_not_valid: 'description',
  link_reference_not_valid: 'reference',
  should_expire_not_valid: 'shouldExpire',
  redirection_url_not_valid: ({ which }) => REDIRECTION_FIELDS[which],
  minimum_amount_not_valid: LINK_FIELDS.minimumAmount,
  suggested_amounts_not_valid: LINK_FIELDS.suggestedAmounts,
  reusable_not_valid: 'reusable',
  expires_in_minutes_not_valid: LINK_FIELDS.expiresInMinutes,
  link_reference_taken: 'reference',
  after_not_valid: ({ parameter }) => parameter,
  limit_not_valid: 'limit',
  cursor_not_valid: 'after',
  status_filter_not_valid: 'status',
  operator_filter_not_valid: 'operator',
  time_filter_not_valid: ({ bound }) => TIME_PARAMETERS[bound],
  payment_not_refundable: null,
  refund_not_found: null,
  link_being_paid: null,
  link_paid: null,
  event_not_found: 'after',
  secret_key_in_page: HEADER_NAMES.authorization,
  public_key_not_valid: HEADER_NAMES.authorization,
  origin_not_allowed: 'Origin',
  order_not_valid: 'order',
}

export function errorParam(refused: RefusedAs<MerchantRefusal>): string | undefined {
  const param = PARAMS[refused.refused]
  const name = typeof param === 'function' ? (param as (each: typeof refused) => string | null)(refused) : param
  return name ?? undefined
}
