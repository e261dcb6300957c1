// The refusal catalogue: for each refusal its HTTP status, its message in the merchant API, the
// parameter at fault, and what happened and what to do next in English and in French. The merchant
// API, the dashboard, the payer pages, the CLI, docs/errors.md and the OpenAPI description read it.
// Messages and statuses of the merchant API are the contract (spec §7); its English sentence is the
// hint, one sentence that says what to do and needs no facts (D-164). A refusal without a row does
// not compile.

import type { Refusal, Refused, RefusedAs } from '../domain/refusals/refusal.ts'
import { typesetText } from '../domain/texts/free-text.ts'
import type { Language } from '../domain/texts/language.ts'
import {
  BODY_LIMIT_BYTES,
  GENERAL_ERRORS,
  type GeneralError,
  HEADER_LIMIT_BYTES,
  PAGE_BODY_LIMIT_BYTES,
  REQUEST_TIMEOUT_MS,
  type UncodedError,
  type WireError,
  withCodes,
} from './error.ts'
import { BOOKS_REFUSALS } from './refusals/books-refusals.ts'
import { CONNECTION_REFUSALS } from './refusals/connection-refusals.ts'
import { CONSOLE_REFUSALS } from './refusals/console-refusals.ts'
import { KEY_REFUSALS } from './refusals/key-refusals.ts'
import { LINK_REFUSALS } from './refusals/link-refusals.ts'
import { MERCHANT_REFUSALS } from './refusals/merchant-refusals.ts'
import { PAYMENT_REFUSALS } from './refusals/payment-refusals.ts'
import { PERSON_REFUSALS } from './refusals/person-refusals.ts'
import { REFUND_REFUSALS } from './refusals/refund-refusals.ts'
import { REQUEST_REFUSALS } from './refusals/request-refusals.ts'
import type { Both, Param, Row, Rows } from './refusals/row.ts'
import { STORE_REFUSALS } from './refusals/store-refusals.ts'
import { WEBHOOK_REFUSALS } from './refusals/webhook-refusals.ts'

export const REFUSALS = {
  ...REQUEST_REFUSALS,
  ...PAYMENT_REFUSALS,
  ...REFUND_REFUSALS,
  ...LINK_REFUSALS,
  ...WEBHOOK_REFUSALS,
  ...CONNECTION_REFUSALS,
  ...BOOKS_REFUSALS,
  ...MERCHANT_REFUSALS,
  ...KEY_REFUSALS,
  ...PERSON_REFUSALS,
  ...CONSOLE_REFUSALS,
  ...STORE_REFUSALS,
} as const satisfies Rows<Refusal>

/** The refusals that the merchant API may answer with: those that have a message. */
export type WireRefusal = {
  [Name in Refusal]: (typeof REFUSALS)[Name] extends { api: unknown } ? Name : never
}[Refusal]

const ROWS: { readonly [Name in Refusal]: Row<Name> } = REFUSALS

export function statusOf(name: Refusal): number {
  const row = ROWS[name]
  return 'api' in row ? row.api[0] : (row.http ?? 422)
}

export function sentenceOf(refused: Refused, language: Language): string {
  const sentence = ROWS[refused.refused][language] as string | ((facts: Refused) => string)
  return typesetText(typeof sentence === 'string' ? sentence : sentence(refused), language)
}

/**
 * What to do about an error of the merchant API, by its code; undefined for a code that it does not
 * have.
 */
export function hintOf(code: string, language: Language): string | undefined {
  if (Object.hasOwn(WIRE_ERRORS, code))
    return typesetText(hintIn(code as WireRefusal, language), language)
  if (!Object.hasOwn(GENERAL_ERRORS, code)) return undefined
  const name = code as GeneralError
  return language === 'en' ? GENERAL_ERRORS[name].hint : typesetText(FRENCH_HINTS[name], language)
}

function hintIn(name: WireRefusal, language: Language): string {
  const row = ROWS[name] as Row<never> & { hint?: Both }
  return row.hint?.[language] ?? (row[language] as string)
}

const FRENCH_HINTS: Readonly<Record<GeneralError, string>> = {
  bad_request:
    'Envoyez du HTTP valide, avec un seul en-tête Host, un seul Authorization au plus, et un corps complet.',
  unauthorized: 'Signez le rappel comme le prévoit le contrat avec le réseau.',
  not_found:
    'Vérifiez le chemin : ceux de l’API commencent par /api/v1, et /docs en donne la liste.',
  method_not_allowed: 'Utilisez une méthode que donne l’en-tête Allow.',
  request_timeout: `Envoyez toute la requête en ${REQUEST_TIMEOUT_MS / 1_000} secondes au plus.`,
  payload_too_large: `Envoyez un corps de ${BODY_LIMIT_BYTES / 1024} Kio au plus, ou de ${PAGE_BODY_LIMIT_BYTES / 1024} Kio depuis une page.`,
  too_many_requests:
    'Attendez les secondes de Retry-After, puis envoyez moins de requêtes, ou un relevé à la fois.',
  headers_too_large: `Envoyez des en-têtes de ${HEADER_LIMIT_BYTES / 1024} Kio au plus en tout.`,
  internal: 'Le service a échoué et le paiement existe peut-être : lisez-le avant de réessayer.',
  unavailable: 'Rien n’a été enregistré : réessayez après les secondes de Retry-After.',
}

export const WIRE_ERRORS = withCodes(
  Object.fromEntries(
    Object.entries<Row<never>>(REFUSALS).flatMap(([code, row]) => {
      if (!('api' in row)) return []
      const [http, message] = row.api
      const hint = row.hint?.en ?? (row.en as string)
      return [[code, { http, message, hint, ...(http === 422 && { status: 'failed' }) }]]
    }),
  ) as Readonly<Record<WireRefusal, UncodedError>>,
) as Readonly<Record<WireRefusal, WireError>>

/** The header, field or parameter that is at fault, where it is a single one. */
export function errorParam(refused: RefusedAs<WireRefusal>): string | undefined {
  const param = REFUSALS[refused.refused].api[2] as Param<never> | undefined
  return typeof param === 'function'
    ? (param as (facts: object) => string | undefined)(refused)
    : param
}
