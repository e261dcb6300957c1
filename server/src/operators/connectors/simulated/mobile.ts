// The connector to the simulated network: the four verbs in its words, over HTTP like any other connector's.
import { timingSafeEqual } from 'node:crypto'
import type { Dispatcher } from 'undici'
import type { Clock } from '../../../domain/clock-and-random.ts'
import { isFailureReason, type OperatorAnswer } from '../../../domain/outcome.ts'
import { looksLikeReference } from '../../../domain/reference.ts'
import type { WireAnswer } from '../../../simulator/network.ts'
import { SIGNATURE_HEADER, signCallback } from '../../../simulator/server.ts'
import { type Call, call } from '../../http-call.ts'
import type { Operator } from '../../operator.ts'

export interface SimulatorConnection {
  name: string
  url: string
  token: string
  agent: Dispatcher
  clock: Clock
  timeoutMs: number
}

export function simulator({ name, url, token, agent, clock, timeoutMs }: SimulatorConnection): Operator {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  async function ask(what: Pick<Call, 'method' | 'path'>, body?: object): Promise<OperatorAnswer> {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const result = await call(agent, url, { ...what, headers, ...text }, { clock, timeoutMs })
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
    parseCallback: callbackReader(token),
  }
}

/** The simulated network signs its callbacks; what is not signed, or speaks of nothing of ours, is not read. */
export function callbackReader(token: string): Operator['parseCallback'] {
  return ({ headers, body }) => {
    const signature = Buffer.from(String(headers[SIGNATURE_HEADER] ?? ''))
    const wanted = Buffer.from(signCallback(token, body))
    if (signature.length !== wanted.length || !timingSafeEqual(signature, wanted)) return undefined
    const { reference } = JSON.parse(body.toString('utf8')) as { reference?: unknown }
    return typeof reference === 'string' && looksLikeReference(reference) ? reference : undefined
  }
}

/** Why there is no answer, and whether the call can have arrived. */
export const notAnswered = ({ failed, neverLeft }: { failed: string; neverLeft?: true }): OperatorAnswer => ({
  is: 'unknown',
  why: failed,
  ...(neverLeft && { neverLeft }),
})

/** Every word is checked: a network that says something new is not understood, and that is all it is. */
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
