// Authenticates a request before its body is read: runs the header checks that its operation lists, in order, then checks the key and its
// account (D-01, rows 1 to 7).
import type { IncomingHttpHeaders } from 'node:http'
import type { AskedWithKey, Authenticate, KEY_REFUSALS } from '../actions/keys/authenticate-key.ts'
import type { MerchantKey } from '../domain/caller.ts'
import type { KeyPermission } from '../domain/key-permission.ts'
import { isRefused, type Refusal, type RefusedAs } from '../domain/refusal.ts'
import type { Operation } from './contract.ts'
import { environmentOf, HEAD_CHECKS, type Head, type HeadRefusal, keyOf, missingHeader } from './head-checks.ts'

export type Passed = MerchantKey | RefusedAs<HeadRefusal | (typeof KEY_REFUSALS)[number]>

/** The gate of an operation that needs a secret key. */
export function gateOf(
  operation: Operation,
  authenticate: Authenticate,
): (headers: IncomingHttpHeaders, from: AskedWithKey['from']) => Passed | Promise<Passed> {
  const checkHead = headCheckOf(operation)
  const permission = permissionFor(operation)
  return (headers, from) => {
    const head = checkHead(headers)
    return isRefused(head) ? head : authenticate(keyOf(head), { environment: environmentOf(head), permission, from })
  }
}

/** What a restricted key must be allowed to do (D-102). */
function permissionFor({ method, path }: Operation): KeyPermission {
  if (method === 'GET') return 'read'
  return path.endsWith('/refund') ? 'refund' : 'create'
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
