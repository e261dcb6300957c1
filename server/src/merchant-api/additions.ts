// What Karba adds to the merchant API, with the headers and the errors of the contract: a client that does not use it misses nothing.
import { parse as parseQuery } from 'node:querystring'
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
import type { Exchange } from '../http/exchange.ts'
import { accountBody } from '../wire/account.ts'
import { feedBody, readFeedQuery } from '../wire/event.ts'
import { linkBody } from '../wire/link.ts'
import { paymentBody, paymentListBody, readPaymentQuery } from '../wire/payment.ts'
import { refundBody } from '../wire/refund.ts'
import { nameOf, queryOf, type Serve } from './serve-operation.ts'

export interface AdditionsDeps extends ShowAccountDeps, RefundDeps, CloseLinkDeps {}

export function additions(serve: Serve, deps: AdditionsDeps): void {
  serve('listEvents', async (exchange, caller) => {
    const query = readFeedQuery(parseQuery(queryOf(exchange.request)))
    if (isRefused(query)) return query
    const outcome = await readEvents(deps, caller, query)
    return isRefused(outcome) ? outcome : feedBody(outcome)
  })

  serve('showAccount', async (_exchange, caller) => accountBody(await showAccount(deps, caller)))

  serve('listPayments', async (exchange, caller) => {
    const query = readPaymentQuery(parseQuery(queryOf(exchange.request)))
    if (isRefused(query)) return query
    const outcome = await listNewestPayments(deps, caller, query)
    if (!isRefused(outcome)) return paymentListBody(outcome)
    if (outcome.refused === 'account_not_found') throw new Error('the account of a key is not there')
    return outcome
  })

  serve('refundPayment', async (exchange, caller) => {
    const outcome = await refundOnce(deps, fromNetwork(exchange, caller), { name: nameOf(exchange.request) })
    if (isRefused(outcome)) return outcome
    exchange.paymentReference = outcome.reference
    return refundBody(outcome)
  })

  serve('readRefund', async (exchange, caller) => {
    // A transaction_id may end so, with its slash as it is: then this is the contract's read of that payment (D-12, D-87).
    const named = await readPayment(deps, caller, { name: nameOf(exchange.request, '/refund') })
    if (!isRefused(named)) return paymentBody(named)
    const outcome = await readRefund(deps, caller, { name: nameOf(exchange.request) })
    if (isRefused(outcome)) return outcome
    exchange.paymentReference = outcome.reference
    return refundBody(outcome)
  })

  serve('cancelLink', async (exchange, caller) => {
    const outcome = await cancelOnce(deps, fromNetwork(exchange, caller), { linkReference: nameOf(exchange.request) })
    return isRefused(outcome) ? outcome : linkBody(outcome)
  })
}

/** For the audit log. What is not audited does not ask for it: a create has no time for that. */
const fromNetwork = ({ address }: Exchange, caller: MerchantKey): MerchantKey => ({
  ...caller,
  network: networkOf(address),
})
