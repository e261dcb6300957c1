// Short forms for tables of expected answers of networks.
import type { RefundAnswer } from '../../src/domain/payments/operator-report.ts'
import type { FailureReason } from '../../src/domain/payments/payment-status.ts'

const coded = (code: string | undefined) => (code === undefined ? {} : { code })
export const accepted = (code?: string) => ({ is: 'accepted', ...coded(code) })
export const declined = (
  reason: FailureReason,
  code?: string,
  misconfigured?: 'form' | 'settings',
) => ({
  is: 'declined',
  reason,
  ...coded(code),
  ...(misconfigured && { misconfigured }),
})
export const unknown = (why: string, code?: string) => ({ is: 'unknown', why, ...coded(code) })
/** The network received nothing. */
export const notSent = (why: string, code?: string) => ({ ...unknown(why, code), neverLeft: true })
/** The network refused us for our credentials or settings. */
export const refusedUs = (why: string, code?: string) => ({
  ...notSent(why, code),
  misconfigured: true,
})
export const NOT_KNOWN = { is: 'not_known' }

/** Only the kind of a misconfiguration, since its sentence may change. */
export function withBlamedKind(answer: RefundAnswer | string | { is: string }): unknown {
  if (
    typeof answer === 'string' ||
    !('misconfigured' in answer) ||
    typeof answer.misconfigured !== 'object'
  )
    return answer
  const { kind, remedy } = answer.misconfigured
  return remedy === '' ? answer : { ...answer, misconfigured: kind }
}
