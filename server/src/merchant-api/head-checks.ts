// The checks of a request's headers as a table, in their order; none of them queries the store (D-01, rows 1 to 5).
import type { IncomingHttpHeaders } from 'node:http'
import { type Environment, isEnvironment } from '../domain/environment.ts'
import type { Refusal, RefusedAs } from '../domain/refusal.ts'

/** The four headers of spec §5; an absent one is an empty string. */
export type Head = { contentType: string; authorization: string; environment: string; paymentType: string }

/** Whether each check is unmet, in the order of D-01: the first that is unmet is the refusal. */
const HEAD_CHECKS = {
  header_missing: (head) =>
    head.contentType === '' || head.authorization === '' || head.environment === '' || head.paymentType === '',
  environment_not_allowed: (head) => !isEnvironment(head.environment),
  payment_type_not_allowed: (head, paymentTypes) => !paymentTypes.includes(head.paymentType),
  key_malformed: (head) => !/^Bearer [^\s]+$/.test(head.authorization),
  content_type_not_json: ({ contentType }) =>
    contentType !== 'application/json' && contentType.toLowerCase() !== 'application/json',
} as const satisfies { [Name in Refusal]?: (head: Head, paymentTypes: readonly string[]) => boolean }

export type HeadRefusal = keyof typeof HEAD_CHECKS

export const HEAD_REFUSALS = Object.keys(HEAD_CHECKS) as HeadRefusal[]

/** A page sends only its key and JSON: the environment is that of the key, and a link has one payment type (D-52). */
export const PAGE_HEAD_REFUSALS = ['key_malformed', 'content_type_not_json'] as const satisfies readonly HeadRefusal[]

/** As the contract writes them. */
const HEADER_NAMES = {
  contentType: 'Content-Type',
  authorization: 'Authorization',
  environment: 'Svc-Target-Environment',
  paymentType: 'Svc-Payment-Type',
} as const satisfies Record<keyof Head, string>

/** The first of the four that is absent; there is one when the first check is unmet. */
function missingHeader(head: Head): string {
  const names = Object.keys(HEADER_NAMES) as (keyof Head)[]
  return HEADER_NAMES[names.find((name) => head[name] === '') as keyof Head]
}

export const environmentOf = (head: Head): Environment => head.environment as Environment
export const keyOf = (head: Head): string => head.authorization.slice('Bearer '.length)

type CheckedOperation = { refusals: readonly Refusal[]; paymentTypes: readonly string[] }

type HeadRefusalOf<Op extends CheckedOperation> = Extract<Op['refusals'][number], HeadRefusal>

/** Runs the header checks that an operation lists, in the order of HEAD_CHECKS. */
export function headCheckOf<Op extends CheckedOperation>({
  refusals,
  paymentTypes,
}: Op): (headers: IncomingHttpHeaders) => Head | RefusedAs<HeadRefusalOf<Op>> {
  const checked = HEAD_REFUSALS.filter((refusal) => refusals.includes(refusal))
  return (headers) => {
    const head = headOf(headers)
    const refused = checked.find((refusal) => HEAD_CHECKS[refusal](head, paymentTypes))
    if (refused === undefined) return head
    const facts = refused === 'header_missing' ? { header: missingHeader(head) } : {}
    return { refused, ...facts } as RefusedAs<HeadRefusalOf<Op>>
  }
}

function headOf(headers: IncomingHttpHeaders): Head {
  return {
    contentType: headers['content-type'] ?? '',
    authorization: headers.authorization ?? '',
    environment: (headers['svc-target-environment'] as string | undefined) ?? '',
    paymentType: (headers['svc-payment-type'] as string | undefined) ?? '',
  }
}
