// What Karba adds to the merchant API, with the headers and the errors of the contract: a client that does not use it misses nothing.
import type { FastifyRequest } from 'fastify'
import { cancelOnce } from '../actions/links/cancel-once.ts'
import type { CloseLinkDeps } from '../actions/links/close-payment-link.ts'
import { type ShowAccountDeps, showAccount } from '../actions/merchants/show-account.ts'
import { listNewestPayments } from '../actions/payments/list-payments.ts'
import { readPayment } from '../actions/payments/read-payment.ts'
import { readRefund, refundOnce } from '../actions/payments/refund-once.ts'
import type { RefundDeps } from '../actions/payments/refund-payment.ts'
import { readEvents } from '../actions/webhooks/read-events.ts'
import type { MerchantKey } from '../domain/caller.ts'
import { isRefused } from '../domain/refusal.ts'
import { networkOf } from '../http/caller-network.ts'
import { accountBody } from '../wire/account.ts'
import { feedBody, readFeedQuery } from '../wire/event.ts'
import { linkBody } from '../wire/link.ts'
import { paymentListBody, readPaymentQuery } from '../wire/listed-payment.ts'
import { paymentBody } from '../wire/payment.ts'
import { refundBody } from '../wire/refund.ts'
import { nameOf, queryOf, type Serve } from './serve-operation.ts'

export interface AdditionsDeps extends ShowAccountDeps, RefundDeps, CloseLinkDeps {}

export function additions(serve: Serve, deps: AdditionsDeps): void {
  serve('listEvents', async (request, caller) => {
    const query = readFeedQuery(queryOf(request))
    if (isRefused(query)) return query
    const outcome = await readEvents(deps, caller, query)
    return isRefused(outcome) ? outcome : feedBody(outcome)
  })

  serve('showAccount', async (_request, caller) => accountBody(await showAccount(deps, caller)))

  serve('listPayments', async (request, caller) => {
    const query = readPaymentQuery(queryOf(request))
    if (isRefused(query)) return query
    const outcome = await listNewestPayments(deps, caller, query)
    if (!isRefused(outcome)) return paymentListBody(outcome)
    if (outcome.refused === 'account_not_found') throw new Error('the account of a key is not there')
    return outcome
  })

  serve('refundPayment', async (request, caller) => {
    const outcome = await refundOnce(deps, fromNetwork(request, caller), { name: nameOf(request) })
    if (isRefused(outcome)) return outcome
    request.paymentReference = outcome.reference
    return refundBody(outcome)
  })

  serve('readRefund', async (request, caller) => {
    // A transaction_id may end so, with its slash as it is: then this is the contract's read of that payment (D-35, D-87).
    const named = await readPayment(deps, caller, { name: nameOf(request, '/refund') })
    if (!isRefused(named)) return paymentBody(named)
    const outcome = await readRefund(deps, caller, { name: nameOf(request) })
    if (isRefused(outcome)) return outcome
    request.paymentReference = outcome.reference
    return refundBody(outcome)
  })

  serve('cancelLink', async (request, caller) => {
    const outcome = await cancelOnce(deps, fromNetwork(request, caller), { linkReference: nameOf(request) })
    return isRefused(outcome) ? outcome : linkBody(outcome)
  })
}

/** For the audit log. What is not audited does not ask for it: a create has no time for that. */
const fromNetwork = ({ ip }: FastifyRequest, caller: MerchantKey): MerchantKey => ({
  ...caller,
  network: networkOf(ip),
})
