// A method whose payer pays on the provider's own page: a card or a wallet. Beside the four verbs it can open that page and be told that
// the payer has given up. Card numbers are typed there, never here.
import type { OperatorAnswer } from '../domain/outcome.ts'
import type { HostedMethodName } from '../domain/payment-link.ts'
import type { Operator } from './operator.ts'

interface Session {
  /** Our reference of the attempt: the idempotency key. */
  reference: string
  amountXof: number
  publicReference: string
  merchantName: string
  title: string
  /** Where the provider sends the payer back to. */
  returnUrl: string
}

export interface HostedMethod extends Operator {
  name: HostedMethodName
  /** The address of the provider's page for this payer; undefined when the provider could not be reached, and then nobody can pay. */
  open(session: Session): Promise<string | undefined>
  /** The payer has given up. What comes back is the truth: it may say that they had paid. */
  cancel(reference: string): Promise<OperatorAnswer>
}
