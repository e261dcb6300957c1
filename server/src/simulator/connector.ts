// The connectors to the simulated mobile network and to the simulated provider, over HTTP as for a
// real one.

import type { HostedMethodName } from '../domain/methods/methods.ts'
import type { OperatorAnswer } from '../domain/payments/operator-report.ts'
import { isFailureReason } from '../domain/payments/payment-status.ts'
import { looksLikeReference } from '../domain/payments/reference.ts'
import {
  asText,
  isSameSignature,
  MIXED_UP,
  noAnswer,
  parseObject,
  type Send,
} from '../operators/http-call.ts'
import type { HostedMethod, Operator, Unknown } from '../operators/operator.ts'
import type { WireAnswer } from './network.ts'
import { SIGNATURE_HEADER, signCallback } from './server.ts'

export type SimulatorConnection = { name: string; send: Send; token: string }

type Method = 'GET' | 'POST'

function caller({ send, token }: SimulatorConnection) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  async function call(
    method: Method,
    path: string,
    body?: object,
  ): Promise<Unknown | { body: object }> {
    const result = await send({
      method,
      path,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if ('failed' in result) return noAnswer(result)
    return result.code === 200
      ? { body: result.body as object }
      : { is: 'unknown', why: `HTTP ${result.code}` }
  }

  /** `about`: our reference of what is asked about. */
  async function ask(
    about: string,
    method: Method,
    path: string,
    body?: object,
  ): Promise<OperatorAnswer> {
    const answer = await call(method, path, body)
    if (!('body' in answer)) return answer
    return isOfAnother(answer.body, about) ? MIXED_UP : readAnswer(answer.body)
  }
  return { call, ask }
}

const isOfAnother = ({ reference }: Pick<WireAnswer, 'reference'>, about: string): boolean =>
  reference !== undefined && reference !== about

export function simulator(connection: SimulatorConnection): Operator {
  const { ask } = caller(connection)
  return {
    name: connection.name,
    request: ({ reference, msisdn, amountXof, publicReference }) =>
      ask(reference, 'POST', '/payments', {
        reference,
        msisdn,
        amount: amountXof,
        text: publicReference,
      }),
    status: (reference) => ask(reference, 'GET', `/payments/${reference}`),
    refund: ({ refundReference, reference, amountXof }) =>
      ask(refundReference, 'POST', '/refunds', {
        refund_reference: refundReference,
        reference,
        amount: amountXof,
      }),
    refundStatus: ({ refundReference }) =>
      ask(refundReference, 'GET', `/refunds/${refundReference}`),
    parseCallback: callbackReader(connection.token),
  }
}

export function simulatedHosted(
  connection: SimulatorConnection & { name: HostedMethodName },
): HostedMethod {
  const { call, ask } = caller(connection)
  return {
    ...simulator(connection),
    async open({ reference, amountXof, merchantName, title, returnUrl }) {
      const order = {
        reference,
        method: connection.name,
        amount: amountXof,
        merchant: merchantName,
        title,
      }
      const answer = await call('POST', '/sessions', { ...order, return_url: returnUrl })
      if (!('body' in answer) || isOfAnother(answer.body, reference)) return undefined
      const page = (answer.body as { page_url?: unknown }).page_url
      const address = typeof page === 'string' ? URL.parse(page) : null
      return address === null ? undefined : { goTo: address.href }
    },
    cancel: (reference) => ask(reference, 'POST', `/sessions/${reference}/cancel`, {}),
    status: (reference) => ask(reference, 'GET', `/sessions/${reference}`),
    // The session was opened when the attempt began. If that was not recorded, only a status call
    // is possible.
    request: ({ reference }) => ask(reference, 'GET', `/sessions/${reference}`),
  }
}

/**
 * Callbacks are signed. One with a wrong signature, or without a reference of our form, is ignored.
 */
function callbackReader(token: string): Operator['parseCallback'] {
  return ({ headers, body }) => {
    const signature = Buffer.from(String(headers[SIGNATURE_HEADER] ?? ''))
    if (!isSameSignature(signature, Buffer.from(signCallback(token, body)))) return undefined
    const reference = asText(parseObject(body)?.reference) ?? ''
    return looksLikeReference(reference) ? { reference, isGenuine: true } : undefined
  }
}

/** Checks every field: an answer of a form that is not known here is `unknown`, never a failure. */
function readAnswer(body: Partial<WireAnswer> | undefined): OperatorAnswer {
  const { status, reason, amount, operator_reference: operatorReference } = body ?? {}
  if (status === 'accepted' || status === 'not_known') return { is: status }
  if (status === 'declined' && isFailureReason(reason)) return { is: 'declined', reason }
  const isFinal = (status === 'succeeded' || status === 'refunded') && Number.isSafeInteger(amount)
  if (isFinal && typeof operatorReference === 'string') {
    return { is: status, amountXof: amount as number, operatorReference }
  }
  return { is: 'unknown', why: `an answer that is not understood: ${String(status).slice(0, 40)}` }
}
