// A state as a word on its colour. The word says it; the colour only helps.
import type { PaymentRow } from '../../../server/src/dashboard-api/shapes.ts'
import { useWords } from '../words/language.tsx'

export type Tone = 'good' | 'bad' | 'wait' | 'calm'

export const State = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className={`state ${tone}`}>{children}</span>
)

const TONES: Readonly<Record<PaymentRow['status'], Tone>> = {
  initiated: 'calm',
  pending: 'wait',
  succeeded: 'good',
  failed: 'bad',
  refunded: 'calm',
}

export function PaymentState({ status }: { status: PaymentRow['status'] }) {
  const { money } = useWords()
  return <State tone={TONES[status]}>{money.status[status]}</State>
}
