// What a network says in its own words is kept in the payment's story, shown to people and logged. It may hold a card number that somebody typed
// there, so each text is masked before anything else sees it. The network's own references stay as they are: refunds are made by them.
import { maskCardNumbers } from '../domain/free-text.ts'
import type { OperatorAnswer, RefundAnswer } from '../domain/operator-report.ts'
import type { HostedMethod, Operator } from './operator.ts'

export const withMaskedTexts = (operator: Operator): Operator => derived(operator, maskedVerbs(operator))

export const hostedWithMaskedTexts = (hosted: HostedMethod): HostedMethod =>
  derived(hosted, {
    ...maskedVerbs(hosted),
    cancel: async (reference, networkId) => masked(await hosted.cancel(reference, networkId)),
  })

const maskedVerbs = (operator: Operator): Pick<Operator, 'request' | 'status' | 'refund' | 'refundStatus'> => ({
  request: async (collection) => masked(await operator.request(collection)),
  status: async (reference, networkId) => masked(await operator.status(reference, networkId)),
  refund: async (reversal) => masked(await operator.refund(reversal)),
  refundStatus: async (reversal) => masked(await operator.refundStatus(reversal)),
})

const derived = <Kind extends Operator>(operator: Kind, verbs: Partial<Kind>): Kind =>
  Object.assign(Object.create(operator), verbs)

const TEXTS = ['code', 'why', 'told'] as const

/** The same answer when it holds none, as nearly all do. A sentence of ours about a refund by hand has the network's reference in it. */
function masked<Answer extends OperatorAnswer | RefundAnswer>(answer: Answer): Answer {
  if (answer.is === 'by_hand') return answer
  const texts = answer as Partial<Record<(typeof TEXTS)[number], string>>
  let changed: Answer | undefined
  for (const name of TEXTS) {
    const text = texts[name]
    if (text === undefined) continue
    const shown = maskCardNumbers(text)
    if (shown !== text) changed = { ...(changed ?? answer), [name]: shown }
  }
  return changed ?? answer
}
