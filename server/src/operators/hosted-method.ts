// A method whose payer pays on the provider's own page: a card or a wallet. Beside the calls of operator.ts it can open a session with that
// page and cancel it. Card numbers are typed on the provider's page, never on ours.
import type { OperatorAnswer } from '../domain/outcome.ts'
import type { KeepNetworkId, Operator } from './operator.ts'

/** @internal */
export interface Session {
  /** Our reference of the attempt: the idempotency key. */
  reference: string
  amountXof: number
  publicReference: string
  merchantName: string
  title: string
  /** Where the provider sends the payer back to. */
  returnUrl: string
  keepNetworkId: KeepNetworkId
}

export interface HostedMethod extends Operator {
  /** The address of the provider's page for this payer; undefined when the provider gave none, and then the payer cannot pay there. */
  open(session: Session): Promise<string | undefined>
  /** For a payer who has given up. The provider's answer decides: the payer may already have paid. */
  cancel(reference: string, networkId?: string | null): Promise<OperatorAnswer>
}
