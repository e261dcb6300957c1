// The connector to the simulated mobile network, over HTTP as for a real network.
import { timingSafeEqual } from 'node:crypto'
import type { OperatorAnswer } from '../../../domain/operator-report.ts'
import type { HostedMethodName } from '../../../domain/payment-link.ts'
import { isFailureReason } from '../../../domain/payment-status.ts'
import { looksLikeReference } from '../../../domain/reference.ts'
import type { WireAnswer } from '../../../simulator/network.ts'
import { SIGNATURE_HEADER, signCallback } from '../../../simulator/server.ts'
import type { Call, Send } from '../../http-call.ts'
import type { HostedMethod, Operator } from '../../operator.ts'

export interface SimulatorConnection {
  name: string
  send: Send
  token: string
}

export function simulator({ name, send, token }: SimulatorConnection): Operator {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  async function ask(what: Pick<Call, 'method' | 'path'>, body?: object): Promise<OperatorAnswer> {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const result = await send({ ...what, headers, ...text })
    if ('failed' in result) return notAnswered(result)
    if (result.code !== 200) return { is: 'unknown', why: `HTTP ${result.code}` }
    return readAnswer(result.body as WireAnswer)
  }

  return {
    name,
    request: ({ reference, msisdn, amountXof, publicReference }) =>
      ask({ method: 'POST', path: '/payments' }, { reference, msisdn, amount: amountXof, text: publicReference }),
    status: (reference) => ask({ method: 'GET', path: `/payments/${reference}` }),
    refund: ({ refundReference, reference, amountXof }) =>
      ask({ method: 'POST', path: '/refunds' }, { refund_reference: refundReference, reference, amount: amountXof }),
    refundStatus: ({ refundReference }) => ask({ method: 'GET', path: `/refunds/${refundReference}` }),
    parseCallback: callbackReader(token),
  }
}

/** The simulated network signs its callbacks. One with a wrong signature, or without a reference of our form, is ignored. */
export function callbackReader(token: string): Operator['parseCallback'] {
  return ({ headers, body }) => {
    const signature = Buffer.from(String(headers[SIGNATURE_HEADER] ?? ''))
    const expected = Buffer.from(signCallback(token, body))
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined
    const reference = referenceIn(body)
    if (typeof reference !== 'string' || !looksLikeReference(reference)) return undefined
    return { reference, isGenuine: true }
  }
}

/** A signed body that is not a JSON object names nothing. */
function referenceIn(body: Buffer): unknown {
  try {
    return (JSON.parse(body.toString('utf8')) as { reference?: unknown } | null)?.reference
  } catch {
    return undefined
  }
}

/** Keeps why there is no answer, and whether the network can have received the call. */
const notAnswered = ({ failed, neverLeft }: { failed: string; neverLeft?: true }): OperatorAnswer => ({
  is: 'unknown',
  why: failed,
  ...(neverLeft && { neverLeft }),
})

/** Checks every field: an answer of a form that is not known here is `unknown`, never a failure. */
export function readAnswer(body: Partial<WireAnswer> | undefined): OperatorAnswer {
  const { status, reason, amount, operator_reference: operatorReference } = body ?? {}
  if (status === 'accepted' || status === 'not_known') return { is: status }
  if (status === 'declined' && isFailureReason(reason)) return { is: 'declined', reason }
  const isFinal = (status === 'succeeded' || status === 'refunded') && Number.isSafeInteger(amount)
  if (isFinal && typeof operatorReference === 'string') {
    return { is: status, amountXof: amount as number, operatorReference }
  }
  return { is: 'unknown', why: `an answer that is not understood: ${String(status).slice(0, 40)}` }
}

// The connector to the simulated card and wallet provider: a hosted method over HTTP, as for a real provider.

export function simulatedHosted(connection: SimulatorConnection & { name: HostedMethodName }): HostedMethod {
  const { name, send: sendCall, token } = connection
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  async function send(what: Pick<Call, 'method' | 'path'>, body?: object): Promise<OperatorAnswer | { body: object }> {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const result = await sendCall({ ...what, headers, ...text })
    if ('failed' in result) return notAnswered(result)
    return result.code === 200 ? { body: result.body as object } : { is: 'unknown', why: `HTTP ${result.code}` }
  }

  async function ask(what: Pick<Call, 'method' | 'path'>, body?: object): Promise<OperatorAnswer> {
    const answer = await send(what, body)
    return 'body' in answer ? readAnswer(answer.body as WireAnswer) : answer
  }

  return {
    name,
    async open({ reference, amountXof, merchantName, title, returnUrl }) {
      const session = {
        reference,
        method: name,
        amount: amountXof,
        merchant: merchantName,
        title,
        return_url: returnUrl,
      }
      const answer = await send({ method: 'POST', path: '/sessions' }, session)
      const page = 'body' in answer ? (answer.body as { page_url?: unknown }).page_url : undefined
      return typeof page === 'string' ? URL.parse(page)?.href : undefined
    },
    cancel: (reference) => ask({ method: 'POST', path: `/sessions/${reference}/cancel` }, {}),
    status: (reference) => ask({ method: 'GET', path: `/sessions/${reference}` }),
    // The session was opened when the attempt began. If that was not recorded, a status call is all that is left to do.
    request: ({ reference }) => ask({ method: 'GET', path: `/sessions/${reference}` }),
    refund: ({ refundReference, reference, amountXof }) =>
      ask({ method: 'POST', path: '/refunds' }, { refund_reference: refundReference, reference, amount: amountXof }),
    refundStatus: ({ refundReference }) => ask({ method: 'GET', path: `/refunds/${refundReference}` }),
    parseCallback: callbackReader(token),
  }
}
