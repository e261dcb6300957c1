// The merchant API, /api/v1. Its operations and their refusals are listed in contract.ts; this file
// only runs them.
import type { FastifyInstance } from 'fastify'
import { exportMonth } from '../actions/books/month-package.ts'
import { exportStatement } from '../actions/books/read-account-statement.ts'
import { listEntries, readBalance } from '../actions/books/read-books.ts'
import {
  confirmSettlement,
  listAccountSettlements,
  readSettlement,
} from '../actions/books/settlements.ts'
import type { MoveDeps } from '../actions/deps.ts'
import { readEvents } from '../actions/events/read-events.ts'
import type { Authenticate } from '../actions/keys/authenticate-key.ts'
import { cancelOnce } from '../actions/links/close-payment-link.ts'
import { type CreateLinkDeps, createPaymentLink } from '../actions/links/create-payment-link.ts'
import { readPaymentLink } from '../actions/links/read-payment-link.ts'
import { type ShowAccountDeps, showAccount } from '../actions/merchants/show-merchants.ts'
import { type CreatePaymentDeps, createPayment } from '../actions/payments/create-payment.ts'
import { listOwnPayments } from '../actions/payments/list-payments.ts'
import { listRefundsOfAccount } from '../actions/payments/list-refunds.ts'
import { type WaitDeps, waitForPayment } from '../actions/payments/payment-watcher.ts'
import { readPayment } from '../actions/payments/read-payment.ts'
import { type RefundDeps, readRefund, refundOnce } from '../actions/payments/refund-payment.ts'
import type { EndpointDeps } from '../actions/webhooks/endpoints.ts'
import type { SlotRefusal } from '../domain/limits/fair-shares.ts'
import { isPaid } from '../domain/payments/payment-status.ts'
import type { ReceiptCodes } from '../domain/payments/receipt-code.ts'
import type { MerchantCaller } from '../domain/people/caller.ts'
import { isRefused } from '../domain/refusals/refusal.ts'
import { sendError, sendGeneralError, sendJson } from '../http/errors.ts'
import { rateLimit, rateOf } from '../http/rate-limit.ts'
import { sendFromSlot } from '../http/send-paced.ts'
import { accountBody } from '../wire/account.ts'
import { balanceBody, entryListBody, readPackageQuery, readStatementQuery } from '../wire/books.ts'
import { feedBody, readFeedQuery } from '../wire/event.ts'
import { createdLinkBody, linkBody, readLinkBody } from '../wire/link.ts'
import {
  createdPaymentBody,
  paymentBody,
  paymentListBody,
  readOrderBody,
  readRefundBody,
  readWait,
  refundBody,
  refundListBody,
} from '../wire/payment.ts'
import {
  ENTRY_QUERY,
  PAYMENT_QUERY,
  REFUND_QUERY,
  readQuery,
  SETTLEMENT_LINES_QUERY,
} from '../wire/queries.ts'
import { errorParam, WIRE_ERRORS } from '../wire/refusals.ts'
import {
  readReceiptBody,
  readSettlementList,
  settlementBody,
  settlementLinesBody,
  settlementListBody,
} from '../wire/settlement.ts'
import { OPERATIONS, PAGE_URL_HEADER, RECEIPT_URL_HEADER, routeOf } from './contract.ts'
import { fromNetwork, nameOf, operationServer, queryOf, type Serve } from './serve-operation.ts'
import { serveWebhookEndpoints } from './webhook-endpoints.ts'

export interface MerchantApiDeps
  extends CreatePaymentDeps,
    CreateLinkDeps,
    WaitDeps,
    ShowAccountDeps,
    RefundDeps,
    EndpointDeps,
    MoveDeps {
  /** Reads of links a second for each address (D-29). */
  publicRate: number
  pageUrl(linkReference: string): string
  receiptCodes: ReceiptCodes
  receiptUrl(code: string): string
  authenticate: Authenticate
  /** Takes a slot for one statement; the returned function releases it. */
  takeStatement(caller: MerchantCaller): Promise<(() => void) | SlotRefusal>
}

export function merchantApi(app: FastifyInstance, deps: MerchantApiDeps): void {
  const serve = operationServer(app, deps.authenticate)

  serve('createPayment', async (request, caller) => {
    const outcome = await createPayment(deps, caller, readOrderBody(request.body))
    if (isRefused(outcome)) return outcome
    request.paymentReference = outcome.reference
    return createdPaymentBody(outcome)
  })

  serve('readPayment', async (request, caller, reply) => {
    const name = nameOf(request)
    const wait = readWait(queryOf(request))
    if (isRefused(wait)) return wait
    const { waitMs } = wait
    const outcome =
      waitMs === 0
        ? await readPayment(deps, caller, { name })
        : await app.longPoll(request, reply, waitMs, (gone) =>
            waitForPayment(deps, caller, { name, waitMs, gone }),
          )
    if (isRefused(outcome)) return outcome
    request.paymentReference = outcome.reference
    if (isPaid(outcome)) {
      // The body is the contract's.
      const code = deps.receiptCodes.of({
        environment: caller.environment,
        publicReference: outcome.publicReference,
      })
      reply.header(RECEIPT_URL_HEADER, deps.receiptUrl(code))
    }
    return paymentBody(outcome)
  })

  serve('createLink', async (request, caller) => {
    const outcome = await createPaymentLink(deps, caller, { order: readLinkBody(request.body) })
    if (isRefused(outcome)) return outcome
    request.paymentReference = outcome.reference
    return createdLinkBody(outcome, deps.pageUrl(outcome.linkReference))
  })

  const allowRead = rateLimit(deps.clock, rateOf(deps.publicRate))
  app.get(routeOf(OPERATIONS.readLink), async (request, reply) => {
    // Anyone with the link may read it, so pages of any site may too (D-53).
    reply.header('access-control-allow-origin', '*')
    if (!allowRead(request.ip)) return sendGeneralError(reply, 'too_many_requests')
    const outcome = await readPaymentLink(deps, {
      is: 'payer',
      linkReference: nameOf(request) ?? '',
    })
    reply.header('cache-control', 'no-store')
    if (!isRefused(outcome)) {
      // The body is the contract's.
      reply.header(PAGE_URL_HEADER, deps.pageUrl(outcome.linkReference))
      return sendJson(reply, 200, linkBody(outcome))
    }
    return sendError(reply, WIRE_ERRORS[outcome.refused], errorParam(outcome))
  })

  serveAdditions(serve, deps)
  serveBooks(serve, deps)
  serveRefunds(serve, deps)
  serveWebhookEndpoints(serve, deps)
}

/**
 * What Karba adds to the contract, with the contract's headers and errors. Clients may ignore it.
 */
function serveAdditions(serve: Serve, deps: MerchantApiDeps): void {
  serve('listEvents', async (request, caller) => {
    const query = readFeedQuery(queryOf(request))
    if (isRefused(query)) return query
    const outcome = await readEvents(deps, caller, query)
    return isRefused(outcome) ? outcome : feedBody(outcome)
  })

  serve('showAccount', async (_request, caller) => accountBody(await showAccount(deps, caller)))

  serve('listPayments', async (request, caller) => {
    const query = readQuery(PAYMENT_QUERY, queryOf(request))
    if (isRefused(query)) return query
    const outcome = await listOwnPayments(deps, caller, query)
    return isRefused(outcome) ? outcome : paymentListBody(outcome)
  })
  serve('cancelLink', async (request, caller) => {
    const outcome = await cancelOnce(deps, fromNetwork(request, caller), {
      linkReference: nameOf(request),
    })
    return isRefused(outcome) ? outcome : linkBody(outcome)
  })
}

/** What came to a merchant's wallets, and what networks say of it. */
function serveBooks(serve: Serve, deps: MerchantApiDeps): void {
  serve('readBalance', async (_request, caller) => balanceBody(await readBalance(deps, caller)))

  serve('listEntries', async (request, caller) => {
    const query = readQuery(ENTRY_QUERY, queryOf(request))
    return isRefused(query) ? query : entryListBody(await listEntries(deps, caller, query))
  })

  serve('readStatement', async (request, caller, reply) => {
    const query = readStatementQuery(queryOf(request))
    if (isRefused(query)) return query
    const release = await deps.takeStatement(fromNetwork(request, caller))
    if (typeof release === 'string') return sendGeneralError(reply, 'too_many_requests')
    const making = exportStatement(deps, caller, { ...query, accountId: caller.accountId })
    const sent = await sendFromSlot(reply, deps.clock, release, making)
    if (!isRefused(sent)) return sent
    if (sent.refused === 'account_not_found') throw new Error('the account of a key is not there')
    return { refused: sent.refused }
  })

  serve('downloadMonth', async (request, caller, reply) => {
    const query = readPackageQuery(queryOf(request))
    if (isRefused(query)) return query
    const release = await deps.takeStatement(fromNetwork(request, caller))
    if (typeof release === 'string') return sendGeneralError(reply, 'too_many_requests')
    const making = exportMonth(deps, caller, { ...query, accountId: caller.accountId })
    const sent = await sendFromSlot(reply, deps.clock, release, making)
    if (!isRefused(sent)) return sent
    if (sent.refused === 'account_not_found') throw new Error('the account of a key is not there')
    return { refused: sent.refused }
  })

  serve('listSettlements', async (request, caller) => {
    const page = readSettlementList(queryOf(request))
    if (isRefused(page)) return page
    const outcome = await listAccountSettlements(deps, caller, {
      ...page,
      accountId: caller.accountId,
    })
    if (!isRefused(outcome)) return settlementListBody(outcome)
    if (outcome.refused === 'account_not_found')
      throw new Error('the account of a key is not there')
    return outcome
  })

  serve('readSettlement', async (request, caller) => {
    const page = readQuery(SETTLEMENT_LINES_QUERY, queryOf(request))
    if (isRefused(page)) return page
    const named = { name: nameOf(request) ?? '', accountId: caller.accountId }
    const outcome = await readSettlement(deps, caller, { ...page, ...named })
    return isRefused(outcome) ? outcome : settlementLinesBody(outcome)
  })

  serve('confirmSettlement', async (request, caller) => {
    const receipt = readReceiptBody(request.body)
    if (isRefused(receipt)) return receipt
    const named = { name: nameOf(request) ?? '', accountId: caller.accountId }
    const outcome = await confirmSettlement(deps, fromNetwork(request, caller), {
      ...receipt,
      ...named,
    })
    return isRefused(outcome) ? outcome : settlementBody(outcome)
  })
}

/** Payments that are given back, whole or in part. */
function serveRefunds(serve: Serve, deps: MerchantApiDeps): void {
  serve('refundPayment', async (request, caller) => {
    const outcome = await refundOnce(deps, fromNetwork(request, caller), {
      name: nameOf(request),
      ...readRefundBody(request.body),
    })
    if (isRefused(outcome)) return outcome
    request.paymentReference = outcome.reference
    return refundBody(outcome)
  })

  serve('readRefund', async (request, caller) => {
    // A transaction_id may end so: then this is the contract's read of that payment (D-12, D-87).
    const named = await readPayment(deps, caller, { name: nameOf(request, '/refund') })
    if (!isRefused(named)) return paymentBody(named)
    const outcome = await readRefund(deps, caller, { name: nameOf(request) })
    if (isRefused(outcome)) return outcome
    request.paymentReference = outcome.reference
    return refundBody(outcome)
  })

  serve('listRefunds', async (request, caller) => {
    const query = readQuery(REFUND_QUERY, queryOf(request))
    if (isRefused(query)) return query
    const outcome = await listRefundsOfAccount(deps, caller, query)
    return isRefused(outcome) ? outcome : refundListBody(outcome)
  })
}
