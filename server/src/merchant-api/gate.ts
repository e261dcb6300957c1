// Authenticates a request before its body is read: runs the header checks that its operation lists, in order, then checks the key and its
// account (D-01, rows 1 to 7).
import type { IncomingHttpHeaders } from 'node:http'
import type { Authenticate, KEY_REFUSALS } from '../actions/keys/authenticate-key.ts'
import type { MerchantKey } from '../domain/caller.ts'
import { isRefused, type Refusal, type RefusedAs } from '../domain/refusal.ts'
import type { Operation } from './contract.ts'
import { environmentOf, HEAD_CHECKS, type Head, type HeadRefusal, keyOf, missingHeader } from './head-checks.ts'

export type Passed = MerchantKey | RefusedAs<HeadRefusal | (typeof KEY_REFUSALS)[number]>

/** The gate of an operation that needs a secret key. */
export function gateOf(
  operation: Operation,
  authenticate: Authenticate,
): (headers: IncomingHttpHeaders) => Passed | Promise<Passed> {
  const checkHead = headCheckOf(operation)
  return (headers) => {
    const head = checkHead(headers)
    return isRefused(head) ? head : authenticate(keyOf(head), environmentOf(head))
  }
}

type HeadRefusalOf<Op extends Operation> = Extract<Op['refusals'][number], HeadRefusal>

/** Runs the header checks that an operation lists, in the order of HEAD_CHECKS. */
export function headCheckOf<Op extends Operation>({
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
