// Who may come in: walks the head of a request through the checks of contract.ts and on to its account (D-01, rows 1 to 7).
import type { IncomingHttpHeaders } from 'node:http'
import type { Authenticate } from '../actions/keys/authenticate-key.ts'
import type { MerchantKey } from '../domain/caller.ts'
import type { RefusedAs } from '../domain/refusal.ts'
import { environmentOf, HEAD_CHECKS, type Head, keyOf, type MerchantRefusal, type Operation } from './contract.ts'

export type Passed = MerchantKey | RefusedAs<MerchantRefusal>

export function passGate(
  headers: IncomingHttpHeaders,
  operation: Operation,
  authenticate: Authenticate,
): Passed | Promise<Passed> {
  const head = headOf(headers)
  for (const check of HEAD_CHECKS) {
    if (check.unmet(head, operation)) return { refused: check.refusal }
  }
  return authenticate(keyOf(head), environmentOf(head))
}

function headOf(headers: IncomingHttpHeaders): Head {
  return {
    contentType: headers['content-type'] ?? '',
    authorization: headers.authorization ?? '',
    environment: (headers['svc-target-environment'] as string | undefined) ?? '',
    paymentType: (headers['svc-payment-type'] as string | undefined) ?? '',
  }
}
