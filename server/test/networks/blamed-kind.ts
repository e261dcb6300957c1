// An answer as tables of expected answers write it: of a misconfiguration only its kind, since the sentence about it may change.
import type { RefundAnswer } from '../../src/domain/outcome.ts'

export function withBlamedKind(answer: RefundAnswer | string | { is: string }): unknown {
  if (typeof answer === 'string' || !('misconfigured' in answer) || typeof answer.misconfigured !== 'object')
    return answer
  const { kind, mend } = answer.misconfigured
  return mend === '' ? answer : { ...answer, misconfigured: kind }
}
