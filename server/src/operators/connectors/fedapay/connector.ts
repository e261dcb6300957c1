// FedaPay: an aggregator that prompts payers of MTN, Moov and Celtiis in Benin and of Airtel in Niger, and has a page for cards and wallets.
// facts.md says what its documents say, and what was never checked.
import type { RefundAnswer } from '../../../domain/operator-report.ts'
import { defineConnector } from '../../connector.ts'
import type { Operator, Reversal } from '../../operator.ts'
import { callbackReader } from './callback.ts'
import { checkConnection } from './check.ts'
import { type FedapayOptions, fedapayOptions } from './options.ts'
import { hostedPage } from './page.ts'
import { PROMPTED, prompter } from './prompt.ts'

export const fedapayConnector = defineConnector<FedapayOptions>({
  name: 'fedapay',
  addresses: { live: 'https://api.fedapay.com', sandbox: 'https://sandbox-api.fedapay.com' },
  prompts: PROMPTED,
  pages: ['bank_card', 'wallet'],
  options: fedapayOptions,
  connect(deps, options) {
    const { name, clock } = deps
    const prompts = prompter(deps, options)
    const page = hostedPage(deps, options)

    /** A person refunds in the dashboard; the transaction shows it afterwards. */
    async function refund(reversal: Reversal): Promise<RefundAnswer> {
      const answer = await prompts.status(reversal.reference, reversal.networkId)
      return answer.is === 'refunded' ? { ...answer, is: 'succeeded' } : { is: 'by_hand', why: refundByHand(reversal) }
    }

    const shared = {
      name,
      refund,
      refundStatus: refund,
      parseCallback: callbackReader(clock, options.webhookSecret),
    } satisfies Partial<Operator>
    return {
      operator: { ...shared, ...prompts },
      // The page was opened when the attempt began. If that was not recorded, a status call is all that is left to do.
      hosted: {
        ...shared,
        ...page,
        status: prompts.status,
        request: ({ reference, networkId }) => prompts.status(reference, networkId),
      },
      check: () => checkConnection(deps, options),
    }
  },
})

const refundByHand = ({ operatorReference, operator }: Reversal): string =>
  operator === 'mtn_bj'
    ? `FedaPay has no call for refunds: refund ${operatorReference} in the FedaPay dashboard, under Collects.`
    : `FedaPay refunds nothing but MTN payments in its dashboard: pay ${operatorReference} back in another way.`
