// FedaPay's own page, where payers pay by card or by any of its wallets. Nobody is asked for money before somebody opens the page, so a
// transaction that waits there is under way.
import type { OperatorAnswer } from '../../../domain/operator-report.ts'
import type { ConnectionDeps } from '../../connector.ts'
import type { HostedMethod } from '../../operator.ts'
import type { FedapayOptions } from './options.ts'
import { isOk, pathOf, transactionsOf } from './transactions.ts'
import { answerAbout, isPending, wasPrompted } from './translate.ts'
import type { NewTransaction } from './wire.ts'

const LONGEST_DESCRIPTION = 255
const DELETED: OperatorAnswer = { is: 'declined', reason: 'cancelled', mayChange: true, code: 'deleted' }

export function hostedPage(deps: ConnectionDeps, options: FedapayOptions): Pick<HostedMethod, 'open' | 'cancel'> {
  const { xofCurrencyId, customerEmail: email } = options

  return {
    async open({ reference, amountXof, merchantName, title, returnUrl, keepNetworkId }) {
      const transactions = transactionsOf(deps, options)
      const wanted: NewTransaction = {
        description: `${merchantName}: ${title}`.slice(0, LONGEST_DESCRIPTION),
        amount: amountXof,
        currency: { iso: 'XOF' },
        merchant_reference: reference,
        callback_url: returnUrl,
        ...(email !== undefined && { customer: { email } }),
      }
      const made = await transactions.findOrCreate(wanted, null)
      // Nobody has the page's address yet, so nobody can have paid there.
      if ('answer' in made || !(await keepNetworkId(String(made.transaction.id)))) return undefined
      const token = await transactions.token(made.transaction.id)
      return 'answer' in token ? undefined : token.url
    },

    // Deleting is the only way to end a transaction, and it takes the record of it away. So only what nobody tried to pay is deleted.
    async cancel(reference, networkId = null) {
      const transactions = transactionsOf(deps, options)
      const found = await transactions.find(reference, networkId)
      if ('answer' in found) return found.answer
      const { transaction } = found
      const answer = answerAbout(transaction, { reference, xofCurrencyId })
      if (!options.cancelByDelete || !isPending(transaction) || wasPrompted(transaction)) return answer
      const deleted = await transactions.call('DELETE', pathOf(transaction.id))
      if (isOk(deleted)) return DELETED
      // Its answer may be lost: then the page is gone all the same.
      const left = await transactions.find(reference, String(transaction.id))
      return 'answer' in left && left.answer.is === 'not_known' ? DELETED : answer
    },
  }
}
