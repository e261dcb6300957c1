// The checks of a request's headers as a table, in their order; none of them queries the store (D-01, rows 1 to 5).
import type { IncomingHttpHeaders } from 'node:http'
import { type Environment, isEnvironment } from '../domain/environment.ts'
import type { Refusal, RefusedAs } from '../domain/refusal.ts'

/** The four headers of spec §5; an absent one is an empty string. */
export interface Head {
  contentType: string
  authorization: string
  environment: string
  paymentType: string
}

interface HeadCheck {
  refusal: Refusal
  unmet(head: Head, paymentTypes: readonly string[]): boolean
  source: string
}

/** The first unmet check is the refusal. */
const HEAD_CHECKS = [
  {
    refusal: 'header_missing',
    unmet: (head) =>
      head.contentType === '' || head.authorization === '' || head.environment === '' || head.paymentType === '',
    source: 'D-01 row 1',
  },
  {
    refusal: 'environment_not_allowed',
    unmet: (head) => !isEnvironment(head.environment),
    source: 'D-01 row 2',
  },
  {
    refusal: 'payment_type_not_allowed',
    unmet: (head, paymentTypes) => !paymentTypes.includes(head.paymentType),
    source: 'D-01 row 3',
  },
  {
    refusal: 'key_malformed',
    unmet: (head) => !/^Bearer [^\s]+$/.test(head.authorization),
    source: 'D-01 row 4',
  },
  {
    refusal: 'content_type_not_json',
    unmet: (head) => head.contentType !== 'application/json' && head.contentType.toLowerCase() !== 'application/json',
    source: 'D-01 row 5',
  },
] as const satisfies readonly HeadCheck[]

export type HeadRefusal = (typeof HEAD_CHECKS)[number]['refusal']

export const HEAD_REFUSALS = HEAD_CHECKS.map(({ refusal }) => refusal)

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

interface CheckedOperation {
  refusals: readonly Refusal[]
  paymentTypes: readonly string[]
}

type HeadRefusalOf<Op extends CheckedOperation> = Extract<Op['refusals'][number], HeadRefusal>

/** Runs the header checks that an operation lists, in the order of HEAD_CHECKS. */
export function headCheckOf<Op extends CheckedOperation>({
  refusals,
  paymentTypes,
}: Op): (headers: IncomingHttpHeaders) => Head | RefusedAs<HeadRefusalOf<Op>> {
  const listed: readonly Refusal[] = refusals
  const checks = HEAD_CHECKS.filter(({ refusal }) => listed.includes(refusal))
  return (headers) => {
    const head = headOf(headers)
    for (const check of checks) {
      if (!check.unmet(head, paymentTypes)) continue
      const facts = check.refusal === 'header_missing' ? { header: missingHeader(head) } : {}
      return { refused: check.refusal, ...facts } as RefusedAs<HeadRefusalOf<Op>>
    }
    return head
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
